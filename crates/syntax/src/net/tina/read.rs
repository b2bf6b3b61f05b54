//! Parses declarations of TINA's textual format.

use super::scan::{TinaLexeme, TinaToken};
use crate::{
    diagnostic::{Diagnostic, nearest},
    net::draft::{ArcKind, NetDraft, WrittenInterval},
    problems::{Problems, Reported},
    source::Span,
};

/// The keywords of declarations.
pub(super) const WORDS: [&str; 6] = ["net", "tr", "pl", "lb", "nt", "pr"];

type Read<T> = Result<T, Reported>;

/// A name with its span.
struct SpannedName {
    text: String,
    span: Span,
}

/// An arc of a node, as written.
struct WrittenArc {
    node: SpannedName,
    kind: ArcKind,
    weight: u64,
    span: Span,
}

/// The attributes of a place or transition.
#[derive(Default)]
struct NodeAttributes {
    label: Option<String>,
    interval: Option<WrittenInterval>,
    tokens: Option<(u64, Span)>,
    before: Vec<WrittenArc>,
    after: Vec<WrittenArc>,
}

pub(super) struct TinaReader<'a, 'd> {
    tokens: Vec<TinaLexeme>,
    at: usize,
    draft: NetDraft,
    /// Labels that are declared separately, for nodes that may be declared later.
    labels: Vec<(SpannedName, String)>,
    /// Priorities, of transitions that may be declared later: the higher ones, and the others.
    priorities: Vec<(Vec<SpannedName>, Vec<SpannedName>)>,
    problems: &'a mut Problems<'d>,
}

/// Reads all declarations.
pub(super) fn read(tokens: Vec<TinaLexeme>, problems: &mut Problems<'_>) -> NetDraft {
    let mut reader =
        TinaReader { tokens, at: 0, draft: NetDraft::default(), labels: Vec::new(), priorities: Vec::new(), problems };
    while *reader.peek() != TinaToken::End && !reader.problems.is_over() {
        if reader.declaration().is_err() {
            reader.skip();
        }
    }
    for (name, label) in std::mem::take(&mut reader.labels) {
        reader.attach(&name, label);
    }
    for (higher, lower) in std::mem::take(&mut reader.priorities) {
        reader.prioritise(&higher, &lower);
    }
    reader.draft
}

/// Returns the keyword of a declaration, if this is one.
fn keyword(lexeme: &TinaLexeme) -> Option<&'static str> {
    let TinaToken::Word(word) = &lexeme.token else { return None };
    WORDS.into_iter().find(|known| known == word)
}

/// Reads a number with a suffix for thousands, millions and so on. A number that overflows is too
/// large for every purpose.
pub(super) fn number(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(['K', 'M', 'G', 'T', 'P', 'E']);
    let power = match &word[digits.len()..] {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        "E" => 6,
        _ => return None,
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(1000u64.saturating_pow(power)))
}

impl TinaReader<'_, '_> {
    fn peek(&self) -> &TinaToken {
        &self.tokens[self.at].token
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Returns the span from `start` to the previous token.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    fn advance(&mut self) {
        if *self.peek() != TinaToken::End {
            self.at += 1;
        }
    }

    fn eat(&mut self, sign: char) -> bool {
        let found = *self.peek() == TinaToken::Sign(sign);
        if found {
            self.at += 1;
        }
        found
    }

    fn fail<T>(&mut self, d: Diagnostic) -> Read<T> {
        self.problems.report(d);
        Err(Reported)
    }

    fn unexpected<T>(&mut self, expected: &str) -> Read<T> {
        let found = match self.peek() {
            TinaToken::Word(word) => format!("`{}`", word.escape_debug()),
            TinaToken::Quoted(name) => format!("`{{{}}}`", name.escape_debug()),
            TinaToken::Arrow => "`->`".to_owned(),
            TinaToken::Sign(sign) => format!("`{sign}`"),
            TinaToken::End => "end of the text".to_owned(),
        };
        let d = Diagnostic::error("syntax", self.span(), format!("unexpected {found}, expected {expected}"))
            .label(format!("expected {expected}"));
        // A keyword inside a line may be intended as a name.
        let near = [self.at, self.at.saturating_sub(1)].map(|at| &self.tokens[at]);
        let word = near.into_iter().filter(|near| !near.is_first).find_map(keyword);
        self.fail(match word {
            Some(word) => d.help(format!("`{word}` starts a declaration; a name is written `{{{word}}}`")),
            None => d,
        })
    }

    /// Returns the keyword at the current token, if it is one.
    fn keyword(&self) -> Option<&'static str> {
        keyword(&self.tokens[self.at])
    }

    /// Skips to the next possible declaration after an error.
    fn skip(&mut self) {
        while *self.peek() != TinaToken::End && !(self.keyword().is_some() && self.tokens[self.at].is_first) {
            self.at += 1;
        }
    }

    fn name(&mut self, what: &str) -> Read<SpannedName> {
        if self.keyword().is_some() { self.unexpected(what) } else { self.any_name(what) }
    }

    /// Reads the name of the net. There are nets called `net`.
    fn name_of_net(&mut self) -> Read<SpannedName> {
        let what = "the name of the net";
        let is_net = self.keyword() == Some("net") && !self.tokens[self.at].is_first;
        if is_net { self.any_name(what) } else { self.name(what) }
    }

    /// Reads a name that may be a word of the format.
    fn any_name(&mut self, what: &str) -> Read<SpannedName> {
        let span = self.span();
        let text = match self.peek() {
            TinaToken::Word(text) | TinaToken::Quoted(text) => text.clone(),
            _ => return self.unexpected(what),
        };
        self.advance();
        Ok(SpannedName { text, span })
    }

    /// Returns whether the current token is a name.
    fn is_name(&self) -> bool {
        self.keyword().is_none() && matches!(self.peek(), TinaToken::Word(_) | TinaToken::Quoted(_))
    }

    /// Reads a number with a suffix for thousands, millions and so on.
    fn number(&mut self, what: &str) -> Read<(u64, Span)> {
        let span = self.span();
        let TinaToken::Word(word) = self.peek() else { return self.unexpected(what) };
        let Some(value) = number(word) else { return self.unexpected(what) };
        self.advance();
        Ok((value, span))
    }

    fn declaration(&mut self) -> Read<()> {
        let Some(word) = self.keyword() else { return self.no_declaration() };
        self.advance();
        match word {
            "net" => {
                let name = self.name_of_net()?;
                if let Some((_, first)) = &self.draft.name {
                    let d =
                        Diagnostic::error("duplicate", name.span, "the net has two names").also(*first, "the first");
                    self.problems.report(d);
                }
                self.draft.name = Some((name.text, name.span));
            }
            "tr" => self.transition()?,
            "pl" => self.place()?,
            "lb" => {
                let name = self.name("the name of a place or transition")?;
                let label = self.name("a label")?;
                self.labels.push((name, label.text));
            }
            "nt" => {
                let name = self.name("the name of a note")?;
                self.name("`0` or `1`")?;
                let text = self.name("the text of a note")?;
                if name.text == "merkhet" {
                    self.note(&text);
                }
            }
            _ => self.priority()?,
        }
        if self.tokens[self.at].is_first || self.keyword().is_some() {
            return Ok(());
        }
        self.unexpected("a declaration")
    }

    /// `pr t1 t2 > t3`, or with `<`: a transition does not fire while one of higher priority could.
    fn priority(&mut self) -> Read<()> {
        let mut before = vec![self.name("the name of a transition")?];
        while self.is_name() {
            before.push(self.name("the name of a transition")?);
        }
        let is_higher = self.eat('>');
        if !is_higher && !self.eat('<') {
            return self.unexpected("`<` or `>`");
        }
        let mut after = vec![self.name("the name of a transition")?];
        while self.is_name() {
            after.push(self.name("the name of a transition")?);
        }
        self.priorities.push(if is_higher { (before, after) } else { (after, before) });
        Ok(())
    }

    /// Adds the priorities of all transitions of one list over all of the other.
    fn prioritise(&mut self, higher: &[SpannedName], lower: &[SpannedName]) {
        let mut find = |names: &[SpannedName]| -> Vec<(u32, Span)> {
            let found = names.iter().filter_map(|name| Some((self.known_transition(name)?, name.span)));
            found.collect()
        };
        let (higher, lower) = (find(higher), find(lower));
        for (high, _) in &higher {
            if self.problems.is_over() {
                return;
            }
            for (low, span) in &lower {
                self.draft.priority(*high, *low, *span);
            }
        }
    }

    fn known_transition(&mut self, name: &SpannedName) -> Option<u32> {
        let found = self.draft.find_transition(&name.text);
        if found.is_none() {
            let d = Diagnostic::error("unknown-name", name.span, format!("no transition is called `{}`", name.text));
            let known = self.draft.transitions.iter().map(|t| t.written.as_str());
            self.problems.report(match nearest(&name.text, known) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d,
            });
        }
        found
    }

    /// Reads a note to merkhet, which other tools skip.
    fn note(&mut self, text: &SpannedName) {
        let limit = text.text.trim().strip_prefix("tokens").and_then(|rest| number(rest.trim()));
        match limit {
            Some(limit) if limit > 0 => self.draft.max_tokens = Some((limit, text.span)),
            _ => self.problems.report(
                Diagnostic::error("syntax", text.span, "unknown note to merkhet")
                    .help("`nt merkhet 0 {tokens 1000}` sets the token limit of places"),
            ),
        }
    }

    fn no_declaration(&mut self) -> Read<()> {
        let TinaToken::Word(word) = self.peek() else { return self.unexpected("a declaration") };
        let d = Diagnostic::error("syntax", self.span(), format!("unknown declaration `{}`", word.escape_debug()));
        let d = match nearest(word, WORDS) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None => d.help(format!("a declaration starts with one of {}", WORDS.join(", "))),
        };
        self.fail(d)
    }

    fn transition(&mut self) -> Read<()> {
        let name = self.name("the name of a transition")?;
        // It is known even if the rest can't be read, so that priorities of it are no mistakes.
        let t = self.draft.transition(&name.text, name.span);
        let Ok(node) = self.node(false) else {
            self.draft.has_lost_arcs = true;
            return Err(Reported);
        };
        let known = &mut self.draft.transitions[t as usize];
        if !std::mem::replace(&mut known.is_declared, true) {
            known.span = name.span;
        }
        known.label = node.label.or(known.label.take());
        if let Some(interval) = node.interval {
            NetDraft::firing(&mut known.interval, interval, self.problems);
        }
        for arc in node.before {
            let p = self.draft.place(&arc.node.text, arc.node.span);
            self.draft.arc(t, p, arc.kind, arc.weight, arc.span);
        }
        for arc in node.after {
            let p = self.draft.place(&arc.node.text, arc.node.span);
            self.draft.arc(t, p, ArcKind::Put, arc.weight, arc.span);
        }
        Ok(())
    }

    fn place(&mut self) -> Read<()> {
        let name = self.name("the name of a place")?;
        let p = self.draft.place(&name.text, name.span);
        // It is declared even if the rest can't be read.
        let known = &mut self.draft.places[p as usize];
        if !std::mem::replace(&mut known.is_declared, true) {
            known.span = name.span;
        }
        let node = self.node(true)?;
        let known = &mut self.draft.places[p as usize];
        known.label = node.label.or(known.label.take());
        if let Some(delay) = node.interval {
            NetDraft::interval(&mut known.delay, delay, self.problems);
        }
        match (known.tokens, node.tokens) {
            (Some((old, first)), Some((new, span))) if old != new => {
                let message = format!("place `{}` has two initial numbers of tokens, {old} and {new}", name.text);
                self.problems.report(Diagnostic::error("duplicate", span, message).also(first, "the first number"));
            }
            (_, Some(tokens)) => known.tokens = Some(tokens),
            (_, None) => {}
        }
        for arc in node.before {
            let t = self.draft.transition(&arc.node.text, arc.node.span);
            self.draft.arc(t, p, ArcKind::Put, arc.weight, arc.span);
        }
        for arc in node.after {
            let t = self.draft.transition(&arc.node.text, arc.node.span);
            self.draft.arc(t, p, arc.kind, arc.weight, arc.span);
        }
        Ok(())
    }

    /// Reads label, interval, marking and arcs; test, inhibitor and stopwatch arcs are among the
    /// input arcs.
    fn node(&mut self, is_place: bool) -> Read<NodeAttributes> {
        let mut node = NodeAttributes::default();
        loop {
            let start = self.span();
            if self.eat(':') {
                node.label = Some(self.name("a label")?.text).filter(|label| !label.is_empty());
            } else if matches!(self.peek(), TinaToken::Sign('[' | ']')) && node.interval.is_none() {
                node.interval = Some(self.interval()?);
            } else if *self.peek() == TinaToken::Sign('(') && is_place && node.tokens.is_none() {
                self.advance();
                let (tokens, _) = self.number("the number of tokens")?;
                if !self.eat(')') {
                    return self.unexpected("`)`");
                }
                node.tokens = Some((tokens, self.since(start)));
            } else {
                break;
            }
        }
        let what = if is_place { "a transition" } else { "a place" };
        while self.is_name() {
            node.before.push(self.arc(what, !is_place)?);
        }
        if *self.peek() == TinaToken::Arrow {
            self.advance();
            while self.is_name() {
                node.after.push(self.arc(what, is_place)?);
            }
        } else if !node.before.is_empty() {
            return self.unexpected("`->`");
        }
        Ok(node)
    }

    /// `[a,b]`, `]a,b[`, `[a,w[`
    fn interval(&mut self) -> Read<WrittenInterval> {
        let start = self.span();
        let low_open = *self.peek() == TinaToken::Sign(']');
        self.advance();
        let (low, _) = self.number("the lower bound, a number")?;
        if !self.eat(',') {
            return self.unexpected("`,`");
        }
        let high = if *self.peek() == TinaToken::Word("w".to_owned()) {
            self.advance();
            None
        } else {
            Some(self.number("the upper bound, a number or `w`")?.0)
        };
        let high_open = *self.peek() == TinaToken::Sign('[');
        if !high_open && (high.is_none() || *self.peek() != TinaToken::Sign(']')) {
            return self.unexpected(if high.is_none() { "`[` after `w`" } else { "`]` or `[`" });
        }
        self.advance();
        Ok(WrittenInterval { low, low_open, high, high_open, span: self.since(start) })
    }

    /// Reads `p`, `p*2`, `p?2`, `p?-2`, `p!2`, `p!-2`; the last four are only arcs from places.
    fn arc(&mut self, what: &str, from_place: bool) -> Read<WrittenArc> {
        let node = self.name(what)?;
        let (start, sign) = (node.span, self.peek().clone());
        let (kind, weight) = match sign {
            TinaToken::Sign('*') => {
                self.advance();
                if *self.peek() == TinaToken::Sign('*') {
                    self.advance();
                    let d = Diagnostic::error("unsupported", self.since(start), "reset arcs are not supported");
                    return self.fail(d.help("TINA has none either; `p*2` takes two tokens"));
                }
                (ArcKind::Take, Some(self.number("a weight")?))
            }
            TinaToken::Sign(sign @ ('?' | '!')) => {
                self.advance();
                let inhibits = self.eat('-');
                let weight = self.number("a weight")?;
                let span = self.since(start);
                if !from_place {
                    self.problems.report(
                        Diagnostic::error(
                            "syntax",
                            span,
                            "an arc to a place can't be a test, inhibitor or stopwatch arc",
                        )
                        .help("such arcs lead from places to transitions"),
                    );
                }
                let kind = match (sign, inhibits) {
                    ('?', false) => ArcKind::Test,
                    ('?', true) => ArcKind::Inhibit,
                    (_, false) => ArcKind::Run,
                    (_, true) => ArcKind::Stop,
                };
                (kind, Some(weight))
            }
            _ => (ArcKind::Take, None),
        };
        let span = self.since(start);
        if let Some((0, at)) = weight {
            self.problems.report(Diagnostic::error("constant", at, "the weight of an arc must be at least 1"));
        }
        Ok(WrittenArc { node, kind, weight: weight.map_or(1, |(weight, _)| weight.max(1)), span })
    }

    /// Attaches a label to the transition or place of that name.
    fn attach(&mut self, name: &SpannedName, label: String) {
        if let Some(t) = self.draft.find_transition(&name.text) {
            self.draft.transitions[t as usize].label = Some(label);
        } else if let Some(p) = self.draft.find_place(&name.text) {
            self.draft.places[p as usize].label = Some(label);
        } else {
            let message = format!("no place or transition is called `{}`", name.text);
            let transitions = self.draft.transitions.iter().map(|t| t.written.as_str());
            let known = transitions.chain(self.draft.places.iter().map(|p| p.written.as_str()));
            let d = Diagnostic::error("unknown-name", name.span, message);
            let d = match nearest(&name.text, known) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d,
            };
            self.problems.report(d);
        }
    }
}
