//! A small document tree with positions. Nothing is fetched, and only the five predefined entities
//! of XML are expanded. Positions are exact, so that whoever edits the text changes nothing else.

use quick_xml::{
    Reader,
    events::{BytesRef, BytesStart, Event},
};

use crate::{Signal, diagnostic::Diagnostic, source::Span};

/// Decoded text with `(offset here, offset in the file)` at the start of every run.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The text.
    pub text: String,
    /// The offset of every run here and in the file.
    pub map: Vec<(u32, u32)>,
}

impl Text {
    fn push(&mut self, piece: &str, at: u32) {
        self.map.push((self.text.len() as u32, at));
        self.text.push_str(piece);
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// An attribute.
#[derive(Debug)]
pub struct XmlAttribute {
    /// Its name.
    pub name: String,
    /// Its value, decoded.
    value: String,
    /// Its value in the file, without quotes; the start tag if its place there is not known.
    pub span: Span,
}

/// An element. Its children are indices of [`Document::elements`].
#[derive(Debug)]
pub struct Element {
    /// Its name, without a prefix.
    pub name: String,
    /// Its attributes.
    pub attributes: Vec<XmlAttribute>,
    /// Its children, in order.
    pub children: Vec<usize>,
    /// The text in it, without that of its children.
    pub text: Text,
    /// The start tag.
    pub span: Span,
    /// What is between its tags; `None` if it is one tag, `<a/>`.
    pub content: Option<Span>,
    /// The whole element.
    pub whole: Span,
}

impl Element {
    /// Returns the value of an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.value.as_str())
    }

    /// Returns where the value of an attribute is; the start tag if there is none.
    pub(crate) fn value_span(&self, name: &str) -> Span {
        self.attributes.iter().find(|attribute| attribute.name == name).map_or(self.span, |attribute| attribute.span)
    }
}

/// A whole document; element 0 is the root.
#[derive(Debug)]
pub struct Document {
    /// The elements, each after its parent.
    pub elements: Vec<Element>,
}

impl Document {
    /// Returns the children of `parent` with this name, in order.
    pub fn children<'a>(&'a self, parent: usize, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        self.elements[parent].children.iter().copied().filter(move |&c| self.elements[c].name == name)
    }

    /// Returns the first child of `parent` with this name.
    #[must_use]
    pub fn child(&self, parent: usize, name: &str) -> Option<usize> {
        self.children(parent, name).next()
    }
}

const ESCAPES: &str = "in XML `<` and `&` are written `&lt;` and `&amp;`";

/// The limit on nested elements.
const MAX_DEPTH: usize = 256;

/// Parses a document. `base` is the start of the file's text in the address space.
///
/// # Errors
/// The text is not well-formed.
pub fn parse(text: &str, base: u32, signal: Signal) -> Result<Document, Box<Diagnostic>> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = false;
    let mut document = Document { elements: Vec::new() };
    let mut open: Vec<usize> = Vec::new();
    loop {
        let start = reader.buffer_position() as u32;
        if let Some(stop) = signal.raised() {
            return Err(Box::new(stop.while_loading(Span { start: base + start, end: base + start })));
        }
        let event = reader.read_event().map_err(|e| {
            let at = (reader.error_position() as u32).min(text.len() as u32);
            Box::new(ill_formed(&e, Span { start: base + at, end: base + at + 1 }, &document, &open))
        })?;
        let end = reader.buffer_position() as u32;
        let span = Span { start: base + start, end: base + end };
        match event {
            Event::Start(tag) => {
                let id = add(&mut document, &open, &tag, span)?;
                open.push(id);
                if open.len() > MAX_DEPTH {
                    return Err(Box::new(Diagnostic::error("xml", span, "elements are nested too deeply for a model")));
                }
            }
            Event::Empty(tag) => {
                add(&mut document, &open, &tag, span)?;
            }
            Event::End(_) => {
                if let Some(id) = open.pop() {
                    let element = &mut document.elements[id];
                    element.content = Some(Span { start: element.span.end, end: span.start });
                    element.whole = element.span.to(span);
                }
            }
            Event::Text(piece) => {
                if let Some(&id) = open.last() {
                    document.elements[id].text.push(&piece.into_inner(), start);
                } else if !piece.trim().is_empty() {
                    return Err(Box::new(outside(span, text, start)));
                }
            }
            Event::CData(piece) => {
                if let Some(&id) = open.last() {
                    // After `<![CDATA[`.
                    document.elements[id].text.push(&piece.into_inner(), start + 9);
                }
            }
            Event::GeneralRef(reference) => {
                let decoded = entity(&reference, span)?;
                if let Some(&id) = open.last() {
                    document.elements[id].text.push(&decoded, start);
                }
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    if let Some(&id) = open.last() {
        let element = &document.elements[id];
        let end = base + text.len() as u32;
        return Err(Box::new(
            Diagnostic::error("xml", Span { start: end, end }, format!("the file ends inside of <{}>", element.name))
                .also(element.span, "opened here")
                .help("the file is probably truncated"),
        ));
    }
    Ok(document)
}

fn outside(span: Span, text: &str, start: u32) -> Diagnostic {
    let d = Diagnostic::error("xml", span, "text outside of the document's root element");
    if start == 0 && !text.trim_start().starts_with('<') {
        return d.help("an UPPAAL model in XML starts with <?xml …?> and <nta>; is this another kind of file?");
    }
    d
}

fn add(document: &mut Document, open: &[usize], tag: &BytesStart<'_>, span: Span) -> Result<usize, Box<Diagnostic>> {
    let id = document.elements.len();
    if let Some(&parent) = open.last() {
        document.elements[parent].children.push(id);
    } else if id > 0 {
        return Err(Box::new(Diagnostic::error("xml", span, "a second root element")));
    }
    let mut attributes = Vec::new();
    // An unescaped `<` in a label looks like a tag, and the text after it like attributes.
    let wrong = |e: &dyn std::fmt::Display| {
        Box::new(Diagnostic::error("xml", span, format!("wrong attribute: {e}")).help(ESCAPES))
    };
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|e| wrong(&e))?;
        let value = attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0).map_err(|e| wrong(&e))?;
        // The tag's text begins after `<`.
        let offset = (attribute.value.as_ptr() as usize).checked_sub(tag.as_ptr() as usize);
        let start = offset.map_or(span.start, |offset| span.start + 1 + offset as u32);
        let written = Span { start, end: start + attribute.value.len() as u32 };
        let is_within = span.start < written.start && written.end < span.end;
        attributes.push(XmlAttribute {
            name: attribute.key.as_ref().to_owned(),
            value: value.into_owned(),
            span: if is_within { written } else { span },
        });
    }
    let name = tag.local_name().as_ref().to_owned();
    document.elements.push(Element {
        name,
        attributes,
        children: Vec::new(),
        text: Text::default(),
        span,
        content: None,
        whole: span,
    });
    Ok(id)
}

fn entity(reference: &BytesRef<'_>, span: Span) -> Result<String, Box<Diagnostic>> {
    match reference.resolve_char_ref() {
        Ok(Some(c)) => return Ok(c.to_string()),
        Ok(None) => {}
        Err(e) => return Err(Box::new(Diagnostic::error("xml", span, format!("wrong character reference: {e}")))),
    }
    let name = reference.xml10_content();
    let decoded = match name.as_ref() {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "apos" => "'",
        "quot" => "\"",
        _ => {
            return Err(Box::new(
                Diagnostic::error("xml", span, format!("unknown entity `&{name};`"))
                    .help("entities declared in the document are not supported")
                    .help("write `&amp;` for a plain `&`"),
            ));
        }
    };
    Ok(decoded.to_owned())
}

fn ill_formed(e: &quick_xml::Error, span: Span, document: &Document, open: &[usize]) -> Diagnostic {
    let mut d = Diagnostic::error("xml", span, format!("not well-formed XML: {e}"));
    if let Some(&id) = open.last() {
        let element = &document.elements[id];
        d = d.also(element.span, format!("inside of <{}>", element.name));
    }
    d.help(ESCAPES)
}
