//! Meshes from numbers: solids, superquadrics, bumpy shapes, machine parts and whole assemblies.
//!
//! In: plain numbers, in metres and radians; resolution as a count of segments. Out: [`crate::TriMesh`], and of
//! [`tet_block`] a [`crate::TetMesh`].
//! Method: every shape is a stack of rings joined by strips (`surface`), so that poles and seams share their
//! vertices instead of repeating them; one file a family, sources named there.
//! Guarantees: but for [`height_field`], which is open, closed, oriented outward (counter-clockwise seen from outside), welded,
//! two-manifold, no degenerate triangle, the same bits on every machine (`libm`, no hashing, no threads). The triangle count is
//! computed before anything is allocated and refused above [`MAX_TRIANGLES`].
//! Not guaranteed: well-shaped triangles; flat faces of machine parts are fans and strips as CAD exports have them.
//! Cost: O(triangles).

mod assembly;
mod circle;
mod clash_field;
mod cloth;
mod demo;
mod error;
mod fastener;
mod gear;
mod height_field;
mod octasphere;
mod plate;
mod platonic;
mod round;
mod subdivide;
mod superellipsoid;
mod supertoroid;
mod surface;
mod surgery;
mod tet_block;
mod wavy;

pub use assembly::{Assembly, Interference, Part, Relation};
pub use clash_field::clash_field;
pub use cloth::Cloth;
pub use demo::demo_assembly;
pub use error::{GenerateError, MAX_TRIANGLES};
pub use fastener::{bolt, metric_bolt, metric_nut, metric_washer, nut, washer};
pub use gear::gear;
pub use height_field::{HeightFieldError, height_field};
pub use octasphere::octasphere;
pub use plate::{bracket, plate};
pub use platonic::{cuboid, dodecahedron, icosahedron, octahedron, tetrahedron};
pub use round::{capsule, cone, cylinder, icosphere, sphere_segments, torus, torus_segments, uv_sphere};
pub use subdivide::subdivided;
pub use superellipsoid::{Superellipsoid, superellipsoid};
pub use supertoroid::{Supertoroid, supertoroid};
pub use surgery::Surgery;
pub use tet_block::tet_block;
pub use wavy::{bumpy_sphere, wavy_disc};
