//! Local depth of two placed meshes: how deep their surfaces lie in each other, bounded from both sides.
//!
//! In: two placed meshes, at least one of them a solid, and all pairs of their triangles that intersect. Out:
//! [`LocalDepth`].
//! Definition: D(A, B) is the largest distance from the boundary of B of the points of the surface of A that lie in B.
//! The local depth is the smaller one of D(A, B) and D(B, A). If one part lies within its partner, up to the tolerance,
//! it is the D of that part; if only one mesh is a solid, it is the D of its partner. So a pin 0.2 mm too thick in its
//! hole has 0.2 mm, two tessellations of one cylinder have their sagitta, and a pin through a thick plate without a
//! hole has its radius, although any translation that separates them is long.
//! Method: a branch and bound over pieces of the triangles of one surface (`surface_search`, `piece`). A piece is
//! bounded by the distances of its corners from one facet of the opposite solid, which is a convex function, and by
//! their own distances and radii. Pieces are cut where another facet becomes the nearest, so that long facets of two
//! tessellations need few pieces.
//! Guarantees: bounds hold for the definition, up to the rounding that they include. Deterministic. Not guaranteed:
//! that the bounds meet, for a search ends after [`MAX_PIECES`] pieces; a solid of `Solidity::Winding` has no lower
//! bound.
//! Cost: one pass over the triangles, and some nearest-point queries for each triangle inside or on the opposite solid.

mod piece;
mod reached;
mod surface_search;

use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::mesh::closest::nearest_face_within;
use crate::mesh::winding::{Location, winding_number};
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_shape::MeshShape;
use surface_search::{SurfaceDepth, search_surface};

pub use surface_search::MAX_PIECES;

/// Relative width of the bounds at which a search ends: an engineer reads three digits.
const PRECISION: f64 = 1.0 / 128.0;
/// Depths below this share of the size of the smaller mesh are not distinguished.
const NEGLIGIBLE: f64 = 1e-7;

/// Sizes of meshes whose squares and cubes keep their digits, in metres; other ones are scaled by a power of two.
const SQUARES: std::ops::Range<f64> = 1e-90..1e90;

/// How deep two surfaces lie in each other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LocalDepth {
    /// The depth is at least this, in metres.
    pub at_least: f64,
    /// The depth is at most this, in metres.
    pub at_most: f64,
    /// The deepest point that was found, in the world frame; `None` if no point was found inside.
    pub place: Option<Vec3>,
}

impl LocalDepth {
    /// The depth of two meshes that touch.
    pub const TOUCHING: Self = Self { at_least: 0.0, at_most: 0.0, place: None };

    /// Returns the depth of which less is proved: the smaller one by its bounds.
    fn or_smaller(self, other: Self) -> Self {
        let is_smaller = (other.at_most, other.at_least) < (self.at_most, self.at_least);
        let place = if is_smaller { other.place } else { self.place };
        Self { at_least: self.at_least.min(other.at_least), at_most: self.at_most.min(other.at_most), place }
    }
}

/// Computes the local depth of two placed meshes whose intersecting pairs of triangles are `meeting`, as listed by
/// [`pairs()`](crate::pairs()); `None` if neither mesh is a solid. Depths of at most `tolerance` metres are not
/// distinguished: the search then only proves that the depth is not larger.
///
/// ```
/// use heurt_geometry::Pose;
/// use heurt_mesh::generate::{cylinder, plate};
/// use heurt_query::{local_depth, pairs};
/// use heurt_shape::MeshShape;
/// // A pin of radius 5.2 mm in a hole of 5 mm.
/// let plate = MeshShape::new(plate([0.04, 0.04, 0.01], [1, 1], 0.01, 96)?)?;
/// let pin = MeshShape::new(cylinder(0.0052, 0.02, 96)?)?;
/// let (a, b) = ((&plate, &Pose::IDENTITY), (&pin, &Pose::IDENTITY));
/// let meeting = pairs(a.0, a.1, b.0, b.1);
/// let depth = local_depth(a, b, &meeting, 0.0).expect("both are solids");
/// assert!(depth.at_least > 0.000195 && depth.at_most < 0.000205, "{depth:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn local_depth(
    a: (&MeshShape, &Pose),
    b: (&MeshShape, &Pose),
    meeting: &[[u32; 2]],
    tolerance: f64,
) -> Option<LocalDepth> {
    let size = |shape: &MeshShape| shape.bounds().half_extents().max_element();
    let [larger, smaller] = [f64::max, f64::min].map(|of_two| of_two(size(a.0), size(b.0)));
    if [smaller, larger].iter().all(|size| *size == 0.0 || SQUARES.contains(size)) {
        return depth_in_range(a, b, meeting, tolerance);
    }
    let scale = power_of_two_scale(smaller);
    let scaled = [a, b].map(|(shape, pose)| scaled(shape, pose, scale));
    match &scaled {
        [Some((a, in_a)), Some((b, in_b))] if SQUARES.contains(&(larger * scale)) => {
            let depth = depth_in_range((a, in_a), (b, in_b), meeting, tolerance * scale)?;
            // Tiny numbers round: away from what is between the bounds.
            let [at_least, at_most] = [depth.at_least, depth.at_most].map(|bound| bound / scale);
            let at_least = if at_least * scale > depth.at_least { at_least.next_down() } else { at_least };
            let at_most = if at_most * scale < depth.at_most { at_most.next_up() } else { at_most };
            Some(LocalDepth { at_least, at_most, place: depth.place.map(|place| place / scale) })
        }
        // No unit suits both: no point of a part inside its partner is farther than this from its boundary.
        _ if a.0.is_solid() || b.0.is_solid() => Some(LocalDepth { at_least: 0.0, at_most: larger, place: None }),
        _ => None,
    }
}

/// A mesh and its pose in another unit of length; `None` if coordinates leave the range of `f64`.
fn scaled(shape: &MeshShape, pose: &Pose, scale: f64) -> Option<(MeshShape, Pose)> {
    let mesh = shape.mesh().scaled(scale).ok()?;
    let pose = Pose::from_matrix(*pose.rotation(), pose.translation() * scale).ok()?;
    Some((MeshShape::new(mesh).ok()?, pose))
}

/// Computes the local depth of meshes of a size whose square and cube are normal numbers.
fn depth_in_range(
    a: (&MeshShape, &Pose),
    b: (&MeshShape, &Pose),
    meeting: &[[u32; 2]],
    tolerance: f64,
) -> Option<LocalDepth> {
    let [a, b] = [a, b].map(|(shape, pose)| Placed::new(shape, pose));
    let size = [a, b].map(|placed| placed.shape.bounds().half_extents().length());
    // NaN counts as 0.
    let floor = (NEGLIGIBLE * size[0].min(size[1])).max(tolerance);
    let depth_in = |outer: PlacedMeshShape<'_>, inner: PlacedMeshShape<'_>, side: usize, ceiling: f64| {
        let met = meeting.iter().map(|pair| (pair[1 - side], pair[side]));
        search_surface(inner, outer, met, [floor, ceiling])
    };
    const FULLY: f64 = f64::INFINITY;
    let (b_in_a, a_in_b) = match (a.shape.is_solid(), b.shape.is_solid()) {
        (false, false) => return None,
        (true, false) => return Some(depth_in(a, b, 0, FULLY).depth),
        (false, true) => return Some(depth_in(b, a, 1, FULLY).depth),
        // The smaller one counts: the second search ends where it can only be the larger one.
        (true, true) => {
            let first = depth_in(a, b, 0, FULLY);
            let second = depth_in(b, a, 1, first.depth.at_most);
            (first, second)
        }
    };
    let rounding = floor.max(b_in_a.rounding).max(a_in_b.rounding);
    // The shallower surface may belong to a part that contains its partner, all but a layer of rounding.
    let contains = |outer, inner, of_outer: &SurfaceDepth, of_inner: &SurfaceDepth| {
        of_outer.depth.at_most < of_inner.depth.at_most && holds(outer, inner, rounding)
    };
    if contains(a, b, &a_in_b, &b_in_a) {
        return Some(b_in_a.depth);
    }
    if contains(b, a, &b_in_a, &a_in_b) {
        return Some(depth_in(b, a, 1, FULLY).depth);
    }
    Some(a_in_b.depth.or_smaller(b_in_a.depth))
}

/// Reports whether no vertex of the inner mesh is farther than `room` metres from the outer solid.
fn holds(outer: PlacedMeshShape<'_>, inner: PlacedMeshShape<'_>, room: f64) -> bool {
    let used = inner.shape.mesh().triangles().iter().flatten();
    let mut done = vec![false; inner.shape.mesh().vertices().len()];
    for &vertex in used {
        if std::mem::replace(&mut done[vertex as usize], true) {
            continue;
        }
        let point = inner.pose.place(inner.shape.mesh().vertices()[vertex as usize]);
        let is_far = || nearest_face_within(outer, point, room).is_none();
        if winding_number(outer.shape, outer.pose, point) == Location::Winding(0) && is_far() {
            return false;
        }
    }
    true
}
