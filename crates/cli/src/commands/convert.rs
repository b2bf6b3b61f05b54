//! `merkhet convert`

use std::{io, path::Path};

use syntax::{Sources, Tree};

use super::refuse;
use crate::{
    args::{ConvertArgs, ModelFormat},
    hooks::Printed,
    input::{Opened, is_dash},
    output::{Streams, reason, same_file, write_file},
    status::Status,
};

/// Runs the command; `print` turns a model into text.
pub fn run(
    args: &ConvertArgs,
    print: impl Fn(&Sources, &Tree, ModelFormat) -> Result<Printed, String>,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let format = match target(args) {
        Ok(format) => format,
        Err(why) => {
            streams.fail(&why)?;
            return Ok(Status::Wrong);
        }
    };
    let mut opened = Opened::check(&args.model, streams.stdin);
    if opened.has_errors() {
        return refuse(&mut opened, streams);
    }
    let Some(tree) = opened.tree() else { return Ok(Status::Wrong) };
    let printed = match print(&opened.sources, tree, format) {
        Ok(printed) => printed,
        Err(why) => {
            streams.fail(&why)?;
            return Ok(Status::Wrong);
        }
    };
    if is_dash(&args.output) {
        streams.out.write_all(printed.text.as_bytes())?;
    } else if let Err(e) = write_file(&args.output, printed.text.as_bytes()) {
        streams.fail(&format!("can't write `{}`: {}", args.output.display(), reason(&e)))?;
        return Ok(Status::Wrong);
    }
    for lost in &printed.lost {
        writeln!(streams.err, "note: {lost}")?;
    }
    Ok(Status::Fine)
}

/// The format to write, if the file may be written at all.
fn target(args: &ConvertArgs) -> Result<ModelFormat, String> {
    let name = args.output.display();
    let Some(format) = args.to.or_else(|| by_ending(&args.output)) else {
        return Err(if is_dash(&args.output) {
            "name the format of the standard output with --to xml or --to xta".to_owned()
        } else {
            format!("the ending of `{name}` names no format; known are .xml and .xta, or use --to")
        });
    };
    if is_dash(&args.output) {
        return Ok(format);
    }
    if same_file(&args.model, &args.output) {
        return Err(format!("`{name}` is the model itself; write to another file"));
    }
    // Devices and pipes are there to be written to.
    if args.output.metadata().is_ok_and(|m| m.is_file()) && !args.force {
        return Err(format!("`{name}` exists; --force replaces it"));
    }
    Ok(format)
}

fn by_ending(path: &Path) -> Option<ModelFormat> {
    match path.extension()?.to_ascii_lowercase().to_str()? {
        "xml" => Some(ModelFormat::Xml),
        "xta" => Some(ModelFormat::Xta),
        _ => None,
    }
}
