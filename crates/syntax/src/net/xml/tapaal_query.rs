//! Queries in TAPAAL's files, as text or as elements.
//!
//! They are translated to the query language of this crate. Names of places are looked up when the
//! net is complete. Nested path quantifiers, games and probabilities are rejected by name.

use super::NetXmlReader;
use crate::{
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
    /// Its pieces, or the feature that is not supported.
    pieces: Result<Vec<QueryPiece>, &'static str>,
}

enum QueryPiece {
    Text(&'static str),
    Number(String),
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
    /// Returns the query in the language of this crate, or the feature that is not supported.
    pub(in crate::net) fn text(&self, net: &Net) -> Result<String, &'static str> {
        let pieces = self.pieces.as_ref().map_err(|feature| *feature)?;
        if net.timing == Timing::Untimed && matches!(pieces.first(), Some(QueryPiece::Text("E[]" | "A<>"))) {
            return Err(MAXIMAL);
        }
        let mut out = String::new();
        for piece in pieces {
            if !out.is_empty() {
                out.push(' ');
            }
            match piece {
                QueryPiece::Text(text) => out.push_str(text),
                QueryPiece::Number(number) => out.push_str(number),
                QueryPiece::Place(written) => out.push_str(&place(net, written)),
                QueryPiece::Fireable(written) => out.push_str(&fireable(net, written)?),
            }
        }
        Ok(out)
    }
}

/// Returns the name of a place in queries, or the sum of its tokens of all colours. The file may
/// put the name of the component before it.
fn place(net: &Net, written: &str) -> String {
    let short = written.split_once('.').map_or(written, |(_, short)| short);
    let find = |name: &str| {
        let sum = net.sums.iter().find(|sum| sum.written == name).map(|sum| format!("{}()", sum.name));
        sum.or_else(|| net.places.iter().find(|p| p.written == name).map(|p| p.name.clone()))
    };
    find(written).or_else(|| find(short)).unwrap_or_else(|| short.to_owned())
}

/// Returns the condition under which a transition can fire, whatever the values of its variables.
fn fireable(net: &Net, written: &str) -> Result<String, &'static str> {
    let short = written.split_once('.').map_or(written, |(_, short)| short);
    let find = |name: &str| -> Vec<&Transition> {
        let exact = net.transitions.iter().find(|t| t.written == name);
        let is_value = |t: &&Transition| t.written.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
        exact.map_or_else(|| net.transitions.iter().filter(is_value).collect(), |t| vec![t])
    };
    let found = [written, short].into_iter().map(find).find(|found| !found.is_empty());
    let Some(found) = found else { return Ok(short.to_owned()) };
    let conditions: Result<Vec<String>, &str> = found.into_iter().map(|t| enabled(net, t)).collect();
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
        let queries = self.document.children(0, "query").filter(is_active).filter_map(|id| {
            let element = self.element(id);
            let written = element.attribute("query").unwrap_or("").trim();
            let pieces = if element.attribute("type") == Some("SMC") {
                Err(STATISTICS)
            } else if is_game {
                Err(GAMES)
            } else if written.is_empty() {
                let formula = self.document.child(id, "formula")?;
                self.formula(*self.element(formula).children.first()?)
            } else {
                pieces_of(written)
            };
            let name = element.attribute("name").unwrap_or("").to_owned();
            let written = if written.is_empty() { name.clone() } else { written.to_owned() };
            Some(NetQuery { name, written, span: element.span, pieces })
        });
        queries.collect()
    }

    /// Translates the outermost element of a formula: a path quantifier and an operator.
    fn formula(&self, id: usize) -> Result<Vec<QueryPiece>, &'static str> {
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
        let mut pieces = vec![QueryPiece::Text(quantifier)];
        self.condition(inner(operator).ok_or(NESTED)?, &mut pieces)?;
        Ok(pieces)
    }

    /// Translates a condition on a marking, or a sum of tokens.
    fn condition(&self, id: usize, out: &mut Vec<QueryPiece>) -> Result<(), &'static str> {
        let element = self.element(id);
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
            out.push(QueryPiece::Text(operator));
        }
        out.push(QueryPiece::Text("("));
        for (i, child) in element.children.iter().enumerate() {
            if i > 0 {
                out.push(QueryPiece::Text(operator));
            }
            grow(|| self.condition(*child, out))?;
        }
        out.push(QueryPiece::Text(")"));
        Ok(())
    }

    fn atom(&self, name: &str, element: &Element, out: &mut Vec<QueryPiece>) -> Result<(), &'static str> {
        match name {
            "true" => out.push(QueryPiece::Text("true")),
            "false" => out.push(QueryPiece::Text("false")),
            "deadlock" => out.push(QueryPiece::Text("deadlock")),
            "integer-constant" => out.push(QueryPiece::Number(element.text.text.trim().to_owned())),
            "tokens-count" => self.names(&element.children, "+", QueryPiece::Place, out),
            "is-fireable" => self.names(&element.children, "||", QueryPiece::Fireable, out),
            _ => return Err(NESTED),
        }
        Ok(())
    }

    fn names(
        &self,
        ids: &[usize],
        operator: &'static str,
        piece: impl Fn(String) -> QueryPiece,
        out: &mut Vec<QueryPiece>,
    ) {
        out.push(QueryPiece::Text("("));
        for (i, id) in ids.iter().enumerate() {
            if i > 0 {
                out.push(QueryPiece::Text(operator));
            }
            out.push(piece(self.element(*id).text.text.trim().to_owned()));
        }
        out.push(QueryPiece::Text(")"));
    }
}

/// Translates a query that is written as text.
fn pieces_of(text: &str) -> Result<Vec<QueryPiece>, &'static str> {
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
    let text = text.trim();
    if text.starts_with("control") {
        return Err(GAMES);
    }
    let Some((word, quantifier)) = QUANTIFIERS.iter().find(|(word, _)| text.starts_with(word)) else {
        return Err(NESTED);
    };
    let mut pieces = vec![QueryPiece::Text(quantifier)];
    let mut rest = text[word.len()..].trim_start();
    while let Some(first) = rest.chars().next() {
        let length = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        let (piece, end) = if first.is_ascii_digit() {
            let end = length(|c| c.is_ascii_digit());
            (QueryPiece::Number(rest[..end].to_owned()), end)
        } else if first.is_alphabetic() || first == '_' {
            let end = length(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
            let word = &rest[..end];
            if QUANTIFIERS.iter().any(|(quantifier, _)| *quantifier == word) || ["E", "A", "U"].contains(&word) {
                return Err(NESTED);
            }
            let known = WORDS.iter().find(|(known, _)| *known == word);
            (known.map_or_else(|| QueryPiece::Place(word.to_owned()), |(_, word)| QueryPiece::Text(word)), end)
        } else if let Some((symbol, text)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            (QueryPiece::Text(text), symbol.len())
        } else {
            // The parser reports it.
            (QueryPiece::Number(first.to_string()), first.len_utf8())
        };
        pieces.push(piece);
        rest = rest[end..].trim_start();
    }
    Ok(pieces)
}
