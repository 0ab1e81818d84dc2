//! Classification of a mesh as an object.
//!
//! In: the facts and faults that `check` found. Out: a [`Class`], after S0 §2.

use std::fmt;

/// The kind of object; later classes include the properties of the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Some edge has an odd number of triangles, or there is no edge: the triangles bound nothing.
    Open,
    /// Every edge has an even number of triangles, but their half-edges do not cancel.
    Inconsistent,
    /// Every edge is shared by equally many opposite half-edges, and triangles intersect.
    SelfIntersecting,
    /// Every edge is shared by equally many opposite half-edges, and no intersection was found or searched for.
    Solid,
    /// A solid that is convex, faces outward: exactly, or within its rounding: [`SEAM`](crate::SEAM) of
    /// its largest coordinate if all are `f32`, else of its size.
    Convex,
}

impl Class {
    /// Returns what the class means, in a line.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Open => "some edges lack a triangle on one side, so it bounds nothing",
            Self::Inconsistent => "no hole, but neighbouring triangles disagree on which side is out",
            Self::SelfIntersecting => "closed, but triangles intersect",
            Self::Solid => "closed, so it has an inside",
            Self::Convex => "closed, and the boundary of a convex body",
        }
    }

    /// Tests whether the mesh has an inside: every edge is shared by equally many opposite half-edges.
    pub fn is_closed(self) -> bool {
        self >= Self::SelfIntersecting
    }
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Open => "open",
            Self::Inconsistent => "inconsistent",
            Self::SelfIntersecting => "self-intersecting",
            Self::Solid => "solid",
            Self::Convex => "convex",
        })
    }
}
