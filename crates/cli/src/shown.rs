//! Which diagnostics are shown.
//!
//! A model may have as many as it has lines. Nobody reads them all, and a report of them may be
//! larger than the model many times over. So there is one bound for all forms of output, and each
//! says how many it leaves out. Counts and the exit status are about all.

use std::io;

use syntax::{Diagnostic, Sources, Span};

use crate::{
    json::{At, Entry, Level},
    render::Renderer,
};

/// More diagnostics about one model are counted, not shown.
pub const MOST: usize = 100;

/// Says in a report how many diagnostics are left out.
const LEFT_OUT: &str = "left-out";

/// Diagnostics, with what is needed to show them.
pub struct Shown<'a> {
    pub sources: &'a Sources,
    pub file: &'a str,
    pub diagnostics: &'a [Diagnostic],
}

/// Those that are shown, and how many are not. Warnings are left out before errors are.
fn choose<'l, 'a>(lists: &'l [Shown<'a>]) -> (Vec<(&'l Shown<'a>, &'a Diagnostic)>, usize) {
    let all = || lists.iter().flat_map(|list| list.diagnostics.iter().map(move |d| (list, d)));
    let mut errors = all().filter(|(_, d)| d.is_error()).count().min(MOST);
    let mut warnings = MOST - errors;
    let shown = all().filter(|(_, d)| {
        let room = if d.is_error() { &mut errors } else { &mut warnings };
        let fits = *room > 0;
        *room -= usize::from(fits);
        fits
    });
    (shown.collect(), all().count().saturating_sub(MOST))
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

/// The entries of a report. The last one says how many are left out, if any are, and is as bad as
/// the worst of these may be.
pub fn entries(lists: &[Shown<'_>]) -> Vec<Entry> {
    let (shown, left_out) = choose(lists);
    let mut entries: Vec<Entry> = shown.iter().map(|(list, d)| Entry::new(list.sources, list.file, d)).collect();
    if let Some(first) = lists.first().filter(|_| left_out > 0) {
        let errors = lists.iter().flat_map(|list| list.diagnostics).filter(|d| d.is_error()).count();
        entries.push(Entry {
            severity: if errors > MOST { Level::Error } else { Level::Warning },
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
            let left_out = (errors + warnings).saturating_sub(MOST);
            let shown = (text.matches("wrong ").count(), text.matches("odd ").count());
            assert_eq!(shown, (errors.min(MOST), warnings.min(MOST - errors.min(MOST))));
            assert_eq!(text.contains(&format!("and {left_out} more")), left_out > 0);
            let entries = entries(&lists);
            assert_eq!(entries.len(), (errors + warnings).min(MOST) + usize::from(left_out > 0));
            let last = entries.last().filter(|entry| entry.code == LEFT_OUT);
            assert_eq!(
                last.map(|entry| entry.message.clone()),
                (left_out > 0).then(|| format!("{left_out} more diagnostics are left out"))
            );
            assert_eq!(last.is_some_and(|entry| matches!(entry.severity, Level::Error)), errors > MOST);
        }
    }
}
