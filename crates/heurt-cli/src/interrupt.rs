//! Flag of Ctrl-C and of termination signals, for commands that go on until they are stopped.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit status of a program that a second signal ends, as shells report Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Returns a flag that becomes true on Ctrl-C, or on a termination signal of the system: the current step is finished
/// first. A second signal ends the program at once.
pub(crate) fn interrupted() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // If a handler cannot be registered, the signal ends the program as usual.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&flag));
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
}
