//! Functions of the user that do what options do give the same counts, and those that fail end the
//! work.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use merkhet::{
    Answer, Limits, Model, Options, Order, Reason, Session, Source, Update, Verdict,
    user::{Functions, OpenStates, StateValue, StateView, UserError, UserGoal, UserHeuristic, UserJoin, UserOrder},
};

const FULL: &str = include_str!("../../../../models/lattice/full.xml");
const BRIDGE: &str = include_str!("../../../../models/bridge.xta");
const FISCHER: &str = include_str!("../../../../models/fischer.xta");

fn ask(file: &str, text: &str, query: &str, options: &Options) -> Answer {
    let mut model = Model::open(Source::text(file, text)).unwrap();
    let query = model.query(query).unwrap();
    Session::new(&mut model).ask(&query, options, &Limits::default(), &mut ()).unwrap()
}

fn int(state: &StateView<'_>, name: &str) -> Result<i32, UserError> {
    match state.get(name)? {
        Some(StateValue::Int(value)) => Ok(value),
        _ => Err(UserError::new(format!("there is no integer `{name}`"))),
    }
}

fn counts(answer: &Answer) -> (Option<bool>, usize, usize, usize) {
    let counts = answer.stats.counts;
    (answer.holds(), counts.stored, counts.explored, answer.stats.refinements)
}

/// A list of numbers, first in, first out, or the other way round.
struct Numbers {
    open: VecDeque<u32>,
    is_stack: bool,
}

impl OpenStates for Numbers {
    fn push(&mut self, state: &StateView<'_>, number: u32) -> Result<(), UserError> {
        assert!(state.locations().count() > 0 && state.zone().is_some());
        self.open.push_back(number);
        Ok(())
    }

    fn pop(&mut self) -> Result<Option<u32>, UserError> {
        Ok(if self.is_stack { self.open.pop_back() } else { self.open.pop_front() })
    }
}

fn order(is_stack: bool) -> UserOrder {
    UserOrder::new(move || Ok(Box::new(Numbers { open: VecDeque::new(), is_stack })))
}

fn with(functions: Functions) -> Options {
    Options { functions, threads: Some(1), ..Options::default() }
}

#[test]
fn a_strategy_of_joining_is_like_the_expression() {
    let text = "
        extern Pool = PowerSet(3); Pool pool; int[0,3] n;
        process P() { state a, b; init a;
            trans a -> a { select i : int[0,2]; assign pool.add(i), n = i; },
                  a -> b { guard pool.contains(0) && pool.contains(2); assign n = 3; }; }
        system P;";
    for (condition, refine) in [("x.n == y.n", true), ("x.n < 2", true), ("x.n != y.n", false), ("x.n + y.n < 3", true)]
    {
        for query in ["E<> P.b && n == 0", "A[] not P.b", "E<> P.b && !pool.contains(1)", "sup: n"] {
            let base = Options { threads: Some(1), refine, ..Options::default() };
            let expression =
                Options { join: Some(format!("if({condition})")), update: Some(Update::Join), ..base.clone() };
            let join = UserJoin::new(move |x, y, joined| {
                let (x, y) = (int(x, "n")?, int(y, "n")?);
                let Some(StateValue::Lattice(..)) = joined.get("pool")? else {
                    return Err(UserError::new("no pool"));
                };
                Ok(match condition {
                    "x.n == y.n" => x == y,
                    "x.n < 2" => x < 2,
                    "x.n != y.n" => x != y,
                    _ => x + y < 3,
                })
            });
            let of_two = UserJoin::of_two(move |x, y| {
                let (x, y) = (int(x, "n")?, int(y, "n")?);
                Ok(match condition {
                    "x.n == y.n" => x == y,
                    "x.n < 2" => x < 2,
                    "x.n != y.n" => x != y,
                    _ => x + y < 3,
                })
            });
            let by =
                |join| Options { functions: Functions { join: Some(join), ..Functions::default() }, ..base.clone() };
            let (function, of_two) = (by(join), by(of_two));
            let expected = ask("p.xta", text, query, &expression);
            let found = ask("p.xta", text, query, &function);
            assert_eq!(counts(&found), counts(&expected), "{condition} {query}");
            assert_eq!(found.values, expected.values);
            let found = ask("p.xta", text, query, &of_two);
            assert_eq!(counts(&found), counts(&expected), "{condition} {query}, without the join");
            let found = ask("p.xta", text, query, &Options { threads: Some(2), ..function });
            assert_eq!((found.holds(), found.values), (expected.holds(), expected.values), "{condition} {query}");
        }
    }
}

#[test]
fn a_heuristic_is_like_the_expression() {
    for order in [Order::Greedy, Order::Astar] {
        for query in ["E<> Soldier(1).there && Soldier(2).there", "E<> Soldier(0).there && time < 4"] {
            let base = Options { order: Some(order), threads: Some(1), ..Options::default() };
            let by_text = |text: &str| Options { heuristic: Some(text.to_owned()), ..base.clone() };
            let expected = ask("bridge.xta", BRIDGE, query, &by_text("user(Torch.holders)"));
            let heuristic = UserHeuristic::new(|state| Ok(Some(int(state, "Torch.holders")? as u64)));
            let functions = Functions { heuristic: Some(heuristic), ..Functions::default() };
            let found = ask("bridge.xta", BRIDGE, query, &Options { functions, ..base.clone() });
            assert_eq!(counts(&found), counts(&expected), "{order:?} {query}");
        }
    }
}

#[test]
fn orders_are_like_those_that_have_names() {
    for (file, text, query) in [
        (
            "fischer.xta",
            FISCHER,
            "A[] forall (i : pid_t) forall (j : pid_t) (P(i).critical && P(j).critical imply i == j)",
        ),
        ("fischer.xta", FISCHER, "E<> P(1).critical"),
        ("full.xml", FULL, "A[] !Database.Full"),
    ] {
        for (is_stack, named) in [(false, Order::Bfs), (true, Order::Dfs)] {
            for update in [None, Some(Update::Join)] {
                let options = with(Functions { order: Some(order(is_stack)), ..Functions::default() });
                let found = ask(file, text, query, &Options { update, ..options });
                let plain = Options { order: Some(named), update, threads: Some(1), ..Options::default() };
                assert_eq!(counts(&found), counts(&ask(file, text, query, &plain)), "{query} {named:?} {update:?}");
            }
        }
    }
}

#[test]
fn goals_are_like_formulas() {
    for (exists, formula) in [(true, "E<> n == 5 && P.a"), (false, "A[] not (n == 5 && P.a)")] {
        let text = "int[0,9] n; clock x; process P() { state a { x <= 3 }, b; init a;
            trans a -> a { guard n < 9 && x >= 1; assign n++, x = 0; }, a -> b { guard n > 3; }; } system P;";
        let plain = Options { order: Some(Order::Bfs), threads: Some(1), ..Options::default() };
        let expected = ask("n.xta", text, formula, &plain);
        let mut model = Model::open(Source::text("n.xta", text)).unwrap();
        let goal = UserGoal::new(|state| {
            assert!(state.zone().is_none());
            Ok(int(state, "n")? == 5 && state.location("P") == Some("a"))
        });
        let query = model.goal("five", exists, goal).unwrap();
        for trace in [merkhet::TraceChoice::None, merkhet::TraceChoice::Some, merkhet::TraceChoice::Fastest] {
            let options = Options { trace, ..plain.clone() };
            let found = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ()).unwrap();
            assert_eq!(found.holds(), expected.holds());
            assert_eq!(found.evidence.trace.is_some(), trace != merkhet::TraceChoice::None);
        }
        let options = Options { certificate: true, ..plain };
        let found = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ()).unwrap();
        assert!(matches!(found.evidence.proof, Some(Err(merkhet::Unproved::User))), "{:?}", found.evidence.proof);
    }
}

/// Returns a counter that fails at its `at`-th call.
fn failing(at: usize) -> impl Fn() -> Result<(), UserError> + Clone + Send + Sync {
    let calls = Arc::new(AtomicUsize::new(0));
    move || {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        let payload: Arc<dyn std::any::Any + Send + Sync> = Arc::new(call);
        if call == at { Err(UserError::new("no more").with_payload(payload)) } else { Ok(()) }
    }
}

#[test]
fn a_function_that_fails_ends_the_work() {
    let query = "E<> deadlock && n > 100";
    let text = "extern Pool = PowerSet(4); Pool pool; int[0,200] n; process P() { state a; init a;
        trans a -> a { select i : int[0,3]; assign pool.add(i), n = (n + i) % 20; }; } system P;";
    for at in [0, 1, 2, 5, 17] {
        let fails = failing(at);
        let join = UserJoin::new(move |_, _, _| fails().map(|()| false));
        let fails = failing(at);
        let heuristic = UserHeuristic::new(move |_| fails().map(|()| Some(1)));
        let fails = failing(at);
        let order = UserOrder::new(move || {
            struct Failing<F>(Vec<u32>, F);
            impl<F: Fn() -> Result<(), UserError> + Send> OpenStates for Failing<F> {
                fn push(&mut self, _: &StateView<'_>, number: u32) -> Result<(), UserError> {
                    self.0.push(number);
                    (self.1)()
                }
                fn pop(&mut self) -> Result<Option<u32>, UserError> {
                    (self.1)()?;
                    Ok(self.0.pop())
                }
            }
            let fails = fails.clone();
            fails()?;
            Ok(Box::new(Failing(Vec::new(), fails)))
        });
        for functions in [
            Functions { join: Some(join), ..Functions::default() },
            Functions { heuristic: Some(heuristic), ..Functions::default() },
            Functions { order: Some(order), ..Functions::default() },
        ] {
            let context = format!("{at} {functions:?}");
            // Only states that differ in elements alone are joined, so the deadlock is not asked.
            let query = if functions.join.is_some() { "E<> n > 100" } else { query };
            let answer = ask("n.xta", text, query, &with(functions));
            let Verdict::Unknown(Reason::User(failure, _)) = &answer.verdict else {
                panic!("{context}: {:?}", answer.verdict)
            };
            assert_eq!(failure.error.message, "no more", "{context}");
            let payload = failure.error.payload.as_ref().unwrap();
            assert_eq!(payload.downcast_ref::<usize>(), Some(&at), "{context}");
            assert_eq!(answer.diagnostics.last().map(|d| d.code), Some("user-function"), "{context}");
        }
    }
}

#[test]
fn an_order_that_loses_or_invents_states_is_named() {
    struct Wrong(u32);
    impl OpenStates for Wrong {
        fn push(&mut self, _: &StateView<'_>, _: u32) -> Result<(), UserError> {
            Ok(())
        }
        fn pop(&mut self) -> Result<Option<u32>, UserError> {
            Ok((self.0 > 0).then_some(self.0))
        }
    }
    for (number, message) in
        [(0, "it returns nothing, but there are 1 open states"), (7, "it returns 7, which is no open state")]
    {
        let order = UserOrder::new(move || Ok(Box::new(Wrong(number))));
        let answer = ask(
            "fischer.xta",
            FISCHER,
            "E<> deadlock",
            &with(Functions { order: Some(order), ..Functions::default() }),
        );
        let Verdict::Unknown(Reason::User(failure, _)) = &answer.verdict else { panic!("{:?}", answer.verdict) };
        assert_eq!(failure.error.message, message);
    }
}

#[test]
fn a_safe_heuristic_is_named_as_a_reservation_and_another_drops_nothing() {
    let text = "int[0,9] n; process P() { state a; init a; trans a -> a { assign n = (n + 1) % 10; }; } system P;";
    let none = UserHeuristic::new(|state| Ok((int(state, "n")? < 3).then_some(1)));
    let ask_with = |heuristic: UserHeuristic| {
        ask("n.xta", text, "E<> n == 9", &with(Functions { heuristic: Some(heuristic), ..Functions::default() }))
    };
    assert_eq!(ask_with(none.clone()).holds(), Some(true));
    let wrong = ask_with(none.safe());
    assert_eq!(wrong.holds(), Some(false));
    let notes: Vec<String> = wrong.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("heuristic of the user sees none")), "{notes:?}");
}

#[test]
fn functions_of_the_user_are_refused_where_they_can_t_be() {
    let functions = Functions { order: Some(order(false)), ..Functions::default() };
    let mut model = Model::open(Source::text("fischer.xta", FISCHER)).unwrap();
    let query = model.query("E<> deadlock").unwrap();
    let options = Options { order: Some(Order::Dfs), ..with(functions) };
    let error = Session::new(&mut model).ask(&query, &options, &Limits::default(), &mut ()).unwrap_err();
    assert_eq!(error.to_string(), "an order of the user takes the place of --order");
}

#[test]
fn the_run_to_a_failure_is_shown() {
    let text = "int[0,9] n; clock x; process P() { state a { x <= 2 }; init a;
        trans a -> a { guard x >= 1; assign n = (n + 1) % 10, x = 0; }; } system P;";
    for trace in [merkhet::TraceChoice::Some, merkhet::TraceChoice::None] {
        let heuristic =
            UserHeuristic::new(|state| if int(state, "n")? == 4 { Err(UserError::new("four")) } else { Ok(Some(1)) });
        let options = with(Functions { heuristic: Some(heuristic), ..Functions::default() });
        let answer = ask("n.xta", text, "E<> n == 9", &Options { trace, ..options });
        let Verdict::Unknown(Reason::User(failure, None)) = &answer.verdict else { panic!("{:?}", answer.verdict) };
        assert_eq!(failure.to_string(), "the heuristic of the user fails: four");
        let length = answer.evidence.trace.map(|trace| (trace.is_replayed(), trace.steps.len()));
        assert_eq!(length, (trace == merkhet::TraceChoice::Some).then_some((true, 3)));
    }
}
