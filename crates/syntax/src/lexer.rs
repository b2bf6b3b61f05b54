//! The lexer for all dialects of the language.

use crate::{
    Signal,
    ast::BinaryOp,
    diagnostic::Diagnostic,
    names::{Names, Sym},
    source::{Fragment, Span},
};

/// A dialect, which determines the reserved words and symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Models since UPPAAL 3.4: `.xml` and `.xta`.
    Model,
    /// The older language of `.ta` files: `=<`, `=>`, constants without a type.
    Old,
    /// Queries, which are separated by line breaks.
    Query,
    /// Expressions and statements of TChecker.
    Tck,
}

impl Dialect {
    /// Returns its letter in the table of reserved words.
    fn letter(self) -> char {
        match self {
            Dialect::Model => 'm',
            Dialect::Old => 'o',
            Dialect::Query => 'q',
            Dialect::Tck => 't',
        }
    }
}

/// The greatest number that clocks can be compared with.
pub(crate) const MAX_CLOCK_CONSTANT: i64 = 1 << 58;

/// A token with its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token {
    /// A name, or a word that is reserved only in some contexts.
    Name(Sym),
    /// A natural number.
    Int(i32),
    /// `2147483648`, which is legal after a minus and in comparisons of clocks.
    IntMinMagnitude,
    /// A greater number, which only clocks can be compared with.
    Wide(i64),
    /// A floating-point number.
    Float(f64),
    /// A string, without its quotes.
    Text(Sym),
    /// A reserved word.
    Key(Key),
    /// A symbol such as `<=`.
    Sym(&'static str),
    /// A line break, in queries only.
    Newline,
    /// An illegal character or number; already reported.
    Wrong,
    /// The end of the text.
    End,
}

macro_rules! keys {
    ($($key:ident = $text:literal in $dialects:literal),* $(,)?) => {
        /// The reserved words.
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Key { $($key),* }
        impl Key {
            /// Returns the word itself.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Key::$key => $text),* }
            }
            /// All reserved words, with the dialects that reserve them.
            const ALL: &[(&str, &str)] = &[$(($text, $dialects)),*];
            fn find(word: &str) -> Option<(Key, &'static str)> {
                match word { $($text => Some((Key::$key, $dialects)),)* _ => None }
            }
        }
    };
}

// m: reserved in models, o: in the old language, q: in queries, t: in TChecker's expressions and
// statements.
keys! {
    Const = "const" in "mo", Select = "select" in "m", Guard = "guard" in "mo", Sync = "sync" in "mo",
    Assign = "assign" in "mo", Process = "process" in "mo", State = "state" in "mo", Init = "init" in "mo",
    Trans = "trans" in "mo", Urgent = "urgent" in "mo", Commit = "commit" in "mo", Broadcast = "broadcast" in "mo",
    System = "system" in "moq", True = "true" in "moq", False = "false" in "moq", And = "and" in "moq",
    Or = "or" in "moq", Not = "not" in "moq", Imply = "imply" in "moq", For = "for" in "m", While = "while" in "mt",
    Do = "do" in "mt", If = "if" in "mt", Else = "else" in "mt", Default = "default" in "m", Return = "return" in "m",
    Typedef = "typedef" in "m", Struct = "struct" in "m", Meta = "meta" in "m",
    BeforeUpdate = "before_update" in "m", AfterUpdate = "after_update" in "m", Forall = "forall" in "mq",
    Exists = "exists" in "mq", Bool = "bool" in "moq", Int = "int" in "moq", Chan = "chan" in "mo",
    Clock = "clock" in "mo", Void = "void" in "m", Scalar = "scalar" in "mq", Deadlock = "deadlock" in "q",
    Then = "then" in "t", End = "end" in "t", Local = "local" in "t", Nop = "nop" in "t",
}

/// Returns whether `word` can't be the name of a location or a template.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    Key::find(word).is_some_and(|(_, dialects)| dialects.contains('o') || dialects.contains('q'))
}

/// Returns the reserved words of a dialect.
pub fn reserved(dialect: Dialect) -> impl Iterator<Item = &'static str> {
    Key::ALL.iter().filter(move |(_, dialects)| dialects.contains(dialect.letter())).map(|(word, _)| *word)
}

/// Returns whether `word` is reserved in this dialect.
#[must_use]
pub(crate) fn is_reserved_in(word: &str, dialect: Dialect) -> bool {
    Key::find(word).is_some_and(|(_, dialects)| dialects.contains(dialect.letter()))
}

/// A token with its span.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    /// The token.
    pub token: Token,
    /// Where it occurs.
    pub span: Span,
}

/// A comment, kept for printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text with its delimiters.
    pub text: String,
    /// Where it occurs.
    pub span: Span,
}

impl Comment {
    /// Returns whether it is a line comment.
    #[must_use]
    pub(crate) fn is_line(&self) -> bool {
        self.text.starts_with("//")
    }

    /// Returns the text without its delimiters.
    #[must_use]
    pub fn content(&self) -> &str {
        if let Some(line) = self.text.strip_prefix("//") {
            return line.strip_prefix(' ').unwrap_or(line).trim_end();
        }
        let text = self.text.strip_prefix("/*").unwrap_or(&self.text);
        text.strip_suffix("*/").unwrap_or(text).trim()
    }
}

/// The result of [`lex`].
pub struct Lexed {
    /// The tokens; the last one is [`Token::End`].
    pub tokens: Vec<Lexeme>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// Whether there were too many problems; then the tokens end at the last problem.
    pub gave_up: bool,
}

/// The limit on problems in a text. The rest of the text is skipped, since each problem takes
/// memory.
pub(crate) const MAX_PROBLEMS: usize = 1_000;

/// Reports that the text from `span` on was skipped.
pub(crate) fn too_many_problems(span: Span) -> Diagnostic {
    Diagnostic::error("too-many-problems", span, format!("more than {MAX_PROBLEMS} problems; the rest is not read"))
}

/// The symbols that are not operators between expressions.
const SYMBOLS: &[&str] = &[
    "-->", "-u->", "->", "--", "++", "<>", "=", ":=", ":", "!", "?", "(", ")", "[]", "[", "]", "{", "}", ".", ",", ";",
    "'", "#",
];

const QUERY_SYMBOLS: &[&str] = &["A[]", "A<>", "E[]", "E<>"];

fn symbol(rest: &str, dialect: Dialect) -> Option<&'static str> {
    let legal = |symbol: &&'static str| match *symbol {
        "-->" | "<>" | "[]" | "#" => dialect == Dialect::Query,
        "=<" | "=>" => dialect == Dialect::Old,
        "-u->" => dialect != Dialect::Query,
        // In TChecker's language `a--1` is `a - (-1)`.
        "--" => dialect != Dialect::Tck,
        _ => true,
    };
    let all = SYMBOLS.iter().copied().chain(BinaryOp::symbols());
    all.filter(|symbol| rest.starts_with(*symbol)).filter(legal).max_by_key(|symbol| symbol.len())
}

/// Splits a fragment into tokens. Errors go to `diagnostics`; the tokens are usable nevertheless.
pub fn lex(fragment: &Fragment, dialect: Dialect, names: &mut Names, diagnostics: &mut Vec<Diagnostic>) -> Lexed {
    lex_part(fragment, fragment.span(), dialect, names, diagnostics, Signal::default())
}

/// Splits a range of a fragment into tokens. Once the signal is raised, the rest of the text is
/// skipped.
pub(crate) fn lex_part(
    fragment: &Fragment,
    part: Span,
    dialect: Dialect,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
    signal: Signal,
) -> Lexed {
    let base = fragment.span().start;
    let (start, end) = ((part.start - base) as usize, (part.end - base) as usize);
    let text = &fragment.text()[..end];
    let mut lexer = Lexer { text, base, at: start, dialect, names, diagnostics };
    let known = lexer.diagnostics.len();
    let tokens = Vec::with_capacity((end - start) / 4 + 1);
    let mut out = Lexed { tokens, comments: Vec::new(), gave_up: false };
    while let Some(lexeme) = lexer.next(&mut out.comments) {
        out.tokens.push(lexeme);
        if signal.raised().is_some() {
            out.gave_up = true;
            break;
        }
        if lexer.diagnostics.len() - known > MAX_PROBLEMS {
            lexer.diagnostics.push(too_many_problems(lexeme.span.after()));
            out.gave_up = true;
            break;
        }
    }
    // After the last character that is not a blank, so that a missing token is reported there and
    // not after empty lines.
    let end = base + text.trim_end().len().max(start) as u32;
    let end = Span { start: end, end };
    out.tokens.push(Lexeme { token: Token::End, span: end });
    out
}

struct Lexer<'a> {
    text: &'a str,
    base: u32,
    at: usize,
    dialect: Dialect,
    names: &'a mut Names,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn span(&self, start: usize) -> Span {
        Span { start: self.base + start as u32, end: self.base + self.at as u32 }
    }

    fn next(&mut self, comments: &mut Vec<Comment>) -> Option<Lexeme> {
        loop {
            let rest = &self.text[self.at..];
            let bytes = rest.as_bytes();
            let start = self.at;
            let &first = bytes.first()?;
            match first {
                b'\n' => {
                    self.at += 1;
                    if self.dialect == Dialect::Query {
                        return Some(Lexeme { token: Token::Newline, span: self.span(start) });
                    }
                }
                b' ' | b'\t' | b'\r' | 0x0C => self.at += 1,
                // TChecker's comments are between its declarations and are already skipped.
                _ if self.dialect == Dialect::Tck => return Some(self.token(start)),
                // A backslash joins lines; blanks may follow it.
                b'\\' if rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') => {
                    self.at += rest.find('\n').unwrap_or(0) + 1;
                }
                b'/' if bytes.get(1) == Some(&b'/') => {
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    comments.push(self.comment(start));
                }
                b'/' if bytes.get(1) == Some(&b'*') => {
                    match rest[2..].find("*/") {
                        Some(length) => self.at += length + 4,
                        None => {
                            self.at = self.text.len();
                            let open = Span { end: self.base + start as u32 + 2, ..self.span(start) };
                            self.diagnostics.push(
                                Diagnostic::error("syntax", open, "comment is not closed")
                                    .label("starts here")
                                    .help("end it with `*/`"),
                            );
                        }
                    }
                    comments.push(self.comment(start));
                }
                _ => return Some(self.token(start)),
            }
        }
    }

    fn comment(&self, start: usize) -> Comment {
        Comment { text: self.text[start..self.at].trim_end().to_owned(), span: self.span(start) }
    }

    fn token(&mut self, start: usize) -> Lexeme {
        let rest = &self.text[start..];
        let first = rest.as_bytes()[0];
        let token = if first.is_ascii_digit() {
            self.number(start)
        } else if first.is_ascii_alphabetic() || first == b'_' {
            self.word(start)
        } else if first == b'"' {
            self.string(start)
        } else if let Some(symbol) = symbol(rest, self.dialect) {
            self.at += symbol.len();
            Token::Sym(symbol)
        } else {
            self.wrong(start)
        };
        Lexeme { token, span: self.span(start) }
    }

    fn word(&mut self, start: usize) -> Token {
        if self.dialect == Dialect::Query
            && let Some(symbol) = QUERY_SYMBOLS.iter().find(|s| self.text[start..].starts_with(**s))
        {
            self.at += symbol.len();
            return Token::Sym(symbol);
        }
        let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#');
        let length = self.text[start..].bytes().position(|b| !is_part(b)).unwrap_or(self.text.len() - start);
        self.at += length;
        let word = &self.text[start..self.at];
        match Key::find(word) {
            Some((key, dialects)) if dialects.contains(self.dialect.letter()) => Token::Key(key),
            _ => Token::Name(self.names.intern(word)),
        }
    }

    fn number(&mut self, start: usize) -> Token {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        self.at += digits(&self.text[start..]);
        let mut float = false;
        let rest = &self.text[self.at..];
        if rest.starts_with('.') && digits(&rest[1..]) > 0 {
            float = true;
            self.at += 1 + digits(&rest[1..]);
        }
        let rest = &self.text[self.at..];
        if rest.starts_with(['e', 'E']) {
            let sign = usize::from(rest[1..].starts_with(['+', '-']));
            let exponent = digits(&rest[1 + sign..]);
            if exponent > 0 {
                float = true;
                self.at += 1 + sign + exponent;
            }
        }
        let text = &self.text[start..self.at];
        if float {
            return Token::Float(text.parse().unwrap_or(f64::INFINITY));
        }
        match text.parse::<i64>() {
            Ok(value) if value <= i64::from(i32::MAX) => Token::Int(value as i32),
            Ok(2_147_483_648) => Token::IntMinMagnitude,
            Ok(value) if value <= MAX_CLOCK_CONSTANT => Token::Wide(value),
            _ => {
                let span = self.span(start);
                self.diagnostics
                    .push(Diagnostic::error("number-too-large", span, "number is too large").help(format!(
                    "integers range from -2147483648 to 2147483647; clocks can be compared with {MAX_CLOCK_CONSTANT}"
                )));
                Token::Wrong
            }
        }
    }

    fn string(&mut self, start: usize) -> Token {
        match self.text[start + 1..].find('"') {
            Some(length) => {
                self.at += length + 2;
                Token::Text(self.names.intern(&self.text[start + 1..self.at - 1]))
            }
            None => {
                self.at = start + self.text[start..].find('\n').unwrap_or(self.text.len() - start);
                let span = self.span(start);
                self.diagnostics.push(Diagnostic::error("syntax", span, "string is not closed"));
                Token::Wrong
            }
        }
    }

    fn wrong(&mut self, start: usize) -> Token {
        let c = self.text[start..].chars().next().unwrap_or(' ');
        self.at += c.len_utf8();
        let meant = match c {
            '\u{A0}' => Some("a plain space; this is a no-break space"),
            '\u{2018}' | '\u{2019}' | '\u{201C}' | '\u{201D}' => Some("a straight quote"),
            '\u{2264}' => Some("`<=`"),
            '\u{2265}' => Some("`>=`"),
            '\u{2260}' => Some("`!=`"),
            '\u{2227}' => Some("`&&`"),
            '\u{2228}' => Some("`||`"),
            '\u{2013}' | '\u{2014}' | '\u{2212}' => Some("`-`"),
            _ => None,
        };
        let span = self.span(start);
        let mut d = Diagnostic::error("syntax", span, format!("unknown symbol `{}`", c.escape_debug()));
        if let Some(meant) = meant {
            d = d.help(format!("write {meant}"));
        }
        self.diagnostics.push(d);
        Token::Wrong
    }
}
