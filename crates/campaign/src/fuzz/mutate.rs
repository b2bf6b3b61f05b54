//! Mutations of files: bytes, tokens, numbers, lines, and nesting deeper than any stack.

use std::ops::Range;

use oracle::random::Rng;

/// The greatest size of a mutated file.
const MAX_BYTES: usize = 1 << 20;

/// Numbers at the limits of types and tables.
const EXTREMES: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "255",
    "256",
    "1000",
    "32767",
    "32768",
    "-32769",
    "65536",
    "1000000",
    "268435455",
    "268435456",
    "536870911",
    "1073741823",
    "1073741824",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "100000000000000000000000",
    "0x7f",
    "1e9",
    "1.5",
    "00",
];

/// Keywords of the formats.
const WORDS: &[&str] = &[
    "int",
    "bool",
    "clock",
    "chan",
    "urgent",
    "broadcast",
    "const",
    "meta",
    "scalar",
    "struct",
    "typedef",
    "string",
    "double",
    "void",
    "return",
    "for",
    "while",
    "do",
    "if",
    "else",
    "forall",
    "exists",
    "sum",
    "true",
    "false",
    "process",
    "state",
    "init",
    "trans",
    "commit",
    "select",
    "guard",
    "sync",
    "assign",
    "system",
    "priority",
    "default",
    "progress",
    "deadlock",
    "imply",
    "and",
    "or",
    "not",
    "A[]",
    "E<>",
    "A<>",
    "E[]",
    "-->",
    "sup",
    "inf",
    "bounds",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "?",
    "!",
    "=",
    "==",
    "<",
    "<=",
    ">=",
    ">",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "<?",
    ">?",
    "&",
    "|",
    "^",
    "&&",
    "||",
    "++",
    "--",
    "+=",
    ":=",
    "->",
    "-u->",
    ".",
    "'",
    "location",
    "edge",
    "event",
    "initial:",
    "invariant:",
    "provided:",
    "do:",
    "labels:",
    "pl",
    "tr",
    "net",
    "w",
    "inf",
    "<place",
    "<arc",
    "/>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&lt;",
    "&#x1b;",
    "&undefined;",
    "null",
    "\"",
    "\\",
    "//",
    "/*",
    "*/",
    "\n",
];

/// Bytes with a meaning for terminals and decoders.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\x1b[31m",
    b"\x1b]0;x\x07",
    b"\x7f",
    b"\r",
    b"\t",
    b"\xff",
    b"\x80",
    b"\xc2\x9b",
    b"\xc2\x85",
    b"\xe2\x80\xae",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x9a\xa8",
    b"\xc3\xa9",
    b"\xed\xa0\x80",
    b"\x08",
];

/// The depths of nesting.
const DEPTHS: &[usize] = &[20, 1_000, 20_000, 100_000];

/// Nestable constructs: the opening and the closing text.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("{", "}"),
    ("[", "]"),
    ("!", ""),
    ("-", ""),
    ("not ", ""),
    ("1+", ""),
    ("a.", ""),
    ("x[", "]"),
    ("1?1:", ""),
    ("if(1)", ""),
    ("<a>", "</a>"),
    ("<!--", "-->"),
    ("struct{", "}"),
    ("forall(i:int[0,1])", ""),
    ("[[", "]]"),
    ("{\"a\":", "}"),
];

/// Mutates a file, which may take parts of `other`. The result is probably invalid, and sometimes
/// unchanged.
pub fn mutate(rng: &mut Rng, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // Half of the files mostly stay well-formed, so that not only the parser is tested.
    let gentle = rng.chance(50);
    let changes = match rng.below(10) {
        0 => 0,
        1..=5 => 1,
        6..=7 => 2,
        8 => 4,
        _ => 12,
    };
    for _ in 0..changes {
        if gentle {
            vary(rng, &mut bytes);
        } else {
            change(rng, &mut bytes, other);
        }
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    match rng.below(100) {
        0..=7 => odd_bytes(rng, bytes),
        8..=32 => number(rng, bytes, 20),
        33..=57 => token(rng, bytes, other),
        58..=67 => lines(rng, bytes),
        68..=75 => splice(rng, bytes, other),
        76..=82 => repeat(rng, bytes),
        83..=88 => nest(rng, bytes),
        89..=93 => {
            let end = rng.below(bytes.len() + 1);
            bytes.truncate(end);
        }
        _ => {
            let range = range(rng, bytes.len());
            bytes.drain(range);
        }
    }
}

/// Groups of exchangeable operators.
const SIGNS: &[&[&str]] = &[&["<", "<=", ">", ">=", "==", "!="], &["+", "-", "*", "/", "%", "<<", ">>"], &["&&", "||"]];

/// Changes the content of a file, not its form: a number, a name or an operator.
fn vary(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let all = tokens(bytes);
    let is_name = |t: &Range<usize>| bytes[t.start].is_ascii_alphabetic();
    let names: Vec<&Range<usize>> = all.iter().filter(|t| is_name(t)).collect();
    let choice = rng.below(10);
    if choice < 1 && !names.is_empty() {
        // Names close to each other are more likely of the same kind.
        let at = rng.below(names.len());
        let near = (at + rng.below(17)).saturating_sub(8).min(names.len() - 1);
        let new = bytes[names[near].clone()].to_vec();
        let old = names[at].clone();
        bytes.splice(old, new);
    } else if choice < 4 {
        let class = *rng.pick(SIGNS);
        let is_there = |at: usize, sign: &str| bytes[at..].starts_with(sign.as_bytes());
        let longest = |at: usize| class.iter().copied().filter(|sign| is_there(at, sign)).max_by_key(|sign| sign.len());
        let there: Vec<(usize, &str)> = (0..bytes.len()).filter_map(|at| Some((at, longest(at)?))).collect();
        if !there.is_empty() {
            let (at, sign) = *rng.pick(&there);
            bytes.splice(at..at + sign.len(), rng.pick(class).bytes());
        }
    } else {
        number(rng, bytes, 80);
    }
}

/// Returns a random range of bytes; short ones are more likely.
fn range(rng: &mut Rng, len: usize) -> Range<usize> {
    let start = rng.below(len + 1);
    let max = if rng.chance(80) { 60 } else { len };
    start..(start + rng.below(max + 1)).min(len)
}

fn odd_bytes(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let at = rng.below(bytes.len() + 1);
    match rng.below(3) {
        0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
        1 if at < bytes.len() => bytes[at] = rng.below(256) as u8,
        _ => {
            let odd = *rng.pick(ODD);
            bytes.splice(at..at, odd.iter().copied());
        }
    }
}

/// Returns the tokens of a text: words, numbers and single symbols.
fn tokens(bytes: &[u8]) -> Vec<Range<usize>> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at..].iter().take_while(|&&b| is_word(b)).count().max(1);
        if !bytes[at].is_ascii_whitespace() {
            all.push(at..at + len);
        }
        at += len;
    }
    all
}

/// Replaces a number; with a probability of `small` percent by a small one, which keeps models
/// valid.
fn number(rng: &mut Rng, bytes: &mut Vec<u8>, small: usize) {
    let numbers: Vec<_> = tokens(bytes).into_iter().filter(|t| bytes[t.start].is_ascii_digit()).collect();
    if numbers.is_empty() {
        return token(rng, bytes, b"");
    }
    let number = rng.pick(&numbers).clone();
    let text = if rng.chance(small) { rng.below(20).to_string() } else { (*rng.pick(EXTREMES)).to_owned() };
    bytes.splice(number, text.into_bytes());
}

fn token(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    let all = tokens(bytes);
    if all.is_empty() {
        bytes.extend_from_slice(rng.pick(WORDS).as_bytes());
        return;
    }
    let (token, second) = (rng.pick(&all).clone(), rng.pick(&all).clone());
    let new = match rng.below(6) {
        0 => Vec::new(),
        1 => bytes[token.clone()].repeat(2),
        2 => bytes[second].to_vec(),
        3 => {
            let lent = tokens(other);
            if lent.is_empty() { Vec::new() } else { other[rng.pick(&lent).clone()].to_vec() }
        }
        _ => rng.pick(WORDS).as_bytes().to_vec(),
    };
    bytes.splice(token, new);
}

fn lines(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut all: Vec<Vec<u8>> = bytes.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    if all.is_empty() {
        return;
    }
    let (from, to) = (rng.below(all.len()), rng.below(all.len()));
    match rng.below(4) {
        0 => drop(all.remove(from)),
        1 => all.swap(from, to),
        2 => {
            let line = all[from].clone();
            all.insert(to, line);
        }
        _ => drop(all.drain(from.min(to)..=from.max(to).min(from.min(to) + 5))),
    }
    *bytes = all.concat();
}

fn splice(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    let lent = range(rng, other.len());
    let hole = range(rng, bytes.len());
    if rng.chance(20) {
        bytes.truncate(hole.start);
        bytes.extend_from_slice(&other[lent.start..]);
    } else {
        bytes.splice(hole, other[lent].iter().copied());
    }
}

fn repeat(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let part = if rng.chance(50) {
        range(rng, bytes.len())
    } else {
        // Whole lines may still be valid.
        let start = rng.below(bytes.len() + 1);
        let start = bytes[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let len = bytes[start..].iter().position(|&b| b == b'\n').map_or(bytes.len() - start, |len| len + 1);
        start..start + len
    };
    let times = *rng.pick(&[2, 3, 10, 100, 3_000]);
    let times = times.min(MAX_BYTES / 4 / part.len().max(1));
    let copies = bytes[part.clone()].repeat(times);
    bytes.splice(part, copies);
}

fn nest(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let (open, close) = *rng.pick(NESTS);
    let depth = (*rng.pick(DEPTHS)).min(MAX_BYTES / 2 / (open.len() + close.len()));
    let all = tokens(bytes);
    let hole = if all.is_empty() { 0..0 } else { rng.pick(&all).clone() };
    let inner = bytes[hole.clone()].to_vec();
    let closed = rng.chance(70);
    let close = if closed { close.repeat(depth) } else { String::new() };
    bytes.splice(hole, [open.repeat(depth).as_bytes(), &inner, close.as_bytes()].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_are_repeatable_bounded_and_many() {
        let model = include_bytes!("../../samples/gadgets.xml");
        let other = include_bytes!("../../samples/lights.tck");
        let mut seen = std::collections::HashSet::new();
        for seed in 0..500 {
            let first = mutate(&mut Rng::new(seed), model, other);
            assert_eq!(first, mutate(&mut Rng::new(seed), model, other));
            assert!(first.len() <= MAX_BYTES);
            seen.insert(first);
        }
        assert!(seen.len() > 400, "{}", seen.len());
        // A mutation without effect is allowed.
        for seed in 0..200 {
            mutate(&mut Rng::new(seed), b"", b"");
            mutate(&mut Rng::new(seed), b"\n", other);
        }
    }
}
