//! New elements.

use super::escape::Style;
use crate::EditError;

/// The inside of a new element.
#[derive(Clone, Debug)]
enum Inside {
    /// `<a/>`
    Nothing,
    /// A text.
    Text(String),
    /// Elements, each on a line.
    Tags(Vec<Tag>),
}

/// A new element.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub name: &'static str,
    attributes: Vec<(&'static str, String)>,
    inside: Inside,
    /// Whether the elements in it are on one line.
    is_flat: bool,
}

impl Tag {
    /// Creates `<name/>`.
    pub(crate) fn empty(name: &'static str) -> Tag {
        Tag { name, attributes: Vec::new(), inside: Inside::Nothing, is_flat: false }
    }

    /// Creates an element with a text.
    pub(crate) fn text(name: &'static str, text: impl Into<String>) -> Tag {
        Tag { inside: Inside::Text(text.into()), ..Tag::empty(name) }
    }

    /// Creates an element with others in it.
    pub(crate) fn with(name: &'static str, tags: Vec<Tag>) -> Tag {
        Tag { inside: Inside::Tags(tags), ..Tag::empty(name) }
    }

    /// Writes the elements in it on one line.
    pub(crate) fn on_one_line(mut self) -> Tag {
        self.is_flat = true;
        self
    }

    /// Adds an attribute.
    pub(crate) fn attribute(mut self, name: &'static str, value: impl ToString) -> Tag {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// Adds coordinates.
    pub(crate) fn at(self, (x, y): crate::Point) -> Tag {
        self.attribute("x", x).attribute("y", y)
    }

    /// Adds coordinates if there are any.
    pub(crate) fn maybe_at(self, at: Option<crate::Point>) -> Tag {
        match at {
            Some(at) => self.at(at),
            None => self,
        }
    }

    /// Writes the element; `between` is what separates it from its siblings, and `unit` what the
    /// elements in it are indented by.
    pub(super) fn write(&self, style: Style, between: &str, unit: &str, out: &mut String) -> Result<(), EditError> {
        out.push('<');
        out.push_str(self.name);
        for (name, value) in &self.attributes {
            out.push_str(&format!(" {name}=\"{}\"", style.value(value)?));
        }
        match &self.inside {
            Inside::Nothing => {
                out.push_str("/>");
                return Ok(());
            }
            Inside::Text(text) => {
                out.push('>');
                out.push_str(&style.text(text)?);
            }
            Inside::Tags(tags) => {
                out.push('>');
                let between = if self.is_flat { "" } else { between };
                let deeper = if between.is_empty() { String::new() } else { format!("{between}{unit}") };
                for tag in tags {
                    out.push_str(&deeper);
                    tag.write(style, &deeper, unit, out)?;
                }
                out.push_str(between);
            }
        }
        out.push_str(&format!("</{}>", self.name));
        Ok(())
    }
}
