//! The environment of a crowd: the file of a plan, or the text of its polygons.

use crate::describe::fields::{FieldError, shortened};
use crate::files::SceneFiles;
use heurt_crowd::Ground;
use heurt_geometry::FloorArea;
use heurt_io::{LonLat, PlanFormat, read_plan};
use std::path::Path;

/// The largest plan that is read: 256 MiB, a large city.
const LARGEST_PLAN: u64 = 1 << 28;

/// The environment of a crowd.
pub(super) struct CrowdEnvironment {
    pub(super) ground: Ground,
    /// The carriageways of a map.
    pub(super) roads: Vec<FloorArea>,
    /// The floor of people that use the carriageways of a map at crossings only.
    pub(super) paths: Vec<FloorArea>,
    /// The point (0, 0) of a map.
    pub(super) origin: Option<LonLat>,
    /// Contents that were left out.
    pub(super) notes: Vec<String>,
}

/// Reads the environment; with `keeps_off_roads`, people walk on carriageways at crossings only.
pub(super) fn read_environment(
    field: &str,
    name: &str,
    keeps_off_roads: bool,
    folder: &Path,
    files: &dyn SceneFiles,
) -> Result<CrowdEnvironment, FieldError> {
    let refuse = |cause: String| FieldError::refused(field, shortened(name), cause);
    // `POLYGON Z((…))` has two words before its numbers.
    let first_word = name.split_whitespace().next().unwrap_or_default();
    let first_word = first_word.split('(').next().unwrap_or_default().to_ascii_uppercase();
    let is_text = name.contains('(') && ["POLYGON", "MULTIPOLYGON", "GEOMETRYCOLLECTION"].contains(&&*first_word);
    let plan = if is_text {
        read_plan(name.as_bytes(), PlanFormat::Wkt)
    } else {
        let format = PlanFormat::from_extension(name).ok_or_else(|| match name.rsplit('.').next() {
            Some("vtu" | "msh") => {
                FieldError::not_available(field, "volumes as environments: give a plan (.wkt, .osm, .svg, .obj)")
            }
            _ => refuse("give a plan: .wkt, .osm, .osm.pbf, .svg or .obj".to_owned()),
        })?;
        let path = folder.join(name);
        let bytes =
            files.read(&path, LARGEST_PLAN + 1).map_err(|error| refuse(format!("{}: {error}", path.display())))?;
        if bytes.len() as u64 > LARGEST_PLAN {
            return Err(refuse(format!("it has more than {} MiB: cut out a part", LARGEST_PLAN >> 20)));
        }
        read_plan(&bytes, format)
    };
    let has_roads = !keeps_off_roads && plan.as_ref().is_ok_and(|plan| !plan.drive.is_empty());
    let paths = match &plan {
        Ok(plan) if has_roads => plan.clone().without_roads().map(|plan| plan.walk).unwrap_or_default(),
        _ => Vec::new(),
    };
    let plan = plan.and_then(|plan| if keeps_off_roads { plan.without_roads() } else { Ok(plan) });
    let plan = plan.map_err(|error| refuse(error.to_string()))?;
    let notes = plan.warnings.iter().map(ToString::to_string).collect();
    let ground = Ground::new(plan.walk).map_err(|error| refuse(error.to_string()))?;
    Ok(CrowdEnvironment { ground, roads: plan.drive, paths, origin: plan.origin, notes })
}
