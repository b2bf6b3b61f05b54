//! The models of the tables: built-in families, and case studies in a folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use syntax::Diagnostic;

use super::families::{DirectedFamily, OWN, PUBLISHED};

/// The paper's case studies. They belong to their authors and are not included.
pub(crate) const STUDIES: [&str; 17] =
    ["M1", "M2", "M3", "M4", "N1", "N2", "N3", "N4", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"];

/// Why the models of a table can't be selected.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// A file can't be read.
    #[error("{}", .0.message)]
    File(Box<Diagnostic>),
    /// A folder can't be read.
    #[error("can't read the folder `{0}`: {1}")]
    Folder(PathBuf, io::Error),
    /// The folder does not have this case study.
    #[error("there is no {0}.xta or {0}.xml in `{folder}`", folder = .1.display())]
    NoFile(String, PathBuf),
    /// A case study needs the folder that has it.
    #[error("the model {0} is not at hand; --models names the folder that has it")]
    NoFolder(String),
    /// There is no model of this name.
    #[error("there is no model `{0}`; known are {known}, and M1 to C9", known = known_models())]
    Unknown(String),
}

/// Reads the text of a file.
pub type Read<'a> = &'a dyn Fn(&Path) -> Result<String, Box<Diagnostic>>;

/// A model and its query.
#[derive(Debug)]
pub struct Row {
    /// What tables call it.
    pub name: String,
    /// The file that it was read from; `None` if it is built in.
    pub file: Option<PathBuf>,
    /// The model.
    pub text: String,
    /// The query.
    pub query: String,
}

impl Row {
    fn built_in(family: &DirectedFamily, size: u32) -> Row {
        let name = format!("{}{size}", family.prefix);
        Row { name, file: None, text: family.xta(size), query: family.query.to_owned() }
    }

    fn read(name: &str, file: &Path, read: Read<'_>) -> Result<Row, RowsError> {
        let text = |file: &Path| read(file).map_err(RowsError::File);
        let (model, query) = (text(file)?, text(&file.with_extension("q"))?);
        Ok(Row { name: name.to_owned(), file: Some(file.to_owned()), text: model, query })
    }

    /// What messages call the text, with the ending of its language.
    pub fn source(&self) -> String {
        self.file.as_ref().map_or_else(|| format!("{}.xta", self.name), |file| file.display().to_string())
    }
}

/// The models to run.
#[derive(Debug)]
pub struct Rows {
    /// In the order of the tables.
    pub rows: Vec<Row>,
    /// Case studies that were not found.
    pub missing: Vec<&'static str>,
}

/// Selects the models to run: those that are named, or all `standard` ones that are available.
///
/// # Errors
/// A file can't be read, or there is no model of a name.
pub fn chosen(
    folder: Option<&Path>,
    names: &[String],
    standard: fn(&str) -> bool,
    read: Read<'_>,
) -> Result<Rows, RowsError> {
    let found = folder.map(find).transpose()?.unwrap_or_default();
    let file = |name: &str| found.iter().find(|(known, _)| *known == name).map(|(_, file)| file);
    let mut rows: Vec<Row> = Vec::new();
    if names.is_empty() {
        let sizes =
            |family: &'static DirectedFamily| family.standard.iter().map(move |size| Row::built_in(family, *size));
        rows.extend(PUBLISHED.iter().flat_map(sizes).filter(|row| standard(&row.name)));
        for name in STUDIES.into_iter().filter(|name| standard(name)) {
            rows.extend(file(name).map(|file| Row::read(name, file, read)).transpose()?);
        }
        rows.extend(OWN.iter().flat_map(sizes).filter(|row| standard(&row.name)));
    }
    for name in names {
        if rows.iter().any(|row| row.name == *name) {
            continue;
        }
        rows.push(match (built_in(name), file(name)) {
            (Some(row), _) => row,
            (None, Some(file)) => Row::read(name, file, read)?,
            (None, None) => return Err(unknown(name, folder)),
        });
    }
    let missing = |name: &&str| names.is_empty() && standard(name) && file(name).is_none();
    Ok(Rows { rows, missing: STUDIES.into_iter().filter(missing).collect() })
}

/// The model of this name, if a family has it.
fn built_in(name: &str) -> Option<Row> {
    PUBLISHED.iter().chain(&OWN).find_map(|family| {
        let size = name.strip_prefix(family.prefix)?;
        // `+5` and `05` do not name rows.
        let size = size.parse().ok().filter(|n: &u32| n.to_string() == size)?;
        family.sizes.contains(&size).then(|| Row::built_in(family, size))
    })
}

fn unknown(name: &str, folder: Option<&Path>) -> RowsError {
    match folder {
        Some(folder) if STUDIES.contains(&name) => RowsError::NoFile(name.to_owned(), folder.to_owned()),
        None if STUDIES.contains(&name) => RowsError::NoFolder(name.to_owned()),
        _ => RowsError::Unknown(name.to_owned()),
    }
}

/// The names of the models that are built in.
fn known_models() -> String {
    let families = PUBLISHED.iter().chain(&OWN);
    let known = families.map(|f| format!("{0}{1} to {0}{2}", f.prefix, f.sizes.start(), f.sizes.end()));
    known.collect::<Vec<_>>().join(", ")
}

/// The case studies anywhere in a folder. `.xta` files take precedence over `.xml` files, and the
/// first of several files counts.
fn find(folder: &Path) -> Result<Vec<(&'static str, PathBuf)>, RowsError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = |e| RowsError::Folder(folder.clone(), e);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // Links to folders are not followed: they may be cyclic.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    let file = |name: &str, ending: &str| {
        let name = format!("{name}.{ending}");
        files.iter().find(|file| file.file_name().is_some_and(|n| *n == *name) && file.is_file())
    };
    let known = |name| Some((name, file(name, "xta").or_else(|| file(name, "xml"))?.clone()));
    Ok(STUDIES.into_iter().filter_map(known).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Read<'_> = &|_| Err(Box::new(Diagnostic::error("io", syntax::Span::NONE, "no file is read here")));

    use crate::search::Space;

    #[test]
    fn models_of_every_size_can_be_read() {
        for family in PUBLISHED.iter().chain(&OWN) {
            assert!(family.standard.is_sorted() && family.standard.iter().all(|n| family.sizes.contains(n)));
            for size in [*family.sizes.start(), family.standard[1]] {
                let row = Row::built_in(family, size);
                assert!(row.text.contains(&format!("const int N = {size};\n")), "{}", row.name);
                assert!(Space::with_query(&row.source(), &row.text, &row.query).is_ok(), "{}", row.name);
            }
        }
    }

    #[test]
    fn names_say_which_model_is_wanted() {
        let names = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let rows = chosen(None, &names(&["plc5", "FA7", "plc5"]), |_| true, NONE).unwrap();
        assert_eq!(rows.rows.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["plc5", "FA7"]);
        assert!(rows.missing.is_empty());
        for name in ["FA", "FA1", "FA05", "FA+5", "FA99", "FD5", "fa5", ""] {
            let why = chosen(None, &names(&[name]), |_| true, NONE).unwrap_err().to_string();
            assert!(why.starts_with(&format!("there is no model `{name}`; known are FA2 to FA30, ")), "{why}");
        }
        assert!(chosen(None, &names(&["C3"]), |_| true, NONE).unwrap_err().to_string().contains("--models"));
        let all = chosen(None, &[], |_| true, NONE).unwrap();
        assert_eq!((all.rows.len(), all.rows[2].name.as_str(), all.missing.len()), (19, "FA15", 17));
        let some = chosen(None, &[], |name| name.ends_with('5'), NONE).unwrap();
        assert_eq!((some.rows.len(), some.missing), (6, vec!["C5"]));
    }
}
