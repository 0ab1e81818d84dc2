//! Operand of a depth search: a placed shape with the convex pieces known to lie inside it.

use crate::answer::placed::PlacedShape;
use crate::depth::canonical_frame::CanonicalFrame;
use crate::depth::inner_pieces::convex_pieces;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::{Convex, ConvexPieces, MeshShape, ShapeRef};
use std::borrow::Cow;

/// Maximum number of triangles that serve as pieces of a surface without inner pieces.
const MAX_TRIANGLES: usize = 64;

/// A placed shape, convex sets inside it, and a convex set that holds it.
pub(crate) struct DepthOperand<'a> {
    pub shape: ShapeRef<'a>,
    pub pose: &'a Pose,
    pub inner: Vec<PlacedPiece<'a>>,
    /// The convex set that holds the shape, in the frame of the shape; `None` beyond the range of numbers.
    pub hull: Option<Cow<'a, Convex>>,
}

/// A convex set and its pose in the frame of its body.
pub(crate) struct PlacedPiece<'a> {
    pub convex: Cow<'a, Convex>,
    pub local: Pose,
}

impl PlacedPiece<'_> {
    /// Returns the pose of the piece if its body is at `pose`.
    pub fn at(&self, pose: &Pose) -> Pose {
        if self.local.is_identity() { *pose } else { pose.compose(&self.local) }
    }
}

impl<'a> DepthOperand<'a> {
    /// Builds the operand of any bounded shape, with the convex sets that are known to lie in it.
    pub fn new(shape: ShapeRef<'a>, pose: &'a Pose) -> Self {
        Self::near(shape, pose, pose, &Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY })
    }

    /// Builds the operands of two bounded shapes. Parts farther from the opposite box than the shortest translation
    /// that separates both boxes are left out.
    pub fn pair(a: PlacedShape<'a>, b: PlacedShape<'a>) -> [Self; 2] {
        let seats = CanonicalFrame::of(a, b);
        let [seat_a, seat_b] = seats.as_named();
        let [box_a, box_b] =
            [(a.shape, seat_a), (b.shape, seat_b)].map(|(shape, seat)| bounds_at(&shape.bounds(), seat));
        let out = |from: &Aabb, of: &Aabb| (of.max - from.min).min_element().min((from.max - of.min).min_element());
        let grown = |bounds: &Aabb| {
            let most = out(&box_a, &box_b).max(0.0) * (1.0 + 1e-9);
            let room = 1e-9 * (bounds.min.abs().max(bounds.max.abs()).max_element() + most);
            Aabb { min: bounds.min - (most + room), max: bounds.max + (most + room) }
        };
        [Self::near(a.shape, a.pose, seat_a, &grown(&box_b)), Self::near(b.shape, b.pose, seat_b, &grown(&box_a))]
    }

    /// Builds the operand with the parts of a shape that meet a box, in the frame in which the shape is at `seat`.
    fn near(shape: ShapeRef<'a>, pose: &'a Pose, seat: &Pose, near: &Aabb) -> Self {
        let mut inner = Vec::new();
        add_pieces(shape, &PartPoses { pose, seat, local: Pose::IDENTITY }, near, &mut inner);
        let hull = match shape {
            ShapeRef::Convex(convex) => Some(Cow::Borrowed(convex)),
            ShapeRef::Mesh(mesh) => convex_pieces(mesh).hull.as_ref().map(Cow::Borrowed),
            ShapeRef::Superquadric(exact) => {
                let hull = exact.convex_pieces().hull.clone();
                hull.and_then(|hull| hull.with_margin(exact.margin()).ok()).map(Cow::Owned)
            }
            ShapeRef::Rounded(_) | ShapeRef::Compound(_) => of_box(&shape.bounds()).map(Cow::Owned),
        };
        Self { shape, pose, inner, hull }
    }

    /// Builds the operand of a mesh. If no convex set is known to lie in it, the triangles `meeting` of its surface
    /// serve, in ascending order.
    pub fn of_mesh(mesh: &'a MeshShape, pose: &'a Pose, meeting: impl FnOnce() -> Vec<u32>) -> Self {
        let mut body = Self::new(mesh.into(), pose);
        if body.inner.is_empty() {
            let flat = triangles(mesh, &meeting()).into_iter();
            body.inner = flat.map(|convex| PlacedPiece { convex: Cow::Owned(convex), local: Pose::IDENTITY }).collect();
        }
        body
    }

    /// Returns the largest coordinate that a query computes.
    pub fn largest(&self) -> f64 {
        self.shape.max_coordinate() + self.pose.max_translation()
    }

    /// Returns the boxes of the inner pieces of the body at a pose.
    pub fn boxes(&self, seat: &Pose) -> Vec<Aabb> {
        self.inner.iter().map(|piece| ShapeRef::Convex(&piece.convex).bounds_at(&piece.at(seat))).collect()
    }
}

/// A part and the pose of its body.
struct PartPoses<'a> {
    /// Pose of the part in the world.
    pose: &'a Pose,
    /// Pose of the body in the frame of the search.
    seat: &'a Pose,
    /// Pose of the part in the body.
    local: Pose,
}

/// Adds the convex sets that are known to lie in a shape.
fn add_pieces<'a>(shape: ShapeRef<'a>, at: &PartPoses<'_>, near: &Aabb, found: &mut Vec<PlacedPiece<'a>>) {
    let (pose, local) = (at.pose, at.local);
    let mut add = |convex: Cow<'a, Convex>| found.push(PlacedPiece { convex, local });
    match shape {
        ShapeRef::Convex(convex) => add(Cow::Borrowed(convex)),
        ShapeRef::Mesh(mesh) => pieces_within(convex_pieces(mesh), pose, 0.0).for_each(add),
        ShapeRef::Rounded(rounded) => {
            let (mesh, margin) = (rounded.mesh(), rounded.margin());
            let pieces = convex_pieces(mesh);
            if pieces.inner.is_empty() {
                // Inside an open surface with a margin are its triangles with that margin.
                let all: Vec<u32> = (0..mesh.mesh().triangles().len() as u32).collect();
                let flat = triangles(mesh, &all).into_iter().filter_map(|flat| flat.with_margin(margin).ok());
                flat.for_each(|grown| add(Cow::Owned(grown)));
            } else {
                pieces_within(pieces, pose, margin).for_each(add);
            }
        }
        ShapeRef::Superquadric(exact) => pieces_within(exact.convex_pieces(), pose, exact.margin()).for_each(add),
        ShapeRef::Compound(compound) => {
            for (number, part) in (0u32..).zip(compound.parts()) {
                // Compounds in compounds are dissolved.
                if bounds_at(&part.shape.bounds(), &compound.place(number, at.seat)).overlaps(near) {
                    let placed = PartPoses { pose: &compound.place(number, pose), seat: at.seat, local: part.pose };
                    add_pieces((&part.shape).into(), &placed, near, found);
                }
            }
        }
    }
}

/// Returns the inner pieces of a placed shape with a margin. A pose does not turn a margin: if it is not quite a
/// rotation, so that the mesh may shrink, balls shrink with it.
fn pieces_within<'a>(of: &'a ConvexPieces, pose: &Pose, margin: f64) -> impl Iterator<Item = Cow<'a, Convex>> {
    let left = (1.0 - 2.0 * pose.defect()).max(0.0);
    of.inner.iter().filter_map(move |piece| {
        let all = piece.margin() * left + margin;
        if all == piece.margin() {
            return Some(Cow::Borrowed(piece));
        }
        piece.clone().remargined(all).ok().map(Cow::Owned)
    })
}

/// Builds a convex shape from a box.
fn of_box(bounds: &Aabb) -> Option<Convex> {
    Convex::hull(&bounds.corners()).ok()
}

/// Returns the box in the world around a placed box.
pub(crate) fn bounds_at(bounds: &Aabb, pose: &Pose) -> Aabb {
    Aabb::from_points(bounds.corners().map(|corner| pose.place(corner)))
}

/// Builds convex sets of some of the triangles, spread evenly.
fn triangles(mesh: &MeshShape, numbers: &[u32]) -> Vec<Convex> {
    let stride = numbers.len().div_ceil(MAX_TRIANGLES).max(1);
    let convex = numbers.iter().step_by(stride).map(|&triangle| Convex::triangle(mesh.mesh().corners(triangle)));
    convex.filter_map(Result::ok).collect()
}
