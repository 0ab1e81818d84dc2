//! Two placed meshes: 0 and a common point where they overlap, else the least distance of any two triangles.
//!
//! Method: `overlap` decides exactly which of both it is. Then the trees are walked, nearest volumes first, and whatever is
//! farther than the nearest pair of triangles so far is left out: volumes by their gaps, triangles of two leaves by the gaps of
//! their boxes and by their gap along the direction in which the nearest pair so far is apart, which on smooth surfaces
//! dismisses nearly all. What remains is measured in `f64` on the placed vertices, the most promising first.
//! Guarantees: 0 exactly where the shapes overlap, up to distances that round to 0. `error` bounds the absolute error of the
//! distance: 48 ulp of the largest coordinate involved. Ties are broken by the order of the walk, the same on every machine.
//! Cost: a few microseconds to dismiss all but the neighbourhoods of the nearest points, then the triangles there.

use crate::algo::lane_vectors::{dot, splat};
use crate::algo::leaf_pairs::{BlockFrames, placed_corners};
use crate::algo::placed::{Leaves, PairWalk, Placed, WithTree, place, walk_own_trees, walk_trees};
use crate::algo::tri_pairs::Corners;
use crate::algo::triangle_distance::{NearestPoints, nearest_points, separating_direction};
use crate::algo::unit::units_in_a_metre;
use crate::inside::{Location, locate};
use crate::overlap::{Side, Witness, overlap_counted, overlap_with_trees};
use heurt_bvh::relative::{Composed, RelativePose};
use heurt_bvh::simd::{Avx2, Lanes, LanesFor, WideIsa};
use heurt_bvh::volume::Against;
use heurt_bvh::walk::{PairVisitor, walk_pair};
use heurt_bvh::{Leaf, Work};
use heurt_geometry::{Pose, Section, Triangle, Vec3, section};
use heurt_shape::{MeshShape, TriBlock};
use std::ops::ControlFlow;

type F8<I> = <I as LanesFor<8>>::F;

/// How far two shapes are apart, in metres and the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// 0 where they overlap.
    pub distance: f64,
    /// A point of A nearest to B; where they overlap a common point.
    pub point_a: Vec3,
    /// The point of B nearest to it; where they overlap the same point.
    pub point_b: Vec3,
    /// A unit vector from A to B: both lie on either side of a gap of width `distance` across it, as far as the nearest
    /// triangles are concerned. `None` where they overlap.
    pub normal: Option<Vec3>,
    /// The triangles that hold the points; `None` where one shape lies inside the other.
    pub primitives: Option<[u32; 2]>,
    /// Bounds the absolute error of `distance`; 0 where they overlap.
    pub error: f64,
}

/// Finds how far the placed meshes are apart.
pub fn distance(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Distance {
    distance_counted(a, pose_a, b, pose_b).0
}

/// [`distance`], with the work done.
pub fn distance_counted(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> (Distance, Work) {
    let (found, work) = within_counted((a, pose_a), (b, pose_b), f64::INFINITY);
    // Without a limit there is always one; the first triangles stand in where distances overflow.
    let found = found.unwrap_or_else(|| finish((a, pose_a), (b, pose_b), [0, 0], units_in_a_metre(1.0)));
    (found, work)
}

/// [`distance`] if it is not above `max` metres: what is farther is left out at once.
pub fn distance_within(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose, max: f64) -> Option<Distance> {
    within_counted((a, pose_a), (b, pose_b), max).0
}

/// [`distance_within`] through given trees over the meshes of the shapes, with the work done; with every kind of tree the
/// distance is the same within its error. `None` where the trees are of different kinds.
pub fn distance_with_trees(a: WithTree<'_>, b: WithTree<'_>, max: f64) -> Option<(Option<Distance>, Work)> {
    let (witness, mut work) = overlap_with_trees(a, b)?;
    let (on_a, on_b) = ((a.shape, a.pose), (b.shape, b.pose));
    if let Some(witness) = witness {
        return Some((Some(common_point(on_a, on_b, witness)), work));
    }
    let (composed, mut search) = Search::new(on_a, on_b, max);
    work += walk_trees(a, b, &composed, &mut search)?;
    Some((search.found(on_a, on_b), work))
}

type OnPose<'a> = (&'a MeshShape, &'a Pose);

fn within_counted(a: OnPose<'_>, b: OnPose<'_>, max: f64) -> (Option<Distance>, Work) {
    let (witness, mut work) = overlap_counted(a.0, a.1, b.0, b.1);
    if let Some(witness) = witness {
        return (Some(common_point(a, b, witness)), work);
    }
    let (composed, mut search) = Search::new(a, b, max);
    work += walk_own_trees(a.0, a.1, b.0, b.1, &composed, &mut search);
    (search.found(a, b), work)
}

/// What is told of shapes that overlap.
fn common_point(a: OnPose<'_>, b: OnPose<'_>, witness: Witness) -> Distance {
    let (point, primitives) = match witness {
        Witness::Primitives { a: i, b: j } => {
            let (x, y) = (place(a.0, a.1, i), place(b.0, b.1, j));
            let point = match section(&x, &y) {
                Section::None => x[0],
                Section::Point(point) | Section::Segment([point, _]) => point.position,
                Section::Coplanar(points) => points.first().copied().unwrap_or(x[0]),
            };
            (point, Some([i, j]))
        }
        Witness::Contained(Side::A) => (point_inside(a, b), None),
        Witness::Contained(Side::B) => (point_inside(b, a), None),
    };
    Distance { distance: 0.0, point_a: point, point_b: point, normal: None, primitives, error: 0.0 }
}

/// A vertex of a part of `inner` that lies inside the solid `outer`.
fn point_inside(inner: OnPose<'_>, outer: OnPose<'_>) -> Vec3 {
    let places = |vertex: u32| inner.1.place(inner.0.mesh().vertices()[vertex as usize]);
    let mut points = inner.0.components().iter().map(|part| places(part.vertex));
    let is_inside = |point: &Vec3| match locate(outer.0, outer.1, *point, &mut Work::default()) {
        Location::Boundary { .. } => true,
        Location::Winding(winding) => winding != 0,
    };
    points.find(is_inside).unwrap_or_else(|| places(0))
}

/// What is told of the pair of triangles that is the nearest.
fn finish(a: OnPose<'_>, b: OnPose<'_>, [i, j]: [u32; 2], unit: f64) -> Distance {
    let (x, y) = (place(a.0, a.1, i), place(b.0, b.1, j));
    let largest = x.iter().chain(&y).fold(0.0, |most, corner| f64::max(most, corner.abs().max_element()));
    let (x, y) = (x.map(|corner| corner * unit), y.map(|corner| corner * unit));
    let nearest = nearest_points(&x, &y);
    Distance {
        distance: nearest.distance_sq.sqrt() / unit,
        point_a: nearest.on_x / unit,
        point_b: nearest.on_y / unit,
        normal: Some(separating_direction(&x, &y, &nearest)),
        primitives: Some([i, j]),
        // Denormal numbers are rounded to the least of them.
        error: 48.0 * f64::EPSILON * largest + 8.0 * f64::from_bits(1),
    }
}

/// The nearest pair of triangles so far, and what follows from it.
struct Search {
    best: Option<[u32; 2]>,
    /// In the unit in which lengths are squared.
    best_sq: f64,
    /// Of those units in a metre.
    unit: f64,
    max: f64,
}

impl Search {
    fn new((a, pose_a): OnPose<'_>, (b, pose_b): OnPose<'_>, max: f64) -> (Composed, Self) {
        let (frame_a, frame_b) = (a.tree().frame(), b.tree().frame());
        let composed = Composed::new(frame_a, pose_a, frame_b, pose_b);
        let world = frame_a.reach() + frame_b.reach() + pose_a.span() + pose_b.span();
        let across = composed.offset.abs().max_element() + frame_a.scale() + frame_b.scale();
        // Whatever is smaller than 2⁻⁶⁰ of a coordinate is rounding.
        let unit = units_in_a_metre(across.max(world * (1.0 / (1u64 << 60) as f64)));
        let max = if max.is_nan() { f64::INFINITY } else { max };
        (composed, Self { best: None, best_sq: (max * unit) * (max * unit), unit, max })
    }

    fn found(&self, a: OnPose<'_>, b: OnPose<'_>) -> Option<Distance> {
        self.best.map(|pair| finish(a, b, pair, self.unit)).filter(|found| found.distance <= self.max)
    }
}

impl PairWalk for Search {
    /// Called, so that each pair of volumes and degrees is compiled once.
    #[inline(never)]
    fn walk<A, B, const W: usize>(&mut self, a: &Placed<'_, A, W>, b: &Placed<'_, B, W>, composed: &Composed) -> Work
    where
        A: Against<B>,
        B: Against<A, Relation = A::Relation>,
        Avx2: LanesFor<W>,
    {
        let (frame_a, frame_b) = (a.tree.frame(), b.tree.frame());
        let relative = RelativePose::of(composed, frame_a, frame_b);
        let mut visitor = Nearest {
            frames: BlockFrames::new(composed, &relative, frame_a, frame_b),
            a: Leaves::of(a),
            b: Leaves::of(b),
            to_local: frame_a.inverse_scale() / self.unit,
            reach: 0.0,
            direction: composed.offset.normalize_or_zero().as_vec3().to_array(),
            search: self,
        };
        visitor.follow_best();
        walk_pair(a.tree, b.tree, &relative, &mut visitor)
    }
}

/// Looks for the nearest pair of triangles.
struct Nearest<'a> {
    a: Leaves<'a>,
    b: Leaves<'a>,
    frames: BlockFrames,
    search: &'a mut Search,
    /// Local units of A in the unit of the search.
    to_local: f64,
    /// A little above the least distance so far, in local units of A.
    reach: f32,
    /// In which the nearest pair so far is apart, along A's axes; of unit length or zero.
    direction: [f32; 3],
}

impl Nearest<'_> {
    fn follow_best(&mut self) {
        let distance = self.search.best_sq.sqrt() * self.to_local;
        // A distance too small for `f32` must not become 0.
        self.reach = (distance * (1.0 + 1e-6)) as f32 + 1e-37;
    }

    #[inline(never)]
    fn measure(&mut self, i: u32, j: u32) {
        let placed = |leaves: &Leaves<'_>, triangle: u32| -> Triangle {
            place(leaves.shape, leaves.pose, triangle).map(|corner| corner * self.search.unit)
        };
        let NearestPoints { on_x, on_y, distance_sq } = nearest_points(&placed(&self.a, i), &placed(&self.b, j));
        if distance_sq < self.search.best_sq {
            (self.search.best, self.search.best_sq) = (Some([i, j]), distance_sq);
            let direction = self.a.pose.rotation().transpose() * (on_y - on_x).normalize_or_zero();
            self.direction = direction.as_vec3().to_array();
            self.follow_best();
        }
    }
}

impl PairVisitor for Nearest<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        2.0 * self.reach
    }

    #[inline(always)]
    fn expect_a<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        self.a.expect(isa, leaf);
    }

    #[inline(always)]
    fn expect_b<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        self.b.expect(isa, leaf);
    }

    #[inline(always)]
    fn leaves<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        let of_a = (self.a.block(leaf_a), leaf_a.count);
        let of_b = (self.b.block(leaf_b), leaf_b.count);
        let mut gaps = gaps(isa, &self.frames, &self.direction, self.reach, of_a, of_b);
        while let Some((gap, i, j)) = gaps.take_least() {
            if gap > self.reach {
                break;
            }
            let (i, j) = (self.a.triangles(leaf_a)[i], self.b.triangles(leaf_b)[j]);
            self.measure(i, j);
        }
        ControlFlow::Continue(())
    }
}

/// What the triangles of two leaves are apart at the least.
struct Gaps {
    /// `at_least[i][j]` for triangle i of A and j of B, in local units of A.
    at_least: [[f32; 8]; 8],
    /// Bit 8·i + j where that is within reach.
    near: u64,
}

impl Gaps {
    /// Takes the least of those that are left, the first of equal ones.
    fn take_least(&mut self) -> Option<(f32, usize, usize)> {
        let mut rest = self.near;
        let mut least: Option<(f32, u32)> = None;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let gap = self.at_least.as_flattened()[bit as usize];
            if least.is_none_or(|(best, _)| gap < best) {
                least = Some((gap, bit));
            }
        }
        let (gap, bit) = least?;
        self.near &= !(1 << bit);
        Some((gap, bit as usize / 8, bit as usize % 8))
    }
}

/// Lower bounds of the distances of the triangles of two leaves: by their boxes, and along `direction`. A component of a
/// difference of corners is off by `error` at most (`tri_pairs`); a difference along a direction by √3 of that and the
/// roundings of two products, which eight times `error` covers.
#[inline(never)]
fn gaps<I: WideIsa>(
    isa: I,
    frames: &BlockFrames,
    direction: &[f32; 3],
    reach: f32,
    (block_a, count_a): (&TriBlock, u32),
    (block_b, count_b): (&TriBlock, u32),
) -> Gaps {
    isa.enter(
        #[inline(always)]
        || {
            let (of_b, error) = placed_corners(isa, frames, block_a, block_b);
            let of_a = Corners::<F8<I>>::of_block(block_a);
            let direction = splat::<F8<I>>(direction);
            let (along_a, along_b) = (along(&direction, &of_a), along(&direction, &of_b));
            let farthest_a = along_a[0].max(along_a[1]).max(along_a[2]).to_array();
            let nearest_b = along_b[0].min(along_b[1]).min(along_b[2]);
            let nearest_b = nearest_b.sub(F8::<I>::splat(8.0 * error));
            let (boxes_a, boxes_b) = (of_a.boxes().to_arrays(), of_b.boxes());
            let mut out = Gaps { at_least: [[0.0; 8]; 8], near: 0 };
            let mut i = 0;
            while i < count_a as usize {
                let of_boxes = boxes_b.gaps_sq(&boxes_a, i, error).sqrt().mul(F8::<I>::splat(1.0 - 1e-6));
                // `max` gives its second argument where the first is not a number.
                let at_least = nearest_b.sub(F8::<I>::splat(farthest_a[i & 7])).max(of_boxes);
                let near = !at_least.gt(F8::<I>::splat(reach)).bits() & ((1 << count_b) - 1);
                out.at_least[i & 7] = at_least.to_array();
                out.near |= u64::from(near) << (8 * i);
                i += 1;
            }
            out
        },
    )
}

/// How far each corner is along a direction.
#[inline(always)]
fn along<F: Lanes<8>>(direction: &[F; 3], Corners(corners): &Corners<F>) -> [F; 3] {
    [dot(direction, &corners[0]), dot(direction, &corners[1]), dot(direction, &corners[2])]
}
