//! Simulators, traces and state spaces: whatever is shown is compared with what `merkhet replay`
//! accepts.

use axum::http::StatusCode;
use merkhet::{Model, Source};
use oracle::random::{self, Rng};
use serde_json::{Value, json};
use show::replay;
use studio::Config;

use crate::support::{Host, run};

/// Two processes, of which one sends within a time that the other allows.
const DOOR: &str = "clock x, y; chan go; int n;
    process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x > 2; sync go!; assign x = 0, n = n + 1; },
        b -> a { guard x >= 1 && y < 8; }; }
    process Q() { state c; init c; trans c -> c { sync go?; assign y = 0; }; }
    system P, Q;";

/// Posts an action, and returns the view.
async fn act(host: &Host, simulator: &str, action: Value) -> Value {
    host.post(simulator, action).await
}

/// Begins to simulate a model. Returns the path of the simulator, and the first view.
async fn begin(host: &Host, file: &str) -> (String, String, Value) {
    let (session, _) = host.open(file).await;
    let started = host.post(&format!("{session}/simulators"), Value::Null).await;
    let simulator = format!("{session}/simulators/{}", started["about"]["id"]);
    (session, simulator, started["view"].clone())
}

/// Checks that the state that is shown is the end of a run that the replayer accepts.
async fn check(host: &Host, simulator: &str, view: &Value, text: &str) -> usize {
    let file = host.get(&format!("{simulator}/file")).await;
    let file = replay::parse(&file.to_string()).unwrap_or_else(|e| panic!("{}", e.message));
    let traced = &file.traces[0];
    let mut model = Model::open(Source::text("m.xta", text)).unwrap();
    let query = model.state_query(&traced.query, "<query>").unwrap();
    let (system, property) = model.loaded.system.with(&query);
    let result = replay::replayed(&system, traced, &property);
    assert!(result.ok, "{:?}\n{text}", result.reason);
    assert_eq!(serde_json::to_value(&traced.trace.end).unwrap(), view["now"]["state"], "{text}");
    traced.trace.length
}

#[test]
fn a_run_is_made_taken_back_and_made_again() {
    run(async {
        let host = Host::with("door.xta", DOOR);
        let (_, simulator, view) = begin(&host, "door.xta").await;
        assert_eq!(view["choices"][0]["what"], "P sends go to Q");
        assert_eq!(view["choices"][0]["edges"], json!([[0, [0]], [1, [0]]]));
        let delays = json!([{ "from": "2", "from_included": false, "to": "5", "to_included": true }]);
        assert_eq!(view["now"]["transitions"][0]["delays"], delays);
        assert_eq!(
            (&view["choices"][0]["earliest"], &view["now"]["limit"]),
            (&json!("5/2"), &json!("invariant of P.a"))
        );
        let view = act(&host, &simulator, json!({ "do": "take", "number": 1, "delay": "3.25" })).await;
        assert_eq!(view["active"]["locations"], json!([1, 0]));
        assert_eq!((&view["now"]["time"], &view["last"]["set"]), (&json!("13/4"), &json!(["x", "y"])));
        assert_eq!(view["last"]["step"]["changes"], json!([{ "name": "n", "from": 0, "to": 1 }]));
        check(&host, &simulator, &view, DOOR).await;
        // The invariant of the target limits the delay, too.
        let delays = json!([{ "from": "1", "from_included": true, "to": "5", "to_included": true }]);
        assert_eq!(view["now"]["transitions"][0]["delays"], delays);
        let view = act(&host, &simulator, json!({ "do": "wait", "delay": "2" })).await;
        assert_eq!(view["now"]["transitions"][0]["delays"][0]["to"], "3");
        let view = act(&host, &simulator, json!({ "do": "goto", "moves": 1 })).await;
        assert_eq!((&view["now"]["moves"], &view["now"]["ahead"]), (&json!(1), &json!(1)));
        let view = act(&host, &simulator, json!({ "do": "goto", "moves": 2 })).await;
        assert_eq!(view["now"]["time"], "21/4");
        assert_eq!(view["history"].as_array().unwrap().len(), 2);
        let timeline = host.get(&format!("{simulator}/timeline")).await;
        assert_eq!(timeline["moves"], json!([0, 1]));
        assert!(timeline["svg"].as_str().unwrap().contains("data-step=\"1\""));
        let view = act(&host, &simulator, json!({ "do": "reset" })).await;
        assert_eq!((&view["now"]["moves"], &view["now"]["ahead"]), (&json!(0), &json!(0)));
    });
}

#[test]
fn what_is_not_possible_is_refused_in_words_and_changes_nothing() {
    run(async {
        let host = Host::with("door.xta", DOOR);
        let (session, simulator, view) = begin(&host, "door.xta").await;
        for (action, expected) in [
            (
                json!({ "do": "take", "number": 1, "delay": "1" }),
                "transition 1 can't be taken after a delay of 1; it is possible after >2..5",
            ),
            (json!({ "do": "take", "number": 7 }), "there is no transition 7 here"),
            (json!({ "do": "take", "number": 1, "delay": "soon" }), "`soon` is not a time; write a whole number"),
            (json!({ "do": "wait", "delay": "6" }), "time can't pass: an invariant does not allow it"),
            (json!({ "do": "goto", "moves": 1 }), "there is no move 1; the run has 0"),
            (json!({ "do": "break", "expression": "P.a and" }), ""),
            (json!({ "do": "break", "expression": "A[] P.a" }), ""),
            (json!({ "do": "delete", "number": 3 }), "there is no breakpoint 3"),
            (json!({ "do": "symbolic", "number": 9 }), "there is no symbolic successor 9 here"),
            (json!({ "do": "load", "file": "{}", "trace": 0, "step": 0 }), "missing field"),
            (json!({ "do": "state", "space": 99, "state": 0 }), "these states are forgotten"),
            (json!({ "do": "fly" }), ""),
        ] {
            let (status, answer) = host.ask("POST", &simulator, &action).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{action}: {answer}");
            let message = answer["error"].as_str().unwrap();
            assert!(!message.is_empty() && message.contains(expected), "{action}: {message}");
        }
        assert_eq!(act(&host, &simulator, json!({ "do": "show" })).await["now"], view["now"]);
        let (status, _) = host.ask("POST", &format!("{session}/simulators/77"), &json!({ "do": "show" })).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
        // The oldest simulator makes room.
        for _ in 0..8 {
            host.post(&format!("{session}/simulators"), Value::Null).await;
        }
        let (status, _) = host.ask("POST", &simulator, &json!({ "do": "show" })).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    });
}

#[test]
fn walks_are_repeated_by_their_seed_and_stop_at_breakpoints() {
    run(async {
        let host = Host::with("door.xta", DOOR);
        let (_, simulator, _) = begin(&host, "door.xta").await;
        let walk = json!({ "do": "random", "steps": 25, "seed": 7 });
        let first = act(&host, &simulator, walk.clone()).await;
        assert_eq!((&first["now"]["moves"], &first["message"]), (&json!(25), &Value::Null));
        act(&host, &simulator, json!({ "do": "reset" })).await;
        assert_eq!(act(&host, &simulator, walk).await["now"], first["now"]);
        act(&host, &simulator, json!({ "do": "reset" })).await;
        act(&host, &simulator, json!({ "do": "break", "expression": "n == 3 and x > 1" })).await;
        let view = act(&host, &simulator, json!({ "do": "random", "steps": 1000 })).await;
        assert!(
            view["message"].as_str().unwrap().starts_with("breakpoint: `n == 3 and x > 1` holds"),
            "{}",
            view["message"]
        );
        assert_eq!(view["breakpoints"][0]["holds"], true);
        // The file is a run for this condition.
        let file = host.get(&format!("{simulator}/file")).await;
        assert_eq!(file["traces"][0]["query"], "E<> n == 3 and x > 1");
        check(&host, &simulator, &view, DOOR).await;
        let view = act(&host, &simulator, json!({ "do": "delete", "number": 1 })).await;
        assert_eq!(view["breakpoints"], json!([]));
    });
}

#[test]
fn the_symbolic_state_has_its_zone_and_its_transitions_are_taken() {
    run(async {
        let host = Host::with("door.xta", DOOR);
        let (_, simulator, _) = begin(&host, "door.xta").await;
        let view = act(&host, &simulator, json!({ "do": "show", "symbolic": true })).await;
        assert_eq!(view["symbolic"]["zone"], json!(["x <= 5", "x == y"]), "{}", view["symbolic"]);
        assert_eq!(view["symbolic"]["successors"][0]["zone"], json!(["x == y"]));
        act(&host, &simulator, json!({ "do": "take", "number": 1, "delay": "3" })).await;
        // Now y is 9, so that the way back is closed, but not in the symbolic state.
        let view = act(&host, &simulator, json!({ "do": "wait", "delay": "9", "symbolic": true })).await;
        assert_eq!(view["now"]["transitions"], json!([]));
        let next = &view["symbolic"]["successors"][0];
        assert_eq!((&next["now"], &next["what"]), (&json!(false), &json!("P: b \u{2192} a")));
        let view = act(&host, &simulator, json!({ "do": "symbolic", "number": 1, "symbolic": true })).await;
        assert_eq!(view["active"]["locations"], json!([0, 0]));
        assert!(view["message"].as_str().unwrap().starts_with("the delays of the run are other ones now"));
        assert_eq!(check(&host, &simulator, &view, DOOR).await, 2);
    });
}

/// Random walks through random networks: every state that is shown is the end of a run that is
/// replayed, whatever was done before, and a run is loaded again.
#[test]
fn states_of_random_networks_are_those_of_runs() {
    run(async {
        let host = Host::new(Config::default());
        let (mut moves, mut symbolic) = (0, 0);
        for seed in 0..oracle::expected(40, 40) {
            let mut rng = Rng::new(seed);
            let features = random::NetworkFeatures { faults: false, ..random::NetworkFeatures::all() };
            let text = random::network(seed, &features.some(&mut rng)).text();
            std::fs::write(host.folder.join("m.xta"), &text).unwrap();
            let (session, document) = host.open("m.xta").await;
            assert_eq!(document["valid"], true, "seed {seed}: {document}");
            let (status, started) = host.ask("POST", &format!("{session}/simulators"), &Value::Null).await;
            if status != StatusCode::OK {
                continue;
            }
            let simulator = format!("{session}/simulators/{}", started["about"]["id"]);
            for round in 0..4 {
                let action = match round {
                    0 | 2 => json!({ "do": "random", "steps": 4, "seed": seed, "symbolic": true }),
                    1 => json!({ "do": "goto", "moves": 1 }),
                    _ => json!({ "do": "symbolic", "number": 1, "symbolic": true }),
                };
                let (status, view) = host.ask("POST", &simulator, &action).await;
                if status != StatusCode::OK {
                    continue;
                }
                symbolic += usize::from(round == 3);
                moves += check(&host, &simulator, &view, &text).await;
            }
            let file = host.get(&format!("{simulator}/file")).await;
            let before = act(&host, &simulator, json!({ "do": "show" })).await;
            act(&host, &simulator, json!({ "do": "reset" })).await;
            let load = json!({ "do": "load", "file": file.to_string(), "trace": 0, "step": 10_000 });
            let after = act(&host, &simulator, load).await;
            assert_eq!(
                (&after["now"]["state"], &after["now"]["time"]),
                (&before["now"]["state"], &before["now"]["time"])
            );
        }
        println!("{moves} moves, {symbolic} symbolic ones");
        assert!(moves > 100 && symbolic > 5);
    });
}

#[test]
fn a_net_plays_the_token_game() {
    let net = "net race\ntr fast [1,2] start -> won\ntr slow [3,4] start -> late\npl start (1)\n";
    run(async {
        let host = Host::with("race.net", net);
        let (_, simulator, view) = begin(&host, "race.net").await;
        assert_eq!(view["active"]["tokens"].as_array().unwrap().iter().filter(|n| **n == json!(1)).count(), 1);
        let list = view["now"]["transitions"].as_array().unwrap();
        assert_eq!(list.len(), 1, "{list:?}");
        assert_eq!((&list[0]["fires"], &list[0]["delays"][0]["from"]), (&json!("fast"), &json!("1")));
        assert_eq!(view["choices"][0]["what"], "fast fires");
        let view = act(&host, &simulator, json!({ "do": "take", "number": 1, "delay": "3/2" })).await;
        assert_eq!(view["now"]["state"]["marking"], json!([{ "place": "won", "tokens": 1 }]));
        assert_eq!((&view["now"]["deadlock"], &view["last"]["transition"]), (&json!(true), &json!(0)));
    });
}

#[test]
fn traces_of_files_are_replayed_and_shown() {
    run(async {
        let host = Host::with("door.xta", DOOR);
        let (session, simulator, _) = begin(&host, "door.xta").await;
        act(&host, &simulator, json!({ "do": "random", "steps": 5, "seed": 3 })).await;
        let file = host.get(&format!("{simulator}/file")).await;
        let traces = host.post(&format!("{session}/traces"), json!({ "text": file.to_string() })).await;
        let view = &traces[0];
        assert_eq!((&view["length"], &view["spurious"], &view["notes"]), (&json!(5), &json!(false), &json!([])));
        assert_eq!(view["played"]["states"].as_array().unwrap().len(), 6);
        assert!(view["chart"].as_str().unwrap().contains("data-step=\"5\""));
        assert_eq!(view["drawings"].as_array().unwrap().len(), 2);
        let own = host.get(&format!("{simulator}/trace")).await;
        assert_eq!((&own["played"], &own["chart"]), (&view["played"], &view["chart"]));
        // A damaged trace is refused, with its step.
        let mut damaged = file.clone();
        damaged["traces"][0]["steps"] = Value::Null;
        for (text, expected) in
            [(damaged.to_string(), "steps"), ("no trace".to_owned(), "this is not a file of traces")]
        {
            let (status, answer) = host.ask("POST", &format!("{session}/traces"), &json!({ "text": text })).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
            assert!(answer["error"].as_str().unwrap().contains(expected), "{answer}");
        }
        let mut wrong = file;
        wrong["traces"][0]["trace"]["steps"][0]["delay"] = json!("1");
        let (status, answer) =
            host.ask("POST", &format!("{session}/traces"), &json!({ "text": wrong.to_string() })).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer["error"].as_str().unwrap().starts_with("trace 1: step 1: "), "{answer}");
    });
}

#[test]
fn states_are_drawn_marked_and_loaded() {
    run(async {
        let host = Host::with("door.xta", DOOR.replace("n = n + 1", "n = (n + 1) % 3").as_str());
        let (session, simulator, _) = begin(&host, "door.xta").await;
        let states = host.post(&format!("{session}/states"), json!({ "condition": "n == 1 and x > 4" })).await;
        let count = states["count"].as_u64().unwrap() as usize;
        let drawn = &states["drawn"];
        assert_eq!(states["complete"], true);
        assert!(
            count > 3
                && ["x", "y", "text", "style", "mark"].iter().all(|key| drawn[key].as_array().unwrap().len() == count)
        );
        assert_eq!(
            states["depths"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).sum::<usize>(),
            count
        );
        let marks: Vec<u64> = drawn["mark"].as_array().unwrap().iter().map(|mark| mark.as_u64().unwrap()).collect();
        assert!(marks.contains(&0) && marks.contains(&1), "{marks:?}");
        for state in 0..count {
            let load = json!({ "do": "state", "space": states["id"], "state": state });
            let view = act(&host, &simulator, load).await;
            let named = host.get(&format!("{session}/states/{}/{state}", states["id"])).await;
            let now = &view["now"]["state"];
            assert_eq!(
                (&now["locations"], &now["variables"]),
                (&named["state"]["locations"], &named["state"]["variables"])
            );
            let taken = view["history"].as_array().unwrap().iter().filter(|made| !made["what"].is_null()).count();
            assert_eq!(drawn["y"][state], taken);
        }
        // Above the limit there is no drawing.
        let states = host.post(&format!("{session}/states"), json!({ "draw": 2 })).await;
        assert_eq!((&states["drawn"], states["count"].as_u64().unwrap() > 2), (&Value::Null, true));
        let states = host.post(&format!("{session}/states"), json!({ "explore": 2 })).await;
        assert_eq!((&states["complete"], &states["count"]), (&json!(false), &json!(2)));
        let (status, answer) = host.ask("POST", &format!("{session}/states"), &json!({ "condition": "n ==" })).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
        // What belongs to another revision is not mixed up.
        let old = states["id"].clone();
        let patch = json!({ "revision": 1, "path": "", "patches": [{ "from": 0, "to": 0, "text": " " }] });
        host.post(&format!("{session}/patches"), patch).await;
        let started = host.post(&format!("{session}/simulators"), Value::Null).await;
        let simulator = format!("{session}/simulators/{}", started["about"]["id"]);
        let (_, answer) = host.ask("POST", &simulator, &json!({ "do": "state", "space": old, "state": 0 })).await;
        assert_eq!(answer["error"], "these are states of another revision of the model");
    });
}
