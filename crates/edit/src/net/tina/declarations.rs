//! The declarations of TINA's textual format, and where their parts are.

use std::ops::Range;

use syntax::net::tina::{TinaLexeme, TinaToken};

use crate::net::ArcKind;

/// A name in the text.
#[derive(Clone, Debug)]
pub(super) struct TinaName {
    pub(super) text: String,
    pub(super) range: Range<usize>,
}

/// An arc of a declaration.
#[derive(Clone, Debug)]
pub(super) struct TinaArc {
    pub(super) node: TinaName,
    /// The name with the weight.
    pub(super) range: Range<usize>,
    pub(super) kind: ArcKind,
    pub(super) weight: String,
}

/// `tr name [interval] arcs -> arcs` or `pl name (tokens) arcs -> arcs`
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub(super) is_place: bool,
    pub(super) range: Range<usize>,
    pub(super) name: TinaName,
    /// The end of the name, the label, the interval and the tokens.
    pub(super) head: usize,
    pub(super) interval: Option<Range<usize>>,
    pub(super) tokens: Option<Range<usize>>,
    pub(super) before: Vec<TinaArc>,
    pub(super) arrow: Option<Range<usize>>,
    pub(super) after: Vec<TinaArc>,
}

/// A label or a priority: a declaration that only names nodes.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub(super) range: Range<usize>,
    /// The lists of names: one of a label, two of a priority.
    pub(super) names: Vec<Vec<TinaName>>,
}

/// Reads declarations.
pub(super) struct TinaScanner {
    pub(super) tokens: Vec<TinaLexeme>,
    pub(super) at: usize,
}

impl TinaScanner {
    pub(super) fn new(tokens: Vec<TinaLexeme>) -> TinaScanner {
        TinaScanner { tokens, at: 0 }
    }

    pub(super) fn token(&self) -> &TinaToken {
        &self.tokens[self.at].token
    }

    pub(super) fn range(&self) -> Range<usize> {
        let span = self.tokens[self.at].span;
        span.start as usize..span.end as usize
    }

    /// The end of the token before.
    pub(super) fn end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end as usize
    }

    pub(super) fn eat(&mut self, sign: char) -> bool {
        let is = *self.token() == TinaToken::Sign(sign);
        self.at += usize::from(is);
        is
    }

    /// Returns the keyword of the declaration that begins here.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        let TinaToken::Word(word) = self.token() else { return None };
        ["net", "tr", "pl", "lb", "nt", "pr"].into_iter().find(|known| known == word)
    }

    pub(super) fn name(&mut self) -> Option<TinaName> {
        let text = match self.token() {
            TinaToken::Word(text) if self.keyword().is_none() => text.clone(),
            TinaToken::Quoted(text) => text.clone(),
            _ => return None,
        };
        let range = self.range();
        self.at += 1;
        Some(TinaName { text, range })
    }

    pub(super) fn names(&mut self) -> Vec<TinaName> {
        std::iter::from_fn(|| self.name()).collect()
    }

    pub(super) fn arc(&mut self) -> Option<TinaArc> {
        let node = self.name()?;
        let kind = if self.eat('*') {
            Some(ArcKind::Normal)
        } else if self.eat('?') {
            Some(if self.eat('-') { ArcKind::Inhibitor } else { ArcKind::Test })
        } else if self.eat('!') {
            Some(if self.eat('-') { ArcKind::StopwatchInhibitor } else { ArcKind::Stopwatch })
        } else {
            None
        };
        let weight = match kind {
            Some(_) => self.name().map_or(String::new(), |weight| weight.text),
            None => "1".to_owned(),
        };
        let range = node.range.start..self.end();
        Some(TinaArc { node, range, kind: kind.unwrap_or(ArcKind::Normal), weight })
    }

    pub(super) fn arcs(&mut self) -> Vec<TinaArc> {
        std::iter::from_fn(|| self.arc()).collect()
    }

    /// Reads up to a sign, which ends an attribute.
    pub(super) fn until(&mut self, signs: &[char]) -> Option<Range<usize>> {
        let start = self.range().start;
        self.at += 1;
        while !signs.iter().any(|sign| *self.token() == TinaToken::Sign(*sign)) {
            if *self.token() == TinaToken::End {
                return None;
            }
            self.at += 1;
        }
        self.at += 1;
        Some(start..self.end())
    }

    pub(super) fn node(&mut self, is_place: bool) -> Option<Declaration> {
        let start = self.range().start;
        self.at += 1;
        let name = self.name()?;
        let (mut interval, mut tokens) = (None, None);
        loop {
            match self.token() {
                TinaToken::Sign(':') => {
                    self.at += 1;
                    self.name()?;
                }
                TinaToken::Sign('[' | ']') if interval.is_none() => interval = Some(self.until(&['[', ']'])?),
                TinaToken::Sign('(') if is_place && tokens.is_none() => tokens = Some(self.until(&[')'])?),
                _ => break,
            }
        }
        let head = self.end();
        let before = self.arcs();
        let arrow = (*self.token() == TinaToken::Arrow).then(|| self.range());
        self.at += usize::from(arrow.is_some());
        let after = if arrow.is_some() { self.arcs() } else { Vec::new() };
        Some(Declaration { is_place, range: start..self.end(), name, head, interval, tokens, before, arrow, after })
    }
}
