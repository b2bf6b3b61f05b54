//! The effect of transitions: the successor state.

use model::{
    code::Pc,
    system::{EdgeId, ProcessId, Sync},
};
use smt::{Real, Term, Terms, UpperBound};

use super::{Demands, Encoder, Frame, SymbolicTransition, frame::number};
use crate::{
    EncodingError,
    code::ClockValue,
    guarded::{GuardedValue, Integer},
};

/// The variables and clocks between two updates of a transition. Clocks are relative to their
/// values before it.
#[derive(Clone)]
pub(super) struct SymbolicValuation {
    pub row: Vec<Integer>,
    pub clocks: Vec<ClockValue>,
}

impl Encoder<'_> {
    /// Returns the successor of a transition that is taken at `then`. Faults of updates go to
    /// `step`, constraints of the successor to `demands`.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    pub(super) fn successor(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        (then, name): (Real, &str),
        (step, demands): (&mut Demands, &mut Demands),
    ) -> Result<Frame, EncodingError> {
        let after = self.after_updates(terms, frame, taken, then, step)?;
        let mut row = Vec::new();
        for (slot, value) in after.row.iter().enumerate() {
            if *value == frame.row[slot] {
                row.push(value.clone());
                continue;
            }
            let domain = &self.domains[slot];
            let values: Vec<i32> = value.values().iter().map(|(v, _)| *v).filter(|v| domain.contains(v)).collect();
            let name = self.slot_name(slot, name);
            row.push(number(terms, &name, &values, &mut demands.all));
        }
        let mut zeros = vec![Real::ZERO];
        for (x, value) in after.clocks.iter().enumerate().skip(1) {
            zeros.push(match value.only() {
                Some((y, 0)) if y == x as u32 => frame.zeros[x],
                Some((y, 0)) => frame.moment(y, then),
                _ => terms.real(format!("{}@{name}", self.system.clocks[x].name)),
            });
        }
        let next = Frame { row, zeros, now: then };
        self.link(terms, (frame, then), &after, &next, (step, demands));
        self.require_invariants(terms, &next, then, demands)?;
        Ok(next)
    }

    /// Requires that a state is the successor of a transition that is taken at `then`, without its
    /// invariants. Faults of updates go to `step`, constraints of the successor to `demands`.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    pub(super) fn require_updates(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        (then, next): (Real, &Frame),
        (step, demands): (&mut Demands, &mut Demands),
    ) -> Result<(), EncodingError> {
        let after = self.after_updates(terms, frame, taken, then, step)?;
        demands.all.push(terms.equal(next.now, then));
        self.link(terms, (frame, then), &after, next, (step, demands));
        Ok(())
    }

    /// Requires that the variables and clocks of a state have the values after the updates.
    fn link(
        &self,
        terms: &mut Terms,
        (frame, then): (&Frame, Real),
        after: &SymbolicValuation,
        next: &Frame,
        (step, demands): (&mut Demands, &mut Demands),
    ) {
        for (value, own) in after.row.iter().zip(&next.row) {
            if value == own {
                continue;
            }
            for (v, term) in value.values() {
                if own.values().iter().any(|(w, _)| w == v) {
                    demands.all.push(terms.implies(*term, own.is(*v)));
                } else {
                    // A value outside of the domain never occurs without an error.
                    step.faults.push(*term);
                }
            }
        }
        for (x, value) in after.clocks.iter().enumerate().skip(1) {
            for ((y, plus), term) in value.values() {
                // x becomes y plus a number: it was zero that much earlier than y.
                let from = frame.moment(*y, then);
                let low = terms.difference(next.zeros[x], from, UpperBound::at_most(-plus));
                let high = terms.difference(from, next.zeros[x], UpperBound::at_most(*plus));
                let both = terms.and([low, high]);
                demands.all.push(terms.implies(*term, both));
            }
        }
    }

    /// Encodes the updates of a transition.
    pub(super) fn after_updates(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        then: Real,
        demands: &mut Demands,
    ) -> Result<SymbolicValuation, EncodingError> {
        let system = self.system;
        let clocks = (0..system.clocks.len() as u32).map(|x| ClockValue::known((x, 0))).collect();
        let mut valuation = SymbolicValuation { row: frame.row.clone(), clocks };
        let mut run = |terms: &mut Terms, updates: &[(Term, Pc)], valuation: &mut SymbolicValuation| {
            self.run(terms, updates, valuation, (frame, then), demands)
        };
        if let Some(pc) = system.before_update {
            run(terms, &[(Term::TRUE, pc)], &mut valuation)?;
        }
        let update = |(e, edge): (usize, &model::system::Edge)| match taken.edges[e] {
            Term::FALSE => None,
            when => edge.update.map(|pc| (when, pc)),
        };
        // The sender comes first, then the receivers in the order of their processes.
        let receives = |e: &model::system::Edge| matches!(e.sync, Sync::Receive(_));
        let initiates = |e: &model::system::Edge| matches!(e.sync, Sync::Internal | Sync::Send(_));
        let first: Vec<(Term, Pc)> =
            system.edges.iter().enumerate().filter(|(_, e)| initiates(e)).filter_map(update).collect();
        run(terms, &first, &mut valuation)?;
        for process in 0..system.processes.len() as u32 {
            self.check_stop()?;
            let own = system.edges.iter().enumerate().filter(|(_, e)| receives(e) && e.process == ProcessId(process));
            let own: Vec<(Term, Pc)> = own.filter_map(update).collect();
            run(terms, &own, &mut valuation)?;
        }
        // The participants of a synchronisation vector come in its order.
        for position in 0..system.vectors.iter().map(|v| v.participants.len()).max().unwrap_or(0) {
            let mut own = Vec::new();
            for (vector, call) in system.vectors.iter().zip(&taken.vectors) {
                let Some(p) = vector.participants.get(position).filter(|_| *call != Term::FALSE) else { continue };
                for e in self.edges_with(p.process, p.event) {
                    if let Some((when, pc)) = update((e.0 as usize, &system.edges[e.0 as usize])) {
                        own.push((terms.and([when, *call]), pc));
                    }
                }
            }
            run(terms, &own, &mut valuation)?;
        }
        if let Some(pc) = system.after_update {
            run(terms, &[(Term::TRUE, pc)], &mut valuation)?;
        }
        self.move_processes(terms, frame, taken, &mut valuation)?;
        Ok(valuation)
    }

    /// Sets the locations of the processes that take an edge.
    fn move_processes(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        valuation: &mut SymbolicValuation,
    ) -> Result<(), EncodingError> {
        for (p, process) in self.system.processes.iter().enumerate() {
            self.check_stop()?;
            let edges = || (0..).map(EdgeId).zip(&self.system.edges).filter(|(_, e)| e.process.0 as usize == p);
            let moves = terms.or(edges().map(|(e, _)| taken.edges[e.0 as usize]).collect::<Vec<Term>>());
            let target = |l: model::system::LocationId| (l.0 - process.first_location.0) as i32;
            let mut values: Vec<(i32, Term)> =
                edges().map(|(e, edge)| (target(edge.target), taken.edges[e.0 as usize])).collect();
            for (value, term) in frame.row[p].values() {
                values.push((*value, terms.and([*term, !moves])));
            }
            if moves != Term::FALSE {
                valuation.row[p] = GuardedValue::collect(terms, values);
            }
        }
        Ok(())
    }

    /// Encodes updates of which at most one is executed.
    fn run(
        &self,
        terms: &mut Terms,
        updates: &[(Term, Pc)],
        valuation: &mut SymbolicValuation,
        (frame, then): (&Frame, Real),
        demands: &mut Demands,
    ) -> Result<(), EncodingError> {
        // Each of them starts from the same valuation.
        let mut effects = Vec::with_capacity(updates.len());
        for &(when, pc) in updates {
            let row = |slot: u32| valuation.row[slot as usize].clone();
            let clocks = |x: u32| valuation.clocks[x as usize].clone();
            effects.push((when, self.code.update(terms, pc, &row, &clocks, when)?));
        }
        for (when, effect) in effects {
            demands.faults.push(effect.fault);
            for (slot, value) in effect.row {
                let old = &valuation.row[slot as usize];
                valuation.row[slot as usize] = GuardedValue::either(terms, when, &value, old);
            }
            for (x, value) in effect.clocks {
                let old = &valuation.clocks[x as usize];
                valuation.clocks[x as usize] = GuardedValue::either(terms, when, &value, old);
            }
            for (here, (x, plus)) in effect.copies {
                // The present minus the moment of x, plus the number, is negative.
                let negative = terms.difference(then, frame.moment(x, then), UpperBound::below(-plus));
                demands.faults.push(terms.and([here, negative]));
            }
        }
        Ok(())
    }
}
