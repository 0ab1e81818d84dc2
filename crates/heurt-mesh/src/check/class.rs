//! Classification of a mesh as an object, and the verdict whether it can be printed.
//!
//! In: the facts and faults that `check` found. Out: a [`Class`], after S0 §2, and a verdict with reasons.

use std::fmt;

use thiserror::Error;

use super::KindCount;

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

/// Kinds of faults with which a slicer cannot distinguish inside from outside.
const UNPRINTABLE: [&str; 5] =
    ["hole", "non-manifold-edge", "inconsistent-orientation", "inward-shell", "self-intersection"];

/// Why a mesh cannot be printed: displays as "737 self-intersections, 2 holes".
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}", Reasons(self))]
#[non_exhaustive]
pub struct Unprintable {
    /// The kinds of faults that prevent it, the most frequent first.
    pub reasons: Vec<KindCount>,
    /// The mesh bounds no volume, or self-intersections were not searched for.
    pub note: Option<&'static str>,
}

/// The most frequent reasons.
struct Reasons<'a>(&'a Unprintable);

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        let Unprintable { reasons, note } = self.0;
        let shown = reasons.iter().take(SHOWN).map(KindCount::to_string);
        let more = (reasons.len() > SHOWN).then(|| "…".to_owned());
        let all: Vec<String> = shown.chain(more).chain(note.map(str::to_owned)).collect();
        out.write_str(&all.join(", "))
    }
}

/// Computes the verdict on a mesh of a class with faults.
pub(super) fn printable(class: Class, counts: &[KindCount], has_searched: bool) -> Result<(), Unprintable> {
    let mut reasons: Vec<KindCount> =
        counts.iter().filter(|count| UNPRINTABLE.contains(&count.kind)).copied().collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    let note = match (reasons.is_empty(), class.is_closed(), has_searched) {
        (false, ..) => None,
        (true, false, _) => Some("it bounds no volume"),
        (true, true, false) => Some("self-intersections were not searched for"),
        (true, true, true) => return Ok(()),
    };
    Err(Unprintable { reasons, note })
}
