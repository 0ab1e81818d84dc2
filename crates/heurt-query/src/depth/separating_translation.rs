//! Separating translations of two shapes, and the descent to shorter ones.

use super::DepthSearch;
use crate::answer::placed::Placed;
use crate::convex::contact::convex_contact;
use crate::convex::pair::ConvexPair;
use crate::depth::operand::{DepthOperand, bounds_at};
use crate::depth::translation_obstacle::HalfSpace;
use heurt_geometry::{Vec3, robust_length, robust_normalize};

/// Maximum number of steps of a descent from planes to planes.
const MAX_STEPS: usize = 8;
/// A step ends the descent if the translation stays above this share of the last.
const STALLED: f64 = 0.999;
/// Maximum number of sweeps over all planes.
const SWEEPS: usize = 64;
/// First step from a translation that does not separate towards one that does, as a share of their distance. `GROWTH`:
/// the factor of the next steps.
const FIRST_STEP: f64 = 1e-14;
const GROWTH: f64 = 16.0;
const HALVINGS: usize = 10;
/// Distances beyond the planes between inner pieces at which the shapes may separate, as shares of the shortest
/// translation.
const FARTHER: [f64; 8] = [1e-5, 1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, 0.1];

impl DepthSearch<'_> {
    /// Finds the first translation: by the hulls, or along an axis.
    pub(crate) fn separate_hulls(&mut self) {
        let [seat_a, seat_b] = &self.seats.poses;
        let mut proposed: Vec<Vec3> =
            separating_offset_of_hulls(Placed::new(self.a, seat_a), Placed::new(self.b, seat_b), self.ulp)
                .into_iter()
                .collect();
        let [box_a, box_b] =
            [(self.a, seat_a), (self.b, seat_b)].map(|(body, seat)| bounds_at(&body.shape.bounds(), seat));
        for axis in 0..3 {
            let direction = Vec3::AXES[axis];
            proposed.push(direction * (box_a.max[axis] - box_b.min[axis]).max(self.ulp));
            proposed.push(-direction * (box_b.max[axis] - box_a.min[axis]).max(self.ulp));
        }
        for shift in proposed.into_iter().filter(|shift| shift.is_finite()) {
            // Farther, if the shapes still touch by rounding.
            let room = robust_normalize(shift).unwrap_or(Vec3::X) * (4.0 * self.room);
            let mut farther = [0.0, 1e-15, 1e-14, 1e-12, 1e-9].into_iter().map(|more| shift * (1.0 + more) + room);
            if let Some(shift) = farther.find(|&shift| robust_length(shift) < self.at_most && self.is_separated(shift))
            {
                self.take(shift);
            }
        }
    }

    /// Descends from the shortest translation to the planes that separate the pieces there, as long as that helps.
    pub(crate) fn descend(&mut self) {
        for _ in 0..MAX_STEPS {
            if self.meter.is_exhausted() {
                return;
            }
            let (start, before) = (self.shortest, self.at_most);
            let planes: Vec<HalfSpace> =
                (0..self.obstacles.len()).filter_map(|obstacle| self.plane_at(obstacle, start)).collect();
            for target in [nearest_beyond(&planes, before), start * (self.at_least / before)] {
                let found = self.first_free(target, self.shortest);
                self.take(found);
            }
            if self.at_most > before * STALLED {
                break;
            }
        }
    }

    /// Searches from a translation at which no inner pieces overlap for one at which the shapes do not: beyond the
    /// planes between the pieces, farther and farther.
    pub(crate) fn leave(&mut self, from: Vec3) {
        let planes: Vec<HalfSpace> =
            (0..self.obstacles.len()).filter_map(|obstacle| self.plane_at(obstacle, from)).collect();
        for more in FARTHER.map(|share| share * self.at_most) {
            let beyond = |seen_from: Vec3| {
                let farther = planes
                    .iter()
                    .map(|plane| HalfSpace { height: plane.height + more - plane.normal.dot(seen_from), ..*plane });
                seen_from + nearest_beyond(&farther.collect::<Vec<HalfSpace>>(), self.at_most)
            };
            for shift in [beyond(Vec3::ZERO), beyond(from)] {
                if robust_length(shift) < self.at_most && self.is_separated(shift) {
                    self.take(shift);
                    self.descend();
                    return;
                }
            }
        }
    }

    /// Returns the shortest offset from a translation to beyond one plane of each obstacle, the plane that the
    /// translation is the least behind; `None` if the translation is beyond all of them.
    pub(crate) fn shortest_escape(&self, from: Vec3, obstacles: &[u32]) -> Option<Vec3> {
        let plane = |&number: &u32| {
            let seen_from = |space: &HalfSpace| HalfSpace { height: space.height - space.normal.dot(from), ..*space };
            let about = self.obstacles[number as usize].about.iter().map(seen_from);
            about.min_by(|x, y| x.height.total_cmp(&y.height))
        };
        let planes: Vec<HalfSpace> = obstacles.iter().filter_map(plane).collect();
        let translation = nearest_beyond(&planes, f64::INFINITY);
        (translation != Vec3::ZERO && translation.is_finite()).then_some(translation)
    }

    /// Finds a separating translation near `from` on the segment to `to`, which separates the shapes.
    fn first_free(&self, from: Vec3, to: Vec3) -> Vec3 {
        let at = |share: f64| from + (to - from) * share;
        let (mut low, mut high) = (0.0, 1.0);
        let mut share = FIRST_STEP;
        while share < 1.0 {
            if self.is_separated(at(share)) {
                high = share;
                break;
            }
            low = share;
            share *= GROWTH;
        }
        for _ in 0..HALVINGS {
            // Bisects the exponent, as the steps are powers.
            let middle = if low > 0.0 { (low * high).sqrt() } else { break };
            if self.is_separated(at(middle)) { high = middle } else { low = middle }
        }
        if high < 1.0 { at(high) } else { to }
    }
}

/// Returns the shortest translation that separates the hulls of two bodies at these poses, up to rounding.
pub(crate) fn separating_offset_of_hulls(
    Placed { shape: a, pose: pose_a }: Placed<'_, &DepthOperand<'_>>,
    Placed { shape: b, pose: pose_b }: Placed<'_, &DepthOperand<'_>>,
    ulp: f64,
) -> Option<Vec3> {
    let (hull_a, hull_b) = (a.hull.as_ref()?, b.hull.as_ref()?);
    let found = convex_contact(ConvexPair { a: hull_a, pose_a, b: hull_b, pose_b }, f64::INFINITY)?;
    Some(found.normal * (-found.separation).max(ulp))
}

/// Returns the point nearest to the origin that is beyond all planes (Hildreth 1957), by iteration; the caller corrects
/// the remaining error.
fn nearest_beyond(planes: &[HalfSpace], size: f64) -> Vec3 {
    let near: Vec<&HalfSpace> = planes.iter().filter(|plane| plane.height > -size).collect();
    let mut weights = vec![0.0; near.len()];
    let mut point = Vec3::ZERO;
    for _ in 0..SWEEPS {
        let mut change = 0.0;
        for (weight, plane) in weights.iter_mut().zip(&near) {
            let step = (plane.height - plane.normal.dot(point)).max(-*weight);
            *weight += step;
            point += plane.normal * step;
            change = f64::max(change, step.abs());
        }
        if change <= 1e-15 * robust_length(point) {
            break;
        }
    }
    point
}
