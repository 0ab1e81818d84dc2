//! Report of a polygon check: counts, the worst facet, and a limited list of faults with their places.

use std::fmt;

use heurt_geometry::{Aabb, Vec3};

use super::facet::Facet;
use crate::{HalfEdgeMesh, PolygonFaces};

/// The kind of a facet's fault.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum FacetFaultKind {
    /// Its corners do not lie in one plane within the tolerance.
    NotPlanar {
        /// The largest distance of a corner from the plane of the facet.
        deviation: f64,
    },
    /// Two of its edges meet elsewhere than in a common corner.
    NotSimple {
        /// The edges, each named by the corner at which it starts.
        edges: [u32; 2],
    },
    /// A corner turns backward.
    NotConvex {
        /// The corner.
        corner: u32,
    },
    /// It encloses no area, or has fewer than three corners.
    Degenerate,
    /// Two consecutive corners lie at the same place.
    RepeatedCorner {
        /// The first of them.
        corner: u32,
    },
}

/// A fault of one facet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FacetFault {
    /// The polygon.
    pub polygon: u32,
    /// The kind of the fault.
    pub kind: FacetFaultKind,
    /// The mean of its corners.
    pub centre: Vec3,
    /// The box of its corners.
    pub bounds: Aabb,
}

impl fmt::Display for FacetFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { polygon, centre: Vec3 { x, y, z }, .. } = self;
        write!(out, "polygon {polygon} around [{x:.6}, {y:.6}, {z:.6}] ")?;
        match self.kind {
            FacetFaultKind::NotPlanar { deviation } => {
                write!(out, "is not planar: a corner is {deviation:.3e} off its plane; triangulate it")
            }
            FacetFaultKind::NotSimple { edges: [a, b] } => {
                write!(out, "crosses itself in its edges {a} and {b}: split it there")
            }
            FacetFaultKind::NotConvex { corner } => {
                write!(out, "is not convex: corner {corner} turns backward; triangulate it if convex facets are needed")
            }
            FacetFaultKind::Degenerate => write!(out, "encloses no area: remove it"),
            FacetFaultKind::RepeatedCorner { corner } => {
                write!(out, "repeats the place of corner {corner}: remove one of the two corners")
            }
        }
    }
}

/// The result of a check of polygons.
#[derive(Debug, Clone, PartialEq)]
pub struct PolygonReport {
    /// Number of facets.
    pub facets: usize,
    /// Number of facets with three corners.
    pub triangles: usize,
    /// Number of facets with four corners.
    pub quads: usize,
    /// The largest number of corners of a facet.
    pub max_corners: usize,
    /// Number of facets whose corners lie in one plane, exactly.
    pub exactly_planar: usize,
    /// Number of facets that are planar within the tolerance.
    pub planar: usize,
    /// Number of facets whose edges meet in common corners only.
    pub simple: usize,
    /// Number of simple facets without a corner that turns backward.
    pub convex: usize,
    /// Number of facets whose simplicity was not decided, because they have too many edges whose boxes overlap.
    pub undecided: usize,
    /// Number of facets without area.
    pub degenerate: usize,
    /// The tolerance for planarity.
    pub tolerance: f64,
    /// The largest deviation of a facet from its plane.
    pub max_deviation: f64,
    /// The facet with that deviation, the first of equals; `None` if all are exactly planar.
    pub worst: Option<u32>,
    /// S: number of different places of corners.
    pub vertices: usize,
    /// A: number of edges between different places.
    pub edges: usize,
    /// S − A + F.
    pub euler: i64,
    /// Whether the facets form a manifold oriented surface.
    pub is_manifold: bool,
    /// Whether they form one without a border.
    pub is_closed: bool,
    /// The number of handles over all components of a closed manifold surface; `None` for others.
    pub genus: Option<u64>,
    /// The faults, by polygon, at most as many as the options allow.
    pub faults: Vec<FacetFault>,
    /// The number of faults, including faults that are not listed.
    pub fault_count: usize,
}

impl PolygonReport {
    /// Counts the properties of the facets.
    pub(super) fn of(facets: &[Facet], tolerance: f64, max_listed: usize) -> Self {
        let count = |holds: &dyn Fn(&Facet) -> bool| facets.iter().filter(|facet| holds(facet)).count();
        let deviation = |facet: &Facet| facet.deviation.unwrap_or(0.0);
        let max_deviation = facets.iter().map(deviation).fold(0.0, f64::max);
        let worst = facets.iter().position(|facet| deviation(facet) == max_deviation && max_deviation > 0.0);
        let mut report = Self {
            facets: facets.len(),
            triangles: count(&|facet| facet.corners == 3),
            quads: count(&|facet| facet.corners == 4),
            max_corners: facets.iter().map(|facet| facet.corners).max().unwrap_or(0),
            exactly_planar: count(&|facet| facet.is_exactly_planar),
            planar: count(&|facet| facet.is_planar),
            simple: count(&Facet::is_simple),
            convex: count(&Facet::is_convex),
            undecided: count(&|facet| facet.crossing.is_err()),
            degenerate: count(&|facet| facet.deviation.is_none()),
            tolerance,
            max_deviation,
            worst: worst.map(|polygon| polygon as u32),
            vertices: 0,
            edges: 0,
            euler: 0,
            is_manifold: false,
            is_closed: false,
            genus: None,
            faults: Vec::new(),
            fault_count: 0,
        };
        for (polygon, facet) in (0..).zip(facets) {
            for kind in faults_of(facet) {
                report.fault_count += 1;
                if report.faults.len() < max_listed {
                    report.faults.push(FacetFault { polygon, kind, centre: facet.centre, bounds: facet.bounds });
                }
            }
        }
        report
    }

    /// Counts vertices and edges by place.
    pub(super) fn count_elements(&mut self, facets: usize, corners_of: impl Fn(usize) -> Vec<u32>) {
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        for facet in 0..facets {
            let corners = corners_of(facet);
            for (&a, &b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
                vertices.push(a);
                if a != b {
                    edges.push([a.min(b), a.max(b)]);
                }
            }
        }
        vertices.sort_unstable();
        vertices.dedup();
        edges.sort_unstable();
        edges.dedup();
        (self.vertices, self.edges) = (vertices.len(), edges.len());
        self.euler = vertices.len() as i64 - edges.len() as i64 + facets as i64;
    }

    /// Sets the properties that follow from the half-edges; `None` if there are none.
    pub(super) fn set_topology(&mut self, half_edges: Option<&HalfEdgeMesh<PolygonFaces>>) {
        let Some(half_edges) = half_edges else { return };
        self.is_manifold = true;
        self.is_closed = self.facets > 0 && half_edges.half_edge_count() as u32 == half_edges.inner_half_edge_count();
        if self.is_closed {
            // Each component is a closed surface with S − A + F = 2 − 2·genus.
            let components = half_edges.component_count() as i64;
            self.genus = Some((2 * components - self.euler).unsigned_abs() / 2);
        }
    }
}

/// Lists the faults of a facet; a facet without area has no others.
fn faults_of(facet: &Facet) -> Vec<FacetFaultKind> {
    let mut faults = Vec::new();
    if let Some(corner) = facet.repeats {
        faults.push(FacetFaultKind::RepeatedCorner { corner });
    }
    let Some(deviation) = facet.deviation else {
        faults.push(FacetFaultKind::Degenerate);
        return faults;
    };
    if !facet.is_planar {
        faults.push(FacetFaultKind::NotPlanar { deviation });
    }
    if let Ok(Some(edges)) = facet.crossing {
        faults.push(FacetFaultKind::NotSimple { edges });
    } else if let (Some(corner), true) = (facet.reflex, facet.crossing.is_ok()) {
        faults.push(FacetFaultKind::NotConvex { corner });
    }
    faults
}
