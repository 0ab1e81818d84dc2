//! Lines of approach along which a part moves to another until their surfaces touch.
//!
//! In: two shapes, random numbers. Out: lines of approach with the place of contact on them. Method: a random direction
//! and turn, steps from outside inward to a placement that touches, then bisection. Steps of a part that is much
//! smaller than its partner would pass the partner's surface without contact. Such a part is placed on the surface at
//! the point where the line meets it.
//! Guarantees: parts of any sizes that `f64` holds, as lengths are scaled before they are squared; no query starts
//! after the time is over.

use super::poses::{Placement, draw_direction};
use heurt::geometry::{Aabb, Pose, SplitMix64, Vec3};
use heurt::query::{Budget, Budgeted, OverlapOptions, overlap_with};
use heurt::query::{Ray, ray};
use heurt::shape::MeshShape;
use std::time::Instant;

/// Two parts that are moved into contact.
pub(crate) struct Meeting<'a> {
    shapes: [&'a MeshShape; 2],
    radii: [f64; 2],
    /// End of the time for the search.
    until: Option<Instant>,
}

/// A line along which the second part moves to the first, and the distance at which they touch.
pub(crate) struct Approach {
    turn: [f64; 4],
    /// Distance of the centres at contact.
    contact: f64,
    direction: Vec3,
    centres: [Vec3; 2],
    /// Size of the smaller part.
    size: f64,
}

/// Number of steps from outside to the centre.
const STEPS: u32 = 32;
/// Tolerance of the contact, as a share of the smaller part's size.
const FINE: f64 = 1e-7;
/// Largest number of bisections: each halves an `f64` interval, so more would change nothing.
const MAX_HALVES: u32 = 64;

impl<'a> Meeting<'a> {
    pub(crate) fn new(a: &'a MeshShape, b: &'a MeshShape, until: Option<Instant>) -> Self {
        Self { shapes: [a, b], radii: [a, b].map(|shape| radius(shape.bounds())), until }
    }

    /// Reports whether time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Reports whether the placed surfaces touch; `None` if time was over before.
    pub(crate) fn touch(&self, [pose_a, pose_b]: &Placement) -> Option<bool> {
        let [a, b] = self.shapes;
        let is_over = || self.is_over();
        let budget = Budget { is_over: Some(&is_over), ..Budget::default() };
        match overlap_with(a, pose_a, b, pose_b, &OverlapOptions { budget }).outcome {
            Budgeted::Complete(witness) => Some(witness.is_some()),
            Budgeted::Partial(()) => None,
        }
    }

    /// Takes a random direction and turn and finds a contact; `None` if the parts miss each other, or time is over.
    pub(crate) fn approach(&self, random: &mut SplitMix64) -> Option<Approach> {
        let [smaller, larger] = [self.radii[0].min(self.radii[1]), self.radii[0].max(self.radii[1])];
        let mut approach = Approach {
            turn: draw_direction(random),
            contact: 0.0,
            direction: Vec3::from_array(draw_direction(random)),
            centres: self.shapes.map(|shape| shape.bounds().centre()),
            // A part that is a single point has no size; the larger one's is taken.
            size: 2.0 * if smaller > 0.0 { smaller } else { larger },
        };
        let outside = 1.01 * (self.radii[0] + self.radii[1]);
        let (mut near, mut far) = self.bracket(&mut approach, outside)?;
        for _ in 0..MAX_HALVES {
            if far - near <= FINE * approach.size {
                break;
            }
            if self.touches_at(&mut approach, (near + far) / 2.0) {
                near = approach.contact
            } else {
                far = approach.contact
            }
        }
        approach.contact = (near + far) / 2.0;
        (!self.is_over()).then_some(approach)
    }

    /// Finds a distance at which the parts touch, and a larger one at which they do not.
    fn bracket(&self, approach: &mut Approach, outside: f64) -> Option<(f64, f64)> {
        let mut far = outside;
        for step in 1..=STEPS {
            let at = outside * (1.0 - f64::from(step) / f64::from(STEPS));
            if self.touches_at(approach, at) {
                return Some((at, far));
            }
            far = at;
        }
        let on_surface = self.surface_on_line(approach, outside)?;
        self.touches_at(approach, on_surface).then_some((on_surface, outside))
    }

    fn touches_at(&self, approach: &mut Approach, contact: f64) -> bool {
        approach.contact = contact;
        approach.at(0.0).is_some_and(|placed| self.touch(&placed) == Some(true))
    }

    /// Computes the distance of the centres at which the centre of the smaller part lies on the surface of the larger
    /// one.
    fn surface_on_line(&self, approach: &Approach, outside: f64) -> Option<f64> {
        let is_a = self.radii[0] >= self.radii[1];
        let (larger, turn) = if is_a { (0, Pose::IDENTITY) } else { (1, approach.turned()?) };
        let centre = turn.place(approach.centres[larger]);
        // If the larger part is the moving one, the direction relative to it is reversed.
        let side = if is_a { approach.direction } else { -approach.direction };
        let sight = Ray::new(centre + side * outside, -side, outside).ok()?;
        Some(outside - ray(self.shapes[larger], &turn, &sight)?.t)
    }
}

impl Approach {
    /// Computes the placement `outward` from the contact, as a share of the smaller part's size.
    pub(crate) fn at(&self, outward: f64) -> Option<Placement> {
        let centre = self.centres[0] + self.direction * (self.contact + outward * self.size);
        let pose_b = Pose::from_quaternion(self.turn, centre - self.turned()?.place(self.centres[1])).ok()?;
        Some([Pose::IDENTITY, pose_b])
    }

    fn turned(&self) -> Option<Pose> {
        Pose::from_quaternion(self.turn, Vec3::ZERO).ok()
    }
}

/// Computes the radius of the sphere around a box. Squares of huge and tiny lengths overflow or underflow, squares of
/// shares do not.
fn radius(bounds: &Aabb) -> f64 {
    let half = bounds.half_extents();
    let longest = half.max_element();
    if longest > 0.0 { longest * (half / longest).length() } else { 0.0 }
}
