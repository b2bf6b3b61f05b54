//! Lattices of the user for which time passes, with clocks and without.

use std::sync::Arc;

use lattice::Comparison;
use merkhet::{
    Answer, Limits, Model, Monotone, Options, Session, Source, TraceChoice, Update,
    user::{
        Access, ClassArguments, Element, ElementConstraint, Interface, Trend, UserClass, UserError, UserLattice,
        UserMethod,
    },
};

/// The greatest number that clocks are compared with.
const LIMIT: i32 = 4;

/// Bounds on each clock. Above `LIMIT` nothing is distinguished.
type Bounds = Vec<(i32, i32)>;

/// A class of bounds: of one clock, or of those that a model declares.
struct Timer {
    inclusive: bool,
    has_clocks: bool,
}

struct Made {
    inclusive: bool,
    clocks: usize,
}

fn bounds(element: &Element) -> Result<&Bounds, UserError> {
    element.downcast_ref().ok_or_else(|| UserError::new("no bounds"))
}

impl UserClass for Timer {
    fn name(&self) -> &str {
        "Timer"
    }

    fn interface(&self) -> Interface {
        let delay = UserMethod { monotone: true, ..UserMethod::new("delay", 0) };
        let reset = UserMethod { monotone: true, ..UserMethod::new("reset", 0) };
        let least = UserMethod { trend: Trend::Falls, ..UserMethod::new("least", 0) };
        Interface {
            methods: vec![delay, reset, least],
            value: (!self.has_clocks).then_some(2),
            delay: Some(0),
            delay_is_inclusive: self.inclusive,
            has_clocks: self.has_clocks,
            ..Interface::default()
        }
    }

    fn make(&self, arguments: &ClassArguments<'_>) -> Result<Arc<dyn UserLattice>, UserError> {
        let clocks = if self.has_clocks { arguments.clocks.len() } else { 1 };
        Ok(Arc::new(Made { inclusive: self.inclusive, clocks }))
    }
}

impl UserLattice for Made {
    fn initial(&self) -> Result<Element, UserError> {
        Ok(Arc::new(vec![(0, 0); self.clocks]))
    }

    fn copy(&self, element: &Element) -> Result<Element, UserError> {
        Ok(Arc::new(bounds(element)?.clone()))
    }

    fn join(&self, a: &Element, b: &Element) -> Result<Element, UserError> {
        let hull = |(x, y): (&(i32, i32), &(i32, i32))| (x.0.min(y.0), x.1.max(y.1));
        let joined: Bounds = bounds(a)?.iter().zip(bounds(b)?).map(hull).collect();
        Ok(Arc::new(joined))
    }

    fn equals(&self, a: &Element, b: &Element) -> Result<bool, UserError> {
        Ok(bounds(a)? == bounds(b)?)
    }

    fn call(&self, method: usize, this: &mut Element, _: &[i32], _: Access) -> Result<Option<i64>, UserError> {
        let mut changed = bounds(this)?.clone();
        let after = |n: i32| (n + 1).min(LIMIT + 1);
        match method {
            0 if self.inclusive => changed.iter_mut().for_each(|known| known.1 = LIMIT + 1),
            0 => changed.iter_mut().for_each(|known| *known = (after(known.0), after(known.1))),
            1 => changed.fill((0, 0)),
            _ => return Ok(Some(changed[0].0.into())),
        }
        *this = Arc::new(changed);
        Ok(None)
    }

    fn constrain(&self, this: &mut Element, constraint: &ElementConstraint) -> Result<(), UserError> {
        let ElementConstraint { left, right: None, comparison, bound } = *constraint else {
            return Err(UserError::new("no differences"));
        };
        let mut changed = bounds(this)?.clone();
        let known = &mut changed[left];
        match comparison {
            Comparison::Le => known.1 = known.1.min(bound),
            Comparison::Ge => known.0 = known.0.max(bound),
            _ => return Err(UserError::new("only closed bounds")),
        }
        *this = Arc::new(changed);
        Ok(())
    }

    fn set_clock(&self, this: &mut Element, clock: usize, value: i32) -> Result<(), UserError> {
        let mut changed = bounds(this)?.clone();
        changed[clock] = (value, value);
        *this = Arc::new(changed);
        Ok(())
    }

    fn is_empty(&self, element: &Element) -> Result<bool, UserError> {
        Ok(bounds(element)?.iter().any(|known| known.0 > known.1))
    }

    fn show(&self, element: &Element) -> Result<String, UserError> {
        Ok(format!("{:?}", bounds(element)?))
    }
}

fn source(text: &str, timer: Timer) -> Source {
    Source::text("timer.xta", text).with_lattice(Arc::new(timer))
}

fn open(text: &str, timer: Timer) -> Model {
    Model::open(source(text, timer)).unwrap_or_else(|error| panic!("{error}"))
}

fn ask(model: &mut Model, query: &str, options: &Options) -> Answer {
    let query = model.query(query).unwrap_or_else(|error| panic!("{error}"));
    Session::new(model).ask(&query, options, &Limits::default(), &mut ()).unwrap()
}

/// A model that compares a clock `t`.
fn units(declared: &str, t: &str, reset: &str, system: &str) -> String {
    format!(
        "const int LIMIT = 4; {declared}
        process P() {{ state a, b {{ {t} <= 3 }}, c; urgent c; init a;
            trans a -> b {{ guard {t} >= 2; assign {reset}; }}, b -> c {{ guard {t} >= 1; }},
                  c -> a {{ guard {t} == 3; assign {reset}; }}; }}
        {system}"
    )
}

const COUNTING: &str = "int[0, 5] n, m; clock unit; process Time() { state passes { unit <= 1 }; init passes;
    trans passes -> passes { guard unit == 1;
        assign unit = 0, m = (m <= LIMIT ? m + 1 : m), n = (n <= LIMIT ? n + 1 : n); }; }";

#[test]
fn units_of_time_are_counted_like_an_integer() {
    let ours = units("extern Timer; Timer t[2];", "t[1]", "t[1].reset()", "system P;");
    let theirs = units(COUNTING, "n", "n = 0", "system P, Time;");
    for update in [Update::Simple, Update::Cover] {
        let options = Options {
            update: Some(update),
            trace: TraceChoice::Some,
            threads: Some(1),
            order: Some(merkhet::Order::Bfs),
            ..Options::default()
        };
        let mut ours = open(&ours, Timer { inclusive: false, has_clocks: false });
        let mut theirs = Model::open(Source::text("units.xta", theirs.as_str())).unwrap();
        for (query, holds) in [("E<> P.c", true), ("E<> P.b && VALUE > 3", false), ("A[] P.c imply VALUE >= 1", true)] {
            let [a, b] = [(&mut ours, "t[1]"), (&mut theirs, "n")]
                .map(|(model, value)| ask(model, &query.replace("VALUE", value), &options));
            assert_eq!((a.holds(), b.holds()), (Some(holds), Some(holds)), "{query}");
            assert_eq!(a.stats.counts.stored, b.stats.counts.stored, "{query}");
            assert!(a.evidence.trace.is_none_or(|trace| trace.is_replayed()));
        }
    }
}

#[test]
fn clocks_of_elements_are_restricted_by_guards_and_invariants() {
    let text = "extern Timer; extern DBMClock; Timer t; DBMClock t.x, t.y[2]; const int N = 1;
        process P() { state a { t.x <= 3 }, b, c; init a;
            trans a -> b { guard t.x >= 2; assign t.y[N] = 0; }, b -> c { guard t.y[1] >= 1 && t.x <= 4; }; }
        process Q() { state a { t.x <= 2 || t.y[0] <= 9 }, b; urgent b; init a; trans a -> b { }; }
        system P, Q;";
    for monotone in [Monotone::Check, Monotone::Assume] {
        let options = Options { monotone, trace: TraceChoice::Some, threads: Some(1), ..Options::default() };
        let mut model = open(text, Timer { inclusive: true, has_clocks: true });
        for (query, holds) in [
            ("E<> P.c", true),
            ("E<> P.a && t.x >= 4", false),
            ("E<> P.a && t.x == 3", true),
            ("E<> P.b && t.x <= 1", false),
            ("E<> P.b && t.x >= 4", true),
            // Time does not pass in an urgent location.
            ("E<> P.b && Q.b && t.y[1] >= 2", true),
        ] {
            let answer = ask(&mut model, query, &options);
            assert_eq!(answer.holds(), Some(holds), "{query}: {:?}", answer.verdict);
            assert!(answer.evidence.trace.is_none_or(|trace| trace.is_replayed()), "{query}");
        }
    }
    let stays = "extern Timer; extern DBMClock; Timer t; DBMClock t.x;
        process P() { state a; urgent a; init a; } system P;";
    let mut model = open(stays, Timer { inclusive: true, has_clocks: true });
    assert_eq!(ask(&mut model, "E<> t.x >= 1 || t.x >= 4", &Options::default()).holds(), Some(false));
}

#[test]
fn what_time_can_not_pass_for_is_named() {
    let wrong = |text: &str, expected: &str| {
        let error = Model::open(source(text, Timer { inclusive: false, has_clocks: false })).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    wrong("extern Timer; process P() { Timer t; state a; init a; } system P;", "time can't pass for `t`");
    wrong(
        "extern Timer; Timer t; chan c, d; chan priority c < d; process P() { state a; init a; } system P;",
        "priorities",
    );
    // A model that does not use the class, or calls the method itself, is left as it is.
    for own in ["", "Timer t; process Q() { state a; init a; trans a -> a { assign t.delay(); }; } "] {
        let text = format!("extern Timer; {own}process P() {{ state a; init a; }} system P;");
        let model = open(&text, Timer { inclusive: false, has_clocks: false });
        assert_eq!((model.loaded.system.processes.len(), model.loaded.system.clocks.len()), (1, 1));
    }
}
