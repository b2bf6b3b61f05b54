//! Each query has its own code, which calls that of the model.

use model::{
    Formula, Model, Property, Quantity, System,
    code::Pc,
    machine::{Fault, Machine},
};
use oracle::random::Rng;
use syntax::Sources;

use crate::common::try_load;

const MODEL: &str = "
    typedef struct { int a; int b; } Pair;
    const int table[4] = { 10, 20, 30, 40 };
    int n = 3; int[0,9] m = 2; int list[4] = { 4, 3, 2, 1 };
    int twice(int k) { return 2 * k; }
    int used(int k) { int sum = 0; for (i : int[0,3]) sum += list[i] * k; return sum + twice(k); }
    int unused(int k) { int all[3] = { k, k + 1, 77 }; Pair p; p.a = all[1]; p.b = used(k); return p.a * 1000 + p.b; }
    int deep(int k) { return unused(k) + unused(twice(k)) + 123456; }
    bool within(int k) { return k >= 0 && k < 4 && list[k] > 1; }
    int at(int k) { return list[k]; }
    process P(const int[0,1] id) {
        int own = id;
        int mine(int k) { return own * 100 + unused(k); }
        state A; init A;
        trans A -> A { guard used(n) > 5; assign n = n + 1, m = (m + 1) % 10, own = own + 5; };
    }
    system P;";

const QUERIES: [&str; 14] = [
    "sup: n",
    "sup: used(n) + 98765",
    "sup: unused(m)",
    "sup: deep(n) - m",
    "sup: P(0).mine(n) + P(1).mine(m)",
    "sup: sum (i : int[0,3]) table[i] * list[i] + 55555",
    "sup: at(n)",
    "sup: 100 / (m - 5)",
    "sup: list[m] + 4242",
    "E<> within(m) && deep(m) > 0",
    "E<> exists (i : int[0,3]) at(i) == m",
    "E<> forall (i : int[0,1]) P(i).mine(1) > 1000",
    "A[] at(n + m) < 100",
    "E<> P(0).A && m == 7 && n > 31415",
];

fn lower(sources: &mut Sources, model: &mut Model, text: &str) -> model::LoweredQuery {
    let file = sources.add_file("query", text.to_owned());
    let queries = syntax::read_queries(sources, file, &mut model.tree);
    model.query(&queries[0]).unwrap_or_else(|wrong| panic!("{text}: {wrong:#?}"))
}

/// Returns the code of a query without clocks.
fn codes(property: &Property) -> Vec<Pc> {
    fn of(formula: &Formula, out: &mut Vec<Pc>) {
        match formula {
            Formula::Condition(pc) => out.push(*pc),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| of(part, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    property.formulas().into_iter().for_each(|formula| of(formula, &mut out));
    if let Property::Bounds { quantities, .. } = property {
        out.extend(quantities.iter().filter_map(|q| if let Quantity::Integer(pc) = q { Some(*pc) } else { None }));
    }
    out
}

/// Evaluates the code of a query in some states. Errors come with the text that caused them. One
/// machine executes all of it.
fn values(sources: &Sources, system: &System, property: &Property) -> Vec<String> {
    let mut machine = Machine::new(&system.code, system.initial.len());
    let mut out = Vec::new();
    for step in 0..8 {
        let mut row = system.initial.clone();
        row[2] += step;
        row[3] = (row[3] + step) % 10;
        machine.load(&row);
        for pc in codes(property) {
            out.push(match machine.value(pc) {
                Ok(value) => value.to_string(),
                Err(Fault { kind, pc }) => format!("{kind} at {}", sources.text(system.site(pc))),
            });
        }
        // Code of the model runs in between.
        machine.test(system.edges[0].guard.condition.unwrap()).unwrap();
    }
    out
}

#[test]
fn code_of_queries_does_not_depend_on_other_queries() {
    let expected: Vec<Vec<String>> = QUERIES
        .iter()
        .map(|text| {
            let (mut sources, mut model) = try_load(MODEL).unwrap();
            let query = lower(&mut sources, &mut model, text);
            let (system, property) = model.system.with(&query);
            values(&sources, &system, &property)
        })
        .collect();
    let errors = expected.iter().flatten().filter(|value| value.contains(" at ")).count();
    assert!(errors > 10, "{expected:?}");
    assert_eq!(expected[6][2], "index 5 is outside of the array, whose indices are 0 to 3 at k");
    let mut rng = Rng::new(18);
    for round in 0..60 {
        let (mut sources, mut model) = try_load(MODEL).unwrap();
        let before = model.system.clone();
        let chosen: Vec<usize> = (0..rng.below(20)).map(|_| rng.below(QUERIES.len())).collect();
        let lowered: Vec<_> = chosen.iter().map(|i| lower(&mut sources, &mut model, QUERIES[*i])).collect();
        assert_eq!(model.system, before);
        // Some queries are added one after the other, the others at once.
        let (first, rest) = lowered.split_at(rng.below(lowered.len() + 1));
        let (mut system, mut properties) = (model.system.clone(), Vec::new());
        for query in first {
            let (extended, property) = system.with(query);
            system = extended;
            properties.push(property);
        }
        let (system, more) = system.with_all(&rest.iter().collect::<Vec<_>>());
        properties.extend(more);
        for ((number, property), alone) in chosen.iter().zip(&properties).zip(&lowered) {
            assert_eq!(values(&sources, &system, property), expected[*number], "round {round}: {}", QUERIES[*number]);
            let (system, property) = model.system.with(alone);
            assert_eq!(values(&sources, &system, &property), expected[*number], "round {round}: {}", QUERIES[*number]);
        }
    }
}

/// An invalid query leaves no code.
#[test]
fn rejected_queries_leave_no_code() {
    let (mut sources, mut model) = try_load(MODEL).unwrap();
    let before = model.system.clone();
    for text in ["E<> unused(1) + nothing == 3", "sup: deep(n) + 1.5", "E<> exists (i : int[0,1/0]) deep(i) == 1"] {
        let file = sources.add_file("query", text.to_owned());
        let queries = syntax::read_queries(&sources, file, &mut model.tree);
        assert!(model.query(&queries[0]).is_err(), "{text}");
    }
    assert_eq!(model.system, before);
    let query = lower(&mut sources, &mut model, QUERIES[3]);
    let (mut others, mut fresh) = try_load(MODEL).unwrap();
    let alone = lower(&mut others, &mut fresh, QUERIES[3]);
    let ((system, property), (expected, same)) = (model.system.with(&query), fresh.system.with(&alone));
    assert_eq!(values(&sources, &system, &property), values(&others, &expected, &same));
}

/// Code of the model is called, not lowered again.
#[test]
fn functions_of_the_model_are_not_copied() {
    let (mut sources, mut model) = try_load(MODEL).unwrap();
    let own =
        |query: &model::LoweredQuery, model: &Model| model.system.with(query).0.code.len() - model.system.code.len();
    let known = lower(&mut sources, &mut model, "sup: used(n)");
    let unknown = lower(&mut sources, &mut model, "sup: unused(n)");
    assert!(own(&known, &model) < 8, "{}", own(&known, &model));
    assert!(own(&unknown, &model) > 8, "{}", own(&unknown, &model));
}
