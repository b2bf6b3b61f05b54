//! `merkhet check`

use std::{
    io::{self, Read},
    path::Path,
};

use merkhet::reading::QueryText;
use show::check::{CheckedModel, With};

use super::fail;
use crate::{
    args::{CheckArgs, CheckFormat},
    input,
    json::{CheckReport, VERSION},
    output::Streams,
    queries,
    render::Renderer,
    sarif,
    status::Status,
};

/// Runs the command.
pub fn run(args: &CheckArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.models.iter().chain(&args.queries).filter(|p| input::is_dash(p)).count() > 1 {
        return fail("the standard input can be read only once", streams);
    }
    let queries = queries::texts(&args.queries, &args.query, &mut |path| input::read_text(path, streams.stdin));
    let renderer = Renderer::new(streams.out_color);
    let mut report = CheckReport { version: VERSION, files: Vec::new() };
    let mut status = Status::Fine;
    for path in &args.models {
        let checked = check(path, args, &queries, streams.stdin);
        status = status.max(status_of(&checked, args.deny_warnings));
        match args.format {
            CheckFormat::Text => {
                checked.write(&renderer, streams.out)?;
                streams.out.flush()?;
            }
            CheckFormat::Json | CheckFormat::Sarif => report.files.push(checked.json()),
        }
    }
    match args.format {
        CheckFormat::Text => {}
        CheckFormat::Json => crate::json::write(&report, streams.out)?,
        CheckFormat::Sarif => sarif::write_check(&report, status, streams.out)?,
    }
    Ok(status)
}

fn check(path: &Path, args: &CheckArgs, queries: &[QueryText], stdin: &mut dyn Read) -> CheckedModel {
    let document = input::check(path, &args.constants, stdin).deny_unsupported();
    let mut read = |path: &Path| input::read_text(path, &mut io::empty());
    let beside = queries::texts(queries::beside(path).as_slice(), &[], &mut read);
    CheckedModel::new(document, &With { queries, beside: &beside, laws: args.laws })
}

fn status_of(checked: &CheckedModel, deny_warnings: bool) -> Status {
    if checked.stopped().is_some() {
        Status::Unknown
    } else if checked.is_wrong(deny_warnings) {
        Status::Wrong
    } else {
        Status::Fine
    }
}
