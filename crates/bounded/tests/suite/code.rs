//! Compares code encoded as terms with its execution by the machine, on random networks and rows.

use bounded::{ClockValue, Conditions, GuardedValue, Integer};
use model::{
    Formula, System,
    code::Pc,
    machine::{ClockChange, Machine},
};
use oracle::random::{self, Rng};
use smt::{Term, TermNode, Terms};

/// Evaluates terms for given values of the Boolean variables.
struct Values<'t> {
    terms: &'t Terms,
    booleans: &'t [bool],
}

impl Values<'_> {
    fn holds(&self, t: Term) -> bool {
        let value = match self.terms.node(t) {
            TermNode::True => true,
            TermNode::Variable(n) => self.booleans[*n as usize],
            TermNode::And(range) => self.terms.parts(range).iter().all(|part| self.holds(*part)),
            TermNode::Iff(a, b) => self.holds(*a) == self.holds(*b),
            node => panic!("{node:?} in code"),
        };
        value != t.is_negated()
    }

    /// Returns the only value whose term holds.
    fn value<T: Copy + Ord + std::fmt::Debug>(&self, choice: &GuardedValue<T>) -> T {
        let found: Vec<T> = choice.values().iter().filter(|(_, term)| self.holds(*term)).map(|(v, _)| *v).collect();
        assert_eq!(found.len(), 1, "{choice:?}");
        found[0]
    }
}

/// Returns the values to try: the whole range, or some values of it.
fn range((low, high): (i32, i32)) -> (i32, i32) {
    (low.max(-2), high.min(5))
}

/// Returns a row in which each number is one of the values to try.
fn numbers(system: &System, terms: &mut Terms) -> Vec<Integer> {
    let of = |(low, high): (i32, i32), terms: &mut Terms| {
        let values: Vec<(i32, Term)> = (low..=high).map(|v| (v, terms.fresh())).collect();
        Integer::collect(terms, values)
    };
    system.ranges.iter().map(|r| of(range(*r), terms)).collect()
}

fn conditions(system: &System, goals: &[Formula]) -> Vec<Pc> {
    fn of(formula: &Formula, out: &mut Vec<Pc>) {
        match formula {
            Formula::Condition(pc) => out.push(*pc),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| of(part, out)),
            _ => {}
        }
    }
    let guards = system.edges.iter().map(|e| &e.guard).chain(system.locations.iter().map(|l| &l.invariant));
    let mut found: Vec<Pc> = guards.filter_map(|g| g.condition).collect();
    goals.iter().for_each(|goal| of(goal, &mut found));
    found
}

/// Creates a random network.
fn examine(seed: u64) -> Result<(u64, u64), String> {
    let options = random::NetworkFeatures { faults: true, ..random::NetworkFeatures::all() };
    let net = random::network(seed, &options);
    Ok(compare(seed, &net.text(), &net.queries(), 20))
}

/// Compares all code of a network on some rows. Returns how many executions were compared and how
/// many of them fail.
fn compare(seed: u64, text: &str, queries: &[String], rows: usize) -> (u64, u64) {
    let loaded = oracle::load(text, queries).unwrap();
    let system = &loaded.system;
    let mut terms = Terms::new();
    let row = numbers(system, &mut terms);
    let code = Conditions::new(system, &|| false);
    let read = |slot: u32| row[slot as usize].clone();
    let goals: Vec<Formula> = loaded.properties.iter().flat_map(|p| p.formulas().into_iter().cloned()).collect();
    let tests: Vec<_> =
        conditions(system, &goals).into_iter().map(|pc| (pc, code.condition(&mut terms, pc, &read).unwrap())).collect();
    let updates: Vec<_> = system
        .edges
        .iter()
        .filter_map(|e| e.update)
        .chain(system.before_update)
        .chain(system.after_update)
        .map(|pc| {
            let clocks = |x| ClockValue::known((x, 0));
            (pc, code.update(&mut terms, pc, &read, &clocks, Term::TRUE).unwrap())
        })
        .collect();
    let mut rng = Rng::new(seed);
    let mut machine = Machine::new(&system.code, system.initial.len());
    let (mut runs, mut failed) = (0, 0);
    for _ in 0..rows {
        let chosen: Vec<i32> = system.ranges.iter().map(|r| rng.between(range(*r).0, range(*r).1)).collect();
        let mut booleans = vec![false; terms.booleans()];
        for (integer, value) in row.iter().zip(&chosen) {
            if let TermNode::Variable(n) = terms.node(integer.is(*value)) {
                booleans[*n as usize] = true;
            }
        }
        let values = Values { terms: &terms, booleans: &booleans };
        for (pc, (truth, fault)) in &tests {
            machine.load(&chosen);
            let expected = machine.test(*pc);
            assert_eq!(expected.is_err(), values.holds(*fault), "seed {seed}: {pc:?} on {chosen:?}");
            if let Ok(expected) = expected {
                assert_eq!(expected, values.holds(*truth), "seed {seed}: {pc:?} on {chosen:?}");
            }
            runs += 1;
            failed += u64::from(expected.is_err());
        }
        for (pc, effect) in &updates {
            machine.load(&chosen);
            machine.changes.clear();
            let expected = machine.execute(*pc);
            runs += 1;
            failed += u64::from(expected.is_err());
            assert_eq!(expected.is_err(), values.holds(effect.fault), "seed {seed}: {pc:?} on {chosen:?}");
            if expected.is_err() {
                continue;
            }
            let mut found = chosen.clone();
            for (slot, value) in &effect.row {
                found[*slot as usize] = values.value(value);
            }
            assert_eq!(found, machine.row(), "seed {seed}: {pc:?} on {chosen:?}");
            let mut clocks: Vec<(u32, i64)> = (0..system.clocks.len() as u32).map(|x| (x, 0)).collect();
            let expected = machine.changes.iter().fold(clocks.clone(), |mut all, change| {
                match *change {
                    ClockChange::Set { clock, value } => all[clock as usize] = (0, i64::from(value)),
                    ClockChange::Copy { clock, from, plus } => {
                        let (x, n) = all[from as usize];
                        all[clock as usize] = (x, n + i64::from(plus));
                    }
                }
                all
            });
            for (clock, value) in &effect.clocks {
                clocks[*clock as usize] = values.value(value);
            }
            assert_eq!(clocks, expected, "seed {seed}: {pc:?} on {chosen:?}");
        }
    }
    (runs, failed)
}

/// Loops, arrays, structs, references and early returns.
const LANGUAGE: &str = "
typedef struct { int[0,3] a; bool b; } Pair;
Pair pairs[3];
int[0,3] list[4];
int[0,4] n;
int[-2,5] z;
clock x[3];
int count(int what) { int i; int sum = 0; for (i = 0; i < 4; i++) { if (list[i] == what) sum++; } return sum; }
int find(int what) { int i = 0; while (i < n) { if (list[i] == what) return i; i++; } return -1; }
void swap(int[0,3] &a, int[0,3] &b) { int[0,3] t = a; a = b; b = t; }
void sort() { int i; int j; for (i = 0; i < 3; i++) for (j = 0; j < 3 - i; j++) if (list[j] > list[j + 1]) swap(list[j], list[j + 1]); }
void shift(int by) { Pair t = pairs[by]; pairs[by] = pairs[(by + 1) % 3]; pairs[(by + 1) % 3] = t; x[by] = n; }
process P() {
state A, B;
init A;
trans
  A -> B { guard count(2) >= 2 && pairs[0] != pairs[n % 3]; assign sort(); },
  A -> A { guard find(1) == z || (forall (i : int[0,3]) list[i] < 3); assign z = find(n), n = count(z); },
  A -> A { guard z / (n - 2) > 0; assign list[z] = n, z = z >= 0 ? 1 << z : -z, n = z % 3; },
  B -> A { guard n > 0 && list[n - 1] > 1; assign shift(n), n = n > 2 ? n - 3 : n + 1; },
  B -> B { guard pairs[1].b && (exists (i : int[0,2]) pairs[i].a == n); assign pairs[n].a = n, x[n] = z, n = (n <? z) >? 0; };
}
system P;
";

#[test]
fn the_language() {
    let queries = ["E<> sum (i : int[0,3]) list[i] == n + z".to_owned()];
    let (runs, failed) = compare(1, LANGUAGE, &queries, 2_000);
    println!("{runs} executions compared, {failed} of them fail");
    assert!(failed > 100 && runs > 2 * failed);
}

#[test]
fn every_operation() {
    let (runs, failed) = compare(1, &oracle::operations(), &[], 300);
    println!("{runs} executions compared, {failed} of them fail");
    assert!(failed > 1_000 && runs > 2 * failed);
}

#[test]
fn random_networks() {
    let (runs, failed) = oracle::campaign(1_000, examine, |all, (runs, failed)| {
        all.0 += runs;
        all.1 += failed;
    });
    println!("{runs} executions compared, {failed} of them fail");
    assert!(failed > 100);
}
