//! Predicate abstraction of parts of the network, as a pattern database.
//!
//! Hoffmann, Smaus, Rybalchenko, Kupferschmid and Podelski, "Using predicate abstraction to generate heuristic functions in
//! UPPAAL", MoChArt 2006. The network is [`split`]; for each part all abstract states are found from which the goal may be reached,
//! backwards ([`regress`]), and a state is looked up among them ([`cells`]). The sum over the parts is the guess. It is safe, and
//! admissible but for transitions of several parts, which each of them counts; if they count for whoever starts them only, it is
//! admissible.

mod cells;
mod integers;
mod predicates;
mod regress;
mod split;

use std::collections::HashMap;

use model::{
    Formula, System,
    symbolic::{Atom, Symbolic},
};
use zone::Bound;

use self::{
    cells::Literals,
    predicates::Predicates,
    regress::{Regress, Space, processes, set},
    split::split,
};
use super::{
    Budget, Depends, Evaluator, Guess, Look, Prepared,
    abstraction::{
        part::{Part, writes},
        steps::Steps,
    },
};

/// Where predicates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From guards, invariants and the goal.
    Syntax,
    /// From spurious errors, in so many rounds.
    Refine(u32),
    /// From spurious errors, in as many rounds as pay.
    Auto,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many processes are in one part at most.
    pub bound: Option<u32>,
    /// Where predicates come from.
    pub source: Source,
    /// Whether a transition of several parts counts for whoever starts it only.
    pub once: bool,
}

/// The distance in a predicate abstraction.
pub struct PredicateAbstraction<'s> {
    settings: Settings,
    parts: Vec<Table<'s>>,
    prepared: Prepared,
}

/// The abstract state space of a part, and what has been looked up in it.
struct Table<'s> {
    steps: Steps<'s>,
    predicates: Predicates,
    processes: Vec<u32>,
    /// Whether nobody is left out.
    is_whole: bool,
    space: Space,
    known: HashMap<(Box<[u16]>, Literals), Option<u32>>,
    places: Vec<u16>,
    literals: Vec<u64>,
}

impl<'s> PredicateAbstraction<'s> {
    /// For a system and a goal.
    #[must_use]
    pub fn new(
        system: &'s System,
        goal: &Formula,
        settings: Settings,
        budget: &Budget<'_>,
    ) -> PredicateAbstraction<'s> {
        let mut symbolic = Symbolic::new(system);
        let writes = writes(system, &mut symbolic);
        let mut made =
            PredicateAbstraction { settings, parts: Vec::new(), prepared: Prepared::default() };
        for processes in split(system, &mut symbolic, settings.bound) {
            let part = Part::new(system, &writes, processes);
            let Some(steps) = Steps::new(system, &mut symbolic, part, goal) else {
                made.prepared.stopped = Some("a part of the network has too many steps");
                continue;
            };
            // A part in which the goal is everywhere says nothing.
            if steps.targets.iter().any(|t| t.conditions.is_empty() && t.clocks.is_empty()) {
                continue;
            }
            let left = Budget { states: budget.states.saturating_sub(made.prepared.states), ..*budget };
            made.add(steps, &left);
        }
        made
    }

    fn add(&mut self, mut steps: Steps<'s>, budget: &Budget<'_>) {
        let predicates = Predicates::of_syntax(&mut steps);
        let space = Regress::new(&mut steps, &predicates, self.settings.once).run(budget);
        let mut table = Table::new(steps, predicates, space);
        let length = table.initial();
        self.prepared.add(Prepared {
            states: table.space.cells.all.len(),
            predicates: table.predicates.len(),
            rounds: 0,
            lengths: vec![length],
            stopped: table.space.stopped,
        });
        self.parts.push(table);
    }
}

impl<'s> Table<'s> {
    fn new(steps: Steps<'s>, predicates: Predicates, space: Space) -> Table<'s> {
        let words = (2 * predicates.len()).div_ceil(64).max(1);
        Table {
            processes: processes(&steps),
            is_whole: steps.part.processes.iter().all(|kept| *kept),
            places: Vec::new(),
            literals: vec![0; words],
            known: HashMap::new(),
            steps,
            predicates,
            space,
        }
    }

    /// Notes where processes are, and which literals may be true.
    fn look(&mut self, row: &[i32], zone: &[Bound]) {
        self.places.clear();
        self.places.extend(self.processes.iter().map(|process| row[*process as usize] as u16));
        self.literals.fill(0);
        let terms = &self.steps.terms;
        let of = |var: u32| row[var as usize];
        for (i, atom) in self.predicates.integers.iter().enumerate() {
            let Atom { cmp, left, right } = *atom;
            match (terms.value(left, &of), terms.value(right, &of)) {
                (Some(left), Some(right)) => set(&mut self.literals, 2 * i + usize::from(!cmp.holds(left, right))),
                _ => {
                    set(&mut self.literals, 2 * i);
                    set(&mut self.literals, 2 * i + 1);
                }
            }
        }
        let (all, clocks) = (self.steps.system.clocks.len(), &self.steps.part.clocks);
        let first = self.predicates.integers.len();
        // If others keep time from passing, they need not do so for long.
        let waits = !self.is_whole
            && !self.processes.iter().any(|process| self.steps.place(*process, row[*process as usize] as u32).is_urgent);
        for (i, d) in self.predicates.clocks.iter().enumerate() {
            let (left, right) = (clocks[d.left as usize] as usize, clocks[d.right as usize] as usize);
            if zone::add(zone[right * all + left], d.bound) >= zone::LE_ZERO {
                set(&mut self.literals, 2 * (first + i));
            }
            if zone[left * all + right] > d.bound || waits && right == 0 {
                set(&mut self.literals, 2 * (first + i) + 1);
            }
        }
    }

    /// The distance of a state; `None`: no way leads to the goal.
    fn distance(&mut self, row: &[i32], zone: &[Bound]) -> Option<u32> {
        self.look(row, zone);
        let key = (self.places.clone().into_boxed_slice(), self.literals.clone().into_boxed_slice());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let cell = self.space.cells.nearest(&self.places, &self.literals);
        let found = cell.map(|cell| self.space.cells.distances[cell as usize]);
        let value = match (found, self.space.floor) {
            (Some(found), Some(floor)) => Some(found.min(floor)),
            (found, floor) => found.or(floor),
        };
        self.known.insert(key, value);
        value
    }

    /// The distance of the initial state.
    fn initial(&mut self) -> Option<u32> {
        let system = self.steps.system;
        let dim = system.clocks.len();
        let mut zone = vec![0; dim * dim];
        zone::zero(&mut zone, dim);
        for (clock, own) in system.clocks.iter().enumerate().skip(1) {
            zone::reset(&mut zone, dim, clock, own.initial);
        }
        // Whether time may pass does not matter much here.
        zone::delay(&mut zone, dim);
        self.distance(&system.initial, &zone)
    }
}

impl Evaluator for PredicateAbstraction<'_> {
    fn evaluate(&mut self, state: Look<'_>) -> Option<Guess> {
        let mut sum = 0_u32;
        for part in &mut self.parts {
            sum = sum.saturating_add(part.distance(state.row, state.zone)?);
        }
        Some(Guess::from(sum))
    }
    fn is_safe(&self) -> bool {
        true
    }
    fn is_admissible(&self) -> bool {
        self.settings.once || self.parts.len() < 2
    }
    fn depends(&self) -> Depends {
        let clocks = self.parts.iter().any(|part| !part.predicates.clocks.is_empty());
        if clocks { Depends::Zone } else { Depends::Row }
    }
    fn prepared(&self) -> Option<Prepared> {
        Some(self.prepared.clone())
    }
}
