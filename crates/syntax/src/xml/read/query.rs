//! Reads queries with their comments, options and recorded results.

use super::{Context, ModelReader};
use crate::{
    ast::{Query, QueryKind, RecordedResult},
    parser::{QueryLayout, on_one_line, parse_queries},
};

impl ModelReader<'_> {
    /// Reads the queries of the model.
    pub(super) fn queries(&mut self, id: usize, context: &Context) {
        let context = context.inside("queries", "");
        let list: Vec<usize> = self.document.children(id, "query").collect();
        for (i, q) in list.into_iter().enumerate() {
            let inside = Context {
                path: format!("{}/query[{}]/formula", context.path, i + 1),
                what: format!("query {}", i + 1),
            };
            let query = self.query(q, &inside);
            self.tree.queries.push(query);
        }
    }

    fn query(&mut self, q: usize, formula: &Context) -> Query {
        let fragment = self.document.child(q, "formula").and_then(|f| self.fragment(f, formula));
        let mut query = match fragment {
            Some(fragment) => {
                let fragment = self.sources.fragment(fragment);
                let mut found = parse_queries(self.tree, fragment, QueryLayout::Whole);
                found.pop()
            }
            None => None,
        }
        .unwrap_or_else(|| Query::new(String::new(), QueryKind::Empty, self.element(q).span));
        if let Some(c) = self.document.child(q, "comment") {
            let text = &self.element(c).text.text;
            if !text.trim().is_empty() {
                query.name = on_one_line(text);
            }
            // Comments inside the formula are kept besides the remark.
            query.comment = match (text.trim().is_empty(), query.comment.is_empty()) {
                (false, false) => format!("{text}\n{}", query.comment),
                (_, true) => text.clone(),
                (true, false) => query.comment,
            };
        }
        query.options = self
            .document
            .children(q, "option")
            .map(|o| {
                let get = |key: &str| self.element(o).attribute(key).unwrap_or("").to_owned();
                (get("key"), get("value"))
            })
            .collect();
        query.expect = self.document.child(q, "expect").map(|e| self.recorded(e)).or(query.expect);
        query.results = self.document.children(q, "result").map(|r| self.recorded(r)).collect();
        query
    }

    fn recorded(&self, id: usize) -> RecordedResult {
        let get = |key: &str| self.element(id).attribute(key).unwrap_or("").to_owned();
        RecordedResult {
            outcome: get("outcome"),
            kind: get("type"),
            value: get("value"),
            timestamp: get("timestamp"),
            details: self.document.child(id, "details").map_or(String::new(), |d| self.element(d).text.text.clone()),
        }
    }
}
