//! Bounds on the tokens of places.
//!
//! If a weighting of the places gives no firing a greater sum than before, the sum of the initial
//! marking divided by the weight of a place bounds its tokens. Weights are found by raising those
//! of input places until no firing adds to the sum; they grow without end if a net is unbounded.

use super::{Arc, Net};

/// The greatest weight of a place.
const MAX_WEIGHT: u64 = 1 << 40;

/// How often all transitions are looked at. A chain of transitions in the order of the net takes as
/// many rounds as it is long only if it is written backwards.
const ROUNDS: usize = 200;

/// Returns a number of tokens that no place ever exceeds, if one is found.
pub(super) fn limit(net: &Net) -> Option<u64> {
    let weights = weights(net)?;
    let sum = net.places.iter().zip(&weights).map(|(p, w)| u128::from(p.tokens) * u128::from(*w)).sum::<u128>();
    let least = weights.iter().min().copied().unwrap_or(1);
    u64::try_from(sum / u128::from(least.max(1))).ok()
}

/// Returns positive weights of places of which no firing increases the sum.
fn weights(net: &Net) -> Option<Vec<u64>> {
    let mut weights = vec![1u64; net.places.len()];
    let sum = |arcs: &[Arc], weights: &[u64]| {
        arcs.iter().map(|arc| u128::from(arc.weight) * u128::from(weights[arc.place as usize])).sum::<u128>()
    };
    for _ in 0..ROUNDS {
        let mut is_stable = true;
        // Consumers after producers is the usual order of a net, so backwards needs fewer rounds.
        for t in net.transitions.iter().rev() {
            let (before, after) = (sum(&t.takes, &weights), sum(&t.puts, &weights));
            if after <= before {
                continue;
            }
            is_stable = false;
            let tokens: u128 = t.takes.iter().map(|arc| u128::from(arc.weight)).sum();
            if tokens == 0 {
                return None;
            }
            let more = u64::try_from((after - before).div_ceil(tokens)).ok()?;
            for arc in &t.takes {
                let weight = &mut weights[arc.place as usize];
                *weight = weight.checked_add(more).filter(|w| *w <= MAX_WEIGHT)?;
            }
        }
        if is_stable {
            return Some(weights);
        }
    }
    None
}

/// Returns a number of tokens that suffices for all initial tokens in one place, and for each arc.
pub(super) fn guess(net: &Net) -> u64 {
    let all: u64 = net.places.iter().map(|p| u64::from(p.tokens)).sum();
    let most = |arcs: &mut dyn Iterator<Item = &Arc>| arcs.map(|arc| u64::from(arc.weight)).max().unwrap_or(1);
    let puts = most(&mut net.transitions.iter().flat_map(|t| &t.puts));
    let reads = most(
        &mut net
            .transitions
            .iter()
            .flat_map(|t| [&t.takes, &t.tests, &t.inhibitors, &t.runs, &t.stops].into_iter().flatten()),
    );
    all.saturating_mul(puts).max(reads.saturating_add(puts))
}

#[cfg(test)]
mod tests {
    use super::super::tina;
    use crate::{Format, Sources};

    fn limit(text: &str) -> Option<u64> {
        let mut sources = Sources::new();
        let file = sources.add_file("n.net", text.to_owned());
        let (tree, problems) = crate::read_model(&mut sources, file, Format::Net);
        assert!(problems.iter().all(|p| !p.is_error()), "{problems:?}");
        let net = tree.net.expect("a net");
        assert!(tina::text(&net).starts_with("net "));
        super::limit(&net)
    }

    #[test]
    fn conserved_tokens_bound_each_place() {
        assert_eq!(limit("pl p (1000)\npl q\ntr t p -> q\ntr u q -> p\n"), Some(1000));
        // One token of p is worth 300 of q.
        assert_eq!(limit("pl p (2)\ntr t p -> q*300\ntr u q*300 -> p\n"), Some(600));
        // Two producers in a row multiply.
        assert_eq!(limit("pl p (1)\ntr t p -> q*30\ntr u q -> r*40\n"), Some(1200));
    }

    #[test]
    fn what_grows_has_no_bound() {
        assert_eq!(limit("pl p (1)\ntr t p -> p*2\n"), None);
        assert_eq!(limit("tr t -> p\n"), None);
        assert_eq!(limit("pl p (1)\ntr t p -> q q\ntr u q -> p\n"), None);
    }

    #[test]
    fn joint_inputs_share_the_weight() {
        assert_eq!(limit("pl p (1)\npl q (1)\ntr t p q -> r r\n"), Some(2));
        assert_eq!(limit("pl p (1)\npl q (1)\ntr t p q -> r*4\n"), Some(4));
    }
}
