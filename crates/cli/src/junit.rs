//! Answers as JUnit's XML, which CI services show as tests.
//!
//! A query is a test. If it is not satisfied, the test fails. If its answer is unknown or the query
//! is refused, the test is an error, not skipped: a build must not pass because a limit was
//! reached. The format follows Jenkins' schema.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use crate::{
    commands::verify::text,
    json::{
        DiagnosticEntry, Level,
        verify::{QueryResult, Verdict, VerifyReport},
    },
};

/// A test.
struct Case {
    name: String,
    seconds: f64,
    /// The element of a test that has not passed, with its attributes `type` and `message`.
    problem: Option<(&'static str, String, String)>,
    body: String,
}

/// Writes the answers of `merkhet verify`, which took `seconds`.
///
/// # Errors
/// The output could not be written.
pub fn write(report: &VerifyReport, seconds: f64, out: &mut dyn Write) -> io::Result<()> {
    let mut cases = files(report);
    for (result, number) in report.results.iter().zip(1..) {
        let mut case = case(result)?;
        // CI services merge tests with the same name.
        if cases.iter().any(|other| other.name == case.name) {
            let _ = write!(case.name, " (query {number})");
        }
        cases.push(case);
    }
    let number = |tag: &str| cases.iter().filter(|c| c.problem.as_ref().is_some_and(|p| p.0 == tag)).count();
    let (tests, failures, errors) = (cases.len(), number("failure"), number("error"));
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    let model = escape(&report.model);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"merkhet\" {counts} time=\"{seconds:.3}\">")?;
    writeln!(out, "  <testsuite name=\"{model}\" {counts} skipped=\"0\" time=\"{seconds:.3}\">")?;
    if let Some(file) = &report.queries_from {
        writeln!(out, "    <properties>")?;
        writeln!(out, "      <property name=\"queries from\" value=\"{}\"/>", escape(file))?;
        writeln!(out, "    </properties>")?;
    }
    for case in &cases {
        let name = escape(&case.name);
        writeln!(out, "    <testcase name=\"{name}\" classname=\"{model}\" time=\"{:.3}\">", case.seconds)?;
        let body = escape_text(case.body.trim_end());
        match &case.problem {
            Some((tag, kind, message)) => {
                writeln!(out, "      <{tag} type=\"{}\" message=\"{}\">{body}</{tag}>", escape(kind), escape(message))?;
            }
            None => writeln!(out, "      <system-out>{body}</system-out>")?,
        }
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>")?;
    writeln!(out, "</testsuites>")
}

/// The files with errors, so that not all queries could be read.
fn files(report: &VerifyReport) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for entry in report.diagnostics.iter().filter(|entry| matches!(entry.severity, Level::Error)) {
        if let Some(case) = cases.iter_mut().find(|case| case.name == entry.at.file) {
            case.body.push_str(&line(entry));
            continue;
        }
        let problem = Some(("error", entry.code.to_owned(), entry.message.clone()));
        cases.push(Case { name: entry.at.file.clone(), seconds: 0.0, problem, body: line(entry) });
    }
    cases
}

fn case(result: &QueryResult) -> io::Result<Case> {
    let reason = result.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    let problem = match result.answer {
        Some(Verdict::Satisfied) => None,
        Some(Verdict::NotSatisfied) => Some(("failure", "not satisfied".to_owned(), format!("not satisfied{reason}"))),
        Some(Verdict::Unknown) => Some(("error", "unknown".to_owned(), format!("unknown{reason}"))),
        None => {
            let first = result.diagnostics.first().map_or("the query is refused", |entry| &entry.message);
            Some(("error", "refused".to_owned(), first.to_owned()))
        }
    };
    let mut body = Vec::new();
    text::write_verdict(result, None, true, false, &mut body)?;
    result.diagnostics.iter().try_for_each(|entry| body.write_all(line(entry).as_bytes()))?;
    text::write_trace(result, &mut body)?;
    Ok(Case {
        name: result.name.clone().unwrap_or_else(|| result.short_query()),
        seconds: result.stats.as_ref().map_or(0.0, |stats| stats.seconds),
        problem,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// A diagnostic on one line.
fn line(entry: &DiagnosticEntry) -> String {
    let place = match (entry.at.file_line, entry.at.file_column) {
        (Some(line), Some(column)) => format!("{}:{line}:{column}", entry.at.file),
        _ => entry.at.file.clone(),
    };
    let severity = match entry.severity {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    format!("{place}: {severity}: {}\n", entry.message)
}

/// Text for an attribute. Line breaks are written as references, since readers turn plain ones into
/// blanks.
fn escape(text: &str) -> String {
    escape_text(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Text for an element. XML can't represent most control characters, not even as references.
/// Control pictures replace them.
fn escape_text(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\u{0}'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
            '\u{7f}' => out.push('\u{2421}'),
            // They are legal, and terminals obey them.
            '\u{80}'..='\u{9f}' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_can_not_hold_is_replaced() {
        assert_eq!(
            escape("a<b & \"c\"\n\u{1b}[31m\u{0}\u{9b}\u{ffff}"),
            "a&lt;b &amp; &quot;c&quot;&#10;\u{241b}[31m\u{2400}&#155;\u{fffd}"
        );
        assert_eq!(escape_text("x\n\ty\r"), "x\n\ty\u{240d}");
    }

    #[test]
    fn every_character_becomes_legal() {
        let legal = |c: char| matches!(c, '\t' | '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        for c in ('\0'..='\u{11000}').chain(['\u{10ffff}']) {
            let text = escape(&c.to_string());
            assert!(text.chars().all(legal), "{c:?}");
            assert!(
                !text.contains(['<', '>', '"', '\n', '\t']) && (!text.contains('&') || text.ends_with(';')),
                "{c:?}: {text}"
            );
        }
    }
}
