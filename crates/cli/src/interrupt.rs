//! Ctrl-C ends a search in good order: what was found so far is still reported.

use std::sync::{
    Once,
    atomic::{AtomicBool, Ordering},
};

use crate::{
    output,
    watch::{self, WATCH},
};

/// What a shell expects of a program that was ended by Ctrl-C.
const ENDED: i32 = 130;

/// Makes Ctrl-C a request to end, and returns the flag that it sets. What does not end soon is
/// ended by [`watch`]; a second Ctrl-C ends the process at once.
pub fn flag() -> &'static AtomicBool {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        #[allow(clippy::exit)] // Nothing else ends a search that does not poll the flag.
        let handler = || {
            if WATCH.interrupted().load(Ordering::Relaxed) {
                output::discard_drafts();
                std::process::exit(ENDED);
            }
            watch::interrupt();
        };
        // Without a handler Ctrl-C ends the process, which is not much worse.
        let _ = ctrlc::set_handler(handler);
    });
    WATCH.interrupted()
}
