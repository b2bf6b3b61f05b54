//! `merkhet list`

mod lattices;

use std::io::{self, Write};

use merkhet::{Abstraction, Choices, NetEncoding, Order, Update};
use model::{FEATURES, Support};
use smt::process::{SOLVERS, find};

use super::fail;
use crate::{
    args::{self, ListArgs, ReportFormat, Topic},
    json::{FeatureReport, OptionValue, VERSION, ValueReport},
    output::Streams,
    status::Status,
};

/// Runs the command.
pub fn run(args: &ListArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.topic == Topic::Lattices {
        return lattices::run(args, streams);
    }
    if args.name.is_some() {
        return fail("only `lattices` takes a name", streams);
    }
    let out = &mut *streams.out;
    match args.topic {
        Topic::Features => match args.format {
            ReportFormat::Text => write_features(out)?,
            ReportFormat::Json => {
                let features = FEATURES.iter().map(Into::into).collect();
                crate::json::write(&FeatureReport { version: VERSION, features }, out)?;
            }
        },
        Topic::Heuristics => write_values(heuristics(), args.format, out)?,
        Topic::Orders => write_values(values::<Order>(), args.format, out)?,
        Topic::Abstractions => write_values(values::<Option<Abstraction>>(), args.format, out)?,
        Topic::Updates => write_values(values::<Update>(), args.format, out)?,
        Topic::Joins => write_values(joins(), args.format, out)?,
        Topic::Encodings => write_values(values::<NetEncoding>(), args.format, out)?,
        Topic::Solvers => write_values(solvers(), args.format, out)?,
        Topic::Lattices => {}
    }
    Ok(Status::Fine)
}

fn write_features(out: &mut dyn Write) -> io::Result<()> {
    let width = FEATURES.iter().map(|f| f.name.chars().count()).max().unwrap_or(0);
    for feature in FEATURES {
        let support = match feature.support {
            Support::Yes => "yes",
            Support::Ignored => "ignored",
            Support::No => "no",
        };
        writeln!(out, "{:width$}  {support:7}  {}", feature.name, feature.note)?;
    }
    Ok(())
}

/// The heuristics with their estimates, properties and sources.
fn heuristics() -> Vec<OptionValue> {
    let named = verify::HEURISTICS.iter().map(|part| {
        let mut properties = Vec::new();
        properties.extend(part.admissible.then_some("admissible"));
        properties.extend(part.dead_ends.then_some("recognises dead ends"));
        properties.extend(part.clocks.then_some("considers clocks"));
        let tie = verify::second_estimate(part.name).map(|what| format!("; ties of `greedy`: {what} (--ties auto)"));
        let properties = if properties.is_empty() { String::new() } else { format!("; {}", properties.join(", ")) };
        OptionValue {
            name: part.name.to_owned(),
            note: format!("{}{properties} ({}){}", part.what, part.source, tie.unwrap_or_default()),
        }
    });
    let others = [
        ("user(EXPRESSION)", "an integer expression of the model (Behrmann and Fehnker, TACAS 2001)"),
        ("user", "the integer variable or function `heuristic` that the model declares"),
        ("max(A,B)", "the greatest of several; admissible if all are"),
        ("sum(A,B)", "the sum of several"),
        ("NAME(jump)", "hl, hu, hadd and hff with increments that reach all greater values at once"),
    ];
    named.chain(others.map(|(name, note)| OptionValue { name: name.to_owned(), note: note.to_owned() })).collect()
}

/// The strategies of `--join`.
fn joins() -> Vec<OptionValue> {
    verify::JOINS.iter().map(|part| OptionValue { name: part.name.to_owned(), note: part.help.to_owned() }).collect()
}

/// The built-in solver, and others with their paths.
fn solvers() -> Vec<OptionValue> {
    let own = OptionValue { name: "embedded".to_owned(), note: "built in: difference logic".to_owned() };
    let others = SOLVERS.iter().map(|profile| {
        let note = match find(profile) {
            Some(found) => {
                let version = found.version().unwrap_or_else(|| "no version".to_owned());
                format!("{} ({version})", found.path.display())
            }
            None => format!("not found: {}", profile.programs.join(", ")),
        };
        let tried = profile.tried.map_or("untried".to_owned(), |version| format!("tried with {version}"));
        OptionValue { name: profile.name.to_owned(), note: format!("{note}; {tried}; {}", profile.licence) }
    });
    std::iter::once(own).chain(others).collect()
}

/// The values of an option, with their help.
fn values<T: Choices>() -> Vec<OptionValue> {
    let possible = args::values::<T>();
    let value = |v: clap::builder::PossibleValue| OptionValue {
        name: v.get_name().to_owned(),
        note: v.get_help().map_or(String::new(), ToString::to_string),
    };
    possible.map(value).collect()
}

fn write_values(values: Vec<OptionValue>, format: ReportFormat, out: &mut dyn Write) -> io::Result<()> {
    if format == ReportFormat::Json {
        return crate::json::write(&ValueReport { version: VERSION, values }, out);
    }
    let width = values.iter().map(|v| v.name.len()).max().unwrap_or(0);
    for value in &values {
        writeln!(out, "{:width$}  {}", value.name, value.note)?;
    }
    Ok(())
}
