//! Ctrl-C ends a search in good order: what was found so far is still told.

use std::sync::{
    Once,
    atomic::{AtomicBool, Ordering},
};

use crate::{output, watch};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell expects of a program that was ended by Ctrl-C.
const ENDED: i32 = 130;

/// Forgets that Ctrl-C was pressed: what it was to end has ended.
pub fn forget() {
    INTERRUPTED.store(false, Ordering::Relaxed);
    watch::forget();
}

/// A flag that Ctrl-C sets, and a request to end. What does not end soon is ended by [`watch`];
/// whoever presses it again does not want to wait at all.
pub fn flag() -> &'static AtomicBool {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        #[allow(clippy::exit)] // Nothing else ends a search that does not look at the flag.
        let handler = || {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                output::discard_drafts();
                std::process::exit(ENDED);
            }
            watch::interrupt();
        };
        // Without a handler Ctrl-C ends the process, which is not much worse.
        let _ = ctrlc::set_handler(handler);
    });
    &INTERRUPTED
}
