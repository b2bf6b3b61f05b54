//! States with long rows, which are stored in blocks. The search finds all states.

use std::collections::HashSet;

use explore::search::Limits;
use verify::{Options, Order, answer};

const LENGTH: usize = 77;

/// The successors of an array and an index in the model below.
fn successors((array, at): &(Vec<i32>, usize)) -> Vec<(Vec<i32>, usize)> {
    let mut all = Vec::new();
    if array[*at] < 30_000 {
        let mut next = array.clone();
        next[*at] += 10_001;
        all.push((next, (at * 5 + 2) % LENGTH));
    }
    if array[0] != array[LENGTH - 1] {
        let mut next = array.clone();
        next.swap(0, LENGTH - 1);
        all.push((next, *at));
    }
    all
}

#[test]
fn long_rows_are_distinguished() {
    let text = format!(
        "int a[{LENGTH}]; int[0,{last}] k; int h;
         process P() {{
           state L; init L;
           trans L -> L {{ guard a[k] < 30000; assign a[k] = a[k] + 10001, k = (k * 5 + 2) % {LENGTH}; }},
                 L -> L {{ guard a[0] != a[{last}]; assign h = a[0], a[0] = a[{last}], a[{last}] = h, h = 0; }};
         }}
         system P;",
        last = LENGTH - 1
    );
    let start = (vec![0; LENGTH], 0);
    let (mut seen, mut open) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(state) = open.pop() {
        for next in successors(&state) {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
    let largest = seen.iter().map(|(array, _)| array[LENGTH - 1]).max().unwrap();
    let last = LENGTH - 1;
    let queries = ["A[] true".to_owned(), format!("E<> a[{last}] == {largest}"), format!("E<> a[{last}] > {largest}")];
    let loaded = oracle::load(&text, &queries).unwrap();
    for order in [Order::Bfs, Order::Dfs, Order::RandomDfs] {
        let options = Options { order, ..Options::default() };
        let ask = |i: usize| answer(&loaded.system, &loaded.properties[i], &options, &Limits::default(), &mut ());
        assert_eq!(ask(0).counts.stored, seen.len());
        assert!(ask(1).trace.is_some_and(|trace| trace.is_replayed()));
        assert!(ask(2).trace.is_none());
    }
}
