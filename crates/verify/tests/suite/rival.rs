//! Joins that cost more than covering are given up.

use explore::{search::Limits, tally::Phase};
use verify::{Joining, Options, Update, Verdict};

/// Messages of which only one is ever sent, and a state that two are needed for. Every join leads
/// to that state, at the end of a long tail.
fn tail(messages: usize, length: usize) -> String {
    format!(
        "const int N = {messages};
        extern Pool = PowerSet(N);
        Pool pool;
        int[0,{length}] t;
        process P() {{
            state Start, Tail, Bad;
            init Start;
            trans
                Start -> Tail {{ select i : int[0,N-1]; assign pool.add(i); }},
                Tail -> Tail {{ guard t < {length}; assign t++; }},
                Tail -> Bad {{
                    select i : int[0,N-1], j : int[0,N-1];
                    guard t == {length} && i < j && pool.contains(i) && pool.contains(j);
                }};
        }}
        system P;"
    )
}

#[test]
fn refinement_that_costs_more_than_covering_is_given_up() {
    let text = tail(8, 20);
    let queries = ["A[] !P.Bad".to_owned(), "sup{P.Bad}: t".to_owned()];
    let loaded = oracle::load(&text, &queries).unwrap();
    let joining = Joining { refines: true, ..Joining::default() };
    for property in &loaded.properties {
        let ask = |update: Update| {
            let options = Options { update: Some(update), joining: joining.clone(), ..Options::default() };
            verify::answer(&loaded.system, property, &options, &Limits::default(), &mut ())
        };
        let (cover, join) = (ask(Update::Cover), ask(Update::Join));
        assert_eq!((&cover.verdict, &cover.values), (&join.verdict, &join.values));
        assert_eq!(join.verdict, Verdict::Satisfied);
        assert!(join.decided == Phase::Probe && join.refinements > 0, "{:?}", join.phases);
        // Joins were undone until that had cost as much as was to be allowed, and no longer.
        assert!(join.refinements < 100, "{} joins undone", join.refinements);
    }
}

#[test]
fn refinement_that_costs_little_goes_on() {
    let loaded = oracle::load(&tail(2, 2), &["A[] !P.Bad".to_owned()]).unwrap();
    let joining = Joining { refines: true, ..Joining::default() };
    let options = Options { update: Some(Update::Join), joining, ..Options::default() };
    let join = verify::answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ());
    assert_eq!((&join.verdict, join.decided), (&Verdict::Satisfied, Phase::Search));
}

/// A message, and as many switches as there are messages. Each turns on with its own message only,
/// of which there is one; joins let all of them turn on, and nothing is reached by that.
fn switches(messages: usize) -> String {
    format!(
        "const int N = {messages};
        extern Pool = PowerSet(N);
        Pool pool;
        bool on[N], never;
        process P() {{
            state Start, Sent, Bad;
            init Start;
            trans
                Start -> Sent {{ select i : int[0,N-1]; assign pool.add(i); }},
                Sent -> Sent {{ select i : int[0,N-1]; guard pool.contains(i) && !on[i]; assign on[i] = true; }},
                Sent -> Bad {{ guard never && forall (i : int[0,N-1]) on[i]; }};
        }}
        system P;"
    )
}

#[test]
fn joins_that_reach_far_more_than_covering_are_given_up() {
    let loaded = oracle::load(&switches(18), &["A[] !P.Bad".to_owned()]).unwrap();
    let joining = Joining { refines: true, ..Joining::default() };
    let options = Options { update: Some(Update::Join), joining, ..Options::default() };
    let join = verify::answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ());
    assert_eq!((&join.verdict, join.decided), (&Verdict::Satisfied, Phase::Probe), "{:?}", join.phases);
    assert_eq!(join.refinements, 0);
}
