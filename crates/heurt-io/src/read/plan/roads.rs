//! Plans on which people keep off carriageways.
//!
//! In: a plan with carriageways and crossings. Out: the plan without the carriageways between crossings.
//! Method: all areas of one plane are subtracted from its floors at once. Guarantees: floors of a plane are disjoint
//! inside. Cost: the cost of one overlay a plane, and planes × areas.

use super::fault::PlanNotes;
use super::union::{GridRing, PlanGrid, subtract};
use super::{Plan, PlanError, note_slivers};
use heurt_geometry::{FLAT_WITHIN, FloorArea, Vec2};
use std::collections::HashMap;

impl Plan {
    /// Removes the carriageways from the areas to walk in, except for crossings.
    ///
    /// ```
    /// use heurt_geometry::{FloorArea, PlanArea, Vec2};
    /// use heurt_io::Plan;
    /// let area = |x: [f64; 2], y: [f64; 2]| {
    ///     vec![FloorArea::from(PlanArea::rectangle(Vec2::new(x[0], y[0]), Vec2::new(x[1], y[1])))]
    /// };
    /// let (walk, drive) = (area([0.0, 30.0], [0.0, 20.0]), area([10.0, 16.0], [0.0, 20.0]));
    /// let crossings = area([9.0, 17.0], [8.0, 12.0]);
    /// let plan = Plan { walk, drive, crossings, ..Plan::default() }.without_roads()?;
    /// assert_eq!((plan.walk.len(), plan.walk[0].area.area()), (1, 30.0 * 20.0 - 6.0 * 16.0));
    /// # Ok::<(), heurt_io::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError::Empty`] if nothing remains.
    pub fn without_roads(self) -> Result<Self, PlanError> {
        let (drive, crossings) = (self.drive.clone(), self.crossings.clone());
        self.without(&drive, &crossings)
    }

    /// Removes closed areas from the areas to walk in, where they are at one height.
    ///
    /// # Errors
    /// [`PlanError::Empty`] if nothing remains.
    pub fn without_areas(self, closed: &[FloorArea]) -> Result<Self, PlanError> {
        self.without(closed, &[])
    }

    /// Removes areas less the parts of them that stay open.
    fn without(mut self, closed: &[FloorArea], open: &[FloorArea]) -> Result<Self, PlanError> {
        let all = self.walk.iter().chain(closed).chain(open);
        let reach = all.flat_map(|floor| floor.area.rings().flatten()).map(|corner| corner.abs().max_element());
        let mut grid = PlanGrid::new(reach.fold(0.0, f64::max));
        let (mut walk, mut notes) = (Vec::new(), PlanNotes::default());
        for floors in planes(&self.walk) {
            let plane = floors[0];
            let [shut, passages] = [closed, open].map(|areas| rings_of(&mut grid, areas, plane));
            if shut.is_empty() {
                walk.extend(floors.into_iter().cloned());
                continue;
            }
            let closed: Vec<GridRing> = subtract(&shut, &passages).into_iter().flatten().collect();
            let own = floors.iter().flat_map(|floor| floor.area.rings());
            let own: Vec<GridRing> = own.map(|ring| grid.add_ring(ring)).collect();
            let (areas, thin) = grid.finish(&subtract(&own, &closed));
            note_slivers(&thin, &mut notes);
            walk.extend(areas.into_iter().map(|area| plane.with_area(area)));
        }
        if walk.is_empty() {
            return Err(PlanError::Empty { what: "ground besides closed areas", remedy: "close less of it" });
        }
        self.walk = walk;
        for warning in notes.finish() {
            match self.warnings.iter_mut().find(|known| known.kind == warning.kind) {
                Some(known) => known.count += warning.count,
                None => self.warnings.push(warning),
            }
        }
        self.warnings.sort_by_key(|warning| warning.kind);
        Ok(self)
    }
}

/// Groups floors by their planes, in order of the first floor of each.
fn planes(floors: &[FloorArea]) -> Vec<Vec<&FloorArea>> {
    let (mut places, mut planes) = (HashMap::new(), Vec::<Vec<&FloorArea>>::new());
    for floor in floors {
        // Zero has one sign.
        let key = [floor.slope.x, floor.slope.y, floor.height_at(Vec2::ZERO)].map(|value| (value + 0.0).to_bits());
        let place = *places.entry(key).or_insert(planes.len());
        match planes.get_mut(place) {
            Some(plane) => plane.push(floor),
            None => planes.push(vec![floor]),
        }
    }
    planes
}

/// Returns the rings of areas that are on the plane of a floor.
fn rings_of(grid: &mut PlanGrid, areas: &[FloorArea], floor: &FloorArea) -> Vec<GridRing> {
    let is_on = |area: &&FloorArea| {
        let off = |corner: &Vec2| (area.height_at(*corner) - floor.height_at(*corner)).abs();
        area.slope == floor.slope && area.area.outline.iter().all(|corner| off(corner) <= FLAT_WITHIN)
    };
    let areas: Vec<&FloorArea> = areas.iter().filter(is_on).collect();
    areas.iter().flat_map(|area| area.area.rings()).map(|ring| grid.add_ring(ring)).collect()
}
