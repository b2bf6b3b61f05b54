//! Reading: from a path to text, and from text to a model, with everything there is to say about
//! it.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

use model::{Model, Stop};
use syntax::{Diagnostic, Format, Sources, Span, Tree};

use crate::{
    json::Entry,
    output::reason,
    shown::{self, Shown},
    status::Status,
    watch,
};

/// Files longer than this are refused. The largest models that people have are a hundred times
/// smaller.
pub const LIMIT: u64 = 64 << 20;

/// Whether a path stands for the standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What messages call a file.
pub fn name(path: &Path) -> String {
    if is_dash(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Reads the text of a file.
///
/// # Errors
/// A diagnostic without a place: it speaks of the file as a whole.
pub fn read_text(path: &Path, stdin: &mut dyn Read) -> Result<String, Box<Diagnostic>> {
    let refuse = |code, why: String| {
        Box::new(Diagnostic::error(code, Span::NONE, format!("can't read `{}`: {why}", name(path))))
    };
    let too_large = |size: Option<u64>| {
        let size = size.map_or(String::new(), |bytes| format!("with {} MiB ", bytes >> 20));
        refuse("file-too-large", format!("{size}it is larger than {} MiB", LIMIT >> 20))
    };
    let unreadable = |e: std::io::Error| refuse("unreadable", reason(&e));

    let mut bytes = Vec::new();
    if is_dash(path) {
        stdin.take(LIMIT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    } else {
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(refuse("unreadable", "it is a directory".to_owned()));
        }
        if metadata.len() > LIMIT {
            return Err(too_large(Some(metadata.len())));
        }
        // A device or a pipe has no length, and a file may grow.
        File::open(path).and_then(|f| f.take(LIMIT + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    }
    if bytes.len() as u64 > LIMIT {
        return Err(too_large(None));
    }
    syntax::source::decode(&bytes).map_err(|why| refuse("not-text", format!("it {why}")))
}

/// How far a model came.
pub enum Content {
    /// There is no text.
    Nothing,
    /// It was read; it lacks what could not be read.
    Tree(Box<Tree>),
    /// It was read and checked.
    Model(Box<Model>),
}

/// A model file and what is to be said about it.
pub struct Opened {
    /// What messages call it.
    pub name: String,
    /// The text.
    pub sources: Sources,
    /// What the text means.
    pub content: Content,
    /// What is wrong with the model, or suspicious; nothing about its queries.
    pub diagnostics: Vec<Diagnostic>,
}

impl Opened {
    /// Reads a model without checking it.
    pub fn read(path: &Path, stdin: &mut dyn Read) -> Opened {
        let (name, mut sources) = (name(path), Sources::new());
        let text = match read_text(path, stdin) {
            Ok(text) => text,
            Err(d) => return Opened { name, sources, content: Content::Nothing, diagnostics: vec![*d] },
        };
        let format = Format::guess(&name, &text);
        let file = sources.add_file(&name, text);
        let (tree, diagnostics) = syntax::read_model_until(&mut sources, file, format, watch::room().signal);
        Opened { name, sources, content: Content::Tree(Box::new(tree)), diagnostics }
    }

    /// Reads a model and checks it. What could be read of a model with syntax errors is checked
    /// too, so that one run shows all mistakes.
    pub fn check(path: &Path, stdin: &mut dyn Read) -> Opened {
        let mut opened = Opened::read(path, stdin);
        if opened.has_errors() {
            let found = opened.tree().map(|tree| (model::check::check(tree).1, tree.signal.raised()));
            // What a limit cut short says nothing.
            if let Some((found, None)) = found {
                opened.diagnostics.extend(found);
            }
            return opened;
        }
        let Content::Tree(tree) = opened.content else { return opened };
        let found = match model::load_within(*tree, &lattice::Library::standard(), watch::room()) {
            Ok((model, found)) => {
                opened.content = Content::Model(Box::new(model));
                found
            }
            Err((tree, found)) => {
                opened.content = Content::Tree(Box::new(tree));
                found
            }
        };
        opened.diagnostics.extend(found);
        opened
    }

    /// The tree, if there is one.
    pub fn tree(&self) -> Option<&Tree> {
        match &self.content {
            Content::Nothing => None,
            Content::Tree(tree) => Some(tree),
            Content::Model(model) => Some(&model.tree),
        }
    }

    /// What makes the model useless, in the order of the text.
    pub fn errors(&mut self) -> Vec<Entry> {
        self.diagnostics.retain(Diagnostic::is_error);
        sort(&mut self.diagnostics, &self.sources);
        shown::entries(&[Shown { sources: &self.sources, file: &self.name, diagnostics: &self.diagnostics }])
    }

    /// The limit that was reached before the model was loaded, if nothing else is wrong with it.
    pub fn stopped(&self) -> Option<Stop> {
        Stop::of_errors(&self.diagnostics)
    }

    /// The status of a model that is refused: a limit says nothing about the model.
    pub fn refused(&self) -> Status {
        if self.stopped().is_some() { Status::Unknown } else { Status::Wrong }
    }

    /// Whether the model can't be used.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Says that a limit was reached before a model was loaded.
pub fn unloaded(stop: Stop) -> String {
    format!("{stop} while the model was loaded")
}

/// Puts diagnostics into the order in which people read the text; what has no place comes first.
pub fn sort(diagnostics: &mut [Diagnostic], sources: &Sources) {
    diagnostics.sort_by_cached_key(|d| (sources.order(d.primary.span), d.primary.span));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_input_has_a_limit_too() {
        let endless = &mut std::io::repeat(b'x');
        let d = read_text(Path::new("-"), endless).unwrap_err();
        assert_eq!(d.code, "file-too-large");
        assert!(d.message.contains("<stdin>"));
    }

    #[test]
    fn diagnostics_are_sorted_by_their_place_in_the_file() {
        let mut sources = Sources::new();
        let text = "<nta><declaration>int @;</declaration><template/><system>@</system></nta>";
        let file = sources.add_file("m.xml", text.to_owned());
        let (_, mut found) = syntax::read_model(&mut sources, file, Format::Xml);
        found.push(Diagnostic::warning("w", Span::NONE, "whole"));
        sort(&mut found, &sources);
        let at: Vec<_> = found.iter().map(|d| sources.order(d.primary.span).map(|(_, at)| at)).collect();
        assert_eq!(at[0], None);
        assert!(at.len() > 3 && at.is_sorted(), "{found:?}");
    }
}
