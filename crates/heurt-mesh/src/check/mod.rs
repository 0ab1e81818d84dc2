//! All faults of a mesh, and what kind of object it is.
//!
//! In: a mesh. Out: a [`Report`]: the class (soup, closed, convex; S0 §2), the facts about its surface, and every fault.
//! Method: incidences from [`Topology`]; exact predicates for what lies where; a tree of triangle boxes proposes the
//! pairs that may intersect. What a boundary model must satisfy is listed in S3, slide 10.
//! Guarantees: faults come sorted by kind and then by number, the same in every run. Degenerate faces, convexity and
//! self-intersections are decided exactly; inward shells are told by a volume whose rounding error is bounded. Touching
//! is intersecting: triangles that meet anywhere but in a vertex or edge of both are reported.
//! Cost: O(n log n) and the pairs whose boxes meet.

mod convex;
mod fault;
mod holes;
mod incidence;
mod orientation;
mod self_intersection;

pub use fault::Fault;
pub(crate) use self_intersection::Faces;
pub use self_intersection::meet_beyond_shared;

use heurt_geometry::is_degenerate;
use rayon::prelude::*;

use crate::{Topology, TriMesh};

/// What kind of object a mesh is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Triangles that bound nothing.
    Soup,
    /// Every edge is shared by equally many opposite half-edges: the mesh has an inside.
    Closed,
    /// Closed, and the boundary of a convex body, faces outward: one component, none of its faces degenerate.
    Convex,
}

impl std::fmt::Display for Class {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Soup => "soup",
            Self::Closed => "closed",
            Self::Convex => "convex",
        })
    }
}

/// What `check` found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The kind of object.
    pub class: Class,
    /// Every edge is shared by equally many opposite half-edges.
    pub closed: bool,
    /// At most two triangles meet in an edge, and the triangles round a vertex are one fan.
    pub manifold: bool,
    /// Neighbouring triangles agree on which side is out.
    pub oriented: bool,
    /// The faults, sorted by kind and then by number.
    pub faults: Vec<Fault>,
    /// All kinds of faults were looked for, and none was cut off by a limit.
    pub complete: bool,
}

/// What `check` looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOptions {
    /// Look for self-intersections, the costly part.
    pub self_intersections: bool,
    /// Report at most this many self-intersections: a soup can have a quadratic number.
    pub max_self_intersections: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { self_intersections: true, max_self_intersections: 1 << 20 }
    }
}

/// Finds all faults of a mesh.
pub fn check(mesh: &TriMesh) -> Report {
    check_with(mesh, &CheckOptions::default())
}

/// Finds the faults that `options` ask for.
pub fn check_with(mesh: &TriMesh, options: &CheckOptions) -> Report {
    check_over(&Topology::new(mesh), options)
}

/// Finds the faults of the mesh of incidences already found.
pub fn check_over(topology: &Topology, options: &CheckOptions) -> Report {
    let degenerate = degenerate_faces(topology.mesh());
    let fans = topology.fans();
    let closed = topology.is_closed();
    let oriented = topology.is_oriented();
    let manifold = topology.edges().all(|edge| edge.degree() <= 2) && fans.iter().all(|&fans| fans <= 1);

    let mut faults: Vec<Fault> = degenerate.iter().map(|&triangle| Fault::DegenerateFace { triangle }).collect();
    faults.extend(incidence::duplicate_faces(topology));
    faults.extend(incidence::isolated_vertices(topology.mesh()));
    faults.extend(incidence::non_manifold_edges(topology));
    faults.extend(incidence::non_manifold_vertices(&fans));
    faults.extend(incidence::disagreeing_edges(topology));
    faults.extend(holes::holes(topology));
    faults.extend(orientation::inward_shells(topology));
    let mut complete = options.self_intersections;
    if options.self_intersections {
        let found = self_intersection::self_intersections(topology, options.max_self_intersections);
        complete = found.complete;
        faults.extend(found.pairs.into_iter().map(|triangles| Fault::SelfIntersection { triangles }));
    }
    let convex = closed && manifold && oriented && degenerate.is_empty() && convex::is_convex(topology);
    // Triangles that are all collapsed are closed for want of an edge, and bound nothing.
    let class = match (closed && topology.edge_count() > 0, convex) {
        (_, true) => Class::Convex,
        (true, false) => Class::Closed,
        (false, false) => Class::Soup,
    };
    Report { class, closed, manifold, oriented, faults, complete }
}

/// The triangles of no area, exactly.
fn degenerate_faces(mesh: &TriMesh) -> Vec<u32> {
    (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .filter(|&triangle| is_degenerate(&mesh.corners(triangle)))
        .collect()
}
