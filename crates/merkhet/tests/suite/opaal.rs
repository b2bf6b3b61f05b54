//! Lattices of the user with nothing but the interface of opaal's classes: elements are changed in
//! place, there is no hash, and `covers` is what `join` makes of two elements.

use std::sync::{Arc, Mutex};

use merkhet::{
    Answer, Limits, Model, Monotone, Options, Reason, Session, Source, TraceChoice, Update, Verdict,
    user::{Access, ClassArguments, Element, Interface, UserClass, UserError, UserLattice, UserMethod},
};

/// What an element is made of, whatever its class.
type Parts = Vec<i64>;

/// A method of a class: it changes the parts in place.
type Body = fn(&mut Parts, &[i32], &[u32]) -> Option<i64>;

/// A class as one writes it in a few lines.
#[derive(Clone)]
struct Class {
    name: &'static str,
    start: fn(&ClassArguments<'_>) -> Parts,
    join: fn(&Parts, &Parts) -> Parts,
    methods: &'static [(&'static str, usize, Body)],
    has_dimensions: bool,
    fields: &'static [(&'static str, &'static str)],
    /// Names of the methods behind `value`, `set`, `add`, `sub`, `get_item` and `set_item`.
    operators: [&'static str; 6],
}

const NONE: [&str; 6] = [""; 6];

struct Made(Class, Parts, Vec<u32>);

fn parts(element: &Element) -> std::sync::MutexGuard<'_, Parts> {
    element.downcast_ref::<Mutex<Parts>>().unwrap().lock().unwrap()
}

fn element(parts: Parts) -> Element {
    Arc::new(Mutex::new(parts))
}

impl UserClass for Class {
    fn name(&self) -> &str {
        self.name
    }

    fn interface(&self) -> Interface {
        let find = |name: &str| self.methods.iter().position(|m| m.0 == name);
        let [value, set, add, sub, get_item, set_item] = self.operators.map(find);
        let methods = self.methods.iter().map(|(name, parameters, _)| UserMethod::new(*name, *parameters));
        let fields = self.fields.iter().map(|(name, method)| ((*name).to_owned(), find(method).unwrap()));
        Interface {
            methods: methods.collect(),
            has_dimensions: self.has_dimensions,
            fields: fields.collect(),
            value,
            set,
            add,
            sub,
            get_item,
            set_item,
            ..Interface::default()
        }
    }

    fn make(&self, arguments: &ClassArguments<'_>) -> Result<Arc<dyn UserLattice>, UserError> {
        Ok(Arc::new(Made(self.clone(), (self.start)(arguments), arguments.dimensions.to_vec())))
    }
}

impl UserLattice for Made {
    fn initial(&self) -> Result<Element, UserError> {
        Ok(element(self.1.clone()))
    }

    fn copy(&self, of: &Element) -> Result<Element, UserError> {
        Ok(element(parts(of).clone()))
    }

    fn join(&self, a: &Element, b: &Element) -> Result<Element, UserError> {
        let (a, b) = (parts(a).clone(), parts(b).clone());
        Ok(element((self.0.join)(&a, &b)))
    }

    fn equals(&self, a: &Element, b: &Element) -> Result<bool, UserError> {
        let a = parts(a).clone();
        Ok(a == *parts(b))
    }

    fn call(&self, method: usize, this: &mut Element, arguments: &[i32], _: Access) -> Result<Option<i64>, UserError> {
        Ok((self.0.methods[method].2)(&mut parts(this), arguments, &self.2))
    }

    fn show(&self, of: &Element) -> Result<String, UserError> {
        Ok(format!("{:?}", parts(of)))
    }
}

fn flat(indices: &[i32], dimensions: &[u32]) -> usize {
    indices.iter().zip(dimensions).fold(0, |at, (index, size)| at * *size as usize + *index as usize)
}

fn zeros(arguments: &ClassArguments<'_>) -> Parts {
    vec![0; arguments.dimensions.iter().product::<u32>() as usize]
}

const BITS: &[(&str, usize, Body)] = &[
    ("num0s", 0, |e, _, _| Some(e.iter().filter(|bit| **bit == 0).count() as i64)),
    ("num1s", 0, |e, _, _| Some(e.iter().sum())),
    ("setall", 0, |e, _, _| {
        e.fill(1);
        None
    }),
    ("clearall", 0, |e, _, _| {
        e.fill(0);
        None
    }),
    ("__getitem__", 1, |e, at, dimensions| Some(e[flat(at, dimensions)])),
    ("__setitem__", 2, |e, at, dimensions| {
        let (value, indices) = at.split_last().unwrap();
        e[flat(indices, dimensions)] = i64::from(*value != 0);
        None
    }),
];

const NUMBERS_SET: (&str, usize, Body) = ("__set__", 1, |e, n, _| {
    e[0] = n[0].into();
    None
});

const NUMBERS_ADD: (&str, usize, Body) = ("__iadd__", 1, |e, n, _| {
    e[0] += i64::from(n[0]);
    None
});

const NUMBERS_SUB: (&str, usize, Body) = ("__isub__", 1, |e, n, _| {
    e[0] -= i64::from(n[0]);
    None
});

const NUMBERS_VALUE: (&str, usize, Body) = ("__int__", 0, |e, _, _| Some(e[0]));

const NUMBERS: &[(&str, usize, Body)] = &[NUMBERS_VALUE, NUMBERS_SET, NUMBERS_ADD, NUMBERS_SUB];

const RANGES: &[(&str, usize, Body)] = &[
    ("low", 0, |e, _, _| Some(e[0])),
    ("high", 0, |e, _, _| Some(e[1])),
    ("__iadd__", 1, |e, n, _| {
        e.iter_mut().for_each(|bound| *bound += i64::from(n[0]));
        None
    }),
    ("__isub__", 1, |e, n, _| {
        e.iter_mut().for_each(|bound| *bound -= i64::from(n[0]));
        None
    }),
];

/// The least recently used block is the last one that is surely there.
const CACHES: &[(&str, usize, Body)] = &[
    ("access", 1, |e, block, _| {
        let block = block[0] as usize;
        let before = e[block];
        e.iter_mut().filter(|age| **age < before).for_each(|age| *age += 1);
        e[block] = 0;
        None
    }),
    ("ishit", 1, |e, block, _| Some(i64::from(e[block[0] as usize] < 4))),
];

/// Least and greatest time since the last reset, up to 3; greater ones are not distinguished.
const CLOCKS: &[(&str, usize, Body)] = &[
    ("delay", 0, |e, _, _| {
        e.iter_mut().for_each(|bound| *bound = (*bound + 1).min(4));
        None
    }),
    ("reset", 0, |e, _, _| {
        e.fill(0);
        None
    }),
    ("most", 0, |e, _, _| Some(e[1])),
];

/// Lower and upper bounds of two clocks up to 3, as in a zone without differences.
const FEDERATIONS: &[(&str, usize, Body)] = &[
    ("delay", 0, |e, _, _| {
        e[2] = 4;
        e[3] = 4;
        None
    }),
    ("reset", 1, |e, clock, _| {
        e[clock[0] as usize] = 0;
        e[2 + clock[0] as usize] = 0;
        None
    }),
    ("mayBeAtLeast", 2, |e, n, _| Some(i64::from(e[2 + n[0] as usize] >= i64::from(n[1])))),
];

fn each(f: impl Fn(i64, i64) -> i64, a: &Parts, b: &Parts) -> Parts {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

fn hull(a: &Parts, b: &Parts) -> Parts {
    let half = a.len() / 2;
    let low = each(i64::min, &a[..half].to_vec(), &b[..half].to_vec());
    [low, each(i64::max, &a[half..].to_vec(), &b[half..].to_vec())].concat()
}

/// opaal's classes, but for the name of the octagons.
fn classes() -> [Class; 8] {
    let bits = ["", "", "", "", "__getitem__", "__setitem__"];
    let numbers = ["__int__", "__set__", "__iadd__", "__isub__", "", ""];
    let ranges = ["", "", "__iadd__", "__isub__", "", ""];
    let class = |name, start, join, methods, operators| Class {
        name,
        start,
        join,
        methods,
        has_dimensions: operators == bits,
        fields: if operators == ranges { &[("l", "low"), ("u", "high")] } else { &[] },
        operators,
    };
    [
        class("UnionBitVector", zeros, |a, b| each(i64::max, a, b), BITS, bits),
        class("IntersectionBitVector", zeros, |a, b| each(i64::min, a, b), BITS, bits),
        class("MaxInteger", |_| vec![0], |a, b| each(i64::max, a, b), NUMBERS, numbers),
        class("MinInteger", |_| vec![0], |a, b| each(i64::min, a, b), NUMBERS, numbers),
        class("IntRange", |_| vec![0, 0], hull, RANGES, ranges),
        class(
            "AbstractCache",
            |arguments| vec![4; arguments.largest as usize + 1],
            |a, b| each(i64::max, a, b),
            CACHES,
            NONE,
        ),
        class("DiscreteClock", |_| vec![0, 0], hull, CLOCKS, NONE),
        class("DBMFederation", |_| vec![0; 4], hull, FEDERATIONS, NONE),
    ]
}

const MODEL: &str = "
    const int N = 3;
    extern UnionBitVector; extern IntersectionBitVector; extern MaxInteger; extern MinInteger; extern IntRange;
    extern AbstractCache; extern opaal.lattices.DiscreteClock; extern DBMFederation;
    UnionBitVector sent[N]; IntersectionBitVector free[N][2]; MaxInteger most; MinInteger least; IntRange span;
    AbstractCache cache; int[0,4] n; DiscreteClock clk; DBMFederation dbm;
    process P() {
        state A, B, C, D; init A;
        trans A -> A { select i : int[0,N-1]; guard n < 4; assign n++, sent[i] = 1, most += i, least -= 1, cache.access(2 * (i / 2)); },
              A -> B { guard sent.num1s() == N && !cache.ishit(1) && n == 4; assign free.setall(), free[1][0] = 0, span += 2; },
              B -> C { guard most >= 3 && least <= -3 && span.u == 2 && free.num0s() == 1 && !free[1][0];
                       assign clk.delay(), clk.delay(), dbm.delay(), dbm.reset(0), most = 1, least++; },
              C -> D { guard clk.most() == 2 && dbm.mayBeAtLeast(1, 3) && !dbm.mayBeAtLeast(0, 1) && most == 1; };
    }
    system P;";

fn open(text: &str, classes: impl IntoIterator<Item = Class>) -> Model {
    let source = Source::text("opaal.xta", text);
    let source = classes.into_iter().fold(source, |source, class| source.with_lattice(Arc::new(class)));
    Model::open(source).unwrap_or_else(|error| panic!("{error}"))
}

fn ask(model: &mut Model, query: &str, options: &Options) -> Answer {
    let query = model.query(query).unwrap();
    Session::new(model).ask(&query, options, &Limits::default(), &mut ()).unwrap()
}

#[test]
fn the_classes_of_opaal_work_with_nothing_but_their_interface() {
    let mut stored = Vec::new();
    for (update, monotone) in [
        (Update::Simple, Monotone::Check),
        (Update::Cover, Monotone::Check),
        (Update::Cover, Monotone::Assume),
        (Update::Join, Monotone::Assume),
    ] {
        for threads in [1, 2] {
            let mut model = open(MODEL, classes());
            let options = Options {
                update: Some(update),
                monotone,
                trace: TraceChoice::Some,
                threads: Some(threads),
                ..Options::default()
            };
            for location in ["B", "C", "D"] {
                let answer = ask(&mut model, &format!("E<> P.{location}"), &options);
                assert_eq!(answer.holds(), Some(true), "{location} {update:?} {monotone:?}: {:?}", answer.verdict);
                let trace = answer.evidence.trace.unwrap();
                assert!(trace.is_replayed() && trace.steps.len() >= 4, "{location}");
            }
            assert_eq!(ask(&mut model, "E<> P.D && sent.num0s() > 0", &options).holds(), Some(false));
            if threads == 1 {
                stored.push(ask(&mut model, "E<> P.D && sent.num0s() > 0", &options).stats.counts.stored);
            }
        }
    }
    assert!(stored[0] == stored[1] && stored[2] < stored[0] && stored[3] < stored[2], "{stored:?}");
}

#[test]
fn a_method_that_changes_what_it_reads_is_named() {
    let text = "extern DiscreteClock; DiscreteClock clk; process P() { state a, b; init a;
        trans a -> b { guard clk.delay() == 0; }; } system P;";
    let mut delays = classes()[6].clone();
    delays.methods = &[("delay", 0, |e, _, _| {
        e[0] += 1;
        Some(0)
    })];
    let mut model = open(text, [delays]);
    let answer = ask(&mut model, "E<> P.b", &Options::default());
    let text = answer.verdict_text();
    assert_eq!(text, "`delay()` of `DiscreteClock` fails for [0, 0]: it changes the element, which it must not");
    let at = answer.diagnostics.last().unwrap();
    assert_eq!(model.sources.text(at.primary.span), "clk.delay()");
}

#[test]
fn the_run_to_a_method_that_fails_is_shown() {
    let text = "extern MaxInteger; MaxInteger n; clock x; process P() { state a { x <= 3 }, b; init a;
        trans a -> a { guard x >= 2; assign n += 1, x = 0; }, a -> b { guard n > 100; }; } system P;";
    let mut class = classes()[2].clone();
    class.methods = &[
        NUMBERS_VALUE,
        NUMBERS_SET,
        ("__iadd__", 1, |e, n, _| {
            assert!(e[0] < 3, "no further");
            (NUMBERS_ADD.2)(e, n, &[])
        }),
        NUMBERS_SUB,
    ];
    let options = Options { trace: TraceChoice::Some, ..Options::default() };
    let mut model = open(text, [class]);
    let answer = ask(&mut model, "E<> P.b", &options);
    assert_eq!(answer.verdict_text(), "`__iadd__(1)` of `MaxInteger` fails for [3]: it panics: no further");
    let trace = answer.evidence.trace.unwrap();
    assert_eq!((trace.is_replayed(), trace.steps.len()), (true, 3));
    let at = answer.diagnostics.last().unwrap();
    assert_eq!(model.sources.text(at.primary.span), "n += 1");
}

/// The text of an unknown verdict.
trait VerdictText {
    fn verdict_text(&self) -> String;
}

impl VerdictText for Answer {
    fn verdict_text(&self) -> String {
        match &self.verdict {
            Verdict::Unknown(Reason::User(failure, _)) => failure.to_string(),
            other => format!("{other:?}"),
        }
    }
}

#[test]
fn nonsense_is_named() {
    let text = "extern MaxInteger; MaxInteger n; process P() { state a, b; init a;
        trans a -> a { guard n < 5; assign n += 1; }, a -> b { guard n > 3; }; } system P;";
    let plain = classes()[2].clone();
    let join = |join| Class { join, ..plain.clone() };
    let options = Options { update: Some(Update::Join), monotone: Monotone::Assume, ..Options::default() };
    // Too large a number.
    let mut large = plain.clone();
    large.methods = &[("__int__", 0, |_, _, _| Some(1 << 40)), NUMBERS_SET, NUMBERS_ADD, NUMBERS_SUB];
    let answer = ask(&mut open(text, [large]), "E<> P.b", &options);
    assert!(
        answer.verdict_text().ends_with("it returns 1099511627776, which is no number of 32 bits"),
        "{}",
        answer.verdict_text()
    );
    // No number.
    let mut nothing = plain.clone();
    nothing.methods = &[("__int__", 0, |_, _, _| None), NUMBERS_SET, NUMBERS_ADD, NUMBERS_SUB];
    let answer = ask(&mut open(text, [nothing]), "E<> P.b", &options);
    assert!(
        answer.verdict_text().ends_with("it returns nothing where a number is needed"),
        "{}",
        answer.verdict_text()
    );
    // A panic.
    let answer = ask(&mut open(text, [join(|_, _| panic!("out of joint"))]), "E<> P.b && n < 3", &options);
    assert!(answer.verdict_text().ends_with("it panics: out of joint"), "{}", answer.verdict_text());
    // All elements cover each other.
    let answer = ask(&mut open(text, [join(|a, _| a.clone())]), "E<> P.b && n < 3", &options);
    let Verdict::Unknown(Reason::Disorder(why)) = &answer.verdict else { panic!("{:?}", answer.verdict) };
    assert!(why.ends_with("differ, and each is less than or equal to the other"), "{why}");
    // A law that is violated is found without a search, too.
    let model = open(text, [join(|a, b| each(i64::min, a, &each(|a, _| a + 1, b, b)))]);
    let laws = verify::check_laws(&model.loaded);
    assert!(laws.diagnostics.iter().any(|d| d.message.contains("`MaxInteger` is no lattice")), "{laws:?}");
    let laws = verify::check_laws(&open(text, [plain.clone()]).loaded);
    assert!(!laws.diagnostics.iter().any(merkhet::Diagnostic::is_error), "{laws:?}");
    let laws = verify::check_laws(&open(text, [join(|_, _| panic!("out of joint"))]).loaded);
    let failure = laws.diagnostics.iter().find(|d| d.code == "user-function").unwrap();
    assert!(failure.message.ends_with("it panics: out of joint"), "{}", failure.message);
}

#[test]
fn names_are_looked_up_where_the_user_allows_it() {
    let text = "extern my.module.Counter; Counter n; process P() { state a, b; init a;
        trans a -> a { guard n < 2; assign n++; }, a -> b { guard n == 2; }; } system P;";
    let class = Class { name: "my.module.Counter", ..classes()[2].clone() };
    let asked = Arc::new(Mutex::new(Vec::new()));
    let open = |answer: Option<Result<Class, UserError>>| {
        let asked = asked.clone();
        let source = Source::text("n.xta", text).with_resolver(Arc::new(move |name| {
            asked.lock().unwrap().push(name.to_owned());
            answer.clone().map(|class| class.map(|class| Arc::new(class) as Arc<dyn UserClass>))
        }));
        Model::open(source)
    };
    let mut model = open(Some(Ok(class))).unwrap();
    assert_eq!(ask(&mut model, "E<> P.b", &Options::default()).holds(), Some(true));
    assert_eq!(*asked.lock().unwrap(), ["my.module.Counter"]);
    let error = open(Some(Err(UserError::new("say allow_import=True")))).unwrap_err().to_string();
    assert!(error.contains("`Counter`: say allow_import=True"), "{error}");
    let error = open(None).unwrap_err();
    assert!(error.to_string().contains("unknown lattice `Counter`"), "{error}");
    assert!(error.document.diagnostics[0].help.iter().any(|help| help.contains("`Source::with_lattice`")));
}

#[test]
fn what_needs_elements_as_text_is_refused_by_name() {
    let mut model = open(MODEL, classes());
    let options = Options { certificate: true, ..Options::default() };
    let answer = ask(&mut model, "E<> P.D && sent.num0s() > 0", &options);
    assert_eq!(answer.holds(), Some(false));
    assert!(matches!(answer.evidence.proof, Some(Err(merkhet::Unproved::User))));
    let smt = Options { engine: merkhet::EngineChoice::Smt, bound: Some(3), ..Options::default() };
    let answer = ask(&mut model, "E<> P.D", &smt);
    assert!(
        matches!(&answer.verdict, Verdict::Unknown(Reason::Refused(what)) if what.contains("lattice")),
        "{:?}",
        answer.verdict
    );
}

#[test]
fn classes_are_parts_of_other_lattices() {
    let text = "extern MaxInteger; extern MinInteger; extern Both = Vector(MaxInteger, 2); extern Mixed = Product(MaxInteger, MinInteger);
        Both both; Mixed mixed; process P() { state a, b, c; init a;
        trans a -> a { guard both.value(0) < 3; assign both.grow(0), both.grow(1), mixed.first_grow(); },
              a -> b { guard both.value(1) == 3 && mixed.first_value() == 3; },
              a -> c { guard both.value(1) == 4; }; } system P;";
    let class = |name| Class {
        name,
        methods: &[
            ("value", 0, |e, _, _| Some(e[0])),
            ("grow", 0, |e, _, _| {
                e[0] += 1;
                None
            }),
        ],
        ..classes()[2].clone()
    };
    let mut model = open(text, [class("MaxInteger"), class("MinInteger")]);
    for update in [Update::Simple, Update::Cover, Update::Join] {
        let options = Options { update: Some(update), ..Options::default() };
        assert_eq!(ask(&mut model, "E<> P.b", &options).holds(), Some(true), "{update:?}");
        assert_eq!(ask(&mut model, "E<> P.c", &options).holds(), Some(false), "{update:?}");
    }
    let certified = Options { certificate: true, ..Options::default() };
    let answer = ask(&mut model, "E<> P.c", &certified);
    assert!(matches!(answer.evidence.proof, Some(Err(merkhet::Unproved::User))));
}

#[test]
fn clusters_refuse_what_only_one_process_knows() {
    let mut model = open(MODEL, classes());
    let query = model.query("E<> P.D").unwrap();
    let refuses =
        |options: &Options, model: &Model, query| merkhet::check_cluster(options, model, &[query])[0].to_string();
    let text = refuses(&Options::default(), &model, &query);
    assert_eq!(
        text,
        "models with lattices of the user do not run on a cluster; their elements are known to one process only"
    );
    let mut plain = Model::open(Source::text("p.xta", "process P() { state a; init a; } system P;")).unwrap();
    let goal = plain.goal("all", true, merkhet::user::UserGoal::new(|_| Ok(true))).unwrap();
    assert!(refuses(&Options::default(), &plain, &goal).starts_with("goals of the user"));
    let join = merkhet::user::UserJoin::new(|_, _, _| Ok(true));
    let functions = merkhet::user::Functions { join: Some(join), ..Default::default() };
    let options = Options { functions, ..Options::default() };
    assert!(refuses(&options, &plain, &goal).starts_with("join strategies of the user"));
}

#[test]
fn state_spaces_have_elements_of_the_user() {
    let text = "extern MaxInteger; MaxInteger n; process P() { state a, b; init a;
        trans a -> a { guard n < 3; assign n += 1; }, a -> b { guard n == 2; }; } system P;";
    let mut model = open(text, [classes()[2].clone()]);
    let answer = Session::new(&mut model).states(None, &Options::default(), &Limits::default(), &mut ()).unwrap();
    let states = answer.evidence.states.unwrap();
    let system = &model.loaded.system;
    let shown: Vec<String> = states.states.iter().map(|state| system.show(&system.lattices[0], &state.row)).collect();
    assert!(["[0]", "[1]", "[2]", "[3]"].iter().all(|text| shown.iter().any(|shown| shown == text)), "{shown:?}");
}
