//! Penetration depth of two solids, bounded from both sides: the length of the shortest translation of B after which
//! they share no point.
//!
//! In: two placed shapes that overlap, with convex sets inside them ([`DepthOperand`]). Out: [`DepthBounds`].
//!
//! Method: the translations t that leave A and B + t overlapping are the Minkowski difference A ⊖ B. The depth is the
//! distance of the origin from the outside of that set. *From above*: any t is tested exactly (`overlap` of the shapes
//! themselves, passed by the caller). The first t separates the hulls. The next ones are found by a descent to the
//! planes between the inner pieces of both (`separating_translation`; the idea is from PolyDepth, Je et al. 2012, there
//! with the triangles in contact). *From below*: for a convex set in A and one in B, the translations that leave both
//! overlapping are a convex set. Hence a box of translations is *closed* if all its eight corners are in that set: no
//! translation in the box separates the shapes. Boxes are taken the nearest first and cut in eight until they are
//! closed (`branch_and_bound`). The nearest point of the open boxes is the lower bound. Open boxes also propose
//! translations from above. The search runs in the frame of one body (`canonical_frame`), so that bodies moved together
//! are searched alike; the result is proved in the world.
//!
//! Guarantees: the upper bound is a translation after which `overlap` is false, to the bit. The lower bound is not
//! below the depth of any two inner pieces. It is right up to the rounding of placed corners, for which [`ROUNDING`]
//! ulp are subtracted. The search ends by counts, never by a clock: same input, same bits. Not guaranteed: how near
//! both bounds are. If inner pieces fill the solids, the bounds are mostly within 5%.
//! Cost: one test of all pairs of pieces, then some microseconds a box.

pub(crate) mod branch_and_bound;
pub(crate) mod canonical_frame;
pub(crate) mod inner_pieces;
pub(crate) mod operand;
pub(crate) mod separating_translation;
pub(crate) mod translation_obstacle;

use crate::answer::placed::{Placed, PlacedShape};
pub(crate) use operand::DepthOperand;

use crate::answer::budget::WorkMeter;
pub(crate) use crate::answer::contact::DepthBounds;
use canonical_frame::CanonicalFrame;
use heurt_geometry::{Vec3, robust_length, robust_normalize};
use translation_obstacle::TranslationObstacle;

/// Twice the maximum distance by which placing moves corners, in ε of the largest coordinate.
const ROUNDING: f64 = 32.0;
/// First extension of a translation that does not separate the shapes to the bit, in ε of the largest coordinate.
const CLEARANCE: f64 = 16.0;

/// Number of halvings of the interval that the frame leaves open.
const HALVINGS: u32 = 24;

/// Tests exactly whether A and B, moved by a translation, share no point: the query `overlap`, passed by the caller.
pub(crate) type SeparationTest<'f> = &'f dyn Fn(PlacedShape<'_>, PlacedShape<'_>, Vec3) -> bool;

/// Bounds the depth of two bounded shapes, less closely if the budget is smaller. Swapped shapes are searched alike,
/// and so are shapes that are moved together.
pub(crate) fn mesh_depth(
    a: &DepthOperand<'_>,
    b: &DepthOperand<'_>,
    is_separated: SeparationTest<'_>,
    meter: &WorkMeter<'_>,
) -> DepthBounds {
    let (on_a, on_b) = (Placed::new(a.shape, a.pose), Placed::new(b.shape, b.pose));
    let seats = CanonicalFrame::of(on_a, on_b);
    let (first, second) = if seats.is_swapped { (b, a) } else { (a, b) };
    let mut depth = DepthBounds { at_least: 0.0, at_most: f64::INFINITY, normal: Vec3::X };
    // Along a surface, a translation may fail to separate the shapes by the error of the frame. The second search
    // requires room around every separating translation.
    for room in [0.0, 2.0 * seats.slack] {
        let Some(mut search) = DepthSearch::new(first, second, &seats, room, is_separated, meter) else { break };
        search.deepest_pair();
        search.descend();
        search.refine();
        let (found, ulp) = (search.bounds(), search.ulp);
        // B moves, even if A was searched as B.
        let normal = if seats.is_swapped { -found.normal } else { found.normal };
        let is_separated = |shift: Vec3| is_separated(on_a, on_b, shift);
        let result = lengthen_until_separated(DepthBounds { normal, ..found }, ulp, is_separated);
        let result = shorten_while_separated(result, found.at_most - 2.0 * seats.slack, is_separated);
        let at_least = depth.at_least.max(found.at_least);
        depth = DepthBounds { at_least, ..if result.at_most < depth.at_most { result } else { depth } };
        if depth.at_most <= found.at_most + 2.0 * seats.slack || seats.are_in_world() || meter.is_exhausted() {
            break;
        }
    }
    depth
}

/// The search between both bounds.
struct DepthSearch<'a> {
    meter: &'a WorkMeter<'a>,
    is_separated: SeparationTest<'a>,
    a: &'a DepthOperand<'a>,
    b: &'a DepthOperand<'a>,
    /// The frame of the search and of its translations.
    seats: &'a CanonicalFrame,
    /// Distance along the axes by which a separating translation may be moved, in metres.
    room: f64,
    obstacles: Vec<TranslationObstacle>,
    /// The shortest separating translation found.
    shortest: Vec3,
    /// Length of `shortest`.
    at_most: f64,
    at_least: f64,
    /// The greatest depth of two pieces as placed in the world.
    of_pair: f64,
    /// One ulp of the largest coordinate.
    ulp: f64,
}

impl<'a> DepthSearch<'a> {
    /// Starts a search; returns `None` if no translation in `f64` separates the shapes.
    fn new(
        a: &'a DepthOperand<'a>,
        b: &'a DepthOperand<'a>,
        seats: &'a CanonicalFrame,
        room: f64,
        is_separated: SeparationTest<'a>,
        meter: &'a WorkMeter<'a>,
    ) -> Option<Self> {
        let ulp = f64::EPSILON * a.largest().max(b.largest()) + f64::from_bits(1);
        let (obstacles, shortest, at_most) = (Vec::new(), Vec3::ZERO, f64::INFINITY);
        let mut search = Self {
            meter,
            is_separated,
            a,
            b,
            seats,
            room,
            obstacles,
            shortest,
            at_most,
            at_least: 0.0,
            of_pair: 0.0,
            ulp,
        };
        search.separate_hulls();
        if search.at_most == f64::INFINITY {
            return None;
        }
        if !meter.is_exhausted() {
            search.obstacles = translation_obstacle::between(a, b, seats, search.at_most);
        }
        Some(search)
    }

    /// Tests exactly whether the placed shapes share no point with B moved, nor with B moved farther by `room`.
    fn is_separated(&self, shift: Vec3) -> bool {
        let [seat_a, seat_b] = &self.seats.poses;
        let is_separated = |shift: Vec3| {
            (self.is_separated)(Placed::new(self.a.shape, seat_a), Placed::new(self.b.shape, seat_b), shift)
        };
        let around = || Vec3::AXES.into_iter().flat_map(|axis| [axis * self.room, -axis * self.room]);
        is_separated(shift) && (self.room == 0.0 || around().all(|more| is_separated(shift + more)))
    }

    /// Takes a translation that is known to separate the shapes if it is the shortest one.
    fn take(&mut self, shift: Vec3) -> bool {
        let length = robust_length(shift);
        let is_shorter = length < self.at_most;
        if is_shorter {
            (self.shortest, self.at_most) = (shift, length);
        }
        is_shorter
    }

    /// Returns the bounds found, in the world.
    fn bounds(&self) -> DepthBounds {
        let rounding = (ROUNDING + self.seats.defect / f64::EPSILON) * self.ulp;
        let at_least = (self.at_least.min(self.at_most) - rounding).max(self.of_pair - ROUNDING * self.ulp).max(0.0);
        let in_frame = DepthBounds {
            at_least,
            at_most: self.at_most,
            normal: robust_normalize(self.seats.turn * self.shortest).unwrap_or(Vec3::X),
        };
        // The translation that separates the hulls in the world is more accurate than the translation that separates
        // them in the frame.
        let of_hulls = separating_translation::separating_offset_of_hulls(
            Placed::new(self.a, self.a.pose),
            Placed::new(self.b, self.b.pose),
            self.ulp,
        );
        match of_hulls.filter(|&translation| robust_length(translation) <= self.at_most + self.seats.slack) {
            Some(translation) => DepthBounds {
                at_most: robust_length(translation),
                normal: robust_normalize(translation).unwrap_or(Vec3::X),
                ..in_frame
            },
            None => in_frame,
        }
    }
}

/// Lengthens the upper bound by some ulp, if needed, until it separates the shapes to the bit.
pub(crate) fn lengthen_until_separated(
    depth: DepthBounds,
    ulp: f64,
    is_separated: impl Fn(Vec3) -> bool,
) -> DepthBounds {
    let mut more = 0.0;
    // Doubled each time, far beyond all rounding errors.
    for _ in 0..64 {
        let at_most = depth.at_most + more;
        if is_separated(depth.normal * at_most) {
            return DepthBounds { at_most, ..depth };
        }
        more = (2.0 * more).max(CLEARANCE * ulp);
    }
    DepthBounds { at_most: f64::INFINITY, ..depth }
}

/// Shortens the upper bound along its normal as far as the shapes stay separated, but not below `from`, up to rounding.
fn shorten_while_separated(depth: DepthBounds, from: f64, is_separated: impl Fn(Vec3) -> bool) -> DepthBounds {
    let (mut low, mut high) = (from.max(depth.at_least), depth.at_most);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if !(low < middle && middle < high && high.is_finite()) {
            break;
        }
        if is_separated(depth.normal * middle) { high = middle } else { low = middle }
    }
    DepthBounds { at_most: high, ..depth }
}
