//! Edits of templates and of declarations.

use super::{MODEL, TEMPLATE, file::XmlFile, tag::Tag};
use crate::{Part, Refusal};

impl XmlFile<'_> {
    /// Adds a template with one location, as UPPAAL does.
    pub(super) fn add_template(&mut self, name: &str) -> Result<(), Refusal> {
        let id = self.fresh_ids().next().unwrap_or_default();
        let location = Tag::with("location", Vec::new()).attribute("id", &id).at((0, 0));
        let inside = vec![Tag::text("name", name), location, Tag::empty("init").attribute("ref", &id)];
        self.insert(0, &MODEL, &Tag::with("template", inside))
    }

    /// Returns the element of a part, and the element that holds it with its name and order.
    pub(super) fn part(&self, part: &Part) -> Result<(Option<usize>, usize, &'static str, &'static [&'static str]), Refusal> {
        let (parent, name, order): (usize, _, &'static [&'static str]) = match part {
            Part::Whole => return Err(Refusal::new("the whole file is not an element of it")),
            Part::Globals => (0, "declaration", &MODEL),
            Part::System => (0, "system", &MODEL),
            Part::Declarations { template } => (self.template(*template)?.id, "declaration", &TEMPLATE),
            Part::Parameters { template } => (self.template(*template)?.id, "parameter", &TEMPLATE),
        };
        Ok((self.child(parent, name), parent, name, order))
    }

    /// Replaces ranges of a part, in bytes of its text. The ranges are sorted.
    pub(super) fn change_part(&mut self, part: &Part, changes: &[(usize, usize, String)]) -> Result<(), Refusal> {
        let (element, parent, name, order) = self.part(part)?;
        match element {
            Some(element) => {
                for (from, to, text) in changes {
                    self.replace_text(element, *from, *to, text)?;
                }
                Ok(())
            }
            None => {
                let text: String = changes.iter().map(|(_, _, text)| text.as_str()).collect();
                self.insert(parent, order, &Tag::text(name, text))
            }
        }
    }
}
