//! Documents: opening, changing, undoing, saving.

use std::fs;

use axum::http::StatusCode;
use serde_json::{Value, json};
use studio::Config;

use crate::support::{Host, run};

const LAMP: &str = "<?xml version=\"1.0\"?>\r\n<nta>\r\n<declaration>clock x; // a &lt; b\r\nint n;</declaration>\
    <template><name>Lamp</name><location id=\"a\" x=\"1\" color=\"#123456\"/><init ref=\"a\"/></template>\
    <!-- kept --><system>system Lamp;</system>\r\n<queries><query><formula>E&lt;&gt; n == 0</formula>\
    <comment>c</comment><result outcome=\"success\" type=\"quality\" timestamp=\"2020\"/></query></queries></nta>\r\n";

fn revision(document: &Value) -> u64 {
    document["revision"].as_u64().unwrap()
}

#[test]
fn a_change_is_checked_undone_redone_and_saved() {
    run(async {
        let host = Host::with("lamp.xml", LAMP);
        let (session, document) = host.open("lamp.xml").await;
        assert_eq!((&document["valid"], &document["changed"]), (&json!(true), &json!(false)), "{document}");
        assert_eq!(document["queries"][0]["text"], "E<> n == 0");
        assert_eq!(document["queries"][0]["recorded"], json!(["success, 2020"]));
        let fragment = host.get(&format!("{session}/fragment?path=/nta/declaration")).await;
        assert_eq!(fragment["text"], "clock x; // a < b\nint n;");
        let change = |revision, from, to, text: &str| {
            let patch = json!([{ "from": from, "to": to, "text": text }]);
            json!({ "revision": revision, "path": "/nta/declaration", "patches": patch })
        };
        let document = host.post(&format!("{session}/patches"), change(1, 18, 21, "\nintt")).await;
        assert_eq!((&document["valid"], &document["changed"]), (&json!(false), &json!(true)));
        let at = &document["problems"][0]["at"];
        assert_eq!((&at["path"], &at["from"], &at["line"]), (&json!("/nta/declaration"), &json!(19), &json!(3)));
        let (status, _) = host.ask("POST", &format!("{session}/patches"), &change(1, 0, 0, "x")).await;
        assert_eq!(status, StatusCode::CONFLICT, "an old revision");
        let document = host.post(&format!("{session}/patches"), change(2, 22, 23, "")).await;
        assert_eq!(document["valid"], true, "{document}");
        host.post(&format!("{session}/save"), json!({})).await;
        let saved = fs::read_to_string(host.folder.join("lamp.xml")).unwrap();
        assert_eq!(saved, LAMP.replace("\r\nint n;", "\r\n\r\nint n;"));
        for (which, expected) in [("undo", 2), ("redo", 1), ("undo", 2)] {
            let mut document = json!({ which: true });
            for _ in 0..expected {
                if document[which] == true {
                    document = host.post(&format!("{session}/{which}"), Value::Null).await;
                }
            }
        }
        host.post(&format!("{session}/save"), json!({})).await;
        assert_eq!(fs::read_to_string(host.folder.join("lamp.xml")).unwrap(), LAMP);
        let document = host.get(&format!("{session}/document")).await;
        assert_eq!((&document["changed"], &document["undo"]), (&json!(false), &json!(false)));
        assert!(revision(&document) > 5);
    });
}

#[test]
fn typing_of_one_group_is_one_step() {
    run(async {
        let host = Host::with("m.xta", "process P() { state a; init a; } system P;");
        let (session, _) = host.open("m.xta").await;
        let change = |revision, at, text: &str, group: &str| {
            let patches = json!([{ "from": at, "to": at, "text": text }]);
            json!({ "revision": revision, "path": "", "patches": patches, "group": group })
        };
        host.post(&format!("{session}/patches"), change(1, 0, "/", "1")).await;
        host.post(&format!("{session}/patches"), change(2, 1, "/", "1")).await;
        host.post(&format!("{session}/patches"), change(3, 2, "\n", "2")).await;
        host.post(&format!("{session}/undo"), Value::Null).await;
        let document = host.post(&format!("{session}/undo"), Value::Null).await;
        assert_eq!((&document["undo"], &document["changed"]), (&json!(false), &json!(false)));
    });
}

#[test]
fn queries_of_text_models_are_those_of_the_file_beside() {
    run(async {
        let host = Host::with("m.xta", "process P() { state a; init a; } system P;");
        fs::write(host.folder.join("m.q"), "// first\nE<> P.a\n").unwrap();
        let (session, document) = host.open("m.xta").await;
        assert_eq!((&document["beside"], &document["queries"][0]["name"]), (&json!("m.q"), &json!("first")));
        let patches = json!([{ "from": 17, "to": 17, "text": "A[] Q.a\n" }]);
        let change = json!({ "revision": 1, "path": "queries", "patches": patches });
        let document = host.post(&format!("{session}/patches"), change).await;
        let problem = &document["queries"][1]["problems"][0];
        assert_eq!((&problem["at"]["path"], &problem["at"]["from"]), (&json!("queries"), &json!(21)), "{document}");
        host.post(&format!("{session}/save"), json!({})).await;
        assert_eq!(fs::read_to_string(host.folder.join("m.q")).unwrap(), "// first\nE<> P.a\nA[] Q.a\n");
    });
}

#[test]
fn what_other_programs_write_is_not_replaced_silently() {
    run(async {
        let host = Host::with("m.xta", "system P;");
        let (session, _) = host.open("m.xta").await;
        let patches = json!([{ "from": 0, "to": 0, "text": "//\n" }]);
        host.post(&format!("{session}/patches"), json!({ "revision": 1, "path": "", "patches": patches })).await;
        fs::write(host.folder.join("m.xta"), "other").unwrap();
        let (status, answer) = host.ask("POST", &format!("{session}/save"), &json!({})).await;
        assert_eq!(status, StatusCode::CONFLICT);
        assert!(answer["error"].as_str().unwrap().contains("changed by another program"), "{answer}");
        fs::write(host.folder.join("n.xta"), "there").unwrap();
        let (status, _) = host.ask("POST", &format!("{session}/save"), &json!({ "path": "n.xta" })).await;
        assert_eq!(status, StatusCode::CONFLICT);
        let document = host.post(&format!("{session}/save"), json!({ "path": "o.xta" })).await;
        assert_eq!(document["fragments"][0]["name"], "o.xta");
        assert_eq!((&document["path"], &document["changed"]), (&json!("o.xta"), &json!(false)));
        host.post(&format!("{session}/save"), json!({ "path": "n.xta", "force": true })).await;
        let read = |name| fs::read_to_string(host.folder.join(name)).unwrap();
        assert_eq!([read("m.xta"), read("n.xta"), read("o.xta")], ["other", "//\nsystem P;", "//\nsystem P;"]);
    });
}

#[test]
fn text_from_a_browser_is_opened_and_saved_under_a_name() {
    run(async {
        let host = Host::new(Config::default());
        let body = json!({ "name": "../x/a.xta", "text": "system P;", "queries": null, "path": null });
        let begun = host.post("/api/sessions", body).await;
        let session = format!("/api/sessions/{}", begun["session"].as_str().unwrap());
        assert_eq!((&begun["document"]["name"], &begun["document"]["path"]), (&json!("a.xta"), &Value::Null));
        let (status, _) = host.ask("POST", &format!("{session}/save"), &json!({})).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
        host.post(&format!("{session}/save"), json!({ "path": "a.xta" })).await;
        assert_eq!(fs::read_to_string(host.folder.join("a.xta")).unwrap(), "system P;");
        assert_eq!(host.get("/api/files").await, json!([{ "path": "a.xta", "bytes": 9 }]));
    });
}

/// The models of other people open, are the same after saving them, and after an edit differ only
/// there.
#[test]
fn models_are_saved_as_they_are() {
    run(async {
        let host = Host::new(Config::default());
        for path in oracle::corpora("uppaal").iter().flat_map(|corpus| corpus.files(&["xml"])) {
            let text = fs::read(&path).unwrap();
            fs::write(host.folder.join("m.xml"), &text).unwrap();
            let (status, begun) = host.ask("POST", "/api/sessions", &json!({ "file": "m.xml" })).await;
            if status != StatusCode::OK {
                // Neither does `check` read what is not text.
                assert!(syntax::source::decode(&text).is_err(), "{}: {begun}", path.display());
                continue;
            }
            let session = format!("/api/sessions/{}", begun["session"].as_str().unwrap());
            host.post(&format!("{session}/save"), json!({ "path": "copy.xml", "force": true })).await;
            assert!(fs::read(host.folder.join("copy.xml")).unwrap() == text, "{}", path.display());
            let fragments = begun["document"]["fragments"].as_array().unwrap();
            let edited = fragments.iter().find(|f| f["exists"] == true && f["path"] != "");
            if let Some(fragment) = edited {
                let patches = json!([{ "from": 0, "to": 0, "text": "// <&>" }]);
                let change = json!({ "revision": 1, "path": fragment["path"], "patches": patches });
                host.post(&format!("{session}/patches"), change).await;
                host.post(&format!("{session}/save"), json!({})).await;
                let saved = fs::read(host.folder.join("copy.xml")).unwrap();
                let same = saved.iter().zip(&text).take_while(|(a, b)| a == b).count();
                let added = saved.len() - text.len();
                assert!(saved[same + added..] == text[same..] && added < 40, "{}", path.display());
                host.post(&format!("{session}/undo"), Value::Null).await;
                host.post(&format!("{session}/save"), json!({})).await;
                assert!(fs::read(host.folder.join("copy.xml")).unwrap() == text, "{}", path.display());
            }
            host.ask("DELETE", &session, &Value::Null).await;
        }
    });
}

#[test]
fn queries_are_added_changed_and_removed_where_they_are() {
    run(async {
        for (name, text) in [("lamp.xml", LAMP), ("m.xta", "int n; process Lamp() { state a; init a; } system Lamp;")] {
            let host = Host::with(name, text);
            fs::write(host.folder.join("m.q"), "// head\n\n// c\nE<> n == 0\n").unwrap();
            let (session, document) = host.open(name).await;
            assert_eq!(document["queries"].as_array().unwrap().len(), 1, "{document}");
            let path = format!("{session}/queries/edit");
            let edit = |document: &Value, edit: Value| {
                host.post(&path, json!({ "revision": document["revision"], "edit": edit }))
            };
            let document = edit(&document, json!({ "add": { "text": "A[] n <\n 1", "comment": "two\nlines" } })).await;
            assert_eq!(document["queries"][1]["problems"], json!([]), "{document}");
            let comment = "changed & kept";
            let document =
                edit(&document, json!({ "set": { "number": 0, "text": "E<> n > 0", "comment": comment } })).await;
            assert_eq!(document["queries"][0]["text"], "E<> n > 0", "{document}");
            assert_eq!(document["queries"][0]["name"], comment);
            assert_eq!(document["queries"][1]["comment"].as_str().unwrap().trim(), "two\nlines");
            let document = edit(&document, json!({ "remove": 0 })).await;
            assert_eq!(document["queries"].as_array().unwrap().len(), 1, "{document}");
            for _ in 0..3 {
                host.post(&format!("{session}/undo"), Value::Null).await;
            }
            let document = host.get(&format!("{session}/document")).await;
            assert_eq!((&document["changed"], &document["undo"]), (&json!(false), &json!(false)), "{name}");
            let wrong = json!({ "revision": document["revision"], "edit": { "remove": 7 } });
            let (status, _) = host.ask("POST", &format!("{session}/queries/edit"), &wrong).await;
            assert!(status.is_client_error());
        }
    });
}

#[test]
fn an_element_that_the_file_lacks_begins_with_the_first_edit() {
    run(async {
        let text = "<nta><template><name>P</name><location id=\"a\"/><init ref=\"a\"/></template><system>system P;</system></nta>";
        let host = Host::with("m.xml", text);
        let (session, document) = host.open("m.xml").await;
        let path = "/nta/template[1]/declaration";
        let of = |document: &Value| {
            document["fragments"].as_array().unwrap().iter().find(|f| f["path"] == path).unwrap().clone()
        };
        assert_eq!(of(&document)["exists"], false);
        let patches = json!([{ "from": 0, "to": 0, "text": "clock x;" }]);
        let document =
            host.post(&format!("{session}/patches"), json!({ "revision": 1, "path": path, "patches": patches })).await;
        assert_eq!((&of(&document)["exists"], &document["valid"]), (&json!(true), &json!(true)), "{document}");
        let fragment = host.get(&format!("{session}/fragment?path={path}")).await;
        assert_eq!(fragment["text"], "clock x;");
        assert_eq!(fragment["tokens"], json!([[0, 5, "keyword"], [6, 1, "clock"]]));
    });
}

#[test]
fn names_are_completed_and_found() {
    run(async {
        let text = "// \u{1d54f}\r\nclock time; const int N = 2; int total;\r\nprocess P() { int tick; state a, b; init a;\r\n\
            trans a -> b { guard time > N; assign total = N, tick = total; }; } system P;";
        let host = Host::with("m.xta", text);
        let (session, _) = host.open("m.xta").await;
        let shown = text.replace("\r\n", "\n");
        let at = |word: &str| shown[..shown.find(word).unwrap()].encode_utf16().count();
        let offers = async |path: &str, at: usize, before: &str| -> Vec<String> {
            let body = json!({ "path": path, "at": at, "before": before });
            let offers = host.post(&format!("{session}/complete"), body).await;
            offers.as_array().unwrap().iter().map(|offer| offer["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(
            offers("", at("total = N"), "  guard t").await,
            ["tick", "time", "total", "trans", "true", "typedef"]
        );
        assert_eq!(offers("", 8, "t").await, ["time", "total", "trans", "true", "typedef"], "outside of the template");
        assert_eq!(offers("queries", 0, "E<> P.").await, ["a", "b", "tick"]);
        let found = host.post(&format!("{session}/definition"), json!({ "path": "", "at": at("total = N") + 2 })).await;
        assert_eq!((&found["name"], &found["declared"]["from"]), (&json!("total"), &json!(at("total;"))), "{found}");
        let uses: Vec<_> = found["uses"].as_array().unwrap().iter().map(|place| place["from"].clone()).collect();
        assert_eq!(uses, [json!(at("total = N")), json!(at("total; }"))]);
        let nothing = host.post(&format!("{session}/definition"), json!({ "path": "", "at": 1 })).await;
        assert_eq!(nothing, Value::Null);
    });
}

#[test]
fn xml_without_queries_has_those_of_the_file_beside() {
    run(async {
        let text = "<nta><template><name>P</name><location id=\"a\"/><init ref=\"a\"/></template><system>system P;</system></nta>";
        let host = Host::with("m.xml", text);
        fs::write(host.folder.join("m.q"), "A[] true\n").unwrap();
        let (session, document) = host.open("m.xml").await;
        assert_eq!((&document["beside"], &document["queries"][0]["text"]), (&json!("m.q"), &json!("A[] true")));
        let edit = json!({ "revision": 1, "edit": { "add": { "text": "E<> true", "comment": "" } } });
        host.post(&format!("{session}/queries/edit"), edit).await;
        host.post(&format!("{session}/save"), json!({})).await;
        let read = |name| fs::read_to_string(host.folder.join(name)).unwrap();
        assert_eq!((read("m.q").as_str(), read("m.xml").as_str()), ("A[] true\nE<> true\n", text));
    });
}
