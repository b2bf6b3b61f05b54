//! The lexer of TINA's textual format.

use crate::{
    Signal,
    diagnostic::Diagnostic,
    problems::Problems,
    source::{Fragment, Sources, Span},
};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TinaToken {
    /// Letters, digits, primes and underscores: a name or a number.
    Word(String),
    /// `{any text}`, without the braces and backslashes.
    Quoted(String),
    /// `->`
    Arrow,
    /// One of `: * ? ! - [ ] , ( ) < >`.
    Sign(char),
    /// The end of the text.
    End,
}

/// A token with its span.
#[derive(Clone, Debug)]
pub struct TinaLexeme {
    /// The token.
    pub token: TinaToken,
    /// Where it is.
    pub span: Span,
    /// Whether it is the first token on its line.
    pub is_first: bool,
}

/// Splits a text into tokens, for those who edit it. Offsets are those in the text.
#[must_use]
pub fn lexemes(text: &str) -> Vec<TinaLexeme> {
    let mut sources = Sources::new();
    let file = sources.add_file("", text.to_owned());
    let mut found = Vec::new();
    let fragment = sources.fragment(sources.whole(file));
    scan(fragment, &mut Problems::new(&mut found, Signal::default()))
}

/// Splits a text into tokens; the last one is [`TinaToken::End`].
pub(super) fn scan(fragment: &Fragment, problems: &mut Problems<'_>) -> Vec<TinaLexeme> {
    let (text, base) = (fragment.text(), fragment.span().start);
    let span = |from: usize, to: usize| Span { start: base + from as u32, end: base + to as u32 };
    let mut tokens = Vec::new();
    let mut signs = text.char_indices().peekable();
    let mut is_first = true;
    while let Some((start, c)) = signs.next().filter(|_| !problems.is_over()) {
        let token = match c {
            '\n' => {
                is_first = true;
                continue;
            }
            c if c.is_whitespace() => continue,
            '#' => {
                while signs.next_if(|(_, c)| *c != '\n').is_some() {}
                continue;
            }
            c if is_word(c) => {
                while signs.next_if(|(_, c)| is_word(*c)).is_some() {}
                let end = signs.peek().map_or(text.len(), |(at, _)| *at);
                TinaToken::Word(text[start..end].to_owned())
            }
            '{' => match quoted(&mut signs) {
                Some(name) => TinaToken::Quoted(name),
                None => {
                    problems.report(
                        Diagnostic::error("syntax", span(start, start + 1), "name in braces is not closed")
                            .label("starts here")
                            .help("end it with `}`; a brace in a name is written `\\}`"),
                    );
                    TinaToken::Quoted(String::new())
                }
            },
            '-' if signs.next_if(|(_, c)| *c == '>').is_some() => TinaToken::Arrow,
            ':' | '*' | '?' | '!' | '-' | '[' | ']' | ',' | '(' | ')' | '<' | '>' => TinaToken::Sign(c),
            _ => {
                let here = span(start, start + c.len_utf8());
                problems.report(
                    Diagnostic::error("syntax", here, format!("unknown symbol `{}`", c.escape_debug()))
                        .help("names with such signs are written in braces: `{a.b}`"),
                );
                continue;
            }
        };
        let end = signs.peek().map_or(text.len(), |(at, _)| *at);
        tokens.push(TinaLexeme { token, span: span(start, end), is_first });
        is_first = false;
    }
    let end = text.trim_end().len();
    tokens.push(TinaLexeme { token: TinaToken::End, span: span(end, end), is_first: true });
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// Reads the rest of a name in braces; `None`: it is not closed.
fn quoted(signs: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> Option<String> {
    let mut name = String::new();
    loop {
        match signs.next()?.1 {
            '}' => return Some(name),
            '\\' => name.push(signs.next()?.1),
            c => name.push(c),
        }
    }
}
