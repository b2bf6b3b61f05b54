//! Labels and files that are made to break an editor.

use edit::{Item, Node, Operation};
use syntax::Format;

use crate::{
    buffer::Buffer,
    shape::Shape,
    steps::{Dice, KINDS, step},
};

const MODEL: &str = "<?xml version=\"1.0\"?>\n<!DOCTYPE nta>\n<nta>\n\t<declaration>clock <![CDATA[x]]>;</declaration>\n\
    \t<!-- one -->\n\t<template>\n\t\t<name>P</name>\n\t\t<location id=\"id0\" x='0' y='0' color = \"#ff0000\">\n\
    \t\t\t<label kind=\"invariant\">x &lt;= <![CDATA[3 && x < 4]]></label>\n\t\t</location>\n\
    \t\t<location id='id1' other=\"kept\"/><init ref=\"id0\"/>\n\
    \t\t<transition><source ref=\"id0\"/><target ref=\"id1\"/><label kind=\"guard\"/></transition>\n\
    \t</template>\n\t<system>system P;</system>\n</nta>\n<!-- two -->";

fn label(of: Item, kind: &str, text: &str) -> Operation {
    Operation::Label { template: 0, of, kind: kind.to_owned(), text: text.to_owned(), at: None }
}

/// Returns the text of a label as it is drawn.
fn drawn(buffer: &Buffer, of: Item, kind: &str) -> Option<String> {
    let mut sources = syntax::Sources::new();
    let file = sources.add_file("m", buffer.text.clone());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, buffer.format);
    let drawings = edit::drawings(&buffer.text, buffer.format, &tree, &sources, &diagnostics);
    let labels = match of {
        Item::Location(i) => &drawings[0].locations[i].labels,
        Item::Edge(i) => &drawings[0].edges[i].labels,
        Item::Branchpoint(_) | Item::Place(_) | Item::Transition(_) => return None,
    };
    labels.iter().find(|l| l.kind == kind).map(|l| l.text.clone())
}

#[test]
fn labels_hold_any_text() {
    let large = "x".repeat(1 << 20);
    let texts = [
        "]]>",
        "]]]]>>",
        "&",
        "&amp;",
        "&#0;",
        "<",
        "</label><label kind=\"guard\">",
        "<!-- -->",
        "\u{1F600}é\u{200F}",
        "a\nb\tc",
        "\"'",
        "x <= 3 && x < 4",
        "x &lt;= 3",
        "x <= 3]]> && x < 4",
        large.as_str(),
    ];
    for (of, kind) in [
        (Item::Location(0), "invariant"),
        (Item::Location(1), "invariant"),
        (Item::Edge(0), "guard"),
        (Item::Edge(0), "comments"),
    ] {
        let mut buffer = Buffer::new(MODEL, Format::Xml);
        for text in texts {
            buffer.edit(&label(of, kind, text)).unwrap();
            assert!(drawn(&buffer, of, kind).as_deref() == Some(text), "{kind}: {text:.60}\n{:.900}", buffer.text);
        }
        buffer.edit(&label(of, kind, " \n")).unwrap();
        assert_eq!(drawn(&buffer, of, kind), None);
        while buffer.undo() {}
        assert_eq!(buffer.text, MODEL);
    }
}

#[test]
fn sections_and_attributes_stay() {
    let mut buffer = Buffer::new(MODEL, Format::Xml);
    buffer.edit(&label(Item::Location(0), "invariant", "x <= 3 && x > 4")).unwrap();
    assert!(buffer.text.contains("x &lt;= <![CDATA[3 && x > 4]]></label>"), "{}", buffer.text);
    buffer.edit(&Operation::Color { template: 0, items: vec![Item::Location(0)], color: String::new() }).unwrap();
    assert!(buffer.text.contains("<location id=\"id0\" x='0' y='0'>"), "{}", buffer.text);
    buffer.edit(&Operation::Urgent { template: 0, location: 1, on: true }).unwrap();
    assert!(
        buffer.text.contains("<location id='id1' other=\"kept\">\n\t\t\t<urgent/>\n\t\t</location><init"),
        "{}",
        buffer.text
    );
    buffer.edit(&Operation::Committed { template: 0, location: 0, on: true }).unwrap();
    assert!(buffer.text.contains("</label>\n\t\t\t<committed/>\n\t\t</location>"), "{}", buffer.text);
    let nails = Operation::Nails { template: 0, edge: 0, nails: vec![(1, 2)] };
    buffer.edit(&nails).unwrap();
    assert!(buffer.text.contains("<label kind=\"guard\"/><nail x=\"1\" y=\"2\"/></transition>"), "{}", buffer.text);
}

#[test]
fn characters_that_xml_lacks_are_refused() {
    let mut buffer = Buffer::new(MODEL, Format::Xml);
    for text in ["a\0b", "\u{1}", "\u{1B}[31m", "\u{FFFE}"] {
        let refusal = buffer.edit(&label(Item::Edge(0), "guard", text)).unwrap_err();
        assert!(refusal.message.contains("character"), "{refusal}");
    }
    let nul = Operation::Text { path: "/nta/declaration".to_owned(), text: "\0".to_owned() };
    assert!(buffer.edit(&nul).is_err());
    assert_eq!(buffer.text, MODEL);
}

#[test]
fn old_encodings_are_kept() {
    let file = "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\r\n<nta>\r\n<declaration>// é</declaration>\r\n<template>\r\n\
        <name>P</name>\r\n<location id=\"a\"/>\r\n<init ref=\"a\"/>\r\n</template>\r\n<system>system P;</system>\r\n</nta>";
    let mut buffer = Buffer::new(file, Format::Xml);
    buffer.edit(&label(Item::Location(0), "comments", "\u{20AC}\nü")).unwrap();
    let expected = "<label kind=\"comments\">&#8364;\r\n&#252;</label>";
    assert!(buffer.text.contains(expected) && buffer.text.contains("// é"), "{}", buffer.text);
    assert_eq!(drawn(&buffer, Item::Location(0), "comments").as_deref(), Some("\u{20AC}\nü"));
}

#[test]
fn what_does_not_exist_is_refused() {
    let mut buffer = Buffer::new(MODEL, Format::Xml);
    let wrong = [
        Operation::Initial { template: 7, location: 0 },
        Operation::Initial { template: 0, location: 7 },
        Operation::Delete { template: 0, items: vec![Item::Edge(1)] },
        Operation::AddEdge { template: 0, source: Node::Location(0), target: Node::Branchpoint(0), nails: Vec::new() },
        label(Item::Location(0), "guard", "x"),
        label(Item::Edge(0), "nonsense", "x"),
        Operation::RenameLocation { template: 0, location: 0, name: "1x".to_owned() },
        Operation::RenameTemplate { template: 0, name: "while".to_owned() },
        Operation::AddTemplate { name: "P".to_owned() },
        Operation::DeleteQuery { query: 0 },
        Operation::Color { template: 0, items: vec![Item::Edge(0)], color: "red".to_owned() },
    ];
    for operation in wrong {
        assert!(buffer.edit(&operation).is_err(), "{operation:?}");
        assert_eq!(buffer.text, MODEL);
    }
}

#[test]
fn operations_are_data() {
    let text = "{\"op\":\"label\",\"template\":0,\"of\":{\"edge\":0},\"kind\":\"guard\",\"text\":\"x\"}";
    assert_eq!(serde_json::from_str::<Operation>(text).unwrap(), label(Item::Edge(0), "guard", "x"));
    let text = "{\"op\":\"text\",\"path\":\"/nta/declaration\",\"text\":\"\"}";
    assert!(serde_json::from_str::<Operation>(text).is_ok());
    let text = "{\"op\":\"move\",\"template\":0,\"places\":[{\"item\":{\"nail\":[0,1]},\"at\":[1,-2]},{\"item\":{\"edge-label\":[0,\"guard\"]},\"at\":[0,0]}]}";
    assert!(serde_json::from_str::<Operation>(text).is_ok());
    for wrong in
        ["{}", "{\"op\":\"none\"}", "{\"op\":\"layout\",\"template\":-1}", "{\"op\":\"layout\",\"template\":0,\"x\":1}"]
    {
        assert!(serde_json::from_str::<Operation>(wrong).is_err(), "{wrong}");
    }
}

/// Files with a byte changed or cut off: edits are made or refused, and undone.
#[test]
fn damaged_files_are_harmless() {
    let shape = Shape::of(&Buffer::new(MODEL, Format::Xml));
    let mut dice = Dice(1);
    let (mut made, mut refused) = (0, 0);
    for round in 0..1500 {
        let at = dice.below(MODEL.len());
        let junk = ["<", ">", "\"", "&", "'", "/", "", "]]>", "<!--", "é", "=", "<a>"];
        let junk = junk[dice.below(junk.len())];
        let damaged = match round % 3 {
            0 => MODEL[..at].to_owned(),
            1 => format!("{}{junk}{}", &MODEL[..at], &MODEL[at..]),
            _ => format!("{}{junk}{}", &MODEL[..at], &MODEL[(at + 1 + dice.below(9)).min(MODEL.len())..]),
        };
        let mut buffer = Buffer::new(&damaged, Format::Xml);
        for kind in 0..KINDS {
            let Some((operation, _)) = step(kind, &shape, &mut dice) else { continue };
            match buffer.edit(&operation) {
                Ok(_) => {
                    made += 1;
                    buffer.undo();
                }
                Err(refusal) => {
                    refused += 1;
                    assert!(!refusal.message.is_empty());
                }
            }
            assert!(buffer.text == damaged, "{operation:?}");
        }
    }
    assert!(made > 100 && refused > 100, "{made} made, {refused} refused");
}
