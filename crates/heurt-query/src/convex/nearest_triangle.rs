//! Nearest triangle of a mesh to a convex shape with curved faces.
//!
//! Method: a traversal by squared gaps to the box of the shape along the axes of the mesh; in a leaf, `gjk` of each
//! triangle, with the least distance found as a limit.
//! Guarantees: as `separation` for curved cores.

use super::gjk::{DistanceBracket, GjkOutcome, SimplexCache, StopCriteria, nearest as nearest_points};
use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::Distance;
use crate::convex::common_point::{common, surely_inside};
use crate::convex::curved::{Narrowing, bracket_if_disjoint, narrowed, out_of, surely_common};
use crate::convex::support::{PlacedCore, Support, SupportPoint};
use crate::mesh::walk::nearby_triangles::near_triangles;
use crate::mesh::walk::pair_walk::place;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Leaf, PointQuery, Visitor, Work, cutoff, walk};
use heurt_geometry::{Pose, Triangle, Vec3, power_of_two_scale, robust_length};
use heurt_shape::{Convex, MeshShape};
use std::ops::ControlFlow;

/// A triangle and its distance from the shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearTriangle {
    pub triangle: u32,
    pub distance: Distance,
}

/// Finds the nearest triangle at most `max` metres from a shape, within the budget; the first triangle that overlaps
/// ends the search.
pub(crate) fn nearest(
    mesh: &MeshShape,
    pose: &Pose,
    convex: &Convex,
    pose_convex: &Pose,
    max: f64,
    meter: &WorkMeter<'_>,
) -> Budgeted<Option<NearTriangle>, DistanceBounds> {
    nearest_to(mesh, pose, &of_convex(mesh, pose, convex, pose_convex), max, meter)
}

/// Finds the nearest triangle to any convex set, as [`nearest`] does for a shape.
pub(crate) fn nearest_to<S: Support>(
    mesh: &MeshShape,
    pose: &Pose,
    set: &PlacedConvex<S>,
    max: f64,
    meter: &WorkMeter<'_>,
) -> Budgeted<Option<NearTriangle>, DistanceBounds> {
    let to_local = mesh.tree().frame().inverse_scale();
    let mut visitor =
        NearestTriangle { mesh, pose, set, to_local, max, found: None, least: f64::INFINITY, meter, left: None };
    meter.add(walk(mesh.tree(), &set.in_frame(mesh, pose), &mut visitor));
    let Some(left) = visitor.left else { return Budgeted::Complete(visitor.result()) };
    let found = visitor.found.map(|found| found.distance);
    Budgeted::Partial(DistanceBounds {
        at_least: left.min(visitor.least).max(0.0),
        at_most: found.map_or(f64::INFINITY, |found| found.distance + found.error),
    })
}

/// Lists the triangles whose boxes are at most `max` metres from the box of the shape, ascending, and maybe more;
/// `None` if there are more than `most`. The budget may end the list.
pub(crate) fn near(
    mesh: &MeshShape,
    pose: &Pose,
    convex: &Convex,
    pose_convex: &Pose,
    max: f64,
    most: usize,
    meter: &WorkMeter<'_>,
) -> Option<Vec<u32>> {
    let query = of_convex(mesh, pose, convex, pose_convex).in_frame(mesh, pose);
    let cutoff = cutoff::squared(max, mesh.tree().frame().inverse_scale());
    let mut found = near_triangles(mesh, &query, cutoff, most, meter);
    found.sort_unstable();
    (found.len() <= most).then_some(found)
}

/// A convex set in the world: all points within a margin of a core, which is in units.
pub(crate) struct PlacedConvex<S> {
    pub core: S,
    pub margin: f64,
    /// Units in a metre.
    pub unit: f64,
    /// The largest coordinate of the query, the mesh included.
    pub reach: f64,
}

impl<S: Support> PlacedConvex<S> {
    /// Returns the box of the set along the axes of a mesh, in the local units of the mesh.
    fn in_frame(&self, mesh: &MeshShape, pose: &Pose) -> PointQuery {
        let frame = mesh.tree().frame();
        let centre = pose.place(frame.centre());
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        let room = self.reach * (1.0 / (1u64 << 44) as f64) + 4.0 * pose.defect() * self.reach;
        for axis in 0..3 {
            let direction = pose.rotation().col(axis);
            let at = |sign: f64| direction.dot(self.core.support(direction * sign).point / self.unit - centre);
            low[axis] = (at(-1.0) - self.margin - room) * frame.inverse_scale();
            high[axis] = (at(1.0) + self.margin + room) * frame.inverse_scale();
        }
        PointQuery::of_box(low, high)
    }
}

fn of_convex<'a>(
    mesh: &MeshShape,
    pose: &Pose,
    convex: &'a Convex,
    pose_convex: &'a Pose,
) -> PlacedConvex<PlacedCore<'a>> {
    let own = convex.bounds().max.max_element() + pose_convex.max_translation();
    let reach = mesh.tree().frame().max_coordinate() + pose.max_translation() + own;
    let unit = power_of_two_scale(reach);
    let core = PlacedCore::new(convex, pose_convex, unit).expect("half-spaces have a closed form");
    PlacedConvex { core, margin: convex.margin(), unit, reach }
}

struct NearestTriangle<'a, S> {
    mesh: &'a MeshShape,
    pose: &'a Pose,
    set: &'a PlacedConvex<S>,
    to_local: f64,
    /// The least distance found, in metres.
    max: f64,
    found: Option<NearTriangle>,
    /// Lower bound of the distances of the tested triangles: a triangle that is reported to be farther may be less
    /// exact.
    least: f64,
    meter: &'a WorkMeter<'a>,
    /// Lower bound in metres of the distances of the triangles that were not tested, if the traversal was interrupted.
    left: Option<f64>,
}

impl<S: Support> Visitor for NearestTriangle<'_, S> {
    fn cutoff(&self) -> f32 {
        cutoff::squared(self.max, self.to_local)
    }

    fn should_continue(&mut self, _bound: f32, done: &Work) -> bool {
        !self.meter.is_exhausted_after(done)
    }

    fn on_interrupted(&mut self, bound: f32) {
        self.left = Some(f64::from(bound.max(0.0)).sqrt() / self.to_local * (1.0 - 1e-6));
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &triangle in self.mesh.tree().primitives(leaf) {
            let corners = place(self.mesh, self.pose, triangle);
            let Some(distance) = self.measure(triangle, &corners) else { continue };
            let wins_tie = |best: &NearTriangle| distance.distance == self.max && triangle < best.triangle;
            if distance.distance < self.max || self.found.as_ref().is_none_or(wins_tie) {
                self.max = distance.distance;
                self.found = Some(NearTriangle { triangle, distance });
            }
            if distance.distance == 0.0 {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

impl<S: Support> NearestTriangle<'_, S> {
    /// Returns the nearest triangle, with an error that reaches down to all others.
    fn result(&self) -> Option<NearTriangle> {
        self.found.map(|found| match found.distance {
            near if near.distance == 0.0 => found,
            near => {
                let error = near.error.max(near.distance - self.least);
                NearTriangle { distance: Distance { error, ..near }, ..found }
            }
        })
    }

    /// Computes the distance of a triangle, if the triangle is not farther than the nearest one found.
    fn measure(&mut self, triangle: u32, corners: &Triangle) -> Option<Distance> {
        let set = self.set;
        let PlacedConvex { core, margin, unit, reach } = set;
        let placed = PlacedTriangle(corners.map(|corner| corner * *unit));
        let ulp = f64::EPSILON * reach * unit;
        let rounding = 8.0 * ulp;
        let until = StopCriteria { gap: rounding, beyond: (self.max + margin) * unit + rounding, close: 4.0 * ulp };
        let first = || placed.middle() - core.middle();
        let narrowing = || Narrowing { until, open: 2.0 * rounding, size: self.size(&placed) };
        // If rounding errors ended the search, another search may prove that the sets are disjoint.
        let after_all = |direction: Vec3| bracket_if_disjoint(&placed, core, direction, narrowing(), rounding);
        let (touching, open) = match nearest_points::<Vec3>(&placed, core, &SimplexCache::default(), first, until) {
            GjkOutcome::Disjoint(found) if found.at_least > 0.0 => {
                let known = DistanceBracket::new(&found);
                let is_decided = known.open() <= 2.0 * rounding || known.at_least > until.beyond;
                let known = if is_decided { known } else { narrowed(&placed, core, known, narrowing()) };
                return self.distance_of(triangle, &known);
            }
            GjkOutcome::Disjoint(found) => match after_all(found.offset) {
                Some(known) => return self.distance_of(triangle, &known),
                None => (found.simplex.witnesses()[0], 4.0 * rounding),
            },
            GjkOutcome::Inside(simplex) | GjkOutcome::Close(simplex) => {
                if !surely_common(&simplex, rounding)
                    && let Some(known) = after_all(out_of(&placed, core, &simplex))
                {
                    return self.distance_of(triangle, &known);
                }
                (common(&simplex), if surely_inside(&simplex, rounding) { 0.0 } else { 4.0 * rounding })
            }
        };
        Some(Distance::common_within(open / *unit - *margin, touching / *unit, Some([triangle, 0])))
    }

    /// Returns the sum of the sizes of the set and a triangle, in units.
    fn size(&self, placed: &PlacedTriangle) -> f64 {
        let extent = |set: &dyn Fn(Vec3) -> Vec3| {
            let along = |axis: Vec3| axis.dot(set(axis) - set(-axis));
            along(Vec3::X).max(along(Vec3::Y)).max(along(Vec3::Z)) * 0.5
        };
        extent(&|axis| self.set.core.support(axis).point) + extent(&|axis| placed.support(axis).point)
    }

    /// Returns the distance of a triangle with a known bracket, if the triangle is not farther than the nearest one
    /// found.
    fn distance_of(&mut self, triangle: u32, known: &DistanceBracket) -> Option<Distance> {
        let PlacedConvex { margin, unit, reach, .. } = self.set;
        let primitives = Some([triangle, 0]);
        let DistanceBracket { length, normal, points, .. } = *known;
        let [on_a, on_b] = points.map(|point| point / *unit);
        let distance = length / unit - margin;
        let mut error = (known.open() + 8.0 * f64::EPSILON * reach * unit) / unit + 8.0 * f64::from_bits(1);
        self.least = self.least.min(distance - error);
        if distance > self.max {
            return None;
        }
        if distance <= 0.0 {
            return Some(Distance::common_within(distance + error, on_a, primitives));
        }
        let point_b = on_b - normal * *margin;
        if *margin > 0.0 {
            // If the points are less exact, the direction between them is not the normal.
            error = error.max((robust_length(point_b - on_a) - distance).abs());
        }
        Some(Distance { distance, point_a: on_a, point_b, normal: Some(normal), primitives, error })
    }
}

/// A triangle by its corners in the world.
pub(crate) struct PlacedTriangle(pub Triangle);

impl Support for PlacedTriangle {
    fn support(&self, direction: Vec3) -> SupportPoint {
        let along = self.0.map(|corner| corner.dot(direction));
        let name = if along[0] >= along[1] && along[0] >= along[2] { 0 } else { 1 + usize::from(along[2] > along[1]) };
        SupportPoint { point: self.0[name], name: name as u32 }
    }

    fn corner(&self, name: u32) -> Option<SupportPoint> {
        self.0.get(name as usize).map(|&point| SupportPoint { point, name })
    }

    fn middle(&self) -> Vec3 {
        (self.0[0] + self.0[1] + self.0[2]) / 3.0
    }
}
