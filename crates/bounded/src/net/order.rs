//! The order in which transitions may fire at one moment.
//!
//! A step lets each transition fire once, in a fixed order. A good order allows many firings in one
//! step: a transition that puts a token comes before one that takes it, if the token can be taken
//! at once. Otherwise it comes after, since the place must be empty by then.

use model::net::{Net, Timing};

/// Returns the transitions in a good order.
#[must_use]
pub(super) fn order(net: &Net) -> Vec<u32> {
    let n = net.transitions.len();
    // A token that can be taken at once must have been put before.
    let at_once = |place: usize| match net.timing {
        Timing::Places => net.places[place].delay.low == 0 && !net.places[place].delay.low_open,
        Timing::Untimed | Timing::Transitions | Timing::Arcs => true,
    };
    let mut givers = vec![Vec::new(); net.places.len()];
    let mut takers = vec![Vec::new(); net.places.len()];
    for (t, transition) in net.transitions.iter().enumerate() {
        transition.puts.iter().for_each(|arc| givers[arc.place as usize].push(t as u32));
        transition.takes.iter().for_each(|arc| takers[arc.place as usize].push(t as u32));
    }
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); n];
    for place in 0..net.places.len() {
        let (first, second) =
            if at_once(place) { (&givers[place], &takers[place]) } else { (&takers[place], &givers[place]) };
        for t in second {
            before[*t as usize].extend(first.iter().filter(|s| *s != t));
        }
    }
    topological(&before)
}

/// Sorts numbers topologically, predecessors first. Cycles are cut where they are entered.
fn topological(before: &[Vec<u32>]) -> Vec<u32> {
    let mut seen = vec![false; before.len()];
    let mut sorted = Vec::with_capacity(before.len());
    let mut path: Vec<(u32, usize)> = Vec::new();
    for start in 0..before.len() as u32 {
        if std::mem::replace(&mut seen[start as usize], true) {
            continue;
        }
        path.push((start, 0));
        while let Some((t, next)) = path.last_mut() {
            match before[*t as usize].get(*next) {
                Some(s) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*s as usize], true) {
                        path.push((*s, 0));
                    }
                }
                None => {
                    sorted.push(*t);
                    path.pop();
                }
            }
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::topological;

    #[test]
    fn predecessors_come_first_and_cycles_are_cut() {
        assert_eq!(topological(&[vec![2], vec![0], vec![]]), [2, 0, 1]);
        let mut cycle = topological(&[vec![1], vec![2], vec![0]]);
        cycle.sort_unstable();
        assert_eq!(cycle, [0, 1, 2]);
    }
}
