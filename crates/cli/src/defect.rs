//! Panics are defects of merkhet. A message and the exit status report them.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::Write,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
};

use crate::status::Status;

/// Makes panics print how to report them.
pub fn report_panics() {
    panic::set_hook(Box::new(|info| {
        let _ = write!(std::io::stderr(), "{}", describe(info));
        // Only with RUST_BACKTRACE.
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = write!(std::io::stderr(), "{trace}");
        }
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let what = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
    let place = info.location().map_or(String::new(), |at| format!(" ({at})"));
    format!(
        "merkhet {}: internal error: {what}{place}\n\
         This is a defect in merkhet. Please report it, with the command line, the model and the lines above.\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Runs `f`; a panic in it becomes [`Status::Defect`].
pub fn guard(f: impl FnOnce() -> Status) -> Status {
    // Nothing that `f` changes is used afterwards.
    panic::catch_unwind(AssertUnwindSafe(f)).unwrap_or(Status::Defect)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_panic_is_reported_as_a_defect() {
        static MESSAGE: Mutex<String> = Mutex::new(String::new());
        assert_eq!(guard(|| Status::Wrong), Status::Wrong);
        panic::set_hook(Box::new(|info| MESSAGE.lock().unwrap().push_str(&describe(info))));
        let status = guard(|| panic!("on {}", "purpose"));
        let _ = panic::take_hook();
        assert_eq!(status.code(), 4);
        let message = MESSAGE.lock().unwrap();
        assert!(message.contains("internal error: on purpose (crates/cli/src/defect.rs:"), "{message}");
        assert!(message.contains("Please report it"), "{message}");
    }
}
