//! The cost of operations on zones: `cargo bench -p merkhet-zone`. `merkhet bench kernels` runs the
//! same operations.
//!
//! Times are those of a round of 64 operations; items are operations. `one` repeats one zone, which
//! the branch predictor learns; `many` cycles through different zones.

use divan::{Bencher, counter::ItemsCount};
use zone::workload::{DIMENSIONS, Kernel, ROUND, Workload};

fn main() {
    divan::main();
}

fn run(bencher: Bencher<'_, '_>, &Case(kernel, dim): &Case, many: bool) {
    let mut work = Workload::new(kernel, dim, many);
    bencher.counter(ItemsCount::new(ROUND)).bench_local(|| work.round());
}

/// Shown in the tree of results.
struct Case(Kernel, usize);

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", self.0, self.1)
    }
}

fn cases() -> impl Iterator<Item = Case> {
    Kernel::ALL.into_iter().flat_map(|kernel| DIMENSIONS.map(|dim| Case(kernel, dim)))
}

#[divan::bench(args = cases())]
fn one(bencher: Bencher<'_, '_>, case: &Case) {
    run(bencher, case, false);
}

#[divan::bench(args = cases())]
fn many(bencher: Bencher<'_, '_>, case: &Case) {
    run(bencher, case, true);
}
