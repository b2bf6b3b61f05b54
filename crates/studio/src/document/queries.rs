//! Changes of the list of queries, in the model or in the file beside it.

use edit::Operation;
use serde::Deserialize;

use super::{ChangeError, OpenDocument, Which, load::QueryEntry, patch::Patch};

/// A change of the list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QueryEdit {
    /// Adds a query at the end.
    Add {
        /// The query.
        text: String,
        /// A remark on it.
        comment: String,
    },
    /// Changes a query.
    Set {
        /// Its number.
        number: usize,
        /// Its new text.
        text: String,
        /// The new remark.
        comment: String,
    },
    /// Removes a query.
    Remove(usize),
}

impl OpenDocument {
    /// Changes the list of queries.
    ///
    /// # Errors
    /// The revision is not the current one, or the change is impossible.
    pub fn edit_queries(&mut self, revision: u64, edit: QueryEdit) -> Result<u64, ChangeError> {
        self.expect(revision)?;
        match self.queries {
            None => {
                let operation = match edit {
                    QueryEdit::Add { text, comment } => Operation::AddQuery { at: usize::MAX, formula: text, comment },
                    QueryEdit::Set { number, text, comment } => {
                        let changed = self.loaded.queries.get(number).filter(|query| query.comment.trim() != comment);
                        let comment = changed.map(|_| comment);
                        Operation::Query { query: number, formula: Some(text), comment }
                    }
                    QueryEdit::Remove(number) => Operation::DeleteQuery { query: number },
                };
                self.edit(revision, &operation, None)
            }
            Some(_) => {
                let patch = self.patch_of(edit)?;
                self.change(revision, Which::Queries, &[patch], None)
            }
        }
    }

    /// Returns the patch of the file of queries.
    fn patch_of(&self, edit: QueryEdit) -> Result<Patch, ChangeError> {
        let text = self.queries.as_ref().map_or("", |file| file.text());
        Ok(match edit {
            QueryEdit::Add { text: query, comment } => {
                let before = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                let text_ = format!("{before}{}{}\n", remark(&comment), on_one_line(&query));
                Patch { from: text.len(), to: text.len(), text: text_ }
            }
            QueryEdit::Set { number, text: query, comment } => {
                let (lines, of) = self.lines(text, number)?;
                // A remark that is the same stays as it is written.
                let from = if of.comment.trim() == comment.trim() { lines.query } else { lines.remark };
                let new = if from == lines.remark { remark(&comment) } else { String::new() };
                Patch { from, to: lines.end, text: format!("{new}{}", on_one_line(&query)) }
            }
            QueryEdit::Remove(number) => {
                let (lines, _) = self.lines(text, number)?;
                let rest = &text[lines.end..];
                let to = lines.end + rest.find('\n').map_or(rest.len(), |at| at + 1);
                Patch { from: lines.remark, to, text: String::new() }
            }
        })
    }

    /// Finds the lines of a query.
    fn lines(&self, text: &str, number: usize) -> Result<(QueryLines, &QueryEntry), ChangeError> {
        let missing = || ChangeError::NoFragment(format!("query {}", number + 1));
        let of = self.loaded.queries.get(number).ok_or_else(missing)?;
        let at = of.at.as_ref().ok_or_else(missing)?;
        let (_, view) = self.view(super::QUERIES)?;
        let file = |units| view.byte(units).and_then(|byte| view.in_file(byte));
        let (start, end) = file(at.from).zip(file(at.to)).ok_or_else(missing)?;
        let query = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let mut remark = query;
        // The comments directly before it are about it.
        while let Some(before) = text[..remark].strip_suffix('\n') {
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            if !before[line..].trim_start().starts_with("//") {
                break;
            }
            remark = line;
        }
        Ok((QueryLines { remark, query, end }, of))
    }
}

/// Where a query is in its file.
struct QueryLines {
    /// The line of the first comment about it.
    remark: usize,
    /// Its first line.
    query: usize,
    /// Its end.
    end: usize,
}

/// Returns a remark as comments, one on each line.
fn remark(comment: &str) -> String {
    let line = |line: &str| format!("// {}\n", line.trim().trim_start_matches('/').trim_start());
    comment.lines().filter(|line| !line.trim().is_empty()).map(line).collect()
}

/// Returns a query as one line of a file.
fn on_one_line(query: &str) -> String {
    query.split_whitespace().collect::<Vec<_>>().join(" ")
}
