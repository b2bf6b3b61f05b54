//! How long the operations on zones take, in nanoseconds and beside a plain copy of the row.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use zone::workload::{Kernel, ROUND, Workload};

/// How often each operation is timed. The fastest time counts: whatever else the machine does makes
/// times longer only.
const SAMPLES: usize = 25;

/// How long one sample takes at least, so that the clock's own steps do not matter.
const SAMPLE: Duration = Duration::from_millis(2);

/// An operation, what it is called, and what UDBM needs for it at dimensions 5, 9 and 17, in
/// nanoseconds.
pub struct Known {
    /// The operation.
    pub kernel: Kernel,
    /// What tables call it.
    pub name: &'static str,
    /// UDBM's figures.
    pub udbm: Option<[f64; 3]>,
}

/// The operations of the table.
pub const KERNELS: [Known; 6] = [
    Known { kernel: Kernel::Copy, name: "copy", udbm: None },
    Known { kernel: Kernel::Close, name: "close", udbm: Some([62.0, 249.0, 1434.0]) },
    Known { kernel: Kernel::Constrain, name: "constrain one", udbm: Some([21.0, 40.0, 75.0]) },
    Known { kernel: Kernel::Include, name: "inclusion", udbm: Some([10.0, 27.0, 89.0]) },
    Known { kernel: Kernel::ExtraLuPlus, name: "Extra+_LU", udbm: Some([57.0, 222.0, 1627.0]) },
    Known { kernel: Kernel::Successor, name: "successor", udbm: Some([81.0, 260.0, 1627.0]) },
];

/// Nanoseconds that an operation takes on different zones in turn.
pub fn nanoseconds(kernel: Kernel, dim: usize) -> f64 {
    let mut work = Workload::new(kernel, dim, true);
    let mut time = |rounds: u32| {
        let start = Instant::now();
        for _ in 0..rounds {
            black_box(work.round());
        }
        start.elapsed()
    };
    let mut rounds = 1;
    while time(rounds) < SAMPLE {
        rounds *= 2;
    }
    let fastest = (0..SAMPLES).map(|_| time(rounds)).min().unwrap_or_default();
    fastest.as_secs_f64() * 1e9 / f64::from(rounds) / ROUND as f64
}
