//! Edits of templates and of declarations.

use super::{MODEL, TEMPLATE, file::XmlFile, tag::Tag};
use crate::EditError;

impl XmlFile<'_> {
    /// Adds a template with one location, as UPPAAL does.
    pub(super) fn add_template(&mut self, name: &str) -> Result<(), EditError> {
        let id = self.fresh_ids().next().unwrap_or_default();
        let location = Tag::with("location", Vec::new()).attribute("id", &id).at((0, 0));
        let inside = vec![Tag::text("name", name), location, Tag::empty("init").attribute("ref", &id)];
        self.insert(0, &MODEL, &Tag::with("template", inside))
    }

    /// Sets the text of the element at a path.
    pub(super) fn set_part(&mut self, path: &str, text: &str) -> Result<(), EditError> {
        let unknown = || EditError::new(format!("`{path}` is not a text of a model"));
        let (parent, name) = path.rsplit_once('/').ok_or_else(unknown)?;
        let root = format!("/{}", self.element(0).name);
        let (parent, order): (usize, &[&str]) = match parent.strip_prefix(&root).ok_or_else(unknown)? {
            "" => (0, &MODEL),
            inner => {
                let number = inner.strip_prefix("/template[").and_then(|rest| rest.strip_suffix(']'));
                let number: usize = number.and_then(|n| n.parse().ok()).ok_or_else(unknown)?;
                (self.template(number.wrapping_sub(1))?.id, &TEMPLATE)
            }
        };
        let names = if parent == 0 { ["declaration", "system"] } else { ["declaration", "parameter"] };
        let name = names.into_iter().find(|known| *known == name).ok_or_else(unknown)?;
        match self.child(parent, name) {
            Some(element) => self.replace_whole(element, text),
            None => self.insert(parent, order, &Tag::text(name, text)),
        }
    }
}
