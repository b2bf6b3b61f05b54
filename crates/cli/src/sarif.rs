//! Reports as SARIF 2.1.0, for programs that show problems in the text, such as code scanning of CI
//! services.
//!
//! Each diagnostic is a result, and so is each query that is not satisfied or not decided.
//! Satisfied queries are left out: common readers show every result as a problem, whatever its
//! kind.

use std::io::{self, Write};

use serde::Serialize;

use crate::{
    json::{
        At, CheckReport, DiagnosticEntry, Level,
        verify::{QueryResult, Verdict, VerifyReport},
    },
    status::Status,
};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    tool: Tool,
    invocations: [Invocation; 1],
    results: Vec<SarifResult>,
    column_kind: &'static str,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    rule_index: usize,
    level: ResultLevel,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ResultLevel {
    Error,
    Warning,
}

#[derive(PartialEq, Serialize)]
struct Message {
    text: String,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(PartialEq, Serialize)]
struct ArtifactLocation {
    uri: String,
}

/// Lines and columns count from 1; the end is after the last character.
#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    fully_qualified_name: String,
}

/// Writes what `merkhet check` found.
///
/// # Errors
/// The output could not be written.
pub fn write_check(report: &CheckReport, status: Status, out: &mut dyn Write) -> io::Result<()> {
    let mut log = Collected::default();
    for file in &report.files {
        file.diagnostics.iter().for_each(|entry| log.diagnostic(entry, &file.file));
    }
    log.write(true, status, out)
}

/// Writes what `merkhet verify` found.
///
/// # Errors
/// The output could not be written.
pub fn write_verify(report: &VerifyReport, status: Status, out: &mut dyn Write) -> io::Result<()> {
    let mut log = Collected::default();
    report.diagnostics.iter().for_each(|entry| log.diagnostic(entry, &report.model));
    report.results.iter().for_each(|result| log.answer(result, &report.model));
    let is_read = !report.diagnostics.iter().any(|entry| matches!(entry.severity, Level::Error));
    log.write(is_read, status, out)
}

/// The results, and the rules that they refer to.
#[derive(Default)]
struct Collected {
    rules: Vec<Rule>,
    results: Vec<SarifResult>,
}

impl Collected {
    fn write(self, execution_successful: bool, status: Status, out: &mut dyn Write) -> io::Result<()> {
        let driver = Driver { name: "merkhet", semantic_version: env!("CARGO_PKG_VERSION"), rules: self.rules };
        let run = SarifRun {
            tool: Tool { driver },
            invocations: [Invocation { execution_successful, exit_code: status.code() }],
            results: self.results,
            column_kind: "unicodeCodePoints",
        };
        crate::json::write(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] }, out)
    }

    /// Adds a result; without a position, it is about `model`.
    fn add(
        &mut self,
        id: &'static str,
        level: ResultLevel,
        text: String,
        at: &At,
        related: impl Iterator<Item = Location>,
        model: &str,
    ) {
        // The schema forbids equal locations.
        let mut related_locations: Vec<Location> = Vec::new();
        for location in related {
            if !related_locations.contains(&location) {
                related_locations.push(location);
            }
        }
        let known = self.rules.iter().position(|rule| rule.id == id);
        let rule_index = known.unwrap_or_else(|| {
            self.rules.push(Rule { id, short_description: Message { text: describe(id) } });
            self.rules.len() - 1
        });
        let locations = vec![location(at, model)];
        let message = Message { text };
        self.results.push(SarifResult { rule_id: id, rule_index, level, message, locations, related_locations });
    }

    fn diagnostic(&mut self, entry: &DiagnosticEntry, model: &str) {
        let level = match entry.severity {
            Level::Error => ResultLevel::Error,
            Level::Warning => ResultLevel::Warning,
        };
        let mut text = entry.message.clone();
        // A label at the caret may repeat the end of the message.
        if let Some(label) = entry.label.as_ref().filter(|label| !text.ends_with(label.as_str())) {
            text.push_str(&format!(" ({label})"));
        }
        for help in &entry.help {
            text.push_str(&format!("\nhelp: {help}"));
        }
        let related = entry.notes.iter().map(|note| Location {
            message: Some(Message { text: note.message.clone() }).filter(|message| !message.text.is_empty()),
            ..location(&note.at, model)
        });
        self.add(entry.code, level, text, &entry.at, related, model);
    }

    fn answer(&mut self, result: &QueryResult, model: &str) {
        // Warnings are about the search, not about the verdict.
        let is_warning = |entry: &&DiagnosticEntry| matches!(entry.severity, Level::Warning);
        if result.answer.is_some() {
            result.diagnostics.iter().filter(is_warning).for_each(|entry| self.diagnostic(entry, model));
        }
        let name = result.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let reason = result.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        let query = result.short_query();
        let (id, level, text) = match result.answer {
            Some(Verdict::Satisfied) => return,
            Some(Verdict::NotSatisfied) => {
                (NOT_SATISFIED, ResultLevel::Error, format!("{name}the query `{query}` is not satisfied{reason}"))
            }
            Some(Verdict::Unknown) => {
                (UNKNOWN, ResultLevel::Warning, format!("{name}the answer to the query `{query}` is unknown{reason}"))
            }
            // The diagnostics of a refused query say more.
            None => {
                result.diagnostics.iter().for_each(|entry| self.diagnostic(entry, model));
                return;
            }
        };
        let errors = result.diagnostics.iter().filter(|entry| !is_warning(entry));
        let related = errors.map(|entry| Location {
            message: Some(Message { text: entry.message.clone() }),
            ..location(&entry.at, model)
        });
        self.add(id, level, text, &result.at, related, model);
    }
}

const NOT_SATISFIED: &str = "query-not-satisfied";
const UNKNOWN: &str = "query-unknown";

fn describe(id: &str) -> String {
    match id {
        NOT_SATISFIED => "a query is not satisfied by the model".to_owned(),
        UNKNOWN => "a query is neither shown to be satisfied nor not".to_owned(),
        _ => id.replace('-', " "),
    }
}

/// The location of a position. What is not in a file, such as a query on the command line, belongs
/// to the model.
fn location(at: &At, model: &str) -> Location {
    let (uri, region) = match uri(&at.file) {
        Some(uri) => (Some(uri), region(at)),
        None => (uri(model), None),
    };
    let physical_location = uri.map(|uri| PhysicalLocation { artifact_location: ArtifactLocation { uri }, region });
    let path = at.path.clone().or_else(|| physical_location.is_none().then(|| at.file.clone()));
    let logical_locations =
        path.into_iter().map(|path| LogicalLocation { name: at.place.clone(), fully_qualified_name: path }).collect();
    Location { physical_location, logical_locations, message: None }
}

fn region(at: &At) -> Option<Region> {
    Some(Region {
        start_line: at.file_line?,
        start_column: at.file_column?,
        end_line: at.file_end_line?,
        end_column: at.file_end_column?,
    })
}

/// A path as a URI: relative to the working directory, or with the scheme `file`. `None` for names
/// that are not files: `<stdin>`, `<query 1>`.
fn uri(file: &str) -> Option<String> {
    if file.starts_with('<') && file.ends_with('>') {
        return None;
    }
    let path = if cfg!(windows) { file.replace('\\', "/") } else { file.to_owned() };
    let path = path.strip_prefix("./").unwrap_or(&path);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let mut uri = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        if is_plain(byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Some(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        let cases = [
            ("models/a b.xml", Some("models/a%20b.xml")),
            ("./m.xta", Some("m.xta")),
            ("/tmp/\u{e9}#?.xml", Some("file:///tmp/%C3%A9%23%3F.xml")),
            ("c:m.xml", Some("c%3Am.xml")),
            ("<stdin>", None),
            ("<query 1>", None),
        ];
        for (path, expected) in cases {
            assert_eq!(uri(path).as_deref(), expected, "{path}");
        }
    }
}
