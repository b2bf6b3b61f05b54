//! What follows the verdict of an answer, as text: reservations, values, statistics, the join that
//! is to blame.

use std::io::{self, Write};

use crate::{
    json::verify::{
        Bound, Certificate, ExpressionBounds, Formulas, JoinBlame, Prepared, QueryResult, QueryValue, Stats,
    },
    measured::{write_estimate, write_work},
    render::{count, one_line},
};

/// Writes what follows the verdict: reservations, values, statistics on request, and certificates.
///
/// # Errors
/// The output could not be written.
pub fn write_details(result: &QueryResult, stats: bool, out: &mut dyn Write) -> io::Result<()> {
    if let Some(note) = &result.note {
        writeln!(out, "  {}", one_line(note))?;
    }
    match &result.value {
        Some(QueryValue::Bounds(values)) => write_values(values, out)?,
        Some(QueryValue::Estimate(estimate)) => write_estimate(estimate, out)?,
        None => {}
    }
    match (&result.stats, &result.value) {
        (Some(numbers), Some(QueryValue::Estimate(estimate))) if stats => write_work(numbers, estimate, out)?,
        (Some(numbers), _) if stats => write_stats(numbers, out)?,
        _ => {}
    }
    match &result.certificate {
        Some(Certificate { states: Some(states), .. }) => {
            writeln!(out, "  certificate with {}", count(*states, "state"))
        }
        Some(Certificate { clauses: Some(clauses), .. }) => {
            writeln!(out, "  certificate with {}", count(*clauses, "clause"))
        }
        Some(Certificate { reason: Some(reason), .. }) => writeln!(out, "  no certificate: {reason}"),
        _ => Ok(()),
    }
}

/// Writes the bounds of each expression.
fn write_values(values: &[ExpressionBounds], out: &mut dyn Write) -> io::Result<()> {
    if values.is_empty() {
        return writeln!(out, "    no state satisfies the condition");
    }
    let less = |bound: &Bound| if bound.strict { "<" } else { "<=" };
    let number = |bound: &Bound| bound.number.map_or("inf".to_owned(), |n| n.to_string());
    for ExpressionBounds { expression, least, greatest } in values {
        let text = one_line(expression);
        match (least, greatest) {
            (Some(low), Some(high)) => {
                writeln!(out, "    {} {} {text} {} {}", number(low), less(low), less(high), number(high))?;
            }
            (None, Some(high)) => writeln!(out, "    {text} {} {}", less(high), number(high))?,
            (Some(low), None) => {
                writeln!(out, "    {text} {} {}", if low.strict { ">" } else { ">=" }, number(low))?;
            }
            (None, None) => {}
        }
    }
    Ok(())
}

fn write_stats(stats: &Stats, out: &mut dyn Write) -> io::Result<()> {
    let Stats {
        explored,
        generated,
        added,
        stored,
        seconds,
        peak_bytes,
        peak_resident_bytes,
        queries,
        symmetry,
        local_time,
        threads,
        strategy,
        refinements,
        heuristic_failures: _,
        phases,
        decided_by,
        prepared,
        formulas,
    } = stats;
    if let Some(formulas) = formulas {
        return write_formulas(formulas, *seconds, out);
    }
    let counted = size(*peak_bytes);
    write!(
        out,
        "  explored {explored}, generated {generated}, added {added}, stored {stored} states; {seconds:.2} s; {counted}"
    )?;
    if let Some(bytes) = peak_resident_bytes {
        write!(out, " of {} resident", size(*bytes))?;
    }
    if *queries > 1 {
        write!(out, "; one search for {queries} queries")?;
    }
    if *symmetry {
        write!(out, "; with symmetry reduction")?;
    }
    if *local_time {
        write!(out, "; with local times")?;
    }
    if *threads > 1 {
        write!(out, "; in {threads} threads")?;
    }
    if let Some(strategy) = strategy {
        write!(out, "; decided by {strategy}")?;
    }
    if *refinements > 0 {
        write!(out, "; {} undone", count(*refinements, "join"))?;
    }
    writeln!(out)?;
    if phases.len() > 1 {
        let phases = phases.iter().map(|phase| format!("{} {}", phase.name, phase.explored));
        write!(out, "  explored by phases: {}", phases.collect::<Vec<_>>().join(", "))?;
        if let Some(phase) = decided_by {
            write!(out, "; decided by the {phase}")?;
        }
        writeln!(out)?;
    }
    if let Some(Prepared { states, nodes, predicates, rounds, lengths, stopped, seconds }) = prepared {
        write!(out, "  before the search: ")?;
        if *states > 0 || *nodes == 0 {
            write!(out, "{states} abstract states")?;
        }
        if *nodes > 0 {
            let comma = if *states > 0 { ", " } else { "" };
            write!(out, "{comma}{nodes} nodes of diagrams")?;
        }
        if *predicates > 0 {
            write!(out, ", {predicates} predicates")?;
        }
        if *rounds > 0 {
            write!(out, ", {rounds} rounds")?;
        }
        let lengths: Vec<String> = lengths.iter().map(|l| l.map_or("none".to_owned(), |l| l.to_string())).collect();
        if !lengths.is_empty() {
            write!(out, ", abstract paths of {}", lengths.join(" + "))?;
        }
        write!(out, "; {seconds:.2} s")?;
        if let Some(why) = stopped {
            write!(out, "; {why}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_formulas(formulas: &Formulas, seconds: f64, out: &mut dyn Write) -> io::Result<()> {
    let Formulas { encoding, solver, steps, variables, constraints, levels, clauses, induction, .. } = formulas;
    write!(out, "  {solver}; {seconds:.2} s; {}", count(*steps, "step"))?;
    if let (Some(encoding), Some(places), Some(transitions)) = (encoding, formulas.places, formulas.transitions) {
        let Formulas { booleans, reals, nodes, .. } = formulas;
        let (places, transitions) = (count(places, "place"), count(transitions, "transition"));
        write!(out, " of encoding {encoding} for {places} and {transitions}, ")?;
        write!(out, "{booleans} Boolean and {reals} real variables, {}", count(*nodes, "part"))?;
    }
    if let (Some(variables), Some(constraints)) = (variables, constraints) {
        write!(out, "; as the paper counts: {variables} variables, {constraints} constraints")?;
    }
    if let Some(levels) = levels {
        write!(out, "; {} of invariants", count(*levels, "level"))?;
    }
    if let Some(clauses) = clauses {
        write!(out, ", the last with {}", count(*clauses, "clause"))?;
    }
    if let Some(steps) = induction {
        write!(out, "; induction over {}", count(*steps, "step"))?;
    }
    writeln!(out)
}

/// Writes the join that is to blame for a spurious trace.
///
/// # Errors
/// The output could not be written.
pub fn write_blame(blame: &JoinBlame, out: &mut dyn Write) -> io::Result<()> {
    let place = match blame.step {
        0 => "at the start".to_owned(),
        step => format!("after step {step}"),
    };
    writeln!(out, "  to blame: the join {place}; the rest is possible from neither of its two states")?;
    for [name, stored, new, joined] in blame.differences() {
        let [name, stored, new, joined] = [&name, &stored, &new, &joined].map(|text| one_line(text));
        writeln!(out, "    {name}: {stored} stored, {new} new, {joined} joined")?;
    }
    if blame.zones {
        writeln!(out, "    clocks: only the convex hull of both zones has the values")?;
    }
    // The strategy is one word for a shell.
    writeln!(out, "  to exclude it: --join '{}'", one_line(&blame.strategy.replace('\'', "'\\''")))
}

/// A number of bytes with its unit.
pub fn size(bytes: usize) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|unit| bytes as f64 >= unit.1) {
        Some((unit, one)) => format!("{:.1} {unit}", bytes as f64 / one),
        None => format!("{bytes} B"),
    }
}
