//! Edits of real models.

use std::fs;

use edit::{Buffer, Operation, Source};
use oracle::corpus::corpora;
use syntax::Format;

use crate::{
    shape::Shape,
    steps::{Dice, KINDS, step},
};

/// Returns all models in UPPAAL's XML that can be edited, with the bytes of their files.
pub fn models() -> Vec<(String, Vec<u8>, Buffer)> {
    let mut out = Vec::new();
    for corpus in corpora("uppaal") {
        for path in corpus.files(&["xml"]) {
            let (name, bytes) = (path.display().to_string(), fs::read(&path).unwrap());
            let Ok(buffer) = Buffer::open(&name, &bytes) else { continue };
            if buffer.format() == Format::Xml && !edit::parts(buffer.source()).is_empty() {
                out.push((name, bytes, buffer));
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

/// Whether all of `few` occur in `many` in this order, except for at most `extra`.
fn is_within(few: &[&str], many: &[&str], extra: usize) -> bool {
    let mut missing = 0;
    let mut at = 0;
    for piece in few {
        match many[at..].iter().take(5000).position(|other| other == piece) {
            Some(found) => at += found + 1,
            None => missing += 1,
        }
    }
    missing <= extra
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
    first.is_none() && all_same || t.locations.len() > 1 && all_same
}

fn without_layouts(mut shape: Shape) -> Shape {
    for t in &mut shape.templates {
        t.locations.iter_mut().for_each(|l| l.layout = Default::default());
        t.edges.iter_mut().for_each(|e| e.layout = Default::default());
        t.branchpoints.iter_mut().for_each(|b| *b = Default::default());
    }
    shape
}

#[test]
fn files_are_written_as_they_were_read() {
    for (name, bytes, buffer) in models() {
        assert!(buffer.bytes().unwrap() == bytes, "{name}");
    }
}

/// After one edit of each kind, the model differs by that edit only, and undoing it restores the
/// file.
#[test]
fn an_edit_changes_nothing_else() {
    let mut made = [0usize; KINDS];
    for (number, (name, bytes, mut buffer)) in models().into_iter().enumerate() {
        let before = Shape::of(buffer.source());
        for kind in 0..KINDS {
            let mut dice = Dice((number * KINDS + kind) as u64);
            let Some((operation, expected)) = step(kind, &before, &mut dice) else { continue };
            let old = buffer.text().to_owned();
            let applied = buffer.edit(&operation).unwrap_or_else(|e| panic!("{name}: {operation:?}: {e}"));
            let shape = Shape::of(buffer.source());
            let (shape, expected) = match is_unplaced(&before, &operation) {
                true => (without_layouts(shape), without_layouts(expected)),
                false => (shape, expected),
            };
            assert!(shape == expected, "{name}: {operation:?}:\n{}", differences(&shape, &expected));
            let (old, new) = (pieces(&old), pieces(buffer.text()));
            if !is_unplaced(&before, &operation) {
                let few = 12;
                assert!(is_within(&new, &old, few), "{name}: {operation:?} adds much");
                let deletes = matches!(operation, Operation::Delete { .. } | Operation::DeleteTemplate { .. });
                assert!(deletes || is_within(&old, &new, 12), "{name}: {operation:?} removes much");
            }
            made[kind] += usize::from(!applied.patches.is_empty());
            if !applied.patches.is_empty() {
                buffer.undo().unwrap();
            }
            assert!(buffer.bytes().unwrap() == bytes, "{name}: {operation:?} is not undone");
        }
    }
    assert!(made.iter().all(|n| *n > 0), "kinds of edits that no model had a place for: {made:?}");
}

/// Returns the lines of two models that differ.
fn differences(a: &Shape, b: &Shape) -> String {
    let (a, b) = (format!("{a:#?}"), format!("{b:#?}"));
    let lines = a.lines().zip(b.lines()).filter(|(a, b)| a != b).take(12);
    lines.map(|(a, b)| format!("{a}   INSTEAD OF   {b}\n")).collect()
}

#[test]
fn texts_are_edited_as_they_are_shown() {
    for (name, bytes, mut buffer) in models() {
        let before = Shape::of(buffer.source());
        for (number, (part, _, text)) in edit::parts(buffer.source()).into_iter().enumerate() {
            let units: Vec<u16> = text.encode_utf16().collect();
            let at = Dice(number as u64).below(units.len() + 1);
            let splits = at > 0 && at < units.len() && (0xDC00..0xE000).contains(&units[at]);
            let at = if splits { at - 1 } else { at };
            let insert = edit::TextChange { from: at, to: at, text: "/* < & ]]>\n */".to_owned() };
            let operation = Operation::Text { part: part.clone(), changes: vec![insert] };
            buffer.edit(&operation).unwrap_or_else(|e| panic!("{name}: {operation:?}: {e}"));
            let shown = edit::parts(buffer.source())[number].2.encode_utf16().collect::<Vec<u16>>();
            let expected = [&units[..at], &"/* < & ]]>\n */".encode_utf16().collect::<Vec<_>>(), &units[at..]].concat();
            assert!(shown == expected, "{name}: {part:?}");
            if part == edit::Part::System {
                assert_eq!(Shape::of(buffer.source()).templates, before.templates, "{name}");
            }
            buffer.undo().unwrap();
            assert!(buffer.bytes().unwrap() == bytes, "{name}");
        }
    }
}

#[test]
fn layouts_place_everything() {
    for (name, _, mut buffer) in models() {
        let before = Shape::of(buffer.source());
        for template in 0..before.templates.len() {
            let _ = buffer.edit(&Operation::Layout { template }).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let after = Shape::of(buffer.source());
        let all = after.templates.iter().flat_map(|t| &t.locations);
        assert!(all.into_iter().all(|l| l.layout.at.is_some()), "{name}");
        assert!(without_layouts(after) == without_layouts(before), "{name}");
    }
}

/// The drawings have each element of the model once, where the model says that it is.
#[test]
fn drawings_show_the_model() {
    for (name, _, buffer) in models() {
        let Source { text, format } = buffer.source();
        let mut sources = syntax::Sources::new();
        let file = sources.add_file("m", text.to_owned());
        let (tree, diagnostics) = syntax::read_model(&mut sources, file, format);
        let drawings = edit::drawings(buffer.source(), &tree, &sources, &diagnostics);
        let shape = Shape::of(buffer.source());
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
                    assert!(label.text.contains(&*edit::shown(text)), "{name}: {} for {text}", label.text);
                }
            }
        }
        assert!(serde_json::to_string(&drawings).is_ok());
    }
}
