//! Names for queries and traces.
//!
//! Nets allow any name, even the same for a place and a transition. Queries need unique
//! identifiers.

use rustc_hash::FxHashSet;

use crate::lexer::{Dialect, is_reserved, is_reserved_in};

/// The names of a net, in the order of its places and transitions.
pub(super) struct Chosen {
    pub places: Vec<String>,
    pub transitions: Vec<String>,
    pub sums: Vec<String>,
}

/// The names in use.
#[derive(Default)]
pub(super) struct UsedNames(FxHashSet<String>);

/// Predeclared names, and words that can start an expression.
const PREDECLARED: &[&str] = &["abs", "sup", "inf", "bounds", "sum", "numOf", "foreach", "spawn", "exit"];

impl UsedNames {
    /// Collects the names of a net.
    pub(super) fn of(net: &super::Net) -> UsedNames {
        let places = net.places.iter().map(|p| p.name.clone());
        let sums = net.sums.iter().map(|s| s.name.clone());
        UsedNames(places.chain(net.transitions.iter().map(|t| t.name.clone())).chain(sums).collect())
    }

    /// Returns `wanted`, or a similar name if it is not an identifier or already in use.
    pub(super) fn take(&mut self, wanted: &str, suffix: &str) -> String {
        // `p(a,1)` becomes `p_a_1`.
        let wanted = wanted.strip_suffix(')').unwrap_or(wanted);
        let mut base: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            base.insert(0, '_');
        }
        if is_free(&base) && self.0.insert(base.clone()) {
            return base;
        }
        base.push_str(suffix);
        if is_free(&base) && self.0.insert(base.clone()) {
            return base;
        }
        // The set is finite, so some number is free.
        let numbered = (2u64..).map(|n| format!("{base}_{n}")).find(|name| !self.0.contains(name));
        let name = numbered.unwrap_or(base);
        self.0.insert(name.clone());
        name
    }
}

/// Returns whether a word can be a name.
fn is_free(word: &str) -> bool {
    !is_reserved(word)
        && !is_reserved_in(word, Dialect::Model)
        && !is_reserved_in(word, Dialect::Query)
        && !PREDECLARED.contains(&word)
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Chooses names. Identifiers are kept, those of places before those of sums and of transitions;
/// the others are made unique afterwards.
pub(super) fn choose<'a>(
    places: impl Iterator<Item = &'a str>,
    transitions: impl Iterator<Item = &'a str>,
    sums: impl Iterator<Item = &'a str>,
) -> Chosen {
    let (places, transitions): (Vec<&str>, Vec<&str>) = (places.collect(), transitions.collect());
    let sums: Vec<&str> = sums.collect();
    let mut taken = UsedNames::default();
    let mut keep = |written: &&str| {
        let keeps = is_identifier(written) && is_free(written) && taken.0.insert((*written).to_owned());
        keeps.then(|| (*written).to_owned())
    };
    let kept_places: Vec<Option<String>> = places.iter().map(&mut keep).collect();
    let kept_sums: Vec<Option<String>> = sums.iter().map(&mut keep).collect();
    let kept_transitions: Vec<Option<String>> = transitions.iter().map(&mut keep).collect();
    let mut complete = |kept: Vec<Option<String>>, written: &[&str], suffix: &str| {
        kept.into_iter()
            .zip(written)
            .map(|(kept, written)| kept.unwrap_or_else(|| taken.take(written, suffix)))
            .collect()
    };
    Chosen {
        places: complete(kept_places, &places, "_p"),
        sums: complete(kept_sums, &sums, "_all"),
        transitions: complete(kept_transitions, &transitions, "_t"),
    }
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn names_are_unique_identifiers_and_kept_if_possible() {
        let chosen = choose(
            ["a", "int", "p.1", "p_1", "1", "", "p'1", "c(x,2)"].into_iter(),
            ["a", "t", "sup", "a_t", "c"].into_iter(),
            ["c", "a"].into_iter(),
        );
        assert_eq!(chosen.places, ["a", "int_p", "p_1_p", "p_1", "_1", "_", "p_1_p_2", "c_x_2"]);
        assert_eq!(chosen.sums, ["c", "a_all"]);
        assert_eq!(chosen.transitions, ["a_t_2", "t", "sup_t", "a_t", "c_t"]);
    }
}
