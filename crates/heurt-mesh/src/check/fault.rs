//! Faults of a mesh, with the elements that a repair needs.

use std::fmt;

/// One fault of a mesh. Vertices of edges, fans and holes are representatives: the lowest index at their place.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// A triangle whose corners lie on one line or at one point.
    DegenerateFace {
        /// The triangle.
        triangle: u32,
    },
    /// Two triangles with the same three corners.
    DuplicateFace {
        /// The first triangle with these corners.
        first: u32,
        /// A later one.
        second: u32,
        /// Whether the two face in opposite directions.
        opposite: bool,
    },
    /// A vertex that no triangle uses.
    IsolatedVertex {
        /// The vertex.
        vertex: u32,
    },
    /// More than two triangles meet in an edge.
    NonManifoldEdge {
        /// Its ends, the lower first.
        vertices: [u32; 2],
        /// The triangles, ascending.
        triangles: Vec<u32>,
    },
    /// Triangles that no edge holds together meet in a vertex.
    NonManifoldVertex {
        /// The vertex.
        vertex: u32,
        /// The number of fans of the triangles at it.
        fans: u32,
        /// The triangles, ascending.
        triangles: Vec<u32>,
    },
    /// Triangles along an edge disagree on which side is out.
    InconsistentOrientation {
        /// The ends of the edge, the lower first.
        vertices: [u32; 2],
        /// The triangles, ascending.
        triangles: Vec<u32>,
    },
    /// Edges with a triangle on one side only.
    Hole {
        /// The vertices of the border in order, in the direction of its first half-edge; the first is not repeated.
        vertices: Vec<u32>,
        /// The triangles along the border, one for each edge, in the same order.
        triangles: Vec<u32>,
        /// The border is a closed loop; otherwise it ends at edges where more than two triangles meet.
        is_loop: bool,
        /// Length of the border, in metres.
        length: f64,
        /// The border lies within the rounding of the mesh of a plane: [`SEAM`](crate::SEAM) of the largest coordinate
        /// if all are `f32`, else of the size of the mesh.
        is_planar: bool,
    },
    /// A closed part whose faces point inward, and that is no cavity of another part.
    InwardShell {
        /// Its first triangle.
        triangle: u32,
        /// Its signed volume in m³, negative.
        volume: f64,
        /// All its triangles, ascending.
        triangles: Vec<u32>,
    },
    /// Two triangles that meet elsewhere than in a vertex or edge of both.
    SelfIntersection {
        /// The triangles, the lower first.
        triangles: [u32; 2],
    },
}

impl Fault {
    /// Names the kind of the fault in a word, for tables and counts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::DegenerateFace { .. } => "degenerate-face",
            Self::DuplicateFace { .. } => "duplicate-face",
            Self::IsolatedVertex { .. } => "isolated-vertex",
            Self::NonManifoldEdge { .. } => "non-manifold-edge",
            Self::NonManifoldVertex { .. } => "non-manifold-vertex",
            Self::InconsistentOrientation { .. } => "inconsistent-orientation",
            Self::Hole { .. } => "hole",
            Self::InwardShell { .. } => "inward-shell",
            Self::SelfIntersection { .. } => "self-intersection",
        }
    }
}

impl Fault {
    /// Describes what is wrong, without the remedy.
    pub fn cause(&self) -> impl fmt::Display + '_ {
        Cause(self)
    }

    /// Returns the command that removes the fault, and what it does to it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::DegenerateFace { .. } => "`heurt repair` removes it and splits its neighbour",
            Self::DuplicateFace { opposite: false, .. } => "`heurt repair` removes one of them",
            Self::DuplicateFace { opposite: true, .. } => "`heurt repair` removes what bounds nothing",
            Self::IsolatedVertex { .. } => "`heurt repair` removes it",
            Self::NonManifoldEdge { .. } | Self::NonManifoldVertex { .. } => {
                "`heurt repair` separates the bodies there"
            }
            Self::InconsistentOrientation { .. } => "`heurt repair` turns one side",
            Self::Hole { .. } => "`heurt repair` fills it, or welds its border",
            Self::InwardShell { .. } => "`heurt repair` turns its triangles",
            Self::SelfIntersection { .. } => "`heurt repair` cuts both and keeps the outer hull",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.cause(), self.remedy())
    }
}

/// The text of a fault without the remedy.
struct Cause<'a>(&'a Fault);

impl fmt::Display for Cause<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Fault::DegenerateFace { triangle } => write!(out, "triangle {triangle} has no area"),
            Fault::DuplicateFace { first, second, opposite: false } => {
                write!(out, "triangle {second} repeats triangle {first}")
            }
            Fault::DuplicateFace { first, second, opposite: true } => {
                write!(out, "triangle {second} is the back of triangle {first}")
            }
            Fault::IsolatedVertex { vertex } => write!(out, "no triangle uses vertex {vertex}"),
            Fault::NonManifoldEdge { vertices: [a, b], triangles } => {
                let count = triangles.len();
                write!(out, "{count} triangles ({}) meet in edge {a}–{b}", Few(triangles))
            }
            Fault::NonManifoldVertex { vertex, fans, .. } => {
                write!(out, "{fans} fans of triangles meet in vertex {vertex} alone")
            }
            Fault::InconsistentOrientation { vertices: [a, b], triangles } => {
                write!(out, "triangles {} disagree along edge {a}–{b} on which side is out", Few(triangles))
            }
            Fault::Hole { vertices, is_loop: true, .. } => {
                let count = vertices.len();
                write!(out, "a hole of {count} edges through vertices {}", Few(vertices))
            }
            Fault::Hole { vertices, is_loop: false, .. } => {
                let count = vertices.len() - 1;
                write!(out, "an open border of {count} edges through vertices {}", Few(vertices))
            }
            Fault::InwardShell { triangle, volume, .. } => {
                write!(out, "the closed part of triangle {triangle} is inside out (volume {volume:e})")
            }
            Fault::SelfIntersection { triangles: [a, b] } => write!(out, "triangles {a} and {b} intersect"),
        }
    }
}

/// Displays the first few of many numbers.
struct Few<'a>(&'a [u32]);

impl fmt::Display for Few<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 6;
        for (place, number) in self.0.iter().take(SHOWN).enumerate() {
            write!(out, "{}{number}", if place == 0 { "" } else { ", " })?;
        }
        if self.0.len() > SHOWN { out.write_str(", …") } else { Ok(()) }
    }
}
