//! The corpus: models of every format with queries, traces and certificates.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A format that merkhet reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    Xta,
    Xml,
    Ta,
    Tck,
    Net,
    Ndr,
    Pnml,
    Romeo,
    Tapn,
    Queries,
    Trace,
    Certificate,
    Script,
    /// Words of a command line.
    Words,
}

impl Format {
    /// Returns its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Format::Xta => ".xta",
            Format::Xml => ".xml",
            Format::Ta => ".ta",
            Format::Tck => ".tck",
            Format::Net => ".net",
            Format::Ndr => ".ndr",
            Format::Pnml => ".pnml",
            Format::Romeo => "Romeo",
            Format::Tapn => ".tapn",
            Format::Queries => ".q",
            Format::Trace => "trace",
            Format::Certificate => "certificate",
            Format::Script => "script",
            Format::Words => "words",
        }
    }

    /// Returns the extension of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Xta => "xta",
            Format::Xml | Format::Romeo => "xml",
            Format::Ta => "ta",
            Format::Tck => "tck",
            Format::Net => "net",
            Format::Ndr => "ndr",
            Format::Pnml => "pnml",
            Format::Tapn => "tapn",
            Format::Queries => "q",
            Format::Trace | Format::Certificate => "json",
            Format::Script | Format::Words => "txt",
        }
    }

    /// Returns the format of a model; `None` if the file is not a model.
    fn of_model(path: &Path, bytes: &[u8]) -> Option<Format> {
        let romeo = || bytes.windows(4).take(2_000).any(|word| word == b"<TPN");
        Some(match path.extension()?.to_str()? {
            "xta" => Format::Xta,
            "xml" if romeo() => Format::Romeo,
            "xml" => Format::Xml,
            "ta" => Format::Ta,
            "tck" => Format::Tck,
            "net" => Format::Net,
            "ndr" => Format::Ndr,
            "pnml" => Format::Pnml,
            "tapn" => Format::Tapn,
            _ => return None,
        })
    }

    fn is_net(self) -> bool {
        matches!(self, Format::Net | Format::Ndr | Format::Pnml | Format::Romeo | Format::Tapn)
    }
}

/// A model with its queries and evidence.
#[derive(Clone, Debug)]
pub struct Bundle {
    pub format: Format,
    pub model: Vec<u8>,
    /// The queries, one per line.
    pub queries: Vec<u8>,
    /// The output of `verify --trace-file`.
    pub trace: Option<Vec<u8>>,
    /// The output of `verify --certificate`.
    pub certificate: Option<Vec<u8>>,
}

/// All bundles, ordered by format.
#[derive(Debug, Default)]
pub struct Corpus {
    pub bundles: Vec<Bundle>,
}

/// The greatest size of a model. Larger ones find no more errors and are slow.
const MAX_BYTES: usize = 200_000;

/// Small models of formats that the folder `models` lacks.
const SAMPLES: &[(&str, &str, &str)] = &[
    ("crossing.ndr", include_str!("../../samples/crossing.ndr"), "E<> inside >= 1\nA[] away + near + inside == 1"),
    ("buffer.pnml", include_str!("../../samples/buffer.pnml"), "E<> full >= 1\nA[] not deadlock"),
    ("colours.pnml", include_str!("../../samples/colours.pnml"), "E<> on_red_2 == 1\nA[] off() + on() == 3"),
    ("tasks.net", include_str!("../../samples/tasks.net"), "E<> done >= 300\nA[] high <= 1"),
    ("signal.xml", include_str!("../../samples/signal.romeo.xml"), "E<> cars == 0\nA[] red + green == 1"),
    ("tokens.tapn", include_str!("../../samples/tokens.tapn"), "E<> there == 1\nE<> deadlock"),
    ("lights.tck", include_str!("../../samples/lights.tck"), "E<> label(bright)\nA[] not label(dark)"),
    ("door.ta", include_str!("../../samples/door.ta"), include_str!("../../samples/door.q")),
    ("gadgets.xml", include_str!("../../samples/gadgets.xml"), "E<> one.work\nA[] sum < 9\nE<> deadlock"),
];

impl Corpus {
    /// Returns small models of rare formats.
    pub fn samples() -> Corpus {
        let mut corpus = Corpus::default();
        for &(name, model, queries) in SAMPLES {
            corpus.add(Path::new(name), model.as_bytes().to_vec(), queries.as_bytes().to_vec());
        }
        corpus.bundles.sort_by_key(|bundle| bundle.format);
        corpus
    }

    /// Adds all models below a folder, with the queries in files of the same name.
    pub fn add_folder(&mut self, folder: &Path) {
        for path in files(folder) {
            let Ok(bytes) = fs::read(&path) else { continue };
            let queries = fs::read(path.with_extension("q")).unwrap_or_default();
            self.add(&path, bytes, queries);
        }
        self.bundles.sort_by_key(|bundle| bundle.format);
    }

    fn add(&mut self, path: &Path, model: Vec<u8>, queries: Vec<u8>) {
        let Some(format) = Format::of_model(path, &model).filter(|_| model.len() <= MAX_BYTES) else { return };
        let usual = if format.is_net() { "E<> deadlock" } else { "A[] not deadlock" };
        let queries = if queries.is_empty() { usual.as_bytes().to_vec() } else { queries };
        self.bundles.push(Bundle { format, model, queries, trace: None, certificate: None });
    }

    /// Returns the formats of all models.
    pub fn formats(&self) -> Vec<Format> {
        let mut formats: Vec<Format> = self.bundles.iter().map(|bundle| bundle.format).collect();
        formats.dedup();
        formats
    }
}

/// Returns all files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            // Links may form cycles.
            let Ok(kind) = fs::symlink_metadata(&path) else { continue };
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
