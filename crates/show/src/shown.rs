//! The selection of diagnostics to show.
//!
//! A model may have as many as it has lines, and a report of all of them may be many times larger
//! than the model. So one limit holds for all formats, each of which reports the number of the
//! others. Counts and the exit status consider all.

use std::io;

use syntax::{Diagnostic, Sources, Span};

use crate::{
    json::{At, DiagnosticEntry, Level},
    render::Renderer,
};

/// The diagnostics about one model that are shown; others are counted.
pub const MAX_DIAGNOSTICS: usize = 100;

/// The code of the entry that counts the diagnostics that are left out.
const LEFT_OUT: &str = "left-out";

/// Diagnostics, with the text that they are about.
pub struct Shown<'a> {
    /// The text.
    pub sources: &'a Sources,
    /// What messages call it.
    pub file: &'a str,
    /// The diagnostics.
    pub diagnostics: &'a [Diagnostic],
}

/// The diagnostics to show, and the number of the others. Errors take precedence over warnings.
fn choose<'l, 'a>(lists: &'l [Shown<'a>]) -> (Vec<(&'l Shown<'a>, &'a Diagnostic)>, usize) {
    let all = || lists.iter().flat_map(|list| list.diagnostics.iter().map(move |d| (list, d)));
    let mut errors = all().filter(|(_, d)| d.is_error()).count().min(MAX_DIAGNOSTICS);
    let mut warnings = MAX_DIAGNOSTICS - errors;
    let shown = all().filter(|(_, d)| {
        let room = if d.is_error() { &mut errors } else { &mut warnings };
        let fits = *room > 0;
        *room -= usize::from(fits);
        fits
    });
    (shown.collect(), all().count().saturating_sub(MAX_DIAGNOSTICS))
}

/// Writes diagnostics as text.
///
/// # Errors
/// The output could not be written.
pub fn write(lists: &[Shown<'_>], renderer: &Renderer, out: &mut dyn io::Write) -> io::Result<()> {
    let (shown, left_out) = choose(lists);
    for (list, d) in shown {
        out.write_all(renderer.diagnostic(list.sources, list.file, d).as_bytes())?;
    }
    if left_out > 0 {
        writeln!(out, "\u{2026} and {left_out} more\n")?;
    }
    Ok(())
}

/// The entries of a report. If some are left out, the last one counts them; it is an error if
/// errors may be among them.
pub fn entries(lists: &[Shown<'_>]) -> Vec<DiagnosticEntry> {
    let (shown, left_out) = choose(lists);
    let mut entries: Vec<DiagnosticEntry> =
        shown.iter().map(|(list, d)| DiagnosticEntry::new(list.sources, list.file, d)).collect();
    if let Some(first) = lists.first().filter(|_| left_out > 0) {
        let errors = lists.iter().flat_map(|list| list.diagnostics).filter(|d| d.is_error()).count();
        entries.push(DiagnosticEntry {
            severity: if errors > MAX_DIAGNOSTICS { Level::Error } else { Level::Warning },
            code: LEFT_OUT,
            message: format!("{left_out} more diagnostics are left out"),
            at: At::new(first.sources, first.file, Span::NONE),
            label: None,
            notes: Vec::new(),
            help: Vec::new(),
        });
    }
    entries
}

/// Sorts diagnostics by position. Those without a position come first.
pub fn sort(diagnostics: &mut [Diagnostic], sources: &Sources) {
    diagnostics.sort_by_cached_key(|d| (sources.order(d.primary.span), d.primary.span));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_left_out_first_and_all_are_counted() {
        let sources = Sources::new();
        for (errors, warnings) in [(0, 0), (3, 97), (3, 98), (0, 250), (100, 1), (250, 4)] {
            let error = |i: usize| Diagnostic::error("e", Span::NONE, format!("wrong {i}"));
            let warning = |i: usize| Diagnostic::warning("w", Span::NONE, format!("odd {i}"));
            let (first, second): (Vec<_>, Vec<_>) =
                ((0..warnings).map(warning).collect(), (0..errors).map(error).collect());
            let list = |diagnostics| Shown { sources: &sources, file: "m", diagnostics };
            let lists = [list(&first), list(&second)];
            let mut text = Vec::new();
            write(&lists, &Renderer::new(false), &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            let left_out = (errors + warnings).saturating_sub(MAX_DIAGNOSTICS);
            let shown = (text.matches("wrong ").count(), text.matches("odd ").count());
            assert_eq!(
                shown,
                (errors.min(MAX_DIAGNOSTICS), warnings.min(MAX_DIAGNOSTICS - errors.min(MAX_DIAGNOSTICS)))
            );
            assert_eq!(text.contains(&format!("and {left_out} more")), left_out > 0);
            let entries = entries(&lists);
            assert_eq!(entries.len(), (errors + warnings).min(MAX_DIAGNOSTICS) + usize::from(left_out > 0));
            let last = entries.last().filter(|entry| entry.code == LEFT_OUT);
            assert_eq!(
                last.map(|entry| entry.message.clone()),
                (left_out > 0).then(|| format!("{left_out} more diagnostics are left out"))
            );
            assert_eq!(last.is_some_and(|entry| matches!(entry.severity, Level::Error)), errors > MAX_DIAGNOSTICS);
        }
    }

    #[test]
    fn diagnostics_are_sorted_by_their_place_in_the_file() {
        let mut sources = Sources::new();
        let text = "<nta><declaration>int @;</declaration><template/><system>@</system></nta>";
        let file = sources.add_file("m.xml", text.to_owned());
        let (_, mut found) = syntax::read_model(&mut sources, file, syntax::Format::Xml);
        found.push(Diagnostic::warning("w", Span::NONE, "whole"));
        sort(&mut found, &sources);
        let at: Vec<_> = found.iter().map(|d| sources.order(d.primary.span).map(|(_, at)| at)).collect();
        assert_eq!(at[0], None);
        assert!(at.len() > 3 && at.is_sorted(), "{found:?}");
    }
}
