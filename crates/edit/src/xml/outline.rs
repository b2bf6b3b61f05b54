//! Where the elements of a drawing are in an XML file.

use super::file::XmlFile;
use crate::outline::{TextItem, TextLabel, TextTemplate};

/// Returns where the elements of each template are; nothing if the file is not well-formed.
pub(crate) fn outline(text: &str) -> Vec<TextTemplate> {
    let Ok(file) = XmlFile::read(text) else { return Vec::new() };
    let templates = 0..file.children(0, "template").len();
    templates.filter_map(|number| file.text_template(number)).collect()
}

impl XmlFile<'_> {
    fn text_template(&self, number: usize) -> Option<TextTemplate> {
        let t = self.template(number).ok()?;
        let declarations = ["parameter", "declaration"].into_iter().filter_map(|name| self.child(t.id, name));
        let root = &self.element(0).name;
        let items = |elements: &[usize], tag: &str| {
            let all = self.children(t.id, tag);
            let place = |e: usize| all.binary_search(&e).map_or(0, |i| i + 1);
            let path = |e: usize| format!("/{root}/template[{}]/{tag}[{}]", number + 1, place(e));
            elements.iter().map(|&e| self.text_item(e, path(e))).collect()
        };
        Some(TextTemplate {
            range: self.range(t.id),
            parameters: self.child(t.id, "parameter").map_or("", |e| self.content(e).trim()).to_owned(),
            declarations: declarations.map(|e| self.range(e)).collect(),
            locations: items(&t.locations, "location"),
            edges: items(&t.edges, "transition"),
        })
    }

    fn text_item(&self, element: usize, path: String) -> TextItem {
        let mut labels = Vec::new();
        for &child in &self.element(element).children {
            let kind = match &*self.element(child).name {
                "name" => "name",
                "label" => self.element(child).attribute("kind").unwrap_or_default(),
                _ => continue,
            };
            let text = self.content(child);
            let trimmed = text.trim();
            if kind.is_empty() || trimmed.is_empty() {
                continue;
            }
            // The last one of a kind counts.
            labels.retain(|label: &TextLabel| label.kind != kind);
            labels.push(TextLabel {
                kind: kind.to_owned(),
                text: trimmed.to_owned(),
                blanks: text.len() - text.trim_start().len(),
                range: self.range(child),
                at: self.position(child),
            });
        }
        TextItem { path, range: self.range(element), labels }
    }

    fn range(&self, element: usize) -> std::ops::Range<usize> {
        let whole = self.element(element).whole;
        whole.start as usize..whole.end as usize
    }
}
