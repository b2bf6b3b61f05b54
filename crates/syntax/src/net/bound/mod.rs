//! Bounds on the tokens of places.
//!
//! If no firing raises a sum of tokens with non-negative coefficients, the sum of the initial
//! marking divided by the coefficient of a place bounds its tokens. One such sum over all places is
//! found quickly (`raise`); more sums give better bounds, and take longer (`eliminate`).

mod eliminate;
mod raise;

use super::{Arc, Net};
use crate::Signal;

/// Sums of tokens that never grow.
pub(super) struct TokenSums {
    /// The coefficients of each sum, by place, and its initial value.
    sums: Vec<(Vec<u64>, u128)>,
    places: u32,
}

impl TokenSums {
    /// Finds one sum over all places, if there is one.
    pub(super) fn raised(net: &Net) -> TokenSums {
        TokenSums::new(net, raise::weights(net))
    }

    /// Finds many sums.
    pub(super) fn all(net: &Net, signal: Signal) -> TokenSums {
        TokenSums::new(net, raise::weights(net).into_iter().chain(eliminate::sums(net, signal)))
    }

    fn new(net: &Net, sums: impl IntoIterator<Item = Vec<u64>>) -> TokenSums {
        let initial = |sum: &[u64]| {
            let terms = sum.iter().zip(&net.places).map(|(c, p)| u128::from(*c) * u128::from(p.tokens));
            terms.fold(0, u128::saturating_add)
        };
        let sums = sums.into_iter().map(|sum| (initial(&sum), sum)).map(|(initial, sum)| (sum, initial));
        TokenSums { sums: sums.collect(), places: net.places.len() as u32 }
    }

    /// Returns a number of tokens that no place ever exceeds, if it is known.
    pub(super) fn limit(&self) -> Option<u64> {
        (0..self.places).map(|place| self.together(&[place])).try_fold(0, |most, bound| Some(bound?.max(most)))
    }

    /// Returns the greatest number of tokens that all of these places can have together, if it is
    /// known.
    pub(super) fn of(&self, places: &[u32]) -> Option<u64> {
        let together = self.together(places);
        let each = places.iter().map(|p| self.together(&[*p])).try_fold(0, |sum: u64, more| sum.checked_add(more?));
        match (together, each) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Returns the least bound by a single sum.
    fn together(&self, places: &[u32]) -> Option<u64> {
        let bounds = self.sums.iter().filter_map(|(coefficients, initial)| {
            let least = places.iter().map(|p| coefficients[*p as usize]).min()?;
            u64::try_from(initial.checked_div(u128::from(least))?).ok()
        });
        bounds.min()
    }
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
    use crate::{Format, Signal, Sources};

    fn limit(text: &str) -> Option<u64> {
        let mut sources = Sources::new();
        let file = sources.add_file("n.net", text.to_owned());
        let (tree, problems) = crate::read_model(&mut sources, file, Format::Net);
        assert!(problems.iter().all(|p| !p.is_error()), "{problems:?}");
        let net = tree.net.expect("a net");
        assert!(tina::text(&net).starts_with("net "));
        let all = super::TokenSums::all(&net, Signal::default());
        let raised = super::TokenSums::raised(&net);
        // More sums never raise a bound.
        if let Some(limit) = raised.limit() {
            assert!(all.limit().is_some_and(|more| more <= limit));
        }
        raised.limit()
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
    fn several_sums_bound_places_apart() {
        let text = "pl p (3)\npl r (5)\ntr t p -> q\ntr u q -> p\ntr v r -> s\n";
        let mut sources = Sources::new();
        let file = sources.add_file("n.net", text.to_owned());
        let net = crate::read_model(&mut sources, file, Format::Net).0.net.expect("a net");
        let sums = super::TokenSums::all(&net, Signal::default());
        let number = |name: &str| net.places.iter().position(|p| p.name == name).expect("a place") as u32;
        assert_eq!(sums.of(&[number("q")]), Some(3));
        assert_eq!(sums.of(&[number("p"), number("q")]), Some(3));
        assert_eq!(sums.of(&[number("q"), number("s")]), Some(8));
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
