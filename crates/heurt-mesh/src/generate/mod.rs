//! Meshes from numbers: solids, superquadrics, bumpy shapes, machine parts and whole assemblies.
//!
//! In: plain numbers, in metres and radians; resolution as a count of segments. Out: [`crate::TriMesh`], and of
//! [`tet_block`] a [`crate::TetMesh`].
//! Method: every shape is a stack of rings joined by strips (`surface`), so that poles and seams share their
//! vertices instead of repeating them; one file a family, sources named there.
//! Guarantees: except for [`height_field`], which is open, meshes are closed, oriented outward (counter-clockwise seen
//! from outside), welded and two-manifold, without degenerate triangles. The same bits on every machine (`libm`, no
//! hashing, no threads). The triangle count is computed before any allocation and rejected above [`MAX_TRIANGLES`].
//! Not guaranteed: well-shaped triangles; flat faces of machine parts are fans and strips as CAD exports have them.
//! Cost: O(triangles).

mod circle;
mod error;
pub(crate) mod part;
pub(crate) mod scene;
pub(crate) mod solid;
mod surface;
mod with_volume;

pub use error::{GenerateError, MAX_TRIANGLES};
pub use part::fastener::{bolt, metric_bolt, metric_nut, metric_washer, nut, washer};
pub use part::gear::gear;
pub use part::height_field::{HeightFieldError, height_field};
pub use part::plate::{bracket, plate};
pub use scene::assembly::{Assembly, Interference, Part, Relation};
pub use scene::clash_field::clash_field;
pub use scene::cloth::Cloth;
pub use scene::demo::demo_assembly;
pub use scene::surgery::Surgery;
pub use scene::tet_block::tet_block;
pub use scene::wavy::{bumpy_sphere, wavy_disc};
pub use solid::octasphere::octasphere;
pub use solid::platonic::{cuboid, dodecahedron, icosahedron, octahedron, tetrahedron};
pub use solid::round::{capsule, cone, cylinder, icosphere, sphere_segments, torus, torus_segments, uv_sphere};
pub use solid::subdivide::subdivided;
pub use solid::superellipsoid::{Superellipsoid, superellipsoid};
pub use solid::supertoroid::{Supertoroid, supertoroid};
pub use solid::torus_knot::torus_knot;
pub use with_volume::with_volume;
