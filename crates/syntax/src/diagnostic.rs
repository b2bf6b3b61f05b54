//! Diagnostics are data: what is wrong, where, and what may be meant. Rendering is for the outermost crate.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The model can be used, but something in it is suspicious.
    Warning,
    /// The model (or the query) can't be used.
    Error,
}

/// A remark on a piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be said there.
    pub text: String,
}

/// One thing to tell the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name for this kind of diagnostic, such as `unknown-name`.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// Where, and a remark to stand at the caret.
    pub primary: Label,
    /// Other places that matter.
    pub others: Vec<Label>,
    /// What the user could do or should know.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message.into())
    }

    /// A warning at `span`.
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

    /// Adds another place.
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

    /// Whether this makes the model unusable.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The candidate that `word` was probably meant to be, if one is near enough.
///
/// Near is an edit distance (with transpositions) of at most a third of the word, or equality but for case. One letter
/// is near to nothing else.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        1 => 0,
        length => length.div_ceil(3).min(3),
    };
    nearest_within(word, candidates, limit)
}

/// The same with an edit distance of at most `limit`.
pub fn nearest_within<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, limit: usize) -> Option<&'a str> {
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

/// Optimal string alignment distance; anything above `limit` may be returned as `limit + 1`.
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
    fn nearest_prefers_the_closest_and_refuses_the_far() {
        assert_eq!(nearest("trian", ["train", "brain"]), Some("train"));
        assert_eq!(nearest("Count", ["count", "counter"]), Some("count"));
        assert_eq!(nearest("x", ["yy", "y", "zzz"]), None);
        assert_eq!(nearest("x", ["y", "X"]), Some("X"));
        assert_eq!(nearest("queue_lenght", ["queue_length", "queue"]), Some("queue_length"));
    }
}
