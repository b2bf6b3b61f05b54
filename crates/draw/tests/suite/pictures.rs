//! DOT and SVG of small models.

use syntax::{Format, Sources, Tree};

const LAMP: &str = r##"<nta><declaration>clock x; chan press, done; int n;</declaration>
<template><name>Lamp</name><parameter>const int id, int &amp;count</parameter>
<location id="id0" x="0" y="0" color="#ffcc00"><name x="-10" y="-34">off</name></location>
<location id="id1" x="200" y="0"><name x="190" y="-34">low</name>
  <label kind="invariant" x="190" y="17">x &lt;= 10</label><label kind="comments">never &lt;b&gt; long</label></location>
<location id="id2" x="200" y="150"><urgent/></location>
<location id="id3" x="0" y="150"><name x="-10" y="170">wait</name><committed/></location>
<branchpoint id="id4" x="100" y="150"/>
<init ref="id0"/>
<transition><source ref="id0"/><target ref="id1"/>
  <label kind="select" x="60" y="-70">i : int[0,3]</label>
  <label kind="guard" x="60" y="-53">(n &lt; 5) &amp;&amp; (n != i)</label>
  <label kind="synchronisation" x="60" y="-36">press?</label>
  <label kind="assignment" x="60" y="-19">x = 0, n = i</label></transition>
<transition><source ref="id1"/><target ref="id0"/><label kind="synchronisation">done!</label></transition>
<transition controllable="false"><source ref="id1"/><target ref="id2"/><nail x="260" y="40"/><nail x="260" y="110"/></transition>
<transition><source ref="id2"/><target ref="id4"/></transition>
<transition><source ref="id4"/><target ref="id3"/><label kind="probability" x="40" y="130">7</label></transition>
<transition><source ref="id3"/><target ref="id3"/><label kind="assignment">n++</label></transition>
</template>
<template><name>Other</name><location id="id9"/><init ref="id9"/></template>
<system>L = Lamp(1, n); system L;</system></nta>"##;

fn read(name: &str, text: &str) -> (Sources, Tree) {
    let mut sources = Sources::new();
    let file = sources.add_file(name, text.to_owned());
    let (tree, _) = syntax::read_model(&mut sources, file, Format::guess(name, text));
    (sources, tree)
}

fn named(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn dot_is_complete() {
    let (sources, tree) = read("lamp.xml", LAMP);
    let dot = draw::dot(&tree, &sources, &[]).unwrap();
    assert_has(
        &dot,
        &[
            "digraph model {",
            "subgraph cluster_0 {\n    label=\"Lamp(const int id, int &count)\";\n    t0_l0 [label=\"off\", peripheries=2",
            "fillcolor=\"#ffcc00\"",
            "t0_l1 [label=\"low\\nx <= 10\"];",
            "t0_l2 [label=\"U\", tooltip=\"_id2\"];",
            "t0_l3 [label=\"C\\nwait\"];",
            "t0_b0 [shape=point",
            "t0_l0 -> t0_l1 [label=\" i : int[0,3] \\l (n < 5) && (n != i) \\l press? \\l x = 0, n = i \\l\"];",
            "t0_l1 -> t0_l2 [style=dashed];",
            "t0_l2 -> t0_b0;",
            "t0_b0 -> t0_l3 [label=\" 7 \\l\"];",
            "subgraph cluster_1 {",
        ],
    );
}

#[test]
fn events_and_programs_are_drawn() {
    let text = "system:s\nevent:go\nclock:1:x\nint:1:0:9:0:i\nprocess:P\nlocation:P:l{initial: : invariant: x < 3}\n\
                edge:P:l:l:go{provided: x > 1 : do: while i < 3 do i = i + 1 end; x = 0}\nedge:P:l:l:go{do: x=0; i=1}\n";
    let (sources, tree) = read("m.tck", text);
    let dot = draw::dot(&tree, &sources, &[]).unwrap();
    assert_has(&dot, &["x > 1 \\l go \\l while i < 3 do i = i + 1 end; x = 0 \\l", " go \\l x=0; i=1 \\l"]);
}

#[test]
fn svg_is_complete() {
    let (sources, tree) = read("lamp.xml", LAMP);
    let svg = draw::svg(&tree, &sources, &named("Lamp")).unwrap();
    assert_has(
        &svg,
        &[
            ">Lamp</text>",
            "(const int id, int &amp;count)",
            "<title>off (initial)</title>",
            "<title>low\ninvariant: x &lt;= 10\ncomments: never &lt;b&gt; long</title>",
            "<title>_id2 (urgent)</title>",
            "fill=\"#202124\">U</text>",
            "fill=\"#202124\">C</text>",
            "<title>off \u{2192} low\nselect: i : int[0,3]\nguard: (n &lt; 5) &amp;&amp; (n != i)\nsync: press?\nupdate: x = 0, n = i</title>",
            "stroke-dasharray",
            "fill=\"#ffcc00\"",
            ">n++</tspan>",
        ],
    );
    assert!(!svg.contains(">_id2</tspan>"), "a generated name is shown");
    assert!(!svg.contains("Other"));
    // Five kinds of labels have five colours besides that of names.
    let colors: std::collections::BTreeSet<&str> = svg.split("<text fill=\"").skip(1).map(|rest| &rest[..7]).collect();
    assert_eq!(colors.len(), 1 + 1 + 6, "{colors:?}");
}

/// Returns the centres of circles with this radius.
fn circles(svg: &str, r: &str) -> Vec<(f64, f64)> {
    let number = |rest: &str, key: &str| -> f64 {
        rest.split_once(&format!("{key}=\"")).unwrap().1.split('"').next().unwrap().parse().unwrap()
    };
    svg.split("<circle ")
        .skip(1)
        .filter(|rest| rest.split("/>").next().unwrap().contains(&format!(" r=\"{r}\"")))
        .map(|rest| (number(rest, "cx"), number(rest, "cy")))
        .collect()
}

#[test]
fn coordinates_of_the_model_are_kept() {
    let (sources, tree) = read("lamp.xml", LAMP);
    let svg = draw::svg(&tree, &sources, &named("Lamp")).unwrap();
    let locations = circles(&svg, "12");
    let (x, y) = locations[0];
    assert_eq!(locations, [(x, y), (x + 200.0, y), (x + 200.0, y + 150.0), (x, y + 150.0)]);
    assert_eq!(circles(&svg, "9"), [(x, y)], "the initial location has a second circle");
    assert_eq!(circles(&svg, "4"), [(x + 100.0, y + 150.0)]);
    // The label of the branch has its place; those of the first edge move up together, since its
    // line is bent through the last of them.
    assert_has(&svg, &[&format!("<tspan x=\"{}\" y=\"{}\">press?", x + 60.0, y - 36.0 + 11.5 - 13.0)]);
    assert_has(&svg, &[&format!("<tspan x=\"{}\" y=\"{}\">7", x + 40.0, y + 130.0 + 11.5)]);
    // The nails are the corners of the line.
    assert_has(&svg, &[&format!("Q{} {} ", x + 260.0, y + 40.0), &format!("Q{} {} ", x + 260.0, y + 110.0)]);
}

#[test]
fn parallel_edges_and_loops_without_nails_are_visible() {
    let (sources, tree) = read("lamp.xml", LAMP);
    let svg = draw::svg(&tree, &sources, &named("Lamp")).unwrap();
    let line = |title: &str| {
        let group = svg.split("<title>").find(|g| g.starts_with(title)).unwrap();
        group.split("<path d=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    // Both edges were straight between the same circles and are now curved. The loop had no nails
    // and got two.
    let (there, back) = (line("off \u{2192} low"), line("low \u{2192} off"));
    let corner = |d: &str| d.split('Q').nth(1).unwrap().split('L').next().unwrap().to_owned();
    assert_ne!(corner(&there), corner(&back));
    assert_eq!(line("wait \u{2192} wait").matches('Q').count(), 2);
}

#[test]
fn unknown_templates_are_reported_with_the_nearest_name() {
    let (sources, tree) = read("lamp.xml", LAMP);
    let error = draw::svg(&tree, &sources, &named("lamp")).unwrap_err();
    assert_eq!(error.nearest.as_deref(), Some("Lamp"));
    assert_eq!(error.to_string(), "the model has no template `lamp`; did you mean `Lamp`?");
    let error = draw::dot(&tree, &sources, &named("Elevator")).unwrap_err();
    assert_eq!(error.to_string(), "the model has no template `Elevator`");
}

#[test]
fn models_without_coordinates_get_them() {
    let text = "clock x; process P(int a) { state a { x <= 3 }, b, c; branchpoint p; init a; \
                trans a -> b { guard x >= 2; assign x = 0; }, b -> p { }, p -> a { probability 1; }, p -> c { probability 2; }, \
                c -> c { }; } process Q { state s; init s; } system P;";
    let (sources, mut tree) = read("p.xta", text);
    draw::layout(&mut tree, &sources);
    let first = tree.templates.clone();
    let p = &first[0];
    let mut places: Vec<_> = p.locations.iter().map(|l| l.layout.at.unwrap()).collect();
    places.push(p.branchpoints[0].layout.at.unwrap());
    assert!(places.iter().enumerate().all(|(i, a)| !places[..i].contains(a)), "{places:?}");
    assert!(places.iter().all(|at| at.1 >= places[0].1), "the initial location is on top");
    let kinds = |i: usize| p.edges[i].layout.labels.iter().map(|l| l.kind.as_str()).collect::<Vec<_>>();
    assert_eq!(kinds(0), ["guard", "assignment"]);
    assert_eq!(kinds(2), ["probability"]);
    assert_eq!(p.locations[0].layout.labels.iter().map(|l| l.kind.as_str()).collect::<Vec<_>>(), ["name", "invariant"]);
    assert!(p.edges[4].layout.nails.len() >= 2, "a loop needs nails");
    assert!(first[1].locations[0].layout.at.is_some());

    // Given coordinates are kept.
    draw::layout(&mut tree, &sources);
    for (a, b) in first.iter().zip(&tree.templates) {
        assert!(a.locations.iter().zip(&b.locations).all(|(a, b)| a.layout == b.layout));
        assert!(a.edges.iter().zip(&b.edges).all(|(a, b)| a.layout == b.layout));
    }
}

#[test]
fn given_coordinates_survive_layout_and_gaps_are_filled() {
    let text = LAMP.replace("<location id=\"id2\" x=\"200\" y=\"150\">", "<location id=\"id2\">");
    let (sources, mut tree) = read("lamp.xml", &text);
    let before = tree.templates[0].clone();
    draw::layout(&mut tree, &sources);
    let after = &tree.templates[0];
    for (i, (a, b)) in before.locations.iter().zip(&after.locations).enumerate() {
        assert_eq!(a.layout == b.layout, i != 2);
    }
    assert!(after.locations[2].layout.at.is_some());
    assert!(before.edges.iter().zip(&after.edges).all(|(a, b)| a.layout == b.layout));
}

#[test]
fn locations_on_top_of_each_other_are_spread() {
    let text = "<nta><template><name>P</name><location id=\"a\" x=\"5\" y=\"5\"/><location id=\"b\" x=\"5\" y=\"5\"/>\
                <init ref=\"a\"/></template><system>system P;</system></nta>";
    let (sources, mut tree) = read("p.xml", text);
    draw::layout(&mut tree, &sources);
    let at = |i: usize| tree.templates[0].locations[i].layout.at;
    assert_ne!(at(0), at(1));
}

#[test]
fn hostile_text_is_escaped() {
    let text = "process P() { state a, b; init a; \
                trans a -> b { guard s == \"<&>]]>\u{1}\u{7f}\\N\" && (t < u); sync c; }; } system P;";
    let (sources, tree) = read("p.xta", text);
    assert_eq!(tree.templates[0].edges.len(), 1);
    let svg = draw::svg(&tree, &sources, &[]).unwrap();
    assert_has(&svg, &["&lt;&amp;&gt;]]&gt;\u{FFFD}\u{FFFD}\\N"]);
    let dot = draw::dot(&tree, &sources, &[]).unwrap();
    assert_has(&dot, &["\\\"<&>]]>\u{FFFD}\u{FFFD}\\\\N\\\""]);
    for text in [svg, dot] {
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    }

    // An invalid colour is ignored.
    let text = LAMP.replace("#ffcc00", "red&quot; onload=&quot;x");
    let (sources, tree) = read("lamp.xml", &text);
    assert!(!draw::svg(&tree, &sources, &[]).unwrap().contains("onload"));
    assert!(!draw::dot(&tree, &sources, &[]).unwrap().contains("onload"));
}

#[test]
fn broken_and_empty_models_are_drawn_as_far_as_possible() {
    for text in [
        "",
        "system",
        "process P() { } system P;",
        "process P() { state ; init a; } system P;",
        "process P() { state a; init zz; trans a -> zz { }, a -> a { guard ; }; } system P;",
        "process P() { state a; branchpoint b; init a; trans a -> b { }, b -> b { }, b -> b { }, b -> b { }, b -> b { }, \
         b -> b { }, b -> b { }, b -> b { }, b -> b { }; } system P;",
        "process P() { state a { }; commit a; urgent a; init a; } system P;",
    ] {
        let (sources, mut tree) = read("p.xta", text);
        draw::layout(&mut tree, &sources);
        assert!(draw::svg(&tree, &sources, &[]).unwrap().ends_with("</svg>\n"));
        assert!(draw::dot(&tree, &sources, &[]).unwrap().ends_with("}\n"));
    }
}
