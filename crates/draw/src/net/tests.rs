use syntax::{Format, Signal, Sources};

use super::*;

fn net(text: &str) -> Net {
    let mut sources = Sources::new();
    let file = sources.add_file("n.net", text.to_owned());
    let (tree, problems) = syntax::read_model(&mut sources, file, Format::Net);
    assert!(problems.is_empty(), "{problems:?}");
    (*tree.net.unwrap()).clone()
}

fn example() -> Net {
    net("pl a (1)\npl {b<c} (12)\npl d\ntr t : go [1,2] a*2 d?1 -> {b<c}\ntr u [0,w[ {b<c} d?-3 -> a\n")
}

#[test]
fn dot_has_every_node_and_arc() {
    let dot = net_dot(&example(), Signal::default());
    assert!(dot.contains("p0 [shape=circle") && dot.contains("t1 [shape=box"), "{dot}");
    assert!(dot.contains("p0 -> t0 [label=\"2\"];"), "{dot}");
    assert!(dot.contains("p2 -> t0 [style=dashed];"), "{dot}");
    assert!(dot.contains("p2 -> t1 [label=\"3\", arrowhead=odot];"), "{dot}");
    assert!(dot.contains("t\\n: go\\n[1,2]"), "{dot}");
    assert_eq!(dot.matches(" -> ").count(), 6, "{dot}");
}

#[test]
fn svg_has_circles_bars_and_tokens() {
    let svg = net_svg(&example(), Signal::default());
    // Three places, one drawn token, and the end of an inhibitor arc.
    assert_eq!(svg.matches("<circle").count(), 3 + 1 + 1, "{svg}");
    assert_eq!(svg.matches("<rect x=").count(), 2, "{svg}");
    assert!(svg.contains(">12</text>") && svg.contains("b&lt;c") && svg.contains("[1,2]"), "{svg}");
    assert!(!svg.contains("NaN"), "{svg}");
}

#[test]
fn coordinates_of_the_file_are_kept() {
    let mut net = net("pl a\npl b\ntr t a -> b\n");
    net.places[0].at = Some((0, 0));
    net.places[1].at = Some((200, 0));
    net.transitions[0].at = Some((100, 0));
    let svg = net_svg(&net, Signal::default());
    let heights: Vec<&str> = svg.split("cy=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(heights.len(), 2, "{svg}");
    assert_eq!(heights[0], heights[1], "{svg}");
}

#[test]
fn unconnected_components_are_drawn() {
    let svg = net_svg(&net("pl a (1)\npl b\ntr t a -> a\ntr u b -> b\npl c (5)\n"), Signal::default());
    assert_eq!(svg.matches("<rect x=").count(), 2, "{svg}");
    assert!(net_svg(&net("net nothing\n"), Signal::default()).contains("</svg>"));
}

#[test]
fn ages_transport_arcs_and_urgency_are_drawn() {
    let text = r#"<pnml><net id="n"><place id="p" name="p" initialMarking="1" invariant="&lt;= 5"/>
<place id="q" name="q" initialMarking="0"/><transition id="t" name="t"/><transition id="u" name="u" urgent="true"/>
<transportArc source="p" transition="t" target="q" inscription="[1,3]"/>
<inputArc source="q" target="u" inscription="[0,inf)" weight="2"/><outputArc source="u" target="p" inscription="1"/>
<inputArc source="q" target="t" inscription="(2,inf)"/></net></pnml>"#;
    let mut sources = Sources::new();
    let file = sources.add_file("n.tapn", text.to_owned());
    let (tree, problems) = syntax::read_model(&mut sources, file, Format::NetXml);
    assert!(problems.is_empty(), "{problems:?}");
    let net = tree.net.unwrap();
    let dot = net_dot(&net, Signal::default());
    assert!(dot.contains("p0 -> t0 [label=\"[1,3]\", style=bold"), "{dot}");
    assert!(dot.contains("t0 -> p1 [style=bold"), "{dot}");
    assert!(dot.contains("p1 -> t0 [label=\"]2,w[\"];"), "{dot}");
    assert!(dot.contains("p1 -> t1 [label=\"2\"];"), "{dot}");
    assert!(dot.contains("age \u{2264} 5") && dot.contains("u\\nurgent"), "{dot}");
    assert_eq!(dot.matches(" -> ").count(), 5, "{dot}");
    let svg = net_svg(&net, Signal::default());
    assert!(svg.contains("stroke-width=\"2.6\"") && svg.contains("[1,3]") && !svg.contains("NaN"), "{svg}");
}
