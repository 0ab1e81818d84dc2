//! Penetration depth of two overlapping cores that turn around the same axis, or nearly.
//!
//! In: two curved or pointed cores. Out: [`Depth`] in the unit of the search; `None` if they have no axis in common.
//! Method: if all directions across the axis are equivalent, a polytope in space needs facets on all sides before it
//! proves anything. (`epa` keeps a gap of a thousandth of the size.) But A − B turns around the axis as well: a result
//! for one half-plane through the axis holds for all. There a convex polygon grows towards the outline, at the side
//! nearest to the origin first.
//! Guarantees: both bounds hold; their gap is some ulp, plus twice the offset of the axes.

use crate::convex::curved::axis_overlap::along;
use crate::convex::epa::Depth;
use crate::convex::support::{PlacedCore, Support};
use heurt_geometry::{Pose, Vec3, robust_length, robust_normalize};
use heurt_shape::{Convex, Core, Round};

/// Maximum number of sides that are tested; each improves a bound to approximately its square.
const SIDES: usize = 64;

/// A core with an axis, in the unit of the search.
struct Turned {
    middle: Vec3,
    /// `None` if any direction serves.
    axis: Option<Vec3>,
}

impl Turned {
    fn new(shape: &Convex, pose: &Pose, middle: Vec3) -> Option<Self> {
        let axes = pose.rotation();
        let axis = match shape.core() {
            Core::Hull(hull) => match hull.corners() {
                [_] => None,
                [from, to] => Some(*axes * (*to - *from)),
                _ => return None,
            },
            Core::Round(Round::Cylinder { .. } | Round::Cone { .. }) => Some(axes.z_axis),
            Core::Round(Round::Ellipsoid { radii }) => {
                match [radii.x == radii.y, radii.y == radii.z, radii.z == radii.x] {
                    [true, true, _] => None,
                    [true, ..] => Some(axes.z_axis),
                    [_, true, _] => Some(axes.x_axis),
                    [.., true] => Some(axes.y_axis),
                    _ => return None,
                }
            }
            Core::Round(Round::Superellipsoid { radii, n2, .. }) if radii.x == radii.y && *n2 == 1.0 => {
                Some(axes.z_axis)
            }
            Core::Round(Round::Superellipsoid { .. }) | Core::HalfSpace { .. } => return None,
        };
        Some(Self { middle, axis: axis.and_then(robust_normalize) })
    }
}

/// Bounds the depth of two cores whose sizes sum to `size`, if they overlap; the lower bound is 0 if they do not.
pub(crate) fn depth(
    (shape_a, pose_a, a): (&Convex, &Pose, &PlacedCore<'_>),
    (shape_b, pose_b, b): (&Convex, &Pose, &PlacedCore<'_>),
    size: f64,
    rounding: f64,
) -> Option<Depth> {
    let of_a = Turned::new(shape_a, pose_a, a.middle())?;
    let of_b = Turned::new(shape_b, pose_b, b.middle())?;
    let between = of_b.middle - of_a.middle;
    let axis = of_a.axis.or(of_b.axis).or(robust_normalize(between)).unwrap_or(Vec3::Z);
    let tilt = of_b.axis.map_or(0.0, |other| axis.cross(other).length());
    let off = 2.0 * (robust_length(between - axis * axis.dot(between)) + tilt * size) + 16.0 * rounding;
    let found = in_half_plane(a, b, axis, axis.any_orthonormal_vector(), rounding);
    Some(Depth { at_least: (found.at_least - off).max(0.0), ..found })
}

/// Bounds the depth by the outline in the half-plane from the axis outwards.
fn in_half_plane(a: &impl Support, b: &impl Support, axis: Vec3, outwards: Vec3, gap: f64) -> Depth {
    let seen = |found: &Depth| {
        let point = found.on_a - found.on_b;
        [outwards.dot(point), axis.dot(point)]
    };
    let [below, outermost, above] = [-axis, outwards, axis].map(|direction| along(a, b, direction));
    // The points most distant along the axis turn around it, so that their middle lies in the axis.
    let mut outline = vec![[0.0, seen(&below)[1]], seen(&outermost), [0.0, seen(&above)[1]]];
    let lesser = |best: Depth, next: Depth| if next.at_most < best.at_most { next } else { best };
    let mut best = lesser(lesser(outermost, below), above);
    let mut at_least = 0.0;
    for _ in 0..SIDES {
        let sides = outline.windows(2).enumerate().filter_map(|(k, ends)| {
            let [along, up] = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
            let length = along.hypot(up);
            let normal = [up / length, -along / length];
            (length > 0.0).then(|| (k, normal, normal[0] * ends[0][0] + normal[1] * ends[0][1]))
        });
        let Some((nearest, normal, distance)) = sides.min_by(|x, y| x.2.total_cmp(&y.2)) else { break };
        at_least = distance;
        if best.at_most - distance <= gap {
            break;
        }
        let next = along(a, b, outwards * normal[0] + axis * normal[1]);
        let grows = next.at_most - distance > gap;
        best = lesser(best, next);
        if !grows {
            break;
        }
        outline.insert(nearest + 1, seen(&next));
    }
    Depth { at_least: at_least.min(best.at_most), ..best }
}
