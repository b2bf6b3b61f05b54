//! A lattice of the user as the engines see it: elements are numbers.

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt,
    panic::AssertUnwindSafe,
    sync::{Arc, OnceLock},
};

use super::{
    Access, ClassArguments, Element, FailureId, Failures, Interface, Protection, UserClass, UserError, UserFailure,
    UserLattice, class::Shape, clocks::ElementConstraint, elements::Elements, guarded, results::Results,
};
use crate::{Delay, Indexing, Lattice, Method, Misuse, Numeric, Operators, ReturnType, Trend};

/// What a method has made of an element: its number after the call, and the result.
type Called = (i32, i32);

/// So many calls of a method are compared with each other to check what the class says about it.
const MAX_COMPARED: usize = 100;

/// The names of parameters in messages.
static PARAMETERS: [&str; 16] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];

/// The lattice, once it is made.
struct Made {
    lattice: Arc<dyn UserLattice>,
    initial: i32,
    bottom: Option<i32>,
}

/// What is shared by all threads. No function of the user is called while a lock is held, so none
/// is poisoned by a panic.
struct Shared {
    class: Arc<dyn UserClass>,
    made: OnceLock<Result<Made, FailureId>>,
    elements: Elements,
    covers: Results<(i32, i32), bool>,
    joins: Results<(i32, i32), i32>,
    widenings: Results<(i32, i32, Vec<i32>), i32>,
    calls: Results<(usize, Access, i32, Vec<i32>), Called>,
    constrained: Results<(i32, ElementConstraint), i32>,
    clocks_set: Results<(i32, usize, i32), i32>,
    empty: Results<i32, bool>,
}

/// A lattice of the user whose elements are numbers, in the order in which they occurred. Each
/// element is one integer.
pub struct Interned {
    values: Vec<i32>,
    dimensions: Vec<u32>,
    /// The names of the clocks of its elements.
    clocks: Vec<String>,
    largest: i32,
    /// Each method twice: to read elements, then to change them.
    methods: Vec<Method>,
    fields: Vec<(Cow<'static, str>, usize)>,
    operators: Option<Operators>,
    /// The methods whose argument is the number of an element.
    of_two: [Option<usize>; 2],
    indexing: Option<Indexing>,
    delay: Option<Delay>,
    failures: Failures,
    shared: AssertUnwindSafe<Shared>,
}

impl Interned {
    /// Creates a lattice. The class is asked for it when the first element is needed.
    pub(super) fn new(
        class: Arc<dyn UserClass>,
        interface: &Interface,
        (values, dimensions, clocks): Shape,
        largest: i32,
        failures: &Failures,
    ) -> Interned {
        let count = interface.methods.len();
        let read = |method: Option<usize>| method.filter(|m| *m < count);
        let change = |method: Option<usize>| read(method).map(|m| m + count);
        let operators = Operators {
            value: read(interface.value),
            set: change(interface.set),
            add: change(interface.add),
            sub: change(interface.sub),
            add_element: change(interface.add_element),
            sub_element: change(interface.sub_element),
        };
        let of_two = [interface.add_element, interface.sub_element];
        let is_number = operators != Operators::default();
        let fields = interface.fields.iter().filter(|field| field.1 < count);
        let indexing = |get| Indexing { get, set: change(interface.set_item), dimensions: dimensions.clone() };
        Interned {
            methods: methods(interface),
            fields: fields.map(|(name, method)| (Cow::Owned(name.clone()), *method)).collect(),
            operators: is_number.then_some(operators),
            of_two,
            indexing: read(interface.get_item).map(indexing),
            delay: change(interface.delay).map(|method| Delay { method, is_inclusive: interface.delay_is_inclusive }),
            values,
            dimensions,
            clocks,
            largest,
            failures: failures.clone(),
            shared: AssertUnwindSafe(Shared {
                class,
                made: OnceLock::new(),
                elements: Elements::default(),
                covers: Results::default(),
                joins: Results::default(),
                widenings: Results::default(),
                calls: Results::default(),
                constrained: Results::default(),
                clocks_set: Results::default(),
                empty: Results::default(),
            }),
        }
    }

    /// Makes the lattice, if it is not made.
    pub(super) fn begin(&self) -> Result<(), UserFailure> {
        self.made().map(|_| ()).map_err(|id| self.failure(id))
    }

    /// Returns the element with a number.
    #[must_use]
    pub fn element(&self, number: i32) -> Option<Element> {
        self.shared.elements.get(number)
    }

    /// Returns a copy of the element with a number, for whoever may change it.
    ///
    /// # Errors
    /// It can't be copied.
    pub fn copy_of(&self, number: i32) -> Result<Element, UserError> {
        let element = self.element(number).ok_or_else(|| UserError::new("there is no such element"))?;
        match self.made() {
            Ok(made) if made.lattice.protection() != Protection::Immutable => guarded(|| made.lattice.copy(&element)),
            _ => Ok(element),
        }
    }

    /// Returns whether there is an element that allows no behaviour.
    #[must_use]
    pub fn has_bottom(&self) -> bool {
        self.made().is_ok_and(|made| made.bottom.is_some())
    }

    /// Returns the number of elements that have occurred.
    #[must_use]
    pub fn count(&self) -> usize {
        self.shared.elements.len()
    }

    /// Returns the first failure of the work in hand.
    #[must_use]
    pub fn failures(&self) -> &Failures {
        &self.failures
    }

    fn failure(&self, id: FailureId) -> UserFailure {
        let lost = || UserFailure {
            function: format!("a function of `{}`", self.name()),
            arguments: Vec::new(),
            error: UserError::new("it has failed before"),
        };
        self.failures.get(id).unwrap_or_else(lost)
    }

    /// Returns the lattice, which is made if it is not.
    fn made(&self) -> Result<&Made, FailureId> {
        let made = self.shared.made.get_or_init(|| {
            let Interned { values, dimensions, clocks, largest, .. } = self;
            let class = &self.shared.class;
            let make = || class.make(&ClassArguments { values, dimensions, clocks, largest: *largest });
            let lattice = guarded(make).map_err(|error| self.fails("the constructor", &[], error))?;
            let number = |element| self.shared.elements.number(&*lattice, element);
            let initial = guarded(|| lattice.initial()).and_then(number);
            let initial = initial.map_err(|error| self.fails("the initial element", &[], error))?;
            let bottom = guarded(|| lattice.bottom()).and_then(|bottom| bottom.map(number).transpose());
            let bottom = bottom.map_err(|error| self.fails("`bottom`", &[], error))?;
            Ok(Made { lattice, initial, bottom })
        });
        made.as_ref().map_err(|id| *id)
    }

    /// Returns where a method of the class is defined, if that is known.
    #[must_use]
    pub fn place(&self, method: &str) -> Option<String> {
        guarded(|| Ok(self.shared.class.place(method))).ok().flatten()
    }

    /// Records that a function has failed for some elements. An error without a cause of its own
    /// names the place of the function.
    fn fails(&self, function: &str, elements: &[i32], mut error: UserError) -> FailureId {
        if error.payload.is_none() {
            let method = function.trim_start_matches('`').split(['(', '`']).next().unwrap_or_default();
            if let Some(place) = self.place(method) {
                error.message = format!("{} ({place})", error.message);
            }
        }
        let arguments = elements.iter().map(|number| self.show(&[*number])).collect();
        self.failures.note(UserFailure { function: format!("{function} of `{}`", self.name()), arguments, error })
    }

    /// Calls a function that must not change some elements.
    fn ask<R>(
        &self,
        name: &str,
        numbers: &[i32],
        function: impl FnOnce(&dyn UserLattice, &mut [Element]) -> Result<R, UserError>,
    ) -> Result<R, FailureId> {
        let lattice = &*self.made()?.lattice;
        let result = || {
            let lost = || UserError::new("there is no such element");
            let known: Vec<Element> =
                numbers.iter().map(|number| self.element(*number)).collect::<Option<_>>().ok_or_else(lost)?;
            if lattice.protection() != Protection::Copies {
                return guarded(|| function(lattice, &mut known.clone()));
            }
            let mut copies = Vec::new();
            for element in &known {
                copies.push(guarded(|| lattice.copy(element))?);
            }
            let result = guarded(|| function(lattice, &mut copies))?;
            for (copy, element) in copies.iter().zip(&known) {
                if !guarded(|| lattice.equals(copy, element))? {
                    return Err(UserError::new("it changes the element, which it must not"));
                }
            }
            Ok(result)
        };
        result().map_err(|error| self.fails(name, numbers, error))
    }

    /// Returns the number of an element that a function has made of others.
    fn number(&self, name: &str, of: &[i32], element: Element) -> Result<i32, FailureId> {
        let lattice = &*self.made()?.lattice;
        self.shared.elements.number(lattice, element).map_err(|error| self.fails(name, of, error))
    }

    /// Returns whether an element covers another.
    ///
    /// # Errors
    /// A function of the user fails.
    pub fn covers(&self, large: i32, small: i32) -> Result<bool, FailureId> {
        if large == small {
            return Ok(true);
        }
        self.shared.covers.get((large, small), &self.failures, |_| {
            self.ask("`covers`", &[large, small], |lattice, e| lattice.covers(&e[0], &e[1]))
        })
    }

    /// Returns the join of two elements.
    ///
    /// # Errors
    /// A function of the user fails.
    pub fn joined(&self, a: i32, b: i32) -> Result<i32, FailureId> {
        self.shared.joins.get((a, b), &self.failures, |_| {
            let join = self.ask("`join`", &[a, b], |lattice, e| lattice.join(&e[0], &e[1]))?;
            self.number("`join`", &[a, b], join)
        })
    }

    /// Returns the meet of two elements, if it is known.
    pub(crate) fn met(&self, a: i32, b: i32) -> Option<i32> {
        self.or_stop(None, || {
            let meet = self.ask("`meet`", &[a, b], |lattice, e| lattice.meet(&e[0], &e[1]))?;
            meet.map(|meet| self.number("`meet`", &[a, b], meet)).transpose()
        })
    }

    fn widened(&self, old: i32, new: i32, thresholds: &[i32]) -> Result<i32, FailureId> {
        self.shared.widenings.get((old, new, thresholds.to_vec()), &self.failures, |_| {
            match self.ask("`widen`", &[old, new], |lattice, e| lattice.widen(&e[0], &e[1], thresholds))? {
                Some(element) => self.number("`widen`", &[old, new], element),
                None => self.joined(old, new),
            }
        })
    }

    /// Calls a method by its index among those that the user has named.
    fn called(&self, method: usize, access: Access, this: i32, arguments: &[i32]) -> Result<Called, FailureId> {
        let question = (method, access, this, arguments.to_vec());
        self.shared.calls.get(question, &self.failures, |_| {
            let name = self.call_text(method, arguments);
            let result = |value: Option<i64>| self.result(method, access, value);
            match access {
                Access::Read => {
                    let value = self.ask(&name, &[this], |lattice, e| {
                        lattice.call(method, &mut e[0], arguments, access).and_then(result)
                    })?;
                    Ok((this, value))
                }
                Access::Change => {
                    let lattice = &*self.made()?.lattice;
                    let mut element = self.copy_of(this).map_err(|error| self.fails(&name, &[this], error))?;
                    let other = match arguments {
                        [number] if self.of_two.contains(&Some(method)) => {
                            Some(self.copy_of(*number).map_err(|error| self.fails(&name, &[this], error))?)
                        }
                        _ => None,
                    };
                    let value = guarded(|| match &other {
                        Some(other) => lattice.combine(method, &mut element, other).map(|()| 0),
                        None => lattice.call(method, &mut element, arguments, access).and_then(result),
                    });
                    let value = value.map_err(|error| self.fails(&name, &[this], error))?;
                    Ok((self.number(&name, &[this], element)?, value))
                }
            }
        })
    }

    /// Returns what is left of an element that is restricted by a constraint on its clocks.
    pub(super) fn constrained(&self, this: i32, constraint: ElementConstraint) -> Result<i32, FailureId> {
        self.shared.constrained.get((this, constraint), &self.failures, |_| {
            let name = format!("`{}`", constraint.text(&self.clocks));
            self.changed(&name, this, |lattice, element| lattice.constrain(element, &constraint))
        })
    }

    /// Returns what an element becomes when a clock is set.
    pub(super) fn with_clock(&self, this: i32, clock: usize, value: i32) -> Result<i32, FailureId> {
        self.shared.clocks_set.get((this, clock, value), &self.failures, |_| {
            let name = format!("`{} = {value}`", self.clocks[clock]);
            self.changed(&name, this, |lattice, element| match value {
                ..0 => Err(UserError::new("a clock is not negative")),
                _ => lattice.set_clock(element, clock, value),
            })
        })
    }

    /// Returns whether the clocks of an element have no values.
    pub(super) fn is_empty(&self, this: i32) -> Result<bool, FailureId> {
        self.shared
            .empty
            .get(this, &self.failures, |_| self.ask("`isEmpty`", &[this], |lattice, e| lattice.is_empty(&e[0])))
    }

    /// Calls a function that changes a copy of an element.
    fn changed(
        &self,
        name: &str,
        this: i32,
        function: impl FnOnce(&dyn UserLattice, &mut Element) -> Result<(), UserError>,
    ) -> Result<i32, FailureId> {
        let lattice = &*self.made()?.lattice;
        let mut element = self.copy_of(this).map_err(|error| self.fails(name, &[this], error))?;
        guarded(|| function(lattice, &mut element)).map_err(|error| self.fails(name, &[this], error))?;
        self.number(name, &[this], element)
    }

    /// Returns the names of the clocks of its elements.
    pub(super) fn clocks(&self) -> &[String] {
        &self.clocks
    }

    fn call_text(&self, method: usize, arguments: &[i32]) -> String {
        let text = |number: &i32| match self.of_two.contains(&Some(method)) {
            true => self.show(&[*number]),
            false => number.to_string(),
        };
        let arguments: Vec<String> = arguments.iter().map(text).collect();
        format!("`{}({})`", self.methods[method].name, arguments.join(", "))
    }

    /// Checks the result of a method.
    fn result(&self, method: usize, access: Access, value: Option<i64>) -> Result<i32, UserError> {
        let method = &self.methods[method + if access == Access::Change { self.methods.len() / 2 } else { 0 }];
        match (method.result, value) {
            (ReturnType::Nothing, _) => Ok(0),
            (_, None) => Err(UserError::new("it returns nothing where a number is needed")),
            (ReturnType::Bool, Some(value)) => Ok(i32::from(value != 0)),
            (ReturnType::Int, Some(value)) => i32::try_from(value)
                .map_err(|_| UserError::new(format!("it returns {value}, which is no number of 32 bits"))),
        }
    }

    /// Calls a function whose failure no run-time error can stand for: then the work is stopped.
    /// Until it is, nothing is called.
    pub(super) fn or_stop<R>(&self, default: R, function: impl FnOnce() -> Result<R, FailureId>) -> R {
        if self.failures.stops() {
            return default;
        }
        function().unwrap_or_else(|id| {
            self.failures.stop_for(id);
            default
        })
    }

    /// Returns violations of what the class says about its methods: a call in words, two elements,
    /// the second above the first, for which it was made, and whether it is not monotone. Otherwise
    /// its result does not follow its trend.
    pub(crate) fn violations(&self) -> Vec<(String, [i32; 2], bool)> {
        let mut calls = self.shared.calls.all();
        calls.sort_unstable();
        let mut counts: HashMap<(usize, Access, Vec<i32>), usize> = HashMap::new();
        calls.retain(|((method, access, _, arguments), _)| {
            let count = counts.entry((*method, *access, arguments.clone())).or_default();
            *count += 1;
            *count <= MAX_COMPARED
        });
        let mut found: Vec<(String, [i32; 2], bool)> = Vec::new();
        let count = self.methods.len() / 2;
        for ((method, access, small, arguments), (after, result)) in &calls {
            let described = &self.methods[method + if *access == Access::Change { count } else { 0 }];
            let has_trend = described.trend != Trend::Varies && described.result != ReturnType::Nothing;
            let keeps_order = described.changes && described.monotone;
            if !has_trend && !keeps_order {
                continue;
            }
            let same = calls.iter().filter(|((other, how, large, args), _)| {
                (other, how, args) == (method, access, arguments) && large != small
            });
            for ((_, _, large, _), (after_large, result_large)) in same {
                if !matches!(self.covers(*large, *small), Ok(true)) {
                    continue;
                }
                let falls = match described.trend {
                    Trend::Rises => result > result_large,
                    Trend::Falls => result < result_large,
                    Trend::Varies => false,
                };
                let shrinks = keeps_order && !matches!(self.covers(*after_large, *after), Ok(true));
                if (falls && has_trend) || shrinks {
                    let text = self.call_text(*method, arguments);
                    if found.iter().all(|known| (&known.0, known.2) != (&text, shrinks)) {
                        found.push((text, [*small, *large], shrinks));
                    }
                }
            }
        }
        found
    }
}

/// Returns the methods of an interface: to read elements, then to change them.
fn methods(interface: &Interface) -> Vec<Method> {
    let method = |m: &super::UserMethod, changes: bool| {
        let parameters = &PARAMETERS[..m.parameters.min(PARAMETERS.len())];
        Method {
            name: Cow::Owned(m.name.clone()),
            parameters: Cow::Borrowed(parameters),
            optional: m.optional.min(parameters.len()),
            result: if changes { ReturnType::Nothing } else { m.result },
            changes,
            monotone: m.monotone,
            trend: if changes { Trend::Rises } else { m.trend },
            help: "a method of the user",
        }
    };
    let all = &interface.methods;
    all.iter().map(|m| method(m, false)).chain(all.iter().map(|m| method(m, true))).collect()
}

impl Lattice for Interned {
    fn name(&self) -> String {
        let list = |all: Vec<String>, before: &str, after: &str| match all.is_empty() {
            true => String::new(),
            false => format!("{before}{}{after}", all.join(if before == "(" { ", " } else { "][" })),
        };
        let values = list(self.values.iter().map(ToString::to_string).collect(), "(", ")");
        let dimensions = list(self.dimensions.iter().map(ToString::to_string).collect(), "[", "]");
        let clocks = list(self.clocks.clone(), "(", ")");
        format!("{}{values}{dimensions}{clocks}", self.shared.class.name())
    }

    fn width(&self) -> usize {
        1
    }

    fn range(&self, _: usize) -> (i32, i32) {
        (0, i32::MAX)
    }

    fn initial(&self, out: &mut [i32]) {
        out[0] = self.or_stop(0, || self.made().map(|made| made.initial));
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        self.or_stop(false, || self.covers(b[0], a[0]))
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        let before = into[0];
        if before != other[0] {
            into[0] = self.or_stop(before, || self.joined(before, other[0]));
        }
        into[0] != before
    }

    fn widen(&self, into: &mut [i32], other: &[i32], thresholds: &[i32]) -> bool {
        let before = into[0];
        into[0] = self.or_stop(before, || self.widened(before, other[0], thresholds));
        into[0] != before
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        self.made().is_ok_and(|made| made.bottom == Some(element[0]))
            || !self.clocks.is_empty() && self.or_stop(false, || self.is_empty(element[0]))
    }

    fn delay(&self) -> Option<Delay> {
        self.delay
    }

    fn numeric(&self) -> Option<&dyn Numeric> {
        if self.clocks.is_empty() { None } else { Some(self) }
    }

    fn methods(&self) -> &[Method] {
        &self.methods
    }

    fn changing(&self, method: usize) -> Option<usize> {
        let count = self.methods.len() / 2;
        (method < count).then_some(method + count)
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let count = self.methods.len() / 2;
        let (method, access) = if method < count { (method, Access::Read) } else { (method - count, Access::Change) };
        let (after, result) = self.called(method, access, this[0], args).map_err(Misuse::Failed)?;
        this[0] = after;
        Ok(result)
    }

    fn bit_trend(&self) -> Trend {
        self.indexing.as_ref().map_or(Trend::Varies, |indexing| self.methods[indexing.get].trend)
    }

    fn operators(&self) -> Option<Operators> {
        self.operators
    }

    fn indexing(&self) -> Option<&Indexing> {
        self.indexing.as_ref()
    }

    fn fields(&self) -> &[(Cow<'static, str>, usize)] {
        &self.fields
    }

    fn interned(&self) -> Option<&Interned> {
        Some(self)
    }

    fn show(&self, element: &[i32]) -> String {
        let known = self.element(element[0]).zip(self.shared.made.get().and_then(|made| made.as_ref().ok()));
        let text = known.and_then(|(element, made)| guarded(|| made.lattice.show(&element)).ok());
        text.unwrap_or_else(|| format!("element {}", element[0]))
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        out[0] = random(self.count().max(1) as u32) as i32;
    }
}

impl fmt::Debug for Interned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Interned({})", self.name())
    }
}
