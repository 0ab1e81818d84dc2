//! A progress bar for what takes longer than a second, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Before this, a bar would only flicker.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts steps that any thread takes; shows itself on standard error if they take long and someone watches.
pub(crate) struct Progress {
    bar: ProgressBar,
    done: AtomicU64,
    started: Instant,
    watched: bool,
}

impl Progress {
    /// Expects `steps` steps of `what`. Steps before a second has passed are free of any lock.
    pub(crate) fn new(what: &'static str, steps: u64, quiet: bool) -> Self {
        let template = "{msg} {wide_bar} {human_pos}/{human_len} {eta}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden()).with_style(style);
        bar.set_message(what);
        let watched =
            !quiet && io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self { bar, done: AtomicU64::new(0), started: Instant::now(), watched }
    }

    /// Takes one step.
    pub(crate) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.show(done);
    }

    /// Has taken `done` steps, if not more already.
    pub(crate) fn reach(&self, done: u64) {
        self.show(self.done.fetch_max(done, Ordering::Relaxed).max(done));
    }

    fn show(&self, done: u64) {
        if self.watched && self.started.elapsed() > PATIENCE {
            if self.bar.is_hidden() {
                self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            }
            self.bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
