//! Strings, on random models. A model with strings has the same answers as the model with numbers
//! in their place. Printing and reading it again yields the same system.

use std::fmt::Write;

use explore::search::Limits;
use oracle::Loaded;
use syntax::{Format, Sources, print};
use verify::{Options, Verdict};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// The texts, each with its number in the model with numbers.
const TEXTS: &[(&str, &str)] = &[("\"\"", "7"), ("\"a\"", "3"), ("\"a b\"", "0"), ("\"A\"", "9"), ("\"7\"", "-2")];

/// A random model. `text` is the type of the texts, and `literal` renders one of them.
fn model(seed: u64, text: &str, literal: &dyn Fn(usize) -> String) -> String {
    let mut random = Random(seed);
    let mut out = String::new();
    let mut some = |random: &mut Random, names: &[&str]| match random.below(2) {
        0 => literal(random.below(TEXTS.len() as u64) as usize),
        _ => random.choose(names).to_owned(),
    };
    let globals = ["g", "h", "all[i]", "all[0]", "table[i][j]", "table[1][i]"];
    let constants = ["g", "h", "all[0]", "table[1][0]"];
    let _ = writeln!(out, "int[0,1] i, j;");
    for name in ["g", "h"] {
        let value = some(&mut random, &["\0"]).replace('\0', &literal(0));
        let _ = writeln!(out, "const {text} {name} = {value};");
    }
    let list = |random: &mut Random, some: &mut dyn FnMut(&mut Random, &[&str]) -> String| {
        format!("{{{}, {}}}", some(random, &["g", "h"]), some(random, &["g", "h"]))
    };
    let _ = writeln!(out, "const {text} all[2] = {};", list(&mut random, &mut some));
    let rows = format!("{{{}, {}}}", list(&mut random, &mut some), list(&mut random, &mut some));
    let _ = writeln!(out, "const {text} table[2][2] = {rows};");
    let equal = |random: &mut Random, names: &[&str], some: &mut dyn FnMut(&mut Random, &[&str]) -> String| {
        let (a, b) = (some(random, names), some(random, names));
        let b = if random.below(3) == 0 { format!("(i == 0 ? {b} : {})", some(random, names)) } else { b };
        format!("{a} {} {b}", random.choose(&["==", "!="]))
    };
    let inside: Vec<&str> = globals.iter().copied().chain(["s", "t", "t"]).collect();
    let body = equal(&mut random, &inside, &mut some);
    let _ = writeln!(out, "bool f(const {text} s, const {text} &t) {{ return {body}; }}");
    let local = some(&mut random, &globals);
    let body = equal(&mut random, &["l", "list[i]", "list[1 - j]"], &mut some);
    let _ = writeln!(out, "bool of(const {text} list[2]) {{ const {text} l = {local}; return {body}; }}");
    let own = equal(&mut random, &["who", "g", "h"], &mut some).replace("i == 0", "who == g");
    let _ = writeln!(out, "process P(const {text} who, const {text} &other, const {text} list[2]) {{");
    let _ = writeln!(out, "  const bool own = {own};\n  state a, b, c;\n  init a;\n  trans");
    let names: Vec<&str> = globals.iter().copied().chain(["who", "other", "list[j]"]).collect();
    for (number, edge) in ["a -> b", "b -> c", "a -> a"].iter().enumerate() {
        let guard = match random.below(4) {
            0 => format!("f({}, {})", some(&mut random, &names), some(&mut random, &names)),
            1 => format!("of({}) && own", random.choose(&["all", "list", "table[j]"])),
            2 => "list == all".to_owned(),
            _ => equal(&mut random, &names, &mut some),
        };
        let update = random.choose(&["i = 1 - i", "j = i", "i = own ? 1 : 0", "j = list != all ? 1 : 0"]);
        let end = if number == 2 { ";" } else { "," };
        let _ = writeln!(out, "    {edge} {{ guard {guard}; assign {update}; }}{end}");
    }
    out.push_str("}\n");
    for process in ["P1", "P2"] {
        let (who, other) = (some(&mut random, &constants), some(&mut random, &constants));
        let _ = writeln!(out, "{process} = P({who}, {other}, {});", random.choose(&["all", "table[0]", "table[1]"]));
    }
    let _ = writeln!(out, "Q(const {text} s) = P(s, {}, all);\nP3 = Q({});", literal(1), some(&mut random, &constants));
    out.push_str("system P1, P2, P3;\n");
    out
}

fn queries(literal: &dyn Fn(usize) -> String) -> Vec<String> {
    let mut queries: Vec<String> =
        ["P1", "P2", "P3"].iter().flat_map(|p| [format!("E<> {p}.b"), format!("A[] not {p}.c")]).collect();
    for number in 0..TEXTS.len() {
        queries.push(format!("E<> P1.b && P1.who == {}", literal(number)));
        queries.push(format!("A[] f({}, P2.list[i]) imply P3.other != all[j]", literal(number)));
    }
    queries
}

fn answers(loaded: &Loaded) -> Vec<Verdict> {
    let limits = Limits::default();
    let ask = |p| verify::answer(&loaded.system, p, &Options::default(), &limits, &mut ()).verdict;
    loaded.properties.iter().map(ask).collect()
}

fn printed(text: &str) -> String {
    let mut sources = Sources::new();
    let file = sources.add_file("model", text.to_owned());
    let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
    print::xta(&tree, &sources).text
}

#[test]
fn strings_are_constants_that_can_be_compared() {
    let mut both = [0; 2];
    for seed in oracle::seeds(0..300) {
        let quoted = |n: usize| TEXTS[n].0.to_owned();
        let number = |n: usize| TEXTS[n].1.to_owned();
        let text = model(seed, "string", &quoted);
        let with_numbers = model(seed, "int[-9,9]", &number);
        let strings = oracle::load(&text, &queries(&quoted)).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let numbers = oracle::load(&with_numbers, &queries(&number)).unwrap();
        let found = answers(&strings);
        assert_eq!(found, answers(&numbers), "seed {seed}\n{text}");
        for truth in found {
            both[usize::from(truth == Verdict::Satisfied)] += 1;
        }
        let again = oracle::load::<&str>(&printed(&text), &[]).unwrap().model.system.without_places();
        let once = oracle::load::<&str>(&text, &[]).unwrap().model.system.without_places();
        assert_eq!(again, once, "seed {seed}\n{text}");
    }
    println!("{both:?} answers");
    assert!(both.iter().all(|n| *n > 500), "{both:?}");
}
