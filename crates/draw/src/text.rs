//! Text in pictures: what may stand in it, how wide it is, and where its lines break.

use crate::geometry::Size;

/// The height of letters in labels, in pixels.
pub const FONT: f64 = 12.0;
/// From one line to the next.
pub const LINE: f64 = 15.0;
/// From the top of a line to the feet of its letters.
pub const ASCENT: f64 = 11.5;

/// More lines than this are for the tooltip.
const MOST_LINES: usize = 100;

/// How long lines are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breaks {
    /// Whether the text's own line breaks stay.
    pub keep: bool,
    /// The number of letters from which a line is broken in addition.
    pub limit: usize,
}

/// Replaces what no XML may hold, whatever the escaping, and takes tabs for blanks.
pub fn printable(c: char) -> char {
    match c {
        '\n' => '\n',
        '\t' | '\r' => ' ',
        c if c.is_control() => '\u{FFFD}',
        '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
        c => c,
    }
}

/// An expression's text without comments, and with the parentheses that its span cut off: that of `(a) && (b)` starts
/// behind the first parenthesis and ends before the last one.
pub fn expression(text: &str) -> String {
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

/// The lines in which a text is drawn.
pub fn lines(text: &str, breaks: Breaks) -> Vec<String> {
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
    if out.len() > MOST_LINES {
        out.truncate(MOST_LINES - 1);
        out.push("…".to_owned());
    }
    out
}

/// Breaks one line into pieces of about `limit` letters: outside parentheses and behind `,`, `&&` and `||` if it can.
fn wrap(line: &str, limit: usize, out: &mut Vec<String>) {
    let letters: Vec<char> = line.chars().collect();
    let mut start = 0;
    while letters.len() - start > limit {
        let piece = &letters[start..];
        // A break that leaves next to nothing on a line helps little, so only the later two thirds are considered; a
        // word that fills the line and more stays whole up to three lines' length.
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

/// An estimate of the width of a line; a little more than what common sans-serif fonts need.
pub fn width(line: &str, font: f64) -> f64 {
    let em: f64 = line.chars().map(advance).sum();
    em * font * 1.06
}

/// The extent of lines in the size of labels.
pub fn extent(lines: &[String]) -> Size {
    let w = lines.iter().map(|l| width(l, FONT)).fold(0.0, f64::max);
    Size { w, h: lines.len() as f64 * LINE }
}

/// The width of a letter as a share of the font's height.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.23,
        ' ' | '!' | ',' | '.' | '/' | ':' | ';' | 'I' | '[' | ']' | '\\' | 'f' | 't' => 0.28,
        '(' | ')' | '-' | '`' | 'r' | '{' | '}' | '"' => 0.34,
        '*' | '^' => 0.43,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 0.5,
        'w' | 'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' | '&' => 0.69,
        'C' | 'D' | 'G' | 'H' | 'N' | 'O' | 'Q' | 'R' | 'U' => 0.77,
        'm' | 'M' | '%' => 0.86,
        'W' | '@' => 1.0,
        '<' | '>' | '=' | '+' | '~' => 0.6,
        c if c.is_ascii() => 0.56,
        // Signs of East Asian scripts are squares; other letters are taken for wide ones.
        c if (c as u32) >= 0x1100 => 1.0,
        _ => 0.7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Breaks = Breaks { keep: true, limit: 20 };

    #[test]
    fn cut_off_parentheses_come_back() {
        assert_eq!(expression("x > 2) && (y < 3"), "(x > 2) && (y < 3)");
        assert_eq!(expression("f(x) // (why\n + 1"), "f(x) \n + 1");
        assert_eq!(expression("s == \")\" /* ( */ "), "s == \")\"");
    }

    #[test]
    fn lines_break_where_a_reader_would() {
        assert_eq!(lines("x = 0, y = f(1, 2), zz = 3", NARROW), ["x = 0, y = f(1, 2),", "zz = 3"]);
        assert_eq!(lines("a && b\n\n  c  <  d", NARROW), ["a && b", "c < d"]);
        assert_eq!(lines("a && b\n c", Breaks { keep: false, limit: 20 }), ["a && b c"]);
        assert_eq!(lines(&"x".repeat(150), NARROW).iter().map(String::len).max(), Some(60));
        assert_eq!(lines("", NARROW), Vec::<String>::new());
        assert_eq!(lines("a\u{1}b\tc", NARROW), ["a\u{FFFD}b c"]);
        assert_eq!(lines(&"a\n".repeat(1000), NARROW).len(), MOST_LINES);
    }
}
