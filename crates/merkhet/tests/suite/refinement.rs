//! Refinement by hand, as in the paper on opaal, and guides.

use merkhet::{
    AbstractPath, Answer, Guide, Limits, Model, Options, Reason, Session, SharedGuide, Source, TraceChoice, Update,
    Verdict, user::UserError,
};

const FULL: &str = include_str!("../../../../models/lattice/full.xml");
const FILTER: &str = include_str!("../../../../models/lattice/filter.xta");

/// One of two messages is sent, then both are needed. A third way sends both.
const POOL: &str = "
    extern Pool = PowerSet(3);
    Pool pool;
    process P() {
        state start, sent, both, two;
        init start;
        trans start -> sent { select i : int[0,1]; assign pool.add(i); },
              sent -> sent { guard pool.contains(0); assign pool.add(2); },
              sent -> both { guard pool.contains(0) && pool.contains(1); },
              sent -> two { guard pool.contains(0) && pool.contains(2); };
    }
    system P;";

/// A value between two others that it may have.
const INTERVAL: &str = "
    extern Interval;
    Interval n;
    process P() {
        state start, set, between;
        init start;
        trans start -> set { assign n = 1; },
              start -> set { assign n = 7; },
              set -> between { guard n == 4; };
    }
    system P;";

/// Two zones whose convex hull has more.
const ZONES: &str = "
    clock x, y;
    process P() {
        state start, set, between;
        init start;
        trans start -> set { guard x <= 1; assign y = 0; },
              start -> set { guard x >= 5 && x <= 6; assign y = 0; },
              set -> between { guard x == 3 && y == 0; };
    }
    system P;";

fn ask(file: &str, text: &str, query: &str, options: &Options) -> Answer {
    let mut model = Model::open(Source::text(file, text)).unwrap();
    let query = model.query(query).unwrap();
    Session::new(&mut model).ask(&query, options, &Limits::default(), &mut ()).unwrap()
}

fn join(guide: Option<SharedGuide>) -> Options {
    Options { update: Some(Update::Join), guide, ..Options::default() }
}

#[test]
fn the_loop_of_the_paper_ends_with_an_answer() {
    let cases = [
        ("full.xml", FULL, "A[] !Database.Full", true, "if(z.absent.num0s() < 8)"),
        ("filter.xta", FILTER, "A[] cost <= 111", true, "if(!x.Filter.Next)"),
        ("pool.xta", POOL, "E<> P.both", false, "if(z.pool.size() < 2)"),
        ("interval.xta", INTERVAL, "E<> P.between", false, "if(z.n.high() - z.n.low() < 6)"),
        ("zones.xta", ZONES, "E<> P.between", false, "never"),
    ];
    for (file, text, query, expected, first) in cases {
        let mut options = Options { refine: false, ..join(None) };
        let mut rounds = Vec::new();
        let holds = loop {
            let answer = ask(file, text, query, &options);
            let Some(blame) = answer.evidence.blame else { break answer.holds() };
            assert_eq!(answer.verdict, Verdict::Unknown(Reason::Imprecise("joined states")), "{file}");
            assert!(answer.evidence.trace.is_some_and(|trace| !trace.is_replayed()), "{file}");
            let pair = (blame.join.stored, blame.join.new, blame.join.joined);
            assert!(!rounds.contains(&pair), "{file}: {} does not exclude it", blame.strategy);
            if rounds.is_empty() {
                assert_eq!(blame.strategy, first, "{file}");
            }
            rounds.push(pair);
            options.join = Some(blame.strategy);
        };
        assert_eq!(holds, Some(expected), "{file} after {} rounds", rounds.len());
    }
}

#[test]
fn a_goal_that_a_run_reaches_is_found_without_refinement() {
    let options = Options { refine: false, trace: TraceChoice::Some, ..join(None) };
    let answer = ask("pool.xta", POOL, "E<> P.two", &options);
    assert_eq!((answer.holds(), answer.evidence.blame), (Some(true), None));
    assert!(answer.evidence.trace.is_some_and(|trace| trace.is_replayed()));
}

/// Says the same of all paths, and counts them.
struct Constant(Option<bool>, std::sync::mpsc::Sender<usize>);

impl Guide for Constant {
    fn is_feasible(&mut self, path: &AbstractPath<'_>) -> Result<Option<bool>, UserError> {
        self.1.send(path.states.len()).unwrap();
        Ok(self.0)
    }
}

#[test]
fn guides_decide_no_verdict() {
    for (query, truth) in [("E<> P.both", false), ("E<> P.two", true)] {
        for says in [None, Some(true), Some(false)] {
            let (sender, paths) = std::sync::mpsc::channel();
            let options = Options { trace: TraceChoice::Some, ..join(Some(SharedGuide::new(Constant(says, sender)))) };
            let answer = ask("pool.xta", POOL, query, &options);
            assert!(paths.try_iter().all(|length| length > 1), "{query} {says:?}");
            if (says, truth) == (Some(true), false) {
                // There is no run, so that nothing is shown.
                assert_eq!(answer.verdict, Verdict::Unknown(Reason::CalledFeasible));
                assert!(answer.evidence.trace.is_some_and(|trace| !trace.is_replayed()));
                assert!(answer.evidence.blame.is_some());
            } else {
                assert_eq!(answer.holds(), Some(truth), "{query} {says:?}");
                assert!(answer.evidence.trace.is_none_or(|trace| trace.is_replayed()));
            }
        }
    }
}

/// Splits the first joined state.
struct First;

impl Guide for First {
    fn split_state(&mut self, path: &AbstractPath<'_>) -> Result<Option<usize>, UserError> {
        Ok(path.states.iter().position(|state| state.is_joined))
    }
}

/// Splits states that are not joined, or not there.
struct Wrong;

impl Guide for Wrong {
    fn split_state(&mut self, path: &AbstractPath<'_>) -> Result<Option<usize>, UserError> {
        Ok(Some(if path.states.len().is_multiple_of(2) { 0 } else { usize::MAX }))
    }
}

#[test]
fn guides_choose_what_is_split() {
    let refinements = |guide: Option<SharedGuide>| {
        let answer = ask("full.xml", FULL, "A[] !Database.Full", &join(guide));
        assert_eq!(answer.holds(), Some(true));
        answer.stats.refinements
    };
    let own = refinements(None);
    assert_eq!(own, 25, "as in the manual");
    assert_eq!(refinements(Some(SharedGuide::new(Wrong))), own, "a choice that is not joined is none");
    assert_ne!(refinements(Some(SharedGuide::new(First))), own);
}
