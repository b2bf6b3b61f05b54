//! Reads, prints and compares models, for the tests of the printer.

#![allow(dead_code)]

use syntax::{Diagnostic, Format, Sources, Tree, ast::QueryKind, print};

/// A model with its sources.
pub struct Model {
    pub sources: Sources,
    pub tree: Tree,
    pub diagnostics: Vec<Diagnostic>,
}

pub fn read(text: &str, format: Format) -> Model {
    let mut sources = Sources::new();
    let file = sources.add_file("model", text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, format);
    Model { sources, tree, diagnostics }
}

impl Model {
    pub fn errors(&self) -> Vec<String> {
        let errors = self.diagnostics.iter().filter(|d| d.is_error());
        errors.map(|d| format!("{} at `{}`", d.message, self.sources.text(d.primary.span))).collect()
    }

    pub fn print(&self, format: Format) -> String {
        match format {
            Format::Xml => print::xml(&self.tree, &self.sources).text,
            Format::Xta | Format::Ta => print::xta(&self.tree, &self.sources).text,
            Format::Tck => panic!("TChecker models are not printed"),
            Format::Net | Format::Ndr | Format::NetXml => panic!("nets are printed elsewhere"),
        }
    }

    /// Returns the structure alone: XTA without comments and blank lines.
    pub fn bare(&self) -> String {
        let mut tree = self.tree.clone();
        tree.comments.clear();
        for template in &mut tree.templates {
            template.locations.iter_mut().for_each(|l| l.notes.clear());
            template.edges.iter_mut().for_each(|e| e.notes.clear());
            // XML has identifiers for branchpoints, but no names.
            for (i, branchpoint) in template.branchpoints.iter_mut().enumerate() {
                branchpoint.name.sym = tree.names.intern(&format!("branchpoint_{i}"));
            }
        }
        tree.queries.retain(|q| q.kind != QueryKind::Empty);
        for query in &mut tree.queries {
            query.comment.clear();
        }
        let text = print::xta(&tree, &self.sources).text;
        text.lines().filter(|l| !l.trim().is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the lines of all comments and remarks, without delimiters, sorted.
    pub fn remarks(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.tree.comments.iter().map(|c| c.text.clone()).collect();
        for template in &self.tree.templates {
            let locations = template.locations.iter().flat_map(|l| &l.notes);
            for (kind, text) in locations.chain(template.edges.iter().flat_map(|e| &e.notes)) {
                let is_plain = kind == "comments" || text.trim().is_empty();
                texts.push(if is_plain { text.clone() } else { format!("{kind}: {}", text.trim()) });
            }
        }
        texts.extend(self.tree.queries.iter().map(|q| q.comment.clone()));
        let lines = texts.iter().flat_map(|t| t.lines());
        let sign = |c: &char| !(c.is_whitespace() || matches!(c, '/' | '*'));
        let mut lines: Vec<String> = lines.map(|l| l.chars().filter(sign).collect()).collect();
        lines.retain(|l| !l.is_empty());
        lines.sort();
        lines
    }
}

/// Prints `model`, checks that nothing is lost, and returns the parsed output.
pub fn round_trip(model: &Model, format: Format) -> Result<Model, String> {
    let text = model.print(format);
    let back = read(&text, format);
    let errors = back.errors();
    if !errors.is_empty() {
        return Err(format!("{format:?} does not read back: {}\n{text}", errors.join("\n")));
    }
    differ("structure", &model.bare(), &back.bare())?;
    differ("comments", &model.remarks().join("\n"), &back.remarks().join("\n"))?;
    differ("fixpoint", &text, &back.print(format))?;
    Ok(back)
}

/// Checks that `text` survives printing in both formats, and that the XTA is as expected.
#[track_caller]
pub fn check(text: &str, expected: &str) {
    check_as(text, Format::Xta, expected);
}

#[track_caller]
pub fn check_as(text: &str, format: Format, expected: &str) {
    let model = read(text, format);
    assert_eq!(model.errors(), Vec::<String>::new());
    assert_eq!(model.print(Format::Xta).trim(), expected.trim());
    for format in [Format::Xta, Format::Xml] {
        let back = round_trip(&model, format).unwrap_or_else(|why| panic!("{why}"));
        round_trip(&back, Format::Xta).unwrap_or_else(|why| panic!("{why}"));
        round_trip(&back, Format::Xml).unwrap_or_else(|why| panic!("{why}"));
    }
}

fn differ(what: &str, a: &str, b: &str) -> Result<(), String> {
    if a == b {
        return Ok(());
    }
    let at = a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| {
        let lines: Vec<&str> = text.lines().skip(at.saturating_sub(3)).take(7).collect();
        lines.join("\n    ")
    };
    Err(format!("{what} differs at line {}:\n    {}\n  became\n    {}", at + 1, around(a), around(b)))
}
