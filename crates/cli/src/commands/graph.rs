//! `merkhet graph`

use std::{io, path::Path};

use syntax::{Sources, Tree, nearest};

use super::refuse;
use crate::{
    args::{DrawingFormat, GraphArgs},
    input::{Opened, is_dash},
    output::{Streams, reason, same_file, write_file},
    status::Status,
};

/// Runs the command; `draw` turns templates into a drawing.
pub fn run(
    args: &GraphArgs,
    draw: impl Fn(&Sources, &Tree, &[usize], DrawingFormat) -> Result<String, String>,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let format = match target(args) {
        Ok(format) => format,
        Err(why) => {
            streams.fail(&why)?;
            return Ok(Status::Wrong);
        }
    };
    // A drawing helps to find what is wrong with a model, so it only has to be readable.
    let mut opened = Opened::read(&args.model, streams.stdin);
    if opened.has_errors() {
        return refuse(&mut opened, streams);
    }
    let Some(tree) = opened.tree() else { return Ok(Status::Wrong) };
    let drawing = chosen(tree, &args.template).and_then(|templates| draw(&opened.sources, tree, &templates, format));
    let drawing = match drawing {
        Ok(drawing) => drawing,
        Err(why) => {
            streams.fail(&why)?;
            return Ok(Status::Wrong);
        }
    };
    if is_dash(&args.output) {
        streams.out.write_all(drawing.as_bytes())?;
    } else if let Err(e) = write_file(&args.output, drawing.as_bytes()) {
        streams.fail(&format!("can't write `{}`: {}", args.output.display(), reason(&e)))?;
        return Ok(Status::Wrong);
    }
    Ok(Status::Fine)
}

/// The numbers of the templates with these names, in the order of the model; all of them if no name is given.
fn chosen(tree: &Tree, names: &[String]) -> Result<Vec<usize>, String> {
    let known = |i: usize| tree.text(tree.templates[i].name.sym);
    let all = 0..tree.templates.len();
    for name in names {
        if !all.clone().any(|i| known(i) == name) {
            let hint =
                nearest(name, all.clone().map(known)).map_or(String::new(), |n| format!("; did you mean `{n}`?"));
            return Err(format!("the model has no template `{name}`{hint}"));
        }
    }
    Ok(all.filter(|&i| names.is_empty() || names.iter().any(|name| name == known(i))).collect())
}

/// The format to write, if the file may be written at all.
fn target(args: &GraphArgs) -> Result<DrawingFormat, String> {
    let name = args.output.display();
    if is_dash(&args.output) {
        return Ok(args.format.unwrap_or(DrawingFormat::Svg));
    }
    if same_file(&args.model, &args.output) {
        return Err(format!("`{name}` is the model itself; write to another file"));
    }
    args.format
        .or_else(|| by_ending(&args.output))
        .ok_or_else(|| format!("the ending of `{name}` names no format; known are .svg, .dot and .gv, or use --format"))
}

fn by_ending(path: &Path) -> Option<DrawingFormat> {
    match path.extension()?.to_ascii_lowercase().to_str()? {
        "svg" => Some(DrawingFormat::Svg),
        "dot" | "gv" => Some(DrawingFormat::Dot),
        _ => None,
    }
}
