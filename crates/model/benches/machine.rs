//! The cost of compiled expressions: `cargo bench -p merkhet-model`.

use divan::{Bencher, black_box};
use model::{Model, code::Pc, machine::Machine};
use syntax::{Format, Sources};

fn main() {
    divan::main();
}

const DECLS: &str =
    "const int N = 8; typedef int[0,N-1] id_t; int id = 3; int n = 2; int a[N] = {0,1,2,3,4,5,6,7}; bool b = true;
    int f(int k) { return a[k] + n; }
    int total() { int s = 0; for (i : id_t) s += a[i]; return s; }";

fn load(guard: &str, update: &str) -> Model {
    let text = format!(
        "{DECLS} process P() {{ state L; init L; trans L -> L {{ guard {guard}; assign {update}; }}; }} system P;"
    );
    let mut sources = Sources::new();
    let file = sources.add_file("bench.xta", text);
    let (tree, _) = syntax::read_model(&mut sources, file, Format::Xta);
    let Ok((model, _)) = model::load(tree) else { panic!("the benchmark's model is wrong") };
    model
}

#[divan::bench(args = [
    "id == 3",
    "id == 3 && n < 5",
    "id == 3 && n < 5 && b && a[id] == 3",
    "f(id) == 5",
    "forall (i : id_t) a[i] >= 0",
    "total() == 28",
])]
fn guards(bencher: Bencher<'_, '_>, guard: &str) {
    let model = load(guard, "id = 0");
    let pc: Pc = model.system.edges[0].guard.condition.expect("the guard is not constant");
    let mut machine = Machine::new(&model.system.code, model.system.initial.len());
    machine.load(&model.system.initial);
    bencher.bench_local(|| black_box(machine.test(black_box(pc))));
}

const UPDATES: [&str; 4] = ["id = 0", "n = (n + 1) % 5, a[id] = n", "n = f(id) % 5", "a[0] = total() % 8"];

#[divan::bench(args = UPDATES)]
fn updates(bencher: Bencher<'_, '_>, update: &str) {
    let model = load("true", update);
    run(bencher, &model, Machine::new(&model.system.code, model.system.initial.len()));
}

#[divan::bench(args = UPDATES)]
fn translated_updates(bencher: Bencher<'_, '_>, update: &str) {
    let model = load("true", update);
    run(bencher, &model, Machine::translating(&model.system));
}

fn run(bencher: Bencher<'_, '_>, model: &Model, mut machine: Machine<'_>) {
    let pc = model.system.edges[0].update.expect("the update does something");
    let row = model.system.initial.clone();
    bencher.bench_local(|| {
        machine.load(black_box(&row));
        black_box(machine.execute(black_box(pc)))
    });
}

#[divan::bench]
fn load_a_row_of_14(bencher: Bencher<'_, '_>) {
    let model = load("true", "id = 0");
    let mut machine = Machine::new(&model.system.code, model.system.initial.len());
    let row = model.system.initial.clone();
    bencher.bench_local(|| machine.load(black_box(&row)));
}
