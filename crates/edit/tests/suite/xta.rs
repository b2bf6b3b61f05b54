//! Edits of text formats. Real models are printed as XTA for them.

use edit::{Item, Node, Operation};
use syntax::{Format, print};

use crate::{
    buffer::Buffer,
    corpus::{differences, models, without_layouts},
    shape::Shape,
    steps::{Dice, step},
};

/// The kinds of edits that the format has.
const KINDS: [usize; 9] = [4, 6, 7, 8, 12, 13, 14, 16, 17];

#[test]
fn an_edit_changes_nothing_else() {
    let mut made = [0usize; KINDS.len()];
    let mut refused = 0;
    for (number, (name, xml)) in models().into_iter().enumerate().filter(|(_, (_, xml))| xml.text.len() < 30_000) {
        let mut sources = syntax::Sources::new();
        let file = sources.add_file("m", xml.text.clone());
        let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::Xml);
        if diagnostics.iter().any(syntax::Diagnostic::is_error) {
            continue;
        }
        let mut buffer = Buffer::new(&print::xta(&tree, &sources).text, Format::Xta);
        let before = Shape::of(&buffer);
        for (made, kind) in made.iter_mut().zip(KINDS) {
            let mut dice = Dice((number * 31 + kind) as u64);
            let Some((operation, expected)) = step(kind, &before, &mut dice) else { continue };
            match buffer.edit(&operation) {
                Ok(_) => *made += 1,
                // Comments, and the last location.
                Err(refusal) => {
                    let is_known = ["no labels of the kind", "needs a location", "can't be changed as a drawing"];
                    assert!(
                        is_known.iter().any(|part| refusal.message.contains(part)),
                        "{name}: {operation:?}: {refusal}"
                    );
                    refused += 1;
                    continue;
                }
            }
            let (shape, expected) = (without_layouts(Shape::of(&buffer)), without_layouts(expected));
            assert!(shape == expected, "{name}: {operation:?}:\n{}\n{}", differences(&shape, &expected), buffer.text);
            buffer.undo();
        }
    }
    assert!(made.iter().all(|n| *n > 0), "{made:?}");
    assert!(refused < made.iter().sum::<usize>(), "{refused} refused, {made:?} made");
}

const MODEL: &str = "clock x; chan c;\nprocess P(int n) {\nint k; // state\nstate A { x <= 3 }, B, C { ; 2 };\ncommit B;\ninit A;\n\
    trans A -> B { guard x > 1; sync c!; }, // first\n  -> C { },\n  B -> A { assign x = 0; };\n}\nsystem P;\n";

fn edited(operation: &Operation) -> String {
    let mut buffer = Buffer::new(MODEL, Format::Xta);
    buffer.edit(operation).unwrap_or_else(|e| panic!("{operation:?}: {e}"));
    buffer.text
}

fn label(of: Item, kind: &str, text: &str) -> Operation {
    Operation::Label { template: 0, of, kind: kind.to_owned(), text: text.to_owned(), at: None }
}

#[test]
fn lists_and_short_edges_are_kept_right() {
    let delete = |items: &[Item]| edited(&Operation::Delete { template: 0, items: items.to_vec() });
    assert_eq!(delete(&[Item::Edge(0)]), MODEL.replace("A -> B { guard x > 1; sync c!; }, // first\n  -> C", "A -> C"));
    assert_eq!(delete(&[Item::Edge(2)]), MODEL.replace(",\n  B -> A { assign x = 0; }", ""));
    let without = MODEL.replace(", B, C", ", C").replace("\ncommit B;", "");
    let without = without
        .replace("A -> B { guard x > 1; sync c!; }, // first\n  -> C", "A -> C")
        .replace(",\n  B -> A { assign x = 0; }", "");
    assert_eq!(delete(&[Item::Location(1)]), without);
    let connect = Operation::Connect { template: 0, edge: 0, source: Some(Node::Location(1)), target: None };
    assert_eq!(edited(&connect), MODEL.replace("trans A -> B", "trans B -> B").replace("  -> C", "  A -> C"));
    let urgent = Operation::Urgent { template: 0, location: 0, on: true };
    assert_eq!(edited(&urgent), MODEL.replace("commit B;\n", "commit B;\nurgent A;\n"));
    let rename = Operation::RenameLocation { template: 0, location: 1, name: "Z".to_owned() };
    assert_eq!(
        edited(&rename),
        MODEL.replace(", B,", ", Z,").replace("commit B", "commit Z").replace("-> B", "-> Z").replace("  B", "  Z")
    );
    let rename = Operation::RenameTemplate { template: 0, name: "Q".to_owned() };
    assert_eq!(edited(&rename), MODEL.replace("process P", "process Q").replace("system P", "system Q"));
    assert_eq!(edited(&label(Item::Location(0), "exponentialrate", "7")), MODEL.replace("{ x <= 3 }", "{ x <= 3; 7 }"));
    assert_eq!(edited(&label(Item::Location(0), "invariant", "")), MODEL.replace("A { x <= 3 }", "A"));
    assert_eq!(edited(&label(Item::Location(2), "invariant", "x<9")), MODEL.replace("{ ; 2 }", "{ x<9; 2 }"));
    assert_eq!(
        edited(&label(Item::Edge(0), "select", "i : int[0, 1]")),
        MODEL.replace("{ guard", "{ select i : int[0, 1]; guard")
    );
    assert_eq!(edited(&label(Item::Edge(0), "guard", "")), MODEL.replace(" guard x > 1;", ""));
    assert_eq!(edited(&label(Item::Edge(1), "guard", "x == k")), MODEL.replace("C { }", "C { guard x == k; }"));
    assert_eq!(
        edited(&Operation::AddTemplate { name: "N".to_owned() }),
        MODEL.replace("}\nsystem", "}\n\nprocess N() {\nstate L0;\ninit L0;\n}\nsystem")
    );
}

#[test]
fn labels_can_not_break_out() {
    for text in ["x; } process Q() { state A; init A; }", "x }", "x /*", "1); (", "x; sync c!", "}", "x, // y", "\0"] {
        let mut buffer = Buffer::new(MODEL, Format::Xta);
        for of in [Item::Location(0), Item::Location(1), Item::Edge(0), Item::Edge(1)] {
            let kind = if matches!(of, Item::Edge(_)) { "guard" } else { "invariant" };
            assert!(buffer.edit(&label(of, kind, text)).is_err(), "{text} at {of:?}: {}", buffer.text);
            assert_eq!(buffer.text, MODEL);
        }
    }
}

#[test]
fn other_formats_say_what_to_do() {
    let add = Operation::AddLocation { template: 0, at: (0, 0), name: String::new() };
    let refusal = Buffer::new("net n\npl p\n", Format::Net).edit(&add).unwrap_err();
    assert_eq!(refusal.help.as_deref(), Some("edit the text"));
    let layout = Buffer::new(MODEL, Format::Xta).edit(&Operation::Layout { template: 0 }).unwrap_err();
    assert!(layout.help.unwrap().contains("merkhet convert"));
}
