//! Edits of TChecker's format.

use edit::{Item, Node, Operation};
use syntax::Format;

use crate::{buffer::Buffer, shape::Shape};

const MODEL: &str = "system:s\n# kept\nevent:go\nevent:tau\nclock:1:x\nprocess:P\nlocation:P:A{initial: : invariant: x<=3}\n\
    location:P:B # two\nlocation:P:C{committed:}\nedge:P:A:B:go{provided: x>1 : do: x=0}\nedge:P:B:C:tau\n  edge : P : C : A : tau {}\n";

fn edited(operation: &Operation) -> String {
    let mut buffer = Buffer::new(MODEL, Format::Tck);
    buffer.edit(operation).unwrap_or_else(|e| panic!("{operation:?}: {e}"));
    let mut sources = syntax::Sources::new();
    let file = sources.add_file("m", buffer.text.clone());
    let (_, diagnostics) = syntax::read_model(&mut sources, file, Format::Tck);
    assert!(!diagnostics.iter().any(syntax::Diagnostic::is_error), "{operation:?}: {}\n{diagnostics:?}", buffer.text);
    buffer.text
}

fn label(of: Item, kind: &str, text: &str) -> Operation {
    Operation::Label { template: 0, of, kind: kind.to_owned(), text: text.to_owned(), at: None }
}

#[test]
fn lines_are_changed_where_they_are() {
    assert_eq!(edited(&label(Item::Location(0), "invariant", "x<9")), MODEL.replace("x<=3", "x<9"));
    assert_eq!(
        edited(&label(Item::Location(0), "invariant", "")),
        MODEL.replace("{initial: : invariant: x<=3}", "{initial:}")
    );
    assert_eq!(edited(&label(Item::Location(1), "invariant", "x<5")), MODEL.replace("P:B #", "P:B{invariant: x<5} #"));
    assert_eq!(edited(&label(Item::Edge(0), "guard", "")), MODEL.replace("{provided: x>1 : do: x=0}", "{do: x=0}"));
    assert_eq!(edited(&label(Item::Edge(2), "guard", "x==2")), MODEL.replace("{}", "{provided: x==2}"));
    assert_eq!(edited(&label(Item::Edge(1), "synchronisation", "go")), MODEL.replace("B:C:tau", "B:C:go"));
    let delete = Operation::Delete { template: 0, items: vec![Item::Location(1)] };
    let without = MODEL
        .replace("location:P:B # two\n", " # two\n")
        .replace("edge:P:A:B:go{provided: x>1 : do: x=0}\n", "")
        .replace("edge:P:B:C:tau\n", "");
    assert_eq!(edited(&delete), without);
    let rename = Operation::RenameLocation { template: 0, location: 2, name: "Z".to_owned() };
    assert_eq!(edited(&rename), MODEL.replace("P:C{", "P:Z{").replace("B:C:", "B:Z:").replace("P : C :", "P : Z :"));
    let connect = Operation::Connect { template: 0, edge: 1, source: None, target: Some(Node::Location(0)) };
    assert_eq!(edited(&connect), MODEL.replace("B:C:tau", "B:A:tau"));
    let initial = Operation::Initial { template: 0, location: 1 };
    assert_eq!(
        edited(&initial),
        MODEL.replace("{initial: : invariant", "{invariant").replace("P:B #", "P:B{initial:} #")
    );
    let urgent = Operation::Urgent { template: 0, location: 2, on: true };
    assert_eq!(edited(&urgent), MODEL.replace("{committed:}", "{committed: : urgent:}"));
    let add = Operation::AddLocation { template: 0, at: (0, 0), name: String::new() };
    assert_eq!(edited(&add), MODEL.replace("{committed:}\n", "{committed:}\nlocation:P:L3\n"));
    let add =
        Operation::AddEdge { template: 0, source: Node::Location(2), target: Node::Location(2), nails: Vec::new() };
    assert_eq!(edited(&add), format!("{MODEL}edge:P:C:C:tau\n"));
    let shape = Shape::of(&Buffer::new(MODEL, Format::Tck));
    assert_eq!((shape.templates[0].locations.len(), shape.templates[0].edges.len()), (3, 3));
}

#[test]
fn labels_can_not_break_out() {
    for text in ["x>1}", "x : do", "x # y", "x\nedge:P:A:A:go", "{", "\0"] {
        let mut buffer = Buffer::new(MODEL, Format::Tck);
        for (of, kind) in [(Item::Location(0), "invariant"), (Item::Location(1), "invariant"), (Item::Edge(1), "guard")]
        {
            assert!(buffer.edit(&label(of, kind, text)).is_err(), "{text}: {}", buffer.text);
        }
    }
}
