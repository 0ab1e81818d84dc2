//! Survey of trajectories: density, speed and flow of all frames, their means, and the flow over a line.
//!
//! In: trajectories, a floor, the parts of a measurement area, optionally a line. Out: a [`Survey`].
//! Method: Voronoi densities and speeds of each frame, as `diagram`; the parts count together.
//! Guarantees: frames without speeds count in densities; parts that overlap count once; the area is on the floor.
//! Cost: as the Voronoi cells.

use super::density::voronoi_density;
use super::diagram::{DiagramBin, DiagramPoint, DiagramSettings, bin_diagram};
use super::flow::Crossings;
use super::speed::{PersonSpeeds, weighted_speeds};
use super::trajectory::Trajectories;
use super::voronoi::voronoi_cells_of_all;
use crate::ground::{Rings, rings_of, subtract};
use heurt_geometry::{PlanArea, ShortNumber, ShortPlace, Vec2};
use heurt_map::delaunay::DelaunayError;
use thiserror::Error;

/// The share of an area that may lie beyond the floor: areas are drawn to a millimetre along walls.
const ROUNDING: f64 = 1e-3;

/// How to survey.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurveySettings {
    /// Cells and speeds.
    pub diagram: DiagramSettings,
    /// The width of a bin of densities, in persons a square metre.
    pub bin: f64,
    /// The line of the flow: two different ends, in metres.
    pub line: Option<[Vec2; 2]>,
}

impl Default for SurveySettings {
    /// Bins of 0.5 persons a square metre, no line.
    fn default() -> Self {
        Self { diagram: DiagramSettings::default(), bin: 0.5, line: None }
    }
}

/// A frame of a survey.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurveyFrame {
    /// The number of the frame.
    pub frame: usize,
    /// The time, in seconds.
    pub time: f64,
    /// The density, in persons a square metre.
    pub density: f64,
    /// The speed, in m/s; `None` if no cell of a person with a speed meets the area.
    pub speed: Option<f64>,
}

impl SurveyFrame {
    /// Computes the specific flow, in persons a second and metre: density × speed.
    pub fn flow(&self) -> Option<f64> {
        self.speed.map(|speed| self.density * speed)
    }
}

/// The flow over a line; each person counts once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurveyLine {
    /// The number of persons that crossed it.
    pub persons: usize,
    /// Persons a second between the first crossing and the last; `None` with fewer than two.
    pub flow: Option<f64>,
    /// Persons a second and metre of the line.
    pub specific_flow: Option<f64>,
}

/// The mean of frames, and the largest value of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeanAndMost {
    /// The mean; 0 without frames.
    pub mean: f64,
    /// The largest value.
    pub most: f64,
}

/// Measures of trajectories.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Survey {
    /// The number of persons.
    pub persons: usize,
    /// Seconds from the first frame to the last.
    pub duration: f64,
    /// The size of the area, in square metres.
    pub area: f64,
    /// All frames, in order of time.
    pub frames: Vec<SurveyFrame>,
    /// Density of all frames, in persons a square metre.
    pub density: MeanAndMost,
    /// Speed of the frames that have one, in m/s.
    pub speed: MeanAndMost,
    /// Means by density of the frames that have a speed.
    pub bins: Vec<DiagramBin>,
    /// The flow over the line, if there is one.
    pub line: Option<SurveyLine>,
}

/// A reason why trajectories cannot be surveyed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SurveyError {
    /// A part of the area has no floor: no person can be there, and the density would be too low.
    #[error(
        "the area reaches beyond the floor by {} m², near {}: give an area inside of it",
        ShortNumber(*size), ShortPlace(*near)
    )]
    BeyondFloor {
        /// The size of that part, in square metres.
        size: f64,
        /// A corner of it, in metres.
        near: Vec2,
    },
    /// A coordinate is out of the range of triangulations.
    #[error(transparent)]
    Cells(#[from] DelaunayError),
}

/// Measures density, speed and flow of trajectories in the parts of an area.
///
/// ```
/// use heurt_crowd::measure::{SurveySettings, Trajectories, survey};
/// use heurt_geometry::{PlanArea, Vec2};
/// # let place = |k: u32| Vec2::new(f64::from(k / 20) + 0.12 * f64::from(k % 20), 1.0);
/// # let rows = (0..200).map(|k| (k / 20, 0.1 * f64::from(k % 20), place(k)));
/// let trajectories = Trajectories::from_rows(rows)?;
/// let hall = PlanArea::rectangle(Vec2::ZERO, Vec2::new(14.0, 2.0));
/// let found = survey(&trajectories, &[hall.clone()], &[hall], &SurveySettings::default())?;
/// assert!((found.density.mean - 10.0 / 28.0).abs() < 1e-12 && (found.speed.mean - 1.2).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SurveyError`].
pub fn survey(
    trajectories: &Trajectories,
    floor: &[PlanArea],
    area: &[PlanArea],
    settings: &SurveySettings,
) -> Result<Survey, SurveyError> {
    let parts = disjoint(area);
    let size: f64 = parts.iter().map(PlanArea::area).sum();
    check_area(&parts, size, floor)?;
    let speeds = PersonSpeeds::new(trajectories, settings.diagram.window);
    let cells = voronoi_cells_of_all(floor, trajectories, settings.diagram.cutoff)?;
    let frame = |(number, cells): (usize, &Vec<_>)| {
        let persons: f64 = parts.iter().map(|part| voronoi_density(cells, part) * part.area()).sum();
        let weighted = parts.iter().map(|part| weighted_speeds(cells, speeds.in_frame(number), part));
        let [sum, covered] = weighted.fold([0.0; 2], |[sum, covered], [s, c]| [sum + s, covered + c]);
        SurveyFrame {
            frame: number,
            time: trajectories.frames()[number].time,
            density: if size > 0.0 { persons / size } else { 0.0 },
            speed: (covered > 0.0).then(|| sum / covered),
        }
    };
    let frames: Vec<SurveyFrame> = cells.iter().enumerate().map(frame).collect();
    let points: Vec<DiagramPoint> = frames.iter().filter_map(point_of).collect();
    let times = trajectories.frames().first().zip(trajectories.frames().last());
    Ok(Survey {
        persons: trajectories.walks().chunk_by(|a, b| a.id == b.id).count(),
        duration: times.map_or(0.0, |(first, last)| last.time - first.time),
        area: size,
        density: mean_and_most(frames.iter().map(|frame| frame.density)),
        speed: mean_and_most(points.iter().map(|point| point.speed)),
        bins: bin_diagram(&points, settings.bin),
        line: settings.line.map(|line| flow_over(trajectories, line)),
        frames,
    })
}

/// Checks that parts of this size together are on the floor.
fn check_area(parts: &[PlanArea], size: f64, floor: &[PlanArea]) -> Result<(), SurveyError> {
    let outside = subtract(parts, &floor.iter().map(rings_of).collect::<Vec<_>>());
    let beyond: f64 = outside.iter().map(PlanArea::area).sum();
    let largest = outside.iter().max_by(|a, b| a.area().total_cmp(&b.area()));
    match largest.and_then(|part| part.outline.first()) {
        Some(&near) if beyond > ROUNDING * size => Err(SurveyError::BeyondFloor { size: beyond, near }),
        _ => Ok(()),
    }
}

fn point_of(frame: &SurveyFrame) -> Option<DiagramPoint> {
    let SurveyFrame { frame: number, time, density, speed } = *frame;
    let speed = speed?;
    Some(DiagramPoint { frame: number, time, density, speed, flow: density * speed })
}

fn flow_over(trajectories: &Trajectories, line: [Vec2; 2]) -> SurveyLine {
    let crossings = Crossings::new(trajectories, line).first_of_each();
    let flow = crossings.mean_flow();
    SurveyLine {
        persons: crossings.list().len(),
        flow,
        specific_flow: flow.map(|flow| crossings.specific_flow(flow)).filter(|flow| flow.is_finite()),
    }
}

fn mean_and_most(values: impl Iterator<Item = f64> + Clone) -> MeanAndMost {
    let count = values.clone().count().max(1) as f64;
    // A sum of no numbers is −0.
    MeanAndMost { mean: (0.0 + values.clone().sum::<f64>()) / count, most: values.fold(0.0, f64::max) }
}

/// Returns areas without what areas before them have.
fn disjoint(areas: &[PlanArea]) -> Vec<PlanArea> {
    let Some((first, rest)) = areas.split_first() else { return Vec::new() };
    let (mut parts, mut before): (_, Vec<Rings>) = (vec![first.clone()], vec![rings_of(first)]);
    for area in rest {
        parts.extend(subtract(std::slice::from_ref(area), &before));
        before.push(rings_of(area));
    }
    parts
}
