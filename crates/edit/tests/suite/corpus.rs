//! Edits of real models.

use std::fs;

use edit::{Operation, apply};
use oracle::corpora;
use syntax::Format;

use crate::{
    buffer::Buffer,
    shape::Shape,
    steps::{Dice, KINDS, step},
};

/// Returns all models in UPPAAL's XML.
pub fn models() -> Vec<(String, Buffer)> {
    let mut out = Vec::new();
    for corpus in corpora("uppaal") {
        for path in corpus.files(&["xml"]) {
            let (name, bytes) = (path.display().to_string(), fs::read(&path).unwrap());
            let Ok(text) = syntax::source::decode(&bytes) else { continue };
            let format = Format::guess(&name, &text);
            let comment = Operation::AddTemplate { name: "Is_it_editable".to_owned() };
            if format == Format::Xml && apply(&text, format, &comment).is_ok() {
                out.push((name, Buffer::new(&text, format)));
            }
        }
    }
    assert!(!out.is_empty());
    out
}

/// The markup of a text: tags, comments, and texts between them, as they are written.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        if !rest[..open].trim().is_empty() {
            out.push(rest[..open].trim());
        }
        let tag = &rest[open..];
        let end = match tag {
            _ if tag.starts_with("<!--") => tag.find("-->").map(|at| at + 3),
            _ if tag.starts_with("<![CDATA[") => tag.find("]]>").map(|at| at + 3),
            _ => tag.find('>').map(|at| at + 1),
        };
        let end = end.unwrap_or(tag.len());
        out.push(&tag[..end]);
        rest = &tag[end..];
    }
    out.push(rest.trim());
    out
}

/// Whether all of `few` occur in `many` in this order.
fn is_within(few: &[&str], many: &[&str]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|piece| rest.any(|other| other == piece))
}

/// Returns how many pieces differ, if those before and after them are the same.
fn middle(old: &[&str], new: &[&str]) -> usize {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old[prefix..].iter().rev().zip(new[prefix..].iter().rev());
    let suffix = rest.take_while(|(a, b)| a == b).count();
    old.len().max(new.len()) - prefix - suffix
}

/// Whether a model lacks positions, so that moving one element places all of them.
fn is_unplaced(shape: &Shape, operation: &Operation) -> bool {
    let (Operation::Move { template, .. }
    | Operation::AddLocation { template, .. }
    | Operation::AddBranchpoint { template, .. }) = operation
    else {
        return false;
    };
    let t = &shape.templates[*template];
    let first = t.locations.first().and_then(|l| l.layout.at);
    let all_same = t.locations.iter().all(|l| l.layout.at == first);
    all_same && (first.is_none() || t.locations.len() > 1)
}

pub fn without_layouts(mut shape: Shape) -> Shape {
    for t in &mut shape.templates {
        t.locations.iter_mut().for_each(|l| l.layout = Default::default());
        t.edges.iter_mut().for_each(|e| e.layout = Default::default());
        t.branchpoints.iter_mut().for_each(|b| *b = Default::default());
    }
    shape
}

/// After one edit of each kind, the model differs by that edit only, and undoing it restores the
/// file.
#[test]
fn an_edit_changes_nothing_else() {
    let mut made = [0usize; KINDS];
    for (number, (name, mut buffer)) in models().into_iter().enumerate() {
        let before = Shape::of(&buffer);
        for (kind, made) in made.iter_mut().enumerate() {
            let mut dice = Dice((number * KINDS + kind) as u64);
            let Some((operation, expected)) = step(kind, &before, &mut dice) else { continue };
            let old = buffer.text.clone();
            let patches = buffer.edit(&operation).unwrap_or_else(|e| panic!("{name}: {operation:?}: {e}"));
            let shape = Shape::of(&buffer);
            let is_unplaced = is_unplaced(&before, &operation);
            let (shape, expected) = match is_unplaced {
                true => (without_layouts(shape), without_layouts(expected)),
                false => (shape, expected),
            };
            assert!(shape == expected, "{name}: {operation:?}:\n{}", differences(&shape, &expected));
            let (old, new) = (pieces(&old), pieces(&buffer.text));
            match operation {
                Operation::Delete { .. } => assert!(is_within(&new, &old), "{name}: {operation:?} adds something"),
                Operation::DeleteTemplate { .. } => assert!(is_within(&new, &old), "{name}: {operation:?}"),
                _ => assert!(is_unplaced || middle(&old, &new) < 40, "{name}: {operation:?} changes much"),
            }
            *made += usize::from(!patches.is_empty());
            buffer.undo();
        }
    }
    assert!(made.iter().all(|n| *n > 0), "kinds of edits that no model had a place for: {made:?}");
}

/// Returns the lines of two models that differ.
pub fn differences(a: &Shape, b: &Shape) -> String {
    let (a, b) = (format!("{a:#?}"), format!("{b:#?}"));
    let lines = a.lines().zip(b.lines()).filter(|(a, b)| a != b).take(12);
    lines.map(|(a, b)| format!("{a}   INSTEAD OF   {b}\n")).collect()
}

#[test]
fn texts_are_replaced_where_they_differ() {
    for (name, mut buffer) in models() {
        let before = Shape::of(&buffer);
        for path in ["/nta/declaration", "/nta/system", "/nta/template[1]/declaration"] {
            if before.templates.is_empty() || buffer.text.contains("<project") {
                continue;
            }
            for text in ["// a < b && c ]]>\n", "", "int i;\n// two"] {
                let operation = Operation::Text { path: path.to_owned(), text: text.to_owned() };
                buffer.edit(&operation).unwrap_or_else(|e| panic!("{name}: {operation:?}: {e}"));
                assert!(buffer.edit(&operation).unwrap().is_empty(), "{name}: {path} is not {text}");
                assert_eq!(Shape::of(&buffer).templates.len(), before.templates.len(), "{name}");
                if path == "/nta/system" {
                    assert_eq!(Shape::of(&buffer).templates, before.templates, "{name}");
                }
            }
        }
    }
}

#[test]
fn layouts_place_everything() {
    for (name, mut buffer) in models().into_iter().filter(|(_, buffer)| buffer.text.len() < 30_000) {
        let before = Shape::of(&buffer);
        for template in 0..before.templates.len() {
            let _ = buffer.edit(&Operation::Layout { template }).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let after = Shape::of(&buffer);
        let all = after.templates.iter().flat_map(|t| &t.locations);
        assert!(all.into_iter().all(|l| l.layout.at.is_some()), "{name}");
        assert!(without_layouts(after) == without_layouts(before), "{name}");
    }
}

/// The drawings have each element of the model once, where the model says that it is.
#[test]
fn drawings_show_the_model() {
    for (name, buffer) in models() {
        let mut sources = syntax::Sources::new();
        let file = sources.add_file("m", buffer.text.clone());
        let (tree, diagnostics) = syntax::read_model(&mut sources, file, buffer.format);
        let drawings = edit::drawings(&buffer.text, buffer.format, &tree, &sources, &diagnostics);
        let shape = Shape::of(&buffer);
        assert_eq!(drawings.len(), shape.templates.len(), "{name}");
        for (drawing, t) in drawings.iter().zip(&shape.templates) {
            assert_eq!(drawing.locations.len(), t.locations.len(), "{name}");
            assert_eq!(drawing.edges.len(), t.edges.len(), "{name}");
            for (drawn, location) in drawing.locations.iter().zip(&t.locations) {
                let is_placed = drawing.is_placed && location.layout.at.is_some();
                assert!(!is_placed || location.layout.at == Some(drawn.at), "{name}");
                let own = drawn.labels.iter().find(|l| l.kind == "name").map(|l| l.text.clone());
                assert!(own == location.name || location.name.is_none(), "{name}");
                for (kind, text) in &location.labels {
                    assert!(text.is_empty() || drawn.labels.iter().any(|l| l.kind == *kind), "{name}: {text}");
                }
            }
            for (drawn, edge) in drawing.edges.iter().zip(&t.edges) {
                assert!(!drawn.is_nailed || drawn.nails == edge.layout.nails || !drawing.is_placed, "{name}");
                for (kind, text) in edge.labels.iter().filter(|(_, text)| !text.is_empty()) {
                    let label = drawn.labels.iter().find(|l| l.kind == *kind).unwrap();
                    assert!(label.text.contains(&text.replace("\r\n", "\n")), "{name}: {} for {text}", label.text);
                }
            }
        }
        assert!(serde_json::to_string(&drawings).is_ok());
    }
}
