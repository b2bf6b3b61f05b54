//! opaal's declarations: federations of clocks, and the files of its own tests.

use oracle::corpora;

use crate::{
    common::{load, one_edge, try_load},
    lattices::{wrong, wrong_decls, wrong_update},
};

const DECLS: &str = "extern DBMFederation; extern DBMClock; const int N = 2; int i; clock x;
    DBMFederation dbm; DBMClock dbm.x, dbm.c; DBMClock dbm.y[N]; DBMClock dbm.z[2][3];";

#[test]
fn clocks_of_a_federation_are_clocks() {
    let text = format!(
        "{DECLS} process P(int k) {{ DBMFederation own; DBMClock own.x;
             state A {{ dbm.x <= 5 && own.x < 9 }}, B; init A;
             trans A -> B {{ guard dbm.x >= 2 && dbm.y[k] - dbm.c < 3 && x > dbm.z[1][i]; assign dbm.x = 0, dbm.z[i][k] = k, own.x = x; }};
         }} P0 = P(0); P1 = P(1); system P0, P1;"
    );
    let (sources, model) = try_load(&text).unwrap();
    let names: Vec<&str> = model.system.clocks.iter().skip(1).map(|c| c.name.as_str()).collect();
    let z = ["dbm.z[0][0]", "dbm.z[0][1]", "dbm.z[0][2]", "dbm.z[1][0]", "dbm.z[1][1]", "dbm.z[1][2]"];
    let expected = [&["x", "dbm.x", "dbm.c", "dbm.y[0]", "dbm.y[1]"], &z[..], &["P0.own.x", "P1.own.x"]].concat();
    assert_eq!(names, expected);
    assert_eq!(model.system.lattices.len(), 0);
    // The text stays as it was written.
    let printed = syntax::print::xta(&model.tree, &sources).text;
    assert!(printed.contains("DBMClock dbm.y[N]") && printed.contains("DBMClock own.x"), "{printed}");
    assert_eq!(load(&printed).system.clocks.len(), model.system.clocks.len());
}

#[test]
fn types_have_other_names_too() {
    let decls =
        "extern F = opaal.lattices.dbm.DBMFederation; extern C = opaal.lattices.dbm.DBMClock; F f; C f.x; C plain;";
    let model = load(&one_edge(decls, "guard f.x > 2 && plain < 1; assign f.x = 0;"));
    let names: Vec<&str> = model.system.clocks.iter().skip(1).map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["f.x", "plain"]);
}

#[test]
fn declarations_must_fit() {
    let with = |more: &str| format!("{DECLS} {more}");
    let before = "write `extern DBMFederation; DBMFederation i;` before";
    wrong_decls(&with("DBMClock i.a;"), "`i` is not a federation of clocks", "i.a", before);
    wrong_decls(&with("DBMClock dbm.x[3];"), "`dbm.x` is declared twice", "dbm.x", "");
    wrong_decls(&with("int dbm.n;"), "`dbm.n` must be a clock, not an integer", "int", "write `DBMClock dbm.n`");
    wrong_decls(
        &with("DBMFederation two[2];"),
        "`two` is a federation of clocks and can't be an array",
        "two",
        "its clocks can be arrays: `DBMClock dbm.x[10];`",
    );
    wrong_decls(
        &with("DBMFederation f = 3;"),
        "a federation of clocks has no initialiser",
        "3",
        "all its clocks are 0 at first",
    );
    wrong_decls(
        &with("DBMClock dbm.n = 3;"),
        "a clock of a federation has no initialiser",
        "3",
        "set it in the update of a first edge",
    );
    wrong_decls(
        "extern DBMFederation = DBMFederation(3);",
        "`DBMFederation` takes no arguments",
        "extern DBMFederation = DBMFederation(3);",
        "remove them",
    );
    wrong_update(
        DECLS,
        "dbm = dbm.x <= 5",
        "can't assign a clock constraint to a struct { x, c, y, z }",
        "dbm = dbm.x <= 5",
        "a guard or an invariant restricts the clocks: write the constraint there",
    );
    wrong_decls("DBMClock x;", "type `DBMClock` is not declared", "DBMClock", "write `extern DBMClock;` before");
    wrong_update(DECLS, "dbm.w = 0", "the struct has no field `w`", "w", "");
    wrong(
        &format!("{DECLS} process P() {{ DBMClock dbm.own; state A; init A; }} system P;"),
        "the clocks of `dbm` are declared beside it",
        "dbm.own",
        "",
    );
}

/// An edge with a guard and an update, beside a process that synchronises with it.
fn with_edge(edge: &str) -> String {
    format!(
        "{DECLS} chan go; process P() {{ state A, B; init A; trans A -> B {{ {edge} }}; }}
         process Q() {{ state A; init A; trans A -> A {{ sync go?; }}, A -> A {{ sync go!; assign dbm.x = 0; }}; }}
         system P, Q;"
    )
}

#[test]
fn intersections_at_the_start_of_an_update_are_guards() {
    for (written, meant) in [
        ("assign dbm &= dbm.x <= 5;", "guard dbm.x <= 5;"),
        ("assign dbm &= (dbm.x <= 5), dbm &= dbm.c - dbm.y[i] < 3;", "guard dbm.x <= 5 && dbm.c - dbm.y[i] < 3;"),
        (
            "guard i == 0; assign dbm &= (dbm.x > 1 && x < 3), dbm.x = 0;",
            "guard i == 0 && dbm.x > 1 && x < 3; assign dbm.x = 0;",
        ),
        ("sync go!; assign dbm &= dbm.x == 2, i = 1;", "guard dbm.x == 2; sync go!; assign i = 1;"),
    ] {
        let (sources, model) = try_load(&with_edge(written)).unwrap();
        let (written_edge, meant_edge) = (&model.system.edges[0], &load(&with_edge(meant)).system.edges[0]);
        assert_eq!(written_edge.guard.clocks, meant_edge.guard.clocks, "{written}");
        assert_eq!(written_edge.guard.condition.is_some(), meant_edge.guard.condition.is_some(), "{written}");
        assert_eq!(written_edge.update.is_some(), meant_edge.update.is_some(), "{written}");
        // The text stays as it was written.
        assert!(syntax::print::xta(&model.tree, &sources).text.contains("dbm &= "), "{written}");
    }
}

#[test]
fn other_intersections_are_refused() {
    let first =
        "only the first updates of an edge that does not receive can be intersections: write a guard, or an invariant";
    let refused = |edge: &str, at: &str| {
        wrong(&with_edge(edge), "can't assign a clock constraint to a struct { x, c, y, z }", at, first);
    };
    refused("assign dbm.x = 0, dbm &= dbm.x <= 5;", "dbm &= dbm.x <= 5");
    refused("assign i = 1, dbm &= dbm.x <= 5;", "dbm &= dbm.x <= 5");
    refused("sync go?; assign dbm &= dbm.x <= 5;", "dbm &= dbm.x <= 5");
    wrong(
        &with_edge("assign dbm &= i > 0;"),
        "a federation is intersected with a clock constraint, not a boolean",
        "i > 0",
        "write a condition without clocks as a guard",
    );
    let before = "before_update { dbm.x = 0 }";
    wrong(
        &with_edge("assign dbm &= dbm.x <= 5;").replacen("chan go;", &format!("chan go; {before}"), 1),
        "can't assign a clock constraint to a struct { x, c, y, z }",
        "dbm &= dbm.x <= 5",
        first,
    );
}

#[test]
fn octagons_have_no_floating_point_members() {
    wrong_decls(
        "extern ApronOctagon; ApronOctagon oct; oct.intvar i; oct.floatvar f;",
        "a member of `oct` is declared with `intvar`",
        "floatvar",
        "there are no floating-point members: write `oct.intvar` and count in a smaller unit, such as hundredths",
    );
}

/// What is wrong with a file, if anything is: messages, and the start of the last help.
const REFUSED: [(&str, &str, &str); 3] = [
    ("test_extern2.txt", "unknown lattice `TestExternalLattice`", "if it is a class in Python"),
    ("test_extern3.txt", "unknown lattice `baz`", "if it is a class in Python"),
    ("test_extern_octagon.txt", "a member of `oct` is declared with `intvar`", "there are no floating-point members"),
];

#[test]
fn declarations_of_opaal_load() {
    for corpus in corpora("opaal") {
        let (mut loaded, mut refused) = (0, 0);
        // Beside the models there are fragments of declarations.
        for path in corpus.files(&["txt"]).iter().filter(|path| path.parent() == Some(&corpus.folder.join("externs"))) {
            let (name, text) = (path.file_name().unwrap().to_string_lossy(), std::fs::read_to_string(path).unwrap());
            let Err(found) = try_load(&one_edge(&text, "")) else {
                assert!(REFUSED.iter().all(|refused| refused.0 != name), "{name}");
                loaded += 1;
                continue;
            };
            let errors: Vec<_> = found.iter().filter(|(d, _)| d.is_error()).collect();
            let [(d, _)] = &errors[..] else { panic!("{name}: {errors:#?}") };
            let expected = REFUSED.iter().find(|refused| refused.0 == name).unwrap_or_else(|| panic!("{name}: {d:?}"));
            assert_eq!(d.message, expected.1, "{name}");
            assert!(d.help.last().is_some_and(|help| help.starts_with(expected.2)), "{name}: {:?}", d.help);
            refused += 1;
        }
        assert_eq!((loaded, refused), if corpus.is_shared { (2, 3) } else { (2, 0) });
    }
}
