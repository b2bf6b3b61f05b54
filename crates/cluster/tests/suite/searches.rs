//! Searches over real connections. Their answers are those of one thread.

use std::{sync::Barrier, thread};

use explore::{cluster::Ending, search::Limits};
use model::Property;
use oracle::random::{self, NetworkFeatures, Rng, View};
use verify::{Answer, Options, Request, Update, Verdict};

use super::connect;

#[test]
fn answers_over_connections_are_those_of_one_thread() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let net = random::network(seed, &NetworkFeatures::all().some(&mut rng));
        let view = View::default();
        let loaded = oracle::load(&net.view(&view), &net.queries_in(&view)).unwrap();
        let properties: Vec<&Property> = loaded.properties.iter().collect();
        let options = Options { update: Some(Update::Simple), ..Options::default() };
        let one = Request::new(&loaded.system, &properties, &options).answers(&Limits::default(), &mut ());
        let (meshes, _) = connect(2 + rng.below(2), &|_| {}, |_| {});
        let all_have_ended = Barrier::new(meshes.len());
        let ask = |mesh: cluster::Mesh| {
            let options = Options { cluster: Some(mesh.cluster.clone()), ..options.clone() };
            let limits = Limits { interrupt: Some(mesh.cluster.stops()), ..Limits::default() };
            mesh.cluster.begin(&limits).unwrap();
            let answers = Request::new(&loaded.system, &properties, &options).answers(&limits, &mut ());
            mesh.cluster.finish();
            if mesh.cluster.number() == 0 {
                mesh.cluster.end(Ending::Done);
            } else {
                assert_eq!(mesh.cluster.wait_for_end(), Some(Ending::Done));
            }
            all_have_ended.wait();
            answers
        };
        let several: Vec<Vec<Answer>> = thread::scope(|scope| {
            let ask = &ask;
            let threads: Vec<_> = meshes.into_iter().map(|mesh| scope.spawn(move || ask(mesh.unwrap()))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut compared = 0_u64;
        for (one, many) in one.iter().zip(&several[0]) {
            let is_decided = |answer: &Answer| !matches!(answer.verdict, Verdict::Unknown(_));
            if is_decided(one) && is_decided(many) {
                compared += 1;
                if one.verdict != many.verdict {
                    return Err(format!("{:?} {:?}", one.verdict, many.verdict));
                }
            }
        }
        Ok(compared)
    };
    let compared = oracle::campaign(20, examine, |sum: &mut u64, own| *sum += own);
    assert!(compared >= oracle::expected(40, 20), "{compared}");
}
