//! Stages of tuning: the trees to try, and their order.
//!
//! Method: all volumes, then the degrees of the best three of them, then builders, leaf sizes and axes for the best by
//! then. With `--all` every combination follows, so that every choice tried without it is tried with it, too.
//! Cost: bounded without `--all`: once time is over, the remaining choices are not tried, and counted.

use super::choose::{KEPT, SLOW};
use super::measure::{Contest, TuneRow};
use super::poses::Placement;
use crate::progress::Progress;
use heurt::bvh::{BoxAxes, Builder, VolumeKind};
use heurt::shape::{Degree, TreeChoice};
use std::time::{Duration, Instant};

/// Longest time of building and measuring, without `--all`.
const PATIENCE: Duration = Duration::from_secs(30);

/// The measured rows, fastest first; rows that were given up are last.
pub(crate) struct Table<'a> {
    contest: &'a Contest<'a>,
    seen: &'a [Placement],
    progress: &'a Progress,
    until: Option<Instant>,
    pub(crate) rows: Vec<TuneRow>,
    /// Number of choices that were not tried because time was over.
    pub(crate) late: usize,
}

/// Estimates the number of rows.
pub(crate) fn steps(all: bool) -> u64 {
    let staged = VolumeKind::ALL.len() + 3 * 2 + Builder::ALL.len() + 2 + BoxAxes::ALL.len();
    (if all { every().count() + staged } else { staged }) as u64
}

/// Returns every combination with full leaves.
fn every() -> impl Iterator<Item = TreeChoice> {
    let kinds = VolumeKind::ALL.into_iter().flat_map(|volume| {
        let axes = BoxAxes::ALL.into_iter().filter(move |&axes| volume.has_axes() || axes == BoxAxes::default());
        axes.map(move |axes| TreeChoice { volume, axes, ..TreeChoice::default() })
    });
    let degrees = kinds.flat_map(|kind| Degree::ALL.map(|degree| TreeChoice { degree, ..kind }));
    degrees.flat_map(|kind| Builder::ALL.map(|builder| TreeChoice { builder, ..kind }))
}

impl<'a> Table<'a> {
    /// Builds and measures stage by stage.
    pub(crate) fn filled(contest: &'a Contest<'a>, seen: &'a [Placement], all: bool, progress: &'a Progress) -> Self {
        let until = (!all).then(|| Instant::now() + PATIENCE);
        let mut table = Self { contest, seen, progress, until, rows: Vec::new(), late: 0 };
        VolumeKind::ALL.into_iter().for_each(|volume| table.add(TreeChoice { volume, ..TreeChoice::default() }));
        let leaders: Vec<TreeChoice> = table.rows.iter().take(3).map(|row| row.choice).collect();
        for leader in leaders {
            [Degree::Two, Degree::Four].into_iter().for_each(|degree| table.add(TreeChoice { degree, ..leader }));
        }
        let best = table.rows[0].choice;
        Builder::ALL.into_iter().for_each(|builder| table.add(TreeChoice { builder, ..best }));
        table.add_smaller_leaves();
        if let Some(best) = table.rows.iter().map(|row| row.choice).find(|choice| choice.volume.has_axes()) {
            BoxAxes::ALL.into_iter().for_each(|axes| table.add(TreeChoice { axes, ..best }));
        }
        if all {
            every().for_each(|choice| table.add(choice));
            table.add_smaller_leaves();
        }
        table
    }

    fn add_smaller_leaves(&mut self) {
        let best = self.rows[0].choice;
        [4, 2].into_iter().for_each(|leaf_size| self.add(TreeChoice { leaf_size, ..best }));
    }

    /// Measures a choice that is not in the table yet; the first one is always measured.
    fn add(&mut self, choice: TreeChoice) {
        self.progress.step();
        if self.rows.iter().any(|row| row.choice == choice) {
            return;
        }
        let fastest = self.rows.first();
        if fastest.is_some() && self.until.is_some_and(|until| Instant::now() >= until) {
            self.late += 1;
            return;
        }
        self.rows.push(self.contest.row(choice, self.seen, fastest));
        self.rows.sort_by(|x, y| {
            let stopped = |row: &TuneRow| row.stopped.is_some();
            stopped(x).cmp(&stopped(y)).then(x.measured_ns.total_cmp(&y.measured_ns))
        });
        // Trees of large parts are large: trees that will not be queried again are dropped.
        let slow = SLOW * self.rows[0].measured_ns;
        for (place, row) in self.rows.iter_mut().enumerate() {
            if place >= KEPT || row.measured_ns > slow {
                row.trees = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_one_of_360() {
        let all: Vec<TreeChoice> = every().collect();
        // Two of the eight kinds of volumes have axes of three kinds.
        assert_eq!(all.len(), (6 + 2 * 3) * 3 * 10);
        assert!((1..all.len()).all(|i| !all[..i].contains(&all[i])));
    }
}
