//! Random networks whose processes are members of scalar sets, as XTA text with queries.
//!
//! Most of them are symmetric. Some have features that distinguish members: priorities, loops and
//! constants that name one, receivers of broadcasts whose order matters.

use std::fmt::Write;

use super::{RandomModel, rng::Rng};

/// A generator of networks.
struct ScalarGenerator {
    rng: Rng,
    /// Whether there is a second scalar set.
    pairs: bool,
    /// Whether clocks are assigned to clocks, and whether their differences are compared.
    copies: bool,
    diagonals: bool,
    /// Whether functions and broadcasts may distinguish members.
    asymmetric: bool,
    /// Whether no code can fail according to the ranges of variables.
    sound: bool,
    locations: usize,
}

/// Generates a network from a seed.
#[must_use]
pub fn scalars(seed: u64) -> RandomModel {
    write(seed, false)
}

/// Generates a network in which no code can fail. Engines prune dead ends only in such networks.
#[must_use]
pub fn sound_scalars(seed: u64) -> RandomModel {
    write(seed, true)
}

fn write(seed: u64, sound: bool) -> RandomModel {
    let mut rng = Rng::new(seed ^ 0x5CA1_A125);
    let writer = ScalarGenerator {
        pairs: rng.chance(30),
        copies: rng.chance(8),
        diagonals: rng.chance(8),
        asymmetric: rng.chance(20),
        sound,
        locations: 2 + rng.below(2),
        rng,
    };
    writer.network()
}

/// Returns the members of an edge that are known at instantiation; without a parameter none is.
fn known<'m>(members: &[&'m str]) -> Vec<&'m str> {
    let is_known = |member: &&str| members.contains(&"next[id]") && matches!(*member, "id" | "s");
    members.iter().copied().filter(is_known).collect()
}

impl ScalarGenerator {
    fn network(mut self) -> RandomModel {
        let mut text = self.globals();
        let process = self.template("P", "const S id", true, self.locations);
        text.push_str(&process);
        let mut system = vec!["P".to_owned()];
        if self.pairs {
            let both = self.rng.chance(50);
            let params = if both { "const S id, const T t" } else { "const T t, S &id" };
            let locations = if both { 2 } else { self.locations };
            let pair = self.template("Q", params, both, locations);
            text.push_str(&pair);
            if both {
                system.push("Q".to_owned());
            } else {
                text.push_str("R(const T t) = Q(t, q[t]);\n");
                system.push("R".to_owned());
            }
        } else if self.rng.chance(50) {
            let monitor = self.template("M", "S &id", false, 2);
            text.push_str(&monitor);
            text.push_str("N = M(own);\n");
            system.push("N".to_owned());
        }
        let between = if system.len() > 1 && self.rng.chance(6) { " < " } else { ", " };
        let _ = writeln!(text, "system {};", system.join(between));
        let queries = self.queries();
        RandomModel { text, queries }
    }

    fn globals(&mut self) -> String {
        let size = if self.rng.chance(70) { 3 } else { 2 };
        let mut text = format!(
            "typedef scalar[{size}] S;\ntypedef scalar[2] T;\nS own, last;\nint[0,2] v;\nS next[S];\nbool m[S][S];\n\
             clock g, h[S];\nchan c[S], e;\nbroadcast chan b, d[S];\nstruct {{ S who; int[0,2] k; }} st;\n\
             int[0,1] t2[T];\nS q[T];\nmeta int[0,2] o;\nmeta S om[S];\n"
        );
        let differ = self.rng.chance(15);
        let start: Vec<String> =
            (0..size).map(|_| if differ { self.rng.between(0, 2).to_string() } else { "1".to_owned() }).collect();
        let _ = writeln!(text, "int[0,2] a[S] = {{ {} }};", start.join(", "));
        let other = if self.asymmetric && self.rng.chance(30) { "2" } else { "1" };
        let rest = ", 1".repeat(size - 2);
        let _ = writeln!(text, "const int[0,2] w[S] = {{ 1, {other}{rest} }};");
        if self.rng.chance(8) {
            let line = *self.rng.pick(&["chan priority b < default;\n", "chan priority default < c;\n"]);
            text.push_str(line);
        }
        text.push_str("S get() { return own; }\nvoid clear() { for (i : S) { a[i] = 0; h[i] = 0; } }\n");
        text.push_str("void hand(S to) { if (to != own) { last = own; own = to; } }\n");
        text.push_str(if self.asymmetric && self.rng.chance(40) {
            "void some() { for (i : S) if (a[i] == 1) last = i; }\n"
        } else {
            "void some() { for (i : S) if (i == own) a[i] = 2; else m[i][i] = 0; }\n"
        });
        text
    }

    fn template(&mut self, name: &str, params: &str, owns: bool, locations: usize) -> String {
        let mut text = format!("process {name}({params}) {{\nclock x;\nint[0,1] n;\nS p;\nstate ");
        let states: Vec<String> = (0..locations)
            .map(|l| match self.rng.below(5) {
                0 | 1 => format!("l{l} {{ x <= {} }}", self.rng.between(1, 4)),
                2 => format!("l{l} {{ h[id] <= {} }}", self.rng.between(2, 4)),
                _ => format!("l{l}"),
            })
            .collect();
        let _ = writeln!(text, "{};", states.join(", "));
        if self.rng.chance(15) {
            let _ = writeln!(text, "commit l{};", self.rng.between(1, locations as i32 - 1));
        } else if self.rng.chance(15) {
            let _ = writeln!(text, "urgent l{};", self.rng.between(1, locations as i32 - 1));
        }
        text.push_str("init l0;\ntrans\n");
        let edges: Vec<String> = (0..2 + self.rng.below(4)).map(|i| self.edge(i, owns, locations)).collect();
        text.push_str(&edges.join(",\n"));
        text.push_str(";\n}\n");
        text
    }

    /// Generates an edge. The first edges leave each location, so that the network is not idle.
    fn edge(&mut self, number: usize, owns: bool, locations: usize) -> String {
        let from = if number < locations { number } else { self.rng.below(locations) };
        let to = self.rng.below(locations);
        let mut text = format!("l{from} -> l{to} {{ ");
        let selects = self.rng.chance(30);
        if selects {
            text.push_str("select s : S; ");
        }
        let members: &[&str] = match (selects, owns) {
            (true, true) => &["id", "id", "s", "s", "own", "last", "p", "next[id]", "st.who"],
            (true, false) => &["id", "s", "own", "last", "p"],
            (false, true) => &["id", "id", "id", "own", "last", "p", "next[id]", "st.who"],
            (false, false) => &["id", "own", "last", "p"],
        };
        let guards: Vec<String> = (0..self.rng.below(3)).map(|_| self.guard(members)).collect();
        if !guards.is_empty() {
            let _ = write!(text, "guard {}; ", guards.join(" && "));
        }
        let sync = if self.rng.chance(45) { self.sync(members) } else { String::new() };
        if !sync.is_empty() {
            let _ = write!(text, "sync {sync}; ");
        }
        let receives = sync.starts_with(['b', 'd']) && sync.ends_with('?') && !self.asymmetric;
        let updates: Vec<String> =
            (0..self.rng.below(4)).map(|_| if receives { self.own_update() } else { self.update(members) }).collect();
        if !updates.is_empty() {
            let _ = write!(text, "assign {}; ", updates.join(", "));
        }
        text.push('}');
        text
    }

    fn guard(&mut self, members: &[&str]) -> String {
        if self.sound {
            return self.sound_guard(members);
        }
        let (i, j) = (*self.rng.pick(members), *self.rng.pick(members));
        let k = self.rng.between(0, 2);
        let late = self.rng.between(1, 4);
        match self.rng.below(if self.diagonals { 17 } else { 16 }) {
            0 => format!("a[{i}] == {k}"),
            1 => format!("{i} == {j}"),
            2 => format!("{i} != {j}"),
            3 => format!("m[{i}][{j}]"),
            4 => format!("!m[{i}][{j}]"),
            5 => format!("(exists (z : S) (a[z] == {k} && z != {i}))"),
            6 => format!("(forall (z : S) (z == {i} || !m[z][{j}]))"),
            7 => format!("v {} {k}", self.rng.pick(&["<=", ">=", "!="])),
            8 | 9 => format!("x {} {late}", self.rng.pick(&["<=", "<", ">=", ">"])),
            10 => format!("h[{i}] {} {late}", self.rng.pick(&["<=", ">=", ">"])),
            11 => format!("g {} {late}", self.rng.pick(&["<=", ">="])),
            12 => format!("n == {}", self.rng.between(0, 1)),
            13 => format!("(forall (z : S) h[z] <= {late})"),
            14 => format!("x >= w[{i}]"),
            15 => format!("x <= a[{i}]"),
            _ => format!("x - h[{i}] < {late}"),
        }
    }

    fn sync(&mut self, members: &[&str]) -> String {
        let known = known(members);
        let i = match self.sound {
            true if known.is_empty() => return if self.rng.chance(50) { "b!" } else { "e?" }.to_owned(),
            true => *self.rng.pick(&known),
            false => *self.rng.pick(members),
        };
        let direction = if self.rng.chance(50) { "!" } else { "?" };
        match self.rng.below(5) {
            0 => format!("b{direction}"),
            1 | 2 => format!("c[{i}]{direction}"),
            3 => format!("d[{i}]{direction}"),
            _ => format!("e{direction}"),
        }
    }

    /// Returns an update that does not depend on the order of receivers.
    fn own_update(&mut self) -> String {
        match self.rng.below(4) {
            0 => "x = 0".to_owned(),
            1 => format!("n = {}", self.rng.between(0, 1)),
            2 => "p = own".to_owned(),
            _ => "n = 1 - n".to_owned(),
        }
    }

    /// Returns a guard that reads only array elements of known members: an engine can't exclude
    /// that other indices are out of range.
    fn sound_guard(&mut self, members: &[&str]) -> String {
        let (i, j) = (*self.rng.pick(members), *self.rng.pick(members));
        let known: Vec<&str> = known(members);
        let (k, late) = (self.rng.between(0, 2), self.rng.between(1, 4));
        let kinds = if known.is_empty() { 6 } else { 10 };
        match self.rng.below(kinds) {
            0 => format!("{i} == {j}"),
            1 => format!("{i} != {j}"),
            2 => format!("v {} {k}", self.rng.pick(&["<=", ">=", "!="])),
            3 => format!("x {} {late}", self.rng.pick(&["<=", "<", ">=", ">"])),
            4 => format!("g {} {late}", self.rng.pick(&["<=", ">="])),
            5 => format!("n == {}", k.min(1)),
            6 => format!("a[{}] == {k}", self.rng.pick(&known)),
            7 => format!("m[{}][{}]", self.rng.pick(&known), self.rng.pick(&known)),
            8 => format!("!m[{}][{}]", self.rng.pick(&known), self.rng.pick(&known)),
            _ => format!("h[{}] {} {late}", self.rng.pick(&known), self.rng.pick(&["<=", ">="])),
        }
    }

    /// Returns an update that can't fail, likewise.
    fn sound_update(&mut self, members: &[&str]) -> String {
        let i = *self.rng.pick(members);
        let known: Vec<&str> = known(members);
        let k = self.rng.between(0, 2);
        let kinds = if known.is_empty() { 6 } else { 10 };
        match self.rng.below(kinds) {
            0 => "x = 0".to_owned(),
            1 => format!("own = {i}"),
            2 => format!("last = {i}"),
            3 => format!("p = {i}"),
            4 => format!("n = {}", k.min(1)),
            5 => format!("v = {k}"),
            6 => format!("a[{}] = {k}", self.rng.pick(&known)),
            7 => format!("next[{}] = {i}", self.rng.pick(&known)),
            8 => format!("m[{}][{}] = {}", self.rng.pick(&known), self.rng.pick(&known), k.min(1)),
            _ => format!("h[{}] = 0", self.rng.pick(&known)),
        }
    }

    fn update(&mut self, members: &[&str]) -> String {
        if self.sound {
            return self.sound_update(members);
        }
        let (i, j) = (*self.rng.pick(members), *self.rng.pick(members));
        let k = self.rng.between(0, 2);
        match self.rng.below(if self.copies { 21 } else { 20 }) {
            0 | 1 => "x = 0".to_owned(),
            2 => format!("own = {i}"),
            3 => format!("last = {i}"),
            4 => format!("p = {i}"),
            5 => format!("a[{i}] = {k}"),
            6 => format!("next[{i}] = {j}"),
            7 => format!("m[{i}][{j}] = !m[{i}][{j}]"),
            8 => format!("h[{i}] = {}", self.rng.between(0, 1)),
            9 => "g = 0".to_owned(),
            10 => format!("v = {k}"),
            11 => "v = (sum (z : S) a[z]) > 2 ? 2 : 0".to_owned(),
            12 => format!("st.who = {i}, st.k = {k}"),
            13 => "clear()".to_owned(),
            14 => format!("hand({i})"),
            15 => "some()".to_owned(),
            // Only templates without a member as parameter have one as a variable.
            16 if !members.contains(&"next[id]") => format!("id = {i}"),
            16 => "last = get()".to_owned(),
            17 => format!("om[{i}] = {j}, o = {k}"),
            18 => "n = 1 - n".to_owned(),
            19 => format!("a[{i}] = a[{j}]"),
            _ => format!("x = h[{i}]"),
        }
    }

    fn queries(&mut self) -> Vec<String> {
        let l = self.rng.below(self.locations);
        let other = self.rng.below(self.locations);
        let k = self.rng.between(0, 2);
        let late = self.rng.between(1, 4);
        let mut all = vec![
            format!("E<> exists (i : S) (P(i).l{l} && a[i] == {k} && own == i)"),
            format!("A[] forall (i : S) forall (j : S) (P(i).l1 && P(j).l1 imply i == j)"),
            format!("E<> forall (i : S) P(i).l{other}"),
            "A[] not deadlock".to_owned(),
            format!("E<> exists (i : S) (P(i).l{other} && P(i).x > {late} && P(i).p != own)"),
            format!("A[] v != {k} || last == own"),
            "E<> exists (i : S) (next[i] != i && next[next[i]] == i && m[i][own])".to_owned(),
            format!("E<> (exists (i : S) h[i] > {late}) && st.who == last"),
        ];
        if self.sound {
            all.push(format!("E<> exists (i : S) (P(i).l{other} && P(i).x > {late} && own != i)"));
            all.push(format!("A[] forall (i : S) (P(i).l{l} imply P(i).p == last)"));
            all.push(format!("E<> v == {k} && own != last && exists (i : S) P(i).l{l}"));
        }
        if self.pairs {
            all.push("E<> exists (i : T) exists (j : T) (i != j && q[i] != q[j])".to_owned());
        }
        all
    }
}
