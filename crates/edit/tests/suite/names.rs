//! Names that are changed with their uses.

use edit::Operation;
use syntax::Format;

use crate::buffer::Buffer;

const MODEL: &str = "<nta><declaration>int A;</declaration>\
    <template><name>P</name><location id=\"0\"><name>A</name></location><location id=\"1\"><name>B</name></location><init ref=\"0\"/></template>\
    <template><name>Q</name><parameter>int[0,1] P</parameter><location id=\"0\"><name>A</name></location><init ref=\"0\"/></template>\
    <system>P1 = P(); P2 = P1(); R = Q(0);\nsystem P1, P2, P, Q, R;\nprogress { P.A; R.A; }</system>\
    <queries><query><formula>E&lt;&gt; P.A &amp;&amp; P1.A and P2.A or Q(1).A || R.A &lt; A</formula><comment>P.A</comment></query>\
    <query><formula>P1.A --&gt; forall (i : int[0,1]) Q(i).A</formula></query></queries></nta>";

fn edited(operation: &Operation) -> String {
    let mut buffer = Buffer::new(MODEL, Format::Xml);
    buffer.edit(operation).unwrap_or_else(|e| panic!("{operation:?}: {e}"));
    buffer.text
}

#[test]
fn uses_of_a_location_are_those_of_its_template() {
    let rename =
        |template, name: &str| edited(&Operation::RenameLocation { template, location: 0, name: name.to_owned() });
    let expected = MODEL
        .replacen("<name>A<", "<name>Z<", 1)
        .replace("{ P.A;", "{ P.Z;")
        .replace("E&lt;&gt; P.A &amp;&amp; P1.A and P2.A", "E&lt;&gt; P.Z &amp;&amp; P1.Z and P2.Z")
        .replace("P1.A --", "P1.Z --");
    assert_eq!(rename(0, "Z"), expected);
    let q = MODEL.replace(
        "<name>Q</name><parameter>int[0,1] P</parameter><location id=\"0\"><name>A",
        "<name>Q</name><parameter>int[0,1] P</parameter><location id=\"0\"><name>Long_name",
    );
    let q = q
        .replace("R.A;", "R.Long_name;")
        .replace("Q(1).A || R.A", "Q(1).Long_name || R.Long_name")
        .replace("Q(i).A", "Q(i).Long_name");
    assert_eq!(rename(1, "Long_name"), q);
}

#[test]
fn uses_of_a_template_are_renamed() {
    let text = edited(&Operation::RenameTemplate { template: 0, name: "New".to_owned() });
    let expected = MODEL
        .replace("<name>P<", "<name>New<")
        .replace("= P()", "= New()")
        .replace("P2, P, Q", "P2, New, Q")
        .replace("{ P.A;", "{ New.A;")
        .replace("E&lt;&gt; P.A", "E&lt;&gt; New.A");
    assert_eq!(text, expected, "parameters and comments of this name stay");
}

#[test]
fn names_that_are_not_safe_are_refused() {
    let mut buffer = Buffer::new(MODEL, Format::Xml);
    for name in ["B", "int", "1x", "a b", "<"] {
        let operation = Operation::RenameLocation { template: 0, location: 0, name: name.to_owned() };
        assert!(buffer.edit(&operation).is_err(), "{name}");
    }
    // A query needs the name.
    assert!(buffer.edit(&Operation::RenameLocation { template: 0, location: 0, name: String::new() }).is_err());
    for name in ["Q", "R", "A", "system"] {
        assert!(buffer.edit(&Operation::RenameTemplate { template: 0, name: name.to_owned() }).is_err(), "{name}");
    }
    let gantt = MODEL.replace("progress { P.A; R.A; }", "gantt { G: P.A -> 1; }");
    let mut buffer = Buffer::new(&gantt, Format::Xml);
    assert!(buffer.edit(&Operation::RenameLocation { template: 0, location: 0, name: "Z".to_owned() }).is_err());
}
