//! Ctrl-C: a search stops, and reports what it has found so far.

use std::sync::{
    Once,
    atomic::{AtomicBool, Ordering},
};

use crate::{
    output,
    watch::{self, WATCH},
};

/// The exit status of a program that Ctrl-C ended, by convention.
const INTERRUPTED: i32 = 130;

/// Installs the handler of Ctrl-C, and returns the flag that it sets. Work that does not stop soon
/// is ended by [`watch`]; a second Ctrl-C ends the process at once.
pub fn flag() -> &'static AtomicBool {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        #[allow(clippy::exit)] // Nothing else ends a search that does not poll the flag.
        let handler = || {
            if WATCH.interrupted().load(Ordering::Relaxed) {
                output::discard_drafts();
                std::process::exit(INTERRUPTED);
            }
            watch::interrupt();
        };
        // Without a handler Ctrl-C ends the process, which is not much worse.
        let _ = ctrlc::set_handler(handler);
    });
    WATCH.interrupted()
}
