#![allow(clippy::unwrap_used, clippy::print_stdout)]
use bounded::automata::{Unbounded, prove};
use model::{Model, Property};
use smt::{Embedded, Outcome, Real, Solver, Term, Terms};
use std::{
    cell::Cell,
    fs,
    path::Path,
    rc::Rc,
    time::{Duration, Instant},
};
use syntax::{Format, Sources};
fn load(path: &Path) -> Option<(Model, Vec<Property>)> {
    let mut sources = Sources::new();
    let text = fs::read_to_string(path).unwrap();
    let format = Format::guess(&path.to_string_lossy(), &text);
    let file = sources.add_file(&path.to_string_lossy(), text);
    let (tree, _) = syntax::read_model(&mut sources, file, format);
    let (mut model, _) = model::load(tree).ok()?;
    let file = sources.add_file("queries", fs::read_to_string(path.with_extension("q")).ok()?);
    let queries = syntax::read_queries(&sources, file, &mut model.tree);
    let properties = queries.iter().filter_map(|query| model.query(query).ok()).collect();
    Some((model, properties))
}
struct C {
    inner: Embedded,
    n: Rc<Cell<(u64, u64, Duration, usize, usize)>>,
}
impl Solver for C {
    fn assert(&mut self, terms: &Terms, t: Term) {
        self.inner.assert(terms, t)
    }
    fn check(&mut self, terms: &Terms, a: &[Term], stop: &dyn Fn() -> bool) -> Outcome {
        let t = Instant::now();
        let r = self.inner.check(terms, a, stop);
        let (q, s, d, na, nc) = self.n.get();
        let core = if r == Outcome::Unsatisfiable { self.inner.core().len() } else { 0 };
        self.n.set((q + 1, s + u64::from(r == Outcome::Satisfiable), d + t.elapsed(), na + a.len(), nc + core));
        r
    }
    fn holds(&mut self, terms: &Terms, t: Term) -> bool {
        self.inner.holds(terms, t)
    }
    fn real(&mut self, terms: &Terms, x: Real) -> (i64, i64) {
        self.inner.real(terms, x)
    }
    fn core(&self) -> &[Term] {
        self.inner.core()
    }
}
#[test]
fn bench() {
    let files = std::env::var("BENCH").unwrap_or("fischer.xta:0,train_gate.xta:0,train_gate.xta:1,zones/fischer.xta:0,zones/csma-cd.xta:0,zones/fddi.xta:0,directed/fischer-a.xta:0".into());
    for spec in files.split(',') {
        let (f, q) = spec.split_once(':').unwrap();
        let (model, properties) = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(f)).unwrap();
        let (Property::Possibly(goal) | Property::Invariantly(goal)) = &properties[q.parse::<usize>().unwrap()] else {
            continue;
        };
        let n = Rc::new(Cell::new((0, 0, Duration::ZERO, 0, 0)));
        let mut solvers = || Box::new(C { inner: Embedded::new(), n: n.clone() }) as Box<dyn Solver>;
        let start = Instant::now();
        let stop = || start.elapsed() > Duration::from_secs(20);
        let mut level = 0;
        let r = prove(&model.system, goal, &mut solvers, &stop, &mut |l| level = l);
        let what = match r {
            Ok(Unbounded::Holds(i)) => format!("holds {}", i.clauses.len()),
            Ok(Unbounded::Found(t)) => format!("found {}", t.steps.len()),
            Ok(Unbounded::Unknown(w)) => w,
            Err(w) => w.0,
        };
        let (q, s, d, na, nc) = n.get();
        println!(
            "{spec}: {what} level {level} {:?}; {q} queries, {s} sat, {d:?} in solver, {} assumptions, core {}",
            start.elapsed(),
            na as u64 / q.max(1),
            nc as u64 / (q - s).max(1)
        );
    }
}
