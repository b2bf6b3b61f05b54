//! `merkhet list`

use std::io::{self, Write};

use model::{FEATURES, Support};

use crate::{
    args::{ListArgs, ReportFormat, Topic},
    json::{FeatureReport, VERSION},
    output::Streams,
    status::Status,
};

/// Runs the command.
pub fn run(args: &ListArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    match (args.topic, args.format) {
        (Topic::Features, ReportFormat::Text) => write_features(streams.out)?,
        (Topic::Features, ReportFormat::Json) => {
            let report = FeatureReport { version: VERSION, features: FEATURES.iter().map(Into::into).collect() };
            serde_json::to_writer_pretty(&mut *streams.out, &report)?;
            writeln!(streams.out)?;
        }
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
