//! What a search that found nothing leaves behind, as evidence for an independent checker.

use std::borrow::Cow;

use bounded::automata::Invariant;
use explore::{
    graph::Abstraction,
    ranked::RankedStates,
    search::{Limits, Observer},
    tally::Phase,
};
use model::{Property, System, system::ClockId};
use zone::Bound;

use crate::{
    Answer, Constraint, Cover, Options, Order, Symmetry, Verdict, Wanted, cover::Constraints, liveness::Absence,
    reach::Reached, respond, tallied::Tallied,
};

/// States that prove an answer, by plain inclusion.
pub enum Proof {
    /// All that can be reached; none of it is in the goal.
    Cover(Cover),
    /// All maximal runs that satisfy a formula at every moment, of which there are none.
    Ranks {
        /// All that can be reached, where such runs do not just count from the start on.
        reached: Option<Cover>,
        /// The states that they would pass through.
        ranked: Box<Ranks>,
    },
    /// What holds at the start and behind every transition, and excludes the goal.
    Invariant(Invariant),
}

impl Proof {
    pub(crate) fn of_absence<B: Bound>(absence: Absence<B>) -> Proof {
        let Absence { reached, ranked, clocks } = absence;
        let reached = reached.map(|store| Cover::new(Reached { store, clocks: clocks.clone() }));
        Proof::Ranks { reached, ranked: Box::new(Ranks { ranked: Box::new(ranked), clocks }) }
    }

    /// How many symbolic states there are, or clauses.
    #[must_use]
    pub fn size(&self) -> ProofSize {
        match self {
            Proof::Cover(cover) => ProofSize::States(cover.states()),
            Proof::Ranks { reached, ranked } => {
                ProofSize::States(reached.as_ref().map_or(0, Cover::states) + ranked.states())
            }
            Proof::Invariant(invariant) => ProofSize::Clauses(invariant.clauses.len()),
        }
    }
}

/// How much there is of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofSize {
    /// So many symbolic states.
    States(usize),
    /// So many clauses.
    Clauses(usize),
}

/// Symbolic states with ranks, which fall with every transition. They are closed under what runs do
/// while a formula holds, and no maximal run ends in one.
pub struct Ranks {
    ranked: Box<dyn RankedStates>,
    /// The clocks of the system that the clocks of the zones are.
    clocks: Vec<ClockId>,
}

impl Ranks {
    /// How many symbolic states there are.
    #[must_use]
    pub fn states(&self) -> usize {
        self.ranked.states()
    }

    /// Calls `visit` with each row, the constraints of a zone, and its rank, until it fails. Zones
    /// of one row come one after the other.
    ///
    /// # Errors
    /// That of `visit`.
    pub fn try_for_each<E>(&self, mut visit: impl FnMut(&[i32], &[Constraint], u32) -> Result<(), E>) -> Result<(), E> {
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        let mut constraints = Constraints::new(&self.clocks);
        for node in 0..self.ranked.states() {
            let rank = self.ranked.state(node, &mut row, &mut zone);
            visit(&row, constraints.of(&zone), rank)?;
        }
        Ok(())
    }
}

/// Answers a property of a system as [`crate::answer`] does, and gives the states that prove the
/// answer, or says why there are none.
///
/// Stores that cover by simulation are not closed under plain inclusion, hence zones are
/// extrapolated.
pub fn answer_with_proof(
    system: &System,
    property: &Property,
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Result<Proof, &'static str>) {
    let mut options = options.clone();
    if matches!(options.abstraction, None | Some(Abstraction::Alu | Abstraction::Am)) {
        options.abstraction = Some(Abstraction::ExtraLuPlus);
    }
    // A search for the fastest trace has a clock that the model does not have.
    if options.wanted == Wanted::Fastest {
        options.wanted = Wanted::Shortest;
    }
    // A proof holds all states themselves.
    options.passing = None;
    options.symmetry = Symmetry::Off;
    // The checker takes no lattice's word for what greater elements can do.
    options.joining.apart = true;
    let mut system = Cow::Borrowed(system);
    if system.identity < system.initial.len() {
        // A transition may read what the one before it left in a meta variable. States that differ
        // there are one for the search, but not for a proof.
        system.to_mut().identity = system.initial.len();
    }
    // A directed search leaves out what leads nowhere. It may find a trace; where it does not,
    // another one makes the proof.
    let directed = options.order.is_directed() || options.wanted == Wanted::Short;
    let tallied = Tallied::new(observer);
    let mut observer = &tallied;
    let (mut answer, mut proof) = respond(&system, property, &options, !directed, limits, &mut observer);
    if directed && answer.trace.is_none() && !matches!(answer.verdict, Verdict::Unknown(_)) {
        (options.order, options.wanted) = (Order::Bfs, Wanted::Some);
        observer.enter(Phase::Proof);
        (answer, proof) = respond(&system, property, &options, true, limits, &mut observer);
        answer.decided = Phase::Proof;
    }
    let proof = proof.ok_or(absent(&answer, property));
    (tallied.sum_up(answer), proof)
}

/// Why an answer has no proof.
pub(crate) fn absent(answer: &Answer, property: &Property) -> &'static str {
    match (&answer.verdict, property) {
        (_, Property::Bounds { .. }) => "there are no certificates for queries of this kind",
        (Verdict::Unknown(_), _) => "the answer is unknown",
        _ => "the answer has a trace, which is shown by --trace and --trace-file",
    }
}
