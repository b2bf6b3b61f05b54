//! The summary of `merkhet check --laws`.

use std::io::{self, Write};

use crate::{
    json::lattices::{CheckedLattice, Laws},
    render::{count, one_line},
};

/// The variables of a lattice that are named.
const MAX_NAMED_VARIABLES: usize = 4;

/// Writes a line for each lattice, and one for guards, invariants and updates.
pub fn write(file: &str, laws: &Laws, out: &mut dyn Write) -> io::Result<()> {
    let file = one_line(file);
    if laws.lattices.is_empty() {
        return writeln!(out, "{file}: there are no lattices");
    }
    for lattice in &laws.lattices {
        writeln!(out, "{file}: {}: {}: {}", variables(lattice), lattice.name, verdict(lattice))?;
    }
    if laws.lattices.iter().any(|lattice| lattice.violations > 0) {
        return Ok(());
    }
    let depend = if laws.dependent == 1 { "depends" } else { "depend" };
    let monotone = match laws.not_monotone {
        0 => "all are monotone".to_owned(),
        1 => "1 is not monotone".to_owned(),
        lost => format!("{lost} are not monotone"),
    };
    writeln!(out, "{file}: guards, invariants and updates: {} {depend} on elements, {monotone}", laws.dependent)
}

fn variables(lattice: &CheckedLattice) -> String {
    let names = &lattice.variables;
    let named = names.iter().take(MAX_NAMED_VARIABLES).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_NAMED_VARIABLES {
        format!("{named} and {} more", names.len() - MAX_NAMED_VARIABLES)
    } else {
        named
    }
}

fn verdict(lattice: &CheckedLattice) -> String {
    if lattice.violations > 0 {
        let does = if lattice.violations == 1 { "does" } else { "do" };
        return format!("{} {does} not hold", count(lattice.violations, "law"));
    }
    let all = if lattice.complete { "all " } else { "" };
    format!("the laws hold on {all}{}", count(lattice.elements, "element"))
}
