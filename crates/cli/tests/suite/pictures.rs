//! What sequence charts and timelines show is what `merkhet replay` accepts, step by step.

use std::{collections::BTreeMap, fs, path::Path};

use oracle::random::{self, NetworkFeatures, Rng};
use quick_xml::{Reader, events::Event};
use serde_json::Value;

use crate::common::{command, finish, models, run_in, scratch};

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(25)
}

/// A line of text in a picture.
#[derive(Debug)]
struct Text {
    x: f64,
    y: f64,
    text: String,
    /// The step that it belongs to.
    step: Option<usize>,
}

/// A rectangle in a picture.
#[derive(Debug)]
struct Rectangle {
    x: f64,
    y: f64,
    w: f64,
    /// Whether it has a frame.
    framed: bool,
    step: Option<usize>,
}

/// What a picture shows.
#[derive(Debug, Default)]
struct Picture {
    texts: Vec<Text>,
    rectangles: Vec<Rectangle>,
    /// The tooltips of steps.
    tooltips: BTreeMap<usize, String>,
}

impl Picture {
    fn read(svg: &str) -> Picture {
        let mut reader = Reader::from_str(svg);
        let mut picture = Picture::default();
        // The groups that are open, by their steps.
        let mut steps: Vec<Option<usize>> = Vec::new();
        let (mut at, mut content) = ((0.0, 0.0), String::new());
        loop {
            let event = reader.read_event().unwrap();
            let step = steps.iter().flatten().last().copied();
            match event {
                Event::Eof => return picture,
                Event::Text(t) => content.push_str(&t),
                Event::GeneralRef(e) => content.push_str(match &*e.xml10_content() {
                    "lt" => "<",
                    "gt" => ">",
                    _ => "&",
                }),
                Event::Start(ref e) | Event::Empty(ref e) => {
                    let attribute = |key: &str| e.attributes().flatten().find(|a| a.key.as_ref() == key);
                    let number = |key: &str| attribute(key).map_or(0.0, |a| a.value.parse::<f64>().unwrap());
                    match e.name().as_ref() {
                        "g" => steps.push(attribute("data-step").map(|a| a.value.parse().unwrap())),
                        "text" | "tspan" => (at, content) = ((number("x"), number("y")), String::new()),
                        "title" => content.clear(),
                        "rect" => picture.rectangles.push(Rectangle {
                            x: number("x"),
                            y: number("y"),
                            w: number("width"),
                            framed: attribute("stroke").is_some(),
                            step,
                        }),
                        _ => {}
                    }
                }
                Event::End(e) => match e.name().as_ref() {
                    "g" => drop(steps.pop()),
                    "text" | "tspan" if !content.is_empty() => {
                        let text = std::mem::take(&mut content);
                        picture.texts.push(Text { x: at.0, y: at.1, text, step });
                    }
                    "title" => {
                        let text = std::mem::take(&mut content);
                        step.map(|step| picture.tooltips.insert(step, text));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Returns the texts of a step, sorted.
    fn of_step(&self, step: usize) -> Vec<&str> {
        let mut found: Vec<&str> =
            self.texts.iter().filter(|t| t.step == Some(step)).map(|t| t.text.as_str()).collect();
        found.sort_unstable();
        found
    }
}

/// Draws the first trace of `t` in a folder.
fn draw(folder: &Path, model: &str, view: &str) -> Picture {
    let run = run_in(folder, &["graph", model, "--trace", "t", "--view", view]);
    Picture::read(run.succeeds())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a sum of fractions.
fn plus(a: &str, b: &str) -> String {
    let parts = |text: &str| -> (i128, i128) {
        let (n, d) = text.split_once('/').unwrap_or((text, "1"));
        (n.parse().unwrap(), d.parse().unwrap())
    };
    let ((a, b), (c, d)) = (parts(a), parts(b));
    let (n, d) = (a * d + c * b, b * d);
    let (mut x, mut y) = (n.unsigned_abs(), d.unsigned_abs());
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let divisor = x.max(1) as i128;
    if d == divisor { (n / divisor).to_string() } else { format!("{}/{}", n / divisor, d / divisor) }
}

/// Returns the time at which each state is entered.
fn times(trace: &Value) -> Vec<String> {
    let mut times = vec!["0".to_owned()];
    for step in list(&trace["steps"]) {
        times.push(plus(times.last().unwrap(), text(&step["delay"])));
    }
    times
}

/// Checks the chart of a trace.
fn check_chart(chart: &Picture, trace: &Value) {
    let times = times(trace);
    let mut start: Vec<&str> = list(&trace["start"]["locations"]).iter().map(|l| text(&l["location"])).collect();
    start.push("0");
    start.sort_unstable();
    assert_eq!(chart.of_step(0), start);
    for (number, step) in (1..).zip(list(&trace["steps"])) {
        let mut expected = vec![number.to_string(), times[number].clone()];
        if step["delay"] != "0" {
            expected.push(format!("+{}", text(&step["delay"])));
        }
        for edge in list(&step["edges"]) {
            expected.push(text(&edge["target"]).to_owned());
            if let Some(channel) = edge["sync"].as_str().and_then(|sync| sync.strip_suffix('!')) {
                expected.push(channel.to_owned());
            }
        }
        let change = |c: &Value| format!("{}: {} \u{2192} {}", text(&c["name"]), c["from"], c["to"]);
        expected.extend(list(&step["changes"]).iter().map(change));
        expected.sort_unstable();
        assert_eq!(chart.of_step(number), expected, "step {number}");
    }
}

/// Checks the timeline of a trace.
fn check_timeline(timeline: &Picture, trace: &Value) {
    let times = times(trace);
    let columns: BTreeMap<usize, &Rectangle> = timeline.rectangles.iter().filter_map(|r| Some((r.step?, r))).collect();
    assert_eq!(columns.len(), times.len());
    // Every process has a lane with boxes, from top to bottom.
    let framed = || timeline.rectangles.iter().filter(|r| r.framed);
    let mut tops: Vec<i64> = framed().map(|r| (r.y * 10.0) as i64).collect();
    tops.sort_unstable();
    tops.dedup();
    let mut locations: Vec<&str> = list(&trace["start"]["locations"]).iter().map(|l| text(&l["location"])).collect();
    let processes: Vec<&str> = list(&trace["start"]["locations"]).iter().map(|l| text(&l["process"])).collect();
    assert_eq!(tops.len(), processes.len());
    let name_at = |top: f64, from: f64, to: f64| {
        let inside = |t: &&Text| t.y > top && t.y < top + 24.0 && t.x >= from && t.x < to;
        let found: Vec<&str> = timeline.texts.iter().filter(inside).map(|t| t.text.as_str()).collect();
        assert_eq!(found.len(), 1, "{found:?} in one box");
        found[0]
    };
    for step in 0..times.len() {
        if let Some(taken) = step.checked_sub(1).map(|i| &trace["steps"][i]) {
            for edge in list(&taken["edges"]) {
                let process = processes.iter().position(|name| *name == edge["process"]).unwrap();
                assert_eq!(locations[process], edge["source"]);
                locations[process] = text(&edge["target"]);
            }
        }
        let column = columns[&step];
        let middle = column.x + column.w / 2.0;
        for (lane, top) in tops.iter().enumerate() {
            let mut covering = framed().filter(|r| (r.y * 10.0) as i64 == *top && r.x < middle && middle < r.x + r.w);
            let span = covering.next().expect("a box for each moment");
            assert!(covering.next().is_none());
            assert_eq!(
                name_at(span.y, span.x, span.x + span.w),
                locations[lane],
                "{} after step {step}",
                processes[lane]
            );
        }
        // Exact times and clocks are in tooltips.
        let tooltip = &timeline.tooltips[&step];
        let has = |line: &str| assert!(tooltip.lines().any(|l| l == line), "no {line:?} in {tooltip:?}");
        let last = step + 1 == times.len();
        let delay = text(if last { &trace["last_delay"] } else { &trace["steps"][step]["delay"] });
        has(&format!("time: {}, then a delay of {delay}", times[step]));
        let entered = if step == 0 { &trace["start"]["clocks"] } else { &trace["steps"][step - 1]["clocks"] };
        for (clock, end) in list(entered).iter().zip(list(&trace["end"]["clocks"])) {
            let (name, value) = (text(&clock["name"]), text(&clock["value"]));
            match last {
                true => has(&format!("{name}: {value} \u{2192} {}", text(&end["value"]))),
                false => assert!(tooltip.contains(&format!("\n{name}: {value} \u{2192} ")), "{name} in {tooltip:?}"),
            }
        }
    }
}

#[test]
fn pictures_show_runs_of_random_networks_step_by_step() {
    let folder = scratch("pictures");
    let features = NetworkFeatures { stopwatches: true, ..NetworkFeatures::all() };
    let mut steps = 0;
    for seed in oracle::seeds(0..cases()) {
        let features = if seed % 2 == 0 { features.clone() } else { features.some(&mut Rng::new(seed)) };
        fs::write(folder.join("m.xta"), random::network(seed, &features).text()).unwrap();
        let script = "random 14\ndelay 1/3\nsave --force t\n";
        let run = finish(command(&folder).args(["simulate", "m.xta", "--seed", &seed.to_string()]), script.as_bytes());
        // A run may begin in a state that violates an invariant, or end where no time may pass.
        if run.out.contains("wrote") || run.out.contains("replaced") {
            let traces: Value = serde_json::from_str(&fs::read_to_string(folder.join("t")).unwrap()).unwrap();
            let trace = &traces["traces"][0]["trace"];
            steps += list(&trace["steps"]).len();
            check_chart(&draw(&folder, "m.xta", "chart"), trace);
            check_timeline(&draw(&folder, "m.xta", "timeline"), trace);
        }
    }
    assert!(steps as u64 >= oracle::expected(60, 25), "{steps} steps");
}

/// The charts of nets have transitions that fire, and tokens that change.
#[test]
fn charts_of_nets_show_tokens() {
    let folder = scratch("pictures-nets");
    for model in ["producer_consumer.net", "pipeline.net", "philosophers.net"] {
        let path = models("nets").join(model);
        let path = path.to_str().unwrap();
        run_in(&folder, &["verify", path, "--trace-file", "t"]);
        let traces: Value = serde_json::from_str(&fs::read_to_string(folder.join("t")).unwrap()).unwrap();
        let trace = &traces["traces"][0]["trace"];
        let chart = draw(&folder, path, "chart");
        for (number, step) in (1..).zip(list(&trace["steps"])) {
            let shown = chart.of_step(number);
            // Else a token becomes available.
            let event = step["fires"].as_str().unwrap_or("available");
            assert!(shown.contains(&event), "no {event:?} in {shown:?}");
            for change in list(&step["changes"]) {
                let (from, to) = (change["from"].as_i64().unwrap(), change["to"].as_i64().unwrap());
                let sign = if to > from { '+' } else { '\u{2212}' };
                let tokens = format!("{to} ({sign}{})", (to - from).abs());
                assert!(shown.contains(&tokens.as_str()), "{tokens} in {shown:?}");
            }
        }
        assert!(draw(&folder, path, "timeline").tooltips.len() > list(&trace["steps"]).len());
        // The marking at the end.
        let state = draw(&folder, path, "state");
        assert!(state.texts.iter().any(|t| t.text == "ready" || t.text.starts_with(char::is_alphabetic)));
    }
}

/// A picture of an infinite run says what is repeated, and long traces are cut with a remark.
#[test]
fn endings_and_limits_are_said() {
    let folder = scratch("pictures-endings");
    let model = "clock x; int n; process P() { state a { x <= 2 }, b, c; init a; \
                 trans a -> a { guard x >= 1 && n < 400; assign x = 0, n++; }, a -> b { guard n >= 400; }, a -> c { guard n == 3; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    let said = |query: &str, words: &[&str]| {
        let run = run_in(&folder, &["verify", "m.xta", "-q", query, "--trace-file", "t"]);
        assert!(run.status <= 1, "{run:?}");
        for view in ["chart", "timeline"] {
            let picture = draw(&folder, "m.xta", view);
            for word in words {
                assert!(picture.texts.iter().any(|t| t.text.contains(word)), "{view}: no {word:?}");
            }
        }
    };
    said("E<> P.b", &["These are the first 300 of 401 steps.", "E<> P.b"]);
    said("A<> n == 5", &["And then "]);
    said("E[] n < 3", &["And then time diverges"]);
}

#[test]
fn what_is_not_drawn_is_refused() {
    let folder = scratch("pictures-refused");
    let model = "process P() { state a, b; init a; trans a -> b { }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    run_in(&folder, &["verify", "m.xta", "-q", "E<> P.b", "--trace-file", "t"]).succeeds();
    let graph = |words: &str| {
        let words: Vec<&str> = ["graph", "m.xta"].into_iter().chain(words.split(' ')).collect();
        run_in(&folder, &words)
    };
    graph("--trace t --view state --step 1").succeeds();
    graph("--trace t --view state --step 2").refuses("the trace has no step 2: 1 is the last one");
    graph("--trace t --number 2").refuses("there is no trace 2 in `t`");
    graph("--trace t --step 1").refuses("--step is for `--view state`");
    graph("--trace t --format dot").refuses("traces are drawn as SVG only");
    graph("--trace none").refuses("can't read `none`");
    graph("--trace m.xta").refuses("this is not a file of traces");
    graph("--trace t -o t --format svg").refuses("is an input of this command");
    graph("--view state").refuses("--trace");
    let changed = model.replace("a -> b { }", "a -> b { guard false; }");
    fs::write(folder.join("m.xta"), changed).unwrap();
    graph("--trace t").refuses("trace 1 is not a run of the model: step 1");
    let spurious =
        fs::read_to_string(folder.join("t")).unwrap().replacen("\"length\"", "\"spurious\": true, \"length\"", 1);
    fs::write(folder.join("t"), spurious).unwrap();
    graph("--trace t").refuses("marked as spurious");
}
