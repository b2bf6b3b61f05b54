//! States as functions of the user see them.

use lattice::user::{Element, UserError};
use model::{
    System,
    system::{ProcessId, Shape},
};
use zone::Bound;

/// A zone with bounds of any number of bits.
pub(crate) struct WidenedZone<'z, B>(&'z [B]);

impl<'z, B: Bound> WidenedZone<'z, B> {
    pub(crate) fn new(zone: &'z [B]) -> WidenedZone<'z, B> {
        WidenedZone(zone)
    }
}

/// The bounds of a zone, one by one.
pub(crate) trait AnyZone {
    /// Returns a bound, with 64 bits.
    fn bound(&self, at: usize) -> i64;
    /// Returns the number of bounds.
    fn len(&self) -> usize;
}

impl<B: Bound> AnyZone for WidenedZone<'_, B> {
    fn bound(&self, at: usize) -> i64 {
        self.0[at].widest()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The value of a variable.
#[derive(Clone)]
pub enum StateValue {
    /// An integer, or a member of a scalar set.
    Int(i32),
    /// A truth value.
    Bool(bool),
    /// An element of a lattice of the user: a copy of it.
    Element(Element),
    /// An element of another lattice: its integers, and how it is rendered.
    Lattice(Vec<i32>, String),
    /// An array; its first index need not be 0.
    Array(i32, Vec<StateValue>),
    /// A struct: its fields with their names.
    Struct(Vec<(String, StateValue)>),
}

/// A constraint of a zone: the first clock minus the second one is at most the bound. `None` is a
/// clock that is always 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint<'s> {
    /// The name of the first clock.
    pub left: Option<&'s str>,
    /// The name of the second clock.
    pub right: Option<&'s str>,
    /// The bound.
    pub bound: i64,
    /// Whether the difference is less than the bound.
    pub is_strict: bool,
}

/// The place of a variable, or of a part of one, in all states of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariablePlace {
    first: u32,
    shape: std::sync::Arc<Shape>,
}

impl VariablePlace {
    /// Finds a variable by its name, `x` or `P(1).x`, or a part of one: `P.a[2].f`.
    #[must_use]
    pub fn find(system: &System, name: &str) -> Option<VariablePlace> {
        let is_whole = |variable: &str| {
            let rest = name.strip_prefix(variable)?;
            (rest.is_empty() || rest.starts_with(['[', '.'])).then_some(rest)
        };
        let found = system.variables.iter().filter_map(|v| Some((v, is_whole(&v.name)?)));
        let (variable, mut rest) = found.min_by_key(|(_, rest)| rest.len())?;
        let mut place = VariablePlace { first: variable.first, shape: variable.shape.clone() };
        while !rest.is_empty() {
            (place, rest) = place.part(rest)?;
        }
        Some(place)
    }

    /// Returns the integers of a row that hold it.
    #[must_use]
    pub fn slots(&self) -> std::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.shape.size().ints as usize
    }

    /// Returns the part that the beginning of a text names, `[2]` or `.f`, and the rest of the
    /// text.
    fn part<'t>(&self, text: &'t str) -> Option<(VariablePlace, &'t str)> {
        match &*self.shape {
            Shape::Array { low, length, element, .. } => {
                let (index, rest) = text.strip_prefix('[')?.split_once(']')?;
                let at = index.trim().parse::<i32>().ok()?.checked_sub(*low)?;
                let at = u32::try_from(at).ok().filter(|at| at < length)?;
                Some((VariablePlace { first: self.first + at * element.size().ints, shape: element.clone() }, rest))
            }
            Shape::Struct { fields, .. } => {
                let text = text.strip_prefix('.')?;
                let (name, rest) = text.split_at(text.find(['[', '.']).unwrap_or(text.len()));
                let mut first = self.first;
                for (field, shape) in fields {
                    if **field == *name {
                        return Some((VariablePlace { first, shape: shape.clone() }, rest));
                    }
                    first += shape.size().ints;
                }
                None
            }
            _ => None,
        }
    }
}

impl AnyZone for Box<[i64]> {
    fn len(&self) -> usize {
        <[i64]>::len(self)
    }

    fn bound(&self, at: usize) -> i64 {
        self[at]
    }
}

/// A state that is kept after the function that saw it has returned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeptState {
    row: Box<[i32]>,
    zone: Option<Box<[i64]>>,
}

impl KeptState {
    /// Returns the state. The system is one of the model that it belongs to.
    #[must_use]
    pub fn view<'s>(&'s self, system: &'s System) -> StateView<'s> {
        StateView { system, row: &self.row, zone: self.zone.as_ref().map(|zone| zone as &dyn AnyZone) }
    }
}

/// A state as functions of the user see it. It is cheap: values are read when they are asked for.
#[derive(Clone, Copy)]
pub struct StateView<'s> {
    system: &'s System,
    row: &'s [i32],
    zone: Option<&'s dyn AnyZone>,
}

impl<'s> StateView<'s> {
    pub(crate) fn new(system: &'s System, row: &'s [i32], zone: Option<&'s dyn AnyZone>) -> StateView<'s> {
        StateView { system, row, zone }
    }

    /// Returns the discrete part of a state.
    #[must_use]
    pub fn discrete(system: &'s System, row: &'s [i32]) -> StateView<'s> {
        StateView { system, row, zone: None }
    }

    /// Returns a copy that can be kept.
    #[must_use]
    pub fn keep(&self) -> KeptState {
        let zone = self.zone.map(|zone| (0..zone.len()).map(|at| zone.bound(at)).collect());
        KeptState { row: self.row.into(), zone }
    }

    /// Returns the system.
    #[must_use]
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// Returns the integers of the discrete part: locations, then variables.
    #[must_use]
    pub fn row(&self) -> &'s [i32] {
        self.row
    }

    /// Returns the value of a variable, or of a part of one, by its name; `None`: there is none.
    ///
    /// # Errors
    /// An element can't be copied.
    pub fn get(&self, name: &str) -> Result<Option<StateValue>, UserError> {
        VariablePlace::find(self.system, name).map(|place| self.at(&place)).transpose()
    }

    /// Returns the value at a place.
    ///
    /// # Errors
    /// An element can't be copied.
    pub fn at(&self, place: &VariablePlace) -> Result<StateValue, UserError> {
        self.value(&place.shape, &mut (place.first as usize))
    }

    /// Returns the names of all variables.
    pub fn variables(&self) -> impl Iterator<Item = &'s str> {
        self.system.variables.iter().map(|variable| variable.name.as_str())
    }

    /// Returns the names of all processes with those of their locations.
    pub fn locations(&self) -> impl Iterator<Item = (&'s str, &'s str)> {
        let StateView { system, row, .. } = *self;
        (0..system.processes.len() as u32).map(move |process| {
            let location = system.location(row, ProcessId(process));
            let process = system.processes[process as usize].name.as_str();
            (process, &*system.locations[location.0 as usize].name)
        })
    }

    /// Returns the location of a process, by their names.
    #[must_use]
    pub fn location(&self, process: &str) -> Option<&'s str> {
        self.locations().find(|(name, _)| *name == process).map(|(_, location)| location)
    }

    /// Returns the constraints of the zone. `None`: there is no zone here that could be relied on,
    /// since an abstraction adds to zones.
    #[must_use]
    pub fn zone(&self) -> Option<Vec<Constraint<'s>>> {
        let zone = self.zone?;
        let dim = zone.len().isqrt();
        let clock = |i: usize| i.checked_sub(1).map(|i| self.system.clocks[i].name.as_str());
        let mut all = Vec::new();
        for at in 0..zone.len() {
            let (left, right, bound) = (at / dim, at % dim, zone.bound(at));
            let is_trivial = left == right || left == 0 && bound == i64::LE_ZERO;
            if bound != i64::INFINITY && !is_trivial {
                let (bound, is_strict) = (zone::value(bound), zone::is_strict(bound));
                all.push(Constraint { left: clock(left), right: clock(right), bound, is_strict });
            }
        }
        Some(all)
    }

    /// Returns the value of a shape, and advances to the slot after it.
    fn value(&self, shape: &Shape, at: &mut usize) -> Result<StateValue, UserError> {
        let mut next = || {
            *at += 1;
            self.row.get(*at - 1).copied().unwrap_or(0)
        };
        Ok(match shape {
            Shape::Int(..) | Shape::Scalar { .. } => StateValue::Int(next()),
            Shape::Bool => StateValue::Bool(next() != 0),
            // Searches have no floating-point numbers.
            Shape::Clock | Shape::Channel | Shape::Opaque | Shape::Double => StateValue::Struct(Vec::new()),
            Shape::Lattice { lattice, width, .. } => {
                let element: Vec<i32> = (0..*width).map(|_| next()).collect();
                match lattice.0.interned() {
                    Some(interned) => StateValue::Element(interned.copy_of(element[0])?),
                    None => {
                        let text = lattice.0.show(&element);
                        StateValue::Lattice(element, text)
                    }
                }
            }
            Shape::Array { low, length, element, .. } => {
                let all = (0..*length).map(|_| self.value(element, at)).collect::<Result<_, _>>()?;
                StateValue::Array(*low, all)
            }
            Shape::Struct { fields, .. } => {
                let mut all = Vec::new();
                for (name, shape) in fields {
                    all.push((name.to_string(), self.value(shape, at)?));
                }
                StateValue::Struct(all)
            }
        })
    }
}
