//! TINA's graphical format, `.ndr`: places, transitions and edges with coordinates, one per line.
//!
//! Source: the page on file formats of the TINA toolbox
//! (<https://projects.laas.fr/tina/manuals/formats.html>).

use std::ops::Range;

use super::{
    Net,
    draft::{ArcKind, NetDraft, WrittenInterval},
};
use crate::{
    diagnostic::Diagnostic,
    problems::Problems,
    source::{Fragment, Span},
};

/// A word of a line, without braces.
struct Word {
    text: String,
    span: Span,
}

fn spanned(line: &str, start: u32) -> Vec<Word> {
    let word = |(text, at): (String, Range<usize>)| Word {
        text,
        span: Span { start: start + at.start as u32, end: start + at.end as u32 },
    };
    words(line).into_iter().map(word).collect()
}

/// Reads a net, which lacks what could not be parsed.
pub(super) fn read(fragment: &Fragment, name: &str, problems: &mut Problems<'_>) -> Net {
    let mut reader = NdrReader { draft: NetDraft::default(), problems };
    let mut at = fragment.span().start;
    for line in fragment.text().split_inclusive('\n') {
        let start = at;
        at += line.len() as u32;
        if reader.problems.is_over() {
            break;
        }
        if !line.trim_start().starts_with('#') {
            let words = spanned(line, start);
            let end = start + line.trim_end().len() as u32;
            reader.line(&words, Span { start: words.first().map_or(start, |w| w.span.start), end });
        }
    }
    let NdrReader { draft, problems } = reader;
    draft.finish(name, problems)
}

/// Splits a line at blanks outside of braces. Returns the words, without braces, and their places.
#[must_use]
pub fn words(line: &str) -> Vec<(String, Range<usize>)> {
    let mut out = Vec::new();
    let mut signs = line.char_indices().peekable();
    while let Some((from, c)) = signs.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut text = String::new();
        if c == '{' {
            while let Some((_, c)) = signs.next() {
                match c {
                    '}' => break,
                    '\\' => text.extend(signs.next().map(|(_, c)| c)),
                    c => text.push(c),
                }
            }
        } else {
            text.push(c);
            while let Some((_, c)) = signs.next_if(|(_, c)| !c.is_whitespace()) {
                text.push(c);
            }
        }
        let to = signs.peek().map_or(line.len(), |(at, _)| *at);
        out.push((text, from..to));
    }
    out
}

struct NdrReader<'a, 'd> {
    draft: NetDraft,
    problems: &'a mut Problems<'d>,
}

impl NdrReader<'_, '_> {
    fn line(&mut self, words: &[Word], span: Span) {
        let Some(first) = words.first() else { return };
        let understood = match first.text.as_str() {
            "t" => self.transition(&words[1..]),
            "p" => self.place(&words[1..]),
            "e" => self.edge(&words[1..], span),
            "h" => words.get(1).map(|name| self.draft.name = Some((name.text.clone(), name.span))),
            // Annotations have no meaning.
            "n" | "a" => Some(()),
            _ => None,
        };
        if understood.is_none() {
            self.problems.report(
                Diagnostic::error("syntax", span, "unknown declaration")
                    .help("a line starts with `t`, `p`, `e` or `h`, and has all the fields that belong to it"),
            );
        }
    }

    fn transition(&mut self, words: &[Word]) -> Option<()> {
        let (x, y, name) = (words.first()?, words.get(1)?, words.get(2)?);
        // The anchor of the name is optional.
        let rest = if bound(&words.get(3)?.text).is_some() { &words[3..] } else { &words[4..] };
        let (low, high) = (rest.first()?, rest.get(1)?);
        let (low_value, low_open) = bound(&low.text)?;
        let (high_value, high_open) = match high.text.as_str() {
            "w" => (None, true),
            text => bound(text).map(|(value, open)| (Some(value), open))?,
        };
        let label = rest.get(3).filter(|label| !label.text.is_empty()).map(|label| label.text.clone());
        let t = self.draft.transition(&name.text, name.span);
        let interval =
            WrittenInterval { low: low_value, low_open, high: high_value, high_open, span: low.span.to(high.span) };
        let known = &mut self.draft.transitions[t as usize];
        known.is_declared = true;
        known.label = label.or(known.label.take());
        known.at = position(x, y);
        NetDraft::firing(&mut known.interval, interval, self.problems);
        Some(())
    }

    fn place(&mut self, words: &[Word]) -> Option<()> {
        let (x, y, name, tokens) = (words.first()?, words.get(1)?, words.get(2)?, words.get(3)?);
        // The anchor of the name is optional.
        let (tokens, label) = match number(&tokens.text) {
            Some(value) => ((value, tokens.span), words.get(5)),
            None => {
                let tokens = words.get(4)?;
                ((number(&tokens.text)?, tokens.span), words.get(6))
            }
        };
        let p = self.draft.place(&name.text, name.span);
        let known = &mut self.draft.places[p as usize];
        known.is_declared = true;
        known.tokens = Some(tokens);
        known.at = position(x, y);
        known.label = label.filter(|label| !label.text.is_empty()).map(|label| label.text.clone());
        Some(())
    }

    /// `e source {angle radius} target {angle radius} weight anchor`
    fn edge(&mut self, words: &[Word], span: Span) -> Option<()> {
        let (source, target, weight) = match words.len() {
            4 => (&words[0], &words[1], &words[2]),
            8 => (&words[0], &words[3], &words[6]),
            _ => return None,
        };
        let signs = [("?-", ArcKind::Inhibit), ("?", ArcKind::Test), ("!-", ArcKind::Stop), ("!", ArcKind::Run)];
        let (kind, digits) = signs
            .into_iter()
            .find_map(|(sign, kind)| Some((kind, weight.text.strip_prefix(sign)?)))
            .unwrap_or((ArcKind::Take, &weight.text));
        let value = number(digits)?;
        if value == 0 {
            let d = Diagnostic::error("constant", weight.span, "the weight of an arc must be at least 1");
            self.problems.report(d);
            return Some(());
        }
        let place = |reader: &Self, word: &Word| reader.draft.find_place(&word.text);
        let transition = |reader: &Self, word: &Word| reader.draft.find_transition(&word.text);
        match (place(self, source), transition(self, target), transition(self, source), place(self, target)) {
            (Some(p), Some(t), ..) => self.draft.arc(t, p, kind, value, span),
            (_, _, Some(t), Some(p)) if kind == ArcKind::Take => self.draft.arc(t, p, ArcKind::Put, value, span),
            (_, _, Some(_), Some(_)) => {
                self.problems.report(Diagnostic::error(
                    "syntax",
                    span,
                    "an arc to a place can't be a test, inhibitor or stopwatch arc",
                ));
            }
            // An edge between transitions is a priority.
            (_, Some(lower), Some(higher), _) => self.draft.priority(higher, lower, span),
            _ => {
                let message = "an edge must connect a place and a transition that are declared before it";
                self.problems.report(Diagnostic::error("unknown-name", span, message));
            }
        }
        Some(())
    }
}

/// Reads a bound, and whether it is strict, which a minus before it indicates.
fn bound(text: &str) -> Option<(u64, bool)> {
    match text.strip_prefix('-') {
        Some(rest) => number(rest).map(|value| (value, true)),
        None => number(text).map(|value| (value, false)),
    }
}

fn number(text: &str) -> Option<u64> {
    super::tina::number(text)
}

fn position(x: &Word, y: &Word) -> Option<(i32, i32)> {
    let number = |word: &Word| word.text.parse::<f64>().ok().map(|v| v.clamp(-1e6, 1e6).round() as i32);
    Some((number(x)?, number(y)?))
}
