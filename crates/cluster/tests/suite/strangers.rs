//! Peers that are not processes of the cluster, and processes that are lost.

use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use cluster::Key;
use explore::{
    cluster::{Ending, Step},
    search::{Limits, Stop},
};

use super::connect;

/// Connects to an address, without waiting for anything for ever.
fn stream(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

#[test]
fn processes_connect_and_gather() {
    let (meshes, notes) = connect(4, &|_| {}, |_| {});
    assert!(notes.is_empty(), "{notes:?}");
    // A process that has ended is lost for one that has not heard of the end.
    let all_have_ended = &Barrier::new(meshes.len());
    thread::scope(|scope| {
        for mesh in meshes {
            let mesh = mesh.unwrap();
            scope.spawn(move || {
                let (own, limits) = (mesh.cluster.number(), Limits::default());
                assert_eq!(mesh.what, b"the task");
                assert_eq!((mesh.cluster.workers(), mesh.cluster.own_workers()), (1 + 2 + 3 + 4, own + 1));
                mesh.cluster.begin(&limits).unwrap();
                let all = mesh.cluster.gather(Step::Goals, vec![own as u8; 100_000 * own], &limits).unwrap();
                let lengths: Vec<usize> = all.iter().map(Vec::len).collect();
                assert_eq!(lengths, [0, 100_000, 200_000, 300_000]);
                mesh.cluster.finish();
                if own == 0 {
                    mesh.cluster.end(Ending::Done);
                } else {
                    assert_eq!(mesh.cluster.wait_for_end(), Some(Ending::Done));
                }
                all_have_ended.wait();
            });
        }
    });
}

#[test]
fn who_does_not_know_the_key_is_dropped() {
    let (meshes, notes) = connect(2, &|place| place.key = Key::new(b"another secret"), |_| {});
    assert!(meshes[1].as_ref().is_err_and(|why| why.to_string().contains("does not have the same key")
        || why.to_string().contains("the connection was closed")));
    assert!(meshes[0].is_err());
    assert!(notes.iter().all(|note| note.contains("same key") || note.contains("closed")), "{notes:?}");
}

#[test]
fn who_knows_other_hosts_is_refused() {
    let other = |place: &mut cluster::Place| place.hosts = cluster::digest(&["a:1".to_owned(), "c:1".to_owned()]);
    let (meshes, notes) = connect(2, &other, |_| {});
    let why = meshes[1].as_ref().err().unwrap();
    assert!(why.is_wrong_usage() && why.to_string().contains("its list of hosts is another one"), "{why}");
    assert!(meshes[0].is_err());
    assert!(notes.iter().all(|note| note.contains("its list of hosts is another one")), "{notes:?}");
}

#[test]
fn another_version_is_refused_by_name() {
    let (meshes, _) = connect(2, &|place| place.version = "2 beta".to_owned(), |_| {});
    let why = meshes[1].as_ref().err().unwrap().to_string();
    assert!(why.contains("it has version 1, and this is version 2 beta"), "{why}");
}

#[test]
fn strangers_are_dropped_and_the_others_work() {
    let meanwhile = |address: &str| {
        // Each of these would stop whoever waits for it.
        let silent = stream(address);
        let mut half = stream(address);
        half.write_all(b"merkhet cluster\n\x01").unwrap();
        drop(half);
        let mut greedy = stream(address);
        greedy.write_all(b"merkhet cluster\n\xff").unwrap();
        for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 4096], b"merkhet cluster\n\x011\x01\0"] {
            let mut stranger = stream(address);
            let _ = stranger.write_all(garbage);
            let mut heard = Vec::new();
            let _ = stranger.set_read_timeout(Some(Duration::from_millis(50)));
            let _ = stranger.read_to_end(&mut heard);
            // It hears who it talks to, and nothing that follows from the key.
            assert!(heard.len() <= 16 + 1 + 1 + 2 + 32, "{}", heard.len());
        }
        thread::sleep(Duration::from_millis(100));
        drop((silent, greedy));
    };
    // The process itself comes late.
    let late = |_: &mut cluster::Place| thread::sleep(Duration::from_millis(400));
    let (meshes, notes) = connect(2, &late, meanwhile);
    assert!(meshes.iter().all(Result::is_ok));
    assert!(notes.iter().any(|note| note.contains("it is not a process of merkhet")), "{notes:?}");
}

#[test]
fn a_process_that_says_to_be_another_is_refused() {
    let (meshes, notes) = connect(2, &|place| place.number = 5, |_| {});
    assert!(meshes.iter().all(Result::is_err));
    assert!(notes.iter().any(|note| note.contains("it says that it is process 5")), "{notes:?}");
}

#[test]
fn a_process_that_is_gone_is_lost_at_once() {
    let (meshes, _) = connect(3, &|_| {}, |_| {});
    let mut meshes: Vec<_> = meshes.into_iter().map(Result::unwrap).collect();
    let start = Instant::now();
    drop(meshes.pop());
    thread::scope(|scope| {
        for mesh in &meshes {
            scope.spawn(|| assert_eq!(mesh.cluster.begin(&Limits::default()), Err(Stop::Lost(2))));
        }
    });
    assert_eq!(meshes[0].cluster.loss(), Some((2, "the connection was closed".to_owned())));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn frames_that_make_no_sense_lose_their_sender() {
    let (meshes, _) = connect(2, &|_| {}, |_| {});
    let meshes: Vec<_> = meshes.into_iter().map(Result::unwrap).collect();
    let process = &meshes[0].cluster;
    let wrong: [&[u8]; 9] = [
        &[],
        &[0],
        &[1, 2, 3],
        &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255],
        &[2, 9, 9, 9, 9, 0],
        &[3, 1, 0, 0, 0],
        &[4],
        &[5],
        &[200; 300],
    ];
    for frame in wrong {
        assert!(process.receive(1, frame).is_err(), "{frame:?}");
        assert!(process.receive(77, frame).is_err(), "{frame:?}");
    }
    assert_eq!(process.loss(), None);
}
