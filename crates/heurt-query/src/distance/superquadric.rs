//! A placed superquadric and any shape that is no compound.
//!
//! Method: for a half-space the support point; for two superquadrics, pairs of patches; else patches against the
//! shape (`superquadric`), all less the margins.
//! Guarantees: `error` reaches from the upper bound to the lower one, and is mostly some ulp.

use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::distance::without_margin;
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::answer::placed::{Placed, PlacedShape};
use crate::convex::half_space::under;
use crate::superquadric::{PatchQuery, clearance, clearance_of_two, of_two, search};
use heurt_geometry::robust_length;
use heurt_shape::{ShapeRef, SuperquadricShape};

/// Finds how far they are disjoint if that is not above `max` metres.
pub(crate) fn superquadric_distance(
    Placed { shape: a, pose: pose_a }: Placed<'_, &SuperquadricShape>,
    Placed { shape: b, pose: pose_b }: PlacedShape<'_>,
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    if let ShapeRef::Convex(b) = b
        && let Some(gap) = under(b, pose_b, a, pose_a)
    {
        let found = Distance::over_half_space(&gap, Some([0, 0]));
        meter.add_pair();
        return Budgeted::Complete(Some(found).filter(|found| found.distance <= max));
    }
    let (b, margin_b) = without_margin(b);
    // Surfaces within the margins overlap, however near they are.
    let near = a.margin() + margin_b;
    let reach = max + near;
    let found = match b {
        ShapeRef::Superquadric(b) => {
            of_two(Placed::new(a.surface(), pose_a), Placed::new(b.surface(), pose_b), [near, reach], meter)
        }
        b => search(PatchQuery { a: a.surface(), pose_a, b, pose_b, is_solid: true, near, max: reach }, meter),
    };
    // Surfaces within the margins are not refined, as points of both prove it: their rounding errors alone are
    // open.
    let proved = |found: Distance| match found.distance <= near {
        true => Distance { error: found.error.min(proved_by_points(&found)), ..found },
        false => found,
    };
    found.map_found(proved).less_margins([a.margin(), margin_b], max)
}

/// How much more than was reported two points may be disjoint.
fn proved_by_points(found: &Distance) -> f64 {
    let largest = found.point_a.abs().max(found.point_b.abs()).max_element();
    (robust_length(found.point_b - found.point_a) - found.distance).max(0.0) + 64.0 * f64::EPSILON * largest
}

/// How far a superquadric and another shape that is neither a compound nor endless provably are disjoint, as far as
/// `most` and as there is something to spend.
pub(crate) fn superquadric_clearance(
    Placed { shape: a, pose: pose_a }: Placed<'_, &SuperquadricShape>,
    Placed { shape: b, pose: pose_b }: PlacedShape<'_>,
    most: f64,
    meter: &WorkMeter<'_>,
) -> f64 {
    let (b, margin_b) = without_margin(b);
    let near = a.margin() + margin_b;
    let max = most + near;
    let found = match b {
        ShapeRef::Superquadric(b) => {
            clearance_of_two(Placed::new(a.surface(), pose_a), Placed::new(b.surface(), pose_b), [near, max], meter)
        }
        b => clearance(PatchQuery { a: a.surface(), pose_a, b, pose_b, is_solid: true, near, max }, meter),
    };
    (found - near).max(0.0)
}
