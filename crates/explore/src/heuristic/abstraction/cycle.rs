//! Why differences can't be met together: a cycle of them that adds up to less than nothing.

use zone::{Bound, LE_ZERO, add};

/// `to - from` is within a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// What is subtracted.
    pub from: u32,
    /// What is bounded.
    pub to: u32,
    /// The bound.
    pub bound: Bound,
}

/// The numbers of arcs around a cycle that can't be met, in order; `None`: all can be met together.
#[must_use]
pub fn negative_cycle(points: usize, arcs: &[Arc]) -> Option<Vec<usize>> {
    // Bellman and Ford, from everywhere at once.
    let mut distance = vec![LE_ZERO; points];
    let mut last: Vec<Option<usize>> = vec![None; points];
    let mut changed = None;
    for _ in 0..=points {
        changed = None;
        for (number, arc) in arcs.iter().enumerate() {
            let sum = add(distance[arc.from as usize], arc.bound);
            if sum < distance[arc.to as usize] {
                distance[arc.to as usize] = sum;
                last[arc.to as usize] = Some(number);
                changed = Some(arc.to);
            }
        }
        changed?;
    }
    // So far back, it must be on the cycle.
    let mut at = changed?;
    for _ in 0..points {
        at = arcs[last[at as usize]?].from;
    }
    let (start, mut cycle) = (at, Vec::new());
    loop {
        let number = last[at as usize]?;
        cycle.push(number);
        at = arcs[number].from;
        if at == start {
            break;
        }
    }
    cycle.reverse();
    Some(cycle)
}

#[cfg(test)]
mod tests {
    use zone::{le, lt};

    use super::*;

    fn arc(from: u32, to: u32, bound: Bound) -> Arc {
        Arc { from, to, bound }
    }

    #[test]
    fn what_can_be_met_has_no_cycle() {
        assert_eq!(negative_cycle(3, &[arc(0, 1, le(5)), arc(1, 2, le(-5)), arc(2, 0, le(0))]), None);
        assert_eq!(negative_cycle(1, &[arc(0, 0, le(0))]), None);
    }

    #[test]
    fn cycles_are_found_in_order() {
        let arcs = [arc(0, 1, le(3)), arc(3, 1, le(1)), arc(1, 2, lt(-3)), arc(2, 0, le(0)), arc(0, 3, le(9))];
        let cycle = negative_cycle(4, &arcs).unwrap_or_default();
        let at = cycle.iter().position(|number| *number == 0).unwrap_or(0);
        assert_eq!([&cycle[at..], &cycle[..at]].concat(), [0, 2, 3]);
        assert_eq!(negative_cycle(1, &[arc(0, 0, lt(0))]), Some(vec![0]));
    }
}
