//! Renaming of declared names, with the queries beside the model.

use std::fs;

use axum::http::StatusCode;
use oracle::corpora;
use serde_json::{Value, json};
use studio::Config;

use crate::support::{Host, run};

const MODEL: &str = "typedef int[0,3] id_t;\nconst int k = 2;\nint x; // x stays here\nclock c;\nchan go[id_t];\n\
    struct { int x; int y; } s;\nint twice(int x) { int y = x; return y + x; }\nint more() { return x + s.x; }\n\
    process P(id_t id) {\n    int y;\n    state A { c <= k }, B;\n    init A;\n\
    \u{20}   trans A -> B { select i : id_t; guard x < k && i == id; sync go[id]!; assign x = twice(x), y = x, s.x = x; };\n}\n\
    process Q(id_t x) {\n    state A;\n    init A;\n    trans A -> A { guard x > 0; sync go[x]?; };\n}\n\
    P1 = P(1);\nQ1 = Q(1);\nsystem P1, Q1;\n";
const QUERIES: &str =
    "// x is small\nE<> P1.B and x == 1\nA[] P1.y <= k && forall (x : id_t) x >= 0\nE<> Q1.A && P1.A and s.x == 0\n";

/// Texts, and those that replace them.
type Replaced = &'static [(&'static str, &'static str)];

struct Renamed {
    host: Host,
    session: String,
}

impl Renamed {
    async fn open(name: &str, model: &str, queries: &str) -> Renamed {
        let host = Host::new(Config::default());
        fs::write(host.folder.join(name), model).unwrap();
        let stem = &name[..name.find('.').unwrap()];
        fs::write(host.folder.join(format!("{stem}.q")), queries).unwrap();
        let (session, _) = host.open(name).await;
        Renamed { host, session }
    }

    async fn texts(&self) -> (String, String) {
        let source = self.host.get(&format!("{}/source", self.session)).await;
        (source["model"].as_str().unwrap().to_owned(), source["queries"].as_str().unwrap_or_default().to_owned())
    }

    /// Renames what is at the given occurrence of a text in the model or the queries.
    async fn rename(&self, path: &str, before: &str, name: &str) -> (StatusCode, Value) {
        let (model, queries) = self.texts().await;
        let text = if path == "queries" { queries } else { model };
        let at = text.find(before).unwrap() + before.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |i| i + 1);
        let revision = self.host.get(&format!("{}/document", self.session)).await["revision"].clone();
        let body = json!({ "revision": revision, "path": path, "at": at, "name": name });
        self.host.ask("POST", &format!("{}/rename", self.session), &body).await
    }

    async fn undo(&self) {
        self.host.post(&format!("{}/undo", self.session), Value::Null).await;
    }
}

/// Each name changes where it is meant, and nowhere else.
#[test]
fn a_name_is_renamed_within_its_scope() {
    run(async {
        let of = Renamed::open("m.xta", MODEL, QUERIES).await;
        let replaced = |text: &str, pairs: &[(&str, &str)]| {
            pairs.iter().fold(text.to_owned(), |text, (old, new)| {
                assert!(text.contains(old), "{old}");
                text.replace(old, new)
            })
        };
        // Where it is found, the new name, and what changes in the model and in the queries.
        let cases: [(&str, &str, &str, Replaced, Replaced); 10] = [
            (
                "",
                "int x",
                "total",
                &[
                    ("int x; //", "int total; //"),
                    ("return x + s.x", "return total + s.x"),
                    ("guard x < k", "guard total < k"),
                    ("x = twice(x), y = x, s.x = x;", "total = twice(total), y = total, s.x = total;"),
                ],
                &[("x == 1", "total == 1")],
            ),
            // From a use in a query.
            (
                "queries",
                "<= k",
                "limit",
                &[("int k", "int limit"), ("<= k ", "<= limit "), ("x < k", "x < limit")],
                &[("<= k", "<= limit")],
            ),
            // A parameter of a function, and one of a template, hide the variable.
            (
                "",
                "twice(int x",
                "of",
                &[(
                    "int twice(int x) { int y = x; return y + x; }",
                    "int twice(int of) { int y = of; return y + of; }",
                )],
                &[],
            ),
            (
                "",
                "Q(id_t x",
                "who",
                &[("Q(id_t x)", "Q(id_t who)"), ("guard x > 0; sync go[x]?", "guard who > 0; sync go[who]?")],
                &[],
            ),
            // A variable of a template, also in queries.
            (
                "",
                "    int y",
                "own",
                &[("    int y;", "    int own;"), (", y = x", ", own = x")],
                &[("P1.y", "P1.own")],
            ),
            // A type, in parameters, dimensions, selections and quantifiers.
            ("", "typedef int[0,3] id_t", "number", &[("id_t", "number")], &[("id_t", "number")]),
            ("", "clock c", "time_of", &[("clock c", "clock time_of"), ("{ c <=", "{ time_of <=")], &[]),
            ("", "chan go", "start", &[("go[", "start[")], &[]),
            ("", "int twice", "double_of", &[("twice(", "double_of(")], &[]),
            ("", "select i", "choice", &[("select i :", "select choice :"), ("i == id", "choice == id")], &[]),
        ];
        for (path, before, name, model, queries) in cases {
            let (status, answer) = of.rename(path, before, name).await;
            assert_eq!(status, StatusCode::OK, "{before}: {answer}");
            assert_eq!(answer["valid"], json!(true), "{before}: {answer}");
            let expected = (replaced(MODEL, model), replaced(QUERIES, queries));
            assert_eq!(of.texts().await, expected, "{before}");
            of.undo().await;
            assert_eq!(of.texts().await, (MODEL.to_owned(), QUERIES.to_owned()), "{before}");
        }
        // Instances, locations and templates.
        for (path, before, name, model, queries) in [
            ("", "P1", "First", [("P1 =", "First ="), ("system P1", "system First")], ("P1.", "First.")),
            ("queries", "P1.B", "Done", [("}, B;", "}, Done;"), ("A -> B", "A -> Done")], ("P1.B", "P1.Done")),
            ("", "process P", "Sender", [("process P(", "process Sender("), ("= P(", "= Sender(")], ("E<>", "E<>")),
        ] {
            let (status, answer) = of.rename(path, before, name).await;
            assert_eq!(status, StatusCode::OK, "{before}: {answer}");
            let expected = (replaced(MODEL, &model), replaced(QUERIES, &[queries]));
            assert_eq!(of.texts().await, expected, "{before}");
            of.undo().await;
            assert_eq!(of.texts().await, (MODEL.to_owned(), QUERIES.to_owned()));
        }
    });
}

/// A name that would capture a use, or clash, is refused, and the refusal says why.
#[test]
fn a_name_that_changes_the_meaning_is_refused() {
    run(async {
        let of = Renamed::open("m.xta", MODEL, QUERIES).await;
        for (path, before, name, why) in [
            // Declared twice.
            ("", "int x", "k", "declared twice"),
            ("", "    int y", "id", "declared twice"),
            // The parameter of `P` would capture the uses there.
            ("", "int x", "id", "capture"),
            ("", "int x", "y", "capture"),
            // The variable of the function would be hidden by its parameter, or hide it.
            ("", "twice(int x", "y", ""),
            // Uses of the global `x` would become those of the template's variable.
            ("", "    int y", "x", "capture"),
            ("", "select i", "id", "capture"),
            // The quantifier of a query would capture it.
            ("queries", "<= k", "x", ""),
            ("", "int x", "int", "reserved"),
            ("", "int x", "1x", "not a name"),
            ("", "int x", "", "not a name"),
            ("", "// x", "y", "no name"),
            // The field of a struct is no name of the model.
            ("", "struct { int x", "z", "no name"),
        ] {
            let (status, answer) = of.rename(path, before, name).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{before} to {name}: {answer}");
            let message = answer["error"].as_str().unwrap();
            assert!(message.contains(why), "{before} to {name}: {message}");
            assert_eq!(of.texts().await, (MODEL.to_owned(), QUERIES.to_owned()));
        }
        // With an error, nobody knows what the names mean.
        let broken = Renamed::open("m.xta", &MODEL.replace("x < k", "x < kk"), QUERIES).await;
        let (status, answer) = broken.rename("", "int x", "z").await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer["error"].as_str().unwrap().contains("the model has errors"));
    });
}

/// What is renamed in the drawing is renamed in the queries beside the model, in one step.
#[test]
fn the_drawing_renames_in_the_queries_beside() {
    run(async {
        let edit = |of: &Renamed, revision: Value, operation: Value| {
            let path = format!("{}/edit", of.session);
            (path, json!({ "revision": revision, "operation": operation }))
        };
        let net = "net n\npl {a b} (1)\npl q\ntr t {a b} -> q\n";
        let tck = "system:s\nevent:go\nprocess:P\nlocation:P:A{initial:}\nlocation:P:B\nedge:P:A:B:go\n";
        for (name, model, queries, operation, new_model, new_queries) in [
            (
                "m.xta",
                MODEL,
                QUERIES,
                json!({ "op": "rename-location", "template": 0, "location": 1, "name": "Done" }),
                MODEL.replace("}, B;", "}, Done;").replace("A -> B", "A -> Done"),
                QUERIES.replace("P1.B", "P1.Done"),
            ),
            (
                "m.tck",
                tck,
                "E<> P.B\nA[] not P.A\n",
                json!({ "op": "rename-location", "template": 0, "location": 1, "name": "Z" }),
                tck.replace(":B", ":Z"),
                "E<> P.Z\nA[] not P.A\n".to_owned(),
            ),
            (
                "m.tck",
                "system:s\nevent:go\nprocess:P\nlocation:P:P{initial:}\nedge:P:P:P:go\nprocess:Q # of P\nlocation:Q:A{initial:}\n\
                 edge:Q:A:A:go\nsync:P@go:Q@go\n",
                "E<> P.P && Q.A\n",
                json!({ "op": "rename-template", "template": 0, "name": "Sender" }),
                "system:s\nevent:go\nprocess:Sender\nlocation:Sender:P{initial:}\nedge:Sender:P:P:go\nprocess:Q # of P\nlocation:Q:A{initial:}\n\
                 edge:Q:A:A:go\nsync:Sender@go:Q@go\n".to_owned(),
                "E<> Sender.P && Q.A\n".to_owned(),
            ),
            (
                "m.net",
                net,
                "E<> a_b == 0 && q == 1\n",
                json!({ "op": "rename-node", "template": 0, "node": { "place": 0 }, "name": "c d" }),
                net.replace("{a b}", "{c d}"),
                "E<> c_d == 0 && q == 1\n".to_owned(),
            ),
            (
                "m.net",
                net,
                "E<> a_b == 0 && q == 1\n",
                json!({ "op": "rename-node", "template": 0, "node": { "place": 1 }, "name": "goal" }),
                net.replace("pl q", "pl goal").replace("-> q", "-> goal"),
                "E<> a_b == 0 && goal == 1\n".to_owned(),
            ),
        ] {
            let of = Renamed::open(name, model, queries).await;
            let revision = of.host.get(&format!("{}/document", of.session)).await["revision"].clone();
            let (path, body) = edit(&of, revision, operation.clone());
            let (status, answer) = of.host.ask("POST", &path, &body).await;
            assert_eq!(status, StatusCode::OK, "{operation}: {answer}");
            assert!(
                answer["queries"].as_array().unwrap().iter().all(|q| q["problems"].as_array().unwrap().is_empty()),
                "{answer}"
            );
            assert_eq!(of.texts().await, (new_model, new_queries), "{operation}");
            of.undo().await;
            assert_eq!(of.texts().await, (model.to_owned(), queries.to_owned()));
        }
        // A place is renamed from a query as well.
        let of = Renamed::open("m.net", net, "E<> a_b == 0 && q == 1\n").await;
        let (status, answer) = of.rename("queries", "&& q", "goal").await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        assert_eq!(of.texts().await.1, "E<> a_b == 0 && goal == 1\n");
    });
}

/// Random names of real models are renamed, and back: the texts are the same as before, and the
/// model in between has no error.
#[test]
fn names_of_real_models_are_renamed_and_back() {
    run(async {
        let files = corpora("uppaal").into_iter().flat_map(|corpus| corpus.files(&["xml", "xta"]));
        let (mut made, mut refused, mut seed) = (0, 0, 1u64);
        let mut below = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % n.max(1) as u64) as usize
        };
        for file in files.enumerate().filter(|(number, _)| number % 9 == 0).map(|(_, file)| file) {
            let bytes = fs::read(&file).unwrap();
            if bytes.len() > 25_000 {
                continue;
            }
            let name = if file.extension().is_some_and(|e| e == "xta") { "m.xta" } else { "m.xml" };
            let host = Host::with(name, "");
            fs::write(host.folder.join(name), &bytes).unwrap();
            let (status, begun) = host.ask("POST", "/api/sessions", &json!({ "file": name })).await;
            let Some(id) = begun["session"].as_str().filter(|_| status == StatusCode::OK) else { continue };
            let session = format!("/api/sessions/{id}");
            if begun["document"]["valid"] != json!(true) {
                continue;
            }
            let fragments: Vec<String> = begun["document"]["fragments"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|f| f["exists"] == json!(true) && (name == "m.xta" || f["path"] != json!("")))
                .map(|f| f["path"].as_str().unwrap().to_owned())
                .collect();
            let original = host.get(&format!("{session}/source")).await["model"].clone();
            for _ in 0..6 {
                let path = &fragments[below(fragments.len())];
                let read = |path: String| {
                    let (host, session) = (&host, &session);
                    async move {
                        host.get(&format!("{session}/fragment?path={path}")).await["text"].as_str().unwrap().to_owned()
                    }
                };
                let text = read(path.clone()).await;
                let starts: Vec<usize> = text
                    .char_indices()
                    .filter(|(at, c)| {
                        c.is_ascii_alphabetic()
                            && !text[..*at].ends_with(|b: char| b.is_ascii_alphanumeric() || b == '_')
                    })
                    .map(|(at, _)| at)
                    .collect();
                if starts.is_empty() || !text.is_ascii() {
                    continue;
                }
                let at = starts[below(starts.len())];
                let word: String = text[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let rename = |at: usize, name: &str, revision: &Value| json!({ "revision": revision, "path": path, "at": at, "name": name });
                let revision = host.get(&format!("{session}/document")).await["revision"].clone();
                let (status, answer) =
                    host.ask("POST", &format!("{session}/rename"), &rename(at, "renamed_zz", &revision)).await;
                if status != StatusCode::OK {
                    refused += 1;
                    continue;
                }
                assert_eq!(answer["valid"], json!(true), "{}: {word}: {answer}", file.display());
                let there = read(path.clone()).await.find("renamed_zz").unwrap();
                let back = rename(there, &word, &answer["revision"]);
                let (status, answer) = host.ask("POST", &format!("{session}/rename"), &back).await;
                assert_eq!(status, StatusCode::OK, "{}: {word}: {answer}", file.display());
                assert_eq!(
                    host.get(&format!("{session}/source")).await["model"],
                    original,
                    "{}: {word}",
                    file.display()
                );
                made += 1;
            }
        }
        assert!(made > 10, "{made} made, {refused} refused");
    });
}
