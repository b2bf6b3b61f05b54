//! What networks that represent nets have that others lack: contacts, and for intervals on places
//! deadlocks.
//!
//! While a token waits, it can become available. When none does, clocks decide nothing any more: a
//! transition can fire if its tokens are there and none inhibits it. So deadlocks depend on the row
//! alone, whatever inhibits.

use model::{
    net::{Arc, Net},
    system::Sync,
};
use smt::{Term, Terms};

use super::{Encoder, Frame, SymbolicTransition};
use crate::net::is_instant;

impl Encoder<'_> {
    /// Returns the terms "a firing puts a token on a marked place", if such a firing counts as a
    /// run-time error. The channels are those of the transitions of the net, in order.
    pub(super) fn contacts(&self, terms: &mut Terms, frame: &Frame, taken: &SymbolicTransition) -> Vec<Term> {
        let Some(net) = self.known.net.filter(|_| self.known.unless_contact) else { return Vec::new() };
        let first = self.system.processes.len();
        let mut contacts = Vec::new();
        for (edge, taken) in self.system.edges.iter().zip(&taken.edges) {
            let Sync::Send(channel) = edge.sync else { continue };
            let Some(t) = net.transitions.get(channel.0 as usize) else { continue };
            let takes = |arc: &&Arc| t.takes.iter().any(|other| other.place == arc.place);
            let full = t.puts.iter().filter(|arc| !takes(arc));
            let full = terms.or(full.map(|arc| !frame.row[first + arc.place as usize].is(0)));
            contacts.push(terms.and([*taken, full]));
        }
        contacts
    }

    /// Returns the term "a transition is possible in a frame, now or later".
    pub(super) fn alive_in_net(&self, terms: &mut Terms, frame: &Frame, net: &Net) -> Term {
        let first = self.system.processes.len();
        let marked = |place: usize| !frame.row[first + place].is(0);
        // The process of the net comes first; it leaves its first location for a run-time error.
        let mut possible = vec![!frame.row[0].is(0)];
        // The processes of tokens follow, in the order of their places, and so do the variables
        // that say whether a token is available.
        let (mut process, mut slot) = (0, first + net.places.len());
        let mut available = Vec::new();
        for place in 0..net.places.len() {
            if is_instant(net, place) {
                available.push(Term::TRUE);
                continue;
            }
            process += 1;
            possible.push(frame.row[process].is(1));
            available.push(!frame.row[slot].is(0));
            slot += 1;
        }
        for t in &net.transitions {
            let mut parts = Vec::new();
            for place in t.takes.iter().chain(&t.tests).map(|arc| arc.place as usize) {
                parts.extend([marked(place), available[place]]);
            }
            for place in t.inhibitors.iter().map(|arc| arc.place as usize) {
                parts.push(!terms.and([marked(place), available[place]]));
            }
            possible.push(terms.and(parts));
        }
        terms.or(possible)
    }
}
