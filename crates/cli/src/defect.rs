//! Panics are defects of merkhet. The user is told so in a few lines, and the exit status says it
//! too.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::Write,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
};

use crate::status::Status;

/// Makes a panic say what the user can do about it.
pub fn report_panics() {
    panic::set_hook(Box::new(|info| {
        let _ = write!(std::io::stderr(), "{}", describe(info));
        // Only where RUST_BACKTRACE asks for it.
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
    // Nothing that `f` touches is looked at afterwards.
    panic::catch_unwind(AssertUnwindSafe(f)).unwrap_or(Status::Defect)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_panic_is_a_defect_and_says_so() {
        static SAID: Mutex<String> = Mutex::new(String::new());
        assert_eq!(guard(|| Status::Wrong), Status::Wrong);
        panic::set_hook(Box::new(|info| SAID.lock().unwrap().push_str(&describe(info))));
        let status = guard(|| panic!("on {}", "purpose"));
        let _ = panic::take_hook();
        assert_eq!(status.code(), 4);
        let said = SAID.lock().unwrap();
        assert!(said.contains("internal error: on purpose (crates/cli/src/defect.rs:"), "{said}");
        assert!(said.contains("Please report it"), "{said}");
    }
}
