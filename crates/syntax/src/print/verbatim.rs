//! Copies text: queries, and items that the tree does not keep.

use super::writer::Printer;
use crate::source::Span;

impl Printer<'_> {
    /// Copies the text of `span`, including comments, onto separate lines.
    pub(super) fn verbatim_item(&mut self, span: Span) {
        let text = copy(self.comments.text(span), false, |word, after_dot| {
            if after_dot { self.renames.word(self.tree, word, true) } else { None }
        });
        let leading = self.comments.leading(span.start);
        self.comment_lines(leading);
        self.start_line(span.start);
        self.write(&text);
        self.comments.inside(span);
        let trailing = self.comments.trailing(span.end);
        self.trail(trailing);
        self.end_line();
    }
}

/// The tokens of copied text.
enum Piece<'a> {
    /// `// …`, without the line break.
    LineComment(&'a str),
    /// `/* … */`, or a string: line breaks in them have no meaning.
    Closed(&'a str),
    /// A comment or string that is not closed.
    Unclosed(&'a str),
    Word(&'a str),
    /// Blanks with at least one line break, or after a backslash that joins lines.
    LineBreak(&'a str),
    Blank(&'a str),
    Sign(char),
}

/// Splits the first piece off `text`.
fn piece<'a>(text: &mut &'a str) -> Option<Piece<'a>> {
    let whole = *text;
    let first = whole.chars().next()?;
    let mut take = |length: usize| {
        let (head, tail) = whole.split_at(length);
        *text = tail;
        head
    };
    let up_to = |open: usize, end: &str| whole[open..].find(end).map(|at| open + at + end.len());
    let run = |part: fn(char) -> bool| whole.find(|c| !part(c)).unwrap_or(whole.len());
    let is_blank = |c: char| c.is_ascii_whitespace();
    Some(match first {
        '/' if whole.starts_with("//") => Piece::LineComment(take(whole.find('\n').unwrap_or(whole.len())).trim_end()),
        '/' if whole.starts_with("/*") => match up_to(2, "*/") {
            Some(end) => Piece::Closed(take(end)),
            None => Piece::Unclosed(take(whole.len())),
        },
        '"' => match up_to(1, "\"") {
            Some(end) => Piece::Closed(take(end)),
            None => Piece::Unclosed(take(whole.len())),
        },
        'a'..='z' | 'A'..='Z' | '_' => {
            Piece::Word(take(run(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#'))))
        }
        '\\' if whole[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') => {
            Piece::LineBreak(take(1 + whole[1..].find(|c| !is_blank(c)).unwrap_or(whole.len() - 1)))
        }
        c if is_blank(c) => {
            let blanks = take(run(|c| c.is_ascii_whitespace()));
            if blanks.contains('\n') { Piece::LineBreak(blanks) } else { Piece::Blank(blanks) }
        }
        c => {
            take(c.len_utf8());
            Piece::Sign(c)
        }
    })
}

/// Copies a text with renamed words, on one line if `join` is set. `rename` gets the word and
/// whether it follows a dot.
pub(super) fn copy<'r>(text: &str, join: bool, rename: impl Fn(&str, bool) -> Option<&'r str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_dot = false;
    while let Some(piece) = piece(&mut rest) {
        after_dot = match piece {
            Piece::Sign(c) => c == '.',
            Piece::Word(word) => {
                out.push_str(rename(word, after_dot).unwrap_or(word));
                false
            }
            _ => after_dot,
        };
        match piece {
            Piece::LineComment(comment) if join && !rest.trim().is_empty() => {
                out.push_str("/*");
                out.push_str(&comment[2..].replace("*/", "* /"));
                out.push_str(" */");
            }
            Piece::LineBreak(_) if join => out.push(' '),
            Piece::Closed(s) | Piece::Unclosed(s) | Piece::LineBreak(s) => out.push_str(&s.replace("\r\n", "\n")),
            Piece::LineComment(s) | Piece::Blank(s) => out.push_str(s),
            Piece::Word(_) => {}
            Piece::Sign(c) => out.push(c),
        }
    }
    out
}

/// Returns whether a text can be put in braces: its braces are balanced, and its comments and
/// strings are closed.
pub(super) fn fits_into_braces(text: &str) -> bool {
    let mut depth = 0u32;
    let mut rest = text;
    while let Some(piece) = piece(&mut rest) {
        match piece {
            Piece::Unclosed(_) => return false,
            Piece::Sign('{') => depth += 1,
            Piece::Sign('}') => match depth.checked_sub(1) {
                Some(d) => depth = d,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_lines_keep_their_comments() {
        let join = |text| copy(text, true, |_, _| None);
        assert_eq!(join("A[] x > 1 // one */\n  and\\\n y"), "A[] x > 1 /* one * / */ and y");
        assert_eq!(join("a /* b\n c */ d"), "a /* b\n c */ d");
    }

    #[test]
    fn only_words_are_replaced() {
        let text = copy("for \"for\" x. for /* for */ fort", false, |w, dot| (w == "for" && dot).then_some("for_"));
        assert_eq!(text, "for \"for\" x. for_ /* for */ fort");
    }

    #[test]
    fn braces_must_balance() {
        assert!(fits_into_braces("sup{x > 1}: y // }"));
        assert!(!fits_into_braces("sup{x"));
        assert!(!fits_into_braces("} x {"));
        assert!(!fits_into_braces("a /* b"));
    }
}
