//! What a search that found nothing has stored, as evidence: symbolic states that hold all that can be reached.
//!
//! The states of a cover are closed under plain inclusion, so that a checker needs no abstraction. Stores that cover by
//! aLU are not, hence the search is run with zones that were extrapolated.

use std::{borrow::Cow, collections::HashMap};

use explore::{
    bounds::ClockBounds,
    graph::Abstraction,
    search::{Limits, Observer},
    store::NodeId,
};
use model::{Property, System};

use crate::{
    Answer, Options, Symmetry, Verdict, Wanted, plan,
    reach::{Reached, reach},
};

/// `left - right < bound`, or `<=`; clock 0 is always zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    /// The clock that is bounded.
    pub left: usize,
    /// The clock that is subtracted.
    pub right: usize,
    /// The bound.
    pub bound: i32,
    /// `<` instead of `<=`.
    pub strict: bool,
}

/// Symbolic states that hold all states that can be reached, and none of the goal.
pub struct Cover {
    reached: Reached,
    /// The states, those of one row together.
    nodes: Vec<NodeId>,
}

impl Cover {
    fn new(reached: Reached) -> Cover {
        let store = &reached.store;
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        // The rows are numbered as they come, so that the order is that of the search.
        let mut numbers: HashMap<Vec<i32>, usize> = HashMap::new();
        let mut nodes: Vec<(usize, NodeId)> = Vec::new();
        for node in store.nodes() {
            store.get(node, &mut row, &mut zone);
            let next = numbers.len();
            let number = *numbers.entry(row.clone()).or_insert(next);
            nodes.push((number, node));
        }
        nodes.sort_by_key(|(number, _)| *number);
        let nodes = nodes.into_iter().map(|(_, node)| node).collect();
        Cover { reached, nodes }
    }

    /// How many symbolic states there are.
    #[must_use]
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// Calls `visit` with each row and the constraints of a zone, until it fails. Zones of one row come one after the
    /// other.
    ///
    /// # Errors
    /// That of `visit`.
    pub fn try_for_each<E>(&self, mut visit: impl FnMut(&[i32], &[Constraint]) -> Result<(), E>) -> Result<(), E> {
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        let (mut reduced, mut constraints) = (Vec::new(), Vec::new());
        let Reached { store, clocks } = &self.reached;
        let dim = clocks.len();
        for &node in &self.nodes {
            store.get(node, &mut row, &mut zone);
            reduced.clear();
            constraints.clear();
            zone::reduce(&zone, dim, &mut reduced);
            let (pairs, _) = reduced.as_chunks::<2>();
            constraints.extend(pairs.iter().map(|&[at, bound]| Constraint {
                left: clocks[at as usize / dim].0 as usize,
                right: clocks[at as usize % dim].0 as usize,
                bound: zone::value(bound),
                strict: zone::is_strict(bound),
            }));
            visit(&row, &constraints)?;
        }
        Ok(())
    }
}

/// Answers a property of a system as [`crate::answer`] does, and gives the states that prove the answer, or says why
/// there are none.
pub fn answer_with_cover(
    system: &System,
    property: &Property,
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Result<Cover, &'static str>) {
    let mut options = *options;
    if matches!(options.abstraction, None | Some(Abstraction::Alu | Abstraction::Am)) {
        options.abstraction = Some(Abstraction::ExtraLuPlus);
    }
    // A search for the fastest trace has a clock that the model does not have.
    if options.wanted == Wanted::Fastest {
        options.wanted = Wanted::Shortest;
    }
    // A proof holds the states themselves.
    options.symmetry = Symmetry::Off;
    let mut system = Cow::Borrowed(system);
    if system.identity < system.initial.len() {
        // A transition may read what the one before it left in a meta variable. States that differ there are one for the
        // search, but not for a proof.
        system.to_mut().identity = system.initial.len();
    }
    let (goal, found) = match property {
        Property::Possibly(goal) => (goal, Verdict::Satisfied),
        Property::Invariantly(violation) => (violation, Verdict::NotSatisfied),
        _ => {
            let answer = crate::answer(&system, property, &options, limits, observer);
            return (answer, Err("there are no certificates for queries of this kind"));
        }
    };
    let plan = plan(&system, property, &ClockBounds::new(&system, property), &options);
    let (answer, reached) = reach(&system, goal, found.clone(), plan, limits, observer);
    let none = match &answer.verdict {
        Verdict::Unknown(_) => Some("the answer is unknown"),
        verdict if *verdict == found => Some("the answer has a trace, which is shown by --trace and --trace-file"),
        _ => None,
    };
    if let Some(why) = none {
        return (answer, Err(why));
    }
    (answer, Ok(Cover::new(reached)))
}
