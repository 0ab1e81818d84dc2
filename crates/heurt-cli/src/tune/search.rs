//! Lines along which one part comes to the other until their surfaces touch.
//!
//! In: two shapes, random numbers. Out: lines of approach with the place of contact on them. Method: a random direction
//! and turn, steps from outside inward to one that touches, then bisection. What is much smaller than the other part
//! would step across its surface without touching: it is put onto it where the line meets it.
//! Guarantees: parts of any sizes that `f64` holds, lengths are scaled before they are squared; no query is queried
//! once time is over.

use super::poses::{Placement, Random};
use heurt::geometry::{Aabb, Pose, Vec3};
use heurt::query::{Budget, Budgeted, OverlapOptions, overlap_with};
use heurt::query::{Ray, ray};
use heurt::shape::MeshShape;
use std::time::Instant;

/// Two parts that are to meet.
pub(crate) struct Meeting<'a> {
    shapes: [&'a MeshShape; 2],
    radii: [f64; 2],
    /// When to give up.
    until: Option<Instant>,
}

/// A line along which the second part comes to the first, and where they touch.
pub(crate) struct Approach {
    turn: [f64; 4],
    /// From the centre of the first to that of the second, where they touch.
    contact: f64,
    direction: Vec3,
    centres: [Vec3; 2],
    /// Of the smaller part.
    size: f64,
}

/// Steps from outside to the centre.
const STEPS: u32 = 32;
/// The contact is found within this share of the smaller part's size,
const FINE: f64 = 1e-7;
/// in so many halves at most; each halves an `f64`, so more would change nothing.
const MAX_HALVES: u32 = 64;

impl<'a> Meeting<'a> {
    pub(crate) fn new(a: &'a MeshShape, b: &'a MeshShape, until: Option<Instant>) -> Self {
        Self { shapes: [a, b], radii: [a, b].map(|shape| radius(shape.bounds())), until }
    }

    /// Reports whether time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Reports whether the placed surfaces touch; `None` where time was over before it was known.
    pub(crate) fn touch(&self, [pose_a, pose_b]: &Placement) -> Option<bool> {
        let [a, b] = self.shapes;
        let is_over = || self.is_over();
        let budget = Budget { is_over: Some(&is_over), ..Budget::default() };
        match overlap_with(a, pose_a, b, pose_b, &OverlapOptions { budget }).outcome {
            Budgeted::Complete(witness) => Some(witness.is_some()),
            Budgeted::Cut(()) => None,
        }
    }

    /// Takes a random direction and turn and finds a contact; `None` where the parts pass each other, or time is over.
    pub(crate) fn approach(&self, random: &mut Random) -> Option<Approach> {
        let [smaller, larger] = [self.radii[0].min(self.radii[1]), self.radii[0].max(self.radii[1])];
        let mut approach = Approach {
            turn: random.direction(),
            contact: 0.0,
            direction: Vec3::from_array(random.direction()),
            centres: self.shapes.map(|shape| shape.bounds().centre()),
            // A part that is a single point has no size to go by.
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

    /// A place where the parts touch, and one farther out where they do not.
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

    /// How far from each other the centres are when that of the smaller part lies on the surface of the larger one.
    fn surface_on_line(&self, approach: &Approach, outside: f64) -> Option<f64> {
        let is_a = self.radii[0] >= self.radii[1];
        let (larger, turn) = if is_a { (0, Pose::IDENTITY) } else { (1, approach.turned()?) };
        let centre = turn.place(approach.centres[larger]);
        // Seen from the larger part the smaller one comes the other way where the larger one is the one that moves.
        let side = if is_a { approach.direction } else { -approach.direction };
        let sight = Ray::new(centre + side * outside, -side, outside).ok()?;
        Some(outside - ray(self.shapes[larger], &turn, &sight)?.t)
    }
}

impl Approach {
    /// The placement `outward` from the contact, as a share of the smaller part's size.
    pub(crate) fn at(&self, outward: f64) -> Option<Placement> {
        let centre = self.centres[0] + self.direction * (self.contact + outward * self.size);
        let pose_b = Pose::from_quaternion(self.turn, centre - self.turned()?.place(self.centres[1])).ok()?;
        Some([Pose::IDENTITY, pose_b])
    }

    fn turned(&self) -> Option<Pose> {
        Pose::from_quaternion(self.turn, Vec3::ZERO).ok()
    }
}

/// The radius of the sphere around a box; squares of huge and tiny lengths leave the range of numbers, those of shares
/// do not.
fn radius(bounds: &Aabb) -> f64 {
    let half = bounds.half_extents();
    let longest = half.max_element();
    if longest > 0.0 { longest * (half / longest).length() } else { 0.0 }
}
