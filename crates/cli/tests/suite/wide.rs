//! Models with clock constants that are too large for zones: their evidence is that of the model, in its own unit of time.

use std::fs;

use crate::common::{run_in, scratch};

/// All constants are multiples of a billion, but for those of `odd`.
fn model(odd: bool) -> String {
    let guard = if odd { "x >= 1" } else { "x >= 1000000000" };
    format!(
        "clock x, y; process P() {{ state a {{ x <= 1000000000 }}, b {{ y <= 2000000000 }}, c, d; init a; \
         trans a -> b {{ guard {guard}; assign x = 0; }}, \
         b -> c {{ guard y == 2000000000 && x == 1000000000; }}, \
         b -> d {{ guard y < 1000000000 && x > 1000000000; }}; }} system P;"
    )
}

#[test]
fn evidence_for_large_constants() {
    let folder = scratch("wide");
    for odd in [false, true] {
        fs::write(folder.join("m.xta"), model(odd)).unwrap();
        let run = |args: &[&str]| run_in(&folder, args);
        let verified = run(&["verify", "m.xta", "-q", "E<> P.c", "--trace-file", "trace"]);
        assert!(verified.succeeds().contains("satisfied"), "{verified:?}");
        assert!(run(&["replay", "m.xta", "trace"]).succeeds().contains("ok: satisfied"));
        let verified = run(&["verify", "m.xta", "-q", "A[] P.b imply y <= 2000000000", "--certificate", "proof"]);
        assert!(verified.succeeds().contains("satisfied"), "{verified:?}");
        assert!(run(&["certify", "m.xta", "proof"]).succeeds().contains("proved: satisfied"));
        for file in ["trace", "proof"] {
            fs::remove_file(folder.join(file)).unwrap();
        }
    }
    fs::write(folder.join("m.xta"), model(false)).unwrap();
    let certified = |query: &str| {
        let verified = run_in(&folder, &["verify", "m.xta", "-q", query, "--certificate", "proof"]);
        assert!(verified.succeeds().contains("satisfied"), "{verified:?}");
        let certified = run_in(&folder, &["certify", "m.xta", "proof"]);
        assert!(certified.succeeds().contains("proved: satisfied"), "{certified:?}");
        fs::remove_file(folder.join("proof")).unwrap();
    };
    certified("A[] not P.d");
    certified("A<> P.b");
}

#[test]
fn what_has_no_answer_says_why() {
    let folder = scratch("too-wide");
    fs::write(folder.join("m.xta"), model(true)).unwrap();
    let run = run_in(&folder, &["verify", "m.xta", "-q", "A<> P.c"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.out.contains("unknown: clock constants up to 2000000000 are too large for zones"), "{run:?}");
    let run = run_in(&folder, &["graph", "--states", "m.xta", "-o", "-"]);
    assert!(run.status == 2 && run.out.is_empty() && run.err.contains("2000000000"), "{run:?}");
}
