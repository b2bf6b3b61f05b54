//! Backward computation of distances in a graph.

use std::collections::VecDeque;

/// A link between nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DistanceLink {
    pub from: u32,
    pub to: u32,
    /// Whether it is a step; else it costs nothing.
    pub(crate) is_step: bool,
}

/// Returns the least number of steps from each node to an end, plus the initial distance of the
/// end.
pub(super) fn distances(
    nodes: usize,
    links: impl Iterator<Item = DistanceLink> + Clone,
    ends: &[(u32, u32)],
) -> Vec<Option<u32>> {
    // The links into each node, contiguous.
    let mut starts = vec![0_u32; nodes + 1];
    links.clone().for_each(|link| starts[link.to as usize + 1] += 1);
    (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
    let mut next = starts.clone();
    let mut into = vec![(0_u32, false); starts[nodes] as usize];
    for link in links {
        into[next[link.to as usize] as usize] = (link.from, link.is_step);
        next[link.to as usize] += 1;
    }

    let mut ends: Vec<(u32, u32)> = ends.iter().map(|(node, distance)| (*distance, *node)).collect();
    ends.sort_unstable();
    let mut ends = ends.into_iter().peekable();
    let mut out: Vec<Option<u32>> = vec![None; nodes];
    // The nearest come first: nodes by links without cost go to the front.
    let mut open: VecDeque<(u32, u32)> = VecDeque::new();
    loop {
        let nearest = open.front().into_iter().chain(ends.peek()).map(|(distance, _)| *distance).min();
        let Some(distance) = nearest else { return out };
        while let Some(end) = ends.next_if(|(own, _)| *own == distance) {
            open.push_front(end);
        }
        let Some((_, node)) = open.pop_front() else { return out };
        if out[node as usize].is_some() {
            continue;
        }
        out[node as usize] = Some(distance);
        for &(from, is_step) in &into[starts[node as usize] as usize..starts[node as usize + 1] as usize] {
            match is_step {
                _ if out[from as usize].is_some() => {}
                true => open.push_back((distance + 1, from)),
                false => open.push_front((distance, from)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DistanceLink, distances};

    fn of(nodes: usize, links: &[(u32, u32, bool)], ends: &[(u32, u32)]) -> Vec<Option<u32>> {
        distances(nodes, links.iter().map(|&(from, to, is_step)| DistanceLink { from, to, is_step }), ends)
    }

    #[test]
    fn the_nearest_end_counts() {
        let links = [(0, 1, true), (1, 2, true), (2, 3, true), (0, 4, true), (4, 3, true)];
        assert_eq!(of(6, &links, &[(3, 0)]), [Some(2), Some(2), Some(1), Some(0), Some(1), None]);
    }

    #[test]
    fn ends_may_be_far_off() {
        let links = [(0, 1, true), (0, 2, true), (2, 3, true)];
        assert_eq!(of(4, &links, &[(1, 5), (3, 0)]), [Some(2), Some(5), Some(1), Some(0)]);
        assert_eq!(of(4, &links, &[(1, 0), (3, 7)]), [Some(1), Some(0), Some(8), Some(7)]);
        assert_eq!(of(2, &[(0, 1, true)], &[(0, 3), (1, 5)]), [Some(3), Some(5)]);
    }

    #[test]
    fn links_that_are_no_steps_cost_nothing() {
        let links = [(0, 1, false), (1, 2, true), (2, 0, false), (3, 2, false)];
        assert_eq!(of(5, &links, &[(2, 1)]), [Some(2), Some(2), Some(1), Some(1), None]);
    }

    #[test]
    fn there_may_be_nothing() {
        assert_eq!(of(0, &[], &[]), []);
        assert_eq!(of(1, &[(0, 0, true)], &[]), [None]);
    }
}
