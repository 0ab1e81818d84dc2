//! A placed shape with what is known about its inside.

use crate::algo::inner_pieces::convex_pieces;
use crate::algo::placed_convex::{PlacedCore, Support};
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::{Convex, MeshShape, ShapeRef};
use std::borrow::Cow;

/// Triangles of a surface without inner pieces that are taken for such, at most.
const MOST_TRIANGLES: usize = 64;

/// A placed shape, convex sets that it holds, and one that holds it.
pub(crate) struct Body<'a> {
    pub shape: ShapeRef<'a>,
    pub pose: &'a Pose,
    /// In the frame of the shape; none has a margin that is told by triangles.
    pub inner: Cow<'a, [Convex]>,
    /// `None` beyond the range of numbers.
    pub hull: Option<&'a Convex>,
}

impl<'a> Body<'a> {
    /// A bounded convex shape: its own and only piece.
    pub fn of_convex(convex: &'a Convex, pose: &'a Pose) -> Self {
        let inner = Cow::Borrowed(std::slice::from_ref(convex));
        Self { shape: convex.into(), pose, inner, hull: Some(convex) }
    }

    /// A mesh. Where nothing convex is known to lie in it, the triangles `meeting` of its surface serve, in ascending order.
    pub fn of_mesh(mesh: &'a MeshShape, pose: &'a Pose, meeting: impl FnOnce() -> Vec<u32>) -> Self {
        let pieces = convex_pieces(mesh);
        let inner = match pieces.inner.is_empty() {
            false => Cow::Borrowed(pieces.inner.as_slice()),
            true => Cow::Owned(triangles(mesh, &meeting())),
        };
        Self { shape: mesh.into(), pose, inner, hull: pieces.hull.as_ref() }
    }

    /// The largest coordinate that is made on the way.
    pub fn largest(&self) -> f64 {
        let reach = self.bounds();
        reach.min.abs().max(reach.max.abs()).max_element() + self.pose.span()
    }

    /// A box that holds the shape, in its own frame.
    pub fn bounds(&self) -> Aabb {
        match self.shape {
            ShapeRef::Mesh(mesh) => *mesh.bounds(),
            ShapeRef::Convex(convex) => convex.bounds(),
        }
    }

    /// The boxes of the inner pieces in the world, but for rounding.
    pub fn boxes(&self) -> Vec<Aabb> {
        self.inner.iter().map(|piece| placed_box(piece, self.pose)).collect()
    }
}

/// The box of a placed convex shape in the world, but for rounding.
pub(crate) fn placed_box(convex: &Convex, pose: &Pose) -> Aabb {
    let Some(core) = PlacedCore::new(convex, pose, 1.0) else {
        return Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    };
    let farthest = |sign: f64| {
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| core.support(axis * sign).point);
        Vec3::new(x.x, y.y, z.z) + Vec3::splat(sign * convex.margin())
    };
    Aabb { min: farthest(-1.0), max: farthest(1.0) }
}

/// Some of the triangles as convex sets, spread evenly.
fn triangles(mesh: &MeshShape, numbers: &[u32]) -> Vec<Convex> {
    let stride = numbers.len().div_ceil(MOST_TRIANGLES).max(1);
    let convex = numbers.iter().step_by(stride).map(|&triangle| Convex::triangle(mesh.mesh().corners(triangle)));
    convex.filter_map(Result::ok).collect()
}
