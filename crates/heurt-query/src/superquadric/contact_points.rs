//! Contact points of a superquadric with another shape: places all over its surface that touch or nearly do.

use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::placed::{Placed, PlacedShape};
use crate::closest::closest_counted;
use crate::convex::boundary::ORIGIN;
use crate::distance::distance_metered;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::{ShapeRef, Superquadric};

/// Number of times that patches are halved for places.
const HALVINGS: usize = 2;

/// A place of the surface of A, and the point of another shape B nearest to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touching {
    pub on_a: Vec3,
    pub on_b: Vec3,
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// Along the normal, in metres; negative inside B.
    pub separation: f64,
    /// The primitive of B.
    pub primitive: u32,
}

/// Finds places of a placed surface within `reach` metres of another placed shape, within the budget. Places inside
/// that shape are found only if `with_inside`.
pub(crate) fn places(
    a: Placed<'_, &Superquadric>,
    b: PlacedShape<'_>,
    reach: f64,
    with_inside: bool,
    meter: &WorkMeter<'_>,
) -> Vec<Touching> {
    let near = b.shape.bounds_at(b.pose);
    let near = Aabb { min: near.min - reach, max: near.max + reach };
    let is_near = |place: &Vec3| near.min.cmple(*place).all() && place.cmple(near.max).all();
    let mut found = Vec::new();
    for place in of_surface(a).into_iter().filter(is_near) {
        let Ok(at) = Pose::from_translation(place) else { continue };
        let nearest = match distance_metered(Placed::new(ShapeRef::Convex(&ORIGIN), &at), b, reach, meter) {
            Budgeted::Complete(Some(nearest)) => nearest,
            Budgeted::Complete(None) => continue,
            Budgeted::Partial(_) => break,
        };
        let primitive = nearest.primitives.map_or(0, |[_, j]| j);
        if let Some(normal) = nearest.normal {
            let (on_b, separation) = (nearest.point_b, nearest.distance);
            found.push(Touching { on_a: place, on_b, normal, separation, primitive });
        } else if with_inside {
            let (out, work) = closest_counted(b.shape, b.pose, place);
            meter.add(work);
            if let Some(normal) = (place - out.point).try_normalize() {
                let separation = -out.distance;
                found.push(Touching { on_a: place, on_b: out.point, normal, separation, primitive: out.primitive });
            }
        }
    }
    found
}

/// Returns places spread over the surface, in the world, each once.
fn of_surface(Placed { shape: a, pose }: Placed<'_, &Superquadric>) -> Vec<Vec3> {
    let mut patches = a.patches();
    for _ in 0..HALVINGS {
        patches = patches.iter().flat_map(|patch| patch.halves(a)).collect();
    }
    // The sum with zero removes the sign of a zero.
    let mut places: Vec<Vec3> =
        patches.iter().flat_map(|patch| patch.corners(a)).map(|place| place + Vec3::ZERO).collect();
    let key = |place: &Vec3| (place.x, place.y, place.z);
    places.sort_by(|x, y| {
        let ((x, y, z), (u, v, w)) = (key(x), key(y));
        x.total_cmp(&u).then(y.total_cmp(&v)).then(z.total_cmp(&w))
    });
    places.dedup();
    places.into_iter().map(|place| pose.place(place)).collect()
}
