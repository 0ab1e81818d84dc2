//! Running a command on a chosen number of threads.

use crate::Failure;

/// The most threads that can be requested.
pub(crate) const MOST: u64 = 1024;

/// Runs `work` on `count` threads; on one for each core when `count` is `None` or 0.
pub(crate) fn with<R: Send>(count: Option<u16>, work: impl FnOnce() -> R + Send) -> Result<R, Failure> {
    Ok(pool(count)?.install(work))
}

/// Starts `count` threads; one for each core when `count` is `None` or 0.
fn pool(count: Option<u16>) -> Result<rayon::ThreadPool, Failure> {
    let count = self::count(count);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    pool.map_err(|source| Failure::Threads { count, source })
}

/// Returns the number of threads that an option names; 0 for one for each core.
pub(crate) fn count(option: Option<u16>) -> usize {
    option.unwrap_or(0).into()
}
