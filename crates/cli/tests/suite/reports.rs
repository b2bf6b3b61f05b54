//! When answers are printed, how they are named, and reports for CI.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::common::{Run, command, models, run_in, run_with, scratch, ui};
use serde_json::Value;

fn verify(args: &[&str]) -> Run {
    let mut all = vec!["verify"];
    all.extend(args);
    run_in(&models(""), &all)
}

fn verify_text(model: &str, args: &[&str]) -> Run {
    let mut all = vec!["verify", "-"];
    all.extend(args);
    run_with(model.as_bytes(), &all)
}

/// No search exhausts this system, and no heuristic detects that `x` and `y` are always equal.
const ENDLESS: &str = "int[0,99] a[12]; int[0,1] x, y;
    process P(const int[0,11] i) { state L; init L; trans L -> L { guard a[i] < 99; assign a[i]++, x = 1 - x, y = 1 - y; }; }
    system P;";

/// The output of a process, line by line, while it runs. Dropping it kills the process.
struct Running {
    child: std::process::Child,
    lines: mpsc::Receiver<String>,
}

impl Running {
    fn start(folder: &Path, args: &[&str], from_err: bool) -> Running {
        let mut child = command(folder)
            .args(args)
            .stdin(Stdio::null())
            .stdout(if from_err { Stdio::null() } else { Stdio::piped() })
            .stderr(if from_err { Stdio::piped() } else { Stdio::null() })
            .spawn()
            .unwrap();
        let stream: Box<dyn std::io::Read + Send> =
            if from_err { Box::new(child.stderr.take().unwrap()) } else { Box::new(child.stdout.take().unwrap()) };
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Running { child, lines }
    }

    /// Returns the next line. A long timeout detects a process that hangs.
    #[track_caller]
    fn line(&mut self) -> String {
        let line = self.lines.recv_timeout(Duration::from_secs(120)).expect("a line should follow");
        assert!(self.child.try_wait().unwrap().is_none(), "the search has ended");
        line
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_answer_does_not_wait_for_an_endless_search() {
    let folder = scratch("stream");
    fs::write(folder.join("m.xta"), ENDLESS).unwrap();
    let queries = "A[] x == y\n// near\nE<> a[3] == 1\nE<> a[3] == 100 - 2 and\n";
    fs::write(folder.join("m.q"), queries).unwrap();
    let mut running = Running::start(&folder, &["verify", "m.xta", "--stats"], false);
    // Rejected queries are reported first, then witnesses. The first query has no answer.
    assert!(running.line().starts_with("3: "));
    assert_eq!(running.line(), "  refused");
    while !running.line().starts_with("2: E<> a[3] == 1") {}
    assert_eq!(running.line(), "  name: near");
    assert_eq!(running.line(), "  satisfied");
    assert!(running.line().starts_with("  explored "));
}

#[test]
fn progress_names_phases_and_never_goes_backwards() {
    let folder = scratch("progress");
    fs::write(folder.join("m.xta"), ENDLESS).unwrap();
    let args = ["verify", "m.xta", "-q", "A[] x == y", "--progress", "always"];
    let mut running = Running::start(&folder, &args, true);
    let (mut last, mut last_stored, mut phases) = (0, 0, Vec::new());
    // The search and its probes alternate. There is one line in a second: a fast machine may show
    // probes alone at first, but not for long, for at least half of the work is that of the search.
    while last < 60_000 || !phases.contains(&"search".to_owned()) {
        let line = running.line();
        let (head, rest) = line.split_once(": ").unwrap();
        let explored: usize = rest.split(' ').next().unwrap().parse().unwrap();
        assert!(explored >= last, "{line} after {last}");
        last = explored;
        let stored: usize = rest.split(", ").find_map(|part| part.strip_suffix(" stored")).unwrap().parse().unwrap();
        assert!(stored >= last_stored, "{line} after {last_stored}");
        last_stored = stored;
        let phase = head.split_once(" s, ").unwrap().1.to_owned();
        assert!(["search", "probe"].contains(&&*phase), "{line}");
        if phases.last() != Some(&phase) {
            phases.push(phase);
        }
    }
    // The report has all phases, however fast the machine is.
    let args = ["verify", "m.xta", "-q", "A[] x == y", "--state-limit", "100000", "--format", "json"];
    let run = run_in(&folder, &args);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let phases = report["results"][0]["stats"]["phases"].as_array().unwrap();
    let phases: Vec<&Value> = phases.iter().map(|phase| &phase["name"]).collect();
    assert_eq!((run.status, phases), (2, vec![&"search".into(), &"probe".into()]));
}

#[test]
fn a_stopped_leads_to_says_what_it_explored() {
    let model = "int[0,9] a[9];
        process P(const int[0,8] i) { state L; urgent L; init L; trans L -> L { guard a[i] < 9; assign a[i]++; }; }
        system P;";
    let query = "a[0] == 1 --> forall (i : int[0,8]) a[i] == 9";
    let run = verify_text(model, &["-q", query, "--state-limit", "3000", "--format", "json"]);
    assert_eq!(run.status, 2, "{run:?}");
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let result = &report["results"][0];
    assert_eq!(result["reason"], "the state limit was reached");
    let stats = &result["stats"];
    let phases = stats["phases"].as_array().unwrap();
    let explored: u64 = phases.iter().map(|phase| phase["explored"].as_u64().unwrap()).sum();
    assert!(explored > 100 && stats["explored"] == explored && stats["added"].as_u64().unwrap() > 100, "{stats}");
}

#[test]
fn a_query_may_have_several_lines() {
    let query = "E<> Train(0).Cross\n    && // while another one waits\r\n    Train(1).Stop\n";
    let run = verify(&["train_gate.xta", "-q", query]);
    assert_eq!(run.succeeds(), "E<> Train(0).Cross && Train(1).Stop\n  satisfied\n\n");
    run_in(&models(""), &["check", "train_gate.xta", "-q", query]).succeeds();
    let two = verify(&["train_gate.xta", "-q", "E<> Gate.Free\nE<> Gate.Occupied"]);
    two.refuses("help: -q takes one query; write -q before each of these 2");
}

#[test]
fn comments_are_names() {
    let folder = scratch("names");
    let model = fs::read_to_string(models("").join("train_gate.xta")).unwrap();
    fs::write(folder.join("g.xta"), &model).unwrap();
    let queries = "// Queries of the gate\n\n/* Never\n * stuck */\nA[] not deadlock\nE<> Gate.Free // at the start\n";
    fs::write(folder.join("other.q"), queries).unwrap();
    let run = run_in(&folder, &["verify", "g.xta", "other.q", "--format", "json"]);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    let results = report["results"].as_array().unwrap();
    assert_eq!((&results[0]["name"], &results[1]["name"]), (&"Never stuck".into(), &"at the start".into()));
    assert_eq!((&results[0]["at"]["file"], &results[0]["at"]["file_line"]), (&"other.q".into(), &5.into()));

    // The same through XML.
    let xml = folder.join("g.xml");
    run_in(&folder, &["convert", "g.xta", "-o", "g.xml"]).succeeds();
    let text = fs::read_to_string(&xml).unwrap();
    let inside = "<queries><query><formula>E&lt;&gt; Gate.Free</formula><comment>It is\nfree &amp; open</comment></query>\
                  <query><formula>A[] true</formula><comment/></query></queries></nta>";
    fs::write(&xml, text.replace("</nta>", inside)).unwrap();
    let run = run_in(&folder, &["verify", "g.xml"]);
    let names: Vec<&str> = run.succeeds().lines().filter(|line| line.contains("name: ")).collect();
    assert_eq!(names, ["  name: It is free & open"], "{run:?}");
    let run = run_in(&folder, &["verifyta", "g.xml"]);
    assert!(run.succeeds().contains("query[1]/formula\n -- Query name : It is free & open\n"), "{run:?}");
    // Clients look for this sentence.
    fs::write(folder.join("bad.q"), "// Formula is NOT satisfied.\nE<> Gate.Free\n").unwrap();
    let run = run_in(&folder, &["verifyta", "g.xta", "bad.q"]);
    assert!(!run.succeeds().contains("NOT"), "{run:?}");
}

#[test]
fn queries_next_to_the_model_are_used_and_reported() {
    let run = verify(&["train_gate.xta"]);
    assert!(run.succeeds().ends_with("5 queries: 5 satisfied\n"), "{run:?}");
    assert_eq!(run.err, "note: queries from `train_gate.q`\n");
    let run = verify(&["train_gate.xta", "--format", "json"]);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    assert_eq!((&report["queries_from"], run.err.as_str()), (&"train_gate.q".into(), ""));
    // Given queries come first, then those of the model.
    assert_eq!(verify(&["train_gate.xta", "-q", "E<> Gate.Free"]).err, "");
    let folder = scratch("beside");
    let model = "process P() { state a; init a; } system P;\nquery { E<> P.a }\n";
    fs::write(folder.join("m.xta"), model).unwrap();
    fs::write(folder.join("m.q"), "A[] false\n").unwrap();
    let run = run_in(&folder, &["verify", "m.xta"]);
    assert_eq!(run.succeeds(), "E<> P.a\n  satisfied\n\n");
    assert_eq!(run.err, "note: queries from the model; to answer those of `m.q`, name that file\n");
    // They are not overwritten, either.
    fs::write(folder.join("m.xta"), "process P() { state a; init a; } system P;").unwrap();
    run_in(&folder, &["verify", "m.xta", "--trace-file", "m.q"]).refuses("is an input of this command");
    assert_eq!(run_in(&folder, &["verify", "m.xta"]).status, 1);
    fs::remove_file(folder.join("m.q")).unwrap();
    run_in(&folder, &["verify", "m.xta"]).refuses("there is no query to answer");
}

#[test]
fn traces_are_written_in_the_order_of_the_queries() {
    let folder = scratch("order");
    fs::copy(models("").join("train_gate.xta"), folder.join("g.xta")).unwrap();
    let queries = ["A[] Gate.waiting < 2", "E<> Gate.Occupied"];
    let args = ["verify", "g.xta", "-q", queries[0], "-q", queries[1], "--order", "bfs", "--trace-file", "t.json"];
    let run = run_in(&folder, &args);
    let first = |query: &str| run.out.find(query).unwrap();
    assert!(first(queries[1]) < first(queries[0]), "{run:?}");
    let file: Value = serde_json::from_str(&fs::read_to_string(folder.join("t.json")).unwrap()).unwrap();
    let found: Vec<&str> = file["traces"].as_array().unwrap().iter().map(|t| t["query"].as_str().unwrap()).collect();
    assert_eq!(found, queries);
    run_in(&folder, &["replay", "g.xta", "t.json"]).succeeds();
}

/// An element of XML.
#[derive(Default, Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn get(&self, name: &str) -> &str {
        self.attributes.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    fn number(&self, name: &str) -> usize {
        self.get(name).parse().unwrap()
    }
}

/// Parses XML, and rejects text that is not well-formed.
fn parse(text: &str) -> Element {
    use quick_xml::{Reader, XmlVersion, events::Event};
    let legal = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(legal));
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().unwrap() {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let is_empty = matches!(event, Event::Empty(_));
                let (Event::Start(tag) | Event::Empty(tag)) = event else { unreachable!() };
                let mut element = Element { name: tag.name().as_ref().to_owned(), ..Element::default() };
                for attribute in tag.attributes() {
                    let attribute = attribute.unwrap();
                    let value = attribute.normalized_value(XmlVersion::Explicit1_0).unwrap();
                    element.attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
                }
                if is_empty { open.last_mut().unwrap().children.push(element) } else { open.push(element) }
            }
            Event::End(_) => {
                let element = open.pop().unwrap();
                open.last_mut().unwrap().children.push(element);
            }
            Event::Text(piece) => open.last_mut().unwrap().text.push_str(&piece),
            Event::GeneralRef(name) => {
                let c = match name.resolve_char_ref().unwrap() {
                    Some(c) => c,
                    None => match name.xml10_content().as_ref() {
                        "lt" => '<',
                        "gt" => '>',
                        "amp" => '&',
                        "quot" => '"',
                        other => panic!("&{other};"),
                    },
                };
                assert!(legal(c));
                open.last_mut().unwrap().text.push(c);
            }
            Event::Decl(_) => {}
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((open.len(), open[0].children.len()), (1, 1));
    open.pop().unwrap().children.pop().unwrap()
}

/// Checks a report against Jenkins' schema, and checks its counts. Returns the tests.
fn junit(text: &str) -> Vec<Element> {
    let root = parse(text);
    assert_eq!(root.name, "testsuites");
    let allowed = |element: &Element, attributes: &[&str], children: &[&str]| {
        let wrong = element.attributes.iter().find(|(key, _)| !attributes.contains(&&**key));
        assert!(wrong.is_none(), "{wrong:?} in {}", element.name);
        assert!(element.children.iter().all(|child| children.contains(&&*child.name)), "{element:?}");
    };
    allowed(&root, &["name", "time", "tests", "failures", "errors"], &["testsuite"]);
    // The schema of Jenkins' xUnit plugin has a pattern for times: at most three digits after the
    // point, and no exponent.
    let is_time = |element: &Element| {
        let (whole, part) = element.get("time").split_once('.').unwrap();
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        assert!(!whole.is_empty() && digits(whole) && part.len() <= 3 && digits(part), "{element:?}");
    };
    is_time(&root);
    let mut tests = Vec::new();
    let counts = |e: &Element| ["tests", "failures", "errors"].map(|name| e.number(name));
    let all = counts(&root);
    for mut suite in root.children {
        let attributes = ["name", "tests", "failures", "errors", "skipped", "time"];
        allowed(&suite, &attributes, &["properties", "testcase"]);
        assert_eq!((counts(&suite), suite.number("skipped")), (all, 0));
        assert!(!suite.get("name").is_empty());
        is_time(&suite);
        for properties in suite.children.iter().filter(|child| child.name == "properties") {
            allowed(properties, &[], &["property"]);
            for property in &properties.children {
                allowed(property, &["name", "value"], &[]);
                assert!(!property.get("name").is_empty() && !property.get("value").is_empty());
            }
        }
        suite.children.retain(|child| child.name == "testcase");
        let number = |name: &str| suite.children.iter().filter(|t| t.children.iter().any(|c| c.name == name)).count();
        assert_eq!(all, [suite.children.len(), number("failure"), number("error")]);
        for test in &suite.children {
            allowed(test, &["name", "classname", "time"], &["failure", "error", "system-out"]);
            assert!(!test.get("name").is_empty() && test.children.len() == 1);
            is_time(test);
            // An element that contains only text has no attributes.
            let attributes: &[&str] = if test.children[0].name == "system-out" { &[] } else { &["type", "message"] };
            allowed(&test.children[0], attributes, &[]);
        }
        tests = suite.children;
    }
    tests
}

/// Queries with every kind of answer. One query is asked twice.
fn mixed(format: &str) -> Run {
    let model = "int[0,3] n; process P() { state a, b; init a; trans a -> a { assign n++; }; } system P;";
    let queries = ["E<> n == 2", "A[] n < 2", "E<> P.b", "E<> nobody", "E<> n == 2"];
    let mut args = vec!["--format", format, "--trace", "some"];
    queries.iter().for_each(|query| args.extend(["-q", query]));
    verify_text(model, &args)
}

#[test]
fn junit_has_failures_for_violations_and_errors_for_unknown_answers() {
    let run = mixed("junit");
    assert_eq!((run.status, run.err.as_str()), (3, ""));
    let tests = junit(&run.out);
    let found: Vec<(&str, &str, &str)> =
        tests.iter().map(|t| (t.get("name"), &*t.children[0].name, t.children[0].get("type"))).collect();
    let expected = [
        ("E<> n == 2", "system-out", ""),
        ("A[] n < 2", "failure", "not satisfied"),
        ("E<> P.b", "error", "unknown"),
        ("E<> nobody", "error", "refused"),
        ("E<> n == 2 (query 5)", "system-out", ""),
    ];
    assert_eq!(found, expected);
    assert!(tests[1].children[0].text.contains("trace with 2 transitions"));
    assert!(tests[2].children[0].get("message").starts_with("unknown: run-time error: "), "{:?}", tests[2]);
    assert!(tests.iter().all(|test| test.get("classname") == "<stdin>"));

    // Neither an invalid model nor a lack of queries is a green build.
    for (model, status) in [("process P() {", 3), ("process P() { state a; init a; } system P;", 3)] {
        let run = verify_text(model, &["--format", "junit"]);
        assert_eq!(run.status, status);
        let tests = junit(&run.out);
        assert!(tests.len() == 1 && tests[0].children[0].name == "error", "{run:?}");
    }
    let run = verify(&["train_gate.xta", "--format", "junit"]);
    let tests = junit(run.succeeds());
    assert_eq!(tests[1].get("name"), "The gate's queue never overflows.");
    assert!(tests[1].children[0].text.contains("A[] Gate.waiting <= N\n"));
    assert!(run.out.contains("<property name=\"queries from\" value=\"train_gate.q\"/>"));
}

/// Checks that an object has these members, and no others except the optional ones.
#[track_caller]
fn members(value: &Value, required: &[&str], optional: &[&str]) {
    let object = value.as_object().unwrap();
    assert!(required.iter().all(|key| object.contains_key(*key)), "{value}");
    assert!(object.keys().all(|key| required.contains(&&**key) || optional.contains(&&**key)), "{value}");
}

/// Checks a report against the parts of the schema of SARIF 2.1.0 that it uses. Returns the
/// results.
#[track_caller]
fn sarif(text: &str, status: i32) -> Vec<Value> {
    let log: Value = serde_json::from_str(text).unwrap();
    members(&log, &["version", "runs"], &["$schema"]);
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().starts_with("https://"));
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);
    let run = &log["runs"][0];
    members(&run["tool"], &["driver"], &[]);
    assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
    members(run, &["tool", "results"], &["invocations", "columnKind"]);
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    members(&run["invocations"][0], &["executionSuccessful"], &["exitCode"]);
    assert_eq!(run["invocations"][0]["exitCode"], status);
    let driver = &run["tool"]["driver"];
    members(driver, &["name"], &["semanticVersion", "rules"]);
    assert!(!driver["name"].as_str().unwrap().is_empty());
    // The schema: items of these lists differ from each other.
    let differ = |list: &Value| {
        let list = list.as_array().map_or(&[][..], Vec::as_slice);
        assert!(list.iter().enumerate().all(|(i, one)| !list[..i].contains(one)), "{list:?}");
    };
    differ(&driver["rules"]);
    let rules = driver["rules"].as_array().unwrap();
    for (i, rule) in rules.iter().enumerate() {
        members(rule, &["id"], &["shortDescription"]);
        members(&rule["shortDescription"], &["text"], &[]);
        assert!(!rule["shortDescription"]["text"].as_str().unwrap().is_empty());
        assert!(rules[..i].iter().all(|other| other["id"] != rule["id"]), "{rule} twice");
    }
    let results = run["results"].as_array().unwrap();
    for result in results {
        members(result, &["ruleId", "ruleIndex", "level", "message", "locations"], &["relatedLocations"]);
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
        assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
        members(&result["message"], &["text"], &[]);
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        differ(&result["relatedLocations"]);
        let related = result.get("relatedLocations").and_then(Value::as_array).into_iter().flatten();
        for location in result["locations"].as_array().unwrap().iter().chain(related) {
            members(location, &[], &["physicalLocation", "logicalLocations", "message"]);
            assert!(
                location.get("physicalLocation").is_some() || location.get("logicalLocations").is_some(),
                "{location}"
            );
            differ(&location["logicalLocations"]);
            if let Some(message) = location.get("message") {
                members(message, &["text"], &[]);
            }
            if let Some(place) = location.get("physicalLocation") {
                members(place, &["artifactLocation"], &["region"]);
                members(&place["artifactLocation"], &["uri"], &[]);
                let uri = place["artifactLocation"]["uri"].as_str().unwrap();
                assert!(!uri.is_empty() && uri.is_ascii() && !uri.contains([' ', '<', '\\']), "{uri}");
                if let Some(region) = place.get("region") {
                    members(region, &["startLine", "startColumn", "endLine", "endColumn"], &[]);
                    let at =
                        |line: &str, column: &str| (region[line].as_u64().unwrap(), region[column].as_u64().unwrap());
                    let (start, end) = (at("startLine", "startColumn"), at("endLine", "endColumn"));
                    assert!(start.0 >= 1 && start.1 >= 1 && end.1 >= 1 && start <= end, "{region}");
                }
            }
            for place in location.get("logicalLocations").and_then(Value::as_array).into_iter().flatten() {
                members(place, &["fullyQualifiedName"], &["name"]);
            }
        }
    }
    results.clone()
}

fn rule(result: &Value) -> &str {
    result["ruleId"].as_str().unwrap()
}

#[test]
fn sarif_has_violations_and_unknown_answers() {
    let run = mixed("sarif");
    assert_eq!(run.err, "");
    let results = sarif(&run.out, 3);
    let rules: Vec<&str> = results.iter().map(rule).collect();
    assert_eq!(rules, ["query-not-satisfied", "query-unknown", "unknown-name"]);
    assert_eq!(results[0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "<query 2>");

    let folder = scratch("sarif");
    let model = fs::read_to_string(models("").join("train_gate.xta")).unwrap();
    fs::write(folder.join("g h.xta"), model).unwrap();
    fs::write(folder.join("g h.q"), "\n// full\n  A[] Gate.waiting < 1\nE<> Gate.Free\n").unwrap();
    let run = run_in(&folder, &["verify", "g h.xta", "--format", "sarif"]);
    let results = sarif(&run.out, 1);
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["message"]["text"], "full: the query `A[] Gate.waiting < 1` is not satisfied");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "g%20h.q");
    let region = serde_json::json!({ "startLine": 3, "startColumn": 3, "endLine": 3, "endColumn": 23 });
    assert_eq!(place["region"], region);
    let wrong = verify_text("process P() {", &["--format", "sarif"]);
    assert!(sarif(&wrong.out, 3).iter().all(|result| result["level"] == "error"));
}

#[test]
fn sarif_has_the_diagnostics_of_models() {
    let names = ["labels.xml", "truncated.xml", "broken.xta", "odd.xta", "old.ta", "lamp.xml", "missing.xml", "."];
    let mut args = vec!["check", "--format", "sarif", "-q", "E<> (", "--queries", "lamp.q"];
    args.extend(names);
    let run = run_in(&ui(), &args);
    let results = sarif(&run.out, 3);
    args[2] = "json";
    let json: Value = serde_json::from_str(&run_in(&ui(), &args).out).unwrap();
    let entries: Vec<&Value> =
        json["files"].as_array().unwrap().iter().flat_map(|file| file["diagnostics"].as_array().unwrap()).collect();
    assert!(results.len() == entries.len() && results.len() > 20, "{}", results.len());
    let mut regions = 0;
    for (result, entry) in results.iter().zip(entries) {
        assert_eq!((&result["ruleId"], &result["level"]), (&entry["code"], &entry["severity"]));
        let location = &result["locations"][0];
        if let (Some(region), false) = (location["physicalLocation"].get("region"), entry["file_line"].is_null()) {
            regions += 1;
            assert_eq!((&region["startLine"], &region["startColumn"]), (&entry["file_line"], &entry["file_column"]));
        }
        if let Some(path) = entry["path"].as_str() {
            assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], path);
        }
    }
    assert!(regions > 10);
}

#[test]
fn hostile_names_are_escaped_in_reports() {
    let folder = scratch("hostile-reports");
    let name = "a \"b\" <c>\u{e9}\u{9b}\n.xta";
    let model = fs::read_to_string(models("").join("train_gate.xta")).unwrap();
    fs::write(folder.join(name), model).unwrap();
    fs::write(folder.join("q.q"), "// ]]>\u{1b}[31m<&\"'\u{7}\u{85} \u{1f600}\nA[] Gate.Free\nE<> \u{1}\u{9b}<\n")
        .unwrap();
    let run = run_in(&folder, &["verify", name, "q.q", "--format", "junit", "--trace", "some"]);
    let tests = junit(&run.out);
    assert!(tests.len() == 2 && tests[0].get("classname") == name, "{run:?}");
    assert!(!run.out.contains(['\x1b', '\u{9b}', '\u{7}']));
    let run = run_in(&folder, &["verify", name, "q.q", "--format", "sarif"]);
    assert!(!sarif(&run.out, 3).is_empty());
    assert!(!run.out.contains('\x1b'));
}

#[test]
fn schemas_have_an_identity_and_a_constant_version() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let mut seen = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        let schema: Value = serde_json::from_str(&fs::read_to_string(file.path()).unwrap()).unwrap();
        let kind = file.file_name().into_string().unwrap().replace(".schema.json", "");
        assert_eq!(schema["$id"], format!("urn:merkhet:schema:{kind}:1"));
        assert_eq!(schema["properties"]["version"]["const"], 1, "{kind}");
        seen.push(kind);
    }
    assert!(seen.len() >= 16);
}
