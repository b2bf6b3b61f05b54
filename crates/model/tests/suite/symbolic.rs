//! The symbolic paths of a piece of code are complete and disjoint: on every row, the code behaves
//! as exactly one path describes.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    System,
    code::Pc,
    machine::{ClockChange, Machine},
    symbolic::{Path, Symbolic},
};
use oracle::random::{self, Rng};

/// The number of rows that are tried for each edge.
const ROWS: usize = 20;

/// The counters of a campaign.
#[derive(Default)]
struct Counted {
    edges: u64,
    /// Pieces of code with too many paths.
    given_up: u64,
    paths: u64,
    /// Rows on which a guard holds or does not hold, and executed updates.
    held: u64,
    failed: u64,
    updates: u64,
    /// Executions that end with an error, about which paths say nothing.
    faults: u64,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        self.edges += other.edges;
        self.given_up += other.given_up;
        self.paths += other.paths;
        self.held += other.held;
        self.failed += other.failed;
        self.updates += other.updates;
        self.faults += other.faults;
    }
}

/// Returns a row that a state may have, or almost.
fn random_row(system: &System, rng: &mut Rng) -> Vec<i32> {
    let number = |&(low, high): &(i32, i32), rng: &mut Rng| match i64::from(high) - i64::from(low) {
        0..1000 => rng.between(low, high),
        // Conditions mostly distinguish small numbers, even in large ranges.
        _ if rng.chance(80) => rng.between(-4, 4).clamp(low, high),
        _ => (i64::from(low) + (rng.bits() % (i64::from(high) - i64::from(low) + 1) as u64) as i64) as i32,
    };
    system.ranges.iter().map(|range| number(range, rng)).collect()
}

/// A row, and the values that variables have when an update runs, if they changed since.
struct Rows<'r> {
    row: &'r [i32],
    later: &'r [i32],
}

impl Rows<'_> {
    fn value(&self, var: u32) -> i32 {
        let count = self.row.len();
        if (var as usize) < count { self.row[var as usize] } else { self.later[var as usize - count] }
    }

    /// Returns whether a path is taken.
    fn take(&self, symbolic: &Symbolic<'_>, path: &Path) -> bool {
        let of = |var| self.value(var);
        path.conditions.iter().all(|atom| {
            let sides = symbolic.terms.value(atom.left, &of).zip(symbolic.terms.value(atom.right, &of));
            sides.is_some_and(|(left, right)| atom.cmp.holds(left, right))
        })
    }

    /// Returns the only path that is taken.
    fn only<'p>(&self, symbolic: &Symbolic<'_>, paths: &'p [Path]) -> Result<&'p Path, String> {
        let taken: Vec<&Path> = paths.iter().filter(|path| self.take(symbolic, path)).collect();
        match taken[..] {
            [path] => Ok(path),
            _ => Err(format!("{} of {} paths are taken", taken.len(), paths.len())),
        }
    }
}

/// Compares an update with the path that is taken.
fn compare_update(
    system: &System,
    symbolic: &Symbolic<'_>,
    (update, later): (Pc, &BTreeSet<u32>),
    path: &Path,
    rows: &Rows<'_>,
    machine: &Machine<'_>,
) -> Result<(), String> {
    let of = |var| rows.value(var);
    let written = system.written(update);
    for (slot, found) in machine.row().iter().enumerate() {
        let slot = slot as u32;
        let before = if later.contains(&slot) { rows.later[slot as usize] } else { rows.row[slot as usize] };
        let described = path.writes.get(&slot).map_or(Some(before), |term| symbolic.terms.value(*term, &of));
        if described != Some(*found) {
            return Err(format!("{} becomes {found}, not {described:?}", system.slot_name(slot)));
        }
        if *found != before && !written.contains(&slot) {
            return Err(format!("{} is written, but not among {written:?}", system.slot_name(slot)));
        }
    }
    let mut set = BTreeMap::new();
    for change in &machine.changes {
        match *change {
            ClockChange::Set { clock, value } => set.insert(clock, Some(value)),
            ClockChange::Copy { clock, .. } => set.insert(clock, None),
        };
    }
    let described: BTreeMap<u32, Option<i32>> = path
        .clocks
        .iter()
        .map(|(clock, term)| (*clock, term.and_then(|term| symbolic.terms.value(term, &of))))
        .collect();
    if described == set { Ok(()) } else { Err(format!("the clocks become {set:?}, not {described:?}")) }
}

/// Compares the paths of a system's edges with their execution, and describes the first difference.
fn compare(system: &System, rng: &mut Rng) -> Result<Counted, String> {
    let mut symbolic = Symbolic::new(system);
    let mut machine = Machine::new(&system.code, system.initial.len());
    let mut counted = Counted::default();
    for (number, edge) in system.edges.iter().enumerate() {
        counted.edges += 1;
        // The variables that are written between the guard and the update.
        let later: BTreeSet<u32> = if rng.chance(50) {
            (0..system.ranges.len() as u32).filter(|_| rng.chance(30)).collect()
        } else {
            BTreeSet::new()
        };
        let guards = match edge.guard.condition {
            None => Some(vec![Path::default()]),
            Some(pc) => symbolic.test(&Path::default(), pc),
        };
        let Some(guards) = guards else {
            counted.given_up += 1;
            continue;
        };
        let mut paths = Some(guards.clone());
        if let Some(update) = edge.update {
            let all: Option<Vec<Vec<Path>>> =
                guards.iter().map(|guard| symbolic.update(guard, update, &later)).collect();
            paths = all.map(|all| all.into_iter().flatten().collect());
        }
        counted.given_up += u64::from(paths.is_none());
        counted.paths += paths.as_ref().map_or(0, Vec::len) as u64;
        for _ in 0..ROWS {
            let (row, other) = (random_row(system, rng), random_row(system, rng));
            let rows = Rows { row: &row, later: &other };
            let describe = |why: String| format!("edge {number}, {later:?}: {row:?}, {other:?}\n{why}");
            machine.load(&row);
            let holds = edge.guard.condition.map_or(Ok(true), |pc| machine.test(pc));
            let Ok(holds) = holds else {
                counted.faults += 1;
                continue;
            };
            if !holds {
                counted.failed += 1;
                if guards.iter().any(|guard| rows.take(&symbolic, guard)) {
                    return Err(describe("the guard does not hold, but one of its paths is taken".to_owned()));
                }
                continue;
            }
            counted.held += 1;
            rows.only(&symbolic, &guards).map_err(|why| describe(format!("guard: {why}")))?;
            let (Some(update), Some(paths)) = (edge.update, &paths) else { continue };
            for slot in &later {
                machine.row_mut()[*slot as usize] = other[*slot as usize];
            }
            machine.changes.clear();
            if machine.execute(update).is_err() {
                counted.faults += 1;
                continue;
            }
            counted.updates += 1;
            let path = rows.only(&symbolic, paths).map_err(|why| describe(format!("update: {why}")))?;
            compare_update(system, &symbolic, (update, &later), path, &rows, &machine).map_err(describe)?;
        }
    }
    Ok(counted)
}

#[test]
fn random_networks() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let options = random::NetworkFeatures { faults: true, ..random::NetworkFeatures::all() }.some(&mut rng);
        let text = random::network(seed, &options).text();
        let loaded = oracle::load(&text, &[""; 0]).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        compare(&loaded.system, &mut rng).map_err(|why| format!("seed {seed}\n{text}\n{why}"))
    };
    let Counted { edges, given_up, paths, held, failed, updates, faults } =
        oracle::campaign(2_000, examine, Counted::add);
    println!(
        "{edges} edges, {paths} paths, {given_up} given up; guards: {held} held, {failed} did not; {updates} updates, {faults} faults"
    );
    assert!(paths > edges && held > edges && failed > 0 && updates > edges && faults > 0 && given_up < edges / 10);
}

/// Declarations, and edges that form a cycle of one process.
const PROGRAMS: &[(&str, &[&str])] = &[
    (
        "int[0,3] a[4] = { 3, 1, 2, 0 }; int[0,3] i, j; int n;
         void swap(int[0,3] &p, int[0,3] &q) { int[0,3] t = p; p = q; q = t; }
         int sum() { int s = 0; for (k : int[0,3]) s += a[k]; return s; }
         bool sorted() { return forall (k : int[0,2]) a[k] <= a[k + 1]; }
         int largest() { int m = 0; for (k : int[0,3]) if (a[k] > m) m = a[k]; return m; }",
        &[
            "guard a[i] > a[j]; assign swap(a[i], a[j]);",
            "guard i < 3; assign i++, a[i] = a[i] > 0 ? a[i] - 1 : a[i];",
            "guard sum() >= 5; assign n = sum() - a[j];",
            "guard !sorted(); assign swap(i, j);",
            "assign n = largest() * 2 - i, a[a[i]] = j;",
            "guard a[a[i]] == j; assign a[i] = a[a[j]], i = a[i];",
            "guard exists (k : int[0,3]) a[k] == i && k != j; assign a[(i + j) % 4] = 3 - a[j];",
            "assign n = n / (i - 1) + (i << j), n = n % 7 ^ j;",
        ],
    ),
    (
        "struct { int[0,2] x; bool b; } s, t, u[2]; int[0,1] k; int[-2,2] m; clock c, d[2];
         void both() { s = t; t = u[k]; }
         int walk(int n) { int r = 0; while (n > 0) { r = r + n; n--; if (r > 3) return r; } return r; }
         void set() { d[k] = m > 0 ? m : 0; c = 0; if (m < 0) c = 2; }",
        &[
            "guard s == t; assign u[k] = s;",
            "guard s != u[1 - k]; assign both();",
            "guard u[k].b && !s.b || m == 1; assign u[k].x = s.x, m = -m;",
            "assign m = abs(m) > 1 ? walk(s.x) - 2 : m, set();",
            "guard m > 0 imply s.b; assign c = d[k], d[1 - k] = c, k = 1 - k;",
            "guard (m > 0 ? s.x : t.x) >= 1; assign s.x = t.x >? s.x, t.x = s.x <? t.x;",
            "assign t.b = s.b != u[k].b, m += s.b ? 1 : -1;",
        ],
    ),
];

#[test]
fn every_operation() {
    let text = oracle::operations();
    let system = oracle::load(&text, &[""; 0]).unwrap().model.system;
    let mut all = Counted::default();
    for seed in oracle::seeds(0..50) {
        all.add(compare(&system, &mut Rng::new(seed)).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}")));
    }
    println!("{} updates, {} faults", all.updates, all.faults);
    assert!(all.updates > all.edges && all.faults > all.edges && all.given_up == 0);
}

#[test]
fn programs() {
    let mut all = Counted::default();
    for (declarations, edges) in PROGRAMS {
        let edges: Vec<String> = edges.iter().map(|edge| format!("L -> L {{ {edge} }}")).collect();
        let text = format!("{declarations}\nprocess P() {{ state L; init L; trans {}; }}\nsystem P;", edges.join(", "));
        let loaded = oracle::load(&text, &[""; 0]).unwrap();
        for seed in oracle::seeds(0..200) {
            all.add(compare(&loaded.system, &mut Rng::new(seed)).unwrap_or_else(|why| panic!("{why}\n{text}")));
        }
    }
    let Counted { edges, given_up, paths, held, failed, updates, faults } = all;
    println!(
        "{edges} edges, {paths} paths, {given_up} given up; guards: {held} held, {failed} did not; {updates} updates, {faults} faults"
    );
    assert!(updates > edges && given_up < edges / 2);
}
