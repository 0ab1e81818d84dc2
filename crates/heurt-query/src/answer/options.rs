//! Options of the verbs: limits, budgets, and what counts.
//!
//! In: nothing but numbers and a [`Budget`]. Out: the last argument of the forms `…_with`. Defaults are those of the
//! plain forms, except for limits that the plain form takes as an argument: these have a default of their own.

use super::budget::Budget;

/// Returns a maximum distance in metres; infinite if it is `NaN`.
#[inline(always)]
pub(crate) fn limit(max: f64) -> f64 {
    max.min(f64::INFINITY)
}

/// Options of [`overlap_with`](crate::overlap_with).
#[derive(Debug, Clone, Copy, Default)]
pub struct OverlapOptions<'q> {
    /// How much the query may cost; without a limit by default.
    pub budget: Budget<'q>,
}

/// Options of [`distance_with`](crate::distance_with) and
/// [`PairCache::distance_with`](crate::PairCache::distance_with).
#[derive(Debug, Clone, Copy)]
pub struct DistanceOptions<'q> {
    /// Shapes farther from each other than this, in metres, are dismissed without their distance. Infinite by default;
    /// `NaN` counts as infinite.
    pub max_distance: f64,
    /// How much the query may cost; without a limit by default.
    pub budget: Budget<'q>,
}

impl Default for DistanceOptions<'_> {
    fn default() -> Self {
        Self { max_distance: f64::INFINITY, budget: Budget::default() }
    }
}

/// Options of [`contact_with`](crate::contact_with) and [`contact_manifold_with`](crate::contact_manifold_with).
#[derive(Debug, Clone, Copy, Default)]
pub struct ContactOptions<'q> {
    /// Shapes farther from each other than this, in metres, have no contact. 0 by default; `NaN` counts as infinite.
    pub max_distance: f64,
    /// How much the query may cost; without a limit by default.
    pub budget: Budget<'q>,
}

/// Options of [`pairs_with`](crate::pairs_with).
#[derive(Debug, Clone, Copy, Default)]
pub struct PairsOptions<'q> {
    /// How much the query may cost; without a limit by default.
    pub budget: Budget<'q>,
}

/// Options of [`candidates_with`](crate::candidates_with).
#[derive(Debug, Clone, Copy, Default)]
pub struct CandidatesOptions {
    /// By how much the distance of any two points of the meshes may shrink, in metres. 0 by default; a negative limit
    /// counts as 0, one that is `NaN` as infinite.
    pub max_distance: f64,
}

/// Options of [`self_pairs_with`](crate::self_pairs_with).
#[derive(Debug, Clone, Copy, Default)]
pub struct SelfPairsOptions {
    /// Whether triangles that share a vertex are examined; they are left out by default.
    pub neighbours: Neighbours,
}

/// Treatment of triangles that have a vertex in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Neighbours {
    /// They are left out, as simulations of cloth and soft bodies need it at each step.
    #[default]
    Skip,
    /// They count if they share more than their common vertex or edge: a mesh folded flat on itself, or one that
    /// passes through itself next to a vertex. Duplicates (three vertices in common) never count.
    Examine,
}

/// Options of [`closest_with`](crate::closest_with).
#[derive(Debug, Clone, Copy)]
pub struct ClosestOptions {
    /// A boundary farther than this from the point, in metres, is dismissed. Infinite by default.
    pub max_distance: f64,
}

impl Default for ClosestOptions {
    fn default() -> Self {
        Self { max_distance: f64::INFINITY }
    }
}

/// Options of [`ray_with`](crate::ray_with) and [`ray_all_with`](crate::ray_all_with).
#[derive(Debug, Clone, Copy)]
pub struct RayOptions {
    /// Hits beyond this multiple of the direction are dismissed, as are those beyond [`Ray::max_t`](crate::Ray::max_t).
    /// Infinite by default; a search through many shapes lowers it to the nearest hit found.
    pub max_t: f64,
}

impl Default for RayOptions {
    fn default() -> Self {
        Self { max_t: f64::INFINITY }
    }
}
