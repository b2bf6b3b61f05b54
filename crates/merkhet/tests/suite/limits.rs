//! Limits apply to one model at a time, and work can be stopped from another thread.

use std::{thread, time::Duration};

use merkhet::{Event, Limits, Options, Reason, Session, Stop, Verdict};

use crate::{COUNTER, SLOW, open};

fn stopped(stop: Stop) -> Verdict {
    Verdict::Unknown(Reason::Limit(stop))
}

#[test]
fn a_limit_on_time_ends_a_function_that_takes_hours() {
    let mut model = open(SLOW);
    let query = model.query("E<> P.b and n == 1").unwrap();
    let limits = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
    let mut session = Session::new(&mut model);
    let answer = session.ask(&query, &Options::default(), &limits, &mut ()).unwrap();
    assert_eq!(answer.verdict, stopped(Stop::Time));
    // The next query has its own time limit.
    let easy = session.query("E<> P.a").unwrap();
    assert_eq!(session.ask(&easy, &Options::default(), &limits, &mut ()).unwrap().holds(), Some(true));
}

#[test]
fn a_limit_on_states_ends_a_search() {
    let mut model = open(COUNTER);
    let query = model.query("A[] n <= 9").unwrap();
    let limits = Limits { states: Some(3), ..Limits::default() };
    let answer = Session::new(&mut model).ask(&query, &Options::default(), &limits, &mut ()).unwrap();
    assert_eq!(answer.verdict, stopped(Stop::States));
}

#[test]
fn work_is_stopped_from_another_thread_and_other_models_are_not() {
    let mut slow = open(SLOW);
    let query = slow.query("E<> P.b and n == 1").unwrap();
    let stopper = slow.stopper();
    let other = thread::spawn(move || {
        let mut model = open(COUNTER);
        let query = model.query("E<> n == 9").unwrap();
        stopper.stop();
        Session::new(&mut model).ask(&query, &Options::default(), &Limits::default(), &mut ()).unwrap().holds()
    });
    let mut session = Session::new(&mut slow);
    let answer = session.ask(&query, &Options::default(), &Limits::default(), &mut ()).unwrap();
    assert_eq!(answer.verdict, stopped(Stop::Interrupted));
    assert_eq!(other.join().unwrap(), Some(true));
    stopper.reset();
    let easy = session.query("E<> P.a").unwrap();
    assert_eq!(session.ask(&easy, &Options::default(), &Limits::default(), &mut ()).unwrap().holds(), Some(true));
}

#[test]
fn an_observer_sees_progress_before_the_answer() {
    let mut model = open(COUNTER);
    let queries = [model.query("A[] n <= 9").unwrap(), model.query("E<> n == 9").unwrap()];
    let all: Vec<_> = queries.iter().collect();
    let (mut events, mut explored) = (Vec::new(), 0);
    let mut observer = |event: Event<'_>| match event {
        Event::Start { .. } => events.push("start"),
        Event::Progress { counts, workers, .. } => {
            assert!(counts.explored >= explored, "counts go backwards");
            assert_eq!((workers.list.len(), workers.list[0].load.counts), (1, counts));
            explored = counts.explored;
            events.push("progress");
        }
        Event::Formula { .. } => events.push("formula"),
        Event::Unsaved { .. } => events.push("unsaved"),
        Event::Answer { answer, .. } => {
            assert_eq!((answer.holds(), answer.stats.queries), (Some(true), 2));
            events.push("answer");
        }
    };
    Session::new(&mut model).ask_all(&all, &Options::default(), &Limits::default(), &mut observer).unwrap();
    assert_eq!(events.first(), Some(&"start"));
    assert_eq!(events.last(), Some(&"answer"));
    assert!(events.contains(&"progress"), "{events:?}");
}

#[test]
fn limits_of_a_fork_hold_for_random_runs() {
    let mut model = open(COUNTER).fork();
    let query = model.query("Pr[#<=1000000000](<> n > 9)").unwrap();
    let limits = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
    let answer = Session::new(&mut model).ask(&query, &Options::default(), &limits, &mut ()).unwrap();
    assert_eq!(answer.verdict, stopped(Stop::Time));
}
