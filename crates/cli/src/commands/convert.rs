//! `merkhet convert`

use std::{
    io,
    path::{Path, PathBuf},
};

use merkhet::Content;
use show::written::{self, ModelFormat};
use syntax::{Sources, Tree, print::PrintedModel};
use thiserror::Error;

use super::{Destination, fail, refuse, stopped};
use crate::{
    args::ConvertArgs,
    input::{self, is_dash},
    output::Streams,
    outputs::{OutputError, Outputs},
    status::Status,
};

/// Why a model is not written.
#[derive(Debug, Error)]
enum ConvertError {
    #[error("name the format of the standard output with --to: xml, xta, net, pnml or tapn")]
    NoFormatForStandardOutput,
    #[error("the ending of `{}` names no format; known are .xml, .xta, .net, .pnml and .tapn, or use --to", .0.display())]
    UnknownEnding(PathBuf),
    #[error("`{}` exists; --force replaces it", .0.display())]
    Exists(PathBuf),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Runs the command; `print` turns a model into text.
pub fn run(
    args: &ConvertArgs,
    print: impl Fn(&Sources, &mut Tree, ModelFormat) -> PrintedModel,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let format = match target(args) {
        Ok(format) => format,
        Err(why) => return fail(why, streams),
    };
    let destination = match Destination::start(&args.output, [args.model.as_path()]) {
        Ok(destination) => destination,
        Err(why) => return fail(why, streams),
    };
    let mut opened = input::check(&args.model, &args.constants, streams.stdin);
    if opened.has_errors() {
        return refuse(&mut opened, streams);
    }
    let tree = match &mut opened.content {
        Content::Nothing => return Ok(Status::Wrong),
        Content::Tree(tree) => tree,
        Content::Model(model) => &mut model.tree,
    };
    if let Err(why) = written::check(tree, format) {
        return fail(why, streams);
    }
    let unwritten = written::lost(tree, format);
    let printed = print(&opened.sources, tree, format);
    if let Some(status) = stopped(streams)? {
        return Ok(status);
    }
    let status = destination.deliver(&printed.text, "the model", streams)?;
    if status == Status::Fine && !printed.dropped.is_empty() {
        writeln!(streams.err, "note: {} has no room for: {}", format.title(), printed.dropped.join(", "))?;
    }
    if status == Status::Fine && !unwritten.is_empty() {
        writeln!(streams.err, "note: not written: {}", unwritten.join("; "))?;
    }
    Ok(status)
}

/// The format to write, if the file may be written.
fn target(args: &ConvertArgs) -> Result<ModelFormat, ConvertError> {
    let Some(format) = args.to.or_else(|| by_ending(&args.output)) else {
        return Err(if is_dash(&args.output) {
            ConvertError::NoFormatForStandardOutput
        } else {
            ConvertError::UnknownEnding(args.output.clone())
        });
    };
    if is_dash(&args.output) {
        return Ok(format);
    }
    Outputs::new([args.model.as_path()]).allow(&args.output)?;
    // Devices and pipes are not replaced.
    if args.output.metadata().is_ok_and(|m| m.is_file()) && !args.force {
        return Err(ConvertError::Exists(args.output.clone()));
    }
    Ok(format)
}

fn by_ending(path: &Path) -> Option<ModelFormat> {
    match path.extension()?.to_ascii_lowercase().to_str()? {
        "xml" => Some(ModelFormat::Xml),
        "xta" => Some(ModelFormat::Xta),
        "net" => Some(ModelFormat::Net),
        "pnml" => Some(ModelFormat::Pnml),
        "tapn" => Some(ModelFormat::Tapn),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{
        super::tests::{folder, names, run_words},
        *,
    };
    use crate::args::Command;

    /// Runs the command with a printer that prints its arguments.
    fn convert(folder: &Path, words: &str) -> (Status, String, String) {
        let print = |_: &Sources, tree: &mut Tree, format: ModelFormat| {
            let dropped = if format == ModelFormat::Xta { vec!["layout", "comments"] } else { Vec::new() };
            PrintedModel { text: format!("{format:?} {}", tree.templates.len()), dropped }
        };
        run_words(folder, &format!("merkhet convert {words}"), |command, streams| match command {
            Command::Convert(args) => run(&args, print, streams),
            _ => panic!("not convert"),
        })
    }

    #[test]
    fn the_ending_names_the_format() {
        let folder = folder("convert-ending");
        for (words, file, text) in [
            ("@m.xta -o @a.xml", "a.xml", "Xml 2"),
            ("@m.xta -o @a.XTA", "a.XTA", "Xta 2"),
            ("@m.xta -o @a.txt --to xta", "a.txt", "Xta 2"),
            ("@m.xta -o @b.xml --to xta", "b.xml", "Xta 2"),
        ] {
            let (status, out, err) = convert(&folder, words);
            let mut notes = format!("note: wrote the model to `{}`\n", folder.join(file).display());
            notes.push_str(if text == "Xml 2" { "" } else { "note: XTA has no room for: layout, comments\n" });
            assert_eq!((status, out.as_str(), err), (Status::Fine, "", notes));
            assert_eq!(fs::read_to_string(folder.join(file)).unwrap(), text);
        }
        assert_eq!(convert(&folder, "@m.xta -o - --to xml").1, "Xml 2");
        for (words, why) in [
            ("@m.xta -o @a.ta", ".xml, .xta, .net, .pnml and .tapn"),
            ("@m.xta -o @a", "--to"),
            ("@m.xta -o -", "--to"),
        ] {
            let (status, out, err) = convert(&folder, words);
            assert_eq!((status, out.as_str()), (Status::Wrong, ""));
            assert!(err.starts_with("error: ") && err.contains(why), "{err}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn nothing_is_overwritten_by_accident() {
        let folder = folder("convert-overwrite");
        fs::write(folder.join("old.xml"), "old").unwrap();
        let (status, _, err) = convert(&folder, "@m.xta -o @old.xml");
        assert_eq!((status, err.contains("--force")), (Status::Wrong, true));
        assert_eq!(fs::read_to_string(folder.join("old.xml")).unwrap(), "old");
        assert_eq!(convert(&folder, "@m.xta -o @old.xml --force").0, Status::Fine);
        assert_eq!(fs::read_to_string(folder.join("old.xml")).unwrap(), "Xml 2");
        let model = fs::read_to_string(folder.join("m.xta")).unwrap();
        let (status, _, err) = convert(&folder, "@m.xta -o @m.xta --force");
        assert_eq!((status, err.contains("is an input of this command")), (Status::Wrong, true));
        assert_eq!(fs::read_to_string(folder.join("m.xta")).unwrap(), model);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_wrong_model_is_refused_and_leaves_nothing_behind() {
        let folder = folder("convert-refuse");
        let (status, out, err) = convert(&folder, "@wrong.xta -o @a.xml");
        assert_eq!((status, out.as_str()), (Status::Wrong, ""));
        assert!(err.starts_with("error[no-initial-location]"), "{err}");
        let (status, _, err) = convert(&folder, "@m.xta -o @none/a.xml");
        assert_eq!((status, err.contains("can't write")), (Status::Wrong, true));
        let events = "system:s\nevent:a\nprocess:P\nlocation:P:l{initial:}\n";
        fs::write(folder.join("m.tck"), events).unwrap();
        let (status, _, err) = convert(&folder, "@m.tck -o @a.xml");
        assert_eq!((status, err.contains("TChecker")), (Status::Wrong, true));
        let (status, _, err) = convert(&folder, "@m.xta -o @a.net");
        assert_eq!((status, err.contains("only nets")), (Status::Wrong, true));
        assert_eq!(names(&folder), ["m.tck", "m.xta", "wrong.xta"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
