//! Parsing of solver output.

use crate::evaluate::gcd;

/// An S-expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    /// A symbol or a number, without quotes.
    Word(String),
    /// A string literal.
    Text(String),
    /// A list in parentheses.
    List(Vec<Expression>),
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expression::Word(word) => f.write_str(word),
            Expression::Text(text) => write!(f, "\"{text}\""),
            Expression::List(list) => {
                f.write_str("(")?;
                for (i, item) in list.iter().enumerate() {
                    let gap = if i > 0 { " " } else { "" };
                    write!(f, "{gap}{item}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The greatest nesting depth of lists.
const MAX_DEPTH: usize = 1000;

/// A syntax error of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseError {
    /// Lists are nested too deeply.
    #[error("the parentheses are nested too deeply")]
    TooDeep,
    /// A `)` without a `(`.
    #[error("a parenthesis is closed that was not opened")]
    Unopened,
    /// A `(` without a `)`.
    #[error("a parenthesis is not closed")]
    Unclosed,
    /// A `|` without another.
    #[error("a quoted symbol is not closed")]
    UnclosedSymbol,
    /// A `"` without another.
    #[error("a string is not closed")]
    UnclosedString,
}

/// Parses all expressions of a text.
///
/// # Errors
/// The first syntax error.
pub(crate) fn parse(text: &str) -> Result<Vec<Expression>, ParseError> {
    let mut lists: Vec<Vec<Expression>> = vec![Vec::new()];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let item = match c {
            c if c.is_whitespace() => continue,
            ';' => {
                while rest.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            '(' => {
                if lists.len() > MAX_DEPTH {
                    return Err(ParseError::TooDeep);
                }
                lists.push(Vec::new());
                continue;
            }
            ')' => {
                let list = if lists.len() > 1 { lists.pop() } else { None };
                Expression::List(list.ok_or(ParseError::Unopened)?)
            }
            '"' => Expression::Text(quoted(&mut rest)?),
            '|' => {
                let mut word = String::new();
                loop {
                    match rest.next() {
                        Some('|') => break,
                        Some(c) => word.push(c),
                        None => return Err(ParseError::UnclosedSymbol),
                    }
                }
                Expression::Word(word)
            }
            c => {
                let mut word = String::from(c);
                while let Some(c) = rest.next_if(|c| !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | ';' | '|')) {
                    word.push(c);
                }
                Expression::Word(word)
            }
        };
        if let Some(list) = lists.last_mut() {
            list.push(item);
        }
    }
    match (lists.pop(), lists.is_empty()) {
        (Some(list), true) => Ok(list),
        _ => Err(ParseError::Unclosed),
    }
}

/// Reads the rest of a string literal. A quote inside is doubled.
fn quoted(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<String, ParseError> {
    let mut text = String::new();
    loop {
        match rest.next() {
            Some('"') if rest.next_if_eq(&'"').is_some() => text.push('"'),
            Some('"') => return Ok(text),
            Some(c) => text.push(c),
            None => return Err(ParseError::UnclosedString),
        }
    }
}

/// Reads a number: `3`, `1.5`, `-2`, `1/2`, `(- 3)`, `(/ 1 2)`, `(- (/ 1 2))`. Returns numerator
/// and denominator in lowest terms.
#[must_use]
pub(crate) fn rational(expression: &Expression) -> Option<(i64, i64)> {
    let (numerator, denominator) = fraction(expression)?;
    let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1) as i128;
    let sign = if denominator < 0 { -1 } else { 1 };
    Some((i64::try_from(sign * numerator / divisor).ok()?, i64::try_from(sign * denominator / divisor).ok()?))
}

fn fraction(expression: &Expression) -> Option<(i128, i128)> {
    match expression {
        Expression::Word(word) => match word.split_once('/') {
            Some((a, b)) => divide(decimal(a)?, decimal(b)?),
            None => decimal(word),
        },
        Expression::Text(_) => None,
        Expression::List(list) => match list.as_slice() {
            [Expression::Word(word), x] if word == "-" => {
                let (n, d) = fraction(x)?;
                Some((-n, d))
            }
            [Expression::Word(word), x] if word == "to_real" || word == "+" => fraction(x),
            [Expression::Word(word), a, b] if word == "/" => divide(fraction(a)?, fraction(b)?),
            _ => None,
        },
    }
}

fn divide(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let (numerator, denominator) = (a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?);
    (denominator != 0).then_some((numerator, denominator))
}

/// Reads `12`, `-12`, `1.50`.
fn decimal(word: &str) -> Option<(i128, i128)> {
    let (sign, digits) = word.strip_prefix('-').map_or((1, word), |digits| (-1, digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !all(whole) || !all(part) || whole.len() + part.len() > 36 {
        return None;
    }
    let value: i128 = format!("{whole}{part}").parse().ok()?;
    Some((sign * value, 10_i128.pow(part.len() as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<(i64, i64)> {
        match parse(text).unwrap().as_slice() {
            [one] => rational(one),
            _ => None,
        }
    }

    #[test]
    fn numbers_are_read_as_solvers_write_them() {
        for (text, expected) in [
            ("3", (3, 1)),
            ("1.5", (3, 2)),
            ("0.0", (0, 1)),
            ("(- 3)", (-3, 1)),
            ("-3", (-3, 1)),
            ("(/ 1 2)", (1, 2)),
            ("(/ 1.0 2.0)", (1, 2)),
            ("(- (/ 4 6))", (-2, 3)),
            ("(/ (- 4) 6)", (-2, 3)),
            ("-1/2", (-1, 2)),
        ] {
            assert_eq!(number(text), Some(expected), "{text}");
        }
        for text in ["x", "1.", "(/ 1 0)", "(root 2)", "99999999999999999999", "(+ 1 2)", "--1", "\"1\"", "1/0", "."] {
            let allowed = text == "1.";
            assert_eq!(number(text).is_some(), allowed, "{text}");
        }
    }

    #[test]
    fn expressions_are_read() {
        let word = |w: &str| Expression::Word(w.to_owned());
        let read = parse("sat ; yes\n((|a b| true) (x (- 1)))(error \"a \"\"b\"\"\")").unwrap();
        let list = Expression::List;
        let expected = vec![
            word("sat"),
            list(vec![list(vec![word("a b"), word("true")]), list(vec![word("x"), list(vec![word("-"), word("1")])])]),
            list(vec![word("error"), Expression::Text("a \"b\"".to_owned())]),
        ];
        assert_eq!(read, expected);
        for wrong in ["(", ")", "(a \"b)", "|a", "a)b"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse(&"(".repeat(1_000_000)).is_err());
    }
}
