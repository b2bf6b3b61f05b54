//! Splits lines into the fields of declarations, before name resolution.
//!
//! A declaration is a line, except for its attributes, which may continue on the next lines. The
//! text of an attribute is not parsed here, since its language depends on the key.

use rustc_hash::FxHashSet;

use crate::{
    ast::Name,
    diagnostic::{Diagnostic, nearest},
    names::{Names, Sym},
    problems::{Problems, Reported},
    source::{Fragment, Span},
};

/// A number in 64 bits, saturated.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub value: i64,
    pub span: Span,
}

/// `key: text`.
pub(super) struct Attribute {
    pub key: Name,
    /// The text between the colon and the next one, including blanks.
    pub text: Span,
}

/// `P@a` or `P@a?`.
pub(super) struct SyncParticipant {
    pub process: Name,
    pub event: Name,
    pub weak: bool,
    pub span: Span,
}

/// The kinds of declarations.
pub(super) enum Item {
    System,
    Process(Name),
    Event(Name),
    Clock { size: Number, name: Name },
    Int { size: Number, low: Number, high: Number, init: Number, name: Name },
    Location { process: Name, name: Name },
    Edge { process: Name, source: Name, target: Name, event: Name },
    Sync(Vec<SyncParticipant>),
}

/// One declaration.
pub(super) struct Declaration {
    pub item: Item,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

const WORDS: [&str; 8] = ["system", "process", "event", "clock", "int", "location", "edge", "sync"];

type Scanned<T> = Result<T, Reported>;

/// Reads all declarations; the names of those that can't be parsed are added to `lost`.
pub(super) fn scan(
    fragment: &Fragment,
    names: &mut Names,
    problems: &mut Problems<'_>,
    lost: &mut FxHashSet<Sym>,
) -> Vec<Declaration> {
    let base = fragment.span().start;
    let mut scanner = Scanner { text: fragment.text(), base, at: 0, names, problems, open: None };
    let mut declarations = Vec::new();
    while scanner.next_line() && !scanner.problems.is_over() {
        let start = scanner.at;
        scanner.open = None;
        match scanner.declaration() {
            Ok(declaration) => declarations.push(declaration),
            Err(Reported) => {
                scanner.skip(start);
                scanner.mark_lost(start, lost);
            }
        }
    }
    declarations
}

struct Scanner<'a, 'd> {
    text: &'a str,
    base: u32,
    at: usize,
    names: &'a mut Names,
    problems: &'a mut Problems<'d>,
    /// The position of the opening brace while attributes are parsed.
    open: Option<usize>,
}

impl Scanner<'_, '_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn span(&self, start: usize) -> Span {
        Span { start: self.base + start as u32, end: self.base + self.at as u32 }
    }

    /// Skips blanks, and line breaks inside attributes.
    fn blanks(&mut self) {
        let inside = self.open.is_some();
        while self.byte().is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r') || inside && b == b'\n') {
            self.at += 1;
        }
    }

    /// Skips the rest of the line.
    fn rest_of_line(&mut self) {
        self.at += self.text[self.at..].find('\n').map_or(self.text.len() - self.at, |length| length + 1);
    }

    /// Goes to the next line with a declaration; `false` if there is none.
    fn next_line(&mut self) -> bool {
        loop {
            self.blanks();
            match self.byte() {
                None => return false,
                Some(b'\n' | b'#') => self.rest_of_line(),
                Some(_) => return true,
            }
        }
    }

    /// Returns the length of the word here; 0 if there is none.
    fn word_length(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        match rest.first() {
            Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {}
            _ => return 0,
        }
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
        rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len())
    }

    fn number_length(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
        let digits = rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 { 0 } else { sign + digits }
    }

    fn fail<T>(&mut self, d: Diagnostic) -> Scanned<T> {
        self.problems.report(d);
        Err(Reported)
    }

    fn unexpected<T>(&mut self, expected: &str) -> Scanned<T> {
        let start = self.at;
        let rest = &self.text[start..];
        let length = self.word_length().max(self.number_length());
        let found = match rest.chars().next() {
            None => "end of the text".to_owned(),
            Some('\n') => "end of the line".to_owned(),
            Some('#') => "a comment".to_owned(),
            Some(c) => {
                self.at += length.max(c.len_utf8());
                format!("`{}`", rest[..self.at - start].escape_debug())
            }
        };
        let span = self.span(start);
        if let Some(open) = self.open
            && self.text[open..start].contains('\n')
        {
            // The attributes run on into other declarations: the mistake is the missing brace.
            let brace = Span { start: self.base + open as u32, end: self.base + open as u32 + 1 };
            return self.fail(
                Diagnostic::error("syntax", brace, "attributes are not closed, expected `}`")
                    .label("they start here")
                    .also(span, format!("{found} is not allowed in attributes")),
            );
        }
        self.fail(
            Diagnostic::error("syntax", span, format!("unexpected {found}, expected {expected}"))
                .label(format!("expected {expected}")),
        )
    }

    fn eat(&mut self, sign: u8) -> bool {
        self.blanks();
        let found = self.byte() == Some(sign);
        if found {
            self.at += 1;
        }
        found
    }

    fn colon(&mut self) -> Scanned<()> {
        if self.eat(b':') { Ok(()) } else { self.unexpected("`:`") }
    }

    fn name(&mut self, what: &str) -> Scanned<Name> {
        self.blanks();
        let length = self.word_length();
        if length == 0 {
            return self.unexpected(what);
        }
        let start = self.at;
        self.at += length;
        let (word, span) = (&self.text[start..self.at], self.span(start));
        // Keys of attributes may be any word.
        if self.open.is_none() && WORDS.contains(&word) {
            return self.fail(
                Diagnostic::error("syntax", span, format!("`{word}` is a reserved word, not {what}"))
                    .help("choose another name"),
            );
        }
        Ok(Name { sym: self.names.intern(word), span })
    }

    /// `:name`
    fn field(&mut self, what: &str) -> Scanned<Name> {
        self.colon()?;
        self.name(what)
    }

    /// `:number`
    fn number(&mut self, what: &str) -> Scanned<Number> {
        self.colon()?;
        self.blanks();
        let length = self.number_length();
        if length == 0 {
            return self.unexpected(what);
        }
        let start = self.at;
        self.at += length;
        let text = &self.text[start..self.at];
        let limit = if text.starts_with('-') { i64::MIN } else { i64::MAX };
        Ok(Number { value: text.parse().unwrap_or(limit), span: self.span(start) })
    }

    fn declaration(&mut self) -> Scanned<Declaration> {
        let start = self.at;
        let length = self.word_length();
        if length == 0 {
            return self.unexpected("a declaration");
        }
        self.at += length;
        let word = &self.text[start..self.at];
        let item = match word {
            "system" => self.field("the name of the system").map(|_| Item::System),
            "process" => self.field("the name of a process").map(Item::Process),
            "event" => self.field("the name of an event").map(Item::Event),
            "clock" => self.clock(),
            "int" => self.int(),
            "location" => self.location(),
            "edge" => self.edge(),
            "sync" => self.sync(),
            _ => {
                let span = self.span(start);
                let d = Diagnostic::error("syntax", span, format!("unknown declaration `{word}`"));
                return self.fail(match nearest(word, WORDS) {
                    Some(near) => d.help(format!("did you mean `{near}`?")),
                    None => d.help(format!("a declaration starts with one of {}", WORDS.join(", "))),
                });
            }
        }?;
        let attributes = self.attributes()?;
        let span = Span { end: self.base + self.text[..self.at].trim_end().len() as u32, ..self.span(start) };
        self.blanks();
        match self.byte() {
            None => {}
            Some(b'\n' | b'#') => self.rest_of_line(),
            Some(_) => return self.unexpected("the end of the line"),
        }
        Ok(Declaration { item, attributes, span })
    }

    fn clock(&mut self) -> Scanned<Item> {
        let size = self.number("the number of clocks")?;
        Ok(Item::Clock { size, name: self.field("the name of a clock")? })
    }

    fn int(&mut self) -> Scanned<Item> {
        let size = self.number("the number of integers")?;
        let low = self.number("the least value")?;
        let high = self.number("the greatest value")?;
        let init = self.number("the initial value")?;
        Ok(Item::Int { size, low, high, init, name: self.field("the name of a variable")? })
    }

    fn location(&mut self) -> Scanned<Item> {
        let process = self.field("the name of a process")?;
        Ok(Item::Location { process, name: self.field("the name of a location")? })
    }

    fn edge(&mut self) -> Scanned<Item> {
        let process = self.field("the name of a process")?;
        let source = self.field("the name of a location")?;
        let target = self.field("the name of a location")?;
        Ok(Item::Edge { process, source, target, event: self.field("the name of an event")? })
    }

    fn sync(&mut self) -> Scanned<Item> {
        let mut constraints = Vec::new();
        self.colon()?;
        loop {
            let process = self.name("the name of a process")?;
            if !self.eat(b'@') {
                return self.unexpected("`@`");
            }
            let event = self.name("the name of an event")?;
            let weak = self.eat(b'?');
            let end = if weak { self.base + self.at as u32 } else { event.span.end };
            constraints.push(SyncParticipant { process, event, weak, span: Span { end, ..process.span } });
            if !self.eat(b':') {
                return Ok(Item::Sync(constraints));
            }
        }
    }

    /// `{key: text : key: text}`, or nothing.
    fn attributes(&mut self) -> Scanned<Vec<Attribute>> {
        let mut attributes = Vec::new();
        if !self.eat(b'{') {
            return Ok(attributes);
        }
        self.open = Some(self.at - 1);
        if self.eat(b'}') {
            self.open = None;
            return Ok(attributes);
        }
        loop {
            let key = self.name("the name of an attribute, or `}`")?;
            self.colon()?;
            let start = self.at;
            self.at += self.text[start..].find([':', '{', '}', '#']).unwrap_or(self.text.len() - start);
            attributes.push(Attribute { key, text: self.span(start) });
            match self.byte() {
                Some(b':') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    self.open = None;
                    return Ok(attributes);
                }
                _ => return self.unexpected("`:` or `}`"),
            }
        }
    }

    /// Skips to the next line after an error, or, inside attributes, to the next line that looks
    /// like a declaration.
    fn skip(&mut self, start: usize) {
        let inside = self.open.take().is_some();
        if inside {
            self.at = start;
        }
        self.rest_of_line();
        while inside && self.at < self.text.len() && !self.at_declaration() {
            self.rest_of_line();
        }
    }

    fn at_declaration(&self) -> bool {
        let line = self.text[self.at..].trim_start_matches([' ', '\t']);
        WORDS.iter().any(|word| line.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with(':')))
    }

    /// Records the words since `start` as lost names, which may be declared there.
    fn mark_lost(&mut self, start: usize, lost: &mut FxHashSet<Sym>) {
        let end = std::mem::replace(&mut self.at, start);
        while self.at < end {
            let length = self.word_length();
            let from = self.at;
            self.at += length;
            if length > 0 {
                lost.insert(self.names.intern(&self.text[from..self.at]));
            } else {
                self.at += self.text[from..].chars().next().map_or(1, char::len_utf8);
            }
        }
        self.at = end;
    }
}
