//! Which states are joined.

use model::{
    System,
    code::{Arith, Cmp, Pc},
    machine::Machine,
    system::{LocationId, ProcessId},
};

use super::{Side, orders::Orders};

/// In which discrete parts states are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// In all.
    Everywhere,
    /// Where some process is in one of these locations.
    At(Vec<LocationId>),
}

/// One of two states that may be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The stored one.
    Stored,
    /// The one that is new.
    New,
}

/// An expression over two states that may be joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwoStates {
    /// A number.
    Number(i32),
    /// The value of an expression in one of them.
    Of(Which, Pc),
    /// Whether something is zero.
    Not(Box<TwoStates>),
    /// Arithmetic.
    Arith(Arith, Box<TwoStates>, Box<TwoStates>),
    /// A comparison.
    Compare(Cmp, Box<TwoStates>, Box<TwoStates>),
    /// Whether both are not zero.
    And(Box<TwoStates>, Box<TwoStates>),
    /// Whether one is not zero.
    Or(Box<TwoStates>, Box<TwoStates>),
}

impl TwoStates {
    /// Its value; `None`: it fails.
    fn value(&self, stored: &mut Machine<'_>, new: &mut Machine<'_>) -> Option<i32> {
        let mut of = |part: &TwoStates| part.value(stored, new);
        match self {
            TwoStates::Number(number) => Some(*number),
            TwoStates::Of(Which::Stored, pc) => stored.value(*pc).ok(),
            TwoStates::Of(Which::New, pc) => new.value(*pc).ok(),
            TwoStates::Not(a) => Some(i32::from(of(a)? == 0)),
            TwoStates::Arith(op, a, b) => op.apply(of(a)?, of(b)?),
            TwoStates::Compare(cmp, a, b) => Some(i32::from(cmp.holds(of(a)?, of(b)?))),
            TwoStates::And(a, b) => Some(i32::from(of(a)? != 0 && of(b)? != 0)),
            TwoStates::Or(a, b) => Some(i32::from(of(a)? != 0 || of(b)? != 0)),
        }
    }
}

/// Says which states are joined.
pub struct Strategy<'a> {
    system: &'a System,
    stored: Machine<'a>,
    new: Machine<'a>,
    /// Where.
    pub places: Places,
    /// Which variables, by their places in [`System::lattices`]; the others have to be equal. `None`: all.
    pub variables: Option<Vec<usize>>,
    /// Whether zones are joined; if not they have to be equal.
    pub zones: bool,
    /// What has to hold of the two states.
    pub condition: Option<TwoStates>,
    /// After how many joins of a discrete part elements are widened, and where that may stop.
    pub widening: Option<(u32, Vec<i32>)>,
}

impl<'a> Strategy<'a> {
    /// All states are joined.
    #[must_use]
    pub fn always(system: &'a System) -> Strategy<'a> {
        let machine = Machine::new(&system.code, system.initial.len());
        Strategy {
            system,
            stored: machine.clone(),
            new: machine,
            places: Places::Everywhere,
            variables: None,
            zones: true,
            condition: None,
            widening: None,
        }
    }

    /// Whether two states of one group may be joined, for all that the strategy says.
    pub(super) fn allows(&mut self, orders: &Orders<'_>, old: Side<'_>, new: Side<'_>) -> bool {
        if let Places::At(places) = &self.places {
            let here = |p: u32| places.contains(&self.system.location(old.row, ProcessId(p)));
            if !(0..self.system.processes.len() as u32).any(here) {
                return false;
            }
        }
        if !self.zones && old.zone != new.zone {
            return false;
        }
        if let Some(joined) = &self.variables {
            let differs = |(variable, at): (usize, std::ops::Range<usize>)| {
                !joined.contains(&variable) && old.elements[at.clone()] != new.elements[at]
            };
            if orders.variables().any(differs) {
                return false;
            }
        }
        let Some(condition) = &self.condition else { return true };
        self.stored.load(old.row);
        self.new.load(new.row);
        // A condition that can't be evaluated allows nothing.
        condition.value(&mut self.stored, &mut self.new).is_some_and(|value| value != 0)
    }

    /// Whether joins are counted.
    pub(super) fn counts(&self) -> bool {
        self.widening.is_some()
    }

    /// Where widening may stop, if it is time for it in a group.
    pub(super) fn widens(&self, group: u32, joins: &[u32]) -> Option<&[i32]> {
        let (after, thresholds) = self.widening.as_ref()?;
        (joins.get(group as usize).is_some_and(|joins| joins >= after)).then_some(thresholds)
    }
}
