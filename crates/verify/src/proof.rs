//! What a search that found nothing leaves as evidence for an independent checker.

use std::{borrow::Cow, fmt, sync::Arc};

use bounded::{automata::Invariant, net::MarkingInvariant};
use explore::{
    graph::Abstraction,
    ranked::RankedStates,
    search::{Limits, Observer},
    tally::Phase,
};
use model::{Property, System, system::ClockId};
use thiserror::Error;
use zone::Bound;

use crate::{
    Answer, CommonTime, Constraint, Cover, LocalTime, Options, Order, Symmetry, Verdict, Wanted, cover::Constraints,
    liveness::Absence, reach::Reached, respond::respond, tallied::Tallied,
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
    /// What holds at the start and after every transition, and excludes the goal.
    Invariant(Invariant),
    /// What holds in every reachable marking of a net, whatever the time is, and excludes the goal.
    Marking(MarkingInvariant),
}

impl Proof {
    pub(crate) fn of_absence<B: Bound>(absence: Absence<B>) -> Proof {
        let Absence { reached, ranked, clocks } = absence;
        let reached =
            reached.map(|stores| Cover::new(Reached { stores, clocks: clocks.clone(), cluster: None }, Vec::new()));
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
            Proof::Marking(invariant) => ProofSize::Clauses(invariant.clauses.len()),
        }
    }
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Proof").field(&self.size()).finish()
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

/// Answers a property of a system, with the states that prove the answer or the reason why there
/// are none.
///
/// Stores that cover by simulation are not closed under plain inclusion, hence zones are
/// extrapolated.
pub(crate) fn prove(
    system: &System,
    property: &Property,
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Answer {
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
    let wants_local = std::mem::replace(&mut options.local_time, LocalTime::Off) == LocalTime::On;
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
    answer.plan.common_time = wants_local.then_some(CommonTime::Certificate);
    let proof = proof.map(Arc::new).ok_or(Unproved::of(&answer, property));
    Answer { proof: Some(proof), ..tallied.sum_up(answer) }
}

/// Why an answer has no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unproved {
    /// Queries of this kind have no certificates.
    #[error("there are no certificates for queries of this kind")]
    Kind,
    /// The answer is unknown.
    #[error("the answer is unknown")]
    Unknown,
    /// A trace shows the answer.
    #[error("the answer has a trace, which is shown by --trace and --trace-file")]
    Trace,
    /// The answer follows by induction, which leaves no invariant.
    #[error("induction leaves none; an invariant does")]
    Induction,
    /// The answer follows by interpolants, which another solver has checked.
    #[error("interpolants leave none; an invariant does")]
    Interpolation,
    /// A limit was reached while the proof was checked.
    #[error("a limit was reached while it was checked")]
    Stopped,
    /// The proof is too large to be checked.
    #[error("the certificate is too large to be checked")]
    TooLarge,
    /// The checker refuses the proof.
    #[error("the certificate does not hold")]
    Refused,
    /// Elements of lattices of the user, and goals of the user, can't be written down.
    #[error("elements of lattices of the user, and goals of the user, can't be written down")]
    User,
    /// The answer is about runs, of which no trace can be shown.
    #[error("there is none for runs, and no trace")]
    NoTrace,
}

impl Unproved {
    /// Returns the reason why a search for an answer leaves no proof.
    pub(crate) fn of(answer: &Answer, property: &Property) -> Unproved {
        match (&answer.verdict, property) {
            (_, Property::Bounds { .. }) => Unproved::Kind,
            (Verdict::Unknown(_), _) => Unproved::Unknown,
            _ => Unproved::Trace,
        }
    }
}
