//! Suggestions: misspelt keywords, and path quantifiers of other tools.

use super::Parser;
use crate::problems::Reported;
use crate::{
    ast::Decl,
    diagnostic::{Diagnostic, nearest, nearest_within},
    lexer::{Key, Token},
    names::{KNOWN_WORDS, Sym, word},
};

/// Synonyms of keywords in the field and in UPPAAL's editor.
const SYNONYMS: &[(&str, Key)] = &[
    ("committed", Key::Commit),
    ("initial", Key::Init),
    ("initially", Key::Init),
    ("location", Key::State),
    ("locations", Key::State),
    ("states", Key::State),
    ("transition", Key::Trans),
    ("transitions", Key::Trans),
    ("edges", Key::Trans),
    ("synchronisation", Key::Sync),
    ("synchronization", Key::Sync),
    ("update", Key::Assign),
    ("assignment", Key::Assign),
    ("channel", Key::Chan),
    ("boolean", Key::Bool),
    ("integer", Key::Int),
    ("constant", Key::Const),
];

/// Keywords that start a declaration.
const DECLARING: &[Key] = &[
    Key::Const,
    Key::Meta,
    Key::Urgent,
    Key::Broadcast,
    Key::Int,
    Key::Bool,
    Key::Chan,
    Key::Clock,
    Key::Void,
    Key::Typedef,
    Key::Struct,
    Key::Scalar,
];
/// Keywords of the lists in a process.
pub(super) const IN_PROCESS: &[Key] = &[Key::State, Key::Commit, Key::Urgent, Key::Init, Key::Trans];
/// Keywords of the labels of an edge.
pub(super) const ON_EDGE: &[Key] = &[Key::Select, Key::Guard, Key::Sync, Key::Assign];

/// Returns the keyword that a word was probably intended to be.
fn intended_keyword(text: &str, keys: &[Key]) -> Option<Key> {
    let synonyms = SYNONYMS.iter().filter(|(_, key)| keys.contains(key)).copied();
    let words: Vec<(&str, Key)> = keys.iter().map(|key| (key.text(), *key)).chain(synonyms).collect();
    let near = match words.iter().find(|(word, _)| *word == text) {
        Some((word, _)) => word,
        // A short name is easily similar to some keyword.
        None => nearest_within(text, words.iter().map(|(word, _)| *word), if text.len() > 5 { 2 } else { 1 })?,
    };
    words.iter().find(|(word, _)| *word == near).map(|(_, key)| *key)
}

impl Parser<'_> {
    /// Replaces a word that can only be one of these keywords, misspelt, by the keyword and reports
    /// it, so that the text after it is parsed.
    pub(super) fn correct_keyword(&mut self, keys: &[Key], expected: &str) {
        let Token::Name(sym) = self.peek() else { return };
        let text = self.tree.text(sym);
        if KNOWN_WORDS.contains(&text) {
            return;
        }
        let Some(key) = intended_keyword(text, keys) else { return };
        let d = Diagnostic::error("syntax", self.span(), format!("unexpected `{text}`, expected {expected}"))
            .help(format!("did you mean `{}`?", key.text()));
        self.report(d);
        // The end of the text, if there were too many problems.
        if let Some(lexeme) = self.tokens.get_mut(self.at).filter(|lexeme| lexeme.token == Token::Name(sym)) {
            lexeme.token = Token::Key(key);
        }
    }

    /// Replaces a misspelt keyword at the start of a declaration: a name there is a type, so an
    /// undeclared one may be a misspelt keyword.
    pub(super) fn correct_declaration(&mut self, in_process: bool, in_system: bool) {
        let Token::Name(sym) = self.peek() else { return };
        self.correct_prefix();
        if self.peek() != Token::Name(sym) || !self.is_name_at(1) || self.is_type(sym) {
            return;
        }
        let mut keys = DECLARING.to_vec();
        if in_process {
            keys.extend(IN_PROCESS);
        }
        if in_system {
            keys.push(Key::System);
            keys.extend(self.holds_locations().then_some(Key::Process));
        }
        self.correct_keyword(&keys, "a declaration");
    }

    /// Replaces a misspelt prefix before the keyword of a type, or before the name of a type and a
    /// declared name: no name is legal there.
    pub(super) fn correct_prefix(&mut self) {
        let before_type = match self.peek_at(1) {
            Token::Key(key) => DECLARING.contains(&key),
            Token::Name(_) => self.is_name_at(2) || self.is_at(2, "&"),
            _ => false,
        };
        if before_type {
            self.correct_keyword(DECLARING, "a declaration");
        }
    }

    /// Returns whether an earlier text, or this one before here, has the name, and so may declare a
    /// type of that name.
    fn is_type(&self, sym: Sym) -> bool {
        let typedef = |decl: &Decl| matches!(decl, Decl::Typedef(d) if d.name.sym == sym);
        self.tokens[..self.at].iter().any(|lexeme| lexeme.token == Token::Name(sym))
            || self.tree.decls.iter().any(typedef)
            || self.tree.lost.contains(&sym)
    }

    /// Returns whether `word name (…) { … }` with locations or edges in the braces starts here,
    /// which is not a function.
    fn holds_locations(&self) -> bool {
        let (mut depth, mut inside) = (0u32, false);
        for lexeme in &self.tokens[self.at..] {
            match lexeme.token {
                Token::Sym("{") => {
                    depth += 1;
                    inside = true;
                }
                Token::Sym("}") => depth = depth.saturating_sub(1),
                Token::Sym(";") if !inside => return false,
                Token::Key(Key::State | Key::Trans) if inside => return true,
                _ => {}
            }
            if inside && depth == 0 {
                return false;
            }
        }
        false
    }

    /// Reports `A [ ]`, `AG`, `F`, `always` and the like at the start of a query, with UPPAAL's
    /// notation.
    pub(super) fn foreign_path(&mut self) -> Option<Reported> {
        let name = |token: Token| if let Token::Name(sym) = token { self.tree.text(sym) } else { "" };
        let (first, second) = (name(self.peek()), name(self.peek_at(1)));
        let sign = |at: usize| match (self.peek_at(at), self.peek_at(at + 1)) {
            (Token::Sym("[]"), _) | (Token::Sym("["), Token::Sym("]")) => Some("[]"),
            (Token::Sym("<>"), _) | (Token::Sym("<"), Token::Sym(">")) => Some("<>"),
            _ => None,
        };
        let width = |at: usize| if matches!(self.peek_at(at), Token::Sym("[]" | "<>")) { 1 } else { 2 };
        if let (quantifier @ ("A" | "E"), Some(sign)) = (first, sign(1)) {
            let span = self.span().to(self.tokens[self.at + width(1)].span);
            let d = Diagnostic::error("syntax", span, "blank inside a path quantifier");
            return Some(self.fail(d.help(format!("write `{quantifier}{sign}`"))));
        }
        if let Some(sign) = sign(0) {
            let span = self.span().to(self.tokens[self.at + width(0) - 1].span);
            let d = Diagnostic::error("syntax", span, "a path quantifier needs `A` or `E` before it");
            return Some(self.fail(d.help(both(sign))));
        }
        if let near @ Some("sup" | "inf" | "bounds") = nearest(first, ["sup", "inf", "bounds"])
            && (self.is_at(1, ":") || self.is_at(1, "{"))
            && !matches!(first, "sup" | "inf" | "bounds")
        {
            let d = Diagnostic::error("syntax", self.span(), format!("`{first}` is not a kind of query"));
            let help = format!("did you mean `{}`?", near.unwrap_or_default());
            return Some(self.fail(d.help(help)));
        }
        let (words, help) = match (first, second) {
            ("A" | "E", "G" | "F" | "X" | "U") => (2, path(&format!("{first}{second}"))),
            _ => (1, path(first)),
        };
        let help = help?;
        // A variable may have such a name; then an operator follows it. So may a function: see
        // `missing_quantifier_help`.
        let operand = match self.peek_at(words) {
            Token::Name(word::XOR) => false,
            Token::Name(_) | Token::Int(_) => true,
            Token::Key(key) => !matches!(key, Key::And | Key::Or | Key::Imply),
            // `AG(EF p)`: nothing but another quantifier stands so before a name.
            Token::Sym("(") if words == 1 => {
                matches!(self.peek_at(2), Token::Name(sym) if path(self.tree.text(sym)).is_some()) && self.is_name_at(3)
            }
            Token::Sym(s) => matches!(s, "!" | "A[]" | "E<>" | "E[]" | "A<>" | "[]" | "<>" | "("),
            _ => false,
        };
        if !operand {
            return None;
        }
        let span = self.span().to(self.tokens[self.at + words - 1].span);
        let text = if words == 2 { format!("{first} {second}") } else { first.to_owned() };
        let message = format!("`{text}` is not a path quantifier of UPPAAL's language");
        Some(self.fail(Diagnostic::error("syntax", span, message).help(help)))
    }

    /// Returns the suggestion for a formula `AG(…)` without a path quantifier; it parses as a call.
    pub(super) fn missing_quantifier_help(&self, first: usize) -> String {
        let called = match (self.tokens[first].token, self.tokens.get(first + 1).map(|l| l.token)) {
            (Token::Name(sym), Some(Token::Sym("("))) => path(self.tree.text(sym)),
            _ => None,
        };
        called.unwrap_or_else(|| "begin with `A[]`, `E<>`, `A<>` or `E[]`, or write `p --> q`".to_owned())
    }

    /// Returns UPPAAL's notation for an operator of other languages.
    pub(super) fn foreign_operator(&self) -> Option<&'static str> {
        let before = self.at.checked_sub(1).map(|at| self.tokens[at].token);
        let is_not = |sym| matches!(self.tree.text(sym), "NOT" | "Not");
        match self.peek() {
            _ if matches!(before, Some(Token::Name(sym)) if is_not(sym)) => Some("write `not` or `!` for a negation"),
            Token::Sym("<>") => Some("write `!=` for unequal values"),
            Token::Sym("=") if matches!(before, Some(Token::Sym("=="))) => Some("write `==` for equal values"),
            Token::Sym("<") if matches!(before, Some(Token::Sym("="))) => Some("write `<=`"),
            Token::Sym("->") => Some("write `imply` for an implication, `-->` for leads-to"),
            Token::Sym(">") if matches!(self.tokens[self.at.saturating_sub(1)].token, Token::Sym("=")) => {
                Some("write `imply` for an implication")
            }
            Token::Name(sym) => match self.tree.text(sym) {
                "implies" => Some("write `imply`"),
                "leadsto" | "leads_to" => Some("write `-->`"),
                "U" | "until" | "W" => Some("there is no until operator; `p --> q` says that `q` follows `p`"),
                text => nearest(text, ["imply", "and", "or"]).map(|near| match near {
                    "imply" => "did you mean `imply`?",
                    "and" => "did you mean `and`?",
                    _ => "did you mean `or`?",
                }),
            },
            _ => None,
        }
    }
}

/// Returns UPPAAL's notation for a path quantifier of CTL or LTL, or for a word that describes one.
fn path(word: &str) -> Option<String> {
    let help = match word {
        "AG" | "G" | "always" | "Always" | "invariantly" => "write `A[]`: it holds in all states",
        "EF" | "possibly" | "reachable" => "write `E<>`: some run reaches it",
        "AF" | "eventually" | "Eventually" => "write `A<>`: every run reaches it",
        "EG" => "write `E[]`: it holds all along some run",
        "F" => return Some(both("<>")),
        "never" | "Never" => "write `A[] not (…)`",
        "AX" | "EX" | "X" => "there is no next operator; time is dense",
        "AU" | "EU" => "there is no until operator; `p --> q` says that `q` follows `p`",
        _ => return None,
    };
    Some(help.to_owned())
}

fn both(sign: &str) -> String {
    match sign {
        "[]" => "write `A[]` for all states, or `E[]` for all states of some run".to_owned(),
        _ => "write `A<>` for every run, or `E<>` for some run".to_owned(),
    }
}
