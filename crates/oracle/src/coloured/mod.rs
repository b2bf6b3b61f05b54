//! Small random nets with colours, also with ages of tokens, with a semantics of their own.
//!
//! A [`ColouredNet`] fires its transitions for values of their variables, without places and
//! transitions of an unfolding. Its text as PNML is what the reader gets to unfold.

mod aged;
mod fire;
mod generate;
mod tapaal;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use aged::{AgedColouredNet, random_aged_coloured_net};
pub use generate::random_coloured_net;

/// The values of the components of a colour. Those of enumerations count from 0.
type Colour = Vec<i64>;

/// The number of tokens of each colour, without those that have none.
type Bag = BTreeMap<Colour, u64>;

/// A sort without components.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Base {
    /// Black tokens.
    Dot,
    /// An enumeration of so many constants, and whether it is called cyclic.
    Enumeration(i64, bool),
    /// The integers between two bounds.
    Range(i64, i64),
}

impl Base {
    fn values(&self) -> Vec<i64> {
        match *self {
            Base::Dot => vec![0],
            Base::Enumeration(count, _) => (0..count).collect(),
            Base::Range(low, high) => (low..=high).collect(),
        }
    }

    /// The value after this one, or before it, in a circle.
    fn step(&self, value: i64, by: i64) -> i64 {
        let values = self.values();
        let at = values.iter().position(|v| *v == value).unwrap_or(0) as i64;
        values[(at + by).rem_euclid(values.len() as i64) as usize]
    }
}

/// A component of a colour in an inscription.
#[derive(Clone, Debug)]
enum Component {
    Value(i64),
    Variable(usize),
    /// The successor or predecessor of a variable.
    Step(usize, i64),
    /// Each value.
    All,
}

/// A multiset in an inscription.
#[derive(Clone, Debug)]
enum Multiset {
    Times(u64, Vec<Component>),
    Sum(Vec<Multiset>),
    /// All colours except one.
    Without(Vec<Component>),
}

/// A condition on variables.
#[derive(Clone, Debug)]
enum Condition {
    Compare(&'static str, usize, Component),
    /// Compares the parts of two variables, in the partition of the first enumeration.
    Parts(&'static str, usize, usize),
    Connect(&'static str, Vec<Condition>),
}

#[derive(Clone, Debug)]
struct ColouredTransition {
    condition: Option<Condition>,
    takes: Vec<(usize, Multiset)>,
    puts: Vec<(usize, Multiset)>,
}

/// A net with coloured tokens.
#[derive(Clone, Debug)]
pub struct ColouredNet {
    bases: Vec<Base>,
    /// The part of each value of base 1, which is an enumeration.
    parts: Vec<i64>,
    /// The bases of the components of each place; the last two of three are a pair of their own.
    places: Vec<(Vec<usize>, Bag)>,
    /// The base of each variable.
    variables: Vec<usize>,
    transitions: Vec<ColouredTransition>,
}

/// A marking of a coloured net, by the names that its places have after unfolding.
pub type NamedMarking = BTreeMap<String, u64>;

impl ColouredNet {
    /// Returns the markings that are reachable while no colour has more than `tokens` tokens in a
    /// place; `None` if there are more than `limit`.
    #[must_use]
    pub fn markings(&self, tokens: u64, limit: usize) -> Option<BTreeSet<NamedMarking>> {
        let found = self.explore(tokens, limit)?;
        Some(found.into_iter().map(|marking| self.named(&marking)).collect())
    }

    /// Returns the net as PNML.
    #[must_use]
    pub fn pnml(&self) -> String {
        text::write(self)
    }

    fn named(&self, marking: &[Bag]) -> NamedMarking {
        let mut out = NamedMarking::new();
        for (i, (bases, _)) in self.places.iter().enumerate() {
            let colours = self.colours(bases);
            for colour in &colours {
                let shown: Vec<String> = bases.iter().zip(colour).map(|(b, v)| self.shown(*b, *v)).collect();
                let name = if colours.len() == 1 { format!("p{i}") } else { format!("p{i}({})", shown.join(",")) };
                out.insert(name, marking[i].get(colour).copied().unwrap_or(0));
            }
        }
        out
    }

    fn shown(&self, base: usize, value: i64) -> String {
        match self.bases[base] {
            Base::Dot => "dot".to_owned(),
            Base::Enumeration(..) => format!("c{value}"),
            Base::Range(..) => value.to_string(),
        }
    }

    /// Returns all colours with these components.
    fn colours(&self, bases: &[usize]) -> Vec<Colour> {
        let mut all = vec![Vec::new()];
        for base in bases {
            let values = self.bases[*base].values();
            all = all.iter().flat_map(|c: &Colour| values.iter().map(|v| [&c[..], &[*v]].concat())).collect();
        }
        all
    }
}
