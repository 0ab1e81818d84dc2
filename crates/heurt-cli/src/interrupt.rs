//! Flag of Ctrl-C and of termination signals, for commands that go on until they are stopped.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns a flag that becomes true on Ctrl-C, or on a termination signal of the system: the current step is finished
/// first.
pub(crate) fn interrupted() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // If the handler cannot be registered, the signal ends the program as usual.
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
}
