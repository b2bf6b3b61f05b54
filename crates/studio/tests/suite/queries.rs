//! Searches: answers, evidence, limits, and their end with the page.

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};
use studio::Config;

use crate::support::{Host, run};

const DELAY: &str = "clock x; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x > 2; }; } system P;";

/// A model whose search takes long.
pub const SLOW: &str = "int[0,30] n, m, o, p; process P() { state a; init a; trans a -> a { guard n < 30; assign n++; }, \
    a -> a { guard m < 30; assign m++; }, a -> a { guard o < 30; assign o++; }, a -> a { guard p < 30; assign p++; }, \
    a -> a { assign n = 0; }; } system P;";

/// Waits until no search runs, and returns the answers.
pub async fn answers(host: &Host, session: &str) -> Vec<Value> {
    loop {
        let known = host.get(&format!("{session}/answers")).await;
        if known["running"].as_array().unwrap().is_empty() {
            return known["answers"].as_array().unwrap().clone();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn ask(host: &Host, session: &str, text: &str, options: Value) -> Value {
    host.post(&format!("{session}/queries"), json!({ "text": text, "options": options })).await;
    answers(host, session).await.pop().unwrap()
}

#[test]
fn answers_have_evidence_that_is_replayed_and_certified() {
    run(async {
        let host = Host::with("m.xta", DELAY);
        let (session, _) = host.open("m.xta").await;
        let trace = json!([{ "name": "trace", "value": "shortest" }]);
        let answer = ask(&host, &session, "E<> P.b", trace).await;
        assert_eq!((&answer["result"]["answer"], &answer["trace"]), (&json!("satisfied"), &json!(1)));
        let of = format!("{session}/answers/{}", answer["id"]);
        let replayed = host.post(&format!("{of}/replay"), Value::Null).await;
        assert_eq!((&replayed["ok"], &replayed["outcome"]), (&json!(true), &json!("ok")));
        // What is saved is what `merkhet replay` reads.
        let file = host.get(&format!("{of}/traces")).await;
        assert_eq!(show::replay::parse(&file.to_string()).unwrap().traces.len(), 1);
        let (status, _) = host.ask("POST", &format!("{of}/certify"), &Value::Null).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
        let answer = ask(&host, &session, "A[] P.b imply x > 2", json!([{ "name": "certificate", "value": "" }])).await;
        assert_eq!((&answer["result"]["answer"], &answer["proof"]), (&json!("satisfied"), &json!(true)));
        let certified = host.post(&format!("{session}/answers/{}/certify", answer["id"]), Value::Null).await;
        assert_eq!(certified["proved"], true, "{certified}");
    });
}

#[test]
fn evidence_is_that_of_the_model_that_was_asked() {
    run(async {
        let host = Host::with("m.xta", DELAY);
        let (session, _) = host.open("m.xta").await;
        let answer = ask(&host, &session, "E<> P.b", json!([{ "name": "trace", "value": "some" }])).await;
        let at = DELAY.find("x > 2").unwrap() + 4;
        let patches = json!([{ "from": at, "to": at + 1, "text": "9" }]);
        host.post(&format!("{session}/patches"), json!({ "revision": 1, "path": "", "patches": patches })).await;
        let replayed = host.post(&format!("{session}/answers/{}/replay", answer["id"]), Value::Null).await;
        assert_eq!((&replayed["ok"], &answer["revision"]), (&json!(true), &json!(1)));
        let answer = ask(&host, &session, "E<> P.b", json!([])).await;
        assert_eq!((&answer["result"]["answer"], &answer["revision"]), (&json!("not satisfied"), &json!(2)));
    });
}

#[test]
fn what_can_not_be_asked_is_refused_with_its_reason() {
    run(async {
        let host = Host::with("m.xta", DELAY);
        std::fs::write(host.folder.join("wrong.xta"), "system Q;").unwrap();
        let (session, _) = host.open("m.xta").await;
        let cases = [
            (json!({ "text": "E<> Q.b" }), "unknown"),
            (json!({ "text": "" }), "no query"),
            (json!({}), "no query"),
            (json!({ "numbers": [3] }), "no query 4"),
            (json!({ "text": "E<> P.b", "options": [{ "name": "ordr", "value": "bfs" }] }), "did you mean `order`"),
            (json!({ "text": "E<> P.b", "options": [{ "name": "order", "value": "bsf" }] }), "did you mean `bfs`"),
        ];
        for (body, expected) in cases {
            let (status, answer) = host.ask("POST", &format!("{session}/queries"), &body).await;
            assert!(
                status.is_client_error() && answer["error"].as_str().unwrap().contains(expected),
                "{body}: {answer}"
            );
        }
        let (session, _) = host.open("wrong.xta").await;
        let (status, _) = host.ask("POST", &format!("{session}/queries"), &json!({ "text": "E<> true" })).await;
        assert_eq!(status, StatusCode::CONFLICT);
    });
}

#[test]
fn limits_of_the_server_hold_for_searches() {
    run(async {
        let limits = merkhet::Limits { time: Some(Duration::from_millis(200)), ..merkhet::Limits::default() };
        let host = Host::new(Config { limits, ..Config::default() });
        std::fs::write(host.folder.join("m.xta"), SLOW).unwrap();
        let (session, _) = host.open("m.xta").await;
        let answer = ask(&host, &session, "A[] n >= 0", json!([{ "name": "time-limit", "value": "1h" }])).await;
        assert_eq!(answer["result"]["answer"], "unknown");
        assert!(answer["result"]["reason"].as_str().unwrap().contains("time"), "{answer}");
    });
}

#[test]
fn searches_end_when_the_page_has_been_closed_for_a_while() {
    run(async {
        let host = Host::new(Config { grace: Duration::from_millis(300), ..Config::default() });
        std::fs::write(host.folder.join("m.xta"), SLOW).unwrap();
        let (session, _) = host.open("m.xta").await;
        let listen = async || {
            let request =
                axum::http::Request::builder().uri(format!("{session}/events")).header("host", "localhost:7355");
            host.send(request.body(axum::body::Body::empty()).unwrap()).await
        };
        let page = listen().await;
        host.post(&format!("{session}/queries"), json!({ "text": "A[] n >= 0" })).await;
        drop(page);
        // It was loaded again within the grace period.
        let page = listen().await;
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert_eq!(host.get(&format!("{session}/answers")).await["running"].as_array().unwrap().len(), 1);
        drop(page);
        let answer = answers(&host, &session).await.pop().unwrap();
        assert_eq!(answer["result"]["answer"], "unknown");
    });
}
