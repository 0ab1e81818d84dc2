//! The front of two surfaces of triangles, solid or not, of meshes and of a mesh and a hull, all within margins or
//! without.
//!
//! Guarantees: the answers are those without a front to the bit. The cache concerns the surfaces, for all
//! margins. At most [`MAX_PAIRS`] pairs of triangles are kept, 3 KiB.
//! Cost: for distances the pairs of triangles that may have become the nearest.

use super::{ClearanceCache, KnownClearance, RelativePlacement, ShapePair};
use crate::answer::budget::WorkMeter;
use crate::answer::distance::{Distance, less_margins};
use crate::answer::overlap::Witness;
use crate::answer::placed::{Placed, PlacedMeshShape, PlacedShape};
use crate::mesh::distance::{Neighbourhood, clearance, mesh_distance_warm, nearest_within};
use crate::mesh::overlap::{contained, overlap_near};
use crate::mesh::walk::pair_walk::{meet, place};
use crate::overlap::hull_of_placed_points;
use heurt_bvh::relative::RelativeFrame;
use heurt_bvh::{TreeFrame, Work};
use heurt_geometry::{Pose, triangles_intersect};
use heurt_shape::{Core, Hull, MeshShape, ShapeRef};

/// Pairs of triangles that are kept.
const MAX_PAIRS: usize = 256;

/// Two placed surfaces, margins round them, and which shapes they are of.
pub(crate) struct Surfaces<'a> {
    a: PlacedMeshShape<'a>,
    b: PlacedMeshShape<'a>,
    /// Whether they are in reverse order of the shapes: a hull comes second.
    is_swapped: bool,
    /// The hull that B is of, with its margin.
    hull: Option<(&'a Hull, f64)>,
    /// The margins round meshes, in the order of the shapes.
    margins: [f64; 2],
}

impl ShapePair for Surfaces<'_> {
    fn names(&self) -> [Option<u64>; 2] {
        [self.a, self.b]
            .map(|Placed { shape: mesh, .. }| mesh.fingerprint().map(|name| name.rotate_left(mesh.solidity() as u32)))
    }

    fn frames(&self) -> [(&TreeFrame, &Pose); 2] {
        [self.a, self.b].map(|Placed { shape: mesh, pose }| (mesh.tree().frame(), pose))
    }

    fn margin(&self) -> f64 {
        self.margins[0] + self.margins[1] + self.hull.map_or(0.0, |(_, margin)| margin)
    }

    fn clearance(&self, most: f64, meter: &WorkMeter<'_>) -> f64 {
        clearance(self.a, self.b, most, meter)
    }

    fn is_contained(&self, meter: &WorkMeter<'_>) -> bool {
        contained(self.a, self.b, meter).is_some()
    }
}

impl<'a> Surfaces<'a> {
    /// The surfaces of meshes, with or without a margin, and of a mesh and a hull; `None` of others.
    pub(crate) fn new(
        Placed { shape: a, pose: pose_a }: PlacedShape<'a>,
        Placed { shape: b, pose: pose_b }: PlacedShape<'a>,
    ) -> Option<Self> {
        let (a, b) = (MeasuredSurface::of(a)?, MeasuredSurface::of(b)?);
        let margins = [&a, &b].map(|of| if of.hull.is_some() { 0.0 } else { of.margin });
        let (on_a, on_b) = (Placed::new(a.mesh, pose_a), Placed::new(b.mesh, pose_b));
        let result = match (a.hull, b.hull) {
            (None, hull) => {
                Self { a: on_a, b: on_b, is_swapped: false, hull: hull.map(|hull| (hull, b.margin)), margins }
            }
            (Some(hull), None) => Self { a: on_b, b: on_a, is_swapped: true, hull: Some((hull, a.margin)), margins },
            (Some(_), Some(_)) => return None,
        };
        Some(result)
    }

    /// Whether two triangles meet, if the surfaces have them.
    fn meet(&self, [i, j]: [u32; 2]) -> bool {
        let has = |shape: &MeshShape, triangle: u32| (triangle as usize) < shape.mesh().triangles().len();
        let (a, b) = (self.a, self.b);
        has(a.shape, i)
            && has(b.shape, j)
            && triangles_intersect(&place(a.shape, a.pose, i), &place(b.shape, b.pose, j))
    }

    /// Whether they overlap, if their boxes do.
    fn witness(&self, composed: &RelativeFrame) -> Option<Witness> {
        let meter = WorkMeter::default();
        let of_hull = || hull_of_placed_points(self.a, self.b.with(self.hull?.0), &meter);
        overlap_near(self.a, self.b, composed, &meter).or_else(of_hull)
    }

    /// The distance of the shapes, if it is at most `max`, from the distance of the surfaces.
    fn less_margins(&self, found: Distance, max: f64) -> Option<Distance> {
        // First as of a bare mesh and the hull, then as of the shapes.
        let found = match self.hull {
            Some((_, margin)) => {
                let of_hull = Distance { primitives: found.primitives.map(|[i, _]| [i, 0]), ..found };
                less_margins(of_hull, [0.0, margin])
            }
            None => found,
        };
        let found = if self.is_swapped { found.swapped() } else { found };
        Some(less_margins(found, self.margins)).filter(|found| found.distance <= max)
    }
}

/// A shape as a surface of triangles.
struct MeasuredSurface<'a> {
    mesh: &'a MeshShape,
    hull: Option<&'a Hull>,
    margin: f64,
}

impl<'a> MeasuredSurface<'a> {
    fn of(shape: ShapeRef<'a>) -> Option<Self> {
        match shape {
            ShapeRef::Mesh(mesh) => Some(Self { mesh, hull: None, margin: 0.0 }),
            ShapeRef::Rounded(rounded) => Some(Self { mesh: rounded.mesh(), hull: None, margin: rounded.margin() }),
            ShapeRef::Convex(convex) => match convex.core() {
                Core::Hull(hull) => Some(Self { mesh: hull.surface(), hull: Some(hull), margin: convex.margin() }),
                Core::Round(_) | Core::HalfSpace { .. } => None,
            },
            ShapeRef::Compound(_) | ShapeRef::Superquadric(_) => None,
        }
    }
}

impl ClearanceCache {
    pub(crate) fn surfaces_overlap(&mut self, pair: &Surfaces<'_>) -> bool {
        if pair.margin() > 0.0 {
            return self.distance_of_surfaces(pair, 0.0).0.is_some();
        }
        let Some(composed) = meet(pair.a, pair.b) else { return false };
        let now = RelativePlacement::new(&composed, pair.radii());
        if let Some(is_contained) = self.are_separated(pair, now, 0.0, &WorkMeter::default()) {
            return is_contained;
        }
        if self.primitives.is_some_and(|both| pair.meet(both)) {
            return true;
        }
        let witness = pair.witness(&composed);
        match witness {
            Some(Witness::Primitives { a, b }) => {
                self.primitives = Some([a, b]);
                self.front = None;
            }
            _ => self.follow(pair, now),
        }
        witness.is_some()
    }

    pub(crate) fn distance_of_surfaces(&mut self, pair: &Surfaces<'_>, max: f64) -> (Option<Distance>, Work) {
        let of_meshes = max + pair.margins[0] + pair.margins[1];
        let within = pair.hull.map_or(of_meshes, |(_, margin)| of_meshes + margin);
        let (found, work) = self.bare_distance(pair, within);
        (found.and_then(|found| pair.less_margins(found, max)), work)
    }

    /// The distance of the surfaces, margins left out.
    fn bare_distance(&mut self, pair: &Surfaces<'_>, max: f64) -> (Option<Distance>, Work) {
        let (a, b) = (pair.a, pair.b);
        let now = pair.standing();
        if let Some((moved, known)) = self.recall(pair, now.as_ref())
            && moved < known.clear
            && !known.is_contained
        {
            let done = Work { updates: 1, ..Work::default() };
            if max + moved < known.clear {
                return (None, done);
            }
            if let Some(found) = nearest_within(a, b, max, &mut known.around, moved) {
                self.primitives = found.and_then(|found| found.primitives).or(self.primitives);
                return (found, Work { primitives: 1, ..done });
            }
        }
        // A pair beyond the limit is likely to be beyond it again.
        let was_far = max < f64::INFINITY && self.front.as_ref().is_some_and(|front| !front.known.is_near);
        let skin = if was_far {
            if self.are_separated_by_skin(pair, now, max, &WorkMeter::default()) == Some(false) {
                return (None, Work { updates: 1, ..Work::default() });
            }
            0.0
        } else {
            self.skin(pair, now.as_ref())
        };
        let mut around = Neighbourhood::default();
        // The nearest pair may go away as far as all others may come.
        let wanted = (skin > 0.0).then_some((2.0 * skin, &mut around));
        let (found, work) = mesh_distance_warm(a, b, max, self.primitives, wanted);
        self.primitives = found.and_then(|found| found.primitives).or(self.primitives);
        match found {
            Some(Distance { normal: None, .. }) => self.front = None,
            _ => self.keep(
                pair,
                now,
                KnownClearance { is_near: found.is_some(), ..KnownClearance::about(around, pair.room()) },
            ),
        }
        (found, work)
    }
}

impl KnownClearance {
    /// The clearance of disjoint meshes.
    fn about(mut around: Neighbourhood, room: f64) -> Self {
        if let Some(&(next, _)) = around.pairs.get(MAX_PAIRS) {
            around.reach = around.reach.min(f64::from(next) * around.metres);
            around.pairs.truncate(MAX_PAIRS);
        }
        if around.reach == f64::INFINITY {
            return Self::default();
        }
        around.pairs.shrink_to_fit();
        let nearest = around.pairs.first().map_or(f64::INFINITY, |(at_least, _)| f64::from(*at_least) * around.metres);
        Self { clear: around.reach.min(nearest) - room, around, ..Self::default() }
    }
}
