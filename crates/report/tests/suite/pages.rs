//! Reports are well-formed, complete, and need nothing else.

use draw::{
    DrawnTrace, TraceEdge, TraceEnding, TraceEvent, TraceProcess, TraceState, TraceStay, TraceStep, TraceTime,
    TraceValue,
};
use report::{Report, ReportedDrawing, ReportedQuery, ReportedTrace, ReportedVerdict};

use quick_xml::{Reader, events::Event};

/// A small report in which every name is `name`.
pub fn sample(name: &str) -> Report {
    let time = |n: i32| TraceTime { at: f64::from(n), text: format!("{n}{name}") };
    let state = |location, n: i32| TraceState {
        locations: vec![location],
        tokens: Vec::new(),
        values: vec![TraceValue::Number(n.into()), TraceValue::Element(format!("{name}{n}"))],
        stay: Some(TraceStay { from: time(n), delay: time(1), clocks: vec![Some((time(n), time(n + 1))), None] }),
    };
    let step = |event| TraceStep { event, edges: vec![TraceEdge { process: 0, edge: 0, branch: Some(1) }] };
    let trace = DrawnTrace {
        title: name.to_owned(),
        processes: vec![TraceProcess { name: name.to_owned(), template: 0, locations: vec![name.to_owned(); 2] }],
        variables: vec![name.to_owned(); 2],
        clocks: vec![name.to_owned(); 2],
        states: vec![state(0, 0), state(1, 1), state(0, 2), state(1, 3)],
        steps: vec![
            step(TraceEvent::Internal),
            step(TraceEvent::Send { channel: name.to_owned() }),
            step(TraceEvent::Together { names: name.to_owned() }),
        ],
        ending: Some(TraceEnding::Cycle(1)),
        ..DrawnTrace::default()
    };
    let net = DrawnTrace {
        places: vec![name.to_owned(); 2],
        states: vec![
            TraceState { tokens: vec![1, 0], ..TraceState::default() },
            TraceState { tokens: vec![0, 2], ..TraceState::default() },
        ],
        steps: vec![TraceStep {
            event: TraceEvent::Fires { transition: name.to_owned(), number: 0, places: vec![0, 1] },
            edges: Vec::new(),
        }],
        ..DrawnTrace::default()
    };
    let text =
        format!("clock x; process P() {{ state a; init a; trans a -> a {{ guard s == \"{}\"; }}; }} system P;", "x");
    let mut sources = syntax::Sources::new();
    let file = sources.add_file("p.xta", text);
    let (tree, _) = syntax::read_model(&mut sources, file, syntax::Format::Xta);
    let svg = draw::svg(&tree, &sources, &[]).unwrap();
    let verdicts =
        [ReportedVerdict::Satisfied, ReportedVerdict::NotSatisfied, ReportedVerdict::Unknown, ReportedVerdict::Refused];
    let query = |(i, verdict): (usize, ReportedVerdict)| ReportedQuery {
        text: name.to_owned(),
        name: (i % 2 == 0).then(|| name.to_owned()),
        comment: format!("{name} {i}"),
        verdict,
        reason: Some(name.to_owned()),
        facts: vec![name.to_owned(); 2],
        diagnostics: name.to_owned(),
        charts: Vec::new(),
        trace: [Some(&trace), Some(&net), None, None][i]
            .map(|trace| ReportedTrace { heading: name.to_owned(), trace: trace.clone() }),
    };
    Report {
        model: name.to_owned(),
        generator: name.to_owned(),
        notes: vec![name.to_owned()],
        drawings: vec![ReportedDrawing { name: name.to_owned(), template: Some(0), svg }],
        queries: verdicts.into_iter().enumerate().map(query).collect(),
    }
}

/// An element with its attributes.
pub type Element = (String, Vec<(String, String)>);

/// Returns the elements of a page and its text. Scripts and style sheets are left out, since they
/// are not XML.
pub fn elements(html: &str) -> (Vec<Element>, String) {
    let mut page = String::new();
    let mut rest = html.strip_prefix("<!doctype html>").expect("a document type");
    while let Some(start) = ["<script", "<style"].into_iter().filter_map(|name| rest.find(name)).min() {
        let (before, from) = rest.split_at(start);
        let open = from.find('>').expect("the end of a start tag") + 1;
        let name = if from.starts_with("<script") { "</script>" } else { "</style>" };
        let close = from.find(name).expect("an end tag");
        page.push_str(before);
        page.push_str(&from[..open]);
        rest = &from[close..];
        // The end tag itself is part of the page.
        page.push_str(name);
        rest = &rest[name.len()..];
    }
    page.push_str(rest);
    let mut reader = Reader::from_str(&page);
    let (mut found, mut text, mut depth) = (Vec::new(), String::new(), 0);
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Eof => break,
            Event::Text(t) => text.push_str(&t),
            Event::GeneralRef(e) => text.push_str(&format!("&{};", e.xml10_content())),
            Event::End(_) => depth -= 1,
            event => {
                depth += i32::from(matches!(event, Event::Start(_)));
                let (Event::Start(e) | Event::Empty(e)) = event else { panic!("{event:?}") };
                let attributes = e.attributes().map(|a| a.expect("an attribute"));
                let attributes = attributes.map(|a| (a.key.as_ref().to_owned(), a.value.to_string())).collect();
                found.push((e.name().as_ref().to_owned(), attributes));
            }
        }
    }
    assert_eq!(depth, 0, "all elements are closed");
    (found, text)
}

#[test]
fn a_report_has_everything() {
    let html = sample("name").html();
    let (elements, text) = elements(&html);
    let count = |name: &str| elements.iter().filter(|(n, _)| n == name).count();
    assert_eq!((count("section"), count("figure"), count("svg")), (1 + 4, 1 + 4, 1 + 4));
    assert_eq!((count("script"), count("style")), (2 + 1, 1));
    assert_eq!(count("h1") + count("h2") + count("h3"), 1 + 1 + 4 + 2);
    for word in ["satisfied", "not satisfied", "unknown", "refused", "Sequence chart", "All steps as a table"] {
        assert!(text.contains(word), "{word}");
    }
    // Every reference has its target, and every name its text.
    let value = |key: &str| -> Vec<String> {
        let all = elements.iter().flat_map(|(_, attributes)| attributes);
        all.filter(|(k, _)| k == key).map(|(_, value)| value.clone()).collect()
    };
    let ids = value("id");
    let unique: std::collections::BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    for reference in value("aria-labelledby").into_iter().chain(value("href").iter().map(|h| h[1..].to_owned())) {
        assert!(ids.contains(&reference), "{reference}");
    }
    for (_, attributes) in elements.iter().filter(|(name, _)| name == "svg") {
        assert!(attributes.iter().any(|(key, value)| key == "aria-label" && !value.is_empty()));
    }
    assert_eq!(html, sample("name").html(), "the same report is the same text");
}

#[test]
fn a_report_loads_nothing() {
    let html = sample("name").html();
    let (elements, _) = elements(&html);
    for (name, attributes) in &elements {
        assert!(!["link", "img", "iframe", "object", "embed", "base", "form"].contains(&name.as_str()), "{name}");
        let loads = |(key, value): &(String, String)| {
            ["src", "xlink:href", "style"].contains(&key.as_str()) || key == "href" && !value.starts_with('#')
        };
        assert!(!attributes.iter().any(loads), "{name} {attributes:?}");
    }
    let without = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!without.contains("http:") && !without.contains("https:") && !without.contains("@import"));
    assert!(!html.contains("\nimport "), "a module within a page can't import another");
    assert!(html.contains("export class Player"), "the player is within the page");
}

#[test]
fn the_data_of_a_trace_is_complete() {
    let html = sample("n").html();
    let start = html.split("<script type=\"application/json\">").nth(1).unwrap();
    let data: serde_json::Value = serde_json::from_str(start.split("</script>").next().unwrap()).unwrap();
    assert_eq!(data["states"].as_array().unwrap().len(), 4);
    assert_eq!(data["cycle"], 1);
    assert_eq!(data["states"][1]["edges"], serde_json::json!([[0, [0, 1]]]));
    assert_eq!(data["states"][2]["clocks"], serde_json::json!([["2n", "3n"], null]));
    assert_eq!(data["states"][0]["what"], "start");
}
