//! The least and greatest values of integers.

use std::cmp::Reverse;

use explore::{
    bounds::ClockBounds,
    goal::witness,
    graph::{RunError, ZoneGraph},
    merging::Merging,
    transitions::SymbolicTrace,
};
use model::{Quantity, code::Pc, machine::Machine};
use zone::Bound;

use super::{
    ExtremeSearch, Limit, Range,
    peak::{Peak, Values},
};
use crate::{
    Plan, Reason,
    task::{Subject, Task},
};

impl<B: Bound> ExtremeSearch<'_, B> {
    /// The greatest value of an integer, or the least one, where states are joined: the goal is a
    /// value above all that real runs were found to have. A goal that is out of reach undoes a
    /// join, another one raises the value.
    pub(super) fn climb(&mut self, pc: Pc, up: bool) -> Result<Option<Limit>, Reason> {
        let (system, predicate) = (self.system, self.predicate);
        let bounds = ClockBounds::<B>::new(system, self.property);
        let plan = self.plan.clone();
        let best = Peak::<i32>::of_integers();
        let known = || best.get();
        let above = |value: i32| known().is_none_or(|best| if up { value > best } else { value < best });
        let measure = |machine: &mut Machine<'_>, row: &[i32]| {
            machine.load(row);
            machine.value(pc).map_err(|fault| RunError { fault, edges: Vec::new() })
        };
        let beats = || {
            let mut machine = Machine::new(&system.code, system.initial.len());
            move |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
                let part = witness(graph, predicate, row, zone)?;
                Ok(if part.is_some() && above(measure(&mut machine, row)?) { part } else { None })
            }
        };
        let mut machine = Machine::new(&system.code, system.initial.len());
        let raise = |trace: &SymbolicTrace<B>| {
            let value = trace.last().and_then(|(_, row, _)| measure(&mut machine, row).ok());
            let higher = value.filter(|value| above(*value));
            if higher.is_some() {
                best.set(higher);
            }
            higher.is_some()
        };
        let strategy = plan.joining.strategy(system);
        let graph = || ZoneGraph::new(system, bounds.clone(), plan.abstraction);
        let mut merging = Merging::new(system, &plan.merged, Some(strategy));
        if plan.splits() {
            merging = merging.with_splits(system, &plan.merged);
        }
        let merging = merging.with_probe(graph(), Box::new(beats()));
        let merging = merging.with_refinement(plan.joining.guide.clone()).with_climbing(Box::new(raise));
        let subject = Subject::whole(system, &[predicate]);
        let task = Task::new(&subject, &plan, bounds.clone()).merging(merging).finding(&best);
        let result = self.search(task, &plan, &mut || Box::new(beats()));
        // A search that climbs ends when nothing is higher.
        if result?.is_some() {
            return Err(plan.doubt());
        }
        Ok(known().map(|value| Limit::Number { value: value.into(), strict: false }))
    }

    pub(super) fn integers(&mut self, quantities: &[Quantity], ranges: &mut [Range]) -> Result<(), Reason> {
        let (system, predicate) = (self.system, self.predicate);
        let greatest: Vec<Peak<i32>> = quantities.iter().map(|_| Peak::of_integers()).collect();
        let least: Vec<Peak<Reverse<i32>>> = quantities.iter().map(|_| Peak::of_least()).collect();
        let values = Values { greatest: &greatest, least: &least };
        self.explore(ClockBounds::<B>::new(system, self.property), &values, || {
            let mut machine = Machine::new(&system.code, system.initial.len());
            let (mut high, mut low) = (vec![None; quantities.len()], vec![None; quantities.len()]);
            let (greatest, least) = (&greatest, &least);
            move |graph: &mut ZoneGraph<'_, B>, _: &Plan, row: &[i32], zone: &[B]| {
                // The formula is asked first: what it excludes may have no value.
                if witness(graph, predicate, row, zone)?.is_none() {
                    return Ok(false);
                }
                machine.load(row);
                for (i, quantity) in quantities.iter().enumerate() {
                    if let Quantity::Integer(pc) = quantity {
                        let error = |fault| RunError { fault, edges: Vec::new() };
                        let value = machine.value(*pc).map_err(error)?;
                        greatest[i].raise(value, &mut high[i]);
                        least[i].raise(Reverse(value), &mut low[i]);
                    }
                }
                Ok(false)
            }
        })?;
        let found =
            |i: usize| [greatest[i].get().map(i64::from), least[i].get().map(|Reverse(value)| -i64::from(value))];
        for (i, pair) in self.merged((0..quantities.len()).flat_map(found).collect())?.chunks(2).enumerate() {
            greatest[i].set(pair[0].map(|value| value as i32));
            least[i].set(pair[1].map(|value| Reverse(-value as i32)));
        }
        let number = |value: i32| Limit::Number { value: value.into(), strict: false };
        for (i, range) in ranges.iter_mut().enumerate() {
            if matches!(quantities[i], Quantity::Integer(_)) {
                let least = least[i].get().map(|Reverse(value)| number(value));
                *range = Range { least, greatest: greatest[i].get().map(number) };
            }
        }
        Ok(())
    }
}
