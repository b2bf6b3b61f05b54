//! The printer's output: lines, indentation, and trailing comments.

use super::{comments::Comments, names::Renames};
use crate::{
    ast::Tree,
    lexer::Comment,
    names::Sym,
    source::{Sources, Span},
};

/// The preferred maximum width of lines.
pub(super) const WIDTH: usize = 100;

const INDENT: &str = "    ";

/// The maximum indentation, which keeps the size of deeply nested output linear.
const MAX_INDENT: usize = 30;

/// A printer into one buffer.
pub(super) struct Printer<'a> {
    pub tree: &'a Tree,
    pub comments: Comments<'a>,
    pub renames: Renames,
    pub out: String,
    pub indent: usize,
    /// Comments that are deferred to the end of the line.
    pending: Vec<&'a Comment>,
    /// Whether no line has been written yet on this level.
    fresh: bool,
    /// Whether a blank line is due before the next one.
    gap: bool,
}

impl<'a> Printer<'a> {
    /// Creates a printer of pieces, without comments.
    pub(super) fn plain(tree: &'a Tree) -> Printer<'a> {
        Printer::with(tree, Comments::none(), Renames::default())
    }

    /// Creates a printer of whole models.
    pub(super) fn new(tree: &'a Tree, sources: &'a Sources, renames: Renames) -> Printer<'a> {
        Printer::with(tree, Comments::new(tree, sources), renames)
    }

    fn with(tree: &'a Tree, comments: Comments<'a>, renames: Renames) -> Printer<'a> {
        let (out, pending) = (String::new(), Vec::new());
        Printer { tree, comments, renames, out, indent: 0, pending, fresh: true, gap: false }
    }

    /// Returns whether the work was stopped. Then the output is incomplete, and the caller discards
    /// it.
    pub(super) fn is_over(&self) -> bool {
        self.tree.signal.raised().is_some()
    }

    /// Returns the output of `f` as a separate text, including comments.
    pub(super) fn text(&mut self, f: impl FnOnce(&mut Printer<'a>)) -> String {
        let outer = std::mem::take(&mut self.out);
        let (fresh, gap) = (std::mem::replace(&mut self.fresh, true), std::mem::take(&mut self.gap));
        f(self);
        self.flush(true);
        (self.fresh, self.gap) = (fresh, gap);
        let mut text = std::mem::replace(&mut self.out, outer);
        text.truncate(text.trim_end_matches('\n').len());
        text
    }

    pub(super) fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Prints a name.
    pub(super) fn name(&mut self, sym: Sym) {
        let text = self.renames.get(sym).unwrap_or_else(|| self.tree.text(sym));
        self.out.push_str(text);
    }

    fn indentation(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::repeat_n(INDENT, self.indent.min(MAX_INDENT))
    }

    /// Indents the current line.
    pub(super) fn open_line(&mut self) {
        self.out.extend(self.indentation());
    }

    /// Ends the line, with its deferred comments.
    pub(super) fn end_line(&mut self) {
        self.flush(true);
        self.out.push('\n');
        self.fresh = false;
    }

    /// Returns the current column.
    pub(super) fn column(&self) -> usize {
        self.out.len() - self.out.rfind('\n').map_or(0, |at| at + 1)
    }

    /// Defers comments to the end of the line.
    pub(super) fn trail(&mut self, comments: Vec<&'a Comment>) {
        self.pending.extend(comments);
    }

    /// Prints the deferred comments. Only the last one may be a line comment.
    pub(super) fn flush(&mut self, ends_line: bool) {
        let pending = std::mem::take(&mut self.pending);
        for (i, comment) in pending.iter().enumerate() {
            if !self.out.is_empty() && !self.out.ends_with('\n') {
                self.out.push(' ');
            }
            if ends_line && i + 1 == pending.len() {
                self.out.push_str(&as_written(comment));
            } else {
                self.out.push_str(&as_block(comment));
            }
        }
    }

    /// Requests a blank line before the next line of this level, if there is one.
    pub(super) fn space(&mut self) {
        self.gap = true;
    }

    /// Starts a line at `at`, after a blank line if one is due or in the source.
    pub(super) fn start_line(&mut self, at: u32) {
        let blank = self.gap || self.comments.blank_before(at);
        if blank && !self.fresh {
            self.out.push('\n');
        }
        self.gap = false;
        self.open_line();
    }

    /// Prints comments on separate lines.
    pub(super) fn comment_lines(&mut self, comments: Vec<&'a Comment>) {
        for comment in comments {
            self.start_line(comment.span.start);
            // The lines of a comment are indented together.
            let before = format!("\n{}", self.comments.indentation(comment.span.start));
            let after: String = ["\n"].into_iter().chain(self.indentation()).collect();
            self.out.push_str(&as_written(comment).replace(&before, &after));
            self.end_line();
        }
    }

    /// Prints a text as comments on separate lines.
    pub(super) fn remark_lines(&mut self, text: &str) {
        for line in text.trim().lines() {
            self.start_line(u32::MAX);
            self.out.push_str("// ");
            self.out.push_str(line);
            self.out.truncate(self.out.trim_end().len());
            self.end_line();
        }
    }

    /// Runs `f` one level deeper.
    pub(super) fn nested<R>(&mut self, f: impl FnOnce(&mut Printer<'a>) -> R) -> R {
        self.indent += 1;
        self.fresh = true;
        self.gap = false;
        let result = f(self);
        self.indent -= 1;
        self.fresh = false;
        self.gap = false;
        result
    }

    /// Prints an item on separate lines, with the comments before, inside and after it.
    pub(super) fn item(&mut self, span: Span, f: impl FnOnce(&mut Printer<'a>)) {
        let leading = self.comments.leading(span.start);
        self.comment_lines(leading);
        self.start_line(span.start);
        f(self);
        self.trail_all(span);
        self.end_line();
    }

    /// Defers the comments inside of `span` and after it to the end of the line.
    pub(super) fn trail_all(&mut self, span: Span) {
        let inside = self.comments.inside(span);
        self.trail(inside);
        let trailing = self.comments.trailing(span.end);
        self.trail(trailing);
    }
}

/// Returns a comment with its own delimiters.
fn as_written(comment: &Comment) -> String {
    comment.text.replace("\r\n", "\n")
}

/// Returns a comment as a block comment.
fn as_block(comment: &Comment) -> String {
    if comment.is_line() {
        format!("/* {} */", comment.content().trim_start().replace("*/", "* /"))
    } else {
        as_written(comment)
    }
}
