//! Reads models and texts from paths.

use std::{
    io::Read,
    path::Path,
    sync::{Arc, OnceLock},
};

use merkhet::{
    Content, Document, Source, Stop,
    source::{read as read_stream, read_file},
    user::Resolver,
};
use syntax::Diagnostic;

use crate::{
    args::ConstantArgs,
    json::DiagnosticEntry,
    shown::{self, Shown},
    status::Status,
    watch::WATCH,
};

/// What finds classes of lattices, for the whole command line.
static RESOLVER: OnceLock<Resolver> = OnceLock::new();

/// Sets what finds classes of lattices. Only the first call counts.
pub fn resolve_by(resolver: Option<Resolver>) {
    if let Some(resolver) = resolver {
        RESOLVER.get_or_init(|| resolver);
    }
}

/// Whether a path is `-`, the standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of a file in messages.
pub fn name(path: &Path) -> String {
    if is_dash(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Reads the text of a file, or of the standard input.
///
/// # Errors
/// A diagnostic about the file as a whole.
pub fn read_text(path: &Path, stdin: &mut dyn Read) -> Result<String, Box<Diagnostic>> {
    let name = name(path);
    let text = if is_dash(path) { read_stream(stdin, &name) } else { read_file(path, &name) };
    text.map_err(|e| Box::new(e.diagnostic()))
}

/// Reads a model without checking it.
pub fn read(path: &Path, constants: &ConstantArgs, stdin: &mut dyn Read) -> Document {
    let name = name(path);
    match read_text(path, stdin) {
        Ok(text) => {
            let with = |source: Source, (name, value): &(String, String)| source.with_constant(name, value);
            let source = constants.define.iter().fold(Source::text(&name, text), with);
            let source = match RESOLVER.get() {
                Some(resolver) => source.with_resolver(Arc::clone(resolver)),
                None => source,
            };
            Document::read(source, &WATCH)
        }
        Err(d) => Document::empty(&name, *d),
    }
}

/// Reads and checks a model.
pub fn check(path: &Path, constants: &ConstantArgs, stdin: &mut dyn Read) -> Document {
    read(path, constants, stdin).check()
}

/// The errors of a model, in the order of the text.
pub fn errors(document: &mut Document) -> Vec<DiagnosticEntry> {
    document.diagnostics.retain(Diagnostic::is_error);
    shown::sort(&mut document.diagnostics, &document.sources);
    let Document { sources, name, diagnostics, .. } = document;
    shown::entries(&[Shown { sources, file: name, diagnostics }])
}

/// The exit status for a model that is refused. A limit is not an error of the model.
pub fn refused(document: &Document) -> Status {
    if document.stopped().is_some() { Status::Unknown } else { Status::Wrong }
}

/// The tree of a model and, if it was loaded, the labels of its locations.
pub fn tree_mut(content: &mut Content) -> Option<(&mut syntax::Tree, Option<&[String]>)> {
    match content {
        Content::Nothing => None,
        Content::Tree(tree) => Some((tree, None)),
        Content::Model(model) => Some((&mut model.tree, Some(&model.system.labels[..]))),
    }
}

/// The message that a limit was reached while a model was loaded.
pub fn unloaded(stop: Stop) -> String {
    format!("{stop} while the model was loaded")
}
