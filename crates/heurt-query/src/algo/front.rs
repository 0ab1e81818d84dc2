//! The front of a pair of meshes: how far apart they surely were when they were last walked, and what was about the nearest place.
//!
//! In: the same two meshes, moved a little. Out: the answers of `overlap`, `distance` and `contact`, to the bit, without a walk as long as
//! no point of B has come farther, seen from A, than the front allows; else `None`.
//! Method: S0 §2.6 (coherence). A front in the line of Li and Chen (1998) keeps the pairs of volumes at which the last walk ended; where one
//! is asked against eight at once, that is the same test for those that were left out as for all eight (docs/benchmarks.md). So of
//! what was left out only the least gap is kept, and of what was looked at the pairs of triangles: as with the lists of neighbours of
//! molecular dynamics (Verlet 1967), what is beyond a skin need not be looked at before something has crossed it. The skin follows the
//! motion between two questions.
//! Guarantees: distances between two points change by no more than the way that B moved, seen from A, and where no surfaces met on the
//! way neither shape came into the other. Of a mesh that has deformed nothing is kept, and another pair is told by its fingerprints. At
//! most [`MOST_PAIRS`] pairs of triangles, 3 KiB.
//! Cost: 40 ns where the surfaces are clear of each other; for distances the pairs of triangles that may have become the nearest.

use super::placed::meet;
use crate::budget::{Spending, Within};
use crate::contact::Contact;
use crate::distance::{Distance, OnPose, Surroundings, clearance, mesh_distance_since, nearest_within};
use crate::overlap::{Witness, contained, overlap_near};
use heurt_bvh::Work;
use heurt_bvh::relative::Composed;
use heurt_geometry::{Mat3, Vec3};
use heurt_shape::MeshShape;

/// Pairs of triangles that are kept.
const MOST_PAIRS: usize = 256;
/// For how many questions a skin is made, if the motion goes on like this.
const QUESTIONS: f64 = 8.0;
/// How thick a skin is, as a share of the smaller mesh: beyond it a walk through it costs more than it spares.
const THINNEST: f64 = 1e-4;
const THICKEST: f64 = 1.0 / 32.0;
/// After a skin that spared nothing, so many questions go by before the next.
const PAUSE: u32 = 16;
/// Poses whose rotations are off by more are not followed.
const ORTHONORMAL: f64 = 1e-12;

/// What two meshes remember between two questions.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeshMemory {
    /// The triangles that were nearest, or that met.
    pub triangles: Option<[u32; 2]>,
    front: Option<Box<Front>>,
}

/// How B stood, seen from A, and what was known of their surfaces then.
#[derive(Debug, Clone)]
struct Front {
    meshes: [Option<u64>; 2],
    at: Standing,
    /// Questions since.
    asked: u32,
    /// Questions that are not worth a skin.
    pause: u32,
    /// How far B moves between two questions, in metres.
    step: f64,
    known: Known,
}

/// What was known.
#[derive(Debug, Clone, Default)]
struct Known {
    /// Whether a part of one lay in the other.
    is_contained: bool,
    /// No surfaces were nearer to each other, in metres.
    clear: f64,
    around: Surroundings,
}

/// B as A sees it.
#[derive(Debug, Clone, Copy)]
struct Standing {
    rotation: Mat3,
    offset: Vec3,
    /// What roundings leave open, in metres.
    room: f64,
}

impl Standing {
    /// `None` where distances seen from A are not those of the world.
    fn new(a: OnPose<'_>, b: OnPose<'_>, composed: &Composed) -> Option<Self> {
        let Composed { rotation, offset, slack, defect } = *composed;
        let span = offset.abs().element_sum() + a.0.tree().frame().radius() + b.0.tree().frame().radius();
        let room = 2.0 * slack + 8.0 * (defect + f64::EPSILON) * span;
        (defect <= ORTHONORMAL && room.is_finite()).then_some(Self { rotation, offset, room })
    }

    /// Bounds how far a point of B has moved since.
    fn moved(&self, now: &Self, radius: f64) -> f64 {
        let turned = now.rotation - self.rotation;
        let squares = turned.x_axis.length_squared() + turned.y_axis.length_squared() + turned.z_axis.length_squared();
        // The difference of two rotations has the norm of Frobenius √2 times its own.
        let by_turn = (0.5 * squares).sqrt() * radius;
        ((now.offset - self.offset).length() + by_turn) * (1.0 + 1e-9) + self.room + now.room
    }
}

/// Tells whether the shape is as it was made: nothing is kept of one that deforms.
fn are_rigid(a: OnPose<'_>, b: OnPose<'_>) -> bool {
    !a.0.has_moved() && !b.0.has_moved()
}

/// What tells a pair from others.
fn names(a: &MeshShape, b: &MeshShape) -> [Option<u64>; 2] {
    [a, b].map(|mesh| mesh.fingerprint().map(|number| number.rotate_left(u32::from(mesh.is_solid()))))
}

impl Front {
    /// How far B has moved since; `None` where nothing is known of this pair.
    fn moved(&self, a: OnPose<'_>, b: OnPose<'_>, now: &Standing) -> Option<f64> {
        let is_known = self.known.clear > 0.0 && are_rigid(a, b) && self.meshes == names(a.0, b.0);
        is_known.then(|| self.at.moved(now, b.0.tree().frame().radius()))
    }
}

impl MeshMemory {
    /// How far B has moved, and what was known then.
    fn recall(&mut self, a: OnPose<'_>, b: OnPose<'_>, now: Option<&Standing>) -> Option<(f64, &mut Known)> {
        let front = self.front.as_mut()?;
        front.asked = front.asked.saturating_add(1);
        let moved = front.moved(a, b, now?)?;
        Some((moved, &mut front.known))
    }

    /// How thick a skin is worth its walk, after a question that the front did not answer; 0 for none.
    fn skin(&mut self, a: OnPose<'_>, b: OnPose<'_>, now: Option<&Standing>) -> f64 {
        let (Some(front), Some(now)) = (&mut self.front, now.filter(|_| are_rigid(a, b))) else { return 0.0 };
        let radii = [a, b].map(|(mesh, _)| mesh.tree().frame().radius());
        let moved = front.at.moved(now, radii[1]);
        // Other questions may have been asked of the same step.
        front.step = (moved / f64::from(front.asked.max(1))).max(0.5 * front.step);
        let has_failed = moved >= front.known.clear || front.known.around.reach > 0.0;
        if front.known.clear > 0.0 && has_failed && front.asked <= 1 {
            front.pause = PAUSE;
        }
        if front.pause > 0 {
            front.pause -= 1;
            return 0.0;
        }
        let (skin, size) = (QUESTIONS * front.step, radii[0].min(radii[1]));
        if skin <= THICKEST * size { skin.max(THINNEST * size) } else { 0.0 }
    }

    /// Keeps what is known where they stand; without a skin only where that is.
    fn keep(&mut self, a: OnPose<'_>, b: OnPose<'_>, now: Option<Standing>, known: Known) {
        let Some(at) = now.filter(|_| are_rigid(a, b)) else { return };
        let meshes = if known.clear > 0.0 { names(a.0, b.0) } else { [None; 2] };
        let (pause, step) = self.front.as_ref().map_or((0, 0.0), |front| (front.pause, front.step));
        let front = Front { meshes, at, asked: 0, pause, step, known };
        match &mut self.front {
            Some(kept) => **kept = front,
            None => self.front = Some(Box::new(front)),
        }
    }

    /// Whether the surfaces are surely more than `margin` apart, and if so whether a part of one lies in the other: by what is
    /// remembered, else by a walk through a skin where that is likely to spare others.
    fn apart(&mut self, a: OnPose<'_>, b: OnPose<'_>, now: Option<Standing>, margin: f64) -> Option<bool> {
        if let Some((moved, known)) = self.recall(a, b, now.as_ref())
            && moved + margin < known.clear
        {
            return Some(known.is_contained);
        }
        let skin = self.skin(a, b, now.as_ref());
        if skin == 0.0 {
            return None;
        }
        let (clear, _) = clearance(a, b, margin + skin);
        if clear <= margin || clear == f64::INFINITY {
            return None;
        }
        let is_contained = contained(a, b, &Spending::default()).is_some();
        self.keep(a, b, now, Known { is_contained, clear, ..Known::default() });
        Some(is_contained)
    }

    /// [`crate::overlap()`], yes or no.
    pub(crate) fn overlaps(&mut self, a: OnPose<'_>, b: OnPose<'_>, meets: impl FnOnce([u32; 2]) -> bool) -> bool {
        let Some(composed) = meet(a.0, a.1, b.0, b.1) else { return false };
        let now = Standing::new(a, b, &composed);
        if let Some(is_contained) = self.apart(a, b, now, 0.0) {
            return is_contained;
        }
        if self.triangles.is_some_and(meets) {
            return true;
        }
        let witness = overlap_near(a.0, a.1, b.0, b.1, &composed, &Spending::default());
        match witness {
            Some(Witness::Primitives { a, b }) => {
                self.triangles = Some([a, b]);
                self.front = None;
            }
            _ => self.keep(a, b, now, Known::default()),
        }
        witness.is_some()
    }

    /// What `ask` tells of the contact of A and B: [`surface_contact`](crate::contact::surface_contact), or as much of it as there is time for.
    pub(crate) fn contact(
        &mut self,
        a: OnPose<'_>,
        b: OnPose<'_>,
        margin: f64,
        ask: impl FnOnce() -> Within<Option<Contact>, Option<Contact>>,
    ) -> Within<Option<Contact>, Option<Contact>> {
        // What is not above 0 asks whether they touch.
        let reach = margin.max(0.0);
        let composed = Composed::new(a.0.tree().frame(), a.1, b.0.tree().frame(), b.1);
        let now = Standing::new(a, b, &composed);
        match self.apart(a, b, now, reach) {
            Some(false) => Within::Complete(None),
            Some(true) => ask(),
            None => {
                let found = ask();
                match found {
                    Within::Complete(None) => self.keep(a, b, now, Known::default()),
                    _ => self.front = None,
                }
                found
            }
        }
    }

    /// [`crate::distance_within_counted()`].
    pub(crate) fn distance(&mut self, a: OnPose<'_>, b: OnPose<'_>, max: f64) -> (Option<Distance>, Work) {
        let composed = Composed::new(a.0.tree().frame(), a.1, b.0.tree().frame(), b.1);
        let now = Standing::new(a, b, &composed);
        if let Some((moved, known)) = self.recall(a, b, now.as_ref())
            && moved < known.clear
            && !known.is_contained
            && let Some(found) = nearest_within(a, b, max, &mut known.around, moved)
        {
            self.triangles = found.and_then(|found| found.primitives).or(self.triangles);
            return (found, Work { updates: 1, primitives: 1, ..Work::default() });
        }
        let skin = self.skin(a, b, now.as_ref());
        let mut around = Surroundings::default();
        // The nearest pair may go away as far as all others may come.
        let wanted = (skin > 0.0).then_some((2.0 * skin, &mut around));
        let (found, work) = mesh_distance_since(a, b, max, self.triangles, wanted);
        self.triangles = found.and_then(|found| found.primitives).or(self.triangles);
        match found {
            Some(Distance { normal: None, .. }) => self.front = None,
            _ => self.keep(a, b, now, Known::about(around)),
        }
        (found, work)
    }
}

impl Known {
    /// What is known of meshes that are apart.
    fn about(mut around: Surroundings) -> Self {
        if let Some(&(next, _)) = around.pairs.get(MOST_PAIRS) {
            around.reach = around.reach.min(f64::from(next) * around.metres);
            around.pairs.truncate(MOST_PAIRS);
        }
        if around.reach == f64::INFINITY {
            return Self::default();
        }
        around.pairs.shrink_to_fit();
        let nearest = around.pairs.first().map_or(f64::INFINITY, |(at_least, _)| f64::from(*at_least) * around.metres);
        Self { is_contained: false, clear: around.reach.min(nearest), around }
    }
}
