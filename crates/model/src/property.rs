//! Properties: the formulas and quantities of queries.

use std::sync::Arc;

use crate::{
    code::{Cmp, Op, Pc, Predicate, Region, Segment},
    system::{ClockConstraint, ClockTerm, Operand, System},
};

/// A condition on states in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// Holds in every state.
    True,
    /// Holds in no state.
    False,
    /// A condition on the row.
    Condition(Pc),
    /// A constraint on clocks.
    Clock(ClockConstraint),
    /// The state is a deadlock: no transition is possible, now or after a delay. If negated, one
    /// is.
    Deadlock {
        /// Whether a transition must be possible.
        negated: bool,
    },
    /// The same for a net with intervals on places, in which no transition ever fires, whichever
    /// tokens become available: that is no transition of the net, although it is one of its
    /// automata.
    NetDeadlock {
        /// Whether a transition must be able to fire.
        negated: bool,
        /// The states in which that is so.
        states: Box<Formula>,
    },
    /// Holds where all of them hold.
    And(Vec<Formula>),
    /// Holds where one of them holds.
    Or(Vec<Formula>),
}

impl Formula {
    /// Returns the conjunction or disjunction of formulas, simplified.
    #[must_use]
    pub fn join(and: bool, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let (unit, zero) = if and { (Formula::True, Formula::False) } else { (Formula::False, Formula::True) };
        let mut list = Vec::new();
        for part in parts {
            match part {
                part if part == zero => return zero,
                part if part == unit => {}
                Formula::And(inner) if and => list.extend(inner),
                Formula::Or(inner) if !and => list.extend(inner),
                part => list.push(part),
            }
        }
        match (list.len(), and) {
            (0, _) => unit,
            (1, _) => list.swap_remove(0),
            (_, true) => Formula::And(list),
            (_, false) => Formula::Or(list),
        }
    }

    /// Returns the formulas that it is made of.
    #[must_use]
    pub fn parts(&self) -> &[Formula] {
        match self {
            Formula::And(parts) | Formula::Or(parts) => parts,
            Formula::NetDeadlock { states, .. } => std::slice::from_ref(states),
            Formula::True | Formula::False | Formula::Condition(_) | Formula::Clock(_) | Formula::Deadlock { .. } => {
                &[]
            }
        }
    }

    /// Returns the formula with deadlocks of nets by name, for those who know the net.
    #[must_use]
    pub fn of_net(&self) -> Formula {
        let all = |parts: &[Formula]| parts.iter().map(Formula::of_net).collect();
        match self {
            Formula::NetDeadlock { negated, .. } => Formula::Deadlock { negated: *negated },
            Formula::And(parts) => Formula::And(all(parts)),
            Formula::Or(parts) => Formula::Or(all(parts)),
            other => other.clone(),
        }
    }

    /// Adds its code to a list.
    pub(crate) fn code(&self, out: &mut Vec<Pc>) {
        match self {
            Formula::Condition(pc) => out.push(*pc),
            Formula::Clock(c) => out.extend(c.code()),
            _ => self.parts().iter().for_each(|part| part.code(out)),
        }
    }
}

/// The bounds that a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Extremum {
    Sup,
    Inf,
    Both,
}

/// A quantity that has bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The value of a clock.
    Clock(ClockTerm),
    /// An integer.
    Integer(Pc),
}

/// The property of a query, for a system that has its code: what is looked for, and what it means
/// to find it. Kinds of queries that ask for the same differ in how they are written only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// Asks for a reachable state.
    State {
        /// The states that are looked for.
        goal: Formula,
        /// Whether such a state satisfies the query (`E<>`); else it violates it (`A[]`).
        exists: bool,
    },
    /// Asks for a maximal run.
    Run {
        /// Where the run begins, among reachable states; `None`: in the initial state.
        after: Option<Formula>,
        /// What holds in all its states.
        always: Formula,
        /// Whether such a run satisfies the query (`E[]`); else it violates it (`A<>`, `-->`).
        exists: bool,
    },
    /// `sup{p}: list`, `inf{p}: list`, `bounds{p}: list`
    Bounds {
        /// The bounds.
        extremum: Extremum,
        /// The states over which the bounds range.
        predicate: Formula,
        /// The quantities.
        quantities: Vec<Quantity>,
    },
}

impl Property {
    /// `E<> p`
    #[must_use]
    pub fn possibly(p: Formula) -> Property {
        Property::State { goal: p, exists: true }
    }

    /// `A[] p`, of the negation of `p`.
    pub(crate) fn invariantly(not_p: Formula) -> Property {
        Property::State { goal: not_p, exists: false }
    }

    /// `E[] p`
    #[must_use]
    pub fn potentially_always(p: Formula) -> Property {
        Property::Run { after: None, always: p, exists: true }
    }

    /// `A<> p`, of the negation of `p`.
    #[must_use]
    pub fn eventually(not_p: Formula) -> Property {
        Property::Run { after: None, always: not_p, exists: false }
    }

    /// `p --> q`, of `p` and the negation of `q`.
    #[must_use]
    pub fn leads_to(p: Formula, not_q: Formula) -> Property {
        Property::Run { after: Some(p), always: not_q, exists: false }
    }

    /// Returns its formulas.
    #[must_use]
    pub fn formulas(&self) -> Vec<&Formula> {
        match self {
            Property::State { goal, .. } => vec![goal],
            Property::Run { after, always, .. } => after.iter().chain([always]).collect(),
            Property::Bounds { predicate, .. } => vec![predicate],
        }
    }

    /// Returns the code of its formulas and quantities.
    #[must_use]
    pub fn code(&self) -> Vec<Pc> {
        let mut code = Vec::new();
        self.formulas().into_iter().for_each(|formula| formula.code(&mut code));
        if let Property::Bounds { quantities, .. } = self {
            code.extend(quantities.iter().filter_map(|quantity| match quantity {
                Quantity::Integer(pc) | Quantity::Clock(ClockTerm::Element { pc, .. }) => Some(*pc),
                Quantity::Clock(ClockTerm::Clock(_)) => None,
            }));
        }
        code
    }
}

/// A query with its code and its effect on symmetry and order. It is evaluated on a system that is
/// extended by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredQuery {
    /// The property; its code follows that of the model.
    pub(crate) property: Property,
    pub(crate) segment: Arc<Segment>,
    /// The numbers of the scalar sets whose members it distinguishes.
    pub(crate) broken: Vec<u32>,
    /// Those of its conditions, bounds and quantities that are not known to be monotone.
    pub(crate) non_monotone: Vec<Pc>,
}

impl System {
    /// Creates a query for states that satisfy a predicate of the user: whether there is one
    /// (`E<>`), or none (`A[] not`). The predicate distinguishes all elements and all members of
    /// scalar sets.
    #[must_use]
    pub fn query_of(&self, predicate: Predicate, exists: bool) -> LoweredQuery {
        let mut segment = Segment::default();
        let to = Region::Scratch.at(self.code.base().scratch);
        segment.scratch = 1;
        let zero = Region::Constants.at(self.code.base().constants.len() as u32);
        segment.constants.push(0);
        segment.predicates.push(predicate);
        segment.ops = vec![
            Op::Ask { predicate: 0, to },
            Op::JumpIf { cmp: Cmp::Eq, a: to, b: zero, by: 1 },
            Op::Answer { truth: true },
            Op::Answer { truth: false },
        ];
        let pc = Pc(self.code.base().ops.len() as u32);
        LoweredQuery {
            property: Property::State { goal: Formula::Condition(pc), exists },
            segment: Arc::new(self.code.linked(segment)),
            broken: self.symmetry.sets.iter().map(|set| set.number).collect(),
            non_monotone: vec![pc],
        }
    }

    /// Extends the system by the code of queries. Returns it with their properties. It keeps the
    /// symmetries that none of the queries breaks.
    ///
    /// A system that was extended before can be extended again; earlier code keeps its position.
    #[must_use]
    pub fn with_all(&self, queries: &[&LoweredQuery]) -> (System, Vec<Property>) {
        let mut system = self.clone();
        let base = system.code.base().ops.len() as u32;
        let segments: Vec<&Arc<Segment>> = queries.iter().map(|query| &query.segment).collect();
        let mut properties = Vec::new();
        for (query, shift) in queries.iter().zip(system.code.append(&segments)) {
            let moved = |pc: &mut Pc| pc.0 += if pc.0 >= base { shift } else { 0 };
            let mut property = query.property.clone();
            property.for_each_code(&moved);
            properties.push(property);
            let mut non_monotone = query.non_monotone.clone();
            non_monotone.iter_mut().for_each(moved);
            system.non_monotone_goals.extend(non_monotone);
            for set in &query.broken {
                if system.symmetry.sets.iter().any(|own| own.number == *set) {
                    system.symmetry = Arc::new(system.symmetry.without(*set));
                }
            }
        }
        (system, properties)
    }

    /// Extends the system by the code of one query.
    #[must_use]
    pub fn with(&self, query: &LoweredQuery) -> (System, Property) {
        let (system, mut properties) = self.with_all(&[query]);
        // There is one property for each query.
        (system, properties.swap_remove(0))
    }
}

impl Property {
    fn for_each_code(&mut self, visit: &impl Fn(&mut Pc)) {
        match self {
            Property::State { goal, .. } => goal.for_each_code(visit),
            Property::Run { after, always, .. } => {
                after.iter_mut().chain([always]).for_each(|formula| formula.for_each_code(visit));
            }
            Property::Bounds { predicate, quantities, .. } => {
                predicate.for_each_code(visit);
                for quantity in quantities {
                    match quantity {
                        Quantity::Clock(term) => term.for_each_code(visit),
                        Quantity::Integer(pc) => visit(pc),
                    }
                }
            }
        }
    }
}

impl Formula {
    fn for_each_code(&mut self, visit: &impl Fn(&mut Pc)) {
        match self {
            Formula::Condition(pc) => visit(pc),
            Formula::Clock(c) => {
                c.condition.iter_mut().for_each(visit);
                c.left.for_each_code(visit);
                c.right.for_each_code(visit);
                if let Operand::Code { pc, .. } = &mut c.bound {
                    visit(pc);
                }
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter_mut().for_each(|part| syntax::grow(|| part.for_each_code(visit)));
            }
            Formula::NetDeadlock { states, .. } => states.for_each_code(visit),
            Formula::True | Formula::False | Formula::Deadlock { .. } => {}
        }
    }
}

impl ClockTerm {
    fn for_each_code(&mut self, visit: &impl Fn(&mut Pc)) {
        if let ClockTerm::Element { pc, .. } = self {
            visit(pc);
        }
    }
}
