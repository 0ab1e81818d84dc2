//! Queries with a budget of work or time: `overlap`, `distance`, contacts and `cast`.
//!
//! In: placed shapes, a [`Budget`]. Out: the answer, or a partial result. Overlap stays undecided. A distance is
//! bounded from both sides ([`DistanceBounds`]). A contact has fewer points ([`contact_manifold_within_budget`]). For
//! moving shapes, and for deforming meshes, a time before which they do not touch is reported ([`cast_within_budget`],
//! [`crate::ccd::first_impact_within`]).
//! Method: S4 §1.1 (time-critical methods). The nearest pairs are processed first, or the nearest remaining pair is
//! known, so that the rest bounds the distance when the budget is exhausted. The trees of two meshes are walked least
//! gap first. If the surfaces are disjoint, a point of each part decides whether a solid lies inside another, as in
//! `overlap`. A superquadric has its own bounds, patch by patch.
//! Guarantees: conservative: a distance is never reported too large, an overlap neither claimed nor denied without
//! proof. A complete answer equals the answer of the query without a budget. With a budget of work the answer is the
//! same on any machine.
//! Not bounded: one step of the search: a node of a tree, the triangles of two leaves, two convex shapes, two patches
//! of superquadrics; for the depth of meshes, one box of translations with its overlap tests. Not interrupted: for
//! meshes, the location of a point of each part after an interrupted distance walk; the points of a known distance; the
//! first separating translation and its proof, if the depth of the shapes is not determined by surfaces alone or one is
//! a half-space. Neither interrupted nor counted: the preparation of a mesh at the first query of its depth, up to
//! seconds; a call of [`convex_pieces`](crate::convex_pieces()) in advance does it.

pub use crate::answer::budget::{Budget, Budgeted, DistanceBounds};
pub use crate::cast::cast_within_budget;
pub use crate::contact::contact_manifold_within_budget;
pub use crate::distance::distance_within_budget;
pub use crate::overlap::overlap_within_budget;
