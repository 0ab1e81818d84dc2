//! Depth of an interference: a proved lower bound, and a translation that separates the parts.
//!
//! In: a pair of placed parts that interfere, and points on both surfaces. Out: [`InterferenceDepth`].
//! Method: the lower bound is the sum of the radii of two balls with one centre, one in each part (`inscribed_depth`):
//! the local depth, as an engineer reads it from a section. The translation is the shortest of a few directions
//! (`separating_translation`), after which the parts share no point. A pin in a hole that is too tight has a small
//! depth and a long translation.

use super::interference::{InterferenceKind, Met, PlacedPart};
use heurt_geometry::Vec3;
use heurt_query::contact_kind::{inscribed_depth, separating_translation};
use std::cmp::Ordering;

/// The depth of an interference.
#[derive(Debug, Clone, PartialEq)]
pub struct InterferenceDepth {
    /// A lower bound of the length of any separating translation. `None` if neither part is a solid with an exact
    /// inside, and if no bound above 0 was found for parts that overlap.
    pub at_least: Option<f64>,
    /// A translation of b that separates the parts; `None` if none was found.
    pub translation: Option<Vec3>,
}

/// Number of points on both surfaces from which the search for the lower bound starts.
const MAX_PLACES: usize = 16;

impl InterferenceDepth {
    /// Bounds the depth of two parts that interfere.
    pub(crate) fn of([a, b]: &[PlacedPart<'_>; 2], met: &Met) -> Self {
        if met.kind == InterferenceKind::Touching {
            return Self { at_least: Some(0.0), translation: None };
        }
        let (a, b) = ((a.shape, a.pose), (b.shape, b.pose));
        let found = inscribed_depth(a, b, &places(met));
        // A bound of 0 gives no information: far from the origin, rounding may leave no more.
        let at_least = found.map(|found| found.depth).filter(|&depth| depth > 0.0);
        // B leaves A against the direction away from the boundary of A, or along the direction away from its own
        // boundary.
        let directions = found.map_or(Vec::new(), |found| vec![-found.directions[0], found.directions[1]]);
        Self { at_least, translation: separating_translation(a, b, &directions) }
    }

    /// Reports whether the proved depth is `least` or more; the true depth may be larger than the proved depth. Without
    /// a proved depth, the length of the separating translation decides, which is at least the true depth.
    pub fn is_deep_enough(&self, least: f64) -> bool {
        let upper = || self.translation.map_or(f64::INFINITY, Vec3::length);
        self.at_least.unwrap_or_else(upper) >= least
    }

    /// Orders the deepest first; depths without a bound come last.
    pub(crate) fn order(x: Option<&Self>, y: Option<&Self>) -> Ordering {
        let key = |depth: Option<&Self>| depth.and_then(|depth| depth.at_least).unwrap_or(-1.0);
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
    std::iter::once(centre).chain(opposite).chain(inward).collect()
}
