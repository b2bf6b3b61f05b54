//! Runs with names and exact clock values, from the numbers that the engine gives.

use model::{
    Ratio, System,
    machine::{ClockChange, Fault, Machine},
    system::{ClockTerm, EdgeId, LatticeOrder, LatticeVariable, Operand, ProcessId, Sync},
};

use crate::json::verify::{Change, Clock, Edge, Element, ElementChange, Ending, Place, State, Step, Trace, Variable};

/// Names everything in a run.
pub fn told(system: &System, trace: &verify::Trace) -> Trace {
    let mut run = Run::new(system, trace.replayed);
    let mut row = &trace.start;
    let start = state(system, row, run.named());
    let mut steps = Vec::new();
    for step in &trace.steps {
        let delay = run.delay(row, step.delay);
        run.take(row, &step.edges);
        steps.push(Step {
            delay,
            edges: step.edges.iter().map(|e| edge(system, *e)).collect(),
            changes: changes(system, row, &step.row),
            element_changes: element_changes(system, row, &step.row),
            clocks: run.named(),
        });
        row = &step.row;
    }
    let last_delay = run.delay(row, trace.last_delay);
    let (ending, cycle) = match trace.ending {
        None => (None, None),
        Some(verify::Ending::Cycle(start)) => (Some(Ending::Cycle), Some(start + 1)),
        Some(verify::Ending::Waits) => (Some(Ending::Waits), None),
        Some(verify::Ending::Stops) => (Some(Ending::Stops), None),
    };
    let spurious = !trace.replayed;
    Trace {
        spurious,
        length: steps.len(),
        start,
        steps,
        last_delay,
        end: state(system, row, run.named()),
        ending,
        cycle,
    }
}

/// Names everything in a state.
pub fn state(system: &System, row: &[i32], clocks: Option<Vec<Clock>>) -> State {
    let place = |p: usize| Place {
        process: system.processes[p].name.clone(),
        location: system.locations[system.location(row, ProcessId(p as u32)).0 as usize].name.to_string(),
    };
    let variable = |slot: usize| Variable { name: system.slot_name(slot as u32), value: row[slot] };
    let element = |v: &LatticeVariable| Element { name: v.name.clone(), value: system.show(v, row) };
    State {
        locations: (0..system.processes.len()).map(place).collect(),
        variables: plain(system).map(variable).collect(),
        elements: elements(system).map(element).collect(),
        clocks,
    }
}

/// The numbers of the row that say something by themselves.
fn plain(system: &System) -> impl Iterator<Item = usize> {
    let is_plain = |slot: &usize| system.element_at(*slot as u32).is_none_or(|v| !is_opaque(v));
    (system.processes.len()..system.initial.len()).filter(is_plain)
}

/// The variables whose numbers do not.
fn elements(system: &System) -> impl Iterator<Item = &LatticeVariable> {
    system.lattices.iter().filter(|v| is_opaque(v))
}

/// Whether only a lattice of the library knows what an element's numbers mean. Those of the model
/// have fields.
fn is_opaque(variable: &LatticeVariable) -> bool {
    matches!(variable.order, LatticeOrder::Library(_))
}

/// The elements of lattices that differ.
pub fn element_changes(system: &System, before: &[i32], after: &[i32]) -> Vec<ElementChange> {
    let differs = |v: &&LatticeVariable| {
        let slots = v.first as usize..(v.first + v.width) as usize;
        before[slots.clone()] != after[slots]
    };
    let change = |v: &LatticeVariable| {
        let (from, to) = (system.show(v, before), system.show(v, after));
        ElementChange { name: v.name.clone(), from, to }
    };
    elements(system).filter(differs).map(change).collect()
}

/// The variables that differ.
pub fn changes(system: &System, before: &[i32], after: &[i32]) -> Vec<Change> {
    let slots = plain(system).filter(|&slot| before[slot] != after[slot]);
    slots.map(|slot| Change { name: system.slot_name(slot as u32), from: before[slot], to: after[slot] }).collect()
}

/// Names an edge. Edges of one template edge differ in what was selected, in the branch, or in the
/// channel.
pub fn edge(system: &System, id: EdgeId) -> Edge {
    let edge = &system.edges[id.0 as usize];
    let sync = match edge.sync {
        Sync::Internal => None,
        Sync::Send(c) => Some(format!("{}!", system.channels[c.0 as usize].name)),
        Sync::Receive(c) => Some(format!("{}?", system.channels[c.0 as usize].name)),
        Sync::Event(e) => Some(format!("@{}", system.events[e.0 as usize])),
    };
    Edge {
        process: system.processes[edge.process.0 as usize].name.clone(),
        source: system.locations[edge.source.0 as usize].name.to_string(),
        target: system.locations[edge.target.0 as usize].name.to_string(),
        sync,
        edge: edge.origin,
        branch: edge.branch,
        select: edge.select.to_vec(),
    }
}

/// The clocks along a run.
pub struct Run<'a> {
    system: &'a System,
    machine: Machine<'a>,
    /// `None` where the delays are not known, and once a value had too many digits.
    clocks: Option<Vec<Ratio>>,
}

impl<'a> Run<'a> {
    /// At the start. Where the delays are not known, neither are the clocks.
    pub fn new(system: &'a System, timed: bool) -> Run<'a> {
        let clocks = system.clocks.iter().map(|clock| Ratio::from(clock.initial)).collect::<Vec<_>>();
        Run { system, machine: Machine::new(&system.code, system.initial.len()), clocks: timed.then_some(clocks) }
    }

    /// The values of all clocks, if they are known; the reference comes first.
    pub fn values(&self) -> Option<&[Ratio]> {
        self.clocks.as_deref()
    }

    /// All clocks but the reference.
    fn named(&self) -> Option<Vec<Clock>> {
        let values = self.clocks.as_ref()?.iter().zip(&self.system.clocks).skip(1);
        Some(values.map(|(value, clock)| Clock { name: clock.name.clone(), value: value.to_string() }).collect())
    }

    /// Lets time pass. Returns how much, as text, if that is known.
    pub fn delay(&mut self, row: &[i32], (numerator, denominator): (i64, i64)) -> Option<String> {
        let clocks = self.clocks.take()?;
        let delay = Ratio::new(numerator, denominator)?;
        let stopped = self.stopped(row).ok()?;
        let pass = |(x, value): (usize, &Ratio)| {
            // The reference stands still as well.
            if x == 0 || stopped.contains(&x) { Some(*value) } else { value.plus(delay) }
        };
        self.clocks = clocks.iter().enumerate().map(pass).collect();
        Some(delay.to_string())
    }

    /// The clocks that stand still in a discrete state.
    fn stopped(&mut self, row: &[i32]) -> Result<Vec<usize>, Fault> {
        self.machine.load(row);
        let mut stopped = Vec::new();
        for p in 0..self.system.processes.len() {
            let at = self.system.location(row, ProcessId(p as u32));
            for rate in &self.system.locations[at.0 as usize].rates {
                if let Some(pc) = rate.condition
                    && !self.machine.test(pc)?
                {
                    continue;
                }
                let speed = match rate.rate {
                    Operand::Const(value) => value,
                    Operand::Code { pc, .. } => self.machine.value(pc)?.into(),
                };
                if speed == 0 {
                    stopped.push(match rate.clock {
                        ClockTerm::Clock(clock) => clock.0 as usize,
                        ClockTerm::Element { pc, .. } => self.machine.value(pc)? as usize,
                    });
                }
            }
        }
        Ok(stopped)
    }

    /// Takes a transition from a discrete state: its updates change clocks.
    pub fn take(&mut self, row: &[i32], edges: &[EdgeId]) {
        let system = self.system;
        self.machine.load(row);
        self.machine.changes.clear();
        let updates = edges.iter().filter_map(|e| system.edges[e.0 as usize].update);
        for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
            if self.machine.execute(pc).is_err() {
                self.clocks = None;
                return;
            }
        }
        for change in &self.machine.changes {
            let Some(clocks) = &mut self.clocks else { return };
            let (clock, value) = match *change {
                ClockChange::Set { clock, value } => (clock, Some(Ratio::from(value))),
                ClockChange::Copy { clock, from, plus } => (clock, clocks[from as usize].plus(Ratio::from(plus))),
            };
            match value {
                Some(value) => clocks[clock as usize] = value,
                None => self.clocks = None,
            }
        }
    }
}
