use syntax::{Format, Sources, net::Net};

use super::*;

fn net(text: &str) -> Net {
    let mut sources = Sources::new();
    let file = sources.add_file("n.net", text.to_owned());
    let (tree, problems) = syntax::read_model(&mut sources, file, Format::Net);
    assert!(problems.is_empty(), "{problems:?}");
    (*tree.net.unwrap()).clone()
}

fn reach(text: &str) -> NetReach {
    markings(&net(text), NetLimits::default()).unwrap()
}

/// Renders the reachable markings as text such as `1001`.
fn shown(reach: &NetReach) -> Vec<String> {
    reach.markings.iter().map(|m| m.iter().map(u32::to_string).collect()).collect()
}

#[test]
fn the_token_that_is_available_first_wins() {
    // A race for r: a token that is available at 1 at the latest against one that is available from
    // 5 on.
    let found = reach("pl p1 [0,1] (1)\npl p2 [5,6] (1)\npl r (1)\npl q1\npl q2\ntr t1 p1 r -> q1\ntr t2 p2 r -> q2\n");
    assert_eq!(shown(&found), ["01010", "11100"]);
    assert!(found.deadlock && !found.contact);
}

#[test]
fn firing_waits_for_the_latest_token() {
    // t fires at 5 or 6 and not earlier, so u, which needs p alone, is not disabled; the token of w
    // is available at 3.
    let found = reach("pl p [0,1] (1)\npl q [5,6] (1)\npl w [3,3] (1)\ntr t p q ->\ntr u w p -> w p x\n");
    assert!(found.contact, "x gets a second token, since u fires repeatedly");
}

#[test]
fn a_second_token_is_a_contact_but_a_self_loop_is_not() {
    assert!(reach("pl a [1,1] (1)\npl b [0,0] (1)\ntr t a -> b\n").contact);
    let found = reach("pl a [1,1] (1)\npl b\ntr t a -> a b\ntr u b ->\n");
    assert!(!found.contact && !found.deadlock);
}

#[test]
fn a_waiting_token_inhibits_at_its_upper_bound() {
    // i inhibits from 2 at the latest, so t, which can fire at 2 at the earliest, does not.
    let found = reach("pl p [2,2] (1)\npl i [2,2] (1)\npl q\ntr t p i?-1 -> q\n");
    assert_eq!(shown(&found), ["110"]);
    // It becomes available between 1 and 3: both outcomes are possible.
    let found = reach("pl p [2,2] (1)\npl i [1,3] (1)\npl q\ntr t p i?-1 -> q\n");
    assert_eq!(shown(&found), ["011", "110"]);
    assert!(found.deadlock);
    // It becomes available strictly before 2.
    let found = reach("pl p [2,2] (1)\npl i [1,2[ (1)\npl q\ntr t p i?-1 -> q\n");
    assert_eq!(shown(&found), ["110"]);
}

#[test]
fn a_token_is_not_both_available_and_unavailable() {
    // t needs i to be unavailable, u needs it to be available: t fires first, then u.
    let found = reach("pl p [1,1] (1)\npl i [0,5] (1)\npl a\npl b\ntr t p i?-1 -> a\ntr u i p?1 -> b\n");
    assert!(!shown(&found).contains(&"1010".to_owned()));
}

#[test]
fn enabled_transitions_fire_in_time() {
    // t must fire before u can.
    let found = reach("pl p (1)\npl a\npl b\ntr t [0,2] p -> a\ntr u [3,3] p -> b\n");
    assert_eq!(shown(&found), ["010", "100"]);
    let found = reach("pl p (1)\npl a\npl b\ntr t [0,3] p -> a\ntr u [3,3] p -> b\n");
    assert_eq!(shown(&found), ["001", "010", "100"]);
    let found = reach("pl p (1)\npl a\npl b\ntr t [0,3[ p -> a\ntr u [3,3] p -> b\n");
    assert_eq!(shown(&found), ["010", "100"]);
}

#[test]
fn consuming_and_producing_a_token_resets_the_clock() {
    // s removes the token of p for a moment, each time unit, so that t never becomes old enough.
    let found = reach("pl p (1)\npl a\ntr s [1,1] p -> p\ntr t [2,2] p -> a\n");
    assert_eq!(shown(&found), ["10"]);
    // A test arc consumes nothing.
    let found = reach("pl p (1)\npl a\npl g (1)\ntr s [1,1] p?1 g -> g\ntr t [2,2] p -> a\n");
    assert_eq!(shown(&found), ["011", "101"]);
}

#[test]
fn inhibition_resets_the_clock() {
    // i is emptied at 1; only then t is enabled, to fire at 3: r fires at 2, before it.
    let found = reach("pl p (1)\npl i (1)\npl a\ntr go [1,1] i ->\ntr t [2,2] p i?-1 -> a\ntr r [2,2] p -> \n");
    assert!(!shown(&found).contains(&"001".to_owned()));
}

#[test]
fn steps_are_counted_by_moments_and_by_firings() {
    let chain = net("pl a [1,1] (1)\npl b\npl c [2,2]\npl d\ntr t a -> b\ntr u b -> c\ntr v c -> d\n");
    let steps = markings_by_step(&chain, 3, NetLimits::default()).unwrap();
    let sizes = |list: &[BTreeSet<Marking>]| list.iter().map(BTreeSet::len).collect::<Vec<usize>>();
    assert_eq!(sizes(&steps.moments), [1, 3, 4, 4]);
    assert_eq!(sizes(&steps.firings), [1, 2, 3, 4]);
}
