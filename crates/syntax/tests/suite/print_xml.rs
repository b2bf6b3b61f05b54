//! Features of XML: layout, identifiers, escapes, and comments.

use crate::common::{read, round_trip};
use syntax::{Format, ast::QueryKind, print};

#[test]
fn xml_keeps_features_that_xta_lacks() {
    let xml = "<?xml version='1.0'?><nta><declaration>chan c; // a &lt; b
</declaration><template><name x='1' y='2'>P</name><parameter>int i /* one */</parameter><location id='id7' x='-10' y='20'
 color='#ff0000'><label kind='invariant' x='3' y='4'>x &lt;= 3 // soon</label><label kind='comments'>here
 &amp; now</label><urgent/></location><location id='id3' x='1' y='1'><name x='5' y='6'>for</name><label
 kind='testcodeEnter'>go();</label></location><branchpoint id='id9' x='7' y='8'/><init ref='id7'/><transition
 controllable='false' color='#00ff00'><source ref='id7'/><target ref='id9'/><label kind='guard' x='8' y='9'>// why
 x &gt; 1 &amp;&amp; // big
 y &lt; 2</label><nail x='1' y='2'/><nail x='3' y='4'/></transition><transition><source ref='id9'/><target
 ref='id3'/></transition></template><system>Q = P(1); system Q; // all</system><queries><query><formula>A[]
 x &lt; 1 // ok
 and true</formula><comment>say &quot;no&quot;</comment><option key='--a' value='b&quot;'/><expect outcome='success'
 type='quality' value='1'/><result outcome='failure' type='q' value='2' timestamp='now'><details>far</details></result>
 </query></queries></nta>";
    let model = read(xml, Format::Xml);
    assert_eq!(model.errors(), Vec::<String>::new());
    let printed = print::xta(&model.tree, &model.sources);
    let dropped = ["layout", print::RESERVED_NAMES, "query options", "recorded results", "expected values"];
    assert_eq!(printed.dropped, dropped);
    assert_eq!(
        printed.text,
        "chan c; // a < b

process P(int i /* one */) {
    state
        // here
        //  & now
        _id7 { x <= 3 }, // soon
        // testcodeEnter: go();
        for_;
    branchpoint _id9;
    urgent _id7;
    init _id7;
    trans
        _id7 -u-> _id9 {
            // why
            guard x > 1 && // big
                y < 2;
        },
        _id9 -> for_ { };
}

Q = P(1);

system Q; // all

query {
    // say \"no\"
    A[] x < 1 /* ok */ and true
    // EXPECT: success
}
"
    );
    let again = model.print(Format::Xml);
    assert_eq!(
        again,
        r##"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>
<nta>
	<declaration>chan c; // a &lt; b</declaration>
	<template>
		<name>P</name>
		<parameter>int i /* one */</parameter>
		<location id="id7" x="-10" y="20" color="#ff0000">
			<label kind="invariant" x="3" y="4">x &lt;= 3 // soon</label>
			<label kind="comments">here
 &amp; now</label>
			<urgent/>
		</location>
		<location id="id0" x="1" y="1">
			<name x="5" y="6">for</name>
			<label kind="testcodeEnter">go();</label>
		</location>
		<branchpoint id="id9" x="7" y="8"/>
		<init ref="id7"/>
		<transition controllable="false" color="#00ff00">
			<source ref="id7"/>
			<target ref="id9"/>
			<label kind="guard" x="8" y="9">// why
x &gt; 1 &amp;&amp; // big
    y &lt; 2</label>
			<nail x="1" y="2"/>
			<nail x="3" y="4"/>
		</transition>
		<transition>
			<source ref="id9"/>
			<target ref="id0"/>
		</transition>
	</template>
	<system>Q = P(1);

system Q; // all</system>
	<queries>
		<query>
			<formula>A[]
 x &lt; 1 // ok
 and true</formula>
			<comment>say "no"</comment>
			<option key="--a" value="b&quot;"/>
			<expect outcome="success" type="quality" value="1"/>
			<result outcome="failure" type="q" value="2" timestamp="now">
				<details>far</details>
			</result>
		</query>
	</queries>
</nta>
"##
    );
    let back = read(&again, Format::Xml);
    assert_eq!(back.print(Format::Xml), again);
    let layouts = |m: &crate::common::Model| {
        let template = m.tree.templates[0].clone();
        let locations = template.locations.into_iter().map(|l| l.layout);
        let edges = template.edges.into_iter().map(|e| e.layout);
        locations.chain(edges).chain(template.branchpoints.into_iter().map(|b| b.layout)).collect::<Vec<_>>()
    };
    assert_eq!(layouts(&model), layouts(&back));
    assert_eq!(model.tree.queries[0].options, back.tree.queries[0].options);
    assert_eq!(model.tree.queries[0].results, back.tree.queries[0].results);
    assert_eq!(model.tree.queries[0].expect, back.tree.queries[0].expect);
    assert!(back.tree.templates[0].locations[0].anonymous);
    round_trip(&read(&printed.text, Format::Xta), Format::Xml).unwrap();
}

#[test]
fn ids_stay_unique_and_names_stay() {
    // Both templates have an `id0`, which XML forbids but UPPAAL accepts; `id1` is in use, and one
    // `id` is not a name.
    let xml = "<nta><template><name>P</name><location id='id0'/><location id='id1'/><location id='x y'/><location
 id='id5'><name>_x_y</name></location><init ref='id0'/></template><template><name>Q</name><location id='id0'/><location
 id='id2'><name>b</name></location><init ref='id2'/></template><system>system P, Q;</system></nta>";
    let model = read(xml, Format::Xml);
    let text = model.print(Format::Xml);
    let ids: Vec<&str> = text.split("id=\"").skip(1).filter_map(|s| s.split('"').next()).collect();
    assert_eq!(ids, ["id0", "id1", "x y", "id2", "id3", "id4"]);
    let names = |m: &crate::common::Model| {
        let locations = m.tree.templates.iter().flat_map(|t| &t.locations);
        locations.map(|l| m.tree.text(l.name.sym).to_owned()).collect::<Vec<_>>()
    };
    let back = round_trip(&model, Format::Xml).unwrap();
    assert_eq!(names(&model), names(&back));
    assert!(model.print(Format::Xta).contains("state _id0, _id1, _x_y_, _x_y;"), "{}", model.print(Format::Xta));
}

#[test]
fn a_location_called_deadlock_is_renamed_for_xml() {
    let model = read(
        "process P() { state deadlock; init deadlock; } system P; query { E<> P.deadlock and not deadlock }",
        Format::Xta,
    );
    let text = model.print(Format::Xml);
    assert!(text.contains("<name>deadlock_</name>") && text.contains("P.deadlock_ and not deadlock<"), "{text}");
    assert_eq!(read(&text, Format::Xml).errors(), Vec::<String>::new());
}

#[test]
fn comments_of_xta_become_comment_labels() {
    let text = "// License\n\n// The process\nprocess P() {\n state // home\n a; // sweet\n init a;\n trans a -> a { // on\n \
                /* and\n on */ }; // last\n}\n// tail\nsystem P;";
    let xml = read(text, Format::Xta).print(Format::Xml);
    for part in [
        "<declaration>// License</declaration>",
        "<declaration>// The process</declaration>",
        "<label kind=\"comments\">home\nsweet</label>",
        "<label kind=\"comments\">on\nand\n on\nlast</label>",
        "<system>// tail\nsystem P;</system>",
    ] {
        assert!(xml.contains(part), "{part} is not in {xml}");
    }
}

#[test]
fn empty_queries_survive_in_xml() {
    let xml = "<nta><template><name>P</name><location id='id0'/><init ref='id0'/></template><system>system P;</system>
        <queries><query><formula>// later</formula><comment/></query></queries></nta>";
    let back = round_trip(&read(xml, Format::Xml), Format::Xml).unwrap();
    assert_eq!(back.tree.queries[0].kind, QueryKind::Empty);
    assert_eq!(back.tree.queries[0].comment, "later");
}

#[test]
fn live_sequence_charts_are_dropped_with_their_instances() {
    let xml = "<nta><template><name>P</name><location id='id0'/><init ref='id0'/></template><lsc><name>L</name></lsc>
        <system>C = L(); D = C(); system P, D;</system></nta>";
    let model = read(xml, Format::Xml);
    for printed in [print::xta(&model.tree, &model.sources), print::xml(&model.tree, &model.sources)] {
        assert_eq!(printed.dropped, ["live sequence charts"]);
        assert!(printed.text.contains("system P;") && !printed.text.contains("L()"), "{}", printed.text);
    }
}
