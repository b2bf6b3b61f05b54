//! Edits of drawings, through the server.

use std::fs;

use axum::http::StatusCode;
use oracle::corpora;
use serde_json::{Value, json};

use crate::support::{Host, run};

/// Random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n.max(1) as u64) as usize
    }
}

/// Returns a random edit of a drawing.
fn operation(drawings: &Value, dice: &mut Dice) -> Value {
    let all = drawings["drawings"].as_array().unwrap();
    let template = dice.below(all.len());
    let count = |what: &str| all.get(template).and_then(|d| d[what].as_array()).map_or(0, Vec::len);
    let (location, edge) = (dice.below(count("locations")), dice.below(count("edges")));
    let at = [dice.below(900), dice.below(900)];
    match dice.below(11) {
        0 => json!({ "op": "add-location", "template": template, "at": at }),
        1 => {
            json!({ "op": "add-edge", "template": template, "source": { "location": location }, "target": { "location": 0 }, "nails": [at] })
        }
        2 => json!({ "op": "delete", "template": template, "items": [{ "edge": edge }] }),
        3 => json!({ "op": "delete", "template": template, "items": [{ "location": location }] }),
        4 => json!({ "op": "move", "template": template, "places": [{ "item": { "location": location }, "at": at }] }),
        5 => json!({ "op": "nails", "template": template, "edge": edge, "nails": [at, at] }),
        6 => json!({ "op": "committed", "template": template, "location": location, "on": true }),
        7 => {
            json!({ "op": "label", "template": template, "of": { "edge": edge }, "kind": "guard", "text": "a < b && \"]]>" })
        }
        8 => {
            json!({ "op": "label", "template": template, "of": { "location": location }, "kind": "invariant", "text": "" })
        }
        9 => json!({ "op": "add-query", "formula": "A[] not deadlock" }),
        _ => json!({ "op": "layout", "template": template }),
    }
}

/// Random edits of real models are undone to the last byte, and done again.
#[test]
fn edits_are_undone_byte_for_byte() {
    run(async {
        let files = corpora("uppaal").into_iter().flat_map(|corpus| corpus.files(&["xml"]));
        let mut made = 0;
        for (number, file) in files.enumerate().filter(|(number, _)| number % 24 == 0) {
            let bytes = fs::read(&file).unwrap();
            if bytes.len() > 40_000 {
                continue;
            }
            let host = Host::with("m.xml", "");
            fs::write(host.folder.join("m.xml"), &bytes).unwrap();
            let (status, begun) = host.ask("POST", "/api/sessions", &json!({ "file": "m.xml" })).await;
            let Some(name) = begun["session"].as_str().filter(|_| status == StatusCode::OK) else { continue };
            let session = format!("/api/sessions/{name}");
            let mut revision = begun["document"]["revision"].clone();
            let mut dice = Dice(number as u64);
            let mut steps = 0;
            for _ in 0..12 {
                let drawings = host.get(&format!("{session}/drawings")).await;
                let body = json!({ "revision": revision, "operation": operation(&drawings, &mut dice) });
                let (status, answer) = host.ask("POST", &format!("{session}/edit"), &body).await;
                if status == StatusCode::OK {
                    steps += 1;
                    revision = answer["revision"].clone();
                } else {
                    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{}: {body}: {answer}", file.display());
                }
            }
            made += steps;
            let source = |text: Value| text["model"].as_str().unwrap().to_owned();
            let edited = source(host.get(&format!("{session}/source")).await);
            for (way, times) in [("undo", steps), ("redo", steps), ("undo", steps)] {
                let mut document = Value::Null;
                for _ in 0..times {
                    document = host.post(&format!("{session}/{way}"), Value::Null).await;
                }
                if way == "redo" {
                    assert_eq!(source(host.get(&format!("{session}/source")).await), edited, "{}", file.display());
                } else if steps > 0 {
                    assert_eq!(
                        (&document["undo"], &document["changed"]),
                        (&json!(false), &json!(false)),
                        "{}",
                        file.display()
                    );
                }
            }
            let (status, _) = host.ask("POST", &format!("{session}/save"), &json!({ "force": true })).await;
            assert_eq!(status, StatusCode::OK);
            assert!(fs::read(host.folder.join("m.xml")).unwrap() == bytes, "{}", file.display());
        }
        assert!(made > 10);
    });
}

#[test]
fn a_preview_keeps_nothing_and_refusals_say_why() {
    run(async {
        let model = "<nta><template><name>P</name><location id=\"a\"/><init ref=\"a\"/></template><system>system P;</system></nta>";
        let host = Host::with("m.xml", model);
        let (session, _) = host.open("m.xml").await;
        let label =
            json!({ "op": "label", "template": 0, "of": { "location": 0 }, "kind": "invariant", "text": "y < 3" });
        let looked = host.post(&format!("{session}/preview"), json!({ "operation": label })).await;
        let problem = &looked["drawings"][0]["locations"][0]["labels"][0]["problems"][0];
        assert_eq!((&problem["is_error"], &problem["from"], &problem["to"]), (&json!(true), &json!(0), &json!(1)));
        assert_eq!(host.get(&format!("{session}/source")).await["model"], model);
        let rename = json!({ "op": "rename-location", "template": 0, "location": 0, "name": "system" });
        let (status, answer) =
            host.ask("POST", &format!("{session}/edit"), &json!({ "revision": 1, "operation": rename })).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(answer["error"], "`system` is a reserved word: choose another name");
        let (status, _) =
            host.ask("POST", &format!("{session}/edit"), &json!({ "revision": 7, "operation": label })).await;
        assert_eq!(status, StatusCode::CONFLICT, "an old revision");
        let (status, _) =
            host.ask("POST", &format!("{session}/edit"), &json!({ "revision": 1, "operation": { "op": "x" } })).await;
        assert!(status.is_client_error());
    });
}
