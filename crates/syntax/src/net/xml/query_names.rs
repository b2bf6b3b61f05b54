//! The names of places and transitions in TAPAAL's queries, which may have that of a component
//! before them.

use rustc_hash::FxHashSet;

use super::suggesting;
use crate::{diagnostic::Diagnostic, net::Net, source::Span};

/// What stands before the names of places that components share.
const SHARED: &str = "Shared";

/// Words of queries that may be misspelt as well.
const WORDS: [&str; 6] = ["deadlock", "true", "false", "and", "or", "not"];

/// A component of the file.
pub(super) struct Component {
    pub name: String,
    pub is_active: bool,
}

/// The names that queries about a net may have.
pub(super) struct QueryNames<'n> {
    components: &'n [Component],
    places: FxHashSet<&'n str>,
    transitions: FxHashSet<&'n str>,
}

impl<'n> QueryNames<'n> {
    pub(super) fn new(net: &'n Net, components: &'n [Component]) -> QueryNames<'n> {
        // What is unfolded has the names of colours, or of values of variables, in parentheses.
        let base = |written: &'n str| written.split_once('(').map(|(base, _)| base);
        let transitions = || net.transitions.iter().map(|t| t.written.as_str());
        let places = net.places.iter().map(|p| p.written.as_str());
        QueryNames {
            components,
            places: places.chain(net.sums.iter().map(|sum| sum.written.as_str())).collect(),
            transitions: transitions().chain(transitions().filter_map(base)).collect(),
        }
    }

    /// Returns the name in the net of a place, or of places whose tokens are counted together.
    pub(super) fn place<'w>(&self, written: &'w str, span: Span) -> Result<&'w str, Box<Diagnostic>> {
        self.find(written, span, "place", &self.places)
    }

    /// Returns the name in the net of a transition, without the values of its variables.
    pub(super) fn transition<'w>(&self, written: &'w str, span: Span) -> Result<&'w str, Box<Diagnostic>> {
        self.find(written, span, "transition", &self.transitions)
    }

    fn find<'w>(
        &self,
        written: &'w str,
        span: Span,
        kind: &str,
        known: &FxHashSet<&str>,
    ) -> Result<&'w str, Box<Diagnostic>> {
        if known.contains(written) {
            return Ok(written);
        }
        let error = |message: String| Diagnostic::error("unknown-name", span, message);
        let shown = || known.iter().copied().filter(|name| !name.contains('('));
        let Some((before, short)) = written.split_once('.') else {
            let d = error(format!("no {kind} has the name `{written}`"));
            return Err(Box::new(suggesting(d, written, shown().chain(WORDS))));
        };
        let component = self.components.iter().find(|component| component.name == before);
        if component.is_none() && before != SHARED {
            let d = error(format!("no component has the name `{before}`"));
            let components = self.components.iter().map(|component| component.name.as_str());
            return Err(Box::new(suggesting(d, before, components)));
        }
        if component.is_some_and(|component| !component.is_active) {
            let d = error(format!("the component `{before}` is not active"));
            return Err(Box::new(d.help("what is in it is not part of the net")));
        }
        // Names are without a component if there is one only, or if the components share them.
        if known.contains(short) {
            return Ok(short);
        }
        let d = error(format!("the component `{before}` has no {kind} `{short}`"));
        let own = |name: &'_ str| name.strip_prefix(before).is_some_and(|rest| rest.starts_with('.'));
        let mine: Vec<&str> = shown().map(|name| if own(name) { &name[before.len() + 1..] } else { name }).collect();
        Err(Box::new(suggesting(d, short, mine)))
    }
}
