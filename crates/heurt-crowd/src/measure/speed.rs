//! Speeds of persons, and mean speeds in a measurement area.
//!
//! In: trajectories, a window of frames. Out: the speed of each person in each frame; means.
//! Method: as PedPy 1.5.1 without a direction: the distance between the positions at the ends of a window around the
//! frame, divided by the time between them. Detours within the window do not count.
//! Guarantees: a person that walks straight at constant speed has that speed.
//! Differs from PedPy: windows count positions of the person, and use their times, so that gaps are bridged.
//! Cost: O(rows).

use super::trajectory::{Trajectories, TrajectoryFrame, TrajectoryPoint, Walk};
use super::voronoi::PersonCell;
use heurt_geometry::PlanArea;

/// The treatment of windows that reach beyond the first or last position of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpeedBorder {
    /// The window becomes smaller on both sides alike. The first and last position have no speed. PedPy's usual choice.
    #[default]
    Symmetric,
    /// The window ends at the position itself on that side. Walks shorter than the reach have no speed.
    OneSided,
    /// There is no speed.
    Exclude,
}

/// A window of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeedWindow {
    /// Positions before and after that the window reaches to; at least 1.
    pub reach: usize,
    /// The treatment of the ends of a walk.
    pub border: SpeedBorder,
}

/// The speeds of all persons in all frames.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonSpeeds {
    by_frame: Vec<Vec<(u32, f64)>>,
}

impl PersonSpeeds {
    /// Computes the speeds.
    ///
    /// ```
    /// use heurt_crowd::measure::{PersonSpeeds, SpeedBorder, SpeedWindow, Trajectories};
    /// use heurt_geometry::Vec2;
    /// let rows = (0..5).map(|k| (4, 0.5 * f64::from(k), Vec2::new(0.75 * f64::from(k), 1.0)));
    /// let window = SpeedWindow { reach: 2, border: SpeedBorder::Exclude };
    /// let speeds = PersonSpeeds::new(&Trajectories::from_rows(rows)?, window);
    /// assert_eq!((speeds.of(2, 4), speeds.of(1, 4)), (Some(1.5), None));
    /// # Ok::<(), heurt_crowd::measure::TrajectoryError>(())
    /// ```
    pub fn new(trajectories: &Trajectories, window: SpeedWindow) -> Self {
        let mut by_frame = vec![Vec::new(); trajectories.frames().len()];
        // By ascending number, so that each frame is sorted.
        for Walk { id, points } in trajectories.walks() {
            for place in 0..points.len() {
                if let Some(speed) = speed_at(&points, place, window) {
                    by_frame[points[place].frame].push((id, speed));
                }
            }
        }
        Self { by_frame }
    }

    /// Returns the speed of a person in a frame, in m/s, if it has one.
    pub fn of(&self, frame: usize, id: u32) -> Option<f64> {
        speed_of(self.in_frame(frame), id)
    }

    /// Returns the persons with a speed in a frame, by ascending number, and their speeds, in m/s.
    pub fn in_frame(&self, frame: usize) -> &[(u32, f64)] {
        self.by_frame.get(frame).map_or(&[], Vec::as_slice)
    }
}

fn speed_at(points: &[TrajectoryPoint], place: usize, window: SpeedWindow) -> Option<f64> {
    let (reach, last) = (window.reach.max(1), points.len() - 1);
    let (before, after) = match window.border {
        SpeedBorder::Symmetric => {
            let reach = reach.min(place).min(last - place);
            (reach, reach)
        }
        SpeedBorder::OneSided => {
            let side = |available: usize| if available >= reach { reach } else { 0 };
            (side(place), side(last - place))
        }
        SpeedBorder::Exclude if place >= reach && last - place >= reach => (reach, reach),
        SpeedBorder::Exclude => return None,
    };
    let (from, to) = (points[place - before], points[place + after]);
    (before + after > 0).then(|| from.position.distance(to.position) / (to.time - from.time))
}

fn speed_of(speeds: &[(u32, f64)], id: u32) -> Option<f64> {
    speeds.binary_search_by_key(&id, |&(id, _)| id).ok().map(|place| speeds[place].1)
}

/// Computes the mean speed of the persons in an area, its border included, in m/s; `None` if no person there has a
/// speed. `speeds` are the speeds of the frame. Persons without a speed do not count.
pub fn mean_speed(frame: &TrajectoryFrame, speeds: &[(u32, f64)], area: &PlanArea) -> Option<f64> {
    let inside = frame.agents.iter().filter(|(_, position)| area.contains(*position));
    let (mut sum, mut count) = (0.0, 0);
    for speed in inside.filter_map(|&(id, _)| speed_of(speeds, id)) {
        (sum, count) = (sum + speed, count + 1);
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Computes the Voronoi speed in an area as PedPy does, in m/s: the sum of |cell ∩ area| × speed, divided by |area|.
/// Parts of the area without a cell, or in the cell of a person without a speed, count as speed 0.
pub fn voronoi_speed(cells: &[PersonCell], speeds: &[(u32, f64)], area: &PlanArea) -> f64 {
    weighted_speeds(cells, speeds, area)[0] / area.area()
}

/// Computes the mean of speeds over the part of an area that cells cover, in m/s; `None` if they cover nothing. It
/// equals the Voronoi speed where cells cover the whole area.
pub fn covered_speed(cells: &[PersonCell], speeds: &[(u32, f64)], area: &PlanArea) -> Option<f64> {
    let [sum, covered] = weighted_speeds(cells, speeds, area);
    (covered > 0.0).then(|| sum / covered)
}

/// Returns the sum of |cell ∩ area| × speed, and the sum of |cell ∩ area|.
pub(super) fn weighted_speeds(cells: &[PersonCell], speeds: &[(u32, f64)], area: &PlanArea) -> [f64; 2] {
    cells.iter().fold([0.0; 2], |[sum, covered], cell| match speed_of(speeds, cell.id) {
        Some(speed) => {
            let part = cell.share_in(area) * cell.area;
            [sum + part * speed, covered + part]
        }
        None => [sum, covered],
    })
}
