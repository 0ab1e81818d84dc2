//! Interferences of an assembly: every pair of parts that may meet, decided in parallel, and the pairs nearer than a
//! clearance.
//!
//! In: an assembly and a search. Out: [`Findings`], the deepest interference first.
//! Guarantees: the same result for any number of threads. Cost: the cost of the pairs whose boxes meet or are nearer
//! than the clearance.

use super::chord_errors::ChordErrors;
use super::depth::{Certainty, InterferenceDepth};
use super::duplicate::are_duplicates;
use super::meeting_pairs::{MAX_PAIRS, meeting_pairs};
use super::selection::Selection;
use super::shared_solid::SharedSolid;
use super::{Assembly, AssemblyError, AssemblyPart};
use heurt_geometry::{Aabb, Pose, Section, Vec3, section};
use heurt_query::{
    ContactKind, Distance, DistanceOptions, Side, Witness, contact_kind_of, distance_with, overlap, pairs,
};
use heurt_shape::MeshShape;
use rayon::prelude::*;

/// The kind of an interference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterferenceKind {
    /// Surfaces meet, and pass through each other or bound insides that overlap.
    Clash,
    /// No surfaces meet, but part `inner` lies inside its partner.
    Inside {
        /// `a` or `b`.
        inner: Side,
    },
    /// Surfaces meet, and no piece of one part was found inside its partner.
    Touching,
    /// Both parts fill the same space, exactly or nearly.
    Duplicate,
}

impl InterferenceKind {
    /// Returns the inner part in a letter; `None` if no part is inside its partner.
    pub fn inner_letter(self) -> Option<&'static str> {
        match self {
            Self::Inside { inner: Side::A } => Some("a"),
            Self::Inside { inner: Side::B } => Some("b"),
            _ => None,
        }
    }

    /// Returns the kind in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Clash => "clash",
            Self::Inside { .. } => "inside",
            Self::Touching => "touching",
            Self::Duplicate => "duplicate",
        }
    }
}

/// Two parts that interfere, `a` before `b`.
#[derive(Debug, Clone, PartialEq)]
pub struct Interference {
    /// Number of the first part.
    pub a: usize,
    /// Number of the second part.
    pub b: usize,
    /// How they interfere.
    pub kind: InterferenceKind,
    /// Number of triangle pairs that intersect.
    pub pair_count: usize,
    /// The box of the curves in which the surfaces meet; the box of the inner part if no surfaces meet.
    pub region: Aabb,
    /// The depth, if it was computed.
    pub depth: Option<InterferenceDepth>,
    /// The solid that the parts share, if it was computed.
    pub shared: Option<SharedSolid>,
}

impl Interference {
    /// Compares the depth with the error of the tessellation; `None` without a depth. Duplicates are
    /// real, although their surfaces lie on each other.
    pub fn certainty(&self) -> Option<Certainty> {
        match self.kind {
            InterferenceKind::Duplicate => self.depth.as_ref().map(|_| Certainty::Real),
            _ => self.depth.as_ref().map(InterferenceDepth::certainty),
        }
    }

    /// Returns the centre of the region.
    pub fn place(&self) -> Vec3 {
        self.region.centre()
    }
}

/// Two parts that do not meet and are nearer than the clearance, `a` before `b`.
#[derive(Debug, Clone, PartialEq)]
pub struct NearPair {
    /// Number of the first part.
    pub a: usize,
    /// Number of the second part.
    pub b: usize,
    /// Their distance, and their nearest points.
    pub distance: Distance,
    /// Error of the tessellation of both parts: a gap up to this may be none.
    pub chord_error: f64,
}

impl NearPair {
    /// Returns the point halfway between the nearest points.
    pub fn place(&self) -> Vec3 {
        self.distance.point_a * 0.5 + self.distance.point_b * 0.5
    }

    /// Reports whether the gap is wider than the error of the tessellation.
    pub fn certainty(&self) -> Certainty {
        if self.distance.distance > self.chord_error { Certainty::Apart } else { Certainty::WithinTessellation }
    }
}

/// The result of the search.
#[derive(Debug, Default)]
pub struct Findings {
    /// The interferences: duplicates, then the deepest first by their upper bounds if depths were computed; equal ones,
    /// and all without depths, by part.
    pub list: Vec<Interference>,
    /// The pairs nearer than the clearance, nearest first.
    pub near: Vec<NearPair>,
    /// The clearance of the search.
    pub clearance: Option<f64>,
    /// Number of pairs of parts to be checked.
    pub pair_count: usize,
    /// Number of pairs whose boxes meet or are nearer than the clearance: these were decided exactly.
    pub tested: usize,
    /// Numbers of pairs that were left out.
    pub left_out: LeftOut,
}

/// Counts of pairs that were found and left out.
#[derive(Debug, Default, Clone, Copy)]
pub struct LeftOut {
    /// Number of pairs that only touch.
    pub touching: usize,
    /// Number of pairs that the selection ignores.
    pub listed: usize,
    /// Number of pairs that are proved to be no deeper than the tolerance.
    pub shallow: usize,
    /// Number of pairs that share less than the least volume.
    pub small: usize,
}

/// The options of the search.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The pairs to check.
    pub selection: &'a Selection,
    /// Pairs nearer than this are reported, in the unit of the coordinates.
    pub clearance: Option<f64>,
    /// True if depths are computed.
    pub with_depth: bool,
    /// True if translations that separate are sought for all interferences: they cost more than the local depths, and
    /// [`seek_translations`] finds those of the deepest.
    pub with_translations: bool,
    /// Interferences that are proved to be no deeper than this are left out, in the unit of the coordinates.
    pub tolerance: Option<f64>,
    /// Error of the tessellation of each part; `None` to estimate it from the angles between facets.
    pub chord_error: Option<f64>,
}

impl<'a> Search<'a> {
    /// Returns a search for all interferences of the selected pairs, with their depths.
    pub fn new(selection: &'a Selection) -> Self {
        let (with_depth, with_translations) = (true, true);
        Self { selection, clearance: None, with_depth, with_translations, tolerance: None, chord_error: None }
    }
}

impl Findings {
    /// Leaves out pairs that only touch.
    pub fn without_touching(mut self) -> Self {
        self.left_out.touching = retain(&mut self.list, |found| found.kind != InterferenceKind::Touching);
        self
    }

    /// Leaves out pairs that are known to share less than a volume; duplicates stay.
    pub fn without_small(mut self, least: f64) -> Self {
        let is_large = |found: &Interference| {
            let volume = found.shared.as_ref().and_then(SharedSolid::volume);
            found.kind == InterferenceKind::Duplicate || volume.is_none_or(|volume| volume >= least)
        };
        self.left_out.small = retain(&mut self.list, is_large);
        self
    }

    /// Returns the clashes within the error of the tessellation: their true surfaces may only touch.
    pub fn within_tessellation(&self) -> impl Iterator<Item = &Interference> {
        let is_within = |found: &&Interference| {
            found.kind == InterferenceKind::Clash && found.certainty() == Some(Certainty::WithinTessellation)
        };
        self.list.iter().filter(is_within)
    }

    /// Counts the interferences of one kind.
    pub fn count(&self, word: &str) -> usize {
        self.list.iter().filter(|found| found.kind.word() == word).count()
    }

    /// Reports whether neither an interference nor a pair nearer than the clearance was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.near.is_empty()
    }
}

/// Keeps the items that `keep` accepts; returns the number of removed items.
fn retain<T>(list: &mut Vec<T>, keep: impl FnMut(&T) -> bool) -> usize {
    let before = list.len();
    list.retain(keep);
    before - list.len()
}

/// Finds all interferences, and the pairs nearer than the clearance: [`find_candidates`], then [`decide_pairs`].
///
/// # Errors
/// [`AssemblyError::BadLength`] and [`AssemblyError::TooManyPairs`].
pub fn find_interferences(assembly: &Assembly, search: &Search<'_>) -> Result<Findings, AssemblyError> {
    let candidates = find_candidates(assembly, search)?;
    Ok(decide_pairs(assembly, search, &candidates, || ()))
}

/// Finds the selected pairs of parts whose boxes meet or are nearer than the clearance, in the order of the parts.
///
/// # Errors
/// [`AssemblyError::BadLength`]; [`AssemblyError::TooManyPairs`] if the boxes of more pairs meet than memory should
/// hold.
pub fn find_candidates(assembly: &Assembly, search: &Search<'_>) -> Result<Vec<[usize; 2]>, AssemblyError> {
    let lengths =
        [("clearance", search.clearance), ("tolerance", search.tolerance), ("chord error", search.chord_error)];
    for (name, length) in lengths {
        if let Some(length) = length.filter(|length| !(*length >= 0.0 && length.is_finite())) {
            return Err(AssemblyError::BadLength { name, length });
        }
    }
    let reach = Vec3::splat(0.5 * search.clearance.unwrap_or(0.0).next_up());
    let boxes: Vec<Aabb> = assembly
        .parts
        .iter()
        .map(|AssemblyPart { bounds, .. }| match search.clearance {
            Some(_) => {
                Aabb { min: (bounds.min - reach).map(f64::next_down), max: (bounds.max + reach).map(f64::next_up) }
            }
            None => *bounds,
        })
        .collect();
    let too_many = AssemblyError::TooManyPairs { parts: boxes.len(), most: MAX_PAIRS };
    let mut candidates = meeting_pairs(&boxes).ok_or(too_many)?;
    candidates.retain(|&pair| search.selection.is_selected(pair));
    Ok(candidates)
}

/// Decides pairs of parts, in parallel; calls `on_pair` after each of them, from any thread.
///
/// # Panics
/// A candidate has the number of no part.
pub fn decide_pairs(
    assembly: &Assembly,
    search: &Search<'_>,
    candidates: &[[usize; 2]],
    on_pair: impl Fn() + Sync,
) -> Findings {
    let errors = ChordErrors::new(assembly, search.chord_error);
    let decided: Vec<(Option<FoundPair>, bool)> = candidates
        .par_iter()
        .map(|&pair| {
            let found = examine(assembly, pair, search, &errors);
            on_pair();
            (found, search.selection.is_ignored(pair))
        })
        .collect();
    let pair_count = search.selection.pair_count(assembly.parts.len());
    let (clearance, tested) = (search.clearance, candidates.len());
    let mut findings = Findings { clearance, pair_count, tested, ..Findings::default() };
    for (found, is_ignored) in decided {
        match found {
            None => {}
            Some(_) if is_ignored => findings.left_out.listed += 1,
            Some(FoundPair::Interference(found)) => findings.list.push(found),
            Some(FoundPair::Near(near)) => findings.near.push(near),
        }
    }
    if search.with_depth {
        findings.list.sort_by(|x, y| InterferenceDepth::order(x.depth.as_ref(), y.depth.as_ref()));
    }
    findings.list.sort_by_key(|found| found.kind != InterferenceKind::Duplicate);
    if let Some(tolerance) = search.tolerance {
        let is_deep = |found: &Interference| {
            found.kind == InterferenceKind::Duplicate
                || found.depth.as_ref().is_none_or(|depth| depth.at_most() > tolerance)
        };
        findings.left_out.shallow = retain(&mut findings.list, is_deep);
    }
    findings.near.sort_by(|x, y| x.distance.distance.total_cmp(&y.distance.distance));
    findings
}

/// Seeks a translation that separates for each of the first `most` interferences whose depth matters, where a search
/// without translations has found the depth, in parallel; calls `on_pair` after each of them, from any thread.
///
/// # Panics
/// The findings are those of another assembly.
pub fn seek_translations(
    assembly: &Assembly,
    search: &Search<'_>,
    findings: &mut Findings,
    most: usize,
    on_pair: impl Fn() + Sync,
) {
    let first = findings.list.len().min(most);
    findings.list[..first].par_iter_mut().for_each(|found| {
        let placed = [found.a, found.b].map(|number| assembly.placed(number));
        let is_sought =
            |depth: &&mut InterferenceDepth| depth.local.is_some() && depth.is_beyond(found.kind, search.tolerance);
        if let Some(depth) = found.depth.as_mut().filter(is_sought)
            && let Some(met) = classify_pair(&placed)
        {
            depth.seek_translation(&placed, &met);
        }
        on_pair();
    });
}

/// The result for one pair.
enum FoundPair {
    Interference(Interference),
    Near(NearPair),
}

/// Decides a pair whose boxes meet or are nearer than the clearance.
fn examine(assembly: &Assembly, pair: [usize; 2], search: &Search<'_>, errors: &ChordErrors<'_>) -> Option<FoundPair> {
    let [a, b] = pair;
    let placed = pair.map(|number| assembly.placed(number));
    if placed[0].bounds.overlaps(&placed[1].bounds)
        && let Some(mut met) = classify_pair(&placed)
    {
        if met.kind == InterferenceKind::Clash && are_duplicates(&placed, || errors.of_pair(pair, &met.meeting)) {
            met.kind = InterferenceKind::Duplicate;
        }
        let depth = (search.with_depth && !search.selection.is_ignored(pair))
            .then(|| InterferenceDepth::of(&placed, &met, errors.of_pair(pair, &met.meeting), search));
        let Met { kind, meeting, region, .. } = met;
        let pair_count = meeting.len();
        return Some(FoundPair::Interference(Interference { a, b, kind, pair_count, region, depth, shared: None }));
    }
    let limit = search.clearance?;
    let [one, other] = placed;
    let options = DistanceOptions { max_distance: limit, ..DistanceOptions::default() };
    let distance = distance_with(one.shape, one.pose, other.shape, other.pose, &options).complete().flatten()?;
    let chord_error = errors.of_parts(pair);
    Some(FoundPair::Near(NearPair { a, b, distance, chord_error }))
}

/// Decides a pair without its depth.
pub(crate) fn decide(assembly: &Assembly, [a, b]: [usize; 2]) -> Option<Interference> {
    let Met { kind, meeting, region, .. } = classify_pair(&[a, b].map(|number| assembly.placed(number)))?;
    let pair_count = meeting.len();
    Some(Interference { a, b, kind, pair_count, region, depth: None, shared: None })
}

/// A part in its pose.
pub(crate) struct PlacedPart<'a> {
    pub(crate) shape: &'a MeshShape,
    pub(crate) pose: &'a Pose,
    pub(crate) bounds: Aabb,
}

/// An interference without its depth, see [`Interference`].
pub(crate) struct Met {
    pub(crate) kind: InterferenceKind,
    /// The pairs of triangles that intersect.
    pub(crate) meeting: Vec<[u32; 2]>,
    pub(crate) region: Aabb,
    /// Points on both surfaces, in the order of the pairs of triangles; none if one part is inside its partner.
    pub(crate) common: Vec<Vec3>,
}

/// Decides how two parts interfere, if they do.
pub(crate) fn classify_pair([a, b]: &[PlacedPart<'_>; 2]) -> Option<Met> {
    match overlap(a.shape, a.pose, b.shape, b.pose)? {
        Witness::Contained(inner) => {
            let region = if inner == Side::A { a.bounds } else { b.bounds };
            Some(Met { kind: InterferenceKind::Inside { inner }, meeting: Vec::new(), region, common: Vec::new() })
        }
        Witness::Primitives { .. } => {
            let meeting = pairs(a.shape, a.pose, b.shape, b.pose);
            let corners = |[i, j]: [u32; 2]| {
                let of =
                    |part: &PlacedPart<'_>, triangle| part.shape.mesh().corners(triangle).map(|v| part.pose.place(v));
                (of(a, i), of(b, j))
            };
            let kind = match contact_kind_of(a.shape, a.pose, b.shape, b.pose, &meeting) {
                ContactKind::Touching => InterferenceKind::Touching,
                _ => InterferenceKind::Clash,
            };
            let common: Vec<Vec3> = meeting
                .iter()
                .flat_map(|&pair| {
                    let (one, other) = corners(pair);
                    points_of(section(&one, &other))
                })
                .collect();
            let region = common.iter().copied().fold(Aabb::EMPTY, Aabb::grown_to);
            // If the section is empty because of rounding, the region in which the boxes meet is taken.
            let region = if region.is_empty() { intersection(&a.bounds, &b.bounds) } else { region };
            Some(Met { kind, meeting, region, common })
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

fn intersection(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb { min: a.min.max(b.min), max: a.max.min(b.max) }
}
