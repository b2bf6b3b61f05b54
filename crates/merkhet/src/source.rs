//! The text of a model, and where it comes from.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use lattice::{Library, Resolver, user::UserClass};
use syntax::{Diagnostic, Format, Span, source::DecodeError};
use thiserror::Error;

use crate::constants::Constant;

/// Longer files are refused. The largest models that people have are a hundred times smaller.
pub const MAX_BYTES: u64 = 64 << 20;

/// The text of a model, with its name and format.
#[derive(Clone, Debug)]
pub struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) format: Format,
    pub(crate) constants: Vec<Constant>,
    pub(crate) lattices: UserLattices,
}

/// The lattices of the user that a model may name.
#[derive(Clone, Default)]
pub(crate) struct UserLattices {
    classes: Vec<Arc<dyn UserClass>>,
    resolver: Option<Resolver>,
}

impl UserLattices {
    /// Returns all lattices that a model may name. What becomes of the classes is the model's own.
    pub(crate) fn library(&self) -> Library {
        let library = self.classes.iter().cloned().fold(Library::standard(), Library::with_class);
        match &self.resolver {
            Some(resolver) => library.with_resolver(resolver.clone()),
            None => library,
        }
    }
}

impl fmt::Debug for UserLattices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.classes.iter().map(|class| class.name())).finish()
    }
}

impl Source {
    /// Creates a source from text. The ending of the name and the text itself determine the format.
    #[must_use]
    pub fn text(name: &str, text: impl Into<String>) -> Source {
        let text = text.into();
        Source {
            name: name.to_owned(),
            format: Format::guess(name, &text),
            text,
            constants: Vec::new(),
            lattices: UserLattices::default(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file can't be read, is too large, or is not text.
    pub fn file(path: impl AsRef<Path>) -> Result<Source, ReadError> {
        let name = path.as_ref().display().to_string();
        read_file(path.as_ref(), &name).map(|text| Source::text(&name, text))
    }

    /// Sets the format, whatever the name says.
    #[must_use]
    pub fn with_format(self, format: Format) -> Source {
        Source { format, ..self }
    }

    /// Gives a constant of the model another value: `N`, or `P.N` for a constant of a template.
    #[must_use]
    pub fn with_constant(mut self, name: &str, value: &str) -> Source {
        self.constants.push(Constant { name: name.to_owned(), value: value.to_owned() });
        self
    }

    /// Returns the text.
    #[must_use]
    pub fn contents(&self) -> &str {
        &self.text
    }

    /// Adds a class of lattices, which the model finds by `extern Name;`. See
    /// [`user`](crate::user).
    #[must_use]
    pub fn with_lattice(mut self, class: Arc<dyn UserClass>) -> Source {
        self.lattices.classes.push(class);
        self
    }

    /// Lets classes be found that were not added, by `extern my.module.Name;`. The resolver gets
    /// the whole name; `None` means that nothing is looked up there.
    #[must_use]
    pub fn with_resolver(mut self, resolver: Resolver) -> Source {
        self.lattices.resolver = Some(resolver);
        self
    }

    /// Returns what messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Why a file can't be read.
#[derive(Debug, Error)]
#[error("can't read `{name}`: {why}")]
pub struct ReadError {
    /// What messages call the file.
    pub name: String,
    /// The reason.
    pub why: WhyUnreadable,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum WhyUnreadable {
    /// The operating system reports an error.
    #[error("{}", describe(.0))]
    Io(#[from] io::Error),
    /// It is a directory.
    #[error("it is a directory")]
    Directory,
    /// It is larger than [`MAX_BYTES`]; its size is given where it is known.
    #[error("{}it is larger than {} MiB", .0.map_or(String::new(), |bytes| format!("with {} MiB ", bytes >> 20)), MAX_BYTES >> 20)]
    TooLarge(Option<u64>),
    /// It is not text.
    #[error("it {0}")]
    NotText(DecodeError),
}

impl ReadError {
    /// Returns a diagnostic about the file as a whole.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self.why {
            WhyUnreadable::Io(_) | WhyUnreadable::Directory => "unreadable",
            WhyUnreadable::TooLarge(_) => "file-too-large",
            WhyUnreadable::NotText(_) => "not-text",
        };
        Diagnostic::error(code, Span::NONE, self.to_string())
    }
}

/// Returns the text of an error of the operating system, without its number.
#[must_use]
pub fn describe(e: &io::Error) -> String {
    let text = e.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Reads the text of a file.
///
/// # Errors
/// The file can't be read, is too large, or is not text.
pub fn read_file(path: &Path, name: &str) -> Result<String, ReadError> {
    let fail = |why| ReadError { name: name.to_owned(), why };
    let open = || -> Result<File, WhyUnreadable> {
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            return Err(WhyUnreadable::Directory);
        }
        if metadata.len() > MAX_BYTES {
            return Err(WhyUnreadable::TooLarge(Some(metadata.len())));
        }
        Ok(File::open(path)?)
    };
    read(&mut open().map_err(fail)?, name)
}

/// Reads text to its end. A device or a pipe has no length, and a file may grow.
///
/// # Errors
/// The text can't be read, is too long, or is not text.
pub fn read(from: &mut dyn Read, name: &str) -> Result<String, ReadError> {
    let fail = |why| ReadError { name: name.to_owned(), why };
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| fail(e.into()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(fail(WhyUnreadable::TooLarge(None)));
    }
    syntax::source::decode(&bytes).map_err(|why| fail(WhyUnreadable::NotText(why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_have_a_limit_too() {
        let error = read(&mut io::repeat(b'x'), "<stdin>").unwrap_err();
        let d = error.diagnostic();
        assert_eq!(d.code, "file-too-large");
        assert!(d.message.contains("<stdin>"));
    }
}
