//! What can't be edited in nets, names that look like something else, colours, and layouts.

use edit::{Item, Movable, Node, Operation, Placed};
use syntax::Format;

use crate::nets::{drawings, model, nets};

/// Places with colours are drawn as the file has them, and can be moved and renamed. What depends
/// on colours is refused.
#[test]
fn nets_with_colours_are_edited_before_they_are_unfolded() {
    let (_, mut buffer) = nets().into_iter().find(|(name, _)| name.contains("kitchen")).unwrap();
    let drawing = drawings(&buffer).remove(0);
    assert_eq!((drawing.places.len(), drawing.transitions.len(), drawing.edges.len()), (4, 2, 6));
    let (before, _) = model(&buffer);
    let rename = Operation::RenameNode { template: 0, node: Node::Place(3), name: "eaten".to_owned() };
    buffer.edit(&rename).unwrap();
    assert!(buffer.text.contains("id=\"served\" name=\"eaten\"") && buffer.text.contains("EF Kitchen.eaten = 2"));
    assert_eq!(model(&buffer).0.wrong_queries, before.wrong_queries);
    let moved = Operation::Move { template: 0, places: vec![Placed { item: Movable::Place(3), at: (7, 8) }] };
    buffer.edit(&moved).unwrap();
    assert!(buffer.text.contains("positionX=\"7\" positionY=\"8\""));
    let marking = Operation::Label {
        template: 0,
        of: Item::Place(0),
        kind: "marking".to_owned(),
        text: "3".to_owned(),
        at: None,
    };
    assert!(buffer.edit(&marking).unwrap_err().message.contains("colours"));
    let weight =
        Operation::Label { template: 0, of: Item::Edge(0), kind: "weight".to_owned(), text: "3".to_owned(), at: None };
    assert!(buffer.edit(&weight).unwrap_err().message.contains("colours"));
}

#[test]
fn edits_that_make_no_sense_are_refused() {
    let mut refusals = 0;
    for (name, mut buffer) in nets() {
        let Some(drawing) = drawings(&buffer).into_iter().next() else { panic!("{name} is not drawn") };
        let label = |of: Item, kind: &str, text: &str| Operation::Label {
            template: 0,
            of,
            kind: kind.to_owned(),
            text: text.to_owned(),
            at: None,
        };
        let twice = drawing.places.get(1).map_or("", |p| p.name.as_str()).to_owned();
        let rename = |name: &str| Operation::RenameNode { template: 0, node: Node::Place(0), name: name.to_owned() };
        for wrong in [
            label(Item::Place(0), "marking", "many"),
            label(Item::Place(0), "marking", "99999999999999999999"),
            label(Item::Place(0), "guard", "x > 1"),
            label(Item::Transition(0), "interval", "[3,1]"),
            label(Item::Transition(0), "interval", "\"><x"),
            label(Item::Edge(0), "weight", "0"),
            label(Item::Edge(0), "weight", "<&"),
            label(Item::Edge(0), "kind", "odd"),
            label(Item::Edge(9999), "weight", "2"),
            rename(" x"),
            rename(""),
            rename("a\nb"),
            rename(&twice),
            Operation::AddEdge { template: 0, source: Node::Place(0), target: Node::Place(0), nails: Vec::new() },
            Operation::AddEdge {
                template: 0,
                source: Node::Place(0),
                target: Node::Transition(999),
                nails: Vec::new(),
            },
            Operation::AddPlace { template: 7, at: (0, 0), name: String::new() },
            Operation::AddLocation { template: 0, at: (0, 0), name: String::new() },
            Operation::Delete { template: 0, items: vec![Item::Place(99)] },
        ] {
            let before = buffer.text.clone();
            let refused = buffer.edit(&wrong);
            assert!(refused.is_err(), "{name}: {wrong:?}\n{}", buffer.text);
            assert_eq!(buffer.text, before);
            refusals += 1;
        }
    }
    assert!(refusals > 100);
}

/// Names with markup and signs of the formats are names, and nothing else.
#[test]
fn names_of_nets_can_not_break_out() {
    for (name, mut buffer) in nets() {
        let is_tapaal = buffer.text.contains("initialMarking=\"") && !buffer.text.contains("<TPN");
        for odd in ["<b>", "a\"b", "x}y{", "tr", "p -> q", "&amp;", "#no", "\u{1F600} é", "a'b\\"] {
            let rename = Operation::RenameNode { template: 0, node: Node::Place(0), name: odd.to_owned() };
            match buffer.edit(&rename) {
                Ok(_) => {
                    assert_eq!(drawings(&buffer)[0].places[0].name, odd, "{name}");
                    let _ = model(&buffer);
                    buffer.undo();
                }
                Err(e) => assert!(is_tapaal || name.contains("bare"), "{name}: {odd}: {e}"),
            }
        }
    }
}

/// The automatic layout places everything, where the format has positions.
#[test]
fn layouts_place_all_nodes_of_a_net() {
    for (name, mut buffer) in nets() {
        let old = buffer.text.clone();
        let layout = Operation::Layout { template: 0 };
        if buffer.format == Format::Net {
            assert!(buffer.edit(&layout).is_err(), "{name}");
            continue;
        }
        buffer.edit(&layout).unwrap_or_else(|e| panic!("{name}: {e}"));
        let drawing = drawings(&buffer).remove(0);
        let mut seen: Vec<_> =
            drawing.places.iter().map(|p| p.at).chain(drawing.transitions.iter().map(|t| t.at)).collect();
        assert!(drawing.is_placed, "{name}");
        seen.sort_unstable();
        let all = seen.len();
        seen.dedup();
        assert_eq!(seen.len(), all, "{name}: nodes coincide");
        assert!(buffer.undo() && buffer.text == old);
    }
}
