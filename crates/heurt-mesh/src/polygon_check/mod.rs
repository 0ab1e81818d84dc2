//! Validity of polygon facets: planarity, simplicity, convexity, and the Euler characteristic by facets.
//!
//! In: a mesh and the polygons that its triangles were cut from. Out: a [`PolygonReport`].
//! Method: S3, slides 6–10. Each facet is measured against the plane through the centroid of its corners along its
//! Newell normal, and projected along the coordinate axis nearest to that normal. In the projection exact predicates
//! decide whether edges cross (`simple`) and whether a corner turns backward. Vertices at the same place count as one;
//! S − A + F counts the vertices, the edges and the facets that the polygons use.
//! Guarantees: exactly planar, simple and convex are decided by exact predicates, the latter two in the projection; the
//! deviation is rounded. A simple facet of which no corner turns backward is convex. The same bits in every run.
//! Not guaranteed: simplicity beyond a budget of edge pairs: such facets are counted as undecided. The deviation is
//! measured from the Newell plane; it can be up to some times the smallest possible one.
//! Cost: O(corners) for planarity and convexity, O(k log k + crossings of boxes) for the simplicity of a facet of k
//! corners.

mod facet;
mod report;

pub use self::report::{FacetFault, FacetFaultKind, PolygonReport};

use rayon::prelude::*;

use self::facet::Facet;
use crate::weld::first_at_same_place;
use crate::{HalfEdgeMesh, Polygons, TriMesh};

/// Edge pairs that the simplicity tests of one mesh may examine: some seconds at most.
const EDGE_PAIR_BUDGET: u64 = 1 << 26;

/// Options of the check of polygons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolygonOptions {
    /// Deviation up to which a facet counts as planar, in the unit of the mesh. `None`: four ulp of an `f32` at the
    /// largest coordinate.
    pub tolerance: Option<f64>,
    /// Maximum number of faults listed; the counts are complete.
    pub max_listed: usize,
}

impl Default for PolygonOptions {
    fn default() -> Self {
        Self { tolerance: None, max_listed: 1000 }
    }
}

/// Four ulp of an `f32`: bound on the displacement of corners by rounding each coordinate of a file to `f32`.
const TOLERANCE: f64 = 4.0 / (1u32 << 23) as f64;

/// Checks the facets of a mesh with default options.
pub fn check_polygons(mesh: &TriMesh, polygons: &Polygons) -> PolygonReport {
    check_polygons_with(mesh, polygons, &PolygonOptions::default())
}

/// Checks the facets of a mesh. Corners that the mesh does not have are skipped.
pub fn check_polygons_with(mesh: &TriMesh, polygons: &Polygons, options: &PolygonOptions) -> PolygonReport {
    let bounds = mesh.bounds();
    let scale = bounds.min.abs().max(bounds.max.abs()).max_element();
    let tolerance = options.tolerance.filter(|tolerance| *tolerance >= 0.0).unwrap_or(TOLERANCE * scale);
    let representative = first_at_same_place(mesh.vertices());
    let corners_of = |polygon: usize| -> Vec<u32> {
        let found = polygons.corners(polygon).iter().filter_map(|&vertex| representative.get(vertex as usize));
        found.copied().collect()
    };
    let budget = EDGE_PAIR_BUDGET / polygons.len().max(1) as u64 + 4096;
    let facets: Vec<Facet> = (0..polygons.len())
        .into_par_iter()
        .map(|polygon| Facet::new(mesh.vertices(), &corners_of(polygon), tolerance, budget))
        .collect();
    let mut report = PolygonReport::of(&facets, tolerance, options.max_listed);
    report.count_elements(polygons.len(), corners_of);
    report.set_topology(HalfEdgeMesh::from_polygons(mesh, polygons).ok().as_ref());
    report
}
