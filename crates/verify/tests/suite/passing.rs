//! States that are not stored: the answers are the same, and so are the runs.

use explore::search::Limits;
use verify::{Answer, Options, Reason, Skipping, Verdict, answer};

fn ask(text: &str, query: &str, passing: Option<Skipping>) -> Answer {
    let loaded = oracle::load(text, &[query.to_owned()]).unwrap();
    let options = Options { passing, ..Options::default() };
    answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ())
}

const CHAIN: &str = "int n;
    process P() {
        state A, B, C, D; commit B, C; init A;
        trans A -> B { assign n = 1; }, B -> C { assign n = 2; }, C -> D { assign n = 3; }, D -> A { assign n = 0; };
    }
    system P;";

#[test]
fn chains_are_passed() {
    for (passing, stored) in [(None, 4), (Some(Skipping::Committed), 2), (Some(Skipping::Acyclic), 1)] {
        let answer = ask(CHAIN, "A[] n < 4", passing);
        assert_eq!((answer.verdict, answer.counts.stored), (Verdict::Satisfied, stored), "{passing:?}");
    }
}

#[test]
fn states_of_the_goal_are_not_passed() {
    for passing in [Skipping::Committed, Skipping::Acyclic] {
        let answer = ask(CHAIN, "E<> P.C", Some(passing));
        assert_eq!(answer.verdict, Verdict::Satisfied);
        let trace = answer.trace.unwrap();
        assert!(trace.is_replayed() && trace.steps.len() == 2, "{passing:?}: {trace:?}");
    }
}

#[test]
fn an_error_behind_a_passed_state_has_a_trace() {
    let text = CHAIN.replace("assign n = 3;", "assign n = 100000;");
    for passing in [Skipping::Committed, Skipping::Acyclic] {
        let answer = ask(&text, "A[] n < 4", Some(passing));
        assert!(matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..))), "{passing:?}");
        assert_eq!(answer.trace.unwrap().steps.len(), 2, "{passing:?}");
    }
}

#[test]
fn a_cycle_of_committed_locations_ends() {
    let text = CHAIN.replace("commit B, C", "commit A, B, C, D");
    let answer = ask(&text, "A[] n < 4", Some(Skipping::Committed));
    assert_eq!(answer.verdict, Verdict::Satisfied);
}
