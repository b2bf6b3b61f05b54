//! Text in pictures: legal characters, sizes and line breaks.

use crate::{
    font::{self, Weight},
    geometry::Size,
};

/// The font size of labels in pixels.
pub(crate) const FONT: f64 = 12.0;
/// The distance between lines.
pub(crate) const LINE: f64 = 15.0;
/// The distance from the top of a line to its baseline.
pub(crate) const ASCENT: f64 = 11.5;

/// The greatest number of lines of a label. Tooltips have the rest.
const MAX_LINES: usize = 100;

/// The rules for line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Breaks {
    /// Whether the line breaks of the text are kept.
    pub keep: bool,
    /// The number of characters above which a line is broken.
    pub limit: usize,
}

/// Replaces characters that XML forbids or that change the direction of text, and tabs by blanks.
pub(crate) fn printable(c: char) -> char {
    match c {
        '\n' => '\n',
        '\t' | '\r' => ' ',
        c if c.is_control() => '\u{FFFD}',
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
        c => c,
    }
}

/// Returns an expression's text without comments, and with the parentheses that its span cuts off:
/// the span of `(a) && (b)` starts after the first parenthesis and ends before the last one.
pub(crate) fn expression(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut open, mut missing) = (0usize, 0usize);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => {
                out.push(' ');
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            }
            '"' => {
                let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
                out.push_str(&rest[..end]);
                end
            }
            _ => {
                match c {
                    '(' => open += 1,
                    ')' if open > 0 => open -= 1,
                    ')' => missing += 1,
                    _ => {}
                }
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    let trimmed = out.trim();
    format!("{}{trimmed}{}", "(".repeat(missing), ")".repeat(open))
}

/// Splits a text into the lines in which it is drawn.
pub(crate) fn lines(text: &str, breaks: Breaks) -> Vec<String> {
    let clean: String = text.chars().map(printable).collect();
    let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = Vec::new();
    if breaks.keep {
        for line in clean.lines() {
            wrap(&squeeze(line), breaks.limit, &mut out);
        }
    } else {
        wrap(&squeeze(&clean), breaks.limit, &mut out);
    }
    if out.len() > MAX_LINES {
        out.truncate(MAX_LINES - 1);
        out.push("…".to_owned());
    }
    out
}

/// Breaks a line into pieces of about `limit` characters, preferably outside parentheses and after
/// `,`, `&&` and `||`.
fn wrap(line: &str, limit: usize, out: &mut Vec<String>) {
    let letters: Vec<char> = line.chars().collect();
    let mut start = 0;
    while letters.len() - start > limit {
        let piece = &letters[start..];
        // A break that leaves a very short line is useless, so only the last two thirds are
        // considered; a longer word stays whole up to three times the limit.
        let end = best_break(&piece[..limit], limit / 3)
            .or_else(|| piece.iter().take(limit * 3).position(|c| *c == ' ').filter(|at| *at > 0))
            .unwrap_or_else(|| piece.len().min(limit * 3));
        push(&piece[..end], out);
        start += end;
    }
    push(&letters[start..], out);
}

fn push(letters: &[char], out: &mut Vec<String>) {
    let line: String = letters.iter().collect();
    let line = line.trim();
    if !line.is_empty() {
        out.push(line.to_owned());
    }
}

fn best_break(piece: &[char], from: usize) -> Option<usize> {
    let mut depth = 0i32;
    let mut best: Option<((i32, bool), usize)> = None;
    for (i, c) in piece.iter().enumerate() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        let joint = matches!(c, ',') || i > 0 && matches!((piece[i - 1], c), ('&', '&') | ('|', '|'));
        if i + 1 < from || !(joint || *c == ' ') {
            continue;
        }
        let rank = (depth, !joint);
        if best.is_none_or(|(r, _)| rank <= r) {
            best = Some((rank, i + 1));
        }
    }
    best.map(|(_, at)| at)
}

/// Returns the size of lines in the font of labels.
pub(crate) fn extent(lines: &[String], weight: Weight) -> Size {
    let w = lines.iter().map(|l| font::width(l, FONT, weight)).fold(0.0, f64::max);
    Size { w, h: lines.len() as f64 * LINE }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Breaks = Breaks { keep: true, limit: 20 };

    #[test]
    fn cut_off_parentheses_are_restored() {
        assert_eq!(expression("x > 2) && (y < 3"), "(x > 2) && (y < 3)");
        assert_eq!(expression("f(x) // (why\n + 1"), "f(x) \n + 1");
        assert_eq!(expression("s == \")\" /* ( */ "), "s == \")\"");
    }

    #[test]
    fn lines_break_after_operators() {
        assert_eq!(lines("x = 0, y = f(1, 2), zz = 3", NARROW), ["x = 0, y = f(1, 2),", "zz = 3"]);
        assert_eq!(lines("a && b\n\n  c  <  d", NARROW), ["a && b", "c < d"]);
        assert_eq!(lines("a && b\n c", Breaks { keep: false, limit: 20 }), ["a && b c"]);
        assert_eq!(lines(&"x".repeat(150), NARROW).iter().map(String::len).max(), Some(60));
        assert_eq!(lines("", NARROW), Vec::<String>::new());
        assert_eq!(lines("a\u{1}b\tc", NARROW), ["a\u{FFFD}b c"]);
        assert_eq!(lines(&"a\n".repeat(1000), NARROW).len(), MAX_LINES);
    }
}
