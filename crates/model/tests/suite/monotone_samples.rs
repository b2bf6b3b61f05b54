//! Random guards and updates that are classified as monotone are monotone on random elements and
//! greater ones.

use model::{
    machine::Machine,
    system::{LatticeOrder, System},
};
use oracle::random::Rng;

use crate::common::load;

const DECLS: &str = "extern UnionBitVector; extern IntersectionBitVector; extern Users = PresentAbsent(3); extern Interval;
    extern MaxInteger; extern MinInteger; MaxInteger g; MinInteger h;
    UnionBitVector u[3]; IntersectionBitVector w[3]; Users v; Interval x, y; int[0,2] n = 1; int[-9,9] m; int a[3] = {2, 0, 1};
    bool get(int k) { if (k > 1) return u[k]; return !w[k]; } int count(int k) { int s = 0; if (k > 0) s = 2; return u.num1s() + s; }
    void put(UnionBitVector &s[3], int k) { s[k] = u[n]; } void cond() { if (w[n]) m = 2; }";

fn number(r: &mut Rng, depth: usize) -> String {
    let k = r.below(3);
    match r.below(if depth == 0 { 10 } else { 16 }) {
        0 => format!("{}", r.below(7) as i32 - 3),
        1 => "n".to_owned(),
        2 => "u.num1s()".to_owned(),
        3 => "w.num1s()".to_owned(),
        4 => "w.num0s()".to_owned(),
        5 => "v.most()".to_owned(),
        6 => format!("count({k})"),
        7 => format!("a[{k}]"),
        8 => ["g", "h"][r.below(2)].to_owned(),
        9 => ["x.l", "x.u"][r.below(2)].to_owned(),
        10 => format!("({} + {})", number(r, depth - 1), number(r, depth - 1)),
        11 => format!("({} - {})", number(r, depth - 1), number(r, depth - 1)),
        12 => format!("({} * {})", number(r, depth - 1), number(r, depth - 1)),
        13 => format!("({} <? {})", number(r, depth - 1), number(r, depth - 1)),
        14 => format!("({} ? {} : {})", condition(r, depth - 1), number(r, depth - 1), number(r, depth - 1)),
        _ => format!("-({})", number(r, depth - 1)),
    }
}

fn condition(r: &mut Rng, depth: usize) -> String {
    let k = ["0", "1", "2", "n", "a[n]"][r.below(5)];
    match r.below(if depth == 0 { 6 } else { 14 }) {
        0 => format!("u[{k}]"),
        1 => format!("w[{k}]"),
        2 => format!("v.mayContain({k})"),
        3 => format!("v.mustContain({k})"),
        4 => format!("get({k})"),
        5 => "n > 0".to_owned(),
        6 | 7 => {
            let cmp = ["<", "<=", ">", ">=", "==", "!="][r.below(6)];
            format!("{} {cmp} {}", number(r, depth - 1), number(r, depth - 1))
        }
        8 | 9 => format!("({} && {})", condition(r, depth - 1), condition(r, depth - 1)),
        10 => format!("({} || {})", condition(r, depth - 1), condition(r, depth - 1)),
        11 => format!("!{}", condition(r, 0)),
        12 => format!("({} imply {})", condition(r, depth - 1), condition(r, depth - 1)),
        _ => format!("({} == {})", condition(r, 0), condition(r, 0)),
    }
}

/// Creates a guard. Operands of `!`, `||` and `&&` may compare abstract integers.
fn guard(r: &mut Rng, depth: usize) -> String {
    match r.below(if depth == 0 { 2 } else { 6 }) {
        0 => condition(r, depth),
        1 => {
            let cmp = ["<", "<=", ">", ">=", "==", "!="][r.below(6)];
            format!("x {cmp} y + {}", r.below(5))
        }
        2 => format!("!({})", guard(r, depth - 1)),
        3 => format!("({} || {})", guard(r, depth - 1), guard(r, depth - 1)),
        _ => format!("({} && {})", guard(r, depth - 1), guard(r, depth - 1)),
    }
}

fn update(r: &mut Rng) -> String {
    let k = ["0", "1", "2", "n"][r.below(4)];
    match r.below(18) {
        12 => format!("g {} {}", ["=", "+=", "-="][r.below(3)], number(r, 1)),
        13 => format!("h {} {}", ["=", "+=", "-="][r.below(3)], number(r, 1)),
        14 => ["g++", "g--", "h++", "h--"][r.below(4)].to_owned(),
        15 => ["g = g + 1", "h = h - x.u", "g = h", "h = h"][r.below(4)].to_owned(),
        0 => format!("u[{k}] = {}", condition(r, 1)),
        1 => format!("w[{k}] = {}", condition(r, 1)),
        2 => format!("u[{k}] |= {}", condition(r, 0)),
        3 => format!("v.insert({k})"),
        4 => format!("v.remove({k})"),
        5 => format!("x = y + {}", number(r, 0)),
        6 => "y -= x".to_owned(),
        7 => format!("m = {} <? 9 >? -9", number(r, 1)),
        8 => format!("put(u, {k})"),
        9 => "cond()".to_owned(),
        10 => format!("n = {} ? 1 : 2", condition(r, 0)),
        _ => "x++".to_owned(),
    }
}

/// Returns a row, and another with greater elements where they don't vary.
fn sample(system: &System, r: &mut Rng) -> (Vec<i32>, Vec<i32>) {
    let mut small = system.initial.clone();
    for (slot, (low, high)) in system.ranges.iter().enumerate().skip(1) {
        if system.element_at(slot as u32).is_none() && high - low < 100 {
            small[slot] = low + r.below((high - low + 1) as usize) as i32;
        }
    }
    let mut great = small.clone();
    for v in &system.lattices {
        let LatticeOrder::Library(number) = v.order else { continue };
        let lattice = &system.library[number as usize].0;
        let slots = v.first as usize..(v.first + v.width) as usize;
        let mut random = |n: u32| r.below(n as usize) as u32;
        lattice.sample(&mut random, &mut small[slots.clone()]);
        great[slots.clone()].copy_from_slice(&small[slots.clone()]);
        if !v.varies {
            let mut other = vec![0; v.width as usize];
            lattice.sample(&mut random, &mut other);
            lattice.join(&mut great[slots], &other);
        }
    }
    (small, great)
}

fn is_covered(system: &System, small: &[i32], great: &[i32]) -> bool {
    let plain = |slot: &usize| system.element_at(*slot as u32).is_none_or(|v| v.varies);
    (0..small.len()).filter(plain).all(|slot| small[slot] == great[slot])
        && system.lattices.iter().all(|v| {
            let LatticeOrder::Library(number) = v.order else { return true };
            let slots = v.first as usize..(v.first + v.width) as usize;
            system.library[number as usize].0.leq(&small[slots.clone()], &great[slots])
        })
}

/// Tries one model; returns whether its guard is monotone, and whether no element varies.
fn compare(seed: u64) -> (bool, bool) {
    let r = &mut Rng::new(seed);
    let updates: Vec<String> = (0..r.below(3)).map(|_| update(r)).collect();
    let assign = if updates.is_empty() { String::new() } else { format!("assign {};", updates.join(", ")) };
    let text = format!(
        "{DECLS} process P() {{ state A, B; init A; trans A -> B {{ guard {}; {assign} }}; }} system P;",
        guard(r, 2)
    );
    let model = load(&text);
    let system = &model.system;
    let Some(edge) = system.edges.first() else { return (true, true) };
    let mut machine = Machine::new(&system.code, system.initial.len());
    let is_alive =
        |machine: &mut Machine<'_>| system.locations[0].invariant.condition.is_none_or(|pc| machine.test(pc).unwrap());
    for _ in 0..60 {
        let (small, great) = sample(system, r);
        machine.load(&small);
        if !is_alive(&mut machine) {
            continue;
        }
        let mut holds = |row: &[i32]| {
            machine.load(row);
            is_alive(&mut machine) && edge.guard.condition.is_none_or(|pc| machine.test(pc).unwrap_or(false))
        };
        let (before, after) = (holds(&small), holds(&great));
        if before && system.non_monotone.is_empty() {
            assert!(after, "seed {seed}: {small:?} {great:?}\n{text}");
        }
        if after && edge.guard.condition.is_some_and(|pc| system.antitone.contains(&pc)) {
            assert!(before, "seed {seed}: {small:?} {great:?}\n{text}");
        }
        if before && after {
            let mut run = |row: &[i32]| {
                machine.load(row);
                let done = edge.update.is_none_or(|pc| machine.execute(pc).is_ok());
                let alive = system.locations[1].invariant.condition.is_none_or(|pc| machine.test(pc).unwrap());
                (done && alive).then(|| machine.row().to_vec())
            };
            if let (Some(small), Some(great)) = (run(&small), run(&great)) {
                assert!(is_covered(system, &small, &great), "seed {seed}: {small:?} {great:?}\n{text}");
            }
        }
    }
    (system.non_monotone.is_empty(), system.lattices.iter().all(|v| !v.varies))
}

#[test]
fn greater_elements_allow_more() {
    let cases = std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let found: Vec<(bool, bool)> = (0..cases).map(compare).collect();
    let count = |which: fn(&(bool, bool)) -> bool| found.iter().filter(|f| which(f)).count() * 100 / found.len();
    // All kinds occur.
    assert!(
        (20..80).contains(&count(|f| f.0)) && (20..90).contains(&count(|f| f.1)),
        "{:?}",
        (count(|f| f.0), count(|f| f.1))
    );
}
