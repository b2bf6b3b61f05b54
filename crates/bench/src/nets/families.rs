//! Nets that grow with a number, as text.

use std::fmt::Write as _;

use explore::random::SplitMix;

/// Nets that grow with a number.
pub struct NetFamily {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// The sizes that are run.
    pub sizes: &'static [u32],
    /// The net of a size.
    pub text: fn(u32) -> String,
}

/// The families.
pub const NET_FAMILIES: [NetFamily; 4] = [
    NetFamily {
        name: "circuit",
        title: "gates with delays, with as many places, transitions and arcs as the paper's nets",
        sizes: &[2, 4, 8],
        text: circuit,
    },
    NetFamily { name: "pipeline", title: "rings of Muller C-elements", sizes: &[30, 60, 120], text: pipeline },
    NetFamily {
        name: "processes",
        title: "processes that share resources, with priorities by inhibitor arcs",
        sizes: &[20, 40, 80],
        text: processes,
    },
    NetFamily {
        name: "philosophers",
        title: "dining philosophers, who starve",
        sizes: &[10, 50, 100],
        text: philosophers,
    },
];

/// Builds the text of a net.
struct NetBuilder {
    text: String,
    dice: SplitMix,
}

impl NetBuilder {
    fn new(name: &str, size: u32) -> NetBuilder {
        NetBuilder { text: format!("net {name}_{size}\n"), dice: SplitMix::new(u64::from(size)) }
    }

    fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.dice.below(high - low + 1)
    }

    fn place(&mut self, name: &str, (low, high): (usize, usize), token: bool) {
        let token = if token { " (1)" } else { "" };
        let _ = writeln!(self.text, "pl {name} [{low},{high}]{token}");
    }

    fn transition(&mut self, name: &str, from: &[String], to: &[String], inhibitors: &[String]) {
        let inhibitors: String = inhibitors.iter().map(|p| format!(" {p}?-1")).collect();
        let _ = writeln!(self.text, "tr {name} {}{inhibitors} -> {}", from.join(" "), to.join(" "));
    }

    /// A signal that is 0 or 1, as two places.
    fn signal(&mut self, name: &str, value: bool) {
        let low = self.between(1, 2);
        let high = low + self.between(1, 2);
        self.place(&format!("{name}_0"), (low, high), !value);
        self.place(&format!("{name}_1"), (low, high), value);
    }

    /// A gate's output changes to a value, while others have theirs.
    fn gate(&mut self, name: &str, output: &str, to: bool, reads: &[(String, bool)]) {
        let place = |signal: &str, value: bool| format!("{signal}_{}", u8::from(value));
        let read: Vec<String> = reads.iter().map(|(signal, value)| place(signal, *value)).collect();
        let side = |value| [vec![place(output, value)], read.clone()].concat();
        self.transition(name, &side(!to), &side(to), &[]);
    }
}

/// A square of cells of gates between columns with a ring oscillator each. The numbers of places,
/// transitions and arcs grow as those of the paper's nets do: 36n²+112n+6, 52n²+90n+1, and
/// 376n²+592n+4 places that transitions change or put tokens on.
fn circuit(n: u32) -> String {
    let mut draft = NetBuilder::new("circuit", n);
    for column in 0..n {
        oscillator(&mut draft, column);
    }
    for row in 0..n {
        for column in 0..n {
            cell(&mut draft, n, row, column);
        }
    }
    for k in 0..3 {
        draft.signal(&format!("start{k}"), false);
    }
    let start = |k: u32, value: u32| format!("start{k}_{value}");
    draft.transition("starts", &[start(0, 0), start(1, 0)], &[start(0, 1)], &[]);
    draft.text
}

/// A ring of nine inverters, which never rests, gates with two inputs, and inputs that are
/// constant: 56 signals, 90 transitions.
fn oscillator(draft: &mut NetBuilder, column: u32) {
    let name = |k: usize| format!("o{column}_{k}");
    // With an odd number of inverters one of them always disagrees with the one before.
    for k in 0..56 {
        draft.signal(&name(k), k < 9 && k % 2 == 1);
    }
    for k in 0..9 {
        let before = name((k + 8) % 9);
        draft.gate(&format!("o{column}_{k}_up"), &name(k), true, &[(before.clone(), false)]);
        draft.gate(&format!("o{column}_{k}_down"), &name(k), false, &[(before, true)]);
    }
    for k in 9..45 {
        let (one, other) = two(draft, k);
        let reads = |value| vec![(name(one), value), (name(other), value)];
        let up = reads(true);
        // One of the gates rises by one input alone, so that the number of arcs is the paper's.
        draft.gate(&format!("o{column}_{k}_up"), &name(k), true, if k == 9 { &up[..1] } else { &up });
        draft.gate(&format!("o{column}_{k}_down"), &name(k), false, &reads(false));
    }
}

/// Two different numbers below another one.
fn two(draft: &mut NetBuilder, below: usize) -> (usize, usize) {
    let one = draft.dice.below(below);
    let other = (one + 1 + draft.dice.below(below - 1)) % below;
    (one, other)
}

/// 18 gates with 52 transitions, which read each other, the columns, and the cells before.
fn cell(draft: &mut NetBuilder, n: u32, row: u32, column: u32) {
    let name = |r: u32, c: u32, k: usize| format!("c{r}_{c}_{k}");
    for k in 0..18 {
        draft.signal(&name(row, column, k), false);
    }
    let mut sources = vec![format!("o{row}_0"), format!("o{column}_3"), format!("o{}_6", (row + column) % n)];
    if row > 0 {
        sources.push(name(row - 1, column, 17));
    }
    if column > 0 {
        sources.push(name(row, column - 1, 16));
    }
    for k in 0..18 {
        let signal = name(row, column, k);
        let pick = |draft: &mut NetBuilder, count: usize| {
            let mut list = sources.clone();
            let start = draft.dice.below(list.len());
            list.rotate_left(start);
            list.truncate(count);
            list
        };
        let value = |list: Vec<String>, value: bool| list.into_iter().map(|s| (s, value)).collect::<Vec<_>>();
        let reads = if k % 3 == 2 { 3 } else { 2 };
        let up = value(pick(draft, reads), true);
        draft.gate(&format!("{signal}_up"), &signal, true, &up);
        let down = value(pick(draft, 2), false);
        draft.gate(&format!("{signal}_down"), &signal, false, &down);
        if k >= 2 {
            let list = pick(draft, 2);
            let mixed: Vec<(String, bool)> = list.into_iter().zip([true, false]).collect();
            draft.gate(&format!("{signal}_or"), &signal, true, &mixed);
        }
        sources.push(signal);
    }
}

/// A ring of stages that hand data on in four phases; every third one is full at the start.
fn pipeline(n: u32) -> String {
    let mut draft = NetBuilder::new("pipeline", n);
    let full = |i: u32| (i % n).is_multiple_of(3);
    for i in 0..n {
        let (this, next) = (full(i), full(i + 1));
        for (name, token) in
            [("rise", this && !next), ("fall", !this && next), ("held", this && next), ("free", !this && !next)]
        {
            let low = draft.between(1, 4);
            let high = low + draft.between(0, 3);
            draft.place(&format!("{name}{i}"), (low, high), token);
        }
    }
    for i in 0..n {
        let before = (i + n - 1) % n;
        let p = |name: &str, i: u32| format!("{name}{i}");
        draft.transition(&p("up", i), &[p("rise", before), p("free", i)], &[p("rise", i), p("held", before)], &[]);
        draft.transition(&p("down", i), &[p("fall", before), p("held", i)], &[p("fall", i), p("free", before)], &[]);
    }
    draft.text
}

/// Groups of four that share a resource, the first with the highest priority.
fn processes(n: u32) -> String {
    let mut draft = NetBuilder::new("processes", n);
    for group in 0..n.div_ceil(4) {
        draft.place(&format!("free{group}"), (0, 0), true);
    }
    for i in 0..n {
        for (name, token) in [("idle", true), ("wait", false), ("use", false), ("rest", false), ("away", false)] {
            let low = if name == "wait" { 0 } else { draft.between(1, 5) };
            let high = low + draft.between(0, 4);
            draft.place(&format!("{name}{i}"), (low, high), token);
        }
    }
    for i in 0..n {
        let p = |name: &str| vec![format!("{name}{i}")];
        let resource = vec![format!("free{}", i / 4)];
        let first: Vec<String> = (i % 4 > 0).then(|| format!("wait{}", i - 1)).into_iter().collect();
        draft.transition(&format!("ask{i}"), &p("idle"), &p("wait"), &[]);
        draft.transition(&format!("get{i}"), &[p("wait"), resource.clone()].concat(), &p("use"), &first);
        draft.transition(&format!("give{i}"), &p("use"), &[p("rest"), resource].concat(), &[]);
        draft.transition(&format!("wake{i}"), &p("rest"), &p("idle"), &[]);
        draft.transition(&format!("leave{i}"), &p("idle"), &p("away"), &[]);
        draft.transition(&format!("return{i}"), &p("away"), &p("idle"), &[]);
    }
    draft.text
}

/// Each takes the fork at the left, then that at the right.
fn philosophers(n: u32) -> String {
    let mut draft = NetBuilder::new("philosophers", n);
    for i in 0..n {
        draft.place(&format!("fork{i}"), (0, 0), true);
        let low = draft.between(1, 3);
        let high = low + draft.between(1, 4);
        draft.place(&format!("thinks{i}"), (low, high), true);
        draft.place(&format!("holds{i}"), (1, 4), false);
        draft.place(&format!("eats{i}"), (2, 4), false);
    }
    for i in 0..n {
        let p = |name: &str, i: u32| format!("{name}{}", i % n);
        let forks = [p("fork", i), p("fork", i + 1)];
        draft.transition(&p("left", i), &[p("thinks", i), forks[0].clone()], &[p("holds", i)], &[]);
        draft.transition(&p("right", i), &[p("holds", i), forks[1].clone()], &[p("eats", i)], &[]);
        draft.transition(&p("down", i), &[p("eats", i)], &[&[p("thinks", i)], &forks[..]].concat(), &[]);
    }
    draft.text
}
