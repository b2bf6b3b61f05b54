//! Operations on elements of lattices.

use lattice::{Lattice, Misuse, Numeric, Term};

use crate::{
    code::{Addr, CallKind, LatticeCall},
    interpret::Memory,
    machine::FaultKind,
};

/// Performs a call on the elements that the pointers from `at` on refer to.
pub(crate) fn call<M: Memory>(call: &LatticeCall, at: Addr, m: &mut M) -> Result<i32, FaultKind> {
    let lattice = &*call.lattice.0;
    let width = lattice.width();
    let mut environment = Vec::with_capacity(width * call.elements as usize);
    for i in 0..call.elements {
        let first = m.get(at + i) as u32;
        environment.extend((0..width as u32).map(|slot| m.get(first + slot)));
    }
    let arguments = at + call.elements;
    let values: Vec<i32> = (0..call.arguments).map(|i| m.get(arguments + i)).collect();
    let result = apply(lattice, &call.kind, &mut environment, &values)?;
    // Pointers may refer to the same element: the target of the assignment is written last.
    let last = if let CallKind::Assign { member, .. } = call.kind { member.min(call.elements - 1) } else { 0 };
    for i in (0..call.elements).filter(|i| *i != last).chain([last]) {
        let first = m.get(at + i) as u32;
        for slot in 0..width as u32 {
            m.set(first + slot, environment[i as usize * width + slot as usize]);
        }
    }
    Ok(result)
}

fn apply(lattice: &dyn Lattice, kind: &CallKind, environment: &mut [i32], values: &[i32]) -> Result<i32, FaultKind> {
    let term = |ops| Term { ops, values };
    let compare = |left, right| (term(left), term(right));
    // Only lattices of integers have terms.
    let numeric = |work: &mut dyn FnMut(&dyn Numeric) -> i32| match lattice.numeric() {
        Some(numeric) => Ok(work(numeric)),
        None => Err(FaultKind::Unsupported),
    };
    match kind {
        CallKind::Method(number) => {
            lattice.call(*number as usize, environment, values).map_err(|misuse| match misuse {
                Misuse::Argument { argument, low, high } => {
                    FaultKind::Argument { value: values.get(argument).copied().unwrap_or(0), low, high }
                }
                Misuse::Failed(failure) => FaultKind::User(failure),
            })
        }
        CallKind::Assign { member, term: ops } => numeric(&mut |n| {
            n.assign(environment, *member as usize, &term(ops));
            0
        }),
        CallKind::Assume(left, cmp, right) => numeric(&mut |n| {
            let (left, right) = compare(left, right);
            i32::from(n.assume(environment, &left, *cmp, &right))
        }),
        CallKind::May(left, cmp, right) => numeric(&mut |n| {
            let (left, right) = compare(left, right);
            i32::from(n.may(environment, &left, *cmp, &right))
        }),
        CallKind::Alive => Ok(i32::from(!lattice.is_bottom(environment))),
    }
}
