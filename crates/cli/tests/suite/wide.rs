//! Models with large clock constants, for which zones have bounds of 64 bits: all queries are
//! answered, with evidence.

use std::fs;

use crate::common::{run_in, scratch};

/// Constants up to two thousand million, together with small ones.
const MODEL: &str = "clock x, y; process P() { state a { x <= 1000000000 }, b { y <= 2000000000 }, c, d; init a; \
     trans a -> b { guard x >= 1; assign x = 0; }, b -> c { guard y == 2000000000 && x == 1000000001; }, \
     b -> d { guard y < 1000000000 && x > 1000000000; }; } system P;";

/// The same beyond 32 bits, for TChecker.
const TCK: &str = "system:wide\nevent:tau\nclock:1:x\nclock:1:y\nprocess:P\n\
     location:P:a{initial: : invariant: x <= 5000000000}\n\
     location:P:b{invariant: y <= 10000000000 && 10000000001 > x}\nlocation:P:c{}\nlocation:P:d{}\n\
     edge:P:a:b:tau{provided: x >= 1 : do: x = 0}\n\
     edge:P:b:c:tau{provided: y == 10000000000 && x == 5000000001}\n\
     edge:P:b:d:tau{provided: y < 5000000000 && x - y > -1 && x > 5000000000}\n";

#[test]
fn evidence_for_large_constants() {
    let folder = scratch("wide");
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    fs::write(folder.join("m.tck"), TCK).unwrap();
    for (file, most) in [("m.xta", "2000000000"), ("m.tck", "10000000000")] {
        let run = |args: &[&str]| run_in(&folder, args);
        for (query, status) in [("E<> P.c", 0), ("A<> P.c", 1), ("A[] not deadlock", 1), ("E[] not P.c", 0)] {
            for trace in ["some", "shortest", "fastest"] {
                let verified = run(&["verify", file, "-q", query, "--trace", trace, "--trace-file", "trace"]);
                assert_eq!(verified.status, status, "{query} {verified:?}");
                let replayed = run(&["replay", file, "trace"]);
                assert!(replayed.succeeds().contains("ok: "), "{query} {replayed:?}");
                fs::remove_file(folder.join("trace")).unwrap();
            }
        }
        let bound = format!("A[] P.b imply y <= {most}");
        for query in [bound.as_str(), "A[] not P.d", "A<> P.b", "P.a --> P.b"] {
            let verified = run(&["verify", file, "-q", query, "--certificate", "proof"]);
            assert!(verified.succeeds().contains("satisfied"), "{query} {verified:?}");
            let certified = run(&["certify", file, "proof"]);
            assert!(certified.succeeds().contains("proved: satisfied"), "{query} {certified:?}");
            fs::remove_file(folder.join("proof")).unwrap();
        }
        let found = run(&["verify", file, "-q", "sup{P.b}: y", "-q", "inf{P.c}: y"]);
        assert!(found.succeeds().matches(most).count() >= 2, "{found:?}");
        let drawn = run(&["graph", "--states", file, "-o", "-"]);
        assert!(drawn.succeeds().contains(most), "{drawn:?}");
    }
}

#[test]
fn written_files_are_read_again() {
    let folder = scratch("wide-converted");
    let text = "clock x, y; process P() { state a { x <= 5000000000 }, c; init a; \
                trans a -> c { guard y == 5000000000 && x >= -5000000000; }; } system P;";
    fs::write(folder.join("m.xta"), text).unwrap();
    run_in(&folder, &["convert", "m.xta", "-o", "m.xml"]).succeeds();
    let verified = run_in(&folder, &["verify", "m.xml", "-q", "E<> P.c && y >= 5000000000"]);
    assert!(verified.succeeds().contains("satisfied"), "{verified:?}");
    fs::write(folder.join("q.q"), "E<> P.c\n").unwrap();
    let verified = run_in(&folder, &["verifyta", "-t0", "m.xml", "q.q"]);
    let all = format!("{}{}", verified.out, verified.err);
    assert!(all.contains("Formula is satisfied") && all.contains("Delay: 5000000000"), "{verified:?}");
}

#[test]
fn integers_have_32_bits() {
    let folder = scratch("too-wide");
    let refused = |text: &str, expected: &str| {
        let name = if text.starts_with("system:") { "m.tck" } else { "m.xta" };
        fs::write(folder.join(name), text).unwrap();
        let run = run_in(&folder, &["check", name]);
        assert!(run.status != 0 && (run.out + &run.err).contains(expected), "{text}");
    };
    let fits = "does not fit into 32 bits";
    refused("clock x; int v = 5000000000; process P() { state a; init a; } system P;", fits);
    refused("clock x; int f() { return 2147483648; } process P() { state a; init a; } system P;", fits);
    refused("int v; process P() { state a, b; init a; trans a -> b { guard v < 5000000000; }; } system P;", fits);
    refused("clock x; process P() { state a, b; init a; trans a -> b { assign x = 5000000000; }; } system P;", fits);
    let sum = "clock x; int v; process P() { state a, b; init a; trans a -> b { guard x - v < 5000000000; \
               assign v = 3; }; } system P;";
    refused(sum, "numbers beyond 32 bits beside variables");
    let large = "clock x; process P() { state a { x < 999999999999999999 }; init a; } system P;";
    refused(large, "number is too large");
    refused(&TCK.replace("do: x = 0", "do: x = 5000000000"), fits);
}
