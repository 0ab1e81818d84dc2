//! Triangle and tetrahedral meshes: validation, topology, faults, measures, decomposition and generators.
//!
//! In: vertices in metres and triangles or polygons over them. Out: [`TriMesh`], validated once; the incidence of its
//! triangles ([`Topology`], [`HalfEdgeMesh`]); all its faults ([`check()`]); its measures ([`measures()`]); convex
//! pieces that cover it ([`decompose()`]); its wireframe; and meshes made from parameters ([`generate`]). [`TetMesh`]
//! validates tetrahedra in the same manner, and gives their boundary as a [`TriMesh`].
//! Method: S0 §2–3, S3 slides 6–13; exact predicates of `heurt-geometry` for every yes-or-no decision.
//! Guarantees: vertices at the same place count as one for topology and stay as they are in the mesh; results do not
//! depend on the number of threads. No file formats.

mod axis_projection;
mod bodies;
pub mod check;
mod chord_error;
pub mod decompose;
mod draw;
mod fan_separation;
pub mod generate;
mod half_edge;
mod hull;
mod live_boxes;
mod measure;
mod polygon;
pub mod polygon_check;
mod polygons;
mod radial;
pub mod repair;
mod shells;
mod simplify;
mod solidify;
mod tet_mesh;
mod thickness;
mod topology;
mod tree_query;
mod tri_mesh;
mod volume_boundary;
mod volume_mesh;
mod weld;
mod wireframe;

pub use bodies::Bodies;
pub use check::{
    CheckOptions, Class, Fault, FaultPlace, KindCount, Report, SEVERITY_RULES, Severity, SeverityRule, Unprintable,
    Verdict, check, check_over, check_with, is_boundary, meet_beyond_shared,
};
pub use chord_error::estimate_chord_errors;
pub use decompose::{
    DecomposeError, DecomposeOptions, Decomposition, HullNode, MIN_TOLERANCE, decompose, decompose_with_progress,
};
pub use draw::{FaultMarks, FeatureLines};
pub use fan_separation::separate_fans;
pub use half_edge::{
    EdgeRecord, FaceLoops, HalfEdgeError, HalfEdgeMesh, PolygonEdgeError, PolygonFaces, TriangleFaces, Wings,
};
pub use hull::{HullMeshError, convex_hull};
pub use measure::{Measures, measures, measures_over};
pub use polygon::{PolygonError, Triangulated, triangulate_with_holes};
pub use polygon_check::{PolygonOptions, PolygonReport, check_polygons, check_polygons_with};
pub use polygons::Polygons;
pub use repair::{RepairError, RepairOptions, RepairReport, Repaired, repair};
pub use simplify::{Simplified, SimplifyError, SimplifyOptions, simplify, simplify_within};
pub use solidify::{GRID, SEAM, Solidified, SolidifyError, Turned, Weld, Welding, solidify};
pub use tet_mesh::{TetMesh, TetMeshError};
pub use thickness::{
    Thickness, ThicknessError, ThicknessMethod, ThicknessOptions, ThicknessSample, ThicknessSamples, wall_thickness,
};
pub use topology::{Component, DisjointSets, Edge, Topology, components, components_by_number, is_closed};
pub use tri_mesh::{MeshError, TriMesh};
pub use volume_boundary::{BoundaryError, BoundaryFaces};
pub use volume_mesh::{Cell, FaceTable, VolumeMesh};
pub use weld::{WeldError, Welded, weld};
pub use wireframe::{FeatureEdge, FeatureKind, WireframeError, feature_edges, wireframe};
