//! Recorded figures: `merkhet bench zones --compare` and `--record`.

use std::io;

use ::bench::baseline::{Baseline, BaselineError, Change, Entry};

use super::read;
use crate::{
    args::ZonesArgs,
    json::bench::{Figures, ZonesReport},
    output::Streams,
    outputs::{Outputs, Target},
    render::one_line,
    status::Status,
};

/// The figures that new ones are compared with, and the file into which they are written.
pub struct Recording {
    known: Option<Baseline>,
    file: Option<Target>,
}

impl Recording {
    /// Reads and starts the files, before anything is measured.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn start(args: &ZonesArgs) -> Result<Recording, Vec<String>> {
        let known = match &args.compare {
            None => None,
            Some(path) => {
                let name = one_line(&path.display().to_string());
                let text = read(path).map_err(|why| vec![why.message])?;
                let whys = |errors: Vec<BaselineError>| {
                    errors.iter().map(|why| format!("`{name}`, {why}")).collect::<Vec<_>>()
                };
                Some(Baseline::parse(&text).map_err(whys)?)
            }
        };
        let file = args.record.as_deref().map(|file| Outputs::new(std::iter::empty()).start(file));
        Ok(Recording { known, file: file.transpose().map_err(|why| vec![why.to_string()])? })
    }

    /// Compares figures with the recorded ones.
    pub fn judge(&self, entries: &[Entry], tolerance: u32, notes: &mut Vec<String>) -> Status {
        let Some(known) = &self.known else { return Status::Fine };
        let mut status = Status::Fine;
        // A number that is rounded to zero has no sign.
        let percent = |share: f64| format!("{:+.1} %", (1000.0 * (share - 1.0)).round() / 10.0 + 0.0);
        for entry in entries {
            let name = &entry.model;
            match known.compare(entry, f64::from(tolerance) / 100.0) {
                Change::Same => {}
                Change::New => notes.push(format!("{name}: nothing is recorded")),
                Change::Counts { recorded: [stored, transitions] } => {
                    status = Status::Unsatisfied;
                    notes.push(format!(
                        "{name}: {} states and {} transitions, and {stored} and {transitions} are recorded",
                        entry.stored, entry.transitions
                    ));
                }
                Change::Worse(instructions, bytes) => {
                    status = Status::Unsatisfied;
                    let (instructions, bytes) = (percent(instructions), percent(bytes));
                    notes.push(format!("{name} costs more than recorded: instructions {instructions}, bytes {bytes}"));
                }
                Change::Better(instructions, bytes) => {
                    let (instructions, bytes) = (percent(instructions), percent(bytes));
                    notes.push(format!("{name} costs less than recorded: instructions {instructions}, bytes {bytes}"));
                }
            }
        }
        status
    }

    /// Writes the figures into the file of `--record`, if all searches have ended as they should.
    pub fn write(self, entries: &[Entry], status: Status, streams: &mut Streams<'_>) -> io::Result<Status> {
        let Some(target) = self.file else { return Ok(Status::Fine) };
        if status != Status::Fine {
            return super::fail("nothing is recorded, since some search has no result", streams);
        }
        let build = if cfg!(debug_assertions) { "without optimisation" } else { "release" };
        let remark = format!("merkhet {}, {build}; add the options of the build", env!("CARGO_PKG_VERSION"));
        super::write_target(target, &Baseline::text(&remark, entries), "the figures", streams)
    }
}

/// The figures that can be recorded.
pub fn entries(report: &ZonesReport) -> impl Iterator<Item = Entry> {
    let families = report.runs.iter().map(|run| (format!("{} {}", run.family, run.size), &run.merkhet));
    let models = report.models.iter().map(|run| (run.model.to_owned(), &run.merkhet));
    families.chain(models).filter_map(|(model, figures)| entry(model, figures))
}

fn entry(model: String, figures: &Figures) -> Option<Entry> {
    Some(Entry {
        model,
        stored: figures.stored,
        transitions: figures.transitions?,
        instructions: figures.million_instructions?,
        bytes: figures.bytes_per_stored?,
    })
}
