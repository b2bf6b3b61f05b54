//! Queries in TAPAAL's files, as text or as elements.
//!
//! They are translated to the query language of this crate. Names of places are looked up when the
//! net is complete. Nested path quantifiers, games and probabilities are rejected by name.

use std::{ops::Range, rc::Rc};

use super::{
    NetXmlReader,
    query_names::{Component, QueryNames},
};
use crate::{
    diagnostic::Diagnostic,
    grow,
    net::{Arc, Interval, Net, Timing, Transition},
    source::Span,
    xml::dom::Element,
};

/// A query of a net's file.
pub(in crate::net) struct NetQuery {
    /// Its name.
    pub name: String,
    /// Its text in the file; its name if it has none.
    pub written: String,
    pub span: Span,
    /// Its pieces with their places in the file, or the feature that is not supported.
    pieces: Result<Vec<(QueryPiece, Span)>, &'static str>,
    components: Rc<[Component]>,
}

/// A query in the language of this crate.
#[derive(Default)]
pub(in crate::net) struct Translated {
    pub text: String,
    /// The origins of the text from each offset on.
    pub origins: Vec<(u32, Span)>,
}

/// Why a query has no translation.
pub(in crate::net) enum Untranslated {
    /// A feature that is not supported.
    Unsupported(&'static str),
    /// What is wrong.
    Wrong(Vec<Diagnostic>),
}

enum QueryPiece {
    Text(&'static str),
    /// A number, a word of our language, or what only the parser can report.
    Verbatim(String),
    /// A place, as the file names it.
    Place(String),
    /// Whether a transition can fire.
    Fireable(String),
}

const NESTED: &str = "nested path quantifiers";
const GAMES: &str = "games";
const STATISTICS: &str = "statistical model checking";
const MAXIMAL: &str = "`EG` and `AF` for untimed nets, in which TAPAAL's transitions must fire";
const FIREABLE: &str = "`is-fireable` for transitions that depend on ages";

impl NetQuery {
    /// Translates the query.
    pub(in crate::net) fn translated(&self, net: &Net) -> Result<Translated, Untranslated> {
        let pieces = self.pieces.as_ref().map_err(|feature| Untranslated::Unsupported(feature))?;
        if net.timing == Timing::Untimed && matches!(pieces.first(), Some((QueryPiece::Text("E[]" | "A<>"), _))) {
            return Err(Untranslated::Unsupported(MAXIMAL));
        }
        let names = QueryNames::new(net, &self.components);
        let mut out = Translated::default();
        let mut wrong = Vec::new();
        for (piece, span) in pieces {
            if !out.text.is_empty() {
                out.text.push(' ');
            }
            out.origins.push((out.text.len() as u32, *span));
            match piece {
                QueryPiece::Text(text) => out.text.push_str(text),
                QueryPiece::Verbatim(text) => out.text.push_str(text),
                QueryPiece::Place(written) => match names.place(written, *span) {
                    Ok(written) => out.text.push_str(&place(net, written)),
                    Err(d) => wrong.push(*d),
                },
                QueryPiece::Fireable(written) => match names.transition(written, *span) {
                    Ok(written) => {
                        let condition = fireable(net, written).map_err(Untranslated::Unsupported)?;
                        out.text.push_str(&condition);
                    }
                    Err(d) => wrong.push(*d),
                },
            }
        }
        if wrong.is_empty() { Ok(out) } else { Err(Untranslated::Wrong(wrong)) }
    }
}

/// Returns the name of a place in queries, or the sum of its tokens of all colours.
fn place(net: &Net, written: &str) -> String {
    let sum = net.sums.iter().find(|sum| sum.written == written).map(|sum| format!("{}()", sum.name));
    let place = || net.places.iter().find(|p| p.written == written).map(|p| p.name.clone());
    sum.or_else(place).unwrap_or_default()
}

/// Returns the condition under which a transition can fire, whatever the values of its variables.
fn fireable(net: &Net, written: &str) -> Result<String, &'static str> {
    let exact = net.transitions.iter().find(|t| t.written == written);
    let is_value = |t: &&Transition| t.written.strip_prefix(written).is_some_and(|rest| rest.starts_with('('));
    let found: Vec<&Transition> = exact.map_or_else(|| net.transitions.iter().filter(is_value).collect(), |t| vec![t]);
    let conditions: Result<Vec<String>, &str> = found.iter().map(|t| enabled(net, t)).collect();
    Ok(format!("({})", conditions?.join(" || ")))
}

fn enabled(net: &Net, t: &Transition) -> Result<String, &'static str> {
    let limited = |to: u32| net.places[to as usize].invariant.high.is_some();
    if t.aged.iter().any(|arc| arc.ages != Interval::ANY || arc.to.is_some_and(limited)) {
        return Err(FIREABLE);
    }
    let compare = |arc: &Arc, op: &str| format!("{} {op} {}", net.places[arc.place as usize].name, arc.weight);
    let needs = t.takes.iter().chain(&t.tests).map(|arc| compare(arc, ">="));
    let conditions: Vec<String> = needs.chain(t.inhibitors.iter().map(|arc| compare(arc, "<"))).collect();
    Ok(if conditions.is_empty() { "true".to_owned() } else { format!("({})", conditions.join(" && ")) })
}

impl NetXmlReader<'_, '_> {
    /// Reads the queries that are active.
    pub(super) fn tapaal_queries(&self) -> Vec<NetQuery> {
        // All queries about a game ask for a strategy.
        let feature = self.document.child(0, "feature").map(|feature| self.element(feature));
        let is_game = feature.is_some_and(|feature| feature.attribute("isGame") == Some("true"));
        let is_active = |id: &usize| self.element(*id).attribute("active") != Some("false");
        let nets = self.document.children(0, "net");
        let components: Rc<[Component]> = nets
            .filter_map(|id| {
                let name = self.element(id).attribute("id")?.to_owned();
                Some(Component { name, is_active: is_active(&id) })
            })
            .collect();
        let queries = self.document.children(0, "query").filter(is_active).filter_map(|id| {
            let element = self.element(id);
            let text = element.attribute("query").unwrap_or("");
            let written = text.trim();
            let pieces = if element.attribute("type") == Some("SMC") {
                Err(STATISTICS)
            } else if is_game {
                Err(GAMES)
            } else if written.is_empty() {
                let formula = self.document.child(id, "formula")?;
                self.formula(*self.element(formula).children.first()?)
            } else {
                let (own, before) = (element.value_span("query"), text.len() - text.trim_start().len());
                let positions = self.positions(text, own);
                pieces_of(
                    written,
                    &|range: Range<usize>| match positions.get(range.start + before..=range.end + before) {
                        Some(&[start, .., end]) => Span { start, end },
                        _ => own,
                    },
                )
            };
            let span = if written.is_empty() { element.span } else { element.value_span("query") };
            let name = element.attribute("name").unwrap_or("").to_owned();
            let written = if written.is_empty() { name.clone() } else { written.to_owned() };
            Some(NetQuery { name, written, span, pieces, components: Rc::clone(&components) })
        });
        queries.collect()
    }

    /// Returns where each byte of an attribute's value is in the file, and where the value ends;
    /// nothing if that is not known.
    fn positions(&self, value: &str, span: Span) -> Vec<u32> {
        let base = self.whole.span().start;
        let written = self.whole.text().get((span.start - base) as usize..(span.end - base) as usize).unwrap_or("");
        let (mut rest, mut out) = (written, Vec::new());
        for character in value.chars() {
            let at = span.start + (written.len() - rest.len()) as u32;
            out.extend((0..character.len_utf8()).map(|_| at));
            let length = match rest.chars().next() {
                Some('&') => rest.find(';').map_or(rest.len(), |end| end + 1),
                Some('\r') if rest.starts_with("\r\n") => 2,
                Some(other) => other.len_utf8(),
                None => return Vec::new(),
            };
            rest = &rest[length..];
        }
        out.push(span.end);
        out
    }

    /// Translates the outermost element of a formula: a path quantifier and an operator.
    fn formula(&self, id: usize) -> Result<Vec<(QueryPiece, Span)>, &'static str> {
        let inner = |id: usize| self.element(id).children.first().copied();
        let operator = inner(id).map(|operator| (operator, self.element(operator).name.as_str()));
        let (quantifier, operator) = match (self.element(id).name.as_str(), operator) {
            ("exists-path", Some((operator, "finally"))) => ("E<>", operator),
            ("exists-path", Some((operator, "globally"))) => ("E[]", operator),
            ("all-paths", Some((operator, "finally"))) => ("A<>", operator),
            ("all-paths", Some((operator, "globally"))) => ("A[]", operator),
            ("control", _) => return Err(GAMES),
            _ => return Err(NESTED),
        };
        let mut pieces = vec![(QueryPiece::Text(quantifier), self.element(id).span)];
        self.condition(inner(operator).ok_or(NESTED)?, &mut pieces)?;
        Ok(pieces)
    }

    /// Translates a condition on a marking, or a sum of tokens.
    fn condition(&self, id: usize, out: &mut Vec<(QueryPiece, Span)>) -> Result<(), &'static str> {
        let element = self.element(id);
        let text = |text| (QueryPiece::Text(text), element.span);
        let operator = match element.name.as_str() {
            "conjunction" => "&&",
            "disjunction" => "||",
            "integer-eq" => "==",
            "integer-ne" => "!=",
            "integer-lt" => "<",
            "integer-le" => "<=",
            "integer-gt" => ">",
            "integer-ge" => ">=",
            "integer-sum" => "+",
            "integer-difference" => "-",
            "integer-product" => "*",
            "negation" => "!",
            other => return self.atom(other, element, out),
        };
        if operator == "!" {
            out.push(text(operator));
        }
        out.push(text("("));
        for (i, child) in element.children.iter().enumerate() {
            if i > 0 {
                out.push(text(operator));
            }
            grow(|| self.condition(*child, out))?;
        }
        out.push(text(")"));
        Ok(())
    }

    fn atom(&self, name: &str, element: &Element, out: &mut Vec<(QueryPiece, Span)>) -> Result<(), &'static str> {
        let mut push = |piece| out.push((piece, element.whole));
        match name {
            "true" => push(QueryPiece::Text("true")),
            "false" => push(QueryPiece::Text("false")),
            "deadlock" => push(QueryPiece::Text("deadlock")),
            "integer-constant" => push(QueryPiece::Verbatim(element.text.text.trim().to_owned())),
            "tokens-count" => self.names(element, "+", QueryPiece::Place, out),
            "is-fireable" => self.names(element, "||", QueryPiece::Fireable, out),
            _ => return Err(NESTED),
        }
        Ok(())
    }

    fn names(
        &self,
        element: &Element,
        operator: &'static str,
        piece: impl Fn(String) -> QueryPiece,
        out: &mut Vec<(QueryPiece, Span)>,
    ) {
        let text = |text| (QueryPiece::Text(text), element.span);
        out.push(text("("));
        for (i, id) in element.children.iter().enumerate() {
            if i > 0 {
                out.push(text(operator));
            }
            let name = self.element(*id);
            out.push((piece(name.text.text.trim().to_owned()), name.whole));
        }
        out.push(text(")"));
    }
}

/// Translates a query that is written as text; `at` says where a part of it is in the file.
fn pieces_of(text: &str, at: &dyn Fn(Range<usize>) -> Span) -> Result<Vec<(QueryPiece, Span)>, &'static str> {
    const QUANTIFIERS: [(&str, &str); 8] = [
        ("EF", "E<>"),
        ("E<>", "E<>"),
        ("EG", "E[]"),
        ("E[]", "E[]"),
        ("AF", "A<>"),
        ("A<>", "A<>"),
        ("AG", "A[]"),
        ("A[]", "A[]"),
    ];
    const SYMBOLS: [(&str, &str); 16] = [
        ("&&", "&&"),
        ("||", "||"),
        ("<=", "<="),
        (">=", ">="),
        ("!=", "!="),
        ("==", "=="),
        ("=", "=="),
        ("<", "<"),
        (">", ">"),
        ("!", "!"),
        ("(", "("),
        (")", ")"),
        ("+", "+"),
        ("-", "-"),
        ("*", "*"),
        (":", ":"),
    ];
    const WORDS: [(&str, &str); 6] =
        [("and", "and"), ("or", "or"), ("not", "not"), ("true", "true"), ("false", "false"), ("deadlock", "deadlock")];
    if text.starts_with("control") {
        return Err(GAMES);
    }
    let Some((word, quantifier)) = QUANTIFIERS.iter().find(|(word, _)| text.starts_with(word)) else {
        return Err(NESTED);
    };
    let mut pieces = vec![(QueryPiece::Text(quantifier), at(0..word.len()))];
    let mut rest = text[word.len()..].trim_start();
    while let Some(first) = rest.chars().next() {
        let length = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        let (piece, end) = if first.is_ascii_digit() {
            let end = length(|c| c.is_ascii_digit());
            (QueryPiece::Verbatim(rest[..end].to_owned()), end)
        } else if first.is_alphabetic() || first == '_' {
            let end = length(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
            let word = &rest[..end];
            if QUANTIFIERS.iter().any(|(quantifier, _)| *quantifier == word) || ["E", "A", "U"].contains(&word) {
                return Err(NESTED);
            }
            let known = WORDS.iter().find(|(known, _)| *known == word);
            // Our own functions, and the time since the start.
            let is_ours = word == "time" || rest[end..].trim_start().starts_with('(');
            let piece = match known {
                Some((_, word)) => QueryPiece::Text(word),
                None if is_ours => QueryPiece::Verbatim(word.to_owned()),
                None => QueryPiece::Place(word.to_owned()),
            };
            (piece, end)
        } else if let Some((symbol, text)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            (QueryPiece::Text(text), symbol.len())
        } else {
            // The parser reports it.
            (QueryPiece::Verbatim(first.to_string()), first.len_utf8())
        };
        let start = text.len() - rest.len();
        pieces.push((piece, at(start..start + end)));
        rest = rest[end..].trim_start();
    }
    Ok(pieces)
}
