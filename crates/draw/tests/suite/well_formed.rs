//! Pictures of real models, of stand-ins and of extreme ones are well-formed, and nothing lies
//! outside of them.

use std::path::PathBuf;

use quick_xml::{Reader, events::Event};
use syntax::{Format, Sources, Tree};

#[track_caller]
fn models() -> Vec<PathBuf> {
    oracle::corpora("").iter().flat_map(|corpus| corpus.files(&["xml", "xta", "ta"])).collect()
}

fn read(name: &str, text: String) -> (Sources, Tree) {
    let mut sources = Sources::new();
    let format = Format::guess(name, &text);
    let file = sources.add_file(name, text);
    let (tree, _) = syntax::read_model(&mut sources, file, format);
    (sources, tree)
}

/// Parses a picture as XML; all coordinates must lie in its view box.
fn check(svg: &str) -> Result<(), String> {
    let mut reader = Reader::from_str(svg);
    let (mut width, mut height) = (0.0, 0.0);
    let mut depth = 0;
    loop {
        let event = reader.read_event().map_err(|e| e.to_string())?;
        depth += match event {
            Event::Start(_) => 1,
            Event::End(_) => -1,
            _ => 0,
        };
        let element = match event {
            Event::Eof if depth == 0 => return Ok(()),
            Event::Start(e) | Event::Empty(e) => e,
            Event::End(_) => continue,
            Event::Text(t) if t.chars().all(|c| c == '\n' || !c.is_control()) => continue,
            Event::GeneralRef(e) if ["lt", "gt", "amp"].contains(&&*e.xml10_content()) => continue,
            other => return Err(format!("{other:?}")),
        };
        for attribute in element.attributes() {
            let attribute = attribute.map_err(|e| e.to_string())?;
            let key = attribute.key.as_ref();
            let value = attribute.value.as_ref();
            let numbers = || -> Result<Vec<f64>, String> {
                let words = value.split(|c: char| c == ' ' || "MLQZ".contains(c)).filter(|w| !w.is_empty());
                words.map(|w| w.parse().map_err(|_| format!("{w:?} is not a number"))).collect()
            };
            let inside = |n: f64, most: f64| n >= 0.0 && n <= most;
            let fine = match key {
                "viewBox" => {
                    let numbers = numbers()?;
                    (width, height) = (numbers[2], numbers[3]);
                    width > 0.0 && height > 0.0 && width.is_finite() && height.is_finite()
                }
                "x" | "cx" => inside(numbers()?[0], width),
                "y" | "cy" => inside(numbers()?[0], height),
                "d" => numbers()?.chunks(2).all(|p| inside(p[0], width) && inside(p[1], height)),
                _ => true,
            };
            if !fine {
                return Err(format!("{key}=\"{value}\" in {element:?}"));
            }
        }
    }
}

#[test]
fn pictures_are_well_formed_and_complete() {
    for path in models() {
        let Ok(text) = syntax::source::decode(&std::fs::read(&path).unwrap()) else { continue };
        let (sources, mut tree) = read(&path.display().to_string(), text);
        let svg = draw::svg(&tree, &sources, &[]).unwrap();
        check(&svg).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(svg, draw::svg(&tree, &sources, &[]).unwrap());
        let dot = draw::dot(&tree, &sources, &[]).unwrap();
        let edges: usize = tree.templates.iter().map(|t| t.edges.len()).sum();
        assert!(dot.matches(" -> ").count() >= edges);

        // The same with an automatic layout.
        for template in &mut tree.templates {
            template.locations.iter_mut().for_each(|l| l.layout = Default::default());
            template.branchpoints.iter_mut().for_each(|b| b.layout = Default::default());
            template.edges.iter_mut().for_each(|e| e.layout = Default::default());
        }
        let svg = draw::svg(&tree, &sources, &[]).unwrap();
        check(&svg).unwrap_or_else(|e| panic!("{}, arranged: {e}", path.display()));
        draw::layout(&mut tree, &sources);
        assert!(tree.templates.iter().flat_map(|t| &t.locations).all(|l| l.layout.at.is_some()));
        let svg = draw::svg(&tree, &sources, &[]).unwrap();
        check(&svg).unwrap_or_else(|e| panic!("{}, laid out: {e}", path.display()));
    }
}

#[test]
fn charts_are_well_formed() {
    let mut chart = draw::Chart::default();
    check(&draw::chart(&chart)).unwrap();
    chart.rows = vec!["a < b".to_owned(), "a name that is rather long".to_owned()];
    for (kind, value) in [1.0, 9.0, 1e9, 0.0, 1e300, 120.0, 1000.0, 1.0].into_iter().enumerate() {
        chart.series.push(draw::Series { name: format!("kind {kind}"), values: vec![Some(value), None] });
    }
    let svg = draw::chart(&chart);
    check(&svg).unwrap();
    assert_eq!(svg.matches("<circle").count() + svg.matches("Z\"").count(), 16, "each in its row and in the legend");
    assert!(svg.contains("<title>a &lt; b, kind 5: 120</title>"), "{svg}");
    assert_eq!(svg, draw::chart(&chart));
}

#[test]
fn extreme_models_are_drawn() {
    let location = |i: usize, at: &str| format!("<location id=\"l{i}\" {at}/>");
    let edge = |a: usize, b: usize, inner: &str| {
        format!("<transition><source ref=\"l{a}\"/><target ref=\"l{b}\"/>{inner}</transition>")
    };
    let mut body = location(0, "x=\"2147483647\" y=\"-2147483648\"") + &location(1, "x=\"1e300\" y=\"NaN\"");
    body += &(location(2, "x=\"-1e300\" y=\"7\"") + &location(3, "") + &location(4, "x=\"0\" y=\"0\""));
    // Overlapping nodes and nails, loops without nails and with invisible nails.
    body += &(location(5, "x=\"0\" y=\"0\"") + "<init ref=\"l0\"/>");
    let on_top = "<nail x=\"0\" y=\"0\"/>".repeat(3);
    for (a, b) in [(0, 1), (1, 0), (0, 2), (4, 5), (5, 4), (4, 4), (0, 0)] {
        body += &(edge(a, b, "") + &edge(a, b, &on_top));
    }
    body += &edge(4, 4, "<nail x=\"40\" y=\"0\"/>");
    let guard = format!("<label kind=\"guard\">{}x{}</label>", "(1 + ".repeat(3000), ")".repeat(3000));
    body += &(0..300).map(|_| edge(4, 4, "") + &edge(0, 4, "")).collect::<String>();
    body += &(edge(2, 3, &guard) + &edge(3, 2, &format!("<label kind=\"guard\">{}</label>", "a".repeat(100_000))));
    let (sources, mut tree) =
        read("m.xml", format!("<nta><template><name>P</name>{body}</template><system>system P;</system></nta>"));
    assert!(tree.templates[0].edges.len() > 600);
    check(&draw::svg(&tree, &sources, &[]).unwrap()).unwrap();
    draw::layout(&mut tree, &sources);
    check(&draw::svg(&tree, &sources, &[]).unwrap()).unwrap();
    assert!(draw::dot(&tree, &sources, &[]).unwrap().ends_with("}\n"));
}

#[test]
fn the_check_finds_errors() {
    let page = |inner: &str| format!("<svg viewBox=\"0 0 10 10\">{inner}</svg>");
    assert!(check(&page("<path d=\"M1 2L3 4\"/>")).is_ok());
    assert!(check(&page("<path d=\"M1 2L3 14\"/>")).is_err());
    assert!(check(&page("<path d=\"MNaN 2L3 4\"/>")).is_err());
    assert!(check(&page("<text x=\"-1\" y=\"0\"/>")).is_err());
    assert!(check(&page("<g></text>")).is_err());
    assert!(check(&page("<g>")).is_err());
    assert!(check(&page("&nbsp;")).is_err());
    assert!(check(&page("a & b")).is_err());
    assert!(check(&page("\u{1}")).is_err());
}

#[test]
fn plots_are_well_formed_whatever_the_numbers_are() {
    use draw::{Curve, CurveShape, Plot};
    let odd = [0.0, -1.0, 1e-300, 1e300, -1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 3.5, 3.5];
    let pairs: Vec<(f64, f64)> = odd.iter().flat_map(|x| odd.iter().map(|y| (*x, *y))).collect();
    let long = "x < y && \"z\" > '\u{202e}'\u{1b}[2J\n".repeat(30);
    let named = |name: &str, shape| Curve { name: name.to_owned(), shape };
    let shapes = [
        CurveShape::Line(pairs.clone()),
        CurveShape::Steps(pairs.clone()),
        CurveShape::Bars(0.5, pairs.clone()),
        CurveShape::Band(pairs.iter().map(|(x, y)| (*x, y - 1.0, y + 1.0)).collect()),
        CurveShape::Line(Vec::new()),
        CurveShape::Bars(0.0, vec![(1.0, 2.0)]),
    ];
    for count in 0..=shapes.len() {
        let curves = shapes[..count].iter().map(|shape| named(&long, shape.clone())).collect();
        let plot = Plot { title: long.clone(), across: long.clone(), up: long.clone(), curves };
        check(&draw::plot(&plot)).unwrap();
    }
    // Each shape alone, with a legend that has more names than room.
    for shape in shapes {
        let curves = (0..40).map(|i| named(&format!("curve {i}"), shape.clone())).collect();
        let svg = draw::plot(&Plot { curves, ..Plot::default() });
        check(&svg).unwrap();
        assert!(svg.contains(">and 26 more<"), "{svg}");
    }
}
