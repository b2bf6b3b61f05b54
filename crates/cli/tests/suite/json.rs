//! JSON reports conform to their schemas, whatever the model.

use std::{fs, path::Path};

use crate::common::{command, finish, models, run_in, run_with, scratch, ui};
use serde_json::Value;

/// A validator for the keywords of JSON Schema that the schemas use. It rejects unknown keywords.
struct Schema(Value);

impl Schema {
    fn read(name: &str) -> Schema {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
        Schema(serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap())
    }

    #[track_caller]
    fn validate(&self, text: &str) -> Value {
        let value = serde_json::from_str(text).unwrap();
        if let Err(why) = self.check(&self.0, &value) {
            panic!("{why}");
        }
        value
    }

    fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        for (word, expected) in schema.as_object().unwrap() {
            let ok = match word.as_str() {
                "$schema" | "$id" | "title" | "description" | "$defs" | "format" => true,
                "$ref" => {
                    let pointer = expected.as_str().unwrap().strip_prefix('#').unwrap();
                    self.check(self.0.pointer(pointer).unwrap(), value)?;
                    true
                }
                "type" => match expected {
                    Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
                    kind => is(kind, value),
                },
                "minimum" => value.as_f64().is_none_or(|v| v >= expected.as_f64().unwrap()),
                "enum" => expected.as_array().unwrap().contains(value),
                "const" => expected == value,
                "oneOf" | "anyOf" => expected.as_array().unwrap().iter().any(|s| self.check(s, value).is_ok()),
                "required" => expected.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
                "items" => {
                    value.as_array().into_iter().flatten().try_for_each(|item| self.check(expected, item))?;
                    true
                }
                "properties" => {
                    for (key, inner) in value.as_object().into_iter().flatten() {
                        let known =
                            expected.get(key).ok_or_else(|| format!("`{key}` is not in the schema: {value}"))?;
                        self.check(known, inner)?;
                    }
                    true
                }
                _ => panic!("unknown keyword `{word}`"),
            };
            if !ok {
                return Err(format!("{value} violates `{word}: {expected}`"));
            }
        }
        Ok(())
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type `{other}`"),
    }
}

#[test]
fn reports_about_broken_models_keep_to_the_schema() {
    let schema = Schema::read("check.schema.json");
    let names = ["labels.xml", "truncated.xml", "broken.xta", "odd.xta", "old.ta", "lamp.xml", "missing.xml", "."];
    let mut args = vec!["check", "--format", "json", "-q", "E<> (", "-q", "", "--queries", "lamp.q"];
    args.extend(names);
    let run = run_in(&ui(), &args);
    assert_eq!((run.status, run.err.as_str()), (3, ""));
    let report = schema.validate(&run.out);
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.iter().map(|f| f["file"].as_str().unwrap()).collect::<Vec<_>>(), names);
    for file in files {
        let count = |severity: &str| {
            file["diagnostics"].as_array().unwrap().iter().filter(|d| d["severity"] == severity).count()
        };
        assert_eq!(file["summary"]["errors"], count("error"));
        assert_eq!(file["summary"]["warnings"], count("warning"));
        assert_eq!(file["valid"], count("error") == 0);
    }
}

#[test]
fn hostile_names_are_escaped() {
    let schema = Schema::read("check.schema.json");
    let folder = scratch("hostile");
    let odd = "\"quoted\\\" \u{1}\u{1b}[31m\u{2028}\u{202e}\u{1f600}</script>{}";
    let escaped = odd.replace('<', "&lt;").replace('"', "&quot;");
    let model = format!(
        "<nta><template><name>{escaped}</name><location id=\"{escaped}\"/><init ref=\"{escaped}x\"/>\
         <transition><source ref=\"{escaped}y\"/></transition></template><system>system {escaped};</system></nta>"
    );
    let name = "a \"b\" {c}\u{e9}\n.xml";
    fs::write(folder.join(name), model).unwrap();
    let run = run_in(&folder, &["check", "--format", "json", name]);
    let report = schema.validate(&run.out);
    assert_eq!(report["files"][0]["file"], name);
    let texts = report["files"][0]["diagnostics"].to_string();
    assert!(texts.contains("is not a name") && texts.contains("unknown symbol"), "{texts}");
    assert!(report["files"][0]["diagnostics"][0]["message"].is_string());
    assert!(!run.out.contains('\x1b'));
}

#[test]
fn a_valid_model_has_a_report_without_diagnostics() {
    let run = run_in(&ui(), &["check", "--format", "json", "lamp.xta", "-q", "E<> Lamp.bright"]);
    let report = Schema::read("check.schema.json").validate(run.succeeds());
    assert_eq!(report["version"], 1);
    assert_eq!(report["files"][0]["summary"]["queries"], 1);
    assert_eq!(report["files"][0]["diagnostics"].as_array().unwrap().len(), 0);
}

#[test]
fn the_list_of_features_keeps_to_its_schema() {
    let run = run_with(b"", &["list", "features", "--format", "json"]);
    Schema::read("features.schema.json").validate(run.succeeds());
}

#[test]
fn answers_keep_to_their_schema() {
    let schema = Schema::read("verify.schema.json");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let queries = [
        "E<> Gate.Occupied",
        "A[] Gate.waiting < 2",
        "Train(0).Appr --> Train(0).Cross",
        "E<> Nobody.here",
        "A<> Gate.Occupied",
        "bounds{Train(0).Cross}: Train(0).x, Gate.waiting",
    ];
    let mut args = vec!["verify", "train_gate.xta", "--format", "json", "--trace", "some", "--order", "bfs"];
    args.extend(queries.iter().flat_map(|query| ["-q", query]));
    let run = run_in(&models, &args);
    assert_eq!((run.status, run.err.as_str()), (3, ""));
    let report = schema.validate(&run.out);
    assert_eq!((&report["version"], &report["model"]), (&1.into(), &"train_gate.xta".into()));
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.iter().map(|r| r["query"].as_str().unwrap()).collect::<Vec<_>>(), queries);
    let answers: Vec<_> = results.iter().map(|r| r["answer"].as_str()).collect();
    let (yes, no) = (Some("satisfied"), Some("not satisfied"));
    assert_eq!(answers, [yes, no, yes, None, no, yes]);
    assert!(results[3]["diagnostics"][0]["code"].is_string());
    assert_eq!(
        (&results[4]["trace"]["ending"], &results[4]["trace"]["cycle"]),
        (&"waits for ever".into(), &Value::Null)
    );
    assert_eq!(
        results[5]["value"],
        serde_json::json!([
            {"expression": "Train(0).x", "least": {"number": 0, "strict": false}, "greatest": {"number": 5, "strict": false}},
            {"expression": "Gate.waiting", "least": {"number": 1, "strict": false}, "greatest": {"number": 4, "strict": false}},
        ])
    );
    let found = &results[1];
    assert!(found["stats"]["explored"].as_u64().unwrap() > 0);
    assert_eq!(found["trace"]["length"], found["trace"]["steps"].as_array().unwrap().len());
    assert_eq!(found["trace"]["steps"][0]["edges"][0]["sync"], "appr[0]!");
    assert_eq!(found["trace"]["steps"][0]["changes"][0]["name"], "Gate.waiting");

    let wrong = run_in(&ui(), &["verify", "labels.xml", "--format", "json"]);
    assert_eq!(wrong.status, 3);
    schema.validate(&wrong.out);
}

#[test]
fn lists_of_values_keep_to_their_schema() {
    let schema = Schema::read("values.schema.json");
    for topic in ["orders", "abstractions", "updates", "joins"] {
        schema.validate(run_with(b"", &["list", topic, "--format", "json"]).succeeds());
    }
}

#[test]
fn lattices_keep_to_their_schema() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lattice");
    let run = run_in(&models, &["check", "--laws", "--format", "json", "taint.xta"]);
    assert!(Schema::read("check.schema.json").validate(run.succeeds())["files"][0]["laws"].is_object());
    let schema = Schema::read("lattices.schema.json");
    let all = schema.validate(run_with(b"", &["list", "lattices", "--format", "json"]).succeeds());
    assert!(all["lattices"].as_array().unwrap().len() > 10);
    let cache = schema.validate(run_with(b"", &["list", "lattices", "LRUCache", "--format", "json"]).succeeds());
    let [cache] = &cache["lattices"].as_array().unwrap()[..] else { panic!("{cache}") };
    let hit = cache["methods"].as_array().unwrap().iter().find(|method| method["name"] == "mustHit").unwrap();
    assert_eq!((&hit["result"], &hit["trend"], &hit["changes"]), (&"bool".into(), &"falls".into(), &false.into()));
}

#[test]
fn figures_keep_to_their_schemas() {
    let run = |args: &[&str]| finish(command(Path::new(".")).env("PATH", "").arg("bench").args(args), b"");
    let zones = run(&["zones", "--family", "fischer", "--size", "1", "--size", "6", "--format", "json"]);
    let report = Schema::read("bench-zones.schema.json").validate(zones.succeeds());
    let [small, fischer] = &report["runs"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!((&small["family"], &small["size"], &small["recorded"]), (&"fischer".into(), &1.into(), &Value::Null));
    assert_eq!((&fischer["merkhet"]["stored"], &fischer["recorded"]["stored"]), (&2378.into(), &2378.into()));
    assert_eq!((&small["clocks"], &fischer["clocks"]), (&1.into(), &6.into()));
    let scaling = run(&["zones", "--scaling", "--family", "parallel", "--memory-limit", "2M", "--format", "json"]);
    assert_eq!(scaling.status, 2, "a search was stopped: {scaling:?}");
    let report = Schema::read("bench-scaling.schema.json").validate(&scaling.out);
    let sizes = report["sizes"].as_array().unwrap();
    assert!(sizes.iter().all(|point| point["generated"].as_u64() >= Some(10_000)), "{report}");
    assert_eq!(sizes.iter().filter(|point| point["complete"] == false).count(), 1, "{report}");
    let directed = run(&["directed", "--row", "FA5", "--row", "hanoi3", "--format", "json"]);
    let report = Schema::read("bench-directed.schema.json").validate(directed.succeeds());
    let [fischer, hanoi] = &report["models"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!((&fischer["model"], &hanoi["model"], &hanoi["automata"]), (&"FA5".into(), &"hanoi3".into(), &3.into()));
    let bfs = |model: &Value| model["runs"].as_array().unwrap().iter().find(|r| r["configuration"] == "bfs").cloned();
    let (fischer, hanoi) = (bfs(fischer).unwrap(), bfs(hanoi).unwrap());
    assert_eq!((&fischer["merkhet"]["length"], &fischer["published"]["generated"]), (&9.into(), &1467.0.into()));
    assert_eq!((&hanoi["merkhet"]["transitions"], &hanoi["published"]), (&7.into(), &Value::Null));
    let words =
        ["abstraction", "--row", "FB5", "--row", "hanoi2", "--table", "2", "--series", "FB5", "--format", "json"];
    let abstraction = run(&words);
    let report = Schema::read("bench-abstraction.schema.json").validate(abstraction.succeeds());
    let [fischer, hanoi] = &report["models"].as_array().unwrap()[..] else { panic!("{report}") };
    let last = |model: &Value| model["runs"].as_array().unwrap().last().cloned().unwrap();
    assert_eq!((&last(hanoi)["published"], &last(hanoi)["stopped"]), (&Value::Null, &Value::Null));
    let run_of_all = last(fischer);
    assert_eq!((&run_of_all["configuration"], &run_of_all["column"]), (&"pa-syntax(all)".into(), &"Syntax-all".into()));
    assert_eq!(run_of_all["published"]["outcome"], "found");
    assert_eq!(run_of_all["published"]["generated"], 21.0);
    let [blind, states] = [&fischer["blind"], &run_of_all["merkhet"]].map(|v| v["generated"].as_u64().unwrap());
    let built = run_of_all["merkhet"]["prepared"]["states"].as_u64().unwrap();
    assert_eq!(run_of_all["loss"], states + built > blind, "{run_of_all}");
    let steps = report["series"]["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &steps[10]["rounds"], &steps[12]["heuristic"]), (13, &10.into(), &"pa-auto".into()));
    let lattice = run(&["lattice", "--quick", "--figure", "4", "--figure", "overhead", "--format", "json"]);
    let report = Schema::read("bench-lattice.schema.json").validate(lattice.succeeds());
    let row = &report["figures"][0]["rows"][2];
    assert_eq!((&row["row"], &row["runs"][0]["merkhet"]["added"]), (&"4".into(), &21952.into()));
    assert_eq!((&row["runs"][1]["published"]["time"], &row["runs"][1]["update"]), (&"2s".into(), &"cover".into()));
    let nets = run(&[
        "nets",
        "--quick",
        "--solver",
        "embedded",
        "--encoding",
        "dl",
        "--encoding",
        "event",
        "--format",
        "json",
    ]);
    let report = Schema::read("bench-nets.schema.json").validate(nets.succeeds());
    let sizes = &report["sizes"][0];
    assert_eq!((&sizes["net"]["places"], &sizes["net"]["transitions"]), (&374.into(), &389.into()));
    // The numbers of variables are those of the paper, before and after replacing.
    for encoding in ["la", "dl"] {
        let sizes = &sizes[encoding];
        assert_eq!(sizes["before"]["variables"], sizes["published"]["before"]["variables"]);
        assert_eq!(sizes["after"]["variables"], sizes["published"]["after"]["variables"]);
        let [before, ours] = ["before", "merkhet"].map(|when| &sizes[when]);
        let factor = |what: &str| before[what].as_f64().unwrap() / ours[what].as_f64().unwrap();
        assert!(factor("variables") > 85.0 && factor("constraints") > 27.0, "{sizes}");
    }
    assert_eq!(
        (&report["times"][0]["result"], &report["times"][0]["runs"][1]["answer"]),
        (&"unsat".into(), &"unsat".into())
    );
    let kernels = run(&["kernels", "--format", "json"]);
    let report = Schema::read("bench-kernels.schema.json").validate(kernels.succeeds());
    assert_eq!(report["kernels"].as_array().unwrap().len(), 18);
}

#[test]
fn evidence_and_reports_about_it_keep_to_their_schemas() {
    let folder = scratch("json-evidence");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    fs::copy(models.join("train_gate.xta"), folder.join("m.xta")).unwrap();
    let queries = ["-q", "A[] Gate.waiting <= N", "-q", "E<> Train(0).Cross && Train(1).Stop", "-q", "A[] Gate.Free"];
    let args = ["verify", "m.xta", "--certificate", "c", "--trace-file", "t", "--format", "json"];
    let report = Schema::read("verify.schema.json").validate(&run_in(&folder, &[&args[..], &queries].concat()).out);
    assert!(report["results"][0]["certificate"]["states"].as_u64().unwrap() > 0);
    assert!(report["results"][1]["certificate"]["reason"].is_string());

    let traces = Schema::read("traces.schema.json").validate(&fs::read_to_string(folder.join("t")).unwrap());
    assert_eq!(traces["traces"].as_array().unwrap().len(), 2);
    let replay = Schema::read("replay.schema.json");
    let report = replay.validate(run_in(&folder, &["replay", "m.xta", "t", "--format", "json"]).succeeds());
    assert_eq!((&report["ok"], &report["results"][1]["answer"]), (&true.into(), &"not satisfied".into()));
    let certify = Schema::read("certify.schema.json");
    let report = certify.validate(run_in(&folder, &["certify", "m.xta", "c", "--format", "json"]).succeeds());
    assert_eq!((&report["proved"], &report["results"][0]["proved"]), (&true.into(), &true.into()));

    let corrupted = fs::read_to_string(folder.join("c")).unwrap().replacen("<=", "<", 1);
    fs::write(folder.join("d"), corrupted).unwrap();
    let run = run_in(&folder, &["certify", "m.xta", "d", "--format", "json"]);
    assert_eq!(run.status, 1);
    assert!(certify.validate(&run.out)["results"][0]["refusal"]["reason"].is_string());
    let corrupted = fs::read_to_string(folder.join("t")).unwrap().replacen("Cross", "Safe", 1);
    fs::write(folder.join("u"), corrupted).unwrap();
    let run = run_in(&folder, &["replay", "m.xta", "u", "--format", "json"]);
    assert_eq!(run.status, 1);
    assert!(replay.validate(&run.out)["results"][0]["reason"].is_string());
    for (command, schema) in [("certify", &certify), ("replay", &replay)] {
        let run = run_in(&folder, &[command, "m.xta", "m.xta", "--format", "json"]);
        assert_eq!((run.status, run.err.as_str()), (3, ""));
        assert_eq!(schema.validate(&run.out)["malformed"]["line"], 1);
        let run = run_in(&ui(), &[command, "broken.xta", "m.xta", "--format", "json"]);
        assert_eq!(run.status, 3);
        assert!(!schema.validate(&run.out)["diagnostics"].as_array().unwrap().is_empty());
    }
}

#[test]
fn every_line_of_a_simulation_keeps_to_the_schema() {
    let schema = Schema::read("simulate.schema.json");
    let script = "1 @ 7/2\n\nnonsense\nbreak y > 1\nbreak x > 1\nrandom 5\nundo\nshow x\ntrace\nhelp\nquit\n";
    let run = finish(command(&ui()).args(["simulate", "lamp.xta", "--format", "json"]), script.as_bytes());
    assert_eq!((run.status, run.err.as_str()), (3, ""));
    let lines: Vec<Value> = run.out.lines().map(|line| schema.validate(line)).collect();
    let ok: Vec<bool> = lines.iter().map(|line| line["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [true, true, false, false, true, true, true, true, true, true, true]);
    assert_eq!(lines[0]["now"]["transitions"][0]["delays"][0]["to"], Value::Null);
    assert_eq!(lines[1]["command"], "1 @ 7/2");
    assert_eq!(lines[1]["moves"][0]["step"]["delay"], "7/2");
    assert_eq!(lines[2]["help"], "`help` lists the commands");
    assert_eq!(lines[3]["diagnostics"][0]["code"], "unknown-name");
    assert!(lines[5]["message"].as_str().unwrap().starts_with("breakpoint 1: "));
    assert_eq!(lines[7]["values"][0]["expression"], "x");
    for name in ["broken.xta", "missing.xta"] {
        let run = run_in(&ui(), &["simulate", name, "--format", "json"]);
        assert_eq!(run.status, 3);
        assert_eq!(schema.validate(&run.out)["ok"], false);
    }
}

/// A report of many errors is short, says how many it leaves out, and counts them all.
#[test]
fn reports_of_many_errors_are_short() {
    let lines = |n: usize| (0..n).map(|i| format!("int v{i} = unknown{i};\n")).collect::<String>();
    let model = |n: usize| lines(n) + "process P() { state s; init s; } system P;";
    for (number, left_out) in [(100, None), (3_000, Some("2900 more diagnostics are left out"))] {
        let text = model(number);
        let run = run_with(text.as_bytes(), &["check", "-", "--format", "json"]);
        assert_eq!(run.status, 3, "{run:?}");
        assert!(run.out.len() < 200_000, "{} bytes", run.out.len());
        let report = Schema::read("check.schema.json").validate(&run.out);
        let file = &report["files"][0];
        assert_eq!((&file["valid"], file["summary"]["errors"].as_u64()), (&false.into(), Some(number as u64)));
        let last = file["diagnostics"].as_array().unwrap().last().unwrap();
        assert_eq!((last["code"] == "left-out").then(|| last["message"].as_str().unwrap()), left_out);
        for args in [&["check", "-", "--format", "sarif"][..], &["verify", "-", "-q", "E<> true", "--format", "json"]] {
            let run = run_with(text.as_bytes(), args);
            assert_eq!((run.status, run.out.len() < 200_000), (3, true), "{args:?}");
            assert_eq!(left_out.is_some_and(|text| run.out.contains(text)), left_out.is_some(), "{args:?}");
        }
        let run = run_with(text.as_bytes(), &["check", "-"]);
        assert_eq!(run.out.contains("and 2900 more\n"), left_out.is_some());
        assert!(run.out.ends_with(&format!("<stdin>: {number} errors\n")), "{run:?}");
    }
}

#[test]
fn progress_as_json_keeps_to_the_schema() {
    let schema = Schema::read("progress.schema.json");
    let lines = |args: &[&str]| -> Vec<Value> {
        let goal = "E<> P(1).critical and P(2).critical";
        let all = [&["verify", "fischer.xta", "-q", goal, "--progress", "json"], args].concat();
        let run = run_in(&models(""), &all);
        assert_eq!(run.status, 1, "{run:?}");
        run.err.lines().map(|line| schema.validate(line)).collect()
    };
    // The first line comes at once, however short the search.
    for order in ["bfs", "auto"] {
        let lines = lines(&["--threads", "3", "--order", order]);
        let search = &lines[0]["search"];
        let workers = search["workers"].as_array().unwrap();
        assert_eq!((workers.len(), workers[0]["strategy"].is_null()), (1, true), "{lines:?}");
        assert_eq!(workers[0]["explored"], search["explored"], "{lines:?}");
        assert_eq!(lines[0]["formula"], Value::Null);
    }
    // A search that does not end has several threads soon.
    let goal = "E<> Process(1).inside and Process(2).inside";
    for (threads, order) in [(3, "bfs"), (2, "auto")] {
        let limit = ["-D", "N=14", "-q", goal, "--time-limit", "2s", "--order", order];
        let number = threads.to_string();
        let all = [&["verify", "fischer.xta", "--progress", "json", "--threads", &number], &limit[..]].concat();
        let run = run_in(&models("zones"), &all);
        assert_eq!(run.status, 2, "{run:?}");
        let lines: Vec<Value> = run.err.lines().map(|line| schema.validate(line)).collect();
        let mut workers = lines.iter().filter_map(|line| line["search"]["workers"].as_array());
        let workers = workers.rfind(|workers| workers.len() == threads).unwrap();
        assert!(workers.iter().all(|worker| worker["strategy"].is_string() == (order == "auto")), "{lines:?}");
        let explored: u64 = workers.iter().map(|worker| worker["explored"].as_u64().unwrap()).sum();
        assert!(explored > 0 && lines.iter().any(|line| line["search"]["explored"].as_u64() >= Some(explored)));
    }
    let goal = "A[] not (P(1).critical and P(2).critical)";
    let args = ["verify", "fischer.xta", "-q", goal, "--engine", "smt", "--progress", "json"];
    let run = run_in(&models(""), &args);
    assert_eq!(run.status, 0, "{run:?}");
    let formulas: Vec<Value> = run.err.lines().map(|line| schema.validate(line)).collect();
    assert!(formulas[0]["formula"]["nodes"].is_u64() && formulas[0]["search"].is_null(), "{formulas:?}");
}
