//! Lazily made values whose makers use several threads.

use std::sync::OnceLock;

/// Returns the value, made by `make` if it does not exist yet. The cell is not locked meanwhile: a thread that joins
/// helper tasks may run another task that needs the same cell, which would be a deadlock. Two threads may make the same
/// value; one is kept.
pub(crate) fn get_or_make_unlocked<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if let Some(value) = cell.get() {
        return value;
    }
    let made = make();
    cell.get_or_init(|| made)
}
