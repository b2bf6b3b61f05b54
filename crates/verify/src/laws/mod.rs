//! Checks what searches rely on, without searching.
//!
//! [`check_laws`] asks of each lattice that a model uses whether it is one, and of the guards,
//! invariants and updates of the model whether they are monotone: what a state can do, one with
//! greater elements can do as well. Elements are those that lattices make up, all of a type that
//! has few, and those of states that a short search meets. What is found comes with the smallest
//! elements that show it. That nothing is found is no proof.

mod elements;
mod monotone;
mod orders;
mod pieces;

use model::{Model, system::LatticeOrder};
use syntax::Diagnostic;

/// What was found out about the lattices of a model.
#[derive(Clone, Debug, Default)]
pub struct Laws {
    /// The lattices, in the order of their first variables.
    pub lattices: Vec<CheckedLattice>,
    /// How many guards, invariants and updates depend on elements of lattices.
    pub pieces: usize,
    /// How many of them are not monotone.
    pub lost: usize,
    /// What is wrong, by the places of declarations and edges.
    pub diagnostics: Vec<Diagnostic>,
}

/// A lattice whose laws were checked.
#[derive(Clone, Debug)]
pub struct CheckedLattice {
    /// Its name, with its arguments.
    pub name: String,
    /// The variables whose values are its elements.
    pub variables: Vec<String>,
    /// How many elements the laws were checked on.
    pub elements: usize,
    /// Whether these are all elements that there are.
    pub complete: bool,
    /// How many laws do not hold.
    pub violations: usize,
}

/// Checks the laws of all lattices that a model uses, and whether what it does with their elements
/// is monotone.
#[must_use]
pub fn check_laws(model: &Model) -> Laws {
    let system = &model.system;
    let mut laws = Laws::default();
    if system.lattices.is_empty() {
        return laws;
    }
    let failures = &system.code.failures;
    failures.begin();
    let met = elements::Met::new(system);
    let mut pools = vec![Vec::new(); system.lattices.len()];
    for first in 0..system.lattices.len() {
        let order = system.lattices[first].order;
        let is_same = |v: &usize| system.lattices[*v].order == order;
        if (0..first).any(|v| is_same(&v)) {
            continue;
        }
        let variables: Vec<usize> = (first..system.lattices.len()).filter(is_same).collect();
        let elements = match order {
            LatticeOrder::Library(number) => orders::library(model, &variables, number, &met, &mut laws),
            LatticeOrder::Model(order) => orders::model(model, &variables, &order, &met, &mut laws),
        };
        for v in variables {
            pools[v].clone_from(&elements);
        }
    }
    // Where orders are none there is nothing that could be monotone.
    if laws.diagnostics.is_empty() && system.code.stopped().is_none() {
        monotone::check(model, &met, &pools, &mut laws);
    }
    failures.end();
    if let Some(failure) = failures.reason() {
        let span = model.lattice_span(0);
        let d = Diagnostic::error("user-function", span, failure.to_string());
        laws.diagnostics.push(d.help("the laws were not checked any further"));
    }
    laws
}

/// Numbers below their argument, always the same ones (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
fn random() -> impl FnMut(u32) -> u32 {
    let mut state = 0_u64;
    move |below| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % u64::from(below.max(1))) as u32
    }
}
