//! Negative cycles: why a system of difference constraints on time points is unsatisfiable.

use zone::{Bound, is_strict, value};

/// A constraint: `left - right` is within a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DifferenceEdge {
    /// The point that is bounded.
    pub left: u32,
    /// The point that is subtracted.
    pub right: u32,
    /// The bound.
    pub bound: i32,
    /// A tag of the caller.
    pub tag: usize,
}

/// Returns the tags along a negative cycle, in order: the left point of each edge is the right one
/// of the next. `None`: the constraints are satisfiable.
#[must_use]
pub(crate) fn negative_cycle(points: usize, edges: &[DifferenceEdge]) -> Option<Vec<usize>> {
    // A strict bound counts as a small decrement, which matters only if the constants add up to
    // zero.
    let unit = points as i64 + 1;
    let weight = |edge: &DifferenceEdge| i64::from(value(edge.bound)) * unit - i64::from(is_strict(edge.bound));
    let edges: Vec<&DifferenceEdge> = edges.iter().filter(|edge| edge.bound < i32::INFINITY).collect();
    // Bellman-Ford from all points at once.
    let mut distances = vec![0_i64; points];
    let mut by: Vec<Option<&DifferenceEdge>> = vec![None; points];
    let mut last = None;
    for _ in 0..=points {
        last = None;
        for edge in &edges {
            let through = distances[edge.right as usize] + weight(edge);
            if through < distances[edge.left as usize] {
                distances[edge.left as usize] = through;
                by[edge.left as usize] = Some(edge);
                last = Some(edge.left);
            }
        }
        last?;
    }
    // After this number of rounds, the predecessors of a point that still decreases lead into a
    // cycle.
    let mut at = last?;
    for _ in 0..points {
        at = by[at as usize]?.right;
    }
    let mut tags = Vec::new();
    let first = at;
    loop {
        let edge = by[at as usize]?;
        tags.push(edge.tag);
        at = edge.right;
        if at == first {
            return Some(tags);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DifferenceEdge, negative_cycle};
    use zone::{Bound, le, lt};

    fn edges(list: &[(u32, u32, i32)]) -> Vec<DifferenceEdge> {
        let edge = |(tag, (left, right, bound)): (usize, &(u32, u32, i32))| DifferenceEdge {
            left: *left,
            right: *right,
            bound: *bound,
            tag,
        };
        list.iter().enumerate().map(edge).collect()
    }

    fn cycle(points: usize, list: &[(u32, u32, i32)]) -> Option<Vec<usize>> {
        let mut tags = negative_cycle(points, &edges(list))?;
        tags.sort_unstable();
        Some(tags)
    }

    #[test]
    fn what_fits_has_no_cycle() {
        assert_eq!(cycle(0, &[]), None);
        assert_eq!(cycle(3, &[(1, 0, le(5)), (0, 1, le(-5)), (2, 1, le(0)), (1, 2, le(0))]), None);
        assert_eq!(cycle(2, &[(0, 1, le(-3)), (1, 0, i32::INFINITY)]), None);
    }

    #[test]
    fn only_the_cycle_is_named() {
        let all = [(3, 0, le(1)), (1, 0, le(5)), (2, 1, le(4)), (0, 2, le(-10)), (1, 2, le(9))];
        assert_eq!(cycle(4, &all), Some(vec![1, 2, 3]));
    }

    #[test]
    fn strict_bounds_count_where_all_else_adds_up_to_nothing() {
        assert_eq!(cycle(2, &[(1, 0, le(5)), (0, 1, lt(-5))]), Some(vec![0, 1]));
        assert_eq!(cycle(2, &[(1, 0, lt(5)), (0, 1, lt(-4))]), None);
        // Three strict bounds count like one.
        assert_eq!(cycle(3, &[(1, 0, lt(0)), (2, 1, lt(0)), (0, 2, le(1))]), None);
        assert_eq!(cycle(3, &[(1, 0, lt(0)), (2, 1, lt(0)), (0, 2, le(0))]), Some(vec![0, 1, 2]));
    }

    #[test]
    fn a_point_differs_from_itself_by_nothing() {
        assert_eq!(cycle(2, &[(1, 0, le(3)), (1, 1, le(-1))]), Some(vec![1]));
    }

    /// Compares with the closure of a zone, which is empty if and only if there is a cycle.
    #[test]
    fn zones_agree() {
        let mut state = 7_u64;
        let mut random = move |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut found = 0;
        for _ in 0..5_000 {
            let dim = 2 + random(5) as usize;
            let list: Vec<(u32, u32, i32)> = (0..2 + random(8))
                .map(|_| {
                    let constant = random(9) as i32 - 3;
                    let bound = if random(2) == 0 { lt(constant) } else { le(constant) };
                    (random(dim as u64) as u32, random(dim as u64) as u32, bound)
                })
                .collect();
            let mut zone = vec![i32::INFINITY; dim * dim];
            (0..dim).for_each(|x| zone[x * dim + x] = i32::LE_ZERO);
            for (left, right, bound) in &list {
                let entry = &mut zone[*left as usize * dim + *right as usize];
                *entry = (*entry).min(*bound);
            }
            let tags = negative_cycle(dim, &edges(&list));
            assert_eq!(tags.is_none(), zone::close(&mut zone, dim), "{list:?}");
            let Some(tags) = tags else { continue };
            found += 1;
            let sum = tags.iter().fold(i32::LE_ZERO, |sum, tag| zone::add(sum, list[*tag].2));
            assert!(sum < i32::LE_ZERO, "{list:?} {tags:?}");
            for (edge, next) in tags.iter().zip(tags.iter().cycle().skip(1)) {
                assert_eq!(list[*edge].1, list[*next].0);
            }
        }
        assert!(found > 500, "{found}");
    }
}
