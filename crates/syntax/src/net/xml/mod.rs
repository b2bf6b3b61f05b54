//! Nets in XML: PNML with time or colours, Romeo's and TAPAAL's files.

mod pnml;
mod query_names;
mod romeo;
mod symmetric;
mod tapaal;
mod tapaal_ages;
mod tapaal_query;
mod tapaal_write;
mod write;

use rustc_hash::FxHashMap;

use super::{
    Net,
    draft::{ArcKind, NetDraft, WrittenInterval},
};
use crate::{
    diagnostic::{Diagnostic, nearest},
    problems::Problems,
    source::{Fragment, Span},
    xml::dom::{self, Document, Element},
};

pub(super) use tapaal_query::{NetQuery, Translated, Untranslated};
pub use tapaal_write::text as tapaal_text;
pub use write::text as pnml_text;

/// Returns the name of the root element without parsing the document.
pub(super) fn root(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        rest = rest.strip_prefix('<')?;
        let end = match rest.as_bytes().first()? {
            b'?' => "?>",
            b'!' if rest.starts_with("!--") => "-->",
            b'!' => ">",
            _ => break,
        };
        rest = rest[rest.find(end)? + end.len()..].trim_start();
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, ':' | '_' | '-' | '.')))?;
    let name = &rest[..end];
    Some(name.rsplit(':').next().unwrap_or(name))
}

/// Reads a net, which lacks what could not be parsed, and the queries of its file.
pub(super) fn read(fragment: &Fragment, name: &str, problems: &mut Problems<'_>) -> (Net, Vec<NetQuery>) {
    let document = match dom::parse(fragment.text(), fragment.span().start, problems.signal()) {
        Ok(document) => document,
        Err(d) => {
            problems.report(*d);
            return (NetDraft::default().finish(name, problems), Vec::new());
        }
    };
    let mut queries = Vec::new();
    let mut reader = NetXmlReader {
        whole: fragment,
        document: &document,
        draft: NetDraft::default(),
        nodes: FxHashMap::default(),
        problems,
    };
    match document.elements.first().map_or("", |root| root.name.as_str()) {
        "TPN" => reader.romeo(),
        "pnml" if reader.is_tapaal() => {
            reader.tapaal();
            queries = reader.tapaal_queries();
        }
        "pnml" => reader.pnml(),
        other => {
            let span = document.elements.first().map_or(fragment.span(), |root| root.span);
            let message = format!("a net in XML has the root <pnml> or <TPN>, not <{other}>");
            reader.problems.report(Diagnostic::error("xml", span, message));
        }
    }
    let NetXmlReader { draft, problems, .. } = reader;
    (draft.finish(name, problems), queries)
}

/// The node that an identifier of the file refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NetNode {
    Place(u32),
    Transition(u32),
    /// One that could not be read, for which a reason was reported.
    Lost,
}

struct NetXmlReader<'a, 'd> {
    /// The file.
    whole: &'a Fragment,
    document: &'a Document,
    draft: NetDraft,
    nodes: FxHashMap<String, NetNode>,
    problems: &'a mut Problems<'d>,
}

impl<'a> NetXmlReader<'a, '_> {
    fn element(&self, id: usize) -> &'a Element {
        &self.document.elements[id]
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.problems.report(Diagnostic::error(code, span, message));
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.error("unsupported", span, format!("{what} not supported"));
    }

    /// Returns the text of the element `child`, or of the element `text` in it.
    fn text(&self, id: usize, child: &str) -> Option<(&'a str, Span)> {
        let child = self.document.child(id, child)?;
        let inner = self.document.child(child, "text").unwrap_or(child);
        let element = self.element(inner);
        Some((element.text.text.trim(), element.whole))
    }

    /// Adds an identifier.
    fn enter(&mut self, id: &str, node: NetNode, span: Span) {
        if self.nodes.insert(id.to_owned(), node).is_some() {
            self.error("duplicate", span, format!("the identifier `{id}` is used twice"));
        }
    }

    /// Looks an identifier up.
    fn find(&mut self, id: &str, span: Span) -> Option<NetNode> {
        let node = self.nodes.get(id).copied();
        if node.is_none() {
            let message = format!("no place or transition has the identifier `{id}`");
            let known = self.nodes.keys().map(String::as_str);
            let d = suggesting(Diagnostic::error("unknown-name", span, message), id, known);
            self.problems.report(d);
        }
        node
    }

    /// Looks up the node that an attribute names.
    fn node_in(&mut self, element: usize, attribute: &str) -> Option<NetNode> {
        let id = self.required(element, attribute)?;
        self.find(id, self.element(element).value_span(attribute))
    }

    /// Returns the source and the target of an arc.
    fn ends(&mut self, arc: usize) -> Option<(NetNode, NetNode)> {
        let (source, target) = (self.node_in(arc, "source"), self.node_in(arc, "target"));
        source.zip(target)
    }

    /// Reports an arc between two nodes of one kind.
    fn not_joined(&mut self, ends: (NetNode, NetNode), span: Span) {
        let what = match ends {
            (NetNode::Place(_), NetNode::Place(_)) => "two places",
            (NetNode::Transition(_), NetNode::Transition(_)) => "two transitions",
            _ => return,
        };
        self.error("syntax", span, format!("an arc connects a place and a transition, not {what}"));
    }

    /// Adds an arc between two nodes of different kinds.
    fn connect(&mut self, from: NetNode, to: NetNode, kind: ArcKind, weight: u64, span: Span) {
        match (from, to) {
            (NetNode::Place(p), NetNode::Transition(t)) => self.draft.arc(t, p, kind, weight, span),
            (NetNode::Transition(t), NetNode::Place(p)) if kind == ArcKind::Take => {
                self.draft.arc(t, p, ArcKind::Put, weight, span);
            }
            (NetNode::Transition(_), NetNode::Place(_)) => {
                self.error("syntax", span, "an arc to a place can't be a test, inhibitor or stopwatch arc");
            }
            ends => self.not_joined(ends, span),
        }
    }

    /// Reads a number; `None` if it is wrong.
    fn natural(&mut self, text: &str, what: &str, span: Span) -> Option<u64> {
        // Some editors write the default colour of tokens before the number.
        let digits = text.trim().strip_prefix("Default,").unwrap_or(text).trim();
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            return Some(digits.parse().unwrap_or(u64::MAX));
        }
        self.error("syntax", span, format!("{what} must be a natural number, not `{}`", text.escape_debug()));
        None
    }

    /// Reads a number of tokens.
    fn number(&mut self, text: &str, what: &str, span: Span) -> u64 {
        self.natural(text, what, span).unwrap_or(0)
    }

    /// Reads the weight of an arc, at least 1.
    fn weight(&mut self, text: &str, span: Span) -> u64 {
        let weight = self.natural(text, "the weight of an arc", span).unwrap_or(1);
        if weight == 0 {
            self.error("constant", span, "the weight of an arc must be at least 1");
        }
        weight.max(1)
    }

    /// Reads a number of time units; `None` if it is wrong.
    fn bound(&mut self, text: &str, span: Span) -> Option<u64> {
        self.natural(text, "a time bound", span)
    }

    /// Reads `graphics/position`, or the same as attributes of a node.
    fn position(&self, id: usize) -> Option<(i32, i32)> {
        let graphics = self.document.child(id, "graphics");
        let position = graphics.and_then(|graphics| self.document.child(graphics, "position"));
        let number = |text: Option<&str>| text?.trim().parse::<f64>().ok().map(|x| x.clamp(-1e6, 1e6).round() as i32);
        match position {
            Some(at) => {
                let at = self.element(at);
                Some((number(at.attribute("x"))?, number(at.attribute("y"))?))
            }
            None => {
                let node = self.element(id);
                Some((number(node.attribute("positionX"))?, number(node.attribute("positionY"))?))
            }
        }
    }

    /// Declares a place with the name `written`.
    fn place(&mut self, id: &str, written: &str, tokens: Option<(u64, Span)>, element: usize) -> u32 {
        let span = self.element(element).span;
        let p = self.draft.place(written, span);
        self.enter(id, NetNode::Place(p), span);
        let at = self.position(element);
        let place = &mut self.draft.places[p as usize];
        place.is_declared = true;
        place.tokens = tokens;
        place.at = at;
        p
    }

    /// Declares a transition with the name `written`.
    fn transition(&mut self, id: &str, written: &str, interval: Option<WrittenInterval>, element: usize) -> u32 {
        let span = self.element(element).span;
        let t = self.draft.transition(written, span);
        self.enter(id, NetNode::Transition(t), span);
        let at = self.position(element);
        let transition = &mut self.draft.transitions[t as usize];
        transition.is_declared = true;
        transition.interval = interval;
        transition.at = at;
        t
    }

    /// Returns a mandatory attribute.
    fn required(&mut self, element: usize, name: &str) -> Option<&'a str> {
        let element = self.element(element);
        let value = element.attribute(name);
        if value.is_none() {
            self.error("xml", element.span, format!("<{}> has no attribute `{name}`", element.name));
        }
        value
    }
}

/// Adds the name that was probably meant.
fn suggesting<'n>(d: Diagnostic, name: &str, known: impl IntoIterator<Item = &'n str>) -> Diagnostic {
    match nearest(name, known) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d,
    }
}

/// Chooses the names of nodes: the given names if they are unique, else the identifiers.
fn choose_names<'n>(nodes: &[(&'n str, Option<&'n str>)]) -> Vec<&'n str> {
    let mut count: FxHashMap<&str, u32> = FxHashMap::default();
    for (_, name) in nodes {
        *count.entry(name.unwrap_or("")).or_default() += 1;
    }
    let is_good = |name: &&str| !name.is_empty() && count.get(*name) == Some(&1);
    // A name that is also the identifier of another node would be confusing if that node has no
    // usable name.
    let all = nodes.iter().all(|(_, name)| name.as_ref().is_some_and(is_good));
    nodes.iter().map(|(id, name)| if all { name.unwrap_or(id) } else { id }).collect()
}

#[cfg(test)]
mod tests {
    use super::root;

    #[test]
    fn the_root_is_found_after_the_prolog() {
        assert_eq!(root("<?xml version='1.0'?>\n<!-- <nta> -->\n<!DOCTYPE x>\n<pnml xmlns='a'>"), Some("pnml"));
        assert_eq!(root("  <x:TPN>"), Some("TPN"));
        assert_eq!(root("pnml"), None);
        assert_eq!(root("<pnml"), None);
    }
}
