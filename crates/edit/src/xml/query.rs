//! Edits of the queries of a model.

use super::{MODEL, file::XmlFile, tag::Tag};
use crate::EditError;

/// The elements of a query.
const QUERY: [&str; 5] = ["formula", "comment", "option", "expect", "result"];

impl XmlFile<'_> {
    fn all_queries(&self) -> Vec<usize> {
        self.child(0, "queries").map_or(Vec::new(), |list| self.children(list, "query"))
    }

    fn query(&self, number: usize) -> Result<usize, EditError> {
        self.all_queries().get(number).copied().ok_or_else(|| EditError::absent("query", number))
    }

    pub(super) fn add_query(&mut self, at: usize, formula: &str, comment: &str) -> Result<(), EditError> {
        let tag = Tag::with("query", vec![Tag::text("formula", formula), Tag::text("comment", comment)]);
        let Some(list) = self.child(0, "queries") else {
            return self.insert(0, &MODEL, &Tag::with("queries", vec![tag]));
        };
        let before = at.min(self.all_queries().len()).checked_sub(1).map(|before| self.query(before)).transpose()?;
        // The first query may come after options of the whole list.
        let first = self.all_queries().first().copied();
        let children = &self.element(list).children;
        let sibling = before.or_else(|| children.iter().take_while(|&&c| Some(c) != first).last().copied());
        self.insert_after(list, sibling, &tag)
    }

    pub(super) fn change_query(
        &mut self,
        number: usize,
        formula: Option<&str>,
        comment: Option<&str>,
    ) -> Result<(), EditError> {
        let query = self.query(number)?;
        for (name, text) in [("formula", formula), ("comment", comment)] {
            let Some(text) = text else { continue };
            match self.child(query, name) {
                Some(element) => self.set_text(element, text.trim())?,
                None => self.insert(query, &QUERY, &Tag::text(name, text))?,
            }
        }
        Ok(())
    }

    pub(super) fn delete_query(&mut self, number: usize) -> Result<(), EditError> {
        let query = self.query(number)?;
        self.delete(query);
        Ok(())
    }
}
