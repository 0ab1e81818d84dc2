//! Cast of moving superquadrics: branch and bound in time over the patches of their surfaces.
//!
//! In: two moving, disjoint shapes of which at least one is a superquadric; a window of time. Out: the earliest
//! [`ContactTime`].
//! Method: a patch lies in the hull of sixteen points, which is cast as any convex shape is (S0 §6.3): this bounds the
//! time at which a patch touches from below. The search takes the pair of patches, or patch and second shape, with the
//! least bound, and halves the larger patch, until points of both surfaces are within the tolerance at that time. Then
//! the shapes are tested at times at which that gap should be closed.
//! Guarantees: before `time` nothing touches: all remaining pairs have a later bound. A pass at more than half the
//! tolerance is not reported. Bounded by [`MAX_CASTS`] and [`MAX_WORK`]; if they are exhausted, `upper` is a later time
//! at which the shapes provably meet, or the end.
//! Cost: some hundred casts of hulls if the first contact is at one place. For a contact along a curve, the search
//! needs patches whose hulls are as near to the surfaces as the surfaces are to each other; their number may exceed the
//! bounds.

use super::{MovingShape, meeting};
use crate::answer::budget::WorkMeter;
use crate::answer::placed::Placed;
use crate::cast::conservative_advancement::{CastGap, ContactTime, OVERSHOOTS, TimeWindow, not_before};
use crate::cast::convex_convex::{CastOperand, ConvexCast};
use crate::convex::boundary::ORIGIN;
use crate::distance::distance_counted;
use crate::motion::approach::{Approach, Moment, closing};
use crate::overlap::overlap_metered;
use crate::superquadric::{Ranked, below, nearer};
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Patch, ShapeRef, Superquadric};
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Limit of casts of hulls.
const MAX_CASTS: u32 = 1 << 14;
/// Limit of the volumes and primitives that all casts together may test, except the last cast.
const MAX_WORK: u64 = 1 << 22;
/// Limit of gaps computed in a cast of a hull and another convex shape: beyond it, halves give better bounds earlier.
const MAX_GAPS: u32 = 32;
/// Limit of gaps within the tolerance that are not closed soon; only the first, second, fourth … are tested for
/// contact.
const MAX_GRAZES: u32 = 256;
/// Factor of the tolerance for casts of hulls.
const CLOSER: f64 = 0.25;
/// Error bound of hulls that contain their patches, relative to the largest coordinate.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// The number of halvings of the rest of the window, at which grazing shapes are tested last.
const HALVINGS: i32 = 6;

/// Finds the first contact of two shapes, patch by patch.
pub(super) fn meeting_of_patches(
    a: &MovingShape<'_>,
    b: &MovingShape<'_>,
    window: TimeWindow,
    meter: &WorkMeter<'_>,
) -> Option<ContactTime> {
    let (sides, open, before) = ([*a, *b], BinaryHeap::new(), meter.done());
    let rounding = sides.iter().map(|side| side.mover.rounding(side.shape.max_coordinate(), window.until)).sum();
    PatchCastSearch { sides, window, meter, rounding, open, casts: 0, grazes: 0, before }.run()
}

/// A patch of a superquadric, or all of another shape.
struct CastPatch {
    patch: Option<(Patch, Option<Convex>)>,
    /// In the frame of the shape: its middle, and the corners of a patch.
    places: [Vec3; 5],
    /// Its points are within `beyond` of points at most `radius` from the middle, in the frame of the shape.
    radius: f64,
    beyond: f64,
}

impl CastPatch {
    fn of_patch(patch: Patch, surface: &Superquadric, margin: f64) -> Rc<Self> {
        let [p, q, r, s] = patch.corners(surface);
        let places = [patch.middle(surface), p, q, r, s];
        let points = patch.hull(surface);
        let rounding = ROUNDING * surface.bounds().max.max_element();
        let beyond = margin + rounding;
        let radius = points.iter().map(|point| (*point - places[0]).length()).fold(0.0, f64::max);
        // Without a hull, only the ball gives bounds.
        let hull = Convex::hull(&points).and_then(|hull| hull.with_margin(beyond)).ok();
        Rc::new(Self { patch: Some((patch, hull)), places, radius, beyond })
    }

    fn of_all(shape: ShapeRef<'_>) -> Rc<Self> {
        let bounds = shape.bounds();
        Rc::new(Self { patch: None, places: [bounds.centre(); 5], radius: bounds.half_extents().length(), beyond: 0.0 })
    }
}

/// A queued pair of patches.
struct OpenPatch {
    pieces: [Rc<CastPatch>; 2],
    /// Whether the time comes from the hulls, not the balls.
    is_cast: bool,
}

struct PatchCastSearch<'a, 'b> {
    sides: [MovingShape<'a>; 2],
    window: TimeWindow,
    meter: &'a WorkMeter<'b>,
    /// Bounds the error of placed coordinates of both.
    rounding: f64,
    /// Ordered by the time before which they do not touch.
    open: BinaryHeap<Ranked<OpenPatch>>,
    casts: u32,
    grazes: u32,
    /// The work done before the search began.
    before: Work,
}

impl PatchCastSearch<'_, '_> {
    fn run(&mut self) -> Option<ContactTime> {
        let [of_a, of_b] = self.sides.map(|side| match side.shape {
            ShapeRef::Superquadric(shape) => {
                let patches = shape.surface().patches().into_iter();
                patches.map(|patch| CastPatch::of_patch(patch, shape.surface(), shape.margin())).collect()
            }
            shape => vec![CastPatch::of_all(shape)],
        });
        let from = self.window.from;
        let pairs = of_a.iter().flat_map(|i| of_b.iter().map(move |j| [Rc::clone(i), Rc::clone(j)]));
        self.add(pairs.collect(), from);
        while let Some(Ranked { at_least: time, item: OpenPatch { pieces, is_cast }, .. }) = self.open.pop() {
            if self.meter.is_exhausted() {
                let gap = CastGap::unknown(&self.sides.each_ref().map(|side| side.mover.at(time)));
                return Some(ContactTime { time, upper: self.window.until, is_met: false, gap });
            }
            let is_spent = self.is_spent();
            if !is_cast && !is_spent {
                if let Some(time) = self.cast(&pieces, time) {
                    self.push(time, OpenPatch { pieces, is_cast: true });
                }
                continue;
            }
            let gap = self.gap(&pieces, time);
            if gap.length <= self.window.tolerance {
                self.grazes += 1;
                if self.grazes.is_power_of_two()
                    && let Some(upper) = self.closed_at(&gap, time)
                {
                    return Some(ContactTime { time, upper, is_met: true, gap });
                }
            }
            if is_spent {
                let met = self.met_after(time);
                let upper = met.unwrap_or(self.window.until);
                return Some(ContactTime { time, upper, is_met: met.is_some(), gap });
            }
            let pairs = self.cut(&pieces);
            self.add(pairs, time);
        }
        None
    }

    fn is_spent(&self) -> bool {
        let (done, before) = (self.meter.done(), self.before);
        let work = done.volumes + done.primitives - before.volumes - before.primitives;
        self.casts >= MAX_CASTS || self.grazes >= MAX_GRAZES || work >= MAX_WORK
    }

    /// Queues a pair that does not touch before `time`. Among equal times the smallest patches come first, so that
    /// places which touch are found soon.
    fn push(&mut self, time: f64, item: OpenPatch) {
        // A time that is not a number is kept.
        if time.is_nan() || time <= self.window.until {
            let size = item.pieces.iter().map(|piece| piece.radius).sum();
            self.open.push(Ranked { at_least: time.max(self.window.from), at_most: size, item });
        }
    }

    /// Adds pairs that do not touch before a time; balls give a later bound.
    fn add(&mut self, pairs: Vec<[Rc<CastPatch>; 2]>, time: f64) {
        let moments = self.sides.each_ref().map(|side| side.mover.at(time));
        for pieces in pairs {
            let later = self.time_to_close(&pieces, &moments);
            self.push((time + later).next_down().max(time), OpenPatch { pieces, is_cast: false });
        }
    }

    /// Computes how long the balls around two pieces provably stay disjoint.
    fn time_to_close(&self, pieces: &[Rc<CastPatch>; 2], moments: &[Moment; 2]) -> f64 {
        let [on_a, on_b] = [0, 1].map(|k| moments[k].pose.place(pieces[k].places[0]));
        // Rotations may deviate from orthonormality.
        let stretch = moments.each_ref().map(|at| 1.0 + 1e-9 + 4.0 * at.pose.defect());
        let radius = [0, 1].map(|k| (pieces[k].radius + pieces[k].beyond) * stretch[k]);
        let gap = (on_b - on_a).length() - radius[0] - radius[1] - self.rounding;
        let from_pivot = [(0, on_a), (1, on_b)].map(|(k, on)| (on - moments[k].pivot).length() + radius[k]);
        let approach = Approach::of_any_points([&moments[0], &moments[1]], from_pivot);
        if gap > 0.0 { approach.time_to_close(gap) } else { 0.0 }
    }

    /// Computes a time before which the hulls of two pieces do not meet, `time` or later; `None` if they never do.
    fn cast(&mut self, pieces: &[Rc<CastPatch>; 2], time: f64) -> Option<f64> {
        self.casts += 1;
        let mut hulls = self.sides;
        for (flying, piece) in hulls.iter_mut().zip(pieces) {
            match &piece.patch {
                Some((_, Some(hull))) => flying.shape = hull.into(),
                Some((_, None)) => return Some(time),
                None => {}
            }
        }
        let [a, b] = hulls;
        let window = TimeWindow { from: time, tolerance: CLOSER * self.window.tolerance, ..self.window };
        if let (ShapeRef::Convex(_), ShapeRef::Convex(_)) = (a.shape, b.shape) {
            let mut pair = ConvexCast::new([CastOperand::new(a.shape, a.mover), CastOperand::new(b.shape, b.mover)]);
            return not_before(&mut pair, window, MAX_GAPS, self.meter);
        }
        meeting(a, b, window, self.meter).map(|met| met.time.max(time))
    }

    /// Returns the pairs with the larger patch halved.
    fn cut(&self, pieces: &[Rc<CastPatch>; 2]) -> Vec<[Rc<CastPatch>; 2]> {
        let size = |k: usize| if pieces[k].patch.is_some() { pieces[k].radius } else { f64::NEG_INFINITY };
        let larger = usize::from(size(1) > size(0));
        let (Some((patch, _)), ShapeRef::Superquadric(shape)) = (&pieces[larger].patch, self.sides[larger].shape)
        else {
            unreachable!("one of both is a patch of a superquadric");
        };
        let halves = patch.halves(shape.surface());
        let other = &pieces[1 - larger];
        let with = |half| match larger {
            0 => [half, Rc::clone(other)],
            _ => [Rc::clone(other), half],
        };
        halves.map(|half| with(CastPatch::of_patch(half, shape.surface(), shape.margin()))).into()
    }

    /// Computes the gap at a time between points of two pieces, moved nearer to each other.
    fn gap(&mut self, pieces: &[Rc<CastPatch>; 2], time: f64) -> CastGap {
        let moments = self.sides.each_ref().map(|side| side.mover.at(time));
        let (sides, mut work) = (self.sides, Work::default());
        let mut foot = |k: usize, place: Vec3, point: Vec3| match sides[k].shape {
            ShapeRef::Superquadric(shape) => below(shape.surface(), &moments[k].pose, place, point),
            shape => {
                let at = Pose::from_translation(point).ok()?;
                let (found, done) = distance_counted(
                    Placed::new(shape, &moments[k].pose),
                    Placed::new((&*ORIGIN).into(), &at),
                    f64::INFINITY,
                );
                work += done;
                found.map(|found| found.point_a)
            }
        };
        let places = [0, 1].map(|k| match pieces[k].patch {
            Some(_) => pieces[k].places.map(|place| moments[k].pose.place(place)).to_vec(),
            None => vec![],
        });
        let mut pairs: Vec<[Vec3; 2]> =
            places[0].iter().flat_map(|&on_a| places[1].iter().map(move |&on_b| [on_a, on_b])).collect();
        for k in 0..2 {
            if places[1 - k].is_empty() {
                pairs.extend(places[k].iter().filter_map(|&place| {
                    let other = foot(1 - k, place, place)?;
                    Some(if k == 0 { [place, other] } else { [other, place] })
                }));
            }
        }
        let with_distance = |[on_a, on_b]: [Vec3; 2]| ([on_a, on_b], (on_b - on_a).length());
        let Some(best) = pairs.into_iter().map(with_distance).min_by(|x, y| x.1.total_cmp(&y.1)) else {
            return CastGap { length: f64::INFINITY, ..CastGap::unknown(&moments) };
        };
        let ([on_a, on_b], length) = nearer(best, foot);
        self.meter.add(work);
        let normal = (on_b - on_a).normalize_or_zero();
        let [margin_a, margin_b] = sides.map(|side| match side.shape {
            ShapeRef::Superquadric(shape) => shape.margin(),
            _ => 0.0,
        });
        let (point_a, point_b) = (on_a + normal * margin_a, on_b - normal * margin_b);
        let length = length - margin_a - margin_b;
        CastGap { length, at_least: 0.0, normal, point_a, point_b, primitives: Some([0, 0]) }
    }

    /// Finds a time at which they provably meet, no later than such a gap at `time` should be closed.
    fn closed_at(&mut self, gap: &CastGap, time: f64) -> Option<f64> {
        if gap.length <= 0.0 && self.touches_at(time) {
            return Some(time);
        }
        let moments = self.sides.each_ref().map(|side| side.mover.at(time));
        let closing = closing(&moments, gap.normal, [gap.point_a, gap.point_b]);
        if closing.is_nan() || closing <= 0.0 {
            return None;
        }
        let width = gap.length.max(0.0) + CLOSER * self.window.tolerance;
        let tried = OVERSHOOTS.map(|more| (time + width / closing * more).min(self.window.until));
        tried.into_iter().find(|&at| self.touches_at(at))
    }

    /// Finds a later time at which they provably meet.
    fn met_after(&mut self, time: f64) -> Option<f64> {
        let left = self.window.until - time;
        (0..=HALVINGS).rev().map(|halvings| time + left * 0.5f64.powi(halvings)).find(|&at| self.touches_at(at))
    }

    fn touches_at(&mut self, time: f64) -> bool {
        let [a, b] = self.sides;
        let [at_a, at_b] = [a, b].map(|side| side.mover.at(time).pose);
        overlap_metered(Placed::new(a.shape, &at_a), Placed::new(b.shape, &at_b), self.meter).is_some()
    }
}
