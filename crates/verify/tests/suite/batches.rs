//! Successors computed in batches equal those computed at once, in the same order.

use explore::graph::ZoneGraph;
use oracle::random;

#[test]
fn batches_of_successors_are_all_successors() {
    let options = random::NetworkFeatures::all();
    let (mut states, mut batches) = (0, 0);
    for seed in oracle::seeds(0..80) {
        let text = random::network(seed, &options).text();
        let Ok(loaded) = oracle::load::<String>(&text, &[]) else { continue };
        let mut graph = ZoneGraph::<i32>::exact(&loaded.system);
        let mut all = graph.batch();
        if graph.initial(&mut all).is_err() || all.is_empty() {
            continue;
        }
        let (mut row, mut zone) = (all.row(0).to_vec(), all.zone(0).to_vec());
        for step in 0..12 {
            all.clear();
            if graph.successors(&row, &zone, &mut all).is_err() || all.is_empty() {
                break;
            }
            states += 1;
            let (mut some, mut from, mut met) = (graph.batch(), Some(0), 0);
            while let Some(at) = from {
                some.clear();
                from = graph.successors_from(at, &row, &zone, 1, &mut some).unwrap();
                batches += 1;
                for i in 0..some.len() {
                    assert_eq!(some.edges(i), all.edges(met), "seed {seed}");
                    assert_eq!((some.row(i), some.zone(i)), (all.row(met), all.zone(met)), "seed {seed}");
                    met += 1;
                }
            }
            assert_eq!(met, all.len(), "seed {seed}");
            let next = (step * 7 + seed as usize) % all.len();
            (row, zone) = (all.row(next).to_vec(), all.zone(next).to_vec());
        }
    }
    assert!(states > 200 && batches > states, "{states} states, {batches} batches");
}
