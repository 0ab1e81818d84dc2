//! Queries of all bodies as they are placed: rays, the nearest body, overlaps, contacts, casts.
//!
//! In: a ray, a point or a shape, a [`QueryFilter`]. Out: bodies by number, each with the answer of the verb.
//! Method: the broad phase finds boxes, the verb of `heurt-query` decides for each body.

use crate::body::{Body, BodyId};
use crate::error::WorldError;
use crate::settings::{check_at_least_zero, check_finite, grown};
use crate::state::view::WorldView;
use crate::step::step_plan::swept;
use heurt_broad::Ray as BoxRay;
use heurt_geometry::{Aabb, Motion, Pose, Vec3};
use heurt_query::{
    CastError, CastOptions, Closest, ClosestOptions, Contact, Impact, Ray, RayHit, cast, closest_with,
    contact_manifold, overlap, ray,
};
use heurt_shape::ShapeRef;

/// The bodies that a query of the scene considers.
///
/// ```
/// use heurt_world::QueryFilter;
/// const DOORS: u32 = 0b01;
/// const SENSORS: u32 = 0b10;
/// let solid = QueryFilter::ALL.without(SENSORS);
/// assert!(solid.accepts(DOORS) && !solid.accepts(SENSORS));
/// assert!(QueryFilter::from_groups(DOORS | SENSORS).accepts(SENSORS));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryFilter {
    /// Bits of groups: a body is considered if one of its groups ([`Body::group`]) is among them.
    pub groups: u32,
}

impl QueryFilter {
    /// Considers every body that has a group.
    pub const ALL: Self = Self { groups: u32::MAX };

    /// Considers the bodies of some groups.
    pub const fn from_groups(groups: u32) -> Self {
        Self { groups }
    }

    /// Leaves out groups: a body that is in no other is not considered.
    #[must_use]
    pub const fn without(self, groups: u32) -> Self {
        Self { groups: self.groups & !groups }
    }

    /// Reports whether a body of these groups is considered.
    pub const fn accepts(self, groups: u32) -> bool {
        self.groups & groups != 0
    }
}

impl Default for QueryFilter {
    fn default() -> Self {
        Self::ALL
    }
}

/// A body that a query met, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyHit<T> {
    /// The body.
    pub body: BodyId,
    /// The answer of the verb for this body.
    pub hit: T,
}

/// The body nearest to a point.
pub type ClosestBody = BodyHit<Closest>;

impl WorldView {
    /// Finds the first body on a ray; of two at the same distance the body whose box is met first.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_query::Ray;
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, QueryFilter, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let at = |x: f64| Pose::from_translation(Vec3::X * x);
    /// let glass = world.insert(Body { group: 0b10, ..Body::fixed(Convex::sphere(0.5)?, at(2.0)?) })?;
    /// let wall = world.insert(Body::fixed(Convex::cuboid(Vec3::ONE)?, at(6.0)?))?;
    /// let sight = Ray::new(Vec3::ZERO, Vec3::X, f64::INFINITY)?;
    /// let first = |filter| world.view().ray(&sight, filter).map(|met| met.map(|met| met.body));
    /// assert_eq!(first(QueryFilter::ALL)?, Some(glass));
    /// assert_eq!(first(QueryFilter::ALL.without(0b10))?, Some(wall));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Broad`] for a ray that [`Ray::new`] refuses.
    pub fn ray(&self, along: &Ray, filter: QueryFilter) -> Result<Option<BodyHit<RayHit>>, WorldError> {
        let mut near = Vec::new();
        let of_boxes = BoxRay { origin: along.origin, direction: along.direction, max_t: along.max_t };
        self.boxes.query_ray(&of_boxes, filter.groups, &mut near)?;
        let mut first: Option<BodyHit<RayHit>> = None;
        for found in near {
            // Both are rounded.
            if first.is_some_and(|first| found.t > first.hit.t * (1.0 + 1e-12) + first.hit.error) {
                break;
            }
            let Some((id, body)) = self.bodies.at(found.id) else { continue };
            let hit = ray(&body.shape, &body.pose, along);
            if let Some(hit) = hit.filter(|hit| first.is_none_or(|first| hit.t < first.hit.t)) {
                first = Some(BodyHit { body: id, hit });
            }
        }
        Ok(first)
    }

    /// Finds the body nearest to a point, if it is within `max_distance` metres; of two the body with the lower place.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, QueryFilter, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let at = |x: f64| Pose::from_translation(Vec3::X * x);
    /// world.insert(Body::fixed(Convex::sphere(0.5)?, at(-2.0)?))?;
    /// let near = world.insert(Body::fixed(Convex::sphere(0.5)?, at(1.0)?))?;
    /// let found = world.view().closest(Vec3::ZERO, 1.0, QueryFilter::ALL)?.expect("half a metre off");
    /// assert_eq!((found.body, found.hit.distance), (near, 0.5));
    /// assert!(world.view().closest(Vec3::ZERO, 0.4, QueryFilter::ALL)?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Number`] for a point that is not finite and a limit that is not a number.
    pub fn closest(
        &self,
        point: Vec3,
        max_distance: f64,
        filter: QueryFilter,
    ) -> Result<Option<ClosestBody>, WorldError> {
        check_finite("point", point)?;
        if max_distance.is_nan() {
            let (field, legal) = ("max_distance", "a distance, which may be infinite");
            return Err(WorldError::Number { field, value: max_distance, legal });
        }
        let far = |body: &Body| {
            let bounds = body.shape.bounds_at(&body.pose);
            (bounds.min - point).max(point - bounds.max).max(Vec3::ZERO).length() * (1.0 - 1e-12)
        };
        let mut near: Vec<(f64, BodyId, &Body)> =
            self.considered(filter).map(|(id, body)| (far(body), id, body)).collect();
        near.sort_by(|(x, a, _), (y, b, _)| x.total_cmp(y).then(a.cmp(b)));
        let mut nearest: Option<ClosestBody> = None;
        for (bound, id, body) in near {
            let limit = nearest.map_or(max_distance, |nearest| nearest.hit.distance);
            if bound > limit {
                break;
            }
            let options = ClosestOptions { max_distance: limit };
            let found = closest_with(&body.shape, &body.pose, point, &options).value();
            if let Some(hit) = found.filter(|hit| nearest.is_none_or(|nearest| hit.distance < nearest.hit.distance)) {
                nearest = Some(BodyHit { body: id, hit });
            }
        }
        Ok(nearest)
    }

    /// Lists the bodies that a placed shape overlaps, by their places.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, QueryFilter, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let at = |x: f64| Pose::from_translation(Vec3::X * x);
    /// let parked = world.insert(Body::fixed(Convex::cuboid(Vec3::new(2.0, 1.0, 0.75))?, at(0.0)?))?;
    /// let bay = Convex::cuboid(Vec3::new(2.5, 1.25, 1.0))?;
    /// assert_eq!(world.view().overlaps(&bay, &at(4.0)?, QueryFilter::ALL)?, [parked]);
    /// assert!(world.view().overlaps(&bay, &at(5.0)?, QueryFilter::ALL)?.is_empty(), "a free bay");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Broad`] for a shape that is placed out of the range of numbers.
    pub fn overlaps<'a>(
        &self,
        shape: impl Into<ShapeRef<'a>>,
        pose: &Pose,
        filter: QueryFilter,
    ) -> Result<Vec<BodyId>, WorldError> {
        let shape = shape.into();
        let near = self.find_near(&shape.bounds_at(pose), filter)?;
        let met = |(_, body): &(BodyId, &Body)| overlap(shape, pose, &body.shape, &body.pose).is_some();
        Ok(near.into_iter().filter(met).map(|(id, _)| id).collect())
    }

    /// Finds how a placed shape touches bodies, or comes within `max_distance` metres of them; by their places. As for
    /// the contacts of a step, two meshes have one point for each curve in which their surfaces meet.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, QueryFilter, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let table = world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let (die, at) = (Convex::cuboid(Vec3::splat(0.01))?, Pose::from_translation(Vec3::Z * 0.011)?);
    /// let found = world.view().contact_manifolds(&die, &at, 0.002, QueryFilter::ALL)?;
    /// assert_eq!((found[0].body, found[0].hit.points.len()), (table, 4), "a millimetre above");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Number`] for a limit that is negative or not finite, [`WorldError::Broad`] for a shape that is
    /// placed out of the range of numbers.
    pub fn contact_manifolds<'a>(
        &self,
        shape: impl Into<ShapeRef<'a>>,
        pose: &Pose,
        max_distance: f64,
        filter: QueryFilter,
    ) -> Result<Vec<BodyHit<Contact>>, WorldError> {
        check_at_least_zero("max_distance", max_distance)?;
        let shape = shape.into();
        // Boxes have half a limit around them each.
        let near = self.find_near(&grown(&shape.bounds_at(pose), 2.0 * max_distance), filter)?;
        let touch = |(id, body): (BodyId, &Body)| {
            let hit = contact_manifold(shape, pose, &body.shape, &body.pose, max_distance)?;
            Some(BodyHit { body: id, hit })
        };
        Ok(near.into_iter().filter_map(touch).collect())
    }

    /// Finds the body that a moving shape meets first while all others stay at rest; of two at the same time the body
    /// with the lower place.
    ///
    /// ```
    /// use heurt_geometry::{Motion, Pose, Vec3};
    /// use heurt_query::CastOptions;
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, QueryFilter, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let floor = world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let (drop, above) = (Convex::sphere(0.5)?, Pose::from_translation(Vec3::Z * 2.5)?);
    /// let down = Motion::linear(Vec3::Z * -4.0)?;
    /// let met = world.view().cast(&drop, &above, &down, &CastOptions::default(), QueryFilter::ALL)?;
    /// let met = met.expect("two metres in half a second");
    /// assert!(met.body == floor && (met.hit.time - 0.5).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CastError`] for motions and options out of range.
    pub fn cast<'a>(
        &self,
        shape: impl Into<ShapeRef<'a>>,
        pose: &Pose,
        motion: &Motion,
        options: &CastOptions,
        filter: QueryFilter,
    ) -> Result<Option<BodyHit<Impact>>, CastError> {
        let shape = shape.into();
        let mut first: Option<BodyHit<Impact>> = None;
        for (id, body) in self.find_on_path((shape, pose, motion), options.max_time, filter) {
            let until = first.map_or(options.max_time, |first| first.hit.time);
            if until == 0.0 {
                break;
            }
            let options = CastOptions { max_time: until, ..*options };
            let found = cast(shape, pose, motion, &body.shape, &body.pose, &Motion::STILL, &options)?;
            if let Some(hit) = found.filter(|hit| first.is_none_or(|first| hit.time < first.hit.time)) {
                first = Some(BodyHit { body: id, hit });
            }
        }
        Ok(first)
    }

    /// The bodies whose boxes a moving shape may meet; all if it moves out of the range of numbers.
    fn find_on_path(
        &self,
        (shape, pose, motion): (ShapeRef<'_>, &Pose, &Motion),
        time: f64,
        filter: QueryFilter,
    ) -> Vec<(BodyId, &Body)> {
        let end = motion.pose_at(pose, time).ok();
        let near = end.and_then(|end| self.find_near(&swept(shape, [pose, &end], motion, time), filter).ok());
        near.unwrap_or_else(|| self.considered(filter).collect())
    }

    /// The bodies whose boxes meet a region.
    fn find_near(&self, region: &Aabb, filter: QueryFilter) -> Result<Vec<(BodyId, &Body)>, WorldError> {
        let mut near = Vec::new();
        self.boxes.query_box(region, filter.groups, &mut near)?;
        Ok(near.into_iter().filter_map(|index| self.bodies.at(index)).collect())
    }

    /// All bodies that a filter accepts, by their places.
    fn considered(&self, filter: QueryFilter) -> impl Iterator<Item = (BodyId, &Body)> {
        self.bodies().filter(move |(_, body)| filter.accepts(body.group))
    }
}
