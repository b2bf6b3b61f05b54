//! An XML file under change: elements, attributes and texts are replaced where they are.

use syntax::{
    Signal, Span,
    xml::dom::{Document, Element, parse},
};

use super::{escape::Style, tag::Tag};
use crate::{EditError, Patch};

/// An XML file, and the patches of it so far.
pub(crate) struct XmlFile<'a> {
    pub text: &'a str,
    document: Document,
    style: Style,
    pub patches: Vec<Patch>,
    /// The elements that are deleted.
    deleted: Vec<usize>,
}

/// A range in bytes.
fn range(span: Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}

impl<'a> XmlFile<'a> {
    /// Reads a model of UPPAAL.
    pub(crate) fn read(text: &'a str) -> Result<XmlFile<'a>, EditError> {
        let file = XmlFile::parse(text)?;
        let root = file.document.elements.first().map_or("", |root| &*root.name);
        if root != "nta" && root != "project" {
            return Err(EditError::new("the file is not a model of UPPAAL"));
        }
        Ok(file)
    }

    /// Reads any file.
    pub(crate) fn parse(text: &'a str) -> Result<XmlFile<'a>, EditError> {
        let document = parse(text, 0, Signal::default()).map_err(|d| {
            EditError::new(format!("the file can't be changed as a drawing: {}", d.message))
                .help("correct the mistake in its text first")
        })?;
        Ok(XmlFile { text, document, style: Style::of(text), patches: Vec::new(), deleted: Vec::new() })
    }

    pub(crate) fn element(&self, id: usize) -> &Element {
        &self.document.elements[id]
    }

    pub(crate) fn len(&self) -> usize {
        self.document.elements.len()
    }

    /// Returns the children of an element with this name.
    pub(crate) fn children(&self, parent: usize, name: &str) -> Vec<usize> {
        self.document.children(parent, name).collect()
    }

    /// Returns the first child of an element with this name.
    pub(crate) fn child(&self, parent: usize, name: &str) -> Option<usize> {
        self.document.child(parent, name)
    }

    /// Returns the element that an element is in.
    pub(crate) fn parent(&self, id: usize) -> Option<usize> {
        (0..self.len()).find(|&e| self.element(e).children.contains(&id))
    }

    /// Returns the text of an element.
    pub(crate) fn content(&self, id: usize) -> &str {
        &self.element(id).text.text
    }

    /// Sets an attribute.
    pub(crate) fn set_attribute(&mut self, id: usize, name: &str, value: &str) -> Result<(), EditError> {
        let element = &self.document.elements[id];
        if element.attribute(name) == Some(value) {
            return Ok(());
        }
        let value = self.style.value(value)?;
        let patch = match element.attributes.iter().find(|a| a.name == name) {
            Some(attribute) => {
                let place = self.value(id, attribute.span)?;
                Patch { from: place.start, to: place.end, text: value }
            }
            None => Patch::insert(self.end_of_attributes(id)?, format!(" {name}=\"{value}\"")),
        };
        self.patches.push(patch);
        Ok(())
    }

    /// Deletes an attribute.
    pub(crate) fn delete_attribute(&mut self, id: usize, name: &str) -> Result<(), EditError> {
        let Some(span) = self.element(id).attributes.iter().find(|a| a.name == name).map(|a| a.span) else {
            return Ok(());
        };
        let place = self.value(id, span)?;
        // Before the value are its quote, `=`, the name, and blanks.
        let before = &self.text[..place.start - 1];
        let name_end = before.trim_end().trim_end_matches('=').trim_end();
        let start = name_end.trim_end_matches(|c: char| !c.is_whitespace()).trim_end().len();
        self.patches.push(Patch::delete(start, place.end + 1));
        Ok(())
    }

    /// Returns where the value of an attribute is.
    fn value(&self, id: usize, span: Span) -> Result<std::ops::Range<usize>, EditError> {
        let (tag, value) = (range(self.element(id).span), range(span));
        let quote = |at: usize| self.text.as_bytes().get(at).copied().filter(|b| matches!(b, b'"' | b'\''));
        let is_quoted = tag.start < value.start && quote(value.start - 1).is_some();
        if !is_quoted || quote(value.start - 1) != quote(value.end) {
            return Err(EditError::new(format!("an attribute of <{}> can't be found", self.element(id).name)));
        }
        Ok(value)
    }

    /// Returns the end of the last attribute, or of the element's name.
    fn end_of_attributes(&self, id: usize) -> Result<usize, EditError> {
        let element = self.element(id);
        match element.attributes.last() {
            Some(last) => Ok(self.value(id, last.span)?.end + 1),
            None => {
                let tag = range(element.span);
                let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '>');
                let length = self.text[tag.clone()].find(ends).unwrap_or(tag.len());
                Ok(tag.start + length)
            }
        }
    }

    /// Returns the blanks before an element if it is the first one on its line, with the line
    /// break.
    fn indent(&self, id: usize) -> Option<&'a str> {
        let before = &self.text[..range(self.element(id).span).start];
        let blanks = &before[before.trim_end_matches([' ', '\t']).len()..];
        let line = before[..before.len() - blanks.len()].strip_suffix('\n')?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        Some(&before[line.len()..])
    }

    /// Deletes an element with the blanks before it.
    pub(crate) fn delete(&mut self, id: usize) {
        if self.deleted.contains(&id) {
            return;
        }
        self.deleted.push(id);
        let whole = range(self.element(id).whole);
        let start = self.indent(id).map_or(whole.start, |indent| whole.start - indent.len());
        self.patches.push(Patch::delete(start, whole.end));
    }

    /// Inserts an element as a child of `parent`, after the children that precede it by `order`.
    pub(crate) fn insert(&mut self, parent: usize, order: &[&str], tag: &Tag) -> Result<(), EditError> {
        let rank = |name: &str| order.iter().position(|known| *known == name);
        let own = rank(tag.name);
        let is_before = |&&child: &&usize| rank(&self.element(child).name).is_some_and(|rank| Some(rank) <= own);
        let after = self.element(parent).children.iter().rfind(is_before).copied();
        self.insert_after(parent, after, tag)
    }

    /// Inserts an element as a child of `parent`, after a sibling or else as the first one.
    pub(crate) fn insert_after(&mut self, parent: usize, after: Option<usize>, tag: &Tag) -> Result<(), EditError> {
        let element = self.element(parent);
        let sibling = after.or(element.children.first().copied());
        let own = self.indent(parent);
        let unit = self.unit(parent);
        let between = match sibling {
            Some(sibling) => self.indent(sibling).unwrap_or("").to_owned(),
            None => own.map_or(String::new(), |own| format!("{own}{unit}")),
        };
        let mut markup = between.clone();
        tag.write(self.style, &between, &unit, &mut markup)?;
        let (name, tag, content) = (&element.name, range(element.span), element.content.map(range));
        let patch = match (after, content) {
            (Some(after), _) => Patch::insert(range(self.element(after).whole).end, markup),
            (None, Some(content)) => {
                if content.is_empty() {
                    markup.push_str(own.unwrap_or(""));
                }
                Patch::insert(content.start, markup)
            }
            (None, None) => {
                let end = if own.is_some() { own.unwrap_or("") } else { "" };
                let slash = tag.end - 2;
                let blanks = self.text[..slash].trim_end().len();
                Patch { from: blanks, to: tag.end, text: format!(">{markup}{end}</{name}>") }
            }
        };
        self.patches.push(patch);
        Ok(())
    }

    /// Returns what the children of an element are indented by.
    fn unit(&self, parent: usize) -> String {
        let deeper = |parent: usize| {
            let own = self.indent(parent)?;
            let child = self.element(parent).children.iter().find_map(|&child| self.indent(child))?;
            child.strip_prefix(own).filter(|unit| !unit.is_empty()).map(str::to_owned)
        };
        // The first element that has a child on its own line shows it otherwise.
        deeper(parent).or_else(|| (1..self.len().min(100)).find_map(deeper)).unwrap_or_else(|| "\t".to_owned())
    }

    /// Replaces a range of the text of an element, in bytes of what the file's text means.
    pub(crate) fn replace_text(&mut self, id: usize, from: usize, to: usize, new: &str) -> Result<(), EditError> {
        let element = self.element(id);
        let Some(content) = element.content.map(range) else {
            let text = self.style.text(new)?;
            let tag = range(element.span);
            let blanks = self.text[..tag.end - 2].trim_end().len();
            let text = format!(">{text}</{}>", element.name);
            self.patches.push(Patch { from: blanks, to: tag.end, text });
            return Ok(());
        };
        let runs = self.runs(id);
        let first = runs.iter().position(|r| from < r.end || (from == to && from == r.end));
        let last = if from == to { first } else { runs.iter().rposition(|r| r.start < to) };
        let patch = match first.zip(last) {
            Some((first, last)) => self.replace_runs(&runs, first, last, from..to, new)?,
            None => Patch::insert(content.start, self.style.text(new)?),
        };
        self.patches.push(patch);
        Ok(())
    }

    /// Replaces a range that lies within some runs.
    fn replace_runs(
        &self,
        runs: &[Run<'_>],
        first: usize,
        last: usize,
        range: std::ops::Range<usize>,
        new: &str,
    ) -> Result<Patch, EditError> {
        let (a, z) = (&runs[first], &runs[last]);
        // Within one section of CDATA.
        if first == last && a.kind == RunKind::Verbatim && a.start <= range.start && range.end <= a.end {
            let (before, after) = (&a.text[..range.start - a.start], &a.text[range.end - a.start..]);
            if let Some(new) = self.style.verbatim(new)?
                && !format!("{before}{new}{after}").contains("]]>")
            {
                return Ok(Patch { from: a.raw.start + before.len(), to: a.raw.end - after.len(), text: new });
            }
        }
        // An end within a section or a reference takes the whole of it along.
        let mut text = String::new();
        let from = match a.kind {
            RunKind::Plain => a.raw.start + (range.start - a.start),
            _ if range.start == a.end => a.outer.end,
            _ => {
                text.push_str(&self.style.text(&a.text[..range.start - a.start])?);
                a.outer.start
            }
        };
        text.push_str(&self.style.text(new)?);
        let to = match z.kind {
            RunKind::Plain => z.raw.start + (range.end - z.start),
            _ if range.end == z.start => z.outer.start,
            _ => {
                text.push_str(&self.style.text(&z.text[range.end - z.start..])?);
                z.outer.end
            }
        };
        Ok(Patch { from, to, text })
    }

    /// Returns the runs of the text of an element.
    fn runs(&self, id: usize) -> Vec<Run<'_>> {
        let text = &self.element(id).text;
        let ends = text.map.iter().skip(1).map(|&(here, _)| here as usize).chain([text.text.len()]);
        let run = |(&(here, raw), end): (&(u32, u32), usize)| {
            let (start, raw) = (here as usize, raw as usize);
            let piece = &text.text[start..end];
            let rest = &self.text[raw..];
            let (kind, length) = match rest.strip_prefix('&') {
                _ if self.text[..raw].ends_with(CDATA) => (RunKind::Verbatim, piece.len()),
                // A plain run has no `&`.
                Some(_) => (RunKind::Reference, rest.find(';').map_or(1, |end| end + 1)),
                None => (RunKind::Plain, piece.len()),
            };
            let outer = match kind {
                RunKind::Verbatim => raw - CDATA.len()..raw + length + "]]>".len(),
                _ => raw..raw + length,
            };
            Run { kind, start, end, text: piece, raw: raw..raw + length, outer }
        };
        text.map.iter().zip(ends).map(run).collect()
    }
}

const CDATA: &str = "<![CDATA[";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunKind {
    /// As it is.
    Plain,
    /// An entity or a reference to a character.
    Reference,
    /// A section of CDATA.
    Verbatim,
}

/// A piece of the text of an element that is written in one way.
struct Run<'a> {
    kind: RunKind,
    /// Where it begins and ends in the element's text.
    start: usize,
    end: usize,
    text: &'a str,
    /// Where it is in the file, without and with what delimits it.
    raw: std::ops::Range<usize>,
    outer: std::ops::Range<usize>,
}
