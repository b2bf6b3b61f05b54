//! Machines that translate code do what those do that interpret it.

use model::{
    Model, System,
    code::Pc,
    machine::{ClockChange, Fault, Machine},
};
use oracle::{corpora, random::Rng, read_file, seeds};

use crate::common::try_load;

/// What a run of some code leaves.
type Outcome = (Result<i32, Fault>, Vec<i32>, Vec<ClockChange>);

fn outcome(machine: &mut Machine<'_>, row: &[i32], (pc, is_update): (Pc, bool)) -> Outcome {
    machine.load(row);
    machine.changes.clear();
    let result = if is_update { machine.execute(pc).map(|()| 0) } else { machine.test(pc).map(i32::from) };
    // The state after a failure is not defined.
    let row = if result.is_ok() { machine.row().to_vec() } else { Vec::new() };
    let changes = if result.is_ok() { machine.changes.clone() } else { Vec::new() };
    (result, row, changes)
}

/// Returns a state near the initial one, with numbers in their ranges.
fn some_row(system: &System, rng: &mut Rng) -> Vec<i32> {
    let kept = rng.below(100);
    let number = |(initial, (low, high)): (&i32, &(i32, i32))| match rng.below(100) {
        chance if chance < kept => *initial,
        chance if chance % 3 == 0 => rng.between((*low).max(-3), (*high).min(9).max((*low).max(-3))),
        _ => rng.between(*low, *high),
    };
    system.initial.iter().zip(&system.ranges).map(number).collect()
}

/// Returns the code of labels, and whether each is an update.
fn codes(system: &System) -> Vec<(Pc, bool)> {
    let invariants = system.locations.iter().filter_map(|l| l.invariant.condition);
    let guards = system.edges.iter().filter_map(|e| e.guard.condition);
    let updates = system.edges.iter().filter_map(|e| e.update);
    let hooks = system.before_update.into_iter().chain(system.after_update);
    let conditions = guards.chain(invariants).map(|pc| (pc, false));
    conditions.chain(updates.chain(hooks).map(|pc| (pc, true))).collect()
}

/// Compares both machines, each of which runs all code. Returns the numbers of runs and failures.
fn compare(system: &System, rng: &mut Rng, runs: usize, name: &str) -> [usize; 2] {
    let codes = codes(system);
    let mut counts = [0; 2];
    if codes.is_empty() {
        return counts;
    }
    let width = system.initial.len();
    let (mut plain, mut fast) = (Machine::new(&system.code, width), Machine::translating(system));
    for _ in 0..runs {
        let (row, code) = (some_row(system, rng), *rng.pick(&codes));
        let (expected, found) = (outcome(&mut plain, &row, code), outcome(&mut fast, &row, code));
        assert_eq!(found, expected, "{name}: {code:?} in {row:?}");
        counts[0] += 1;
        counts[1] += usize::from(expected.0.is_err());
    }
    counts
}

#[test]
fn on_models_of_other_people() {
    let (mut rng, mut counts, mut models) = (Rng::new(5), [0; 2], 0);
    for corpus in corpora("uppaal") {
        for file in corpus.files(&["xml", "xta", "ta"]) {
            // Large models have the same kinds of code.
            if std::fs::metadata(&file).is_ok_and(|m| m.len() > 60_000) {
                continue;
            }
            let Ok((_, model)) = read_file(&file) else { continue };
            models += 1;
            let found = compare(&model.system, &mut rng, 150, &file.display().to_string());
            counts = [counts[0] + found[0], counts[1] + found[1]];
        }
    }
    assert!(counts[0] > 100 * models / 2 && counts[1] > models, "{counts:?} of {models}");
}

const HEAD: &str = "
    typedef struct { int[0,20] a; int b; bool c; } Pair;
    const int N = 4;
    int g0 = 1, g1 = -2, g2 = 5; int[-3,12] r = 2; bool b0, b1 = true; clock x, y, z[3];
    int list[N] = { 1, 2, 3, 0 }; int[0,9] grid[3][2]; Pair p; Pair pairs[3]; meta int last;
    int pick(int k) { return list[k]; }
    int sum() { int s; for (i : int[0,3]) s += list[i]; return s; }
    void swap(int &u, int &v) { int w = u; u = v; v = w; }
    void raise(int &u[N], int by) { int i; for (i = 0; i < N; i++) u[i] += by; }
    int[0,20] of(Pair q) { q.b++; if (q.c) return q.a; return q.b; }
    void restart(clock &c, int to) { c = to; }
    Pair made(int k) { Pair q; q.a = k; q.c = k > 3; return q; }
    int gcd(int u, int v) { while (v != 0) { int w = u % v; u = v; v = w; } return u; }
";

/// Writes random statements with functions, loops, arrays and references.
struct Writer<'r> {
    rng: &'r mut Rng,
    /// The number of loop variables in scope.
    loops: usize,
}

impl Writer<'_> {
    fn number(&mut self, depth: usize) -> String {
        let simple = depth == 0 || self.rng.chance(30);
        if simple {
            let names = ["g0", "g1", "g2", "r", "p.a", "p.b", "k", "m", "last", "0", "1", "3", "-7", "2"];
            return match self.rng.below(3) {
                0 if self.loops > 0 => format!("i{}", self.rng.below(self.loops)),
                _ => (*self.rng.pick(&names)).to_owned(),
            };
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.rng.below(13) {
            0 => format!("list[{a}]"),
            1 => format!("grid[{a} % 3][{b} & 1]"),
            2 => format!("pick(abs({a}) % N)"),
            3 => format!("gcd({a}, {b})"),
            4 => "sum()".to_owned(),
            5 => format!("of(pairs[abs({a}) % 3])"),
            6 => format!("({} ? {a} : {b})", self.truth(depth - 1)),
            7 => format!("({a} / {b})"),
            8 => format!("(sum (q : int[0,2]) pairs[q].b * {a})"),
            op => format!("({a} {} {b})", ["+", "-", "*", "<?", "%"][op - 9 + usize::from(op == 12 && a == b)]),
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(20) {
            return (*self.rng.pick(&["b0", "b1", "p.c", "true"])).to_owned();
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.rng.below(9) {
            0 => format!("({} && {})", self.truth(depth - 1), self.truth(depth - 1)),
            1 => format!("({} || !{})", self.truth(depth - 1), self.truth(depth - 1)),
            2 => format!("forall (q : int[0,3]) list[q] < {a}"),
            3 => format!("p == made({a})"),
            op => format!("{a} {} {b}", ["<", "<=", "==", "!=", ">="][op - 4]),
        }
    }

    fn place(&mut self) -> String {
        let a = self.number(1);
        match self.rng.below(9) {
            0 => format!("list[abs({a}) % N]"),
            1 => format!("list[{a}]"),
            2 => format!("pairs[abs({a}) % 3].b"),
            _ => (*self.rng.pick(&["g0", "g1", "r", "p.a", "k", "last"])).to_owned(),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let kind = self.rng.below(if depth == 0 { 9 } else { 14 });
        match kind {
            0 => format!("{}++;", self.place()),
            1 => format!("swap(g0, list[abs({}) % N]);", self.number(1)),
            2 => format!("raise(list, {});", self.number(1)),
            3 => format!("pairs[abs({}) % 3] = made({});", self.number(1), self.number(1)),
            4 => format!("b0 = {};", self.truth(2)),
            5 => {
                format!("x = abs({}) % 9; restart(z[abs({}) % 3], {});", self.number(1), self.number(1), self.number(1))
            }
            6 => format!("{} += {};", self.place(), self.number(2)),
            7 | 8 => format!("{} = {};", self.place(), self.number(2)),
            9 | 10 => {
                let (c, a, b) = (self.truth(2), self.block(depth - 1), self.block(depth - 1));
                format!("if ({c}) {a} else {b}")
            }
            11 => {
                self.loops += 1;
                let (i, body) = (self.loops - 1, self.block(depth - 1));
                self.loops -= 1;
                format!("for (i{i} : int[0,3]) {body}")
            }
            12 => {
                self.loops += 1;
                let (i, c, body) = (self.loops - 1, self.truth(1), self.block(depth - 1));
                self.loops -= 1;
                format!("{{ int i{i}; for (i{i} = 0; i{i} < 5 && {c}; i{i}++) {body} }}")
            }
            _ => {
                let (c, body) = (self.truth(1), self.block(depth - 1));
                format!("{{ int n{depth} = 0; while ({c} && n{depth} < 6) {{ {body} n{depth} += 1; }} }}")
            }
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.rng.below(3);
        let body: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        format!("{{ {} }}", body.join(" "))
    }

    fn model(&mut self) -> String {
        let (one, two, truth) = (self.block(2), self.block(2), self.truth(3));
        format!(
            "{HEAD}
            void one(int k, int m) {one}
            int two(int k) {{ int m = 3; {two} one(k, m); return k + m; }}
            bool ok(int k, int m) {{ return {truth}; }}
            process P() {{ int k = 1; int m; state L; init L; trans
                L -> L {{ guard ok(g0, 1); assign one(2, g1), r = two(1) % 4; }},
                L -> L {{ guard ok(2, g2) || list[g0] < r; assign b1 = ok(r, 0), m = two(m), one(m, 0); }}; }}
            system P;"
        )
    }
}

fn random_model(seed: u64) -> Option<Model> {
    let text = Writer { rng: &mut Rng::new(seed), loops: 0 }.model();
    try_load(&text).ok().map(|(_, model)| model)
}

#[test]
fn on_random_functions() {
    let cases: u64 = std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let (mut counts, mut models) = ([0; 2], 0);
    for seed in seeds(0..cases) {
        let Some(model) = random_model(seed) else { continue };
        models += 1;
        let found = compare(&model.system, &mut Rng::new(seed), 60, &format!("seed {seed}"));
        counts = [counts[0] + found[0], counts[1] + found[1]];
    }
    // Half of the texts are models, and runs fail often, but not most often.
    assert!(models > cases / 2, "{models} of {cases}");
    assert!(counts[1] > counts[0] / 20 && counts[1] < counts[0] * 9 / 10, "{counts:?}");
}

#[test]
fn loops_without_end_fail_in_the_same_way() {
    let text = "int n; void spin() { while (n >= 0) n = (n + 1) % 7; }
        void slow() { int i; for (i = 0; i < 30000; i++) { int j; for (j = 0; j < 5; j++) n = (n + j) % 7; } }
        process P() { state L; init L; trans L -> L { assign spin(); }, L -> L { assign slow(); }; } system P;";
    let (_, model) = try_load(text).unwrap();
    let system = &model.system;
    let width = system.initial.len();
    let (mut plain, mut fast) = (Machine::new(&system.code, width), Machine::translating(system));
    let found = codes(system).into_iter().map(|code| {
        let expected = outcome(&mut plain, &system.initial, code);
        assert_eq!(outcome(&mut fast, &system.initial, code), expected);
        expected.0.is_err()
    });
    assert_eq!(found.collect::<Vec<bool>>(), [true, false]);
}
