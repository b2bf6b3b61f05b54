//! Intervals as they are written in labels: `[1,2]`, `]0,5[`, `[3,w[`, or with parentheses.

use crate::EditError;

/// An interval. Bounds are words: TAPAAL's may be constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub low: String,
    pub low_open: bool,
    /// `None`: unbounded.
    pub high: Option<String>,
    pub high_open: bool,
}

impl Bounds {
    /// Reads an interval.
    pub(super) fn read(text: &str) -> Result<Bounds, EditError> {
        let wrong = || {
            let text: String = text.chars().take(40).collect();
            EditError::new(format!("`{text}` is not an interval")).help("write `[1,2]`, `]1,2[` or `[1,w[`")
        };
        let text = text.trim();
        let (first, last) = (text.chars().next().ok_or_else(wrong)?, text.chars().next_back().ok_or_else(wrong)?);
        let is_bracket = |c| matches!(c, '[' | ']' | '(' | ')');
        if text.len() < 2 || !is_bracket(first) || first == ')' || !is_bracket(last) || last == '(' {
            return Err(wrong());
        }
        let (low, high) = text[1..text.len() - 1].split_once(',').ok_or_else(wrong)?;
        let (low, high) = (low.trim(), high.trim());
        let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_word(low) || !is_word(high) {
            return Err(wrong());
        }
        let is_unbounded = matches!(high, "w" | "inf" | "infty");
        Ok(Bounds {
            low: low.to_owned(),
            low_open: first != '[',
            high: (!is_unbounded).then(|| high.to_owned()),
            high_open: last != ']' || is_unbounded,
        })
    }

    /// Writes the interval with brackets that face outwards where a bound is strict.
    pub(super) fn shown(&self) -> String {
        let (open, close) = (if self.low_open { ']' } else { '[' }, if self.high_open { '[' } else { ']' });
        format!("{open}{},{}{close}", self.low, self.high.as_deref().unwrap_or("w"))
    }

    /// Writes the interval as TAPAAL does.
    pub(super) fn with_parentheses(&self) -> String {
        let (open, close) = (if self.low_open { '(' } else { '[' }, if self.high_open { ')' } else { ']' });
        format!("{open}{},{}{close}", self.low, self.high.as_deref().unwrap_or("inf"))
    }

    /// Returns whether both bounds are numbers.
    pub(super) fn numbers(self) -> Result<Bounds, EditError> {
        let words = std::iter::once(&self.low).chain(&self.high);
        if let Some(word) = words.into_iter().find(|word| !word.bytes().all(|b| b.is_ascii_digit())) {
            return Err(EditError::new(format!("`{word}` is not a number")).help("bounds are natural numbers, or `w`"));
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Bounds;

    #[test]
    fn intervals_are_read_and_written() {
        for (text, shown) in [
            ("[1,2]", "[1,2]"),
            ("(1, 2)", "]1,2["),
            ("]1,2]", "]1,2]"),
            ("[0,inf)", "[0,w["),
            ("[0,w]", "[0,w["),
            ("[a,b_1[", "[a,b_1["),
        ] {
            assert_eq!(Bounds::read(text).unwrap().shown(), shown);
        }
        for wrong in ["", "[", "[]", "[1]", "1,2", "[1,2", "[,2]", "[1,2]]", ")1,2(", "[1;2]", "[-1,2]", "é1,2]"] {
            assert!(Bounds::read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Bounds::read("(a,b]").unwrap().with_parentheses(), "(a,b]");
        assert!(Bounds::read("[a,2]").unwrap().numbers().is_err());
    }
}
