//! CDCL(T): conflict-driven clause learning with a theory.
//!
//! The search is MiniSat's (Eén and Sörensson 2003): two watched literals, first unique implication
//! points, assumptions as the first decisions. Restarts and clause deletion by the number of levels
//! (LBD) are from Glucose (Audemard and Simon 2009); moving averages and the alternation of two
//! modes are from CaDiCaL (Biere). The theory is notified of each assigned theory atom, and returns
//! a conflict or consequences.

mod analyze;
mod average;
mod clauses;
mod heap;
mod literal;
mod mode;
mod proof;
mod propagate;
mod reduce;
mod search;

pub(crate) use literal::Literal;
pub(crate) use proof::{Origin, ResolutionProof, Side};
pub(crate) use search::SearchResult;

use clauses::{ClauseId, Clauses};
use heap::Heap;
use mode::Mode;

/// The consequences of a literal in the theory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Implied {
    /// Implied literals, each with the end of its reasons in `reasons`.
    pub literals: Vec<(Literal, u32)>,
    /// Asserted literals, the concatenation of all reasons.
    pub reasons: Vec<Literal>,
}

impl Implied {
    /// Adds a literal that is implied by the reasons pushed since the last call.
    pub(crate) fn push(&mut self, literal: Literal) {
        self.literals.push((literal, self.reasons.len() as u32));
    }

    fn clear(&mut self) {
        self.literals.clear();
        self.reasons.clear();
    }
}

/// TruthValues of literals by index: positive for true, negative for false, 0 for unassigned.
pub(crate) type TruthValues = [i8];

/// A theory that decides conjunctions of atoms.
pub(crate) trait Theory {
    /// Asserts a theory literal. If it contradicts earlier ones, stores an inconsistent set of
    /// literals, which contains this one, in the reasons and returns `false`. Otherwise adds its
    /// consequences to `implied`.
    fn assert(&mut self, literal: Literal, values: &TruthValues, implied: &mut Implied) -> bool;

    /// Checks all asserted literals for consistency. If they are inconsistent, pushes an
    /// inconsistent subset. `stop` is called now and then.
    fn check(&mut self, conflict: &mut Vec<Literal>, stop: &dyn Fn() -> bool) -> Consistency;

    /// Returns the preferred value of a theory variable, if there is one.
    fn phase(&self, variable: u32) -> Option<bool>;

    /// Keeps only the first `keep` asserted literals.
    fn retract(&mut self, keep: usize);
}

/// The result of a check by a theory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consistency {
    /// The literals can hold together.
    Consistent,
    /// They can't.
    Inconsistent,
    /// The check was interrupted; another one continues it.
    Stopped,
}

/// The reason of an assignment.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// A decision or a fact.
    None,
    /// A binary clause whose other literal is this one.
    Binary(Literal),
    /// A clause whose other literals are false.
    Clause(ClauseId),
    /// A theory explanation, as a range of `explanations`.
    Theory(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Watcher {
    /// Another literal of the clause: if it is true, the clause need not be visited.
    blocker: Literal,
    /// The clause, or [`BINARY`] if the blocker is its only other literal.
    clause: ClauseId,
}

/// Marks a binary clause, which is stored only in the watch lists.
const BINARY: ClauseId = ClauseId(u32::MAX);

/// The sizes of the stacks at a decision.
#[derive(Clone, Copy, Debug)]
struct DecisionMark {
    trail: usize,
    asserted: usize,
    explanations: usize,
}

#[derive(Clone, Copy, Debug)]
struct Assigned {
    level: u32,
    reason: Reason,
}

/// Statistics of a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of Boolean variables, including those for subformulas and atoms.
    pub variables: usize,
    /// The number of clauses with at least three literals, without learnt ones.
    pub clauses: usize,
    /// The number of conflicts.
    pub conflicts: u64,
    /// The number of decisions.
    pub decisions: u64,
}

/// A CDCL solver with a theory.
#[derive(Clone, Debug)]
pub(crate) struct Sat<T> {
    theory: T,
    /// Whether a variable is a theory atom.
    is_atom: Vec<bool>,
    values: Vec<i8>,
    assigned: Vec<Assigned>,
    trail: Vec<Literal>,
    marks: Vec<DecisionMark>,
    /// The number of literals on the trail that clauses have propagated.
    head: usize,
    /// The number of literals on the trail that the theory has seen.
    theory_head: usize,
    asserted: usize,
    explanations: Vec<Literal>,
    implied: Implied,
    clauses: Clauses,
    originals: Vec<ClauseId>,
    learnts: Vec<ClauseId>,
    watches: Vec<Vec<Watcher>>,
    heap: Heap,
    phases: Vec<bool>,
    /// Whether no contradiction was found without assumptions.
    consistent: bool,
    /// Whether the search is to be given up.
    stopped: bool,
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
    /// The longest assignment without conflict since the last mode switch, and its size.
    target: Vec<i8>,
    best: usize,
    next_reduce: u64,
    reductions: u64,
    /// The number of facts at the last simplification.
    simplified: usize,
    /// The number of visited watches, in total and at the last simplification.
    work: u64,
    simplified_at: u64,
    /// The proof, if one is recorded, and the side of the next clauses.
    proof: Option<Box<ResolutionProof>>,
    side: Side,
}

impl<T: Theory> Sat<T> {
    /// Creates a solver without clauses.
    pub(crate) fn new(theory: T) -> Sat<T> {
        Sat {
            theory,
            is_atom: Vec::new(),
            values: Vec::new(),
            assigned: Vec::new(),
            trail: Vec::new(),
            marks: Vec::new(),
            head: 0,
            theory_head: 0,
            asserted: 0,
            explanations: Vec::new(),
            implied: Implied::default(),
            clauses: Clauses::default(),
            originals: Vec::new(),
            learnts: Vec::new(),
            watches: Vec::new(),
            heap: Heap::default(),
            phases: Vec::new(),
            consistent: true,
            stopped: false,
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
            proof: None,
            side: Side::A,
        }
    }

    /// Creates a variable; `is_atom` if the theory is notified of it.
    pub(crate) fn variable(&mut self, is_atom: bool) -> u32 {
        let variable = self.assigned.len() as u32;
        self.is_atom.push(is_atom);
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

    /// Returns the theory.
    pub(crate) fn theory(&self) -> &T {
        &self.theory
    }

    /// Returns the theory to introduce atoms. Backtracks to the facts first.
    pub(crate) fn theory_mut(&mut self) -> &mut T {
        self.backtrack(0);
        &mut self.theory
    }

    /// Adds a clause permanently.
    pub(crate) fn clause(&mut self, literals: impl IntoIterator<Item = Literal>) {
        self.add_clause(literals, Origin::Input(self.side));
    }

    /// Adds a clause that follows from the theory.
    pub(crate) fn theory_clause(&mut self, literals: impl IntoIterator<Item = Literal>) {
        self.add_clause(literals, Origin::Theory);
    }

    fn add_clause(&mut self, literals: impl IntoIterator<Item = Literal>, origin: Origin) {
        if !self.consistent {
            return;
        }
        self.backtrack(0);
        let mut list = std::mem::take(&mut self.learnt);
        list.clear();
        list.extend(literals);
        list.sort_unstable();
        list.dedup();
        let holds = list.iter().any(|l| self.value(*l) > 0) || list.windows(2).any(|w| w[0] == !w[1]);
        if !holds {
            if let Some(proof) = &mut self.proof {
                proof.add(&list, origin);
            }
            if list.iter().any(|l| self.value(*l) != 0) {
                let all = list.clone();
                list.retain(|l| self.value(*l) == 0);
                self.derive(&all, &list);
            }
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
        self.watches[(!a).index()].push(Watcher { blocker: b, clause: BINARY });
        self.watches[(!b).index()].push(Watcher { blocker: a, clause: BINARY });
    }

    fn attach(&mut self, id: ClauseId) {
        let (a, b) = (self.clauses.literal(id, 0), self.clauses.literal(id, 1));
        self.watches[(!a).index()].push(Watcher { blocker: b, clause: id });
        self.watches[(!b).index()].push(Watcher { blocker: a, clause: id });
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
        self.marks.push(DecisionMark {
            trail: self.trail.len(),
            asserted: self.asserted,
            explanations: self.explanations.len(),
        });
        if self.level_stamps.len() <= self.marks.len() {
            self.level_stamps.push(0);
        }
    }

    /// Backtracks to a level.
    fn backtrack(&mut self, level: u32) {
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
        if self.asserted > mark.asserted {
            self.asserted = mark.asserted;
            self.theory.retract(mark.asserted);
        }
    }

    /// Returns the statistics.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            variables: self.assigned.len(),
            clauses: self.originals.len(),
            conflicts: self.conflicts,
            decisions: self.decisions,
        }
    }

    /// Returns the values of the variables in the last solution.
    pub(crate) fn solution(&self) -> impl Iterator<Item = bool> {
        self.values.iter().step_by(2).map(|value| *value > 0)
    }

    /// Returns the assumptions of the unsatisfiable core after an unsatisfiable answer.
    pub(crate) fn core(&self) -> &[Literal] {
        &self.core
    }
}
