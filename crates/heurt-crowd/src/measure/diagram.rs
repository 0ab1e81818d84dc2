//! Fundamental diagram: density against speed and flow.
//!
//! In: trajectories, a floor, a measurement area. Out: a point for each frame, means by density, Weidmann's curve.
//! Method: Voronoi density, speeds weighted by the covered part of cells, flow = density × speed.
//! The curve is from Weidmann, "Transporttechnik der Fussgänger", ETH Zürich 1993, in the form of Kladek:
//! v(ρ) = 1.34 (1 − exp(−1.913 (1/ρ − 1/5.4))) m/s.
//! Not guaranteed: a steady state; frames in which persons enter or leave the area are points as well.
//! Cost: as the Voronoi cells.

use super::density::voronoi_density;
use super::speed::{PersonSpeeds, SpeedBorder, SpeedWindow, covered_speed};
use super::trajectory::Trajectories;
use super::voronoi::{CellCutoff, voronoi_cells_of_all};
use heurt_geometry::PlanArea;
use heurt_map::delaunay::DelaunayError;

/// Weidmann's speed of free persons, in m/s.
pub const WEIDMANN_FREE_SPEED: f64 = 1.34;

/// Weidmann's density at which all persons rest, in persons a square metre.
pub const WEIDMANN_JAM_DENSITY: f64 = 5.4;

/// Weidmann's decay of speeds, in persons a square metre.
const DECAY: f64 = 1.913;

/// Computes Weidmann's speed at a density in persons a square metre, in m/s. It is 1.34 at 0 and below, and 0 from 5.4
/// on.
///
/// ```
/// use heurt_crowd::measure::weidmann_speed;
/// assert!((weidmann_speed(1.0) - 1.058).abs() < 5e-4);
/// ```
pub fn weidmann_speed(density: f64) -> f64 {
    if density <= 0.0 {
        return WEIDMANN_FREE_SPEED;
    }
    let exponent = -DECAY * (1.0 / density - 1.0 / WEIDMANN_JAM_DENSITY);
    // A density of NaN stays NaN.
    if exponent >= 0.0 { 0.0 } else { WEIDMANN_FREE_SPEED * (1.0 - libm::exp(exponent)) }
}

/// Computes Weidmann's specific flow at a density in persons a square metre, in persons a second and metre. The largest
/// is 1.225, at 1.75.
pub fn weidmann_flow(density: f64) -> f64 {
    density * weidmann_speed(density)
}

/// How to measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiagramSettings {
    /// The largest cell, if cells are cut off.
    pub cutoff: Option<CellCutoff>,
    /// The window of speeds.
    pub window: SpeedWindow,
}

impl Default for DiagramSettings {
    /// No cut-off; windows of five positions to each side, one-sided at the ends.
    fn default() -> Self {
        Self { cutoff: None, window: SpeedWindow { reach: 5, border: SpeedBorder::OneSided } }
    }
}

/// A point of the diagram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiagramPoint {
    /// The number of the frame.
    pub frame: usize,
    /// The time, in seconds.
    pub time: f64,
    /// The density, in persons a square metre.
    pub density: f64,
    /// The speed, in m/s.
    pub speed: f64,
    /// The specific flow, in persons a second and metre: density × speed.
    pub flow: f64,
}

/// Measures density, speed and flow in an area, frame by frame. Frames in which no cell of a person with a speed meets
/// the area have no point.
///
/// # Errors
/// [`DelaunayError`] if a coordinate is out of the range of triangulations.
pub fn fundamental_diagram(
    trajectories: &Trajectories,
    floor: &[PlanArea],
    area: &PlanArea,
    settings: &DiagramSettings,
) -> Result<Vec<DiagramPoint>, DelaunayError> {
    let speeds = PersonSpeeds::new(trajectories, settings.window);
    let cells = voronoi_cells_of_all(floor, trajectories, settings.cutoff)?;
    let point = |(number, cells): (usize, &Vec<_>)| {
        let speed = covered_speed(cells, speeds.in_frame(number), area)?;
        let (density, time) = (voronoi_density(cells, area), trajectories.frames()[number].time);
        Some(DiagramPoint { frame: number, time, density, speed, flow: density * speed })
    };
    Ok(cells.iter().enumerate().filter_map(point).collect())
}

/// Means over points of similar density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiagramBin {
    /// How many points.
    pub count: usize,
    /// Their mean density, in persons a square metre.
    pub density: f64,
    /// Their mean speed, in m/s.
    pub speed: f64,
    /// Standard deviation of their speeds, in m/s; 0 for a single point.
    pub deviation: f64,
    /// Their mean specific flow, in persons a second and metre.
    pub flow: f64,
}

/// Computes the means of points in bins of density, from 0 on, each `width` persons a square metre wide. Empty bins are
/// left out. Points of infinite or NaN density, and all points if the width is not positive, are left out too.
pub fn bin_diagram(points: &[DiagramPoint], width: f64) -> Vec<DiagramBin> {
    let bin_of = |point: &DiagramPoint| (point.density / width).floor();
    let mut points: Vec<&DiagramPoint> =
        points.iter().filter(|point| width > 0.0 && bin_of(point).is_finite()).collect();
    // Stable: sums are in order of time.
    points.sort_by(|a, b| bin_of(a).total_cmp(&bin_of(b)));
    let means = |bin: &[&DiagramPoint]| {
        let count = bin.len() as f64;
        let mean = |value: fn(&DiagramPoint) -> f64| bin.iter().map(|point| value(point)).sum::<f64>() / count;
        let speed = mean(|point| point.speed);
        let squares: f64 = bin.iter().map(|point| (point.speed - speed) * (point.speed - speed)).sum();
        DiagramBin {
            count: bin.len(),
            density: mean(|point| point.density),
            speed,
            deviation: (squares / (count - 1.0).max(1.0)).sqrt(),
            flow: mean(|point| point.flow),
        }
    };
    points.chunk_by(|a, b| bin_of(a) == bin_of(b)).map(means).collect()
}
