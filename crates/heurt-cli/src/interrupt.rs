//! Ctrl-C and termination signals: a flag for commands that go on until they are stopped, and the removal of files that
//! are being written.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

/// Exit status of a program that a second signal ends, as shells report Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Whether a command finishes its step at a signal.
static FINISHES_STEP: AtomicBool = AtomicBool::new(false);

/// The files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Returns a flag that becomes true on Ctrl-C, or on a termination signal of the system: the current step is finished
/// first. A second signal ends the program at once.
pub(crate) fn interrupted() -> Arc<AtomicBool> {
    FINISHES_STEP.store(true, Ordering::SeqCst);
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // If a handler cannot be registered, the signal ends the program as usual.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&flag));
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
}

/// A file that is being written: a signal that ends the program removes it.
pub(crate) struct UnfinishedFile<'a> {
    path: &'a Path,
}

impl<'a> UnfinishedFile<'a> {
    pub(crate) fn new(path: &'a Path) -> Self {
        static WATCH: Once = Once::new();
        WATCH.call_once(remove_on_signals);
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Self { path }
    }
}

impl Drop for UnfinishedFile<'_> {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| path != self.path);
    }
}

/// Starts a thread that removes unfinished files at a signal, and then ends the program as the signal does.
#[cfg(unix)]
fn remove_on_signals() {
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    // If no handler can be registered, the signal ends the program as usual.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if FINISHES_STEP.load(Ordering::SeqCst) {
                continue;
            }
            // The lock is kept: no file is begun after this.
            let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            for path in unfinished.iter() {
                let _ = std::fs::remove_file(path);
            }
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Leaves the file: later runs remove it.
#[cfg(not(unix))]
fn remove_on_signals() {}
