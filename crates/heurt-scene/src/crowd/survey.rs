//! Survey of a file of trajectories: density, speed and flow on one storey.
//!
//! In: a file of trajectories, its floors or those of a plan, heights of a storey, an area. Out: a [`Survey`].
//! Method: the floors are those at the heights that are measured; without heights, at those of the persons. Without an
//! area it is the first floor.
//! Guarantees: floors of other storeys do not count. Cost: as `heurt_crowd::measure::survey`.

use super::trajectories_in_plan;
use heurt_crowd::measure::{Survey, SurveyError, SurveySettings, TrajectoryError, survey};
use heurt_geometry::{FloorArea, PlanArea, ShortNumber};
use heurt_io::{PlanError, TrajectoryFile, parse_wkt_areas};
use thiserror::Error;

/// The height above and below the persons at which their floor may be, in metres: rounding of files, and steps.
const NEAR_FLOOR: f64 = 0.5;

/// The floors, area and heights of a survey.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurveyPlace {
    /// The floors, with their heights; without any, the floors of the file, in plan.
    pub plan: Option<Vec<FloorArea>>,
    /// The parts of the area; without any, the first floor.
    pub area: Option<Vec<PlanArea>>,
    /// The lowest and the highest place of persons that count, in metres; without, all persons count.
    pub heights: Option<[f64; 2]>,
}

/// A reason why a file cannot be surveyed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SurveyFault {
    /// Neither the file nor the caller gives a floor.
    #[error("the file has no floor: give a plan")]
    NoFloor,
    /// The floor in the file is no area.
    #[error("the floor in the file: {0}")]
    FloorText(PlanError),
    /// Heights choose among floors of the file, which it has in plan.
    #[error("the file has floors of all heights in plan: give those of the storey as a plan")]
    FlatFloors,
    /// The plan has no floor at the heights of the persons.
    #[error(
        "the plan has no floor at heights from {} m to {} m: give another plan, or other heights",
        ShortNumber(*low), ShortNumber(*high)
    )]
    NoFloorThere {
        /// The lowest height, in metres.
        low: f64,
        /// The largest height, in metres.
        high: f64,
    },
    /// The rows are no trajectories of one storey.
    #[error(transparent)]
    Trajectories(#[from] TrajectoryError),
    /// The area or the coordinates cannot be measured.
    #[error(transparent)]
    Survey(#[from] SurveyError),
}

/// Measures density, speed and flow of the persons of a file on one storey.
///
/// ```
/// use heurt_io::{TrajectoryFormat, TrajectoryOptions, read_trajectories};
/// use heurt_geometry::{FloorArea, PlanArea, Vec2};
/// use heurt_scene::{SurveyPlace, survey_file};
/// let text = b"# framerate: 10\n# id frame x/m y/m\n1 0 2 3\n1 1 2.1 3\n";
/// let file = read_trajectories(text, TrajectoryFormat::ArchiveText, &TrajectoryOptions::default())?;
/// let hall = FloorArea::from(PlanArea::rectangle(Vec2::ZERO, Vec2::new(5.0, 4.0)));
/// let place = SurveyPlace { plan: Some(vec![hall]), ..SurveyPlace::default() };
/// let found = survey_file(&file, &place, &Default::default())?;
/// assert!((found.density.mean - 0.05).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SurveyFault`].
pub fn survey_file(
    file: &TrajectoryFile,
    place: &SurveyPlace,
    settings: &SurveySettings,
) -> Result<Survey, SurveyFault> {
    let trajectories = trajectories_in_plan(file, place.heights)?;
    let floors = floors_of(file, place)?;
    let area = place.area.clone().or_else(|| Some(vec![floors.first()?.clone()])).unwrap_or_default();
    Ok(survey(&trajectories, &floors, &area, settings)?)
}

/// Returns the floors at the heights that are measured.
fn floors_of(file: &TrajectoryFile, place: &SurveyPlace) -> Result<Vec<PlanArea>, SurveyFault> {
    let mut floors = match (&place.plan, file.header.walkable.first()) {
        (Some(plan), _) => plan.clone(),
        (None, Some(text)) => parse_wkt_areas(text).map_err(SurveyFault::FloorText)?,
        (None, None) => return Err(SurveyFault::NoFloor),
    };
    if place.plan.is_none() && place.heights.is_some() && floors.len() > 1 {
        return Err(SurveyFault::FlatFloors);
    }
    if floors.iter().any(|floor| floor.heights() != [0.0; 2]) {
        let [low, high] = place.heights.unwrap_or_else(|| heights_of(file));
        floors.retain(|floor| floor.heights()[0] <= high && floor.heights()[1] >= low);
        if floors.is_empty() {
            return Err(SurveyFault::NoFloorThere { low, high });
        }
    }
    Ok(floors.into_iter().map(|floor| floor.area).collect())
}

/// Returns heights around the lowest and the highest place of a person.
fn heights_of(file: &TrajectoryFile) -> [f64; 2] {
    let heights = file.rows().map(|(_, row)| row.position.z);
    let ends = [f64::INFINITY, f64::NEG_INFINITY];
    heights.fold(ends, |[low, high], z| [low.min(z - NEAR_FLOOR), high.max(z + NEAR_FLOOR)])
}
