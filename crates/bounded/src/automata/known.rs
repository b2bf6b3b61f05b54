//! What is known of the states of a network that represents a net.

use model::net::{Net, Timing};

use super::StateLiteral;
use crate::net::MarkingInvariant;

/// What is known of all reachable states.
#[derive(Clone, Debug, Default)]
pub struct Known<'n> {
    /// The net that the network represents.
    pub net: Option<&'n Net>,
    /// The number of places of which each has at most one token; they are the first variables.
    pub(super) safe: usize,
    /// Clauses that hold in every reachable state.
    pub(super) clauses: Vec<Vec<StateLiteral>>,
    /// Whether it holds only as long as no firing puts a token on a marked place: such a firing
    /// counts as a run-time error.
    pub(super) unless_contact: bool,
}

impl<'n> Known<'n> {
    /// Returns what is known of a net and, if there is one, by an invariant of its markings, which
    /// excludes a second token on a place.
    #[must_use]
    pub fn of(net: &'n Net, processes: usize, invariant: Option<&MarkingInvariant>) -> Known<'n> {
        let Some(invariant) = invariant else { return Known { net: Some(net), ..Known::default() } };
        let first = processes as u32;
        let literal =
            |l: &crate::net::PlaceLiteral| StateLiteral::Is { slot: first + l.place, value: i32::from(l.marked) };
        let mut clauses: Vec<Vec<StateLiteral>> =
            invariant.clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect();
        if net.timing != Timing::Places {
            let places = 0..net.places.len() as u32;
            clauses.extend(places.map(|place| vec![StateLiteral::AtMost { slot: first + place, value: 1 }]));
        }
        Known { net: Some(net), safe: net.places.len(), clauses, unless_contact: false }
    }

    /// Assumes that every place has at most one token. An invariant that is found with it says so,
    /// and that no firing changes it.
    #[must_use]
    pub fn unless_contact(net: &'n Net, processes: usize) -> Known<'n> {
        let known = Known::of(net, processes, Some(&MarkingInvariant::default()));
        Known { unless_contact: net.timing != Timing::Places, ..known }
    }
}
