//! Conflict-driven clause learning, with a theory beside it.
//!
//! The search is MiniSat's (Eén and Sörensson 2003): two watched literals, conflicts resolved to the first implication point,
//! assumptions as the first decisions. From Glucose (Audemard and Simon 2009) come restarts and forgetting by the number of
//! levels in a clause; from CaDiCaL (Biere) the way these are averaged, and the phases of search that take turns. The theory
//! hears of every watched variable that gets a value, and answers with a conflict or with what follows.

mod analyze;
mod average;
mod clauses;
mod heap;
mod literal;
mod mode;
mod propagate;
mod reduce;
mod search;

pub use literal::Literal;
pub use search::Verdict;

use clauses::{ClauseId, Clauses};
use heap::Heap;
use mode::Mode;

/// What a theory says of a literal.
#[derive(Clone, Debug, Default)]
pub struct Implied {
    /// What follows, each with the place in `reasons` where its reasons end.
    pub literals: Vec<(Literal, u32)>,
    /// Literals that hold, one list behind the other.
    pub reasons: Vec<Literal>,
}

impl Implied {
    /// Notes that a literal follows from what was pushed to the reasons since the last time.
    pub fn push(&mut self, literal: Literal) {
        self.literals.push((literal, self.reasons.len() as u32));
    }

    fn clear(&mut self) {
        self.literals.clear();
        self.reasons.clear();
    }
}

/// What each literal is, by its index: positive where it holds, negative where it does not, 0 where it is open.
pub type Values = [i8];

/// Knows what atoms mean.
pub trait Theory {
    /// A watched literal holds now. Where it contradicts what held before, the literals that can't hold together (this one
    /// among them) are the reasons, and the answer is `false`. Otherwise whatever follows is put in `implied`.
    fn assert(&mut self, literal: Literal, values: &Values, implied: &mut Implied) -> bool;

    /// All that holds has been told. Where it can't hold together, literals that can't are pushed, and the answer is `false`.
    fn check(&mut self, conflict: &mut Vec<Literal>) -> bool;

    /// What a watched variable is best tried as, if the theory has an opinion.
    fn phase(&self, variable: u32) -> Option<bool>;

    /// Only the first literals that were told hold still.
    fn retract(&mut self, keep: usize);
}

/// Why a variable has its value.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// It was decided, or is a fact.
    None,
    /// This other literal is false.
    Binary(Literal),
    /// All others of this clause are false.
    Clause(ClauseId),
    /// The theory: a range of the explanations.
    Theory(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Watch {
    /// Another literal of the clause: where it holds there is nothing to do.
    blocker: Literal,
    /// Where the clause lies, or [`BINARY`] where the blocker is the rest of it.
    clause: ClauseId,
}

/// In place of a clause of two literals, which lies only in the watches.
const BINARY: ClauseId = ClauseId(u32::MAX);

/// What there was when a decision was made.
#[derive(Clone, Copy, Debug)]
struct Mark {
    trail: usize,
    told: usize,
    explanations: usize,
}

#[derive(Clone, Copy, Debug)]
struct Assigned {
    level: u32,
    reason: Reason,
}

/// How much a solver has and how much it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Boolean variables, those for parts of formulas and for atoms included.
    pub variables: usize,
    /// Clauses of three literals and more, those that were learnt left out.
    pub clauses: usize,
    /// How often values contradicted each other.
    pub conflicts: u64,
    /// How often a value was tried.
    pub decisions: u64,
}

/// Clauses and the search for values that satisfy them.
#[derive(Clone, Debug)]
pub struct Sat<T> {
    theory: T,
    /// Whether the theory wants to hear of a variable.
    watched: Vec<bool>,
    values: Vec<i8>,
    assigned: Vec<Assigned>,
    trail: Vec<Literal>,
    marks: Vec<Mark>,
    /// Up to here the clauses have been looked at.
    head: usize,
    /// Up to here the theory has been told.
    theory_head: usize,
    told: usize,
    explanations: Vec<Literal>,
    implied: Implied,
    clauses: Clauses,
    originals: Vec<ClauseId>,
    learnts: Vec<ClauseId>,
    watches: Vec<Vec<Watch>>,
    heap: Heap,
    phases: Vec<bool>,
    /// Whether no contradiction was found without assumptions.
    consistent: bool,
    core: Vec<Literal>,
    conflict: Vec<Literal>,
    learnt: Vec<Literal>,
    seen: Vec<u8>,
    to_clear: Vec<Literal>,
    stack: Vec<(Literal, u32)>,
    level_stamps: Vec<u64>,
    stamp: u64,
    conflicts: u64,
    decisions: u64,
    mode: Mode,
    /// What variables were in the largest part of a solution that was seen, and how large it was.
    target: Vec<i8>,
    best: usize,
    next_reduce: u64,
    reductions: u64,
    /// How many facts there were when clauses were last looked at.
    simplified: usize,
    /// How many watches were looked at, ever and until then.
    work: u64,
    simplified_at: u64,
}

impl<T: Theory> Sat<T> {
    /// No clauses yet.
    pub fn new(theory: T) -> Sat<T> {
        Sat {
            theory,
            watched: Vec::new(),
            values: Vec::new(),
            assigned: Vec::new(),
            trail: Vec::new(),
            marks: Vec::new(),
            head: 0,
            theory_head: 0,
            told: 0,
            explanations: Vec::new(),
            implied: Implied::default(),
            clauses: Clauses::default(),
            originals: Vec::new(),
            learnts: Vec::new(),
            watches: Vec::new(),
            heap: Heap::default(),
            phases: Vec::new(),
            consistent: true,
            core: Vec::new(),
            conflict: Vec::new(),
            learnt: Vec::new(),
            seen: Vec::new(),
            to_clear: Vec::new(),
            stack: Vec::new(),
            level_stamps: vec![0],
            stamp: 0,
            conflicts: 0,
            decisions: 0,
            mode: Mode::default(),
            target: Vec::new(),
            best: 0,
            next_reduce: 2000,
            reductions: 0,
            simplified: 0,
            work: 0,
            simplified_at: 0,
        }
    }

    /// A new variable; `watched` where the theory is to hear of it.
    pub fn variable(&mut self, watched: bool) -> u32 {
        let variable = self.assigned.len() as u32;
        self.watched.push(watched);
        self.values.extend([0, 0]);
        self.assigned.push(Assigned { level: 0, reason: Reason::None });
        self.watches.extend([Vec::new(), Vec::new()]);
        self.phases.push(false);
        self.target.push(0);
        self.seen.push(0);
        self.level_stamps.push(0);
        self.heap.grow();
        variable
    }

    /// The theory.
    pub fn theory(&self) -> &T {
        &self.theory
    }

    /// The theory, to be told of new atoms. Nothing but facts holds while it is.
    pub fn theory_mut(&mut self) -> &mut T {
        self.cancel(0);
        &mut self.theory
    }

    /// Adds a clause for good.
    pub fn clause(&mut self, literals: impl IntoIterator<Item = Literal>) {
        if !self.consistent {
            return;
        }
        self.cancel(0);
        let mut list = std::mem::take(&mut self.learnt);
        list.clear();
        list.extend(literals);
        list.sort_unstable();
        list.dedup();
        let holds = list.iter().any(|l| self.value(*l) > 0) || list.windows(2).any(|w| w[0] == !w[1]);
        if !holds {
            list.retain(|l| self.value(*l) == 0);
            match list.as_slice() {
                [] => self.consistent = false,
                [only] => self.enqueue(*only, Reason::None),
                [a, b] => self.attach_binary(*a, *b),
                _ => {
                    let id = self.clauses.add(&list, false, 0);
                    self.originals.push(id);
                    self.attach(id);
                }
            }
        }
        self.learnt = list;
    }

    fn attach_binary(&mut self, a: Literal, b: Literal) {
        self.watches[(!a).index()].push(Watch { blocker: b, clause: BINARY });
        self.watches[(!b).index()].push(Watch { blocker: a, clause: BINARY });
    }

    fn attach(&mut self, id: ClauseId) {
        let (a, b) = (self.clauses.literal(id, 0), self.clauses.literal(id, 1));
        self.watches[(!a).index()].push(Watch { blocker: b, clause: id });
        self.watches[(!b).index()].push(Watch { blocker: a, clause: id });
    }

    #[inline]
    fn value(&self, literal: Literal) -> i8 {
        self.values[literal.index()]
    }

    fn level(&self) -> u32 {
        self.marks.len() as u32
    }

    #[inline]
    fn enqueue(&mut self, literal: Literal, reason: Reason) {
        self.values[literal.index()] = 1;
        self.values[(!literal).index()] = -1;
        let level = self.level();
        self.assigned[literal.variable()] = Assigned { level, reason };
        self.trail.push(literal);
    }

    fn decide(&mut self, literal: Literal) {
        self.decisions += 1;
        self.open_level();
        self.enqueue(literal, Reason::None);
    }

    fn open_level(&mut self) {
        self.marks.push(Mark { trail: self.trail.len(), told: self.told, explanations: self.explanations.len() });
        if self.level_stamps.len() <= self.marks.len() {
            self.level_stamps.push(0);
        }
    }

    /// Takes back all decisions above a level.
    fn cancel(&mut self, level: u32) {
        if self.level() <= level {
            return;
        }
        let mark = self.marks[level as usize];
        self.marks.truncate(level as usize);
        for literal in self.trail.drain(mark.trail..).rev() {
            self.values[literal.index()] = 0;
            self.values[(!literal).index()] = 0;
            self.phases[literal.variable()] = !literal.is_negated();
            self.heap.insert(literal.variable() as u32);
        }
        self.head = self.head.min(mark.trail);
        self.theory_head = self.theory_head.min(mark.trail);
        self.explanations.truncate(mark.explanations);
        if self.told > mark.told {
            self.told = mark.told;
            self.theory.retract(mark.told);
        }
    }

    /// How much there is and how much was done.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            variables: self.assigned.len(),
            clauses: self.originals.len(),
            conflicts: self.conflicts,
            decisions: self.decisions,
        }
    }

    /// Which variables are true, in the solution that was just found.
    pub fn solution(&self) -> impl Iterator<Item = bool> {
        self.values.iter().step_by(2).map(|value| *value > 0)
    }

    /// Behind an unsatisfiable answer: the assumptions that can't hold together.
    pub fn core(&self) -> &[Literal] {
        &self.core
    }
}
