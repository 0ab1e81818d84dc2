//! Measurement of pedestrian flows: densities, speeds, flows, lanes.
//!
//! In: trajectories, from a [`Crowd`](crate::Crowd) or from rows of an experiment; a floor, areas and lines to measure
//! at. Out: one number a frame, or a person, or a run.
//! Method: the measures of PedPy 1.5.1, which evacuation engineers use. The modules state where ours differ.
//! Guarantees: the order of rows does not change a bit of any measure, nor does the number of threads.
//! Cost: Voronoi cells O(n log n) a frame of n persons, plus O(walls) for each cell at a wall; the rest O(rows).

mod age;
mod density;
mod diagram;
mod flow;
mod lanes;
mod speed;
mod survey;
mod trajectory;
mod voronoi;

pub use age::{WEIDMANN_BY_AGE, weidmann_speed_of_age};
pub use density::{classic_density, voronoi_density};
pub use diagram::{
    DiagramBin, DiagramPoint, DiagramSettings, WEIDMANN_FREE_SPEED, WEIDMANN_JAM_DENSITY, bin_diagram,
    fundamental_diagram, weidmann_flow, weidmann_speed,
};
pub use flow::{Crossings, LineCrossing};
pub use lanes::lane_order;
pub use speed::{PersonSpeeds, SpeedBorder, SpeedWindow, covered_speed, mean_speed, voronoi_speed};
pub use survey::{MeanAndMost, Survey, SurveyError, SurveyFrame, SurveyLine, SurveySettings, survey};
pub use trajectory::{Trajectories, TrajectoryError, TrajectoryFrame, TrajectoryPoint, Walk};
pub use voronoi::{CellCutoff, PersonCell, voronoi_cells, voronoi_cells_of_all};
