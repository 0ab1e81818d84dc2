//! Queries that must end in time: `overlap`, `distance`, contacts and `cast` within a budget of work, or until a clock
//! states so.
//!
//! In: placed shapes, a [`Budget`]. Out: the answer, or what is known so far: whether they overlap stays open, a
//! distance is bounded from both sides ([`DistanceBounds`]), of a contact there are fewer points
//! ([`contact_manifold_within_budget`]), of shapes that move, and of meshes that deform, it is known how long they do
//! not touch ([`cast_within_budget`], [`crate::ccd::first_impact_within`]).
//! Method: S4 §1.1 (time-critical methods). What is nearest is looked at first, or the nearest of what is left is
//! known, so that what is left when the budget is spent bounds the distance. The trees of two meshes are walked least
//! gap first; where the surfaces are disjoint, a point of each part reports whether one solid lies in the other, as
//! `overlap` does. A superquadric has bounds of its own, patch by patch.
//! Guarantees: conservative: a distance is never reported too large, an overlap neither claimed nor denied without
//! proof. A complete answer is that of the verb without a budget. With a budget of work the same answer on any machine.
//! Not bounded: one step of the search: a node of a tree, the triangles of two leaves, two convex shapes, two patches
//! of superquadrics, of the depth of meshes one box of translations with the overlaps that it asks for. Not cut: of
//! meshes a point of each part, where the walk was cut short of a distance; the points of a distance that is known; the
//! first translation out of each other and its proof, where the depth is asked of shapes of which surfaces alone do not
//! tell it, or one of which is a half-space. Neither cut nor counted: what a mesh is made ready with at the first query
//! about its depth, up to seconds: [`convex_pieces`](crate::convex_pieces()), asked beforehand, does it.

pub use crate::answer::budget::{Budget, Budgeted, DistanceBounds};
pub use crate::cast::cast_within_budget;
pub use crate::contact::contact_manifold_within_budget;
pub use crate::distance::distance_within_budget;
pub use crate::overlap::overlap_within_budget;
