//! Queries about the whole world as it is placed: what does a ray meet, what is nearest, what does a shape meet?

use crate::body::{Body, BodyId};
use crate::state::view::WorldView;
use crate::step::step_plan::swept;
use crate::world::{WorldError, at_least_zero, finite, grown};
use heurt_broad::Ray as BoxRay;
use heurt_geometry::{Aabb, Motion, Pose, Vec3};
use heurt_query::{
    CastError, CastOptions, Closest, ClosestOptions, Contact, Impact, Ray, RayHit, cast, closest_with,
    contact_manifold, overlap, ray,
};
use heurt_shape::ShapeRef;

/// A body that something meets, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyHit<T> {
    /// Whom.
    pub body: BodyId,
    /// Where, or when.
    pub hit: T,
}

/// The body nearest to a point.
pub type ClosestBody = BodyHit<Closest>;

impl WorldView {
    /// The first body on a ray whose groups meet `mask`; of two at the same distance the one that was found first by
    /// its box.
    ///
    /// # Errors
    /// [`WorldError::Broad`] for a ray that is none.
    pub fn ray(&self, question: &Ray, mask: u32) -> Result<Option<BodyHit<RayHit>>, WorldError> {
        let mut near = Vec::new();
        let along = BoxRay { origin: question.origin, direction: question.direction, max_t: question.max_t };
        self.boxes.query_ray(&along, mask, &mut near)?;
        let mut first: Option<BodyHit<RayHit>> = None;
        for found in near {
            // Both are rounded.
            if first.is_some_and(|first| found.t > first.hit.t * (1.0 + 1e-12) + first.hit.error) {
                break;
            }
            let Some((body, about)) = self.at(found.id) else { continue };
            let hit = ray(&about.shape, &about.pose, question);
            if let Some(hit) = hit.filter(|hit| first.is_none_or(|first| hit.t < first.hit.t)) {
                first = Some(BodyHit { body, hit });
            }
        }
        Ok(first)
    }

    /// The body nearest to a point whose groups meet `mask`, if it is within `max` metres; of two the one with the
    /// lower place.
    ///
    /// # Errors
    /// [`WorldError::Number`] for a point that is not finite and a `max` that is not a number.
    pub fn closest(&self, point: Vec3, max: f64, mask: u32) -> Result<Option<ClosestBody>, WorldError> {
        finite("point", point)?;
        if max.is_nan() {
            return Err(WorldError::Number { field: "max", value: max, legal: "a distance, which may be infinite" });
        }
        let far = |body: &Body| {
            let bounds = body.shape.bounds_at(&body.pose);
            (bounds.min - point).max(point - bounds.max).max(Vec3::ZERO).length() * (1.0 - 1e-12)
        };
        let mut near: Vec<(f64, BodyId, &Body)> =
            self.bodies().filter(|(_, body)| body.group & mask != 0).map(|(id, body)| (far(body), id, body)).collect();
        near.sort_by(|(x, a, _), (y, b, _)| x.total_cmp(y).then(a.cmp(b)));
        let mut nearest: Option<ClosestBody> = None;
        for (bound, id, body) in near {
            let limit = nearest.map_or(max, |nearest| nearest.hit.distance);
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

    /// All bodies whose groups meet `mask` that a placed shape overlaps, by their places.
    ///
    /// # Errors
    /// [`WorldError::Broad`] for a shape that is placed out of the range of numbers.
    pub fn overlaps<'a>(
        &self,
        shape: impl Into<ShapeRef<'a>>,
        pose: &Pose,
        mask: u32,
    ) -> Result<Vec<BodyId>, WorldError> {
        let shape = shape.into();
        let near = self.within(&shape.bounds_at(pose), mask)?;
        let met = |(_, body): &(BodyId, &Body)| overlap(shape, pose, &body.shape, &body.pose).is_some();
        Ok(near.into_iter().filter(met).map(|(id, _)| id).collect())
    }

    /// How a placed shape touches bodies whose groups meet `mask`, or comes within `margin` metres of them; by their
    /// places. As contacts of a step: of meshes one point for each curve in which surfaces meet.
    ///
    /// # Errors
    /// [`WorldError::Number`] for a margin that is none, [`WorldError::Broad`] for a shape that is placed out of the
    /// range of numbers.
    pub fn contacts<'a>(
        &self,
        shape: impl Into<ShapeRef<'a>>,
        pose: &Pose,
        margin: f64,
        mask: u32,
    ) -> Result<Vec<BodyHit<Contact>>, WorldError> {
        at_least_zero("margin", margin)?;
        let shape = shape.into();
        // Boxes have half a margin about them each.
        let near = self.within(&grown(&shape.bounds_at(pose), 2.0 * margin), mask)?;
        let touch = |(body, about): (BodyId, &Body)| {
            let hit = contact_manifold(shape, pose, &about.shape, &about.pose, margin)?;
            Some(BodyHit { body, hit })
        };
        Ok(near.into_iter().filter_map(touch).collect())
    }

    /// The body whose groups meet `mask` that a moving shape meets first while all others stand; of two at the same
    /// time the one with the lower place.
    ///
    /// # Errors
    /// [`CastError`] for motions and options out of range.
    pub fn cast<'a>(
        &self,
        shape: impl Into<ShapeRef<'a>>,
        pose: &Pose,
        motion: &Motion,
        mask: u32,
        options: &CastOptions,
    ) -> Result<Option<BodyHit<Impact>>, CastError> {
        let shape = shape.into();
        let mut first: Option<BodyHit<Impact>> = None;
        for (id, body) in self.on_the_way(shape, pose, motion, mask, options.max_time) {
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

    /// The bodies whose boxes a moving shape may meet; all where it leads out of the range of numbers.
    fn on_the_way(
        &self,
        shape: ShapeRef<'_>,
        pose: &Pose,
        motion: &Motion,
        mask: u32,
        time: f64,
    ) -> Vec<(BodyId, &Body)> {
        let end = motion.pose_at(pose, time).ok();
        let near = end.and_then(|end| self.within(&swept(shape, [pose, &end], motion, time), mask).ok());
        near.unwrap_or_else(|| self.bodies().filter(|(_, body)| body.group & mask != 0).collect())
    }

    fn within(&self, region: &Aabb, mask: u32) -> Result<Vec<(BodyId, &Body)>, WorldError> {
        let mut near = Vec::new();
        self.boxes.query_box(region, mask, &mut near)?;
        Ok(near.into_iter().filter_map(|index| self.at(index)).collect())
    }
}
