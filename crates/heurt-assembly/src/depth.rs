//! Depth of an interference: the local depth of its surfaces, and a translation that separates the parts.
//!
//! In: a pair of placed parts that interfere, and their intersecting triangles. Out: [`InterferenceDepth`].
//! Method: the local depth is bounded from both sides (`local_depth`), no finer than a tolerance; without one, no finer
//! than the chord error of the tessellated surfaces that meet, for below it the files leave open whether the true
//! surfaces meet at all. Only for depths beyond it the lower bound of a separating translation is sought
//! (`inscribed_depth`), and a translation that separates (`separating_translation`), after which the parts share no
//! point. A pin in a hole that is too tight has a small local depth and a long translation. The translation costs more
//! than the local depth, by which pairs are ordered: a caller that shows the deepest pairs seeks it for them only.

use super::interference::{InterferenceKind, Met, PlacedPart, Search};
use heurt_geometry::{Vec3, robust_length};
use heurt_query::contact_kind::{inscribed_depth, inscribed_depth_at, separating_translation};
use heurt_query::{LocalDepth, local_depth};
use std::cmp::Ordering;

/// Whether an interference, or a gap, is one of the true surfaces, of which the meshes are tessellations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The parts interfere deeper than the error of their tessellations.
    Real,
    /// Depth or gap lie within the error of the tessellations: the true surfaces may touch, overlap or have a gap.
    WithinTessellation,
    /// The bounds of the depth do not decide: it may be within the error or deeper.
    Unproved,
    /// The gap is wider than the error of the tessellations.
    Apart,
}

impl Certainty {
    /// Returns the certainty in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::WithinTessellation => "within-tessellation",
            Self::Unproved => "unproved",
            Self::Apart => "apart",
        }
    }
}

/// The depth of an interference.
#[derive(Debug, Clone, PartialEq)]
pub struct InterferenceDepth {
    /// How deep the surfaces lie in each other; `None` if neither part is a solid.
    pub local: Option<LocalDepth>,
    /// Error of the tessellation of the surfaces that meet: a depth up to this may be none.
    pub chord_error: f64,
    /// A lower bound of the length of any separating translation. `None` if neither part is a solid with an exact
    /// inside, and if no bound above 0 was found for parts that overlap.
    pub at_least: Option<f64>,
    /// A translation of b that separates the parts; `None` if none was found, or none was sought: because the depth is
    /// within the error of the tessellation, or because the search leaves translations out.
    pub translation: Option<Vec3>,
}

/// Number of points on both surfaces from which the search for the lower bound starts.
const MAX_PLACES: usize = 8;

impl InterferenceDepth {
    /// Bounds the depth of two parts that interfere, no finer than the tolerance of the search, if there is one.
    pub(crate) fn of(parts: &[PlacedPart<'_>; 2], met: &Met, chord_error: f64, search: &Search<'_>) -> Self {
        if met.kind == InterferenceKind::Touching {
            return Self { local: Some(LocalDepth::TOUCHING), chord_error, at_least: Some(0.0), translation: None };
        }
        let [a, b] = parts;
        let local =
            local_depth((a.shape, a.pose), (b.shape, b.pose), &met.meeting, search.tolerance.unwrap_or(chord_error));
        let at_least = local.map(|local| local.at_least).filter(|&depth| depth > 0.0);
        let mut depth = Self { local, chord_error, at_least, translation: None };
        // Without a local depth, pairs are ordered by their translations.
        if (search.with_translations || local.is_none()) && depth.is_beyond(met.kind, search.tolerance) {
            depth.seek_translation(parts, met);
        }
        depth
    }

    /// Reports whether the depth may be one of the true surfaces that matters, so that a translation is sought.
    pub(crate) fn is_beyond(&self, kind: InterferenceKind, tolerance: Option<f64>) -> bool {
        let negligible = tolerance.unwrap_or(self.chord_error);
        kind == InterferenceKind::Duplicate || self.local.is_none_or(|local| local.at_most > negligible)
    }

    /// Seeks a translation that separates the parts, and a lower bound of all of them.
    pub(crate) fn seek_translation(&mut self, [a, b]: &[PlacedPart<'_>; 2], met: &Met) {
        let (a, b) = ((a.shape, a.pose), (b.shape, b.pose));
        let found = match self.local.and_then(|local| local.place) {
            Some(deepest) => inscribed_depth_at(a, b, deepest, &places(met)),
            None => inscribed_depth(a, b, &places(met)),
        };
        // A bound of 0 gives no information: far from the origin, rounding may leave no more. A point of one surface
        // that deep in its partner is a ball of radius 0 with a ball of that radius.
        let sought = found.map(|found| found.depth).filter(|&depth| depth > 0.0);
        self.at_least = sought.into_iter().chain(self.at_least).reduce(f64::max);
        // B leaves A against the direction away from the boundary of A, or along the direction away from its own
        // boundary.
        let directions = found.map_or(Vec::new(), |found| vec![-found.directions[0], found.directions[1]]);
        self.translation = separating_translation(a, b, &directions);
    }

    /// Returns the length of the translation that separates, in the unit of the coordinates; `None` without one.
    pub fn separating_length(&self) -> Option<f64> {
        self.translation.map(robust_length)
    }

    /// Returns the upper bound of the depth: of the local depth, or the length of the separating translation if neither
    /// part is a solid.
    pub fn at_most(&self) -> f64 {
        let separating = || self.separating_length().unwrap_or(f64::INFINITY);
        self.local.map_or_else(separating, |local| local.at_most)
    }

    /// Compares the depth with the error of the tessellation; surfaces that bound nothing and meet do so in reality.
    pub(crate) fn certainty(&self) -> Certainty {
        match self.local {
            Some(local) if local.at_most <= self.chord_error => Certainty::WithinTessellation,
            Some(local) if local.at_least <= self.chord_error => Certainty::Unproved,
            _ => Certainty::Real,
        }
    }

    /// Orders the deepest first, by upper bounds: what is not proved to be shallow comes before what is.
    pub(crate) fn order(x: Option<&Self>, y: Option<&Self>) -> Ordering {
        let key = |depth: Option<&Self>| depth.map_or(f64::INFINITY, Self::at_most);
        key(y).total_cmp(&key(x))
    }
}

/// Returns points that may lie in both parts: the centre of the region, and midpoints between points on both surfaces.
fn places(met: &Met) -> Vec<Vec3> {
    let centre = met.region.centre();
    let stride = met.common.len().div_ceil(MAX_PLACES).max(1);
    let chosen: Vec<Vec3> = met.common.iter().copied().step_by(stride).collect();
    let half = chosen.len() / 2;
    let opposite = chosen.iter().zip(&chosen[half..]).map(|(&p, &q)| p * 0.5 + q * 0.5);
    let inward = chosen.iter().map(|&p| p * 0.5 + centre * 0.5);
    [centre].into_iter().chain(opposite).chain(inward).collect()
}
