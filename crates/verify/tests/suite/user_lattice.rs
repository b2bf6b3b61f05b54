//! A user-defined lattice, written in Rust, from the text of a model to the answer.

use std::sync::Arc;

use explore::search::Limits;
use lattice::{Lattice, Library, LibraryEntry, Method, Misuse, Trend};
use model::{Model, Property, System};
use syntax::{Format, Sources};
use verify::{Options, Update, Verdict, answer, check_laws};

/// The most that may have been spent. A greater element satisfies all tests of a smaller one.
#[derive(Debug)]
struct Budget {
    most: i32,
    /// Whether joins drop one of the elements.
    is_wrong: bool,
}

static METHODS: [Method; 2] = [
    Method::change("spend", &["amount"], "adds to what is spent"),
    Method::test("mayExceed", &["amount"], Trend::Rises, "whether more may be spent than an amount"),
];

impl Lattice for Budget {
    fn name(&self) -> String {
        format!("Budget({})", self.most)
    }

    fn width(&self) -> usize {
        1
    }

    fn range(&self, _: usize) -> (i32, i32) {
        (0, self.most)
    }

    fn initial(&self, out: &mut [i32]) {
        out[0] = 0;
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        a[0] <= b[0]
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        let before = into[0];
        into[0] = if self.is_wrong { before.min(other[0]) } else { before.max(other[0]) };
        into[0] != before
    }

    fn methods(&self) -> &[Method] {
        &METHODS
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let amount = lattice::argument(args, 0, 0, self.most)?;
        if method == 0 {
            this[0] = (this[0] + amount).min(self.most);
            return Ok(0);
        }
        Ok(i32::from(this[0] > amount))
    }

    fn show(&self, element: &[i32]) -> String {
        element[0].to_string()
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        out[0] = random(self.most as u32 + 1) as i32;
    }
}

fn library(is_wrong: bool) -> Library {
    let entry = |make| LibraryEntry {
        name: "Budget",
        aliases: &[],
        signature: "Budget(most)",
        has_dimensions: false,
        member: None,
        help: "What something costs at most.",
        laws: "Order: more is greater. Join: the greater of both.",
        example: "extern Budget = Budget(9);",
        make,
    };
    Library::standard().with(if is_wrong {
        entry(|arguments| Ok(Arc::new(Budget { most: arguments.value(0, "most", 1, 1000)?, is_wrong: true })))
    } else {
        entry(|arguments| Ok(Arc::new(Budget { most: arguments.value(0, "most", 1, 1000)?, is_wrong: false })))
    })
}

const SHOP: &str = "extern Costs = Budget(60); Costs costs;
    process Buyer() {
        state Shopping, Broke; init Shopping;
        trans Shopping -> Shopping { assign costs.spend(3); },
              Shopping -> Shopping { assign costs.spend(7); },
              Shopping -> Broke { guard costs.mayExceed(50); };
    }
    system Buyer;";

fn load(is_wrong: bool, query: &str) -> (Model, System, Property) {
    let mut sources = Sources::new();
    let file = sources.add_file("shop.xta", SHOP.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::Xta);
    assert_eq!(diagnostics, []);
    let (mut model, _) = model::load_with(tree, &library(is_wrong)).unwrap_or_else(|(_, wrong)| panic!("{wrong:#?}"));
    let file = sources.add_file("query", query.to_owned());
    let queries = syntax::read_query(&sources, file, &mut model.tree);
    let query = model.query(&queries[0]).unwrap();
    let (system, property) = model.system.with(&query);
    (model, system, property)
}

#[test]
fn a_user_lattice_is_searched_like_those_of_the_library() {
    let (_, system, property) = load(false, "E<> Buyer.Broke");
    let ask = |property: &Property, update| {
        let options = Options { update: Some(update), ..Options::default() };
        answer(&system, property, &options, &Limits::default(), &mut ())
    };
    for update in [Update::Simple, Update::Cover, Update::Join] {
        let found = ask(&property, update);
        assert_eq!(found.verdict, Verdict::Satisfied, "{update:?}");
        assert!(found.trace.unwrap().is_replayed(), "{update:?}");
    }
    let (_, system, property) = load(false, "E<> Buyer.Broke && costs.mayExceed(60)");
    let stored = [Update::Simple, Update::Cover, Update::Join].map(|update| {
        let options = Options { update: Some(update), ..Options::default() };
        let answer = answer(&system, &property, &options, &Limits::default(), &mut ());
        assert_eq!(answer.verdict, Verdict::NotSatisfied, "{update:?}");
        answer.counts.stored
    });
    assert!(stored[0] > 50 && stored[1] <= 4 && stored[2] == 2, "{stored:?}");
}

#[test]
fn the_laws_of_a_user_lattice_are_checked() {
    let (model, ..) = load(false, "E<> Buyer.Broke");
    let laws = check_laws(&model);
    assert_eq!((laws.diagnostics, laws.lattices[0].name.as_str(), laws.lost), (vec![], "Budget(60)", 0));
    let (model, ..) = load(true, "E<> Buyer.Broke");
    let laws = check_laws(&model);
    let upper = "`Budget(60)` is no lattice: a join is an upper bound of both elements: 0 and 1 (the join is 0)";
    assert!(laws.diagnostics.iter().any(|d| d.is_error() && d.message == upper), "{laws:#?}");
}
