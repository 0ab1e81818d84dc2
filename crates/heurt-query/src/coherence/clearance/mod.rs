//! Clearance of a pair: a lower bound of the distance of two shapes at the last query, and the triangles near the
//! nearest place.
//!
//! In: the same two shapes, moved a little. Out: the answers of `overlap`, `distance` and `contact`, without a search
//! as long as no point of a shape has moved farther, relative to its partner, than the clearance.
//! Method: S0 §2.6 (coherence). A front as in Li and Chen (1998) keeps the pairs of volumes at which the last walk
//! ended; with tests of a volume against eight at once, the volumes left out cost the same test as all eight
//! (docs/benchmarks.md). So only the least gap of the volumes left out is kept, and the pairs of triangles within a
//! skin: as with the lists of neighbours of molecular dynamics (Verlet 1967), triangles beyond the skin are not tested
//! before one of them may have crossed it. The skin follows the motion between two queries. Shapes that are surfaces of
//! triangles, with or without margins, are queried by `surfaces`, others by `shapes`.
//! Guarantees: distances between two points change by no more than the relative displacement of the shapes, and if no
//! surfaces met in between, containment did not change. Nothing is kept of a mesh that has deformed, and another pair
//! is recognised by its fingerprints.
//! Cost: 40 ns where the surfaces are clear of each other.

pub(crate) mod shapes;
pub(crate) mod surfaces;

use crate::answer::budget::WorkMeter;
use crate::answer::contact::Contact;
use crate::answer::distance::Distance;
use crate::answer::placed::PlacedShape;
use crate::mesh::distance::Neighbourhood;
use heurt_bvh::relative::RelativeFrame;
use heurt_bvh::{TreeFrame, Work};
use heurt_geometry::{Mat3, Pose, Vec3, robust_length};
use shapes::Shapes;
use surfaces::Surfaces;

/// For how many queries a skin is made, if the motion goes on like this.
const QUESTIONS: f64 = 8.0;
/// How thick a skin is, as a share of the smaller shape, but of one that is as good as a point of so small a share of
/// the larger: beyond it a search through it costs more than it spares.
const THINNEST: f64 = 1e-4;
const THICKEST: f64 = 1.0 / 32.0;
const POINT: f64 = 1.0 / 16.0;
/// Queries without a skin, after a skin that saved nothing.
const PAUSE: u32 = 16;
/// Poses whose rotations are off by more are not followed.
const ORTHONORMAL: f64 = 1e-12;

/// Two placed shapes that are not both convex, as far as a front can be kept of them.
pub(crate) enum CachedPair<'a> {
    Surfaces(Surfaces<'a>),
    Shapes(Shapes<'a>),
}

impl<'a> CachedPair<'a> {
    /// `None` of two convex shapes, and where one has no end.
    pub(crate) fn new(a: PlacedShape<'a>, b: PlacedShape<'a>) -> Option<Self> {
        Surfaces::new(a, b).map(Self::Surfaces).or_else(|| Shapes::new(a, b).map(Self::Shapes))
    }
}

/// Two placed shapes, of which the second, seen from the first, has moved.
trait ShapePair {
    /// Their fingerprints; `None` for meshes that deform.
    fn names(&self) -> [Option<u64>; 2];

    /// The bounds of each shape, and their poses.
    fn frames(&self) -> [(&TreeFrame, &Pose); 2];

    /// How far they reach beyond what is requested its clearance, both together.
    fn margin(&self) -> f64;

    /// How far they are disjoint at least, margins and roundings left out, as far as `most` metres and as there is
    /// something to spend; 0 where they may meet.
    fn clearance(&self, most: f64, meter: &WorkMeter<'_>) -> f64;

    /// Whether a part of one shape lies in its partner, if no surfaces meet.
    fn is_contained(&self, meter: &WorkMeter<'_>) -> bool;

    /// The frame of the second shape, seen from the frame of the first.
    fn composed(&self) -> RelativeFrame {
        let [(of_a, at_a), (of_b, at_b)] = self.frames();
        RelativeFrame::new(of_a, at_a, of_b, at_b)
    }

    /// How far they reach from the middles of their frames, in metres.
    fn radii(&self) -> [f64; 2] {
        self.frames().map(|(frame, _)| frame.radius())
    }

    /// Rounding error of the answers in metres, placed corners included, with a safety factor.
    fn room(&self) -> f64 {
        let [of_a, of_b] = self.frames().map(|(frame, pose)| frame.max_coordinate() + pose.max_translation());
        128.0 * f64::EPSILON * (of_a + of_b)
    }

    /// `None` where distances seen from A are not those of the world.
    fn standing(&self) -> Option<RelativePlacement> {
        RelativePlacement::new(&self.composed(), self.radii())
    }
}

/// The cache of a pair between two queries.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClearanceCache {
    /// The primitives that were nearest, or that met.
    primitives: Option<[u32; 2]>,
    front: Option<Box<Clearance>>,
}

/// How B stood, seen from A, and what was known of their surfaces then.
#[derive(Debug, Clone)]
struct Clearance {
    names: [Option<u64>; 2],
    at: RelativePlacement,
    /// Queries since.
    queries: u32,
    /// Queries that are not worth a skin.
    pause: u32,
    /// How far B moves between two queries, in metres.
    step: f64,
    known: KnownClearance,
}

/// The known clearance.
#[derive(Debug, Clone, Default)]
struct KnownClearance {
    /// Whether they were within what was requested.
    is_near: bool,
    /// Whether a part of one shape lay in its partner.
    is_contained: bool,
    /// No surfaces were nearer to each other, in metres.
    clear: f64,
    /// For surfaces the triangles around the nearest place.
    around: Neighbourhood,
    /// For other shapes the points that were nearest, each in its own frame.
    nearest: Option<[Vec3; 2]>,
}

/// B as A sees it.
#[derive(Debug, Clone, Copy)]
struct RelativePlacement {
    rotation: Mat3,
    offset: Vec3,
    /// Rounding error, in metres.
    room: f64,
}

impl RelativePlacement {
    /// Computes it for shapes of these radii; `None` if distances seen from A differ from distances in the world.
    fn new(composed: &RelativeFrame, radii: [f64; 2]) -> Option<Self> {
        let RelativeFrame { rotation, offset, slack, defect } = *composed;
        let span = offset.abs().element_sum() + radii[0] + radii[1];
        let room = 2.0 * slack + 8.0 * (defect + f64::EPSILON) * span;
        (defect <= ORTHONORMAL && room.is_finite()).then_some(Self { rotation, offset, room })
    }

    /// A lower bound of the distance of balls of these radii around both.
    fn gap(&self, radii: [f64; 2]) -> f64 {
        (robust_length(self.offset) * (1.0 - 1e-9) - radii[0] - radii[1] - self.room).max(0.0)
    }

    /// Bounds how far a point of B has moved since.
    fn moved(&self, now: &Self, radius: f64) -> f64 {
        let turned = now.rotation - self.rotation;
        let squares = turned.x_axis.length_squared() + turned.y_axis.length_squared() + turned.z_axis.length_squared();
        // The difference of two rotations has the norm of Frobenius √2 times its own.
        let by_turn = (0.5 * squares).sqrt() * radius;
        (robust_length(now.offset - self.offset) + by_turn) * (1.0 + 1e-9) + self.room + now.room
    }
}

/// Reports whether the shapes are as they were made: nothing is kept of what deforms.
fn are_rigid(names: [Option<u64>; 2]) -> bool {
    names.iter().all(Option::is_some)
}

impl Clearance {
    /// How far B has moved since; `None` where nothing is known of this pair.
    fn moved(&self, pair: &impl ShapePair, now: Option<&RelativePlacement>) -> Option<f64> {
        let is_known = self.known.clear > 0.0 && are_rigid(self.names) && self.names == pair.names();
        now.filter(|_| is_known).map(|now| self.at.moved(now, pair.radii()[1]))
    }
}

impl ClearanceCache {
    /// [`crate::overlap()`], yes or no.
    pub(crate) fn overlaps(&mut self, pair: &CachedPair<'_>) -> bool {
        match pair {
            CachedPair::Surfaces(pair) => self.surfaces_overlap(pair),
            CachedPair::Shapes(pair) => self.shapes_overlap(pair),
        }
    }

    /// [`crate::distance_within_counted()`] within a limit that is not below 0.
    pub(crate) fn distance(&mut self, pair: &CachedPair<'_>, max: f64) -> (Option<Distance>, Work) {
        match pair {
            CachedPair::Surfaces(pair) => self.distance_of_surfaces(pair, max),
            CachedPair::Shapes(pair) => self.distance_of_shapes(pair, max),
        }
    }

    /// The contact that `find` computes: [`contact_manifold`](crate::contact::contact_manifold), or as much of it as
    /// there is something to spend for.
    pub(crate) fn contact(
        &mut self,
        pair: &CachedPair<'_>,
        margin: f64,
        meter: &WorkMeter<'_>,
        find: impl FnOnce() -> Option<Contact>,
    ) -> Option<Contact> {
        match pair {
            CachedPair::Surfaces(pair) => self.contact_of(pair, margin, meter, find),
            CachedPair::Shapes(pair) => self.contact_of(pair, margin, meter, find),
        }
    }

    /// How far B has moved, and what was known then; `None` where nothing is known of this pair.
    fn recall(&mut self, pair: &impl ShapePair, now: Option<&RelativePlacement>) -> Option<(f64, &mut KnownClearance)> {
        let front = self.front.as_mut()?;
        front.queries = front.queries.saturating_add(1);
        front.moved(pair, now).map(|moved| (moved, &mut front.known))
    }

    /// How thick a skin is worth its search, after a query that the front did not answer; 0 for none.
    fn skin(&mut self, pair: &impl ShapePair, now: Option<&RelativePlacement>) -> f64 {
        let (Some(front), Some(now)) = (&mut self.front, now.filter(|_| are_rigid(pair.names()))) else { return 0.0 };
        let [of_a, of_b] = pair.radii();
        let moved = front.at.moved(now, of_b).min(f64::MAX);
        // The same step may have had other queries.
        front.step = (moved / f64::from(front.queries.max(1))).max(0.5 * front.step);
        let has_failed = moved >= front.known.clear || front.known.around.reach > 0.0;
        if front.known.clear > 0.0 && has_failed && front.queries <= 1 {
            front.pause = PAUSE;
        }
        if front.pause > 0 {
            front.pause -= 1;
            return 0.0;
        }
        let size = (of_a.min(of_b) + pair.margin()).max(POINT * of_a.max(of_b));
        let skin = QUESTIONS * front.step;
        if skin <= THICKEST * size { skin.max(THINNEST * size) } else { 0.0 }
    }

    /// Keeps what is known where they are placed; where nothing is, only where that is.
    fn keep(&mut self, pair: &impl ShapePair, now: Option<RelativePlacement>, known: KnownClearance) {
        let names = pair.names();
        let Some(at) = now.filter(|_| are_rigid(names)) else { return };
        let names = if known.clear > 0.0 { names } else { [None; 2] };
        let (pause, step) = self.front.as_ref().map_or((0, 0.0), |front| (front.pause, front.step));
        let front = Clearance { names, at, queries: 0, pause, step, known };
        match &mut self.front {
            Some(kept) => **kept = front,
            None => self.front = Some(Box::new(front)),
        }
    }

    /// After an answer that states nothing of how far they are disjoint: what is known still may serve other queries.
    fn follow(&mut self, pair: &impl ShapePair, now: Option<RelativePlacement>) {
        let is_still_valid =
            |front: &Clearance| front.moved(pair, now.as_ref()).is_some_and(|moved| moved < front.known.clear);
        if !self.front.as_deref().is_some_and(is_still_valid) {
            self.keep(pair, now, KnownClearance::default());
        }
    }

    /// Whether the surfaces are provably more than `margin` from each other, and if so whether a shape contains a part
    /// of its partner: by the cache, else by a search through a skin if that is likely to save further searches.
    fn are_separated(
        &mut self,
        pair: &impl ShapePair,
        now: Option<RelativePlacement>,
        margin: f64,
        meter: &WorkMeter<'_>,
    ) -> Option<bool> {
        if let Some((moved, known)) = self.recall(pair, now.as_ref()) {
            if moved + margin < known.clear {
                return Some(known.is_contained);
            }
            // They were too near for this margin, and are.
            if known.clear + moved <= margin {
                return None;
            }
        }
        self.are_separated_by_skin(pair, now, margin, meter)
    }

    /// [`Self::are_separated`], by a search through a skin.
    fn are_separated_by_skin(
        &mut self,
        pair: &impl ShapePair,
        now: Option<RelativePlacement>,
        margin: f64,
        meter: &WorkMeter<'_>,
    ) -> Option<bool> {
        let skin = self.skin(pair, now.as_ref());
        if skin == 0.0 || margin == f64::INFINITY {
            return None;
        }
        let room = pair.room();
        let clear = pair.clearance(margin + room + skin, meter) - room;
        if clear <= 0.0 || clear == f64::INFINITY {
            if let Some(front) = &mut self.front {
                front.pause = PAUSE;
            }
            return None;
        }
        let is_contained = pair.is_contained(meter);
        if meter.was_interrupted() {
            return None;
        }
        self.keep(pair, now, KnownClearance { is_contained, clear, ..KnownClearance::default() });
        (clear > margin).then_some(is_contained)
    }

    fn contact_of(
        &mut self,
        pair: &impl ShapePair,
        margin: f64,
        meter: &WorkMeter<'_>,
        find: impl FnOnce() -> Option<Contact>,
    ) -> Option<Contact> {
        let now = pair.standing();
        // A limit of at most 0 tests whether they touch.
        match self.are_separated(pair, now, margin.max(0.0) + pair.margin(), meter) {
            Some(false) => None,
            Some(true) => find(),
            None => {
                let found = find();
                match found {
                    None if !meter.was_interrupted() => self.follow(pair, now),
                    _ => self.front = None,
                }
                found
            }
        }
    }
}
