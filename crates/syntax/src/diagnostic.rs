//! Diagnostics as data. Only the outermost crate renders them.

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The model can be used, but something in it is suspicious.
    Warning,
    /// The model (or the query) can't be used.
    Error,
}

/// A remark on a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The span.
    pub span: Span,
    /// The remark.
    pub text: String,
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// A stable name for this kind of diagnostic, such as `unknown-name`.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The span, and a remark at the caret.
    pub primary: Label,
    /// Other relevant spans.
    pub others: Vec<Label>,
    /// Advice or background.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// Creates an error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message.into())
    }

    /// Creates a warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: String) -> Diagnostic {
        let primary = Label { span, text: String::new() };
        Diagnostic { severity, code, message, primary, others: Vec::new(), help: Vec::new() }
    }

    /// Sets the remark at the caret.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Adds another span.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        if span != Span::NONE {
            self.others.push(Label { span, text: text.into() });
        }
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Returns whether this makes the model unusable.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Returns the candidate that is most similar to `word`, if one is similar enough.
///
/// Similar means an edit distance (with transpositions) of at most a third of the word, or equality
/// up to case. A single letter is similar to nothing else.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        1 => 0,
        length => length.div_ceil(3).min(3),
    };
    nearest_within(word, candidates, limit)
}

/// Returns the most similar candidate with an edit distance of at most `limit`.
pub(crate) fn nearest_within<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == word {
            continue;
        }
        let distance = if candidate.eq_ignore_ascii_case(word) { 0 } else { edit_distance(word, candidate, limit) };
        if distance <= limit && best.is_none_or(|(d, name)| (distance, candidate) < (d, name)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Returns the optimal string alignment distance; a distance above `limit` may be returned as
/// `limit + 1`.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let swap_cost = usize::from(a[i - 1] != b[j - 1]);
            let mut cost = (last[j - 1] + swap_cost).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row.push(cost);
        }
        before = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_prefers_the_closest_and_rejects_distant_words() {
        assert_eq!(nearest("trian", ["train", "brain"]), Some("train"));
        assert_eq!(nearest("Count", ["count", "counter"]), Some("count"));
        assert_eq!(nearest("x", ["yy", "y", "zzz"]), None);
        assert_eq!(nearest("x", ["y", "X"]), Some("X"));
        assert_eq!(nearest("queue_lenght", ["queue_length", "queue"]), Some("queue_length"));
    }
}
