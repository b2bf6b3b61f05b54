//! Whether lattices are lattices.

use lattice::laws::{self, Law, Order, Violation};
use model::{
    Model, Signal,
    machine::{Fault, Machine},
    system::ModelOrder,
};
use syntax::Diagnostic;

use super::{
    CheckedLattice, Laws,
    elements::{MOST, Met, samples, values},
    random,
};

/// So many elements of a lattice of the library are compared with each other.
const LIBRARY: usize = 500;

/// So many elements of a class of the user, from the first to the last one.
const USER: usize = 150;

/// Checks a lattice of the library. Returns elements of it, small ones first.
pub(super) fn library(model: &Model, variables: &[usize], number: u32, met: &Met, laws: &mut Laws) -> Vec<Vec<i32>> {
    let system = &model.system;
    let lattice = &*system.library[number as usize].0;
    let stop = || system.code.stopped().is_some();
    let met = all_met(model, variables, met);
    let elements = match lattice.interned() {
        // Elements that have occurred, in the order in which they did. The class is asked about all
        // pairs of them.
        Some(interned) => {
            let count = interned.count();
            (0..USER.min(count)).map(|i| vec![(i * (count - 1) / (USER.min(count) - 1).max(1)) as i32]).collect()
        }
        None => samples(lattice, met, &stop),
    };
    let mut found = laws::check_until(lattice, &mut random(), &stop);
    let mut leq = |a: &[i32], b: &[i32]| stop() || lattice.leq(a, b);
    let mut join = |a: &mut [i32], b: &[i32]| !stop() && lattice.join(a, b);
    let (more, count) = laws::check_all(Order { leq: &mut leq, join: &mut join, widen: None }, &elements, LIBRARY);
    // What was asked for after that was not answered.
    let more = if stop() { Vec::new() } else { more };
    found.extend(more.into_iter().filter(|more| found.iter().all(|known| known.law != more.law)).collect::<Vec<_>>());
    let span = model.lattice_span(variables[0]);
    for violation in &found {
        let why = violation.explain(|element| lattice.show(element));
        let d = Diagnostic::error("lattice-law", span, format!("`{}` is no lattice: {why}", lattice.name()))
            .help("searches rely on this; the lattice has to be corrected");
        let operation = violation.operation();
        let place = lattice.interned().and_then(|interned| interned.place(operation));
        laws.diagnostics.push(match place {
            Some(place) => d.help(format!("`{operation}` is at {place}")),
            None => d,
        });
    }
    laws.lattices.push(CheckedLattice {
        name: lattice.name(),
        variables: names(model, variables),
        elements: count,
        complete: false,
        violations: found.len(),
    });
    elements
}

/// Checks a lattice that the model defines. Returns elements of it, small ones first.
pub(super) fn model(
    model: &Model,
    variables: &[usize],
    order: &ModelOrder,
    met: &Met,
    laws: &mut Laws,
) -> Vec<Vec<i32>> {
    let system = &model.system;
    let (name, span) = model.order_name(order).unwrap_or(("Lattice", model.lattice_span(variables[0])));
    let first = &system.lattices[variables[0]];
    let ranges = &system.ranges[first.first as usize..(first.first + first.width) as usize];
    let (elements, complete) = values(ranges, all_met(model, variables, met));
    let mut functions = Functions {
        machine: Machine::new(&system.code, system.initial.len()),
        order,
        failed: None,
        signal: system.code.signal,
    };
    let (found, count) = functions.check(&elements);
    let show = |element: &[i32]| system.show_element(variables[0], element);
    let mut diagnostics = Vec::new();
    if system.code.stopped().is_some() {
        // Nothing is known of what was not tried.
    } else if let Some((a, b, fault)) = &functions.failed {
        let message = format!("the functions of `{name}` fail for {} and {}: {}", show(a), show(b), fault.kind);
        diagnostics
            .push(Diagnostic::error("lattice-law", span, message).also(fault.span(&system.code), "it fails here"));
    } else {
        for violation in &found {
            let why = functions.explain(violation, show);
            diagnostics.push(Diagnostic::error("lattice-law", span, format!("`{name}` is no lattice: {why}")));
        }
    }
    let violations = diagnostics.len();
    laws.diagnostics.extend(diagnostics.into_iter().map(|d| d.help("searches rely on this to cover and join states")));
    laws.lattices.push(CheckedLattice {
        name: name.to_owned(),
        variables: names(model, variables),
        elements: count,
        complete,
        violations,
    });
    elements
}

fn names(model: &Model, variables: &[usize]) -> Vec<String> {
    variables.iter().map(|v| model.system.lattices[*v].name.clone()).collect()
}

fn all_met(model: &Model, variables: &[usize], met: &Met) -> Vec<Vec<i32>> {
    variables.iter().flat_map(|v| met.elements(&model.system.lattices[*v])).collect()
}

/// The functions of a lattice that the model defines.
struct Functions<'a> {
    machine: Machine<'a>,
    order: &'a ModelOrder,
    /// The first two elements that a function fails for.
    failed: Option<(Vec<i32>, Vec<i32>, Fault)>,
    /// Whether to go on. A function may be too short to ask, and is called a million times.
    signal: Signal,
}

/// What a function makes of two elements.
enum Made {
    Join,
    Widening,
}

impl Functions<'_> {
    fn check(&mut self, elements: &[Vec<i32>]) -> (Vec<Violation>, usize) {
        let widens = self.order.widen.is_some();
        // Three closures share the machine.
        let functions = std::cell::RefCell::new(self);
        let mut leq = |a: &[i32], b: &[i32]| functions.borrow_mut().leq(a, b);
        let mut join = |a: &mut [i32], b: &[i32]| functions.borrow_mut().make(&Made::Join, a, b);
        let mut widen = |a: &mut [i32], b: &[i32], _: &[i32]| functions.borrow_mut().make(&Made::Widening, a, b);
        let order = Order { leq: &mut leq, join: &mut join, widen: if widens { Some(&mut widen) } else { None } };
        laws::check_all(order, elements, MOST)
    }

    fn leq(&mut self, a: &[i32], b: &[i32]) -> bool {
        if self.signal.raised().is_some() {
            return true;
        }
        let result = self.machine.is_leq(self.order, a, b);
        result.unwrap_or_else(|fault| self.fail(a, b, fault))
    }

    fn make(&mut self, what: &Made, a: &mut [i32], b: &[i32]) -> bool {
        if self.signal.raised().is_some() {
            return false;
        }
        let made = match what {
            Made::Join => self.machine.join(self.order, a, b),
            Made::Widening => self.machine.widen(self.order, a, b),
        };
        match made {
            Ok(made) => {
                let changes = made != a;
                a.copy_from_slice(made);
                changes
            }
            Err(fault) => self.fail(a, b, fault),
        }
    }

    fn fail(&mut self, a: &[i32], b: &[i32], fault: Fault) -> bool {
        self.failed.get_or_insert_with(|| (a.to_vec(), b.to_vec(), fault));
        false
    }

    /// A violation in words, with what the functions make of the elements.
    fn explain(&mut self, violation: &Violation, show: impl Fn(&[i32]) -> String) -> String {
        let elements: Vec<String> = violation.elements.iter().map(|element| show(element)).collect();
        let mut made = |what: &Made| match &violation.elements[..] {
            [a, b, ..] => {
                let mut made = a.clone();
                self.make(what, &mut made, b);
                show(&made)
            }
            _ => String::new(),
        };
        match (violation.law, &elements[..]) {
            (Law::Reflexive, [a]) => format!("{a} is not less than or equal to itself"),
            (Law::Antisymmetric, [a, b]) => format!("{a} and {b} differ, and each is less than or equal to the other"),
            (Law::Transitive, [a, b, c]) => {
                format!("{a} is less than or equal to {b}, and that to {c}, but the first is not to the last")
            }
            (Law::UpperBound, [a, b]) => {
                format!("the join of {a} and {b} is {}, which is not above both", made(&Made::Join))
            }
            (Law::Least, [a, b, c]) => {
                let join = made(&Made::Join);
                format!(
                    "the join of {a} and {b} is {join}, which is not less than or equal to {c}, though that is above both"
                )
            }
            (Law::WidenUpperBound, [a, b]) => {
                format!("the widening of {a} and {b} is {}, which is not above both", made(&Made::Widening))
            }
            (Law::WidenTerminates, [a]) => format!("widening {a} with all elements over and over does not end"),
            _ => violation.explain(show),
        }
    }
}
