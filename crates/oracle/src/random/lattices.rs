//! Random networks with lattice variables: lattices of the library and one of the model, as XTA
//! text with queries.

use std::fmt::Write;

use super::{RandomModel, rng::Rng};

const DECLARATIONS: &str = "extern UnionBitVector; extern IntersectionBitVector;
extern Pool = PowerSet(3); extern Small = MustCache(4, 2); extern Database = PresentAbsent(2);
typedef struct { int[0,3] low; int[0,3] high; } Box;
bool boxLeq(Box a, Box b) { return b.low <= a.low && a.high <= b.high; }
Box boxJoin(Box a, Box b) {
    Box c; c.low = a.low < b.low ? a.low : b.low; c.high = a.high > b.high ? a.high : b.high; return c;
}
extern Region = Lattice(Box, boxLeq, boxJoin);
extern MaxInteger; extern MinInteger; extern IntRange; MaxInteger big; MinInteger less; IntRange span;
UnionBitVector u[3]; IntersectionBitVector w[3]; Pool pool; Small cache; Database data; Region r;
int[0,3] n; clock x, y; chan c0, c1; broadcast chan all;
";

fn guard(rng: &mut Rng, sound: bool) -> Option<String> {
    let (i, k) = (rng.below(3), rng.below(4));
    Some(match rng.below(18) {
        // Methods check their arguments, so they can fail.
        4..=6 if sound => return None,
        0 | 1 => format!("u[{i}]"),
        2 | 3 => format!("!w[{i}]"),
        4 => format!("pool.contains({i})"),
        5 => format!("cache.mayMiss({k})"),
        6 => format!("data.mayContain({})", i % 2),
        7 => format!("r.high >= {k}"),
        8 => format!("x >= {k}"),
        9 => format!("x <= {k} && u[{i}]"),
        10 => format!("n == {k}"),
        // Not monotone.
        11 => format!("w.num0s() < {k}"),
        12 => format!("u.num1s() == {k}"),
        13 => format!("!u[{i}]"),
        14 => format!("r.high <= {k}"),
        15 => format!("r.low == {k}"),
        _ => return None,
    })
}

fn update(rng: &mut Rng, sound: bool) -> Option<String> {
    let (i, j, k) = (rng.below(3), rng.below(3), rng.below(4));
    Some(match rng.below(18) {
        5 | 6 | 13 | 14 if sound => format!("r.high = {k}"),
        7 | 8 if sound => format!("r.low = {k}"),
        0 | 1 => format!("u[{i}] = 1"),
        2 => format!("u[{i}] = 0"),
        3 => format!("w[{i}] = 1"),
        4 => format!("w[{i}] = 0"),
        5 => format!("pool.add({i})"),
        6 => format!("cache.access({k})"),
        7 => format!("data.insert({})", i % 2),
        8 => format!("data.forget({})", i % 2),
        9 => format!("r.high = {k}, r.low = 0"),
        10 => format!("u[{i}] = u[{j}]"),
        11 => "x = 0".to_owned(),
        12 => format!("n = {k}"),
        13 => "n = n < 3 ? n + 1 : 0".to_owned(),
        // Not monotone.
        14 if rng.chance(20) => "n = u.num1s()".to_owned(),
        15 if rng.chance(20) => format!("w[{i}] = u[{j}]"),
        _ => return None,
    })
}

/// Returns a guard and an update on elements that stand for numbers, which stay between 0 and 3.
fn count(rng: &mut Rng) -> (String, String) {
    let k = 1 + rng.below(3);
    let (guard, update) = match rng.below(8) {
        0 => ("big >= 1".to_owned(), "big -= 1".to_owned()),
        1 => (format!("big < {k}"), "big++".to_owned()),
        2 => ("less > 0".to_owned(), "less--".to_owned()),
        3 => (format!("less < {k}"), "less = less + 1".to_owned()),
        4 => (format!("span.u < {k}"), "span += 1".to_owned()),
        5 => ("span.l > 0".to_owned(), "span -= 1".to_owned()),
        6 => (format!("big >= {k}"), "less = n".to_owned()),
        _ => (format!("span.u >= {k}"), format!("big = {k}")),
    };
    (guard, update)
}

/// Generates a network with a query for each location.
#[must_use]
pub fn lattices(seed: u64) -> RandomModel {
    write_network(seed, false)
}

/// Generates a network in which no code can fail. Engines prune dead ends only in such networks.
#[must_use]
pub fn sound_lattices(seed: u64) -> RandomModel {
    write_network(seed, true)
}

fn write_network(seed: u64, sound: bool) -> RandomModel {
    let mut rng = Rng::new(seed);
    let mut text = DECLARATIONS.to_owned();
    let mut queries = Vec::new();
    let processes = 1 + rng.below(2);
    for number in 0..processes {
        let locations = 3 + rng.below(3);
        let names: Vec<String> = (0..locations).map(|i| format!("L{i}")).collect();
        let state = |rng: &mut Rng, name: &String| match rng.below(8) {
            0 => format!("{name} {{ x <= {} }}", 1 + rng.below(3)),
            1 => format!("{name} {{ !w[{}] }}", rng.below(3)),
            _ => name.clone(),
        };
        let states: Vec<String> = names.iter().map(|name| state(&mut rng, name)).collect();
        let _ = write!(text, "process P{number}() {{ state {};", states.join(", "));
        let mut edges = Vec::new();
        for at in 0..locations + 3 + rng.below(5) {
            let (from, to) = (at % locations, rng.below(locations));
            let mut edge = format!("L{from} -> L{to} {{");
            if rng.chance(15) {
                let (guard, update) = count(&mut rng);
                edges.push(format!("{edge} guard {guard}; assign {update}; }}"));
                continue;
            }
            guard(&mut rng, sound).into_iter().for_each(|guard| _ = write!(edge, " guard {guard};"));
            if processes > 1 && rng.chance(25) {
                let channel = ["c0", "c1", "all"][rng.below(3)];
                let _ = write!(edge, " sync {channel}{};", if rng.chance(50) { "!" } else { "?" });
            }
            let updates: Vec<String> = (0..1 + rng.below(2)).filter_map(|_| update(&mut rng, sound)).collect();
            if !updates.is_empty() {
                let _ = write!(edge, " assign {};", updates.join(", "));
            }
            edges.push(edge + " }");
        }
        let _ = writeln!(text, " init L0; trans {}; }}", edges.join(", "));
        queries.extend((1..locations).map(|i| format!("E<> P{number}.L{i}")));
    }
    queries.push("E<> u[0] && !w[1] && n == 2".to_owned());
    queries.push("E<> r.high == 2 && r.low == 1".to_owned());
    queries.push("E<> big >= 2 && less <= 0 && span.u == 1".to_owned());
    if !sound {
        queries.push("A[] not (pool.contains(1) && r.high == 2)".to_owned());
    }
    queries.push("sup: n".to_owned());
    queries.push("E<> deadlock".to_owned());
    let names: Vec<String> = (0..processes).map(|i| format!("P{i}")).collect();
    let _ = writeln!(text, "system {};", names.join(", "));
    RandomModel { text, queries }
}
