//! `merkhet bench kernels`

use std::{io, sync::atomic::Ordering};

use zone::workload::{DIMENSIONS, Kernel};

use super::{text, without_optimisation};
use crate::{
    args::{KernelsArgs, ReportFormat},
    interrupt,
    json::{
        VERSION,
        bench::{KernelFigures, KernelsReport},
    },
    output::Streams,
    status::Status,
};
use ::bench::{
    kernels::{KERNELS, nanoseconds},
    recorded,
};

/// Times every operation at every dimension.
pub fn run(args: &KernelsArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    let copies = DIMENSIONS.map(|dim| nanoseconds(Kernel::Copy, dim));
    let notes = without_optimisation().into_iter().collect();
    let mut report = KernelsReport { version: VERSION, source: recorded::UDBM, kernels: Vec::new(), notes };
    let mut status = Status::Fine;
    for known in KERNELS {
        for (at, dim) in DIMENSIONS.into_iter().enumerate() {
            if interrupt::flag().load(Ordering::Relaxed) {
                status = Status::Unknown;
                break;
            }
            let time = if known.kernel == Kernel::Copy { copies[at] } else { nanoseconds(known.kernel, dim) };
            report.kernels.push(KernelFigures {
                kernel: known.name,
                dimension: dim,
                nanoseconds: time,
                copies: time / copies[at].max(f64::MIN_POSITIVE),
                udbm: known.udbm.map(|ns| ns[at]),
            });
        }
    }
    match args.format {
        ReportFormat::Text => text::write_kernels(&report, streams.out)?,
        ReportFormat::Json => crate::json::write(&report, streams.out)?,
    }
    Ok(status)
}
