//! Queries that must end in time: a [`Budget`] of work, or until a clock ends it, in the options of the verbs.
//!
//! In: placed shapes, options with a [`Budget`]. Out: an [`Answer`]: complete, or what is known when the budget ends.
//! It stays open whether shapes overlap ([`overlap_with`](crate::overlap_with)); a distance is bounded from both sides
//! ([`DistanceBounds`]); a contact has fewer points ([`contact_manifold_with`](crate::contact_manifold_with)) or wider
//! bounds ([`contact_with`](crate::contact_with)); some pairs are listed ([`pairs_with`](crate::pairs_with)). For
//! shapes that move, and meshes that deform, a time is known before which they do not touch
//! ([`cast_with`](crate::cast_with), [`first_impact_with`](crate::ccd::first_impact_with)).
//! Method: S4 §1.1 (time-critical methods). The nearest volumes come first, or the nearest of the rest is known, so
//! that the rest bounds the distance when the budget ends. The trees of two meshes are walked least gap first; if the
//! surfaces are disjoint, a point of each part decides containment, as for `overlap`. A
//! superquadric has bounds of its own, patch by patch.
//! Guarantees: conservative: a distance is never reported too large, an overlap neither claimed nor denied without
//! proof. A complete answer equals the answer of the verb without a budget. With a budget of work the same answer on
//! any machine. Not bounded: one step of the search: a node of a tree, the triangles of two leaves, two convex shapes,
//! two patches of superquadrics, and for the depth of meshes one box of translations with its overlaps. Not cut: a
//! point of each part of meshes, if the walk was cut short of a distance; the points of a distance that is known; the
//! first separating translation and its proof, if surfaces alone do not decide the depth, or one shape is a half-space.
//! Neither cut nor counted: the preparation of a mesh at the first query of its depth, up to seconds:
//! [`convex_pieces`](crate::convex_pieces()), called beforehand, does it.

pub use crate::answer::budget::{Answer, Budget, Budgeted, DistanceBounds};
