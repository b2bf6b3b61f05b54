//! `merkhet graph`

mod states;
mod traces;

use std::{
    fmt::Display,
    io,
    path::{Path, PathBuf},
};

use show::written::{self, DrawingFormat};
use syntax::{Sources, Tree};
use thiserror::Error;

use super::{Destination, fail, refuse, stopped};
use crate::{
    args::GraphArgs,
    input::{self, is_dash},
    output::Streams,
    status::Status,
};

/// No format has the ending of this file.
#[derive(Debug, Error)]
#[error("the ending of `{}` names no format; known are .svg, .dot and .gv, or use --format", .0.display())]
struct UnknownEnding(PathBuf);

/// The contents of the file, in notes.
const DRAWING: &str = "the drawing";

/// Runs the command; `draw` turns templates into a drawing.
pub fn run<E: Display>(
    args: &GraphArgs,
    draw: impl Fn(&Sources, &Tree, &[String], DrawingFormat) -> Result<String, E>,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let format = match target(args) {
        Ok(format) => format,
        Err(why) => return fail(why, streams),
    };
    let reads = [args.model.as_path()].into_iter().chain(args.trace.as_deref());
    let destination = match Destination::start(&args.output, reads) {
        Ok(destination) => destination,
        Err(why) => return fail(why, streams),
    };
    if let Some(path) = &args.trace {
        return traces::run(args, path, format, destination, streams);
    }
    if args.states {
        return states::run(args, format, destination, streams);
    }
    // A drawing helps to find errors of a model, so the model need not be correct.
    let mut opened = input::read(&args.model, &args.constants, streams.stdin);
    if opened.has_errors() {
        return refuse(&mut opened, streams);
    }
    let Some(tree) = opened.tree() else { return Ok(Status::Wrong) };
    if let Some(net) = tree.net.as_deref().filter(|_| !args.automata && args.template.is_empty()) {
        let drawing = written::draw_net(net, format, tree.signal);
        return match stopped(streams)? {
            Some(status) => Ok(status),
            None => destination.deliver(&drawing, DRAWING, streams),
        };
    }
    let drawn = draw(&opened.sources, tree, &args.template, format);
    if let Some(status) = stopped(streams)? {
        return Ok(status);
    }
    match drawn {
        Ok(drawing) => destination.deliver(&drawing, DRAWING, streams),
        Err(why) => fail(why, streams),
    }
}

/// The format to write.
fn target(args: &GraphArgs) -> Result<DrawingFormat, UnknownEnding> {
    if is_dash(&args.output) {
        return Ok(args.format.unwrap_or(DrawingFormat::Svg));
    }
    args.format.or_else(|| by_ending(&args.output)).ok_or_else(|| UnknownEnding(args.output.clone()))
}

fn by_ending(path: &Path) -> Option<DrawingFormat> {
    match path.extension()?.to_ascii_lowercase().to_str()? {
        "svg" => Some(DrawingFormat::Svg),
        "dot" | "gv" => Some(DrawingFormat::Dot),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{
        super::tests::{folder, run_words},
        *,
    };
    use crate::args::Command;

    /// Runs the command with a function that prints its arguments.
    fn graph(folder: &Path, words: &str) -> (Status, String, String) {
        let draw = |_: &Sources, _: &Tree, templates: &[String], format| match templates {
            [name] => Err(format!("no template `{name}`")),
            _ => Ok(format!("{format:?} {templates:?}")),
        };
        run_words(folder, &format!("merkhet graph {words}"), |command, streams| match command {
            Command::Graph(args) => run(&args, draw, streams),
            _ => panic!("not graph"),
        })
    }

    #[test]
    fn the_ending_names_the_format() {
        let folder = folder("graph-ending");
        assert_eq!(graph(&folder, "@m.xta").1, "Svg []");
        assert_eq!(graph(&folder, "@m.xta --format dot").1, "Dot []");
        for (words, file, text) in [
            ("@m.xta -o @a.svg", "a.svg", "Svg []"),
            ("@m.xta -o @a.gv", "a.gv", "Dot []"),
            ("@m.xta -o @a.dot", "a.dot", "Dot []"),
            ("@m.xta -o @a.dot --format svg", "a.dot", "Svg []"),
        ] {
            let path = folder.join(file);
            let replaces = path.exists();
            let (status, out, err) = graph(&folder, words);
            let path = path.display();
            let note = match replaces {
                true => format!("note: replaced `{path}` with the drawing\n"),
                false => format!("note: wrote the drawing to `{path}`\n"),
            };
            assert_eq!((status, out.as_str(), err), (Status::Fine, "", note));
            assert_eq!(fs::read_to_string(folder.join(file)).unwrap(), text);
        }
        let (status, _, err) = graph(&folder, "@m.xta -o @a.png");
        assert_eq!((status, err.contains(".svg, .dot and .gv")), (Status::Wrong, true));
        let (status, _, err) = graph(&folder, "@m.xta -o @m.xta --format dot");
        assert_eq!((status, err.contains("is an input of this command")), (Status::Wrong, true));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn wrong_models_and_templates_are_refused() {
        let folder = folder("graph-refuse");
        assert_eq!(graph(&folder, "@m.xta --template Q --template P").1, "Svg [\"Q\", \"P\"]");
        let (status, out, err) = graph(&folder, "@m.xta --template none -o @a.svg");
        assert_eq!((status, out.as_str(), err.as_str()), (Status::Wrong, "", "error: no template `none`\n"));
        assert!(!folder.join("a.svg").exists());
        assert_eq!(graph(&folder, "@wrong.xta").0, Status::Wrong);
        fs::remove_dir_all(folder).unwrap();
    }
}
