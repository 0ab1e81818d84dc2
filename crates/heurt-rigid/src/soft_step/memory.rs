//! The bytes that the lists of a solver reserve.

/// Returns the bytes that a list reserves.
pub(super) fn bytes_of<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}
