//! Skipped states, which are not stored, change neither the answers nor the runs.

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
fn states_of_chains_are_skipped() {
    for (passing, stored) in [(None, 4), (Some(Skipping::Committed), 2), (Some(Skipping::Acyclic), 1)] {
        let answer = ask(CHAIN, "A[] n < 4", passing);
        assert_eq!((answer.verdict, answer.counts.stored), (Verdict::Satisfied, stored), "{passing:?}");
    }
}

#[test]
fn goal_states_are_not_skipped() {
    for passing in [Skipping::Committed, Skipping::Acyclic] {
        let answer = ask(CHAIN, "E<> P.C", Some(passing));
        assert_eq!(answer.verdict, Verdict::Satisfied);
        let trace = answer.trace.unwrap();
        assert!(trace.is_replayed() && trace.steps.len() == 2, "{passing:?}: {trace:?}");
    }
}

#[test]
fn an_error_after_a_skipped_state_has_a_trace() {
    let text = CHAIN.replace("assign n = 3;", "assign n = 100000;");
    for passing in [Skipping::Committed, Skipping::Acyclic] {
        let answer = ask(&text, "A[] n < 4", Some(passing));
        assert!(matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..))), "{passing:?}");
        assert_eq!(answer.trace.unwrap().steps.len(), 2, "{passing:?}");
    }
}

#[test]
fn the_search_of_a_committed_cycle_terminates() {
    let text = CHAIN.replace("commit B, C", "commit A, B, C, D");
    let answer = ask(&text, "A[] n < 4", Some(Skipping::Committed));
    assert_eq!(answer.verdict, Verdict::Satisfied);
}
