//! Figures as text.

use std::io::{self, Write};

use crate::json::bench::{Figures, KernelsReport, ModelRun, ScalingPoint, ScalingReport, ZonesReport, ZonesRun};

/// The columns after the first one, with their widths.
const ZONES: [(&str, usize); 13] = [
    ("size", 5),
    ("stored", 9),
    ("visited", 9),
    ("transitions", 12),
    ("seconds", 9),
    ("states/s", 10),
    ("MB", 8),
    ("B/stored", 9),
    ("Minstr", 8),
    ("instr/tr", 10),
    ("B/tr", 7),
    ("time", 7),
    ("instr", 7),
];

/// The width of the first column.
const NAME_WIDTH: usize = 21;

/// Seconds, with significant digits.
pub fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.2}") } else { format!("{seconds:.1}") }
}

/// Writes the headings of the columns.
pub fn write_zones_header(out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{:NAME_WIDTH$}", "family")?;
    ZONES.iter().try_for_each(|(name, width)| write!(out, "{name:>width$}"))?;
    writeln!(out)
}

/// Writes a line for each tool: merkhet, recorded figures, figures measured here.
pub fn write_zones_run(run: &ZonesRun, out: &mut dyn Write) -> io::Result<()> {
    let ours = &run.merkhet;
    write_figures(run.family, Some(run.size), ours, None, out)?;
    // Times of another machine can't be compared; instructions can.
    let recorded = run.recorded.map(|other| (other, Figures { seconds: None, ..*ours }));
    if let Some((other, ours)) = recorded {
        write_figures("  TChecker, recorded", None, &other, Some(&ours), out)?;
    }
    if let Some(other) = &run.tck_reach {
        write_figures("  tck-reach, here", None, other, Some(ours), out)?;
    }
    Ok(())
}

/// Writes the line of a model of other people.
pub fn write_model_run(run: &ModelRun, out: &mut dyn Write) -> io::Result<()> {
    write_figures(run.model, None, &run.merkhet, None, out)
}

/// Writes figures; the last columns are multiples of `ours`.
fn write_figures(
    name: &str,
    size: Option<u32>,
    figures: &Figures,
    ours: Option<&Figures>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let whole = |n: Option<f64>| n.map(|n| format!("{n:.0}"));
    let part = |n: Option<f64>| n.map(|n| if n < 100.0 { format!("{n:.3}") } else { format!("{n:.1}") });
    let times = |a: Option<f64>, b: Option<f64>| Some(format!("{:.1}x", a? / b.filter(|b| *b > 0.0)?));
    let ours = ours.copied().unwrap_or_default();
    let cells = [
        size.map(|size| size.to_string()),
        Some(figures.stored.to_string()),
        Some(figures.visited.to_string()),
        figures.transitions.map(|n| n.to_string()),
        part(figures.seconds),
        whole(figures.states_per_second),
        figures.megabytes.map(|n| format!("{n:.1}")),
        whole(figures.bytes_per_stored),
        whole(figures.million_instructions),
        whole(figures.instructions_per_transition),
        whole(figures.bytes_per_transition),
        times(figures.seconds, ours.seconds),
        times(figures.million_instructions, ours.million_instructions),
    ];
    let mut line = format!("{name:NAME_WIDTH$}");
    for ((_, width), cell) in ZONES.iter().zip(cells) {
        line += &format!("{:>width$}", cell.unwrap_or_default());
    }
    writeln!(out, "{}", line.trim_end())
}

/// Writes the notes below the table.
pub fn write_zones_notes(report: &ZonesReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nAbstraction {}, order {}; the whole state space.", report.abstraction, report.order)?;
    if !report.models.is_empty() {
        writeln!(out, "Public models: the plan of `merkhet verify`, breadth-first; up to a number of stored states.")?;
    }
    writeln!(
        out,
        "MB and B/stored: of all that merkhet's search keeps, tables included; of TChecker's whole process."
    )?;
    writeln!(out, "Recorded: {}.", report.source)?;
    write_notes(&report.notes, out)
}

fn write_notes(notes: &[String], out: &mut dyn Write) -> io::Result<()> {
    notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

/// Writes the cost of a generated state, at growing sizes and during the largest run.
pub fn write_scaling(report: &ScalingReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}, abstraction {}, order {}", report.family, report.abstraction, report.order)?;
    writeln!(out, "\nGrowing sizes:")?;
    write_points(&report.sizes, out)?;
    if let [first, ..] = report.largest[..] {
        writeln!(out, "\nProgress of size {}:", first.size)?;
        write_points(&report.largest, out)?;
    }
    write_notes(&report.notes, out)
}

fn write_points(points: &[ScalingPoint], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  size  clocks   generated      stored   seconds  ns/generated  ns/bound")?;
    for p in points {
        let cut = if p.complete { "" } else { "  stopped here" };
        writeln!(
            out,
            "{:>6}{:>8}{:>12}{:>12}{:>10.3}{:>14.0}{:>10.2}{cut}",
            p.size, p.clocks, p.generated, p.stored, p.seconds, p.nanoseconds, p.nanoseconds_per_bound
        )?;
    }
    Ok(())
}

/// Writes the cost of the operations on zones.
pub fn write_kernels(report: &KernelsReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:16}{:>10}{:>10}{:>10}{:>10}", "operation", "dimension", "ns", "copies", "UDBM, ns")?;
    for k in &report.kernels {
        let udbm = k.udbm.map_or(String::new(), |ns| format!("{ns:.0}"));
        let line = format!("{:16}{:>10}{:>10.1}{:>10.1}{udbm:>10}", k.kernel, k.dimension, k.nanoseconds, k.copies);
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out, "\nns: the fastest of many runs, with the copy that the operation works on; inclusion needs none.")?;
    writeln!(out, "copies: how many plain copies of the same row take as long.")?;
    writeln!(out, "UDBM: {}.", report.source)?;
    write_notes(&report.notes, out)
}
