//! Exact collision detection between meshes: one entry point to all of heurt's crates.
//!
//! Each crate is a module here; [`prelude`] has the items for a first program. There is no code in this crate.
//!
//! - [`geometry`]: vectors, poses, exact predicates, triangles, hulls.
//! - [`mesh`]: triangle meshes, their faults, their measures, generators.
//! - [`io`]: OBJ, STL, PLY, OFF, glTF and GLB, in and out; DXF out; volume meshes of VTK, VTU, Gmsh and MEDIT in.
//! - [`map`]: combinatorial maps of faces and volumes; Delaunay graphs and Voronoi cells.
//! - [`bvh`]: bounding-volume hierarchies and the walks over them.
//! - [`shape`]: a mesh with its tree, ready to be queried; convex shapes.
//! - [`query`]: the verbs: overlap, pairs, self-pairs, candidates, distance, contact, contact manifold, contact kind,
//!   contours, closest, ray, cast, and continuous collision detection of deforming meshes; each with options, a budget
//!   and the work done.
//! - [`broad`]: broad phases of many moving objects; many faces, tetrahedra or points at once: voxel grids, spatial
//!   hashing, proximity of points.
//! - [`rigid`]: free flight, contact problems and their solvers, joints: what bodies do when they touch.
//! - [`soft`]: points that return to the shape of their rest positions: shape matching.
//! - [`solid`]: set operations of closed meshes; voxel grids, octrees, quadtrees; half-spaces, convex polytopes, and
//!   trees of set operations over all shapes.
//! - [`world`]: bodies that move step by step, push each other, bounce, slide and stack; contacts and events, queries
//!   of all of them, snapshots, records.
//! - `scene`, with the feature of that name: scenes, shapes and requests as text, as the command reads them.
//! - `assembly`, with the feature of that name: the clash check of parts in memory.
//! - `view`, with the feature of that name: surfaces of any shape, pictures, frames of the live page.
//!
//! ```
//! use heurt::prelude::*;
//!
//! let ball = MeshShape::new(heurt::mesh::generate::uv_sphere(1.0, 32)?)?;
//! let near = Pose::from_translation(Vec3::new(1.5, 0.0, 0.0))?;
//! let far = Pose::from_translation(Vec3::new(2.5, 0.0, 0.0))?;
//! assert!(overlap(&ball, &Pose::IDENTITY, &ball, &near).is_some());
//! assert!(overlap(&ball, &Pose::IDENTITY, &ball, &far).is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "assembly")]
pub use heurt_assembly as assembly;
pub use heurt_broad as broad;
pub use heurt_bvh as bvh;
#[cfg(feature = "crowd")]
pub use heurt_crowd as crowd;
pub use heurt_geometry as geometry;
pub use heurt_io as io;
pub use heurt_map as map;
pub use heurt_mesh as mesh;
pub use heurt_query as query;
pub use heurt_rigid as rigid;
#[cfg(feature = "scene")]
pub use heurt_scene as scene;
pub use heurt_shape as shape;
pub use heurt_soft as soft;
pub use heurt_solid as solid;
#[cfg(feature = "view")]
pub use heurt_view as view;
pub use heurt_world as world;

/// Compiles the examples of the README and runs them as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Does the same for the page on file formats.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/formats.md")]
struct Formats;

/// Does the same for the page on deforming bodies.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/deforming.md")]
struct Deforming;

/// Does the same for the page on maps.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/maps.md")]
struct Maps;

/// Does the same for the page on crowds.
#[cfg(all(doctest, feature = "scene"))]
#[doc = include_str!("../../../docs/crowds.md")]
struct Crowds;

/// Does the same for the page on soft bodies.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/soft.md")]
struct Soft;

/// Does the same for the page on solids.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/solids.md")]
struct Solids;

/// Does the same for the page on the command in a program.
#[cfg(all(doctest, feature = "assembly"))]
#[doc = include_str!("../../../docs/in-a-program.md")]
struct InAProgram;

/// The items for a first program, in one `use`.
pub mod prelude {
    pub use heurt_geometry::{Aabb, Mat3, Motion, Pose, PoseError, Quat, Triangle, Vec2, Vec3};
    pub use heurt_io::{Format, Model, ReadError, read};
    pub use heurt_mesh::{MeshError, TriMesh};
    pub use heurt_query::{
        Answer, Budget, Budgeted, CandidatesOptions, CastOptions, Closest, ClosestOptions, Contact, ContactKind,
        ContactOptions, Distance, DistanceOptions, OverlapOptions, PairCache, PairsOptions, Polyline, Ray, RayHit,
        RayOptions, SelfPairsOptions, Side, Witness,
    };
    pub use heurt_query::{
        cast, closest, contact, contact_kind, contact_manifold, contours, distance, overlap, pairs, ray,
    };
    pub use heurt_shape::{Convex, ConvexError, MeshShape, Shape, ShapeError};
    pub use heurt_world::{
        Body, Detection, ImpactRule, JointDesign, JointKind, JointSpring, Mass, Motor, PositionMotor, QueryFilter,
    };
    pub use heurt_world::{Response, Settings, StepOptions, World};
}
