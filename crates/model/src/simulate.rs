//! One state of a run at a time: the possible transitions and their delays, with exact arithmetic.
//!
//! While time passes the row does not change, so the value of every clock is a constant, plus the
//! delay unless it is stopped. Each guard, and each invariant after a transition, is then a
//! condition on the delay alone, and a simulator shows sets of delays. Steps are taken by the rules
//! of [`crate::replay`].

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

/// The possible behaviour in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The allowed delays.
    pub wait: DelayInterval,
    /// What limits them.
    pub limit: DelayLimit,
    /// The transitions that are possible after some allowed delay.
    pub choices: Vec<Choice>,
    /// The run-time errors that some delays lead to.
    pub failures: Vec<RunTimeError>,
}

/// What keeps time from diverging.
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
    /// A run-time error, so that it is undecided whether time may pass.
    Fault(Fault),
}

/// The allowed delays of a state.
struct Allowed {
    wait: DelayInterval,
    limit: DelayLimit,
    /// The clocks that are stopped.
    stopped: Vec<bool>,
}

impl Allowed {
    /// Limits the delays if `to` is before their end.
    fn shorten(&mut self, to: Option<Cut>, why: DelayLimit) {
        if to.is_some_and(|to| self.wait.to.is_none_or(|end| to < end)) {
            (self.wait.to, self.limit) = (to, why);
        }
    }
}

/// A transition, and the delays after which it is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The edges: the sender first, then the receivers in the order of their processes.
    pub edges: Vec<EdgeId>,
    /// The delays after which it can be taken, at least one.
    pub delays: Delays,
}

/// A run-time error, and the delays after which it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTimeError {
    /// The error.
    pub fault: Fault,
    /// The transition, or the edge with the guard, that fails.
    pub edges: Vec<EdgeId>,
    /// The delays after which it occurs.
    pub delays: Delays,
    /// Whether it occurs before a transition is chosen: nothing is possible after these delays.
    pub fatal: bool,
}

/// The reason why the behaviour of a state is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A time does not fit into a [`Ratio`].
    Overflow,
    /// There are too many transitions.
    TooMany,
}

/// The limit on transitions from one state.
pub(crate) const MAX_CHOICES: usize = 10_000;

impl<'a> Simulator<'a> {
    /// Creates a simulator of a system.
    #[must_use]
    pub fn new(system: &'a System) -> Simulator<'a> {
        Simulator { system, replayer: Replayer::new(system), joint: Joint::new(system) }
    }

    /// Returns the initial state.
    ///
    /// # Errors
    /// It violates an invariant, or an invariant fails.
    pub fn start(&mut self) -> Result<ConcreteState, Refusal> {
        self.replayer.start()
    }

    /// Returns the state after a delay.
    ///
    /// # Errors
    /// The delay is not allowed.
    pub fn wait(&mut self, state: &ConcreteState, delay: Ratio) -> Result<ConcreteState, Refusal> {
        let mut state = state.clone();
        self.replayer.delay(&mut state, delay, 0)?;
        Ok(state)
    }

    /// Returns the state after a transition without a delay.
    ///
    /// # Errors
    /// It can't be taken.
    pub fn take(&mut self, state: &ConcreteState, edges: &[EdgeId]) -> Result<ConcreteState, Refusal> {
        let mut state = state.clone();
        self.replayer.take(&mut state, edges, 0)?;
        Ok(state)
    }

    /// Returns whether a formula holds; `None` if that is undecided.
    ///
    /// # Errors
    /// The formula fails.
    pub fn holds(&mut self, formula: &Formula, state: &ConcreteState) -> Result<Option<bool>, Fault> {
        self.replayer.holds(formula, state)
    }

    /// Returns the value of a clock or an integer.
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

    /// Returns the first moment of a delay at which one of the formulas becomes true, if there is
    /// one, and stores in `held` whether each held last. A formula changes its truth only where one
    /// of its constraints does, so these moments and one between each two of them are enough;
    /// deadlocks are checked at the same moments.
    ///
    /// # Errors
    /// A formula fails, or a time does not fit.
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

    /// Returns the largest constant that clocks are compared with: nothing new becomes possible
    /// long after it.
    #[must_use]
    pub fn horizon(&self) -> i64 {
        self.replayer.largest()
    }

    /// Returns whether a transition with a higher priority than another one is possible without a
    /// delay.
    pub(crate) fn is_outranked(&mut self, state: &ConcreteState, edges: &[EdgeId]) -> Result<bool, Stuck> {
        let motion = Motion::new(&state.clocks, &self.replayer.stopped(&state.row)?);
        let mut failures = Vec::new();
        let found = self.is_possible_above(self.priority(edges), &state.row, &motion, &mut failures)?;
        match failures.first() {
            Some(failure) if !found => Err(failure.fault.into()),
            _ => Ok(found),
        }
    }

    /// Returns the possible behaviour in a state.
    ///
    /// # Errors
    /// It is unknown.
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

    /// Returns the allowed delays, and what limits them.
    fn allowed(&mut self, state: &ConcreteState) -> Result<Allowed, Trouble> {
        let system = self.system;
        let places = self.replayer.locations(&state.row);
        // No delay is allowed where something fails, so it does not matter which clocks are
        // stopped.
        let fails = |fault| Allowed {
            wait: DelayInterval::NOW,
            limit: DelayLimit::Fault(fault),
            stopped: vec![true; state.clocks.len()],
        };
        let stopped = match self.replayer.stopped(&state.row) {
            Ok(stopped) => stopped,
            Err(fault) => return Ok(fails(fault)),
        };
        let stops_time =
            |l: &&LocationId| system.locations[l.0 as usize].urgent || system.locations[l.0 as usize].committed;
        if let Some(&place) = places.iter().find(stops_time) {
            return Ok(Allowed { wait: DelayInterval::NOW, limit: DelayLimit::Location(place), stopped });
        }
        let motion = Motion::new(&state.clocks, &stopped);
        let mut allowed = Allowed { wait: DelayInterval::ALL, limit: DelayLimit::Nothing, stopped };
        self.replayer.load(&state.row);
        for &place in &places {
            let guard = &system.locations[place.0 as usize].invariant;
            let part = self.within(guard, &motion, DelayInterval::ALL.into())?;
            if let Some((fault, _)) = part.fault {
                return Ok(fails(fault));
            }
            // The invariant holds now, so there is one interval, and it starts here.
            let to = part.delays.intervals().first().map_or(DelayInterval::NOW.to, |i| i.to);
            allowed.shorten(to, DelayLimit::Invariant(place));
        }
        for (p, &place) in places.iter().enumerate() {
            for &send in system.sending(place) {
                self.limit_by_urgency(p, send, &places, &motion, &mut allowed)?;
            }
        }
        Ok(allowed)
    }

    /// Limits the delays by the synchronisations of an edge that sends, if its channel is urgent.
    fn limit_by_urgency(
        &mut self,
        process: usize,
        send: EdgeId,
        places: &[LocationId],
        motion: &Motion,
        allowed: &mut Allowed,
    ) -> Result<(), Trouble> {
        let system = self.system;
        let Sync::Send(c) = system.edges[send.0 as usize].sync else { return Ok(()) };
        let channel = &system.channels[c.0 as usize];
        if !channel.urgent {
            return Ok(());
        }
        let sent = self.within(&system.edges[send.0 as usize].guard, motion, DelayInterval::ALL.into())?;
        let mut parts = Vec::new();
        if !channel.broadcast {
            for (_, &other) in places.iter().enumerate().filter(|(q, _)| *q != process) {
                for &receive in system.receiving(other, c) {
                    let guard = &system.edges[receive.0 as usize].guard;
                    parts.push(self.within(guard, motion, sent.delays.clone())?);
                }
            }
        }
        let alone = if channel.broadcast { sent.delays } else { Delays::default() };
        parts.push(HoldingDelays { delays: alone, fault: sent.fault });
        // Time may pass up to the moment at which the synchronisation becomes possible.
        let up_to = |delays: &Delays| delays.intervals().first().map(|i| Cut { at: i.from.at, after: true });
        for part in parts {
            allowed.shorten(up_to(&part.delays), DelayLimit::Synchronisation(c));
            if let Some((fault, delays)) = part.fault {
                allowed.shorten(up_to(&delays), DelayLimit::Fault(fault));
            }
        }
        Ok(())
    }
}
