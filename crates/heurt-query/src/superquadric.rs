//! Exact superellipsoids and supertoroids of any exponents: whether they meet another shape, how far they are, what is nearest.
//!
//! In: a placed [`Superquadric`], another placed shape or a point. Out: distances as those of the verbs, with both bounds met or
//! told.
//! Method: branch and bound over patches of the surface. A patch lies in the hull of sixteen points, whose distance bounds that
//! of the patch from below; the place in its middle bounds it from above. The patch that may be the nearest is cut in half, until
//! the bounds meet. They overlap where a place of the surface lies in the other shape, or the nearest point of that one in the
//! solid; no patch is left to meet it where they do not.
//! Guarantees: `error` reaches from the upper bound to the lower one. At most 8,192 patches are looked at: where many
//! directions tie (a point on the axis of a torus) the bounds stay apart by some 1e-5 of the size. Touching shapes may be
//! answered either way within 16 ulp of the largest coordinate, and within `error` where the work ends before.
//! Cost: some hundred patches, each a distance to a hull.

use crate::algo::boundary::ORIGIN;
use crate::algo::gjk::{Carriers, Found, Until, nearest};
use crate::algo::placed_convex::{Farthest, PlacedCore, Support};
use crate::closest::Closest;
use crate::distance::{Distance, distance_within_counted};
use crate::inside::contains;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3, units_in_a_metre};
use heurt_mesh::Component;
use heurt_shape::{Convex, MeshShape, Part, Patch, ShapeRef, Superquadric};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Patches that are looked at, at most.
const MOST_PATCHES: usize = 8192;

/// Bounds nearer to each other than this, in ε of the largest coordinate, have met.
const MET: f64 = 64.0;
/// What roundings leave open of a hull of a patch.
const ROUNDING: f64 = 32.0;

/// Finds how far a placed superquadric (A) and another placed shape (B) are apart.
pub fn superquadric_distance<'b>(
    a: &Superquadric,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'b>>,
    pose_b: &Pose,
) -> (Distance, Work) {
    let mut search = Search::new(a, pose_a, b.into(), pose_b, true);
    search.run();
    (search.told(), search.work)
}

/// Tells whether a placed superquadric and another placed shape share a point: where their distance is 0.
pub fn superquadric_overlap<'b>(
    a: &Superquadric,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'b>>,
    pose_b: &Pose,
) -> (bool, Work) {
    let (found, work) = superquadric_distance(a, pose_a, b, pose_b);
    (found.distance == 0.0, work)
}

/// Finds the point of the surface of a placed superquadric nearest to `point`.
pub fn superquadric_closest(a: &Superquadric, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let at = Pose::from_translation(point).unwrap_or_default();
    let mut search = Search::new(a, pose, ShapeRef::Convex(&ORIGIN), &at, false);
    search.run();
    let found = search.told();
    let inside = superquadric_holds(a, pose, point);
    let distance = found.distance;
    let closest = Closest {
        point: found.point_a,
        distance,
        signed_distance: Some(if inside { -distance } else { distance }),
        inside: Some(inside || distance == 0.0),
        primitive: 0,
        error: found.error,
    };
    (closest, search.work)
}

/// Tells whether a placed superquadric holds a point, but for rounding.
pub fn superquadric_holds(a: &Superquadric, pose: &Pose, point: Vec3) -> bool {
    a.holds(pose.rotation().inverse() * (point - pose.translation()))
}

/// The points whose hull holds a patch.
struct HullOfPatch([Vec3; 16]);

impl Support for HullOfPatch {
    fn support(&self, direction: Vec3) -> Farthest {
        let mut best = (0, f64::NEG_INFINITY);
        for (name, corner) in (0u32..).zip(&self.0) {
            let along = corner.dot(direction);
            best = if along > best.1 { (name, along) } else { best };
        }
        Farthest { point: self.0[best.0 as usize], name: best.0 }
    }

    fn middle(&self) -> Vec3 {
        (self.0[0] + self.0[15]) * 0.5
    }
}

/// A patch in waiting.
struct Open {
    patch: Patch,
    /// Nothing of it is nearer.
    at_least: f64,
    /// Its middle is as near.
    at_most: f64,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    /// The greatest is the one with the least bound; of those that may all touch, the one with the nearest place.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_least.total_cmp(&self.at_least).then(other.at_most.total_cmp(&self.at_most))
    }
}

/// A point of each part that hangs together: what lies wholly inside is told by it.
fn one_of_each(shape: ShapeRef<'_>, pose: &Pose) -> Vec<Vec3> {
    let of_mesh = |mesh: &MeshShape| {
        let vertex = |part: &Component| pose.place(mesh.mesh().vertices()[part.vertex as usize]);
        mesh.components().iter().map(vertex).collect()
    };
    match shape {
        ShapeRef::Mesh(mesh) => of_mesh(mesh),
        ShapeRef::Rounded(rounded) => of_mesh(rounded.mesh()),
        ShapeRef::Convex(convex) => convex.support(Vec3::X).map(|point| pose.place(point)).into_iter().collect(),
        ShapeRef::Compound(compound) => {
            let parts = (0u32..).zip(compound.parts());
            let of_part =
                |(number, part): (u32, &Part)| one_of_each((&part.shape).into(), &compound.place(number, pose));
            parts.flat_map(of_part).collect()
        }
    }
}

struct Search<'a> {
    a: &'a Superquadric,
    pose_a: &'a Pose,
    b: ShapeRef<'a>,
    pose_b: &'a Pose,
    /// The inside of A counts.
    is_solid: bool,
    /// Of coordinates.
    ulp: f64,
    /// In which they are about 1: so many in a metre.
    unit: f64,
    open: BinaryHeap<Open>,
    /// The nearest place of the surface so far, and the point of B nearest to it.
    best: Option<Distance>,
    /// The least bound of what was left out.
    settled: f64,
    looked: usize,
    work: Work,
}

impl<'a> Search<'a> {
    fn new(a: &'a Superquadric, pose_a: &'a Pose, b: ShapeRef<'a>, pose_b: &'a Pose, is_solid: bool) -> Self {
        // About its middle.
        let largest = a.bounds().max.max_element() + pose_a.span() + b.reach() + pose_b.span();
        let (open, work) = (BinaryHeap::new(), Work::default());
        let (ulp, unit) = (f64::EPSILON * largest, units_in_a_metre(largest));
        Self { a, pose_a, b, pose_b, is_solid, ulp, unit, open, best: None, settled: f64::INFINITY, looked: 0, work }
    }

    fn at_most(&self) -> f64 {
        self.best.map_or(f64::INFINITY, |best| best.distance)
    }

    fn run(&mut self) {
        let holds = |point: &Vec3| superquadric_holds(self.a, self.pose_a, *point);
        if self.is_solid
            && let Some(point) = one_of_each(self.b, self.pose_b).into_iter().find(holds)
        {
            self.best = Some(Distance::common(point, None));
            return;
        }
        for patch in self.a.patches() {
            self.look(patch);
        }
        while let Some(next) = self.open.pop() {
            let is_done = self.at_most() - next.at_least <= MET * self.ulp || self.at_most() == 0.0;
            if is_done || self.looked >= MOST_PATCHES {
                self.settled = self.settled.min(next.at_least);
                return;
            }
            for half in next.patch.halves(self.a) {
                self.look(half);
            }
        }
    }

    /// Bounds the distance of a patch from both sides.
    fn look(&mut self, patch: Patch) {
        self.looked += 1;
        if self.at_most() == 0.0 {
            return;
        }
        let middle = self.pose_a.place(patch.middle(self.a));
        let from_middle = self.of_place(middle);
        let hull = patch.hull(self.a).map(|corner| self.pose_a.place(corner));
        let radius = hull.iter().map(|corner| (*corner - middle).length()).fold(0.0, f64::max);
        let by_ball = from_middle.distance - from_middle.error - radius - ROUNDING * self.ulp;
        if by_ball > self.at_most() {
            return;
        }
        let at_least = self.of_hull(&hull).max(by_ball).max(0.0);
        if at_least > self.at_most() {
            return;
        }
        // The nearest place of a spike or an edge is at the end of a patch.
        let corners = patch.corners(self.a).map(|corner| self.of_place(self.pose_a.place(corner)).distance);
        let at_most = corners.into_iter().fold(from_middle.distance, f64::min);
        self.open.push(Open { patch, at_least, at_most });
    }

    /// From a place of the surface to B; the best so far, if it is.
    fn of_place(&mut self, place: Vec3) -> Distance {
        let at = Pose::from_translation(place).unwrap_or_default();
        let (found, work) = distance_within_counted(ShapeRef::Convex(&ORIGIN), &at, self.b, self.pose_b, f64::INFINITY);
        self.work += work;
        let found = found.expect("without a limit there is a distance");
        let found = Distance { point_a: place, primitives: found.primitives.map(|[_, j]| [0, j]), ..found };
        if found.distance < self.at_most() {
            let touches = self.is_solid && superquadric_holds(self.a, self.pose_a, found.point_b);
            self.best = Some(if touches { Distance::common(found.point_b, found.primitives) } else { found });
        }
        found
    }

    /// A lower bound of the distance from the hull of some points to B; infinite beyond the best so far.
    fn of_hull(&mut self, points: &[Vec3; 16]) -> f64 {
        let (limit, rounding) = (self.at_most() + ROUNDING * self.ulp, ROUNDING * self.ulp);
        if let ShapeRef::Convex(b) = self.b
            && let Some(core) = PlacedCore::new(b, self.pose_b, self.unit)
        {
            let ulp = self.ulp * self.unit;
            let until = Until { gap: 4.0 * ulp, beyond: (limit + b.margin()) * self.unit, close: 4.0 * ulp };
            let hull = HullOfPatch(points.map(|point| point * self.unit));
            let first = || hull.middle() - core.middle();
            return match nearest::<Vec3>(&hull, &core, &Carriers::default(), first, until) {
                Found::Apart(found) => found.at_least / self.unit - b.margin() - rounding,
                Found::Inside(_) | Found::Close(_) => 0.0,
            };
        }
        let Ok(hull) = Convex::hull(points) else { return 0.0 };
        let (found, work) = distance_within_counted(&hull, &Pose::IDENTITY, self.b, self.pose_b, limit);
        self.work += work;
        found.map_or(f64::INFINITY, |found| found.distance - found.error) - rounding
    }

    /// What both bounds say.
    fn told(&self) -> Distance {
        let Some(best) = self.best else {
            return Distance::common(self.pose_a.translation(), None);
        };
        if best.distance == 0.0 {
            return best;
        }
        let at_least = self.settled.min(best.distance);
        let is_touching = at_least == 0.0 && best.distance <= 16.0 * self.ulp;
        if is_touching && self.is_solid {
            return Distance::common(best.point_a, Some([0, 0]));
        }
        if self.is_solid && contains(self.b, self.pose_b, best.point_a) {
            return Distance::common(best.point_a, Some([0, 0]));
        }
        Distance { error: best.distance - at_least + best.error + ROUNDING * self.ulp, ..best }
    }
}
