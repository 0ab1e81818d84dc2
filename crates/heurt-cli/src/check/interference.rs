//! Deciding every pair of parts that may meet, in parallel, in part order.

use super::Assembly;
use super::prefilter::meeting_pairs;
use crate::progress::Progress;
use heurt::geometry::{Aabb, Pose, Section, Vec3, section};
use heurt::query::{ContactKind, Side, Witness, contact_kind_of, overlap, pairs};
use heurt::shape::MeshShape;
use rayon::prelude::*;

/// How two parts interfere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Surfaces meet, and pass through each other or bound insides that overlap.
    Clash,
    /// No surfaces meet, but part `inner` lies inside the other.
    Inside {
        /// `a` or `b`.
        inner: Side,
    },
    /// Surfaces meet, and nothing of one part was found to lie in the other.
    Touching,
}

impl Kind {
    /// The kind in a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Clash => "clash",
            Self::Inside { .. } => "inside",
            Self::Touching => "touching",
        }
    }
}

/// Two parts that interfere, `a` before `b`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Interference {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) kind: Kind,
    /// Triangle pairs that intersect.
    pub(crate) pair_count: usize,
    /// The box of the curves in which the surfaces meet; of the inner part where none do.
    pub(crate) region: Aabb,
}

impl Interference {
    /// The middle of the region: where to look.
    pub(crate) fn place(&self) -> Vec3 {
        self.region.centre()
    }
}

/// What was found.
pub(crate) struct Findings {
    /// Sorted by part.
    pub(crate) list: Vec<Interference>,
    /// Pairs of parts in all.
    pub(crate) pair_count: usize,
    /// Pairs whose boxes meet: those that were decided exactly.
    pub(crate) tested: usize,
    /// Touching pairs that were left out.
    pub(crate) ignored: usize,
}

impl Findings {
    /// Leaves out pairs that only touch.
    pub(crate) fn without_touching(mut self) -> Self {
        let before = self.list.len();
        self.list.retain(|found| found.kind != Kind::Touching);
        self.ignored = before - self.list.len();
        self
    }

    /// How many are of one kind.
    pub(crate) fn count(&self, word: &str) -> usize {
        self.list.iter().filter(|found| found.kind.word() == word).count()
    }
}

/// Finds all interferences.
pub(crate) fn find(assembly: &Assembly, quiet: bool) -> Findings {
    let boxes: Vec<Aabb> = assembly.parts.iter().map(|part| part.bounds).collect();
    let candidates = meeting_pairs(&boxes);
    let progress = Progress::new("checking pairs", candidates.len() as u64, quiet);
    let list = candidates
        .par_iter()
        .map(|&pair| {
            let found = decide(assembly, pair);
            progress.step();
            found
        })
        .collect::<Vec<_>>()
        .into_iter()
        .flatten()
        .collect();
    let count = boxes.len();
    let pair_count = count * count.saturating_sub(1) / 2;
    Findings { list, pair_count, tested: candidates.len(), ignored: 0 }
}

pub(super) fn decide(assembly: &Assembly, [a, b]: [usize; 2]) -> Option<Interference> {
    let placed = [a, b].map(|number| {
        let part = &assembly.parts[number];
        Placed { shape: assembly.shape(number), pose: &part.pose, bounds: part.bounds }
    });
    let Met { kind, pair_count, region } = met(&placed)?;
    Some(Interference { a, b, kind, pair_count, region })
}

/// A part where it stands.
pub(super) struct Placed<'a> {
    pub(super) shape: &'a MeshShape,
    pub(super) pose: &'a Pose,
    pub(super) bounds: Aabb,
}

/// As [`Interference`].
pub(super) struct Met {
    pub(super) kind: Kind,
    pair_count: usize,
    pub(super) region: Aabb,
}

/// How two parts interfere, if they do.
pub(super) fn met([a, b]: &[Placed<'_>; 2]) -> Option<Met> {
    match overlap(a.shape, a.pose, b.shape, b.pose)? {
        Witness::Contained(inner) => {
            let region = if inner == Side::A { a.bounds } else { b.bounds };
            Some(Met { kind: Kind::Inside { inner }, pair_count: 0, region })
        }
        Witness::Primitives { .. } => {
            let meeting = pairs(a.shape, a.pose, b.shape, b.pose);
            let corners = |[i, j]: [u32; 2]| {
                let of = |part: &Placed<'_>, triangle| part.shape.mesh().corners(triangle).map(|v| part.pose.place(v));
                (of(a, i), of(b, j))
            };
            let kind = match contact_kind_of(a.shape, a.pose, b.shape, b.pose, &meeting) {
                ContactKind::Touching => Kind::Touching,
                _ => Kind::Clash,
            };
            let region = meeting
                .iter()
                .flat_map(|&pair| {
                    let (one, other) = corners(pair);
                    points_of(section(&one, &other))
                })
                .fold(Aabb::EMPTY, Aabb::grown_to);
            // A section that is lost to rounding altogether leaves where the boxes meet.
            let region = if region.is_empty() { common(&a.bounds, &b.bounds) } else { region };
            Some(Met { kind, pair_count: meeting.len(), region })
        }
    }
}

fn points_of(section: Section) -> Vec<Vec3> {
    match section {
        Section::None => Vec::new(),
        Section::Point(point) => vec![point.position],
        Section::Segment(ends) => ends.map(|end| end.position).to_vec(),
        Section::Coplanar(points) => points,
    }
}

fn common(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb { min: a.min.max(b.min), max: a.max.min(b.max) }
}
