//! Combinatorial maps: environments partitioned into cells, with their adjacency.
//!
//! In: grids, polygons, tetrahedra, hexahedra, points. Out: [`Map2`] (faces of a surface or of the plane) and [`Map3`]
//! (volumes), read by φ links, orbits and traversers, changed by sewing, cutting and merging.
//! Method: S4 chapter 3. A *dart* is an edge seen from one face of one volume, with a direction. φ₁ is the next dart
//! around the face, φ₋₁ the previous one. φ₂ is the dart along the same edge in the neighbouring face of the same
//! volume (reversed). φ₃ is the dart along the same edge of the same face in the neighbouring volume (reversed).
//! Guarantees: maps are closed. Beyond a border there are faces (2D) or volumes (3D) of *boundary* darts, so that φ₂
//! and φ₃ lead somewhere from every dart. Boundary darts are no cells, are made and removed by the operations, and are
//! reported by [`CombinatorialMap::is_boundary`]. Edits check first and change nothing when they fail; each leaves a
//! map without faults for `validate`. Same calls, same darts. Positions are attributes like any other.
//!
//! # One page
//!
//! - [`Dart`]: a number (`u32`). [`Orbit`]: `Vertex | Edge | Face | Volume | Component`, the cell that a dart
//!   represents.
//! - [`CombinatorialMap`]: the methods of both maps: `phi1, phi1_inv, phi2, phi3`, `is_boundary`, `is_live`, `capacity`
//!   (darts have numbers below it), `live_darts`, `cell_ids(orbit)`, `id(orbit, dart)`.
//! - [`Map2`]: `add_face(n)`, `sew(d, e)`, `unsew(d)`, `cut_edge(d)`, `uncut_edge(d)`, `split_face(d, e)`,
//!   `merge_faces(d)`, `remove_face(d)`; iterators `face_darts, vertex_darts, edge_darts`; `validate`.
//! - [`Map3`]: `add_polyhedron(faces)`, `sew(d, e)`, `unsew(d)`, `cut_edge(d)`, `uncut_edge(d)`, `split_face(d, e)`,
//!   `merge_faces(d)`, `split_volume(path)`, `merge_volumes(d)`, `remove_volume(d)`; iterators `face_darts,
//!   edge_darts`; `validate`.
//! - Cells have numbers on demand: `map.enable_ids(orbit)` numbers the cells and caches the number at each dart;
//!   edits keep the numbers valid and log changes ([`IdChange`], `take_changes`). [`Attribute<T>`] is an array
//!   over these numbers that follows the log. A dart of the boundary has vertex and edge numbers, but no face (2D) or
//!   volume (3D) number.
//! - [`multires`]: cells refined and coarsened one by one, and any level read at any time: `ImplicitMap`,
//!   `ExplicitMap`.
//! - [`track`]: particles that move from cell to cell, exactly: `Tracker2`, `SurfaceTracker`, `Tracker3`,
//!   `StarTracker`; `Probe`, the cells of edges and triangles.
//! - [`placed`]: a map with the positions of its vertices, from polygons, volume cells or a grid; in a few lines its
//!   summary, refinement, paths of particles, and points near points: the library of `heurt map`.
//! - [`geodesic`]: exact shortest paths on triangle meshes round obstacles: `GeodesicSurface`, `GeodesicField`.
//! - [`segment_voronoi`]: the Voronoi diagram of points and segments in the plane, and paths of a disc along it:
//!   `SegmentVoronoi`, `plan_disc`, `widest_path`.
//! - [`DartSet`]: a mark, one bit a dart. [`Walker`]: visits orbits, incident and adjacent cells with buffers that are
//!   kept between calls.

mod alpha;
mod attribute;
mod build;
mod dart;
pub mod delaunay;
pub mod dim2;
pub mod dim3;
mod draw;
mod error;
mod fault;
pub mod geodesic;
mod map;
pub mod multires;
mod nearest;
pub mod placed;
pub mod registration;
pub mod segment_voronoi;
pub mod track;
mod walk;

pub use alpha::{AlphaDart, AlphaView};
pub use attribute::{Attribute, CellIds, IdChange, NO_CELL};
pub use build::{BuildError, BuildFault, Built, Orient};
pub use dart::{Dart, DartSet, Orbit};
pub use dim3::{Cell, grid_positions};
pub use draw::MapEdges;
pub use error::EditError;
pub use fault::MapFault;
pub use map::{CombinatorialMap, Map, Map2, Map3};
pub use walk::{Walker, for_each_orbit};
