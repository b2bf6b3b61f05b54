//! Constants whose values are overridden.

use merkhet::{Limits, Model, Options, Session, Source};

const MODEL: &str = "const int N = 2; const bool fast = false; const int a[2] = {1, 2}; int v;
    process P() {
        const int step = 1;
        state s; init s;
        trans s -> s { guard v < N * 3; assign v = v + (fast ? 2 : step); };
    }
    system P;";

fn source(constants: &[(&str, &str)]) -> Source {
    let with = |source: Source, (name, value): &(&str, &str)| source.with_constant(name, value);
    constants.iter().fold(Source::text("m.xta", MODEL), with)
}

/// Returns whether a value is reached.
fn reaches(constants: &[(&str, &str)], value: i32) -> bool {
    let mut model = Model::open(source(constants)).unwrap();
    let query = model.query(&format!("E<> v == {value}")).unwrap();
    let answer = Session::new(&mut model).ask(&query, &Options::default(), &Limits::default(), &mut ()).unwrap();
    answer.holds().unwrap()
}

#[test]
fn values_replace_those_of_the_model() {
    assert!(reaches(&[], 5) && !reaches(&[], 7));
    assert!(reaches(&[("N", "1 + 2")], 9));
    assert!(!reaches(&[("fast", "true")], 5) && reaches(&[("fast", "true"), ("N", "4")], 12));
    assert!(!reaches(&[("P.step", "3"), ("N", "3")], 8) && reaches(&[("P.step", "N - 1")], 6));
}

/// Returns all errors as text.
fn mistakes(constants: &[(&str, &str)]) -> Vec<String> {
    let error = Model::open(source(constants)).unwrap_err();
    error.document.diagnostics.iter().map(|d| format!("{} {}", d.message, d.help.join(" "))).collect()
}

#[test]
fn all_mistakes_are_reported() {
    let found = mistakes(&[("M", "1"), ("v", "1"), ("a", "1"), ("N", "1"), ("N", "2"), ("fast", "("), ("P.stop", "2")]);
    let expected = [
        "the model has no constant `M`",
        "`v` can't be given a value: it is not a constant",
        "`a` can't be given a value: it is an array",
        "`N` can't be given a value: it has two values",
        "expected an expression",
        "the model has no constant `P.stop` did you mean `P.step`?",
    ];
    for wanted in expected {
        assert!(found.iter().any(|message| message.contains(wanted)), "{wanted}: {found:#?}");
    }
    assert!(mistakes(&[("N", "1, 2")])[0].contains("one value"));
    assert!(!mistakes(&[("N", "{1}")]).is_empty());
    assert!(!mistakes(&[("N", "")]).is_empty());
}
