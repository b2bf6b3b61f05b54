//! Reports as JSON.
//!
//! The schemas in `schemas/` are made from these types. Fields may be added, but not removed or
//! renamed.

pub mod bench;
pub mod certify;
mod estimate;
pub mod lattices;
pub mod progress;
pub mod replay;
pub mod simulate;
pub mod verify;
mod write;

pub use write::{write, write_line};

use serde::Serialize;
use syntax::{Diagnostic, Severity, Sources, Span};

/// The version of every report. It changes when readers of reports have to change.
pub const VERSION: u32 = 1;

/// What `merkhet check --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The models, in the order of the command line.
    pub files: Vec<FileReport>,
}

/// The report about one model.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileReport {
    /// Its name, as it was given; `<stdin>` for the standard input.
    pub file: String,
    /// Whether the model, and the queries that the command line named, have no errors.
    pub valid: bool,
    /// The size of the model.
    pub summary: Summary,
    /// Those about the model, by position, then those about each query file. At most 100 are
    /// listed, errors before warnings; the last entry, with the code `left-out`, counts the others.
    pub diagnostics: Vec<DiagnosticEntry>,
    /// The laws of lattices; only with `--laws`, and if the model has no other errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub laws: Option<lattices::Laws>,
}

/// The size of a model. If it has errors, only what could be read is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Summary {
    pub templates: usize,
    pub locations: usize,
    pub edges: usize,
    /// The processes of the system line, one for each value of free parameters; 0 if the model has
    /// errors.
    pub processes: usize,
    pub clocks: usize,
    /// The sizes of the net, if the model is one. The other numbers are those of its automata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub net: Option<NetSummary>,
    /// The queries in the model and those that the command line named.
    pub queries: usize,
    pub errors: usize,
    pub warnings: usize,
}

/// The size of a net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct NetSummary {
    pub places: usize,
    pub transitions: usize,
    pub arcs: usize,
    /// The kind of time: `P-time`, `T-time`, or `untimed`.
    pub time: &'static str,
}

/// A diagnostic.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DiagnosticEntry {
    /// Its severity.
    pub severity: Level,
    /// A stable name for this kind of diagnostic.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub at: At,
    /// A remark at this position.
    pub label: Option<String>,
    /// Other positions that matter.
    pub notes: Vec<Note>,
    /// What the user could do.
    pub help: Vec<String>,
}

/// Its severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Level {
    Error,
    Warning,
}

/// A remark at a position.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Note {
    /// The remark.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub at: At,
}

/// A position. Lines and columns count from 1, columns in characters. All but `file` are null if
/// there is no position.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct At {
    /// The file.
    pub file: String,
    /// The line in the label or declaration, as an editor of the model shows it; in plain text, the
    /// line in the file.
    pub line: Option<u32>,
    /// The column in that line.
    pub column: Option<u32>,
    /// The line of the end.
    pub end_line: Option<u32>,
    /// The column after the last character.
    pub end_column: Option<u32>,
    /// The line in the file.
    pub file_line: Option<u32>,
    /// The column in that line.
    pub file_column: Option<u32>,
    /// The line of the end in the file.
    pub file_end_line: Option<u32>,
    /// The column after the last character in that line.
    pub file_end_column: Option<u32>,
    /// An XPath to the label or declaration; null in plain text.
    pub path: Option<String>,
    /// The same for people; null in plain text.
    pub place: Option<String>,
}

impl At {
    /// The position of a span; without one, `file`.
    pub fn new(sources: &Sources, file: &str, span: Span) -> At {
        let Some(at) = sources.locate(span) else {
            return At {
                file: file.to_owned(),
                line: None,
                column: None,
                end_line: None,
                end_column: None,
                file_line: None,
                file_column: None,
                file_end_line: None,
                file_end_column: None,
                path: None,
                place: None,
            };
        };
        let end = sources.locate(Span { start: span.end, ..span }).map(|end| end.in_file);
        At {
            file: at.file.to_owned(),
            line: Some(at.start.line),
            column: Some(at.start.column),
            end_line: Some(at.end.line),
            end_column: Some(at.end.column),
            file_line: Some(at.in_file.line),
            file_column: Some(at.in_file.column),
            file_end_line: end.as_ref().map(|end| end.line),
            file_end_column: end.as_ref().map(|end| end.column),
            path: unless_empty(&at.place.path),
            place: unless_empty(&at.place.what),
        }
    }
}

impl DiagnosticEntry {
    /// The entry for a diagnostic; without a position, it is about `file`.
    pub fn new(sources: &Sources, file: &str, d: &Diagnostic) -> DiagnosticEntry {
        let note = |label: &syntax::diagnostic::Label| Note {
            message: label.text.clone(),
            at: At::new(sources, file, label.span),
        };
        DiagnosticEntry {
            severity: match d.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
            },
            code: d.code,
            message: d.message.clone(),
            at: At::new(sources, file, d.primary.span),
            label: unless_empty(&d.primary.text),
            notes: d.others.iter().map(note).collect(),
            help: d.help.clone(),
        }
    }
}

fn unless_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// What `merkhet list features --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FeatureReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The features.
    pub features: Vec<Feature>,
}

/// A feature of the language.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Feature {
    /// Its name.
    pub name: &'static str,
    /// Whether it is supported.
    pub support: Support,
    /// What it is, or why it is not supported.
    pub note: &'static str,
}

/// Whether a feature is supported.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Support {
    /// It is supported.
    Yes,
    /// It is accepted, and has no influence on answers.
    Ignored,
    /// Models that use it are refused.
    No,
}

impl From<&model::Feature> for Feature {
    fn from(feature: &model::Feature) -> Feature {
        let support = match feature.support {
            model::Support::Yes => Support::Yes,
            model::Support::Ignored => Support::Ignored,
            model::Support::No => Support::No,
        };
        Feature { name: feature.name, support, note: feature.note }
    }
}

/// What `merkhet list` prints with `--format json` about the values of an option.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ValueReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The values.
    pub values: Vec<OptionValue>,
}

/// A value of an option.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OptionValue {
    /// Its name on the command line.
    pub name: String,
    /// What it means.
    pub note: String,
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use schemars::{JsonSchema, generate::SchemaSettings};

    use super::*;

    /// Compares a committed schema with the types. With `MERKHET_BLESS=1` in the environment,
    /// writes it instead.
    fn check<T: JsonSchema>(name: &str) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
        let generator = SchemaSettings::default().for_serialize().into_generator();
        let mut schema = generator.into_root_schema_for::<T>();
        let kind = name.strip_suffix(".schema.json").unwrap();
        schema.insert("$id".to_owned(), format!("urn:merkhet:schema:{kind}:{VERSION}").into());
        let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("MERKHET_BLESS").is_some() {
            fs::write(&file, schema).unwrap();
            return;
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert!(committed == schema, "schemas/{name} is not what the types say; MERKHET_BLESS=1 updates it");
    }

    #[test]
    fn the_committed_schemas_are_up_to_date() {
        check::<CheckReport>("check.schema.json");
        check::<FeatureReport>("features.schema.json");
        check::<ValueReport>("values.schema.json");
        check::<lattices::LatticeLibraryReport>("lattices.schema.json");
        check::<verify::VerifyReport>("verify.schema.json");
        check::<progress::ProgressLine>("progress.schema.json");
        check::<bench::ZonesReport>("bench-zones.schema.json");
        check::<bench::ScalingReport>("bench-scaling.schema.json");
        check::<bench::scale::ScaleReport>("bench-scale.schema.json");
        check::<bench::abstraction::AbstractionReport>("bench-abstraction.schema.json");
        check::<bench::directed::DirectedReport>("bench-directed.schema.json");
        check::<bench::lattice::LatticeReport>("bench-lattice.schema.json");
        check::<bench::nets::NetsReport>("bench-nets.schema.json");
        check::<bench::KernelsReport>("bench-kernels.schema.json");
        check::<certify::CertifyReport>("certify.schema.json");
        check::<replay::ReplayReport>("replay.schema.json");
        check::<simulate::SimulateLine>("simulate.schema.json");
        check::<replay::TraceFile>("traces.schema.json");
    }
}
