//! One state of a run at a time: what is possible there and after which delays, with exact
//! arithmetic.
//!
//! While time passes the row stays as it is, so every clock is its value plus the delay, or stands
//! still. Each guard, and each invariant behind a transition, is then a condition on the delay
//! alone, and what a simulator shows are sets of delays. Steps are taken by the rules of
//! [`crate::replay`].

mod choices;
mod delays;
mod within;

use crate::{
    machine::Fault,
    property::{Formula, Quantity},
    ratio::Ratio,
    replay::{ConcreteState, DIGITS, Motion, Refusal, Replayer, Stuck},
    system::{ChannelId, EdgeId, LocationId, Sync, System},
    vector::Joint,
};

pub use delays::{Cut, DelayInterval, Delays};

use within::HoldingDelays;

/// Steps through a system.
pub struct Simulator<'a> {
    system: &'a System,
    replayer: Replayer<'a>,
    joint: Joint<'a>,
}

/// What is possible in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// For how long time may pass.
    pub wait: DelayInterval,
    /// What ends it.
    pub limit: DelayLimit,
    /// The transitions that are possible after some delay that is allowed.
    pub choices: Vec<Choice>,
    /// The run-time errors of the model that some delays lead to.
    pub failures: Vec<RunTimeError>,
}

/// What keeps time from passing for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayLimit {
    /// Nothing.
    Nothing,
    /// A location that is urgent or committed.
    Location(LocationId),
    /// The invariant of a location.
    Invariant(LocationId),
    /// A synchronisation over an urgent channel.
    Synchronisation(ChannelId),
    /// Whether time may pass can't be told because of a run-time error.
    Fault(Fault),
}

/// How time passes.
struct Allowed {
    wait: DelayInterval,
    limit: DelayLimit,
    /// The clocks that stand still.
    stopped: Vec<bool>,
}

/// A transition, and when it is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The edges: the sender first, then the receivers in the order of their processes.
    pub edges: Vec<EdgeId>,
    /// The delays after which it can be taken. There are some.
    pub delays: Delays,
}

/// A run-time error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTimeError {
    /// What went wrong.
    pub fault: Fault,
    /// The transition, or the edge whose guard it is.
    pub edges: Vec<EdgeId>,
    /// The delays after which it happens.
    pub delays: Delays,
    /// Whether it is met before anybody chooses: nothing is possible after these delays.
    pub fatal: bool,
}

/// Why nothing can be said about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Numbers grow beyond what is represented.
    Overflow,
    /// There are more transitions than anybody wants to see.
    TooMany,
}

/// More transitions from one state are not listed.
pub(crate) const MAX_CHOICES: usize = 10_000;

impl<'a> Simulator<'a> {
    /// For a system.
    #[must_use]
    pub fn new(system: &'a System) -> Simulator<'a> {
        Simulator { system, replayer: Replayer::new(system), joint: Joint::new(system) }
    }

    /// The state in which all runs start.
    ///
    /// # Errors
    /// It violates an invariant, or an invariant fails.
    pub fn start(&mut self) -> Result<ConcreteState, Refusal> {
        self.replayer.start()
    }

    /// The state after a delay.
    ///
    /// # Errors
    /// Why time can't pass like this.
    pub fn wait(&mut self, state: &ConcreteState, delay: Ratio) -> Result<ConcreteState, Refusal> {
        let mut state = state.clone();
        self.replayer.delay(&mut state, delay, 0)?;
        Ok(state)
    }

    /// The state after a transition.
    ///
    /// # Errors
    /// Why it can't be taken at once.
    pub fn take(&mut self, state: &ConcreteState, edges: &[EdgeId]) -> Result<ConcreteState, Refusal> {
        let mut state = state.clone();
        self.replayer.take(&mut state, edges, 0)?;
        Ok(state)
    }

    /// Whether a formula holds; `None` where that can't be told.
    ///
    /// # Errors
    /// The formula fails.
    pub fn holds(&mut self, formula: &Formula, state: &ConcreteState) -> Result<Option<bool>, Fault> {
        self.replayer.holds(formula, state)
    }

    /// The value of a clock or an integer.
    ///
    /// # Errors
    /// The expression fails.
    pub fn value(&mut self, quantity: &Quantity, state: &ConcreteState) -> Result<Ratio, Fault> {
        self.replayer.load(&state.row);
        Ok(match quantity {
            Quantity::Clock(term) => state.clocks[self.replayer.clock(*term)?],
            Quantity::Integer(pc) => Ratio::from(self.replayer.machine.value(*pc)?),
        })
    }

    /// The first moment of a delay at which one of the formulas holds that did not hold before, if
    /// there is one, and whether each held last. A formula changes its truth where one of its
    /// constraints does, so these moments and one between each two of them are enough; deadlocks
    /// are looked for at the same moments.
    ///
    /// # Errors
    /// A formula fails, or numbers grow too large.
    pub fn turns(
        &mut self,
        formulas: &[&Formula],
        held: &mut [bool],
        state: &ConcreteState,
        delay: Ratio,
    ) -> Result<Option<Ratio>, Refusal> {
        let fault = |f| Refusal::Fault(0, f);
        let stopped = self.replayer.stopped(&state.row).map_err(fault)?;
        let mut borders = vec![Ratio::ZERO, delay];
        for formula in formulas {
            self.replayer.borders(formula, state, &stopped, &mut borders).map_err(Stuck::at(0))?;
        }
        borders.retain(|t| (Ratio::ZERO..=delay).contains(t));
        borders.sort_unstable();
        borders.dedup();
        for (i, &border) in borders.iter().enumerate() {
            let within =
                borders.get(i + 1).map(|next| border.middle(*next).ok_or(Refusal::Unclear(0, DIGITS))).transpose()?;
            for moment in [Some(border), within].into_iter().flatten() {
                let then = self.replayer.later(state, moment, &stopped, 0)?;
                let mut turned = false;
                for (formula, held) in formulas.iter().zip(held.iter_mut()) {
                    let holds = self.replayer.decides(formula, &then, 0)?;
                    turned |= holds && !*held;
                    *held = holds;
                }
                if turned {
                    return Ok(Some(moment));
                }
            }
        }
        Ok(None)
    }

    /// The largest number that clocks are compared with: nothing new becomes possible long after
    /// it.
    #[must_use]
    pub fn horizon(&self) -> i64 {
        self.replayer.largest()
    }

    /// Whether a transition of a higher priority than another one is possible at once.
    pub(crate) fn is_outranked(&mut self, state: &ConcreteState, edges: &[EdgeId]) -> Result<bool, Stuck> {
        let motion = Motion::new(&state.clocks, &self.replayer.stopped(&state.row)?);
        let mut failures = Vec::new();
        let found = self.is_possible_above(self.priority(edges), &state.row, &motion, &mut failures)?;
        match failures.first() {
            Some(failure) if !found => Err(failure.fault.into()),
            _ => Ok(found),
        }
    }

    /// What is possible in a state.
    ///
    /// # Errors
    /// Nothing can be said.
    pub fn situation(&mut self, state: &ConcreteState) -> Result<Situation, Trouble> {
        let Allowed { wait, limit, stopped } = self.allowed(state)?;
        let mut failures = Vec::new();
        let motion = Motion::new(&state.clocks, &stopped);
        let choices = self.choices(&state.row, &motion, wait, &mut failures)?;
        if let DelayLimit::Fault(fault) = limit
            && !failures.iter().any(|f| f.fault == fault)
        {
            failures.push(RunTimeError { fault, edges: Vec::new(), delays: DelayInterval::NOW.into(), fatal: false });
        }
        Ok(Situation { wait, limit, choices, failures })
    }

    /// For how long time may pass, and why.
    fn allowed(&mut self, state: &ConcreteState) -> Result<Allowed, Trouble> {
        let system = self.system;
        let places = self.replayer.locations(&state.row);
        // No delay is allowed where something fails, and it does not matter then which clocks stand
        // still.
        let fails = |fault| Allowed {
            wait: DelayInterval::NOW,
            limit: DelayLimit::Fault(fault),
            stopped: vec![true; state.clocks.len()],
        };
        let stopped = match self.replayer.stopped(&state.row) {
            Ok(stopped) => stopped,
            Err(fault) => return Ok(fails(fault)),
        };
        let stands =
            |l: &&LocationId| system.locations[l.0 as usize].urgent || system.locations[l.0 as usize].committed;
        if let Some(&place) = places.iter().find(stands) {
            return Ok(Allowed { wait: DelayInterval::NOW, limit: DelayLimit::Location(place), stopped });
        }
        let motion = Motion::new(&state.clocks, &stopped);
        let (mut wait, mut limit) = (DelayInterval::ALL, DelayLimit::Nothing);
        let mut shorten = |to: Option<Cut>, why: DelayLimit| {
            if to.is_some_and(|to| wait.to.is_none_or(|end| to < end)) {
                (wait.to, limit) = (to, why);
            }
        };
        self.replayer.load(&state.row);
        for &place in &places {
            let guard = &system.locations[place.0 as usize].invariant;
            let part = self.within(guard, &motion, DelayInterval::ALL.into())?;
            if let Some((fault, _)) = part.fault {
                return Ok(fails(fault));
            }
            // The invariant holds now, so that there is one interval, and it starts here.
            let to = part.delays.intervals().first().map_or(DelayInterval::NOW.to, |i| i.to);
            shorten(to, DelayLimit::Invariant(place));
        }
        for (p, &place) in places.iter().enumerate() {
            for &send in system.sending(place) {
                let Sync::Send(c) = system.edges[send.0 as usize].sync else { continue };
                let channel = &system.channels[c.0 as usize];
                if !channel.urgent {
                    continue;
                }
                let sent = self.within(&system.edges[send.0 as usize].guard, &motion, DelayInterval::ALL.into())?;
                let mut parts = Vec::new();
                if !channel.broadcast {
                    for (_, &other) in places.iter().enumerate().filter(|(q, _)| *q != p) {
                        for &receive in system.receiving(other, c) {
                            let guard = &system.edges[receive.0 as usize].guard;
                            parts.push(self.within(guard, &motion, sent.delays.clone())?);
                        }
                    }
                }
                let alone = if channel.broadcast { sent.delays } else { Delays::default() };
                parts.push(HoldingDelays { delays: alone, fault: sent.fault });
                // Time may pass up to the moment at which the synchronisation becomes possible, and
                // no further.
                let up_to = |delays: &Delays| delays.intervals().first().map(|i| Cut { at: i.from.at, behind: true });
                for part in parts {
                    shorten(up_to(&part.delays), DelayLimit::Synchronisation(c));
                    if let Some((fault, delays)) = part.fault {
                        shorten(up_to(&delays), DelayLimit::Fault(fault));
                    }
                }
            }
        }
        Ok(Allowed { wait, limit, stopped })
    }
}
