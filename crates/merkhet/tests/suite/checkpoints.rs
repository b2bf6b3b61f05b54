//! Sessions that are stopped, and others that go on with their work.

use std::{fs, path::PathBuf, time::Duration};

use merkhet::{
    Answer, Checkpoints, Event, FolderStorage, Limits, Model, Options, OptionsError, Order, Session, Source,
    TraceChoice,
};

const GRID: &str = "process P(const int[0,3] i) { int[0,4] n; state a; init a; \
    trans a -> a { guard n < 4; assign n++; }, a -> a { guard n == 4; assign n = 0; }; } system P;";
const QUERIES: [&str; 3] = ["E<> P(0).n == 4", "A[] P(0).n + P(1).n < 9", "E<> P(2).n + P(3).n > 8"];

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Answers the queries. Returns the answers, and whether the work can go on.
fn ask(options: &Options, limits: &Limits, kept: Option<Checkpoints>) -> Result<(Vec<Answer>, bool), OptionsError> {
    let mut model = Model::open(Source::text("grid.xta", GRID)).unwrap();
    let queries = QUERIES.map(|query| model.query(query).unwrap());
    let mut session = Session::new(&mut model);
    if let Some(kept) = kept {
        session = session.with_checkpoints(kept);
    }
    let mut answers: Vec<Option<Answer>> = vec![None; queries.len()];
    session.ask_all(&queries.each_ref(), options, limits, &mut |event: Event<'_>| {
        if let Event::Answer { number, answer, .. } = event {
            answers[number] = Some(*answer);
        }
    })?;
    Ok((answers.into_iter().map(|answer| answer.expect("each query has an answer")).collect(), session.is_resumable()))
}

fn said(answers: &[Answer]) -> Vec<String> {
    let said = |answer: &Answer| {
        let (counts, evidence) = (answer.stats.counts, &answer.evidence);
        let proof = evidence.proof.as_ref().map(|proof| proof.as_ref().map(|proof| proof.size()));
        let steps = evidence.trace.as_ref().map(|trace| trace.steps.clone());
        format!("{:?} {proof:?} {} {} {steps:?}", answer.verdict, counts.explored, counts.stored)
    };
    answers.iter().map(said).collect()
}

#[test]
fn a_session_goes_on_with_the_work_of_another() {
    let plain = Options { order: Some(Order::Bfs), trace: TraceChoice::Some, ..Options::default() };
    let proving = Options { certificate: true, order: Some(Order::Bfs), ..Options::default() };
    for (name, options) in [("plain", plain), ("proving", proving), ("adaptive", Options::default())] {
        let (wanted, _) = ask(&options, &Limits::default(), None).unwrap();
        let place = folder(&format!("session-{name}"));
        let every = Some(Duration::from_secs(1000));
        let first =
            Checkpoints { storage: Box::new(FolderStorage::create(&place, None).unwrap()), every, resumes: false };
        let limits = Limits { states: Some(200), ..Limits::default() };
        let (stopped, is_resumable) = ask(&options, &limits, Some(first)).unwrap();
        assert!(is_resumable && stopped.iter().any(|answer| answer.holds().is_none()), "{stopped:?}");
        // Each time a little more.
        for states in [300, 400, usize::MAX] {
            let storage = Box::new(FolderStorage::open(&place, None).unwrap());
            let next = Checkpoints { storage, every, resumes: true };
            let limits = Limits { states: Some(states), ..Limits::default() };
            let (answers, is_resumable) = ask(&options, &limits, Some(next)).unwrap();
            assert_eq!(is_resumable, states < usize::MAX);
            if !is_resumable {
                assert_eq!(said(&answers), said(&wanted), "{name}");
            }
        }
        FolderStorage::remove(&place, None).unwrap();
        assert!(!place.exists());
    }
}

#[test]
fn other_options_are_named() {
    let place = folder("session-other");
    let storage = Box::new(FolderStorage::create(&place, None).unwrap());
    let limits = Limits { states: Some(200), ..Limits::default() };
    let kept = Checkpoints { storage, every: Some(Duration::ZERO), resumes: false };
    assert!(ask(&Options::default(), &limits, Some(kept)).unwrap().1);
    let kept =
        Checkpoints { storage: Box::new(FolderStorage::open(&place, None).unwrap()), every: None, resumes: true };
    let error = ask(&Options { seed: 7, ..Options::default() }, &limits, Some(kept)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the checkpoint belongs to a different search: the option --seed is `0` there, and `7` here"
    );
}
