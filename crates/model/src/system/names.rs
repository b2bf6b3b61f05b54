//! Names of slots, texts of lattice elements and of run-time errors, for reports.

use super::{LatticeOrder, Shape, System};
use crate::{
    code::Op,
    machine::{Fault, FaultKind},
};

impl System {
    /// Renders an element of a lattice variable, given by its index in [`Network::lattices`].
    ///
    /// [`Network::lattices`]: super::Network::lattices
    #[must_use]
    pub fn show_element(&self, variable: usize, element: &[i32]) -> String {
        let v = &self.lattices[variable];
        match v.order {
            LatticeOrder::Library(number) => self.library[number as usize].0.show(element),
            LatticeOrder::Model(_) => {
                let field = |i: usize| {
                    let full = self.slot_name(v.first + i as u32);
                    let name = full.strip_prefix(v.name.as_str()).unwrap_or(&full).trim_start_matches('.').to_owned();
                    format!("{name} = {}", element[i])
                };
                format!("({})", (0..element.len()).map(field).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Describes a run-time error. That of a net is about a place.
    #[must_use]
    pub fn explain(&self, fault: &Fault) -> String {
        if let FaultKind::User(id) = fault.kind
            && let Some(failure) = self.code.failures.get(id)
        {
            return failure.to_string();
        }
        let FaultKind::Range { value, high, .. } = fault.kind else { return fault.kind.to_string() };
        // A value is checked right before it is stored.
        let stored = (fault.pc as usize + 1 < self.code.len()).then(|| self.code.op(fault.pc + 1));
        let Some(Op::Move { to, .. }) = stored else { return fault.kind.to_string() };
        let (first, places) = (self.processes.len(), self.net.as_ref().map_or(0, |net| net.places.len()));
        if !(first..first + places).contains(&(to as usize)) {
            return fault.kind.to_string();
        }
        match (self.slot_name(to), value, high) {
            (place, 2, 1) => format!("place `{place}` gets a second token"),
            (place, value, high) => format!("place `{place}` gets {value} tokens, more than its limit of {high}"),
        }
    }

    /// Returns the name of a slot that belongs to a variable: `P.a[2].f`.
    #[must_use]
    pub fn slot_name(&self, slot: u32) -> String {
        let i = self.variables.partition_point(|v| v.first <= slot).saturating_sub(1);
        let Some(variable) = self.variables.get(i) else { return String::new() };
        let mut text = variable.name.clone();
        let mut at = slot - variable.first;
        let mut shape = &*variable.shape;
        loop {
            match shape {
                Shape::Array { low, element, .. } => {
                    let each = element.size().ints.max(1);
                    text.push_str(&format!("[{}]", *low + (at / each) as i32));
                    at %= each;
                    shape = element;
                }
                Shape::Struct { fields, .. } => {
                    let Some((field, inner)) = fields.iter().find(|(_, f)| {
                        let size = f.size().ints;
                        let found = at < size;
                        if !found {
                            at -= size;
                        }
                        found
                    }) else {
                        return text;
                    };
                    text.push_str(&format!(".{field}"));
                    shape = inner;
                }
                Shape::Lattice { width: 2.., .. } => return format!("{text}#{at}"),
                _ => return text,
            }
        }
    }
}
