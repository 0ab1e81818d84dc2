//! Values made when first requested, by makers that use several threads.

use std::sync::OnceLock;

/// The value, made by `make` where it is not there yet. The cell is not held meanwhile: a thread that waits for its
/// helpers may be given other work that asks the same cell, and would wait for itself. Two may make the same value; one
/// is kept.
pub(crate) fn get_or_make_unlocked<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if let Some(value) = cell.get() {
        return value;
    }
    let made = make();
    cell.get_or_init(|| made)
}
