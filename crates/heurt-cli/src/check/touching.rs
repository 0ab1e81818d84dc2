//! Whether parts whose surfaces meet merely touch, or have something of one in the other.
//!
//! In: two placed shapes and all pairs of triangles that intersect. Out: [`Contact::Touching`] only where it is certain
//! by the tests below; everything doubtful is [`Contact::Crossing`].
//! Method: two triangles of solids meet from outside when one of them lies wholly on the outer closed side of the plane
//! of the other. If that holds for every pair that meets, and no two coplanar triangles that face the same way share
//! area, then near each common point the solids lie side by side. Open surfaces have no outer side: there it suffices
//! that one triangle lies wholly on either closed side of the other's plane. Parts that hang together but meet nothing,
//! and the middles of triangles that meet something, are then looked for inside the other solid. All signs are exact, on
//! the placed `f64` vertices; middles are rounded, and only ever make a contact a crossing.
//! Not guaranteed: that a contact along reflex edges or of large triangles that turn a corner is recognised as touching.
//! Cost: O(pairs), and a point location for each of at most [`MOST_MIDDLES`] triangles and each component.

use heurt::geometry::{Pose, Sign, Triangle, Vec2, Vec3, is_degenerate, orient2d, orient3d};
use heurt::query::{Location, closest, winding_number};
use heurt::shape::MeshShape;

/// How surfaces that meet do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contact {
    /// The insides have nothing in common.
    Touching,
    /// The insides overlap, or may.
    Crossing,
}

/// Triangles whose middle is looked for in the other solid, at most, on each side.
const MOST_MIDDLES: usize = 256;

/// Classifies a contact. `meeting` are all intersecting pairs, at least one, in any order.
pub(super) fn contact(shapes: [&MeshShape; 2], poses: [&Pose; 2], meeting: &[[u32; 2]]) -> Contact {
    let placed = |side: usize, triangle: u32| {
        shapes[side].mesh().corners(triangle).map(|corner| poses[side].place(corner))
    };
    let solid = shapes.map(MeshShape::is_solid);
    let side_by_side = |&[i, j]: &[u32; 2]| meet_from_outside([&placed(0, i), &placed(1, j)], solid);
    if !meeting.iter().all(side_by_side) {
        return Contact::Crossing;
    }
    let enters = |side: usize| {
        let other = 1 - side;
        solid[other] && {
            let (shape, pose) = (shapes[other], poses[other]);
            let mut meeting: Vec<u32> = meeting.iter().map(|pair| pair[side]).collect();
            meeting.sort_unstable();
            meeting.dedup();
            let stride = meeting.len().div_ceil(MOST_MIDDLES);
            let middle = |triangle: u32| placed(side, triangle).iter().fold(Vec3::ZERO, |sum, &p| sum + p / 3.0);
            let part = |vertex: u32| poses[side].place(shapes[side].mesh().vertices()[vertex as usize]);
            shapes[side].components().iter().any(|component| {
                let vertex = part(component.vertex);
                matches!(winding_number(shape, pose, vertex), Location::Winding(winding) if winding != 0)
            })
                || meeting.iter().step_by(stride).any(|&triangle| is_deep_inside(shape, pose, middle(triangle)))
        }
    };
    if enters(0) || enters(1) { Contact::Crossing } else { Contact::Touching }
}

/// Tells whether `point` lies inside, and farther from the surface than rounding can have moved it.
fn is_deep_inside(shape: &MeshShape, pose: &Pose, point: Vec3) -> bool {
    const ROUNDING: f64 = 64.0 * f64::EPSILON;
    let found = closest(shape, pose, point);
    found.inside == Some(true) && found.distance > found.error + ROUNDING * point.abs().max_element()
}

/// Tells whether one of two intersecting triangles lies outside the other.
fn meet_from_outside([one, other]: [&Triangle; 2], [one_solid, other_solid]: [bool; 2]) -> bool {
    // A triangle without area borders no inside of its own: its neighbours tell.
    if is_degenerate(one) || is_degenerate(other) {
        return true;
    }
    let (above_one, below_one) = sides(one, other);
    if !above_one && !below_one {
        return !(one_solid && other_solid && face_alike(one, other) && share_area(one, other));
    }
    let (above_other, below_other) = sides(other, one);
    let outside = |solid: bool, above: bool, below: bool| !below || (!solid && !above);
    outside(one_solid, above_one, below_one) || outside(other_solid, above_other, below_other)
}

/// Whether a corner of `of` lies strictly above, and one strictly below, the plane of `plane`.
fn sides([a, b, c]: &Triangle, of: &Triangle) -> (bool, bool) {
    let signs = of.map(|corner| orient3d(*a, *b, *c, corner));
    (signs.contains(&Sign::Positive), signs.contains(&Sign::Negative))
}

/// Axes to look along, so that a triangle with area shows area along one of them.
const VIEWS: [fn(Vec3) -> Vec2; 3] = [|p| Vec2::new(p.y, p.z), |p| Vec2::new(p.z, p.x), |p| Vec2::new(p.x, p.y)];

fn turn(view: fn(Vec3) -> Vec2, [a, b, c]: &Triangle) -> Sign {
    orient2d(view(*a), view(*b), view(*c))
}

/// Tells whether two coplanar triangles with area have their normals the same way.
fn face_alike(one: &Triangle, other: &Triangle) -> bool {
    VIEWS.into_iter().any(|view| turn(view, one) != Sign::Zero && turn(view, one) == turn(view, other))
}

/// Tells whether two coplanar triangles with area, that face alike, have more than a line in common.
fn share_area(one: &Triangle, other: &Triangle) -> bool {
    let Some(view) = VIEWS.into_iter().find(|&view| turn(view, one) != Sign::Zero) else { return false };
    let inner = turn(view, one);
    // Convex sets in a plane have no inner point in common exactly if a side of one of them parts them.
    let parts = |from: &Triangle, of: &Triangle| {
        (0..3).any(|side| {
            let [p, q] = [from[side], from[(side + 1) % 3]];
            of.iter().all(|&corner| orient2d(view(p), view(q), view(corner)) != inner)
        })
    };
    !parts(one, other) && !parts(other, one)
}
