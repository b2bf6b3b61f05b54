//! Who may talk to the server, and what it refuses.

use std::{fs, os::unix::fs::symlink};

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use serde_json::{Value, json};
use studio::Config;

use crate::{
    queries::SLOW,
    support::{Host, PORT, run},
};

/// Sends a request with headers instead of the usual ones.
async fn status(host: &Host, method: &str, path: &str, headers: &[(&str, &str)]) -> StatusCode {
    let request =
        headers.iter().fold(Request::builder().method(method).uri(path), |r, (name, value)| r.header(*name, *value));
    host.send(request.body(Body::from("null")).unwrap()).await.status()
}

#[test]
fn forged_hosts_and_origins_are_refused() {
    run(async {
        let host = Host::with("m.xta", "system P;");
        let json = ("content-type", "application/json");
        let own = ("host", "127.0.0.1:7355");
        for good in ["127.0.0.1:7355", "localhost:7355", "LOCALHOST:7355", "[::1]:7355"] {
            assert_eq!(status(&host, "GET", "/", &[("host", good)]).await, StatusCode::OK, "{good}");
        }
        let forged = [
            "evil.example",
            "evil.example:7355",
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil.example:7355",
            "192.168.0.1:7355",
            "x@127.0.0.1:7355",
            "127.0.0.1:7355@evil.example",
            "",
            " ",
            "127.0.0.1:73 55",
            "0x7f.1:7355",
        ];
        for forged in forged {
            assert_eq!(
                status(&host, "GET", "/api/files", &[("host", forged)]).await,
                StatusCode::FORBIDDEN,
                "{forged}"
            );
        }
        assert_eq!(status(&host, "GET", "/api/files", &[]).await, StatusCode::FORBIDDEN);
        assert_eq!(status(&host, "GET", "/api/files", &[own, ("host", "evil.example")]).await, StatusCode::FORBIDDEN);
        let origins =
            ["http://evil.example", "null", "http://127.0.0.1:7356", "https://127.0.0.1:7355", "http://localhost:7355"];
        for origin in origins {
            let headers = [own, json, ("origin", origin)];
            assert_eq!(status(&host, "POST", "/api/sessions", &headers).await, StatusCode::FORBIDDEN, "{origin}");
        }
        let headers = [own, ("sec-fetch-site", "cross-site")];
        assert_eq!(status(&host, "GET", "/api/files", &headers).await, StatusCode::FORBIDDEN);
        let form = [own, ("content-type", "text/plain")];
        assert_eq!(status(&host, "POST", "/api/sessions", &form).await, StatusCode::UNSUPPORTED_MEDIA_TYPE);
        let right = [own, json, ("origin", "http://127.0.0.1:7355")];
        assert_eq!(status(&host, "POST", "/api/sessions", &right).await, StatusCode::UNPROCESSABLE_ENTITY);
    });
}

#[test]
fn a_token_is_needed_where_one_is_set() {
    run(async {
        let token = "0123456789abcdef0123456789abcdef";
        let host = Host::new(Config { token: Some(token.to_owned()), ..Config::default() });
        let own = ("host", "192.168.7.7:7355");
        assert_eq!(status(&host, "GET", "/", &[own]).await, StatusCode::UNAUTHORIZED);
        assert_eq!(status(&host, "GET", "/?token=wrong", &[own]).await, StatusCode::UNAUTHORIZED);
        assert_eq!(status(&host, "GET", &format!("/api/files?token={token}"), &[own]).await, StatusCode::UNAUTHORIZED);
        assert_eq!(status(&host, "GET", "/", &[("host", "evil.example:7355")]).await, StatusCode::FORBIDDEN);
        let request = Request::builder().uri(format!("/?token={token}")).header("host", own.1);
        let response = host.send(request.body(Body::empty()).unwrap()).await;
        let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
        assert_eq!(
            (response.status(), &response.headers()[header::LOCATION]),
            (StatusCode::SEE_OTHER, &"/".parse().unwrap())
        );
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let pair = cookie.split(';').next().unwrap();
        assert_eq!(status(&host, "GET", "/api/files", &[own, ("cookie", pair)]).await, StatusCode::OK);
        let wrong = pair.replace('f', "0");
        assert_eq!(status(&host, "GET", "/api/files", &[own, ("cookie", &wrong)]).await, StatusCode::UNAUTHORIZED);
    });
}

#[test]
fn files_outside_of_the_folder_are_out_of_reach() {
    run(async {
        let host = Host::with("m.xta", "process P() { state a; init a; } system P;");
        let outer = host.folder.parent().unwrap().to_owned();
        symlink(outer.join("secret.xta"), host.folder.join("link.xta")).unwrap();
        symlink("../secret.xta", host.folder.join("up.xta")).unwrap();
        symlink(&outer, host.folder.join("out")).unwrap();
        symlink("missing.xta", host.folder.join("dangling.xta")).unwrap();
        symlink("../new.xta", host.folder.join("dangling-out.xta")).unwrap();
        fs::create_dir(host.folder.join("sub")).unwrap();
        let secret = outer.join("secret.xta").to_str().unwrap().to_owned();
        let (session, _) = host.open("m.xta").await;
        let paths = [
            "../secret.xta",
            "sub/../../secret.xta",
            "..\\secret.xta",
            &secret,
            "link.xta",
            "up.xta",
            "out/secret.xta",
            "./../secret.xta",
            "sub",
            "",
            "m.xta\0",
            "dangling-out.xta",
            "/etc/passwd",
            "sub/../m.xta",
        ];
        for path in paths {
            let (read, answer) = host.ask("POST", "/api/sessions", &json!({ "file": path })).await;
            assert!(read.is_client_error(), "{path}: {answer}");
            assert!(!answer.to_string().contains("secret\""), "{answer}");
            for force in [false, true] {
                let body = json!({ "path": path, "force": force });
                let (write, answer) = host.ask("POST", &format!("{session}/save"), &body).await;
                assert!(write.is_client_error(), "{path}: {answer}");
            }
        }
        for path in ["out/new.xta", "dangling.xta"] {
            let (write, _) =
                host.ask("POST", &format!("{session}/save"), &json!({ "path": path, "force": true })).await;
            assert!(write.is_client_error(), "{path}");
        }
        assert_eq!(fs::read_to_string(outer.join("secret.xta")).unwrap(), "secret");
        assert_eq!(fs::read_dir(&outer).unwrap().count(), 2, "nothing is written beside the folder");
        let listed = host.get("/api/files").await;
        assert_eq!(listed.as_array().unwrap().len(), 1, "links are not listed: {listed}");
        // A text from a browser can't claim a path outside either.
        let body = json!({ "name": "a.xta", "text": "system P;", "queries": null, "path": "../secret.xta" });
        let begun = host.post("/api/sessions", body).await;
        assert_eq!(begun["document"]["path"], Value::Null);
        // Files of the system are not models, whatever their place.
        let (write, _) = host.ask("POST", &format!("{session}/save"), &json!({ "path": ".bashrc" })).await;
        assert_eq!(write, StatusCode::UNPROCESSABLE_ENTITY);
    });
}

#[test]
fn bodies_have_a_limit_and_nonsense_is_refused() {
    run(async {
        let host = Host::with("m.xta", "process P() { state a; init a; } system P;");
        let (session, _) = host.open("m.xta").await;
        let large = json!({ "name": "m.xta", "text": "x".repeat(17 << 20), "queries": null, "path": null });
        assert_eq!(host.ask("POST", "/api/sessions", &large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
        let far = usize::MAX;
        let bodies = [
            json!({}),
            json!([]),
            json!({ "revision": 1, "path": "", "patches": [{ "from": 2, "to": 1, "text": "" }] }),
            json!({ "revision": 1, "path": "", "patches": [{ "from": 0, "to": far, "text": "" }] }),
            json!({ "revision": 1, "path": "/etc/passwd", "patches": [{ "from": 0, "to": 0, "text": "" }] }),
            json!({ "revision": far, "path": "", "patches": [{ "from": 0, "to": 0, "text": "" }] }),
            json!({ "revision": -1, "path": "", "patches": [] }),
        ];
        for body in bodies {
            let (status, answer) = host.ask("POST", &format!("{session}/patches"), &body).await;
            assert!(status.is_client_error() && answer["error"].is_string(), "{body}: {status} {answer}");
        }
        for path in ["/api/sessions/none/document", "/api/none", "/../m.xta", "/%2e%2e/m.xta", "/assets/../app.js"] {
            assert!(host.ask("GET", path, &Value::Null).await.0.is_client_error(), "{path}");
        }
        assert_eq!(host.get(&format!("{session}/document")).await["revision"], 1);
    });
}

#[test]
fn a_hundred_searches_at_once_are_refused_but_for_those_that_may_run() {
    run(async {
        let host = Host::with("m.xta", SLOW);
        let (session, _) = host.open("m.xta").await;
        let ask = json!({ "text": "A[] n >= 0", "options": [] });
        let path = format!("{session}/queries");
        let all = (0..100).map(|_| host.ask("POST", &path, &ask));
        let answers = futures_util::future::join_all(all).await;
        let accepted: Vec<_> = answers.iter().filter(|(status, _)| *status == StatusCode::OK).collect();
        assert_eq!(accepted.len(), Config::default().max_searches);
        assert!(
            answers.iter().all(|(s, _)| matches!(*s, StatusCode::OK | StatusCode::TOO_MANY_REQUESTS)),
            "{answers:?}"
        );
        for (_, started) in accepted {
            host.post(&format!("{session}/searches/{}/stop", started["search"]), Value::Null).await;
        }
        // Once they have ended, another one may run.
        while host.get(&format!("{session}/answers")).await["running"].as_array().is_some_and(|all| !all.is_empty()) {
            tokio::task::yield_now().await;
        }
        let answers = host.get(&format!("{session}/answers")).await;
        assert!(answers["answers"].as_array().unwrap().iter().all(|a| a["result"]["answer"] == "unknown"), "{answers}");
        loop {
            // The permit follows the last news of a search.
            let (status, started) = host.ask("POST", &path, &ask).await;
            if status == StatusCode::OK {
                host.post(&format!("{session}/searches/{}/stop", started["search"]), Value::Null).await;
                break;
            }
        }
    });
}

#[test]
fn every_response_has_the_policy() {
    run(async {
        let host = Host::with("m.xta", "system P;");
        for path in ["/", "/app.js", "/api/files", "/api/none"] {
            let request = Request::builder().uri(path).header("host", format!("127.0.0.1:{PORT}"));
            let response = host.send(request.body(Body::empty()).unwrap()).await;
            let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
            assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
            assert_eq!(response.headers()["x-content-type-options"], "nosniff", "{path}");
        }
    });
}
