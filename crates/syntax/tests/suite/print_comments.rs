//! Comments may occur between any two tokens; printing keeps all of them and is idempotent.

use crate::common::{Model, read, round_trip};
use proptest::prelude::*;
use syntax::{
    Format, Sources,
    lexer::{Dialect, lex},
};

const MODEL: &str = r#"
import "libm" { double pow(double x, double y); };
typedef struct { int a, b; bool c[2]; } T;
const int N = 3, M[2][2] = { { 1, 2 }, { N, 4 } };
clock x, y;
T t = { a: 1, b: -2, { true, false } };
chan a, b[2]; urgent broadcast chan c;
chan priority a < b[0], default;
before_update { x = 1, y = 2 }
int f(int p, const int &q[2]) {
    int i = 0, j;
    for (i = 0; i < 3; i++) j += q[i];
    for (k : int[0, 2]) { j--; }
    while (i > 0) { i = i - 1; }
    do { i++; } while (i < 3);
    if (p > 1 && i < 2) return 1; else if (p == 0) { return 2; } else { j = 1; }
    if (i) j = 2; else j = 3;
    assert i == 2;
    return p ? 1 : forall (k : int[0, N]) k > p || f(k, q) == 1;
}
void g() { }
Early = P(0);
process P(int i, const bool &r) {
    int l[2]; clock z;
    void h() { z = 0; }
    state A { z <= 3 && x < 2; 1 : 2 }, B, C { ; 3 };
    branchpoint D;
    commit B; urgent C;
    init A;
    trans
        A -> B { select k : int[0, 1], m : T; guard z > 1 && k < 2 && m == 3; sync b[k]!; assign z = 0, h(); },
        B -> D { }, D -> A { probability 3; }, -> C { probability N + 1; }, C -u-> C { sync a?; };
}
int middle;
process Q() { state S; init S; }
R(const int p) = P(p, 2);
IO Q { a! }
system Early, Q < R;
progress { x > 1 : y; t.a; }
gantt { G: P.A -> 1; }
"#;

/// Insertions between tokens: positions and what is inserted.
type Insertions = Vec<(prop::sample::Index, usize)>;

fn insert(text: &str, insertions: &Insertions, first: usize) -> String {
    let mut sources = Sources::new();
    let file = sources.add_file("", text.to_owned());
    let lexed =
        lex(sources.fragment(sources.whole(file)), Dialect::Model, &mut syntax::Names::default(), &mut Vec::new());
    let end = lexed.tokens.len() - 1;
    let mut places: Vec<(usize, usize, usize)> = Vec::new();
    for (number, (place, style)) in insertions.iter().enumerate() {
        let index = place.index(end + 1);
        // A line comment may precede the end of the text.
        let at = if index == end { text.len() } else { lexed.tokens[index].span.start as usize };
        places.push((at, number + first, *style));
    }
    places.sort_by(|a, b| b.cmp(a));
    let mut out = text.to_owned();
    for (at, number, style) in places {
        let comment = match style {
            0 => format!(" /* c{number} */ "),
            1 => format!(" // c{number} */\n"),
            2 => format!("\n// c{number}\n"),
            3 => format!("\n\n  /* c{number}\n     d{number} */\n"),
            4 => format!(" /* c{number}\n d{number} */ // e{number}\n\n"),
            _ => format!("/* c{number} *//* d{number} */"),
        };
        out.insert_str(at, &comment);
    }
    out
}

fn any_insertions() -> impl Strategy<Value = Insertions> {
    prop::collection::vec((any::<prop::sample::Index>(), 0usize..6), 1..12)
}

fn survives(model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(model.errors(), Vec::<String>::new());
    for format in [Format::Xta, Format::Xml] {
        let back = round_trip(model, format).map_err(TestCaseError::fail)?;
        for other in [Format::Xta, Format::Xml] {
            round_trip(&back, other).map_err(TestCaseError::fail)?;
        }
    }
    Ok(())
}

/// Returns the ranges of `xml` that hold code.
fn texts(xml: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in xml.match_indices('<') {
        let tag = xml[at + 1..].split(['>', ' ']).next().unwrap_or_default();
        if matches!(tag, "declaration" | "parameter" | "label" | "system") {
            let start = at + xml[at..].find('>').map_or(0, |end| end + 1);
            found.push(start..start + xml[start..].find('<').unwrap_or(0));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_text(insertions in any_insertions()) {
        survives(&read(&insert(MODEL, &insertions, 0), Format::Xta))?;
    }

    #[test]
    fn in_labels(choices in prop::collection::vec((any::<prop::sample::Index>(), any_insertions()), 1..4)) {
        let mut xml = read(MODEL, Format::Xta).print(Format::Xml);
        for (i, (place, insertions)) in choices.iter().enumerate() {
            let texts = texts(&xml);
            let range = texts[place.index(texts.len())].clone();
            let plain = xml[range.clone()].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            let commented = insert(&plain, insertions, 100 * i);
            let escaped = commented.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            xml.replace_range(range, &escaped);
        }
        survives(&read(&xml, Format::Xml))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Items that could not be parsed are missing, but the rest can be printed.
    #[test]
    fn of_broken_models(cuts in prop::collection::vec((any::<prop::sample::Index>(), 1usize..30), 1..4)) {
        for format in [Format::Xta, Format::Xml] {
            let mut text = read(MODEL, Format::Xta).print(format);
            for (place, length) in &cuts {
                let start = place.index(text.len());
                text.replace_range(start..(start + length).min(text.len()), "");
            }
            let model = read(&text, format);
            let _ = (model.print(Format::Xta), model.print(Format::Xml));
        }
    }
}

#[test]
fn the_model_itself_survives() {
    let model = read(MODEL, Format::Xta);
    survives(&model).unwrap();
}
