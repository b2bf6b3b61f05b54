//! Times of the operations on zones, in nanoseconds.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use zone::workload::{Kernel, ROUND, Workload};

/// The number of samples of each operation. The fastest counts: other load only makes times longer.
const SAMPLES: usize = 25;

/// The least time of a sample, so that the resolution of the clock does not matter.
const SAMPLE_TIME: Duration = Duration::from_millis(2);

/// An operation, what it is called, and what UDBM needs for it at dimensions 5, 9 and 17, in
/// nanoseconds.
pub struct NamedKernel {
    /// The operation.
    pub kernel: Kernel,
    /// What tables call it.
    pub name: &'static str,
    /// UDBM's figures.
    pub udbm: Option<[f64; 3]>,
}

/// The operations of the table.
pub const KERNELS: [NamedKernel; 6] = [
    NamedKernel { kernel: Kernel::Copy, name: "copy", udbm: None },
    NamedKernel { kernel: Kernel::Close, name: "close", udbm: Some([62.0, 249.0, 1434.0]) },
    NamedKernel { kernel: Kernel::Constrain, name: "constrain one", udbm: Some([21.0, 40.0, 75.0]) },
    NamedKernel { kernel: Kernel::Include, name: "inclusion", udbm: Some([10.0, 27.0, 89.0]) },
    NamedKernel { kernel: Kernel::ExtraLuPlus, name: "Extra+_LU", udbm: Some([57.0, 222.0, 1627.0]) },
    NamedKernel { kernel: Kernel::Successor, name: "successor", udbm: Some([81.0, 260.0, 1627.0]) },
];

/// Measures an operation on several zones in turn, in nanoseconds.
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
    while time(rounds) < SAMPLE_TIME {
        rounds *= 2;
    }
    let fastest = (0..SAMPLES).map(|_| time(rounds)).min().unwrap_or_default();
    fastest.as_secs_f64() * 1e9 / f64::from(rounds) / ROUND as f64
}
