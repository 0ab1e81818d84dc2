//! obvhs: builds, refit and rays, with its own presets and its own triangle test.
//!
//! Triangles are reordered by `primitive_indices` before rays are cast, as its documentation recommends.

use glam::Vec3A;
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2_from_tris;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh_from_tris;
use obvhs::ray::{Ray, RayHit};
use obvhs::triangle::Triangle;
use std::time::Duration;

/// The presets, by name.
pub const PRESETS: [(&str, BvhBuildParams); 4] = [
    ("fastest", BvhBuildParams::fastest_build()),
    ("fast", BvhBuildParams::fast_build()),
    ("medium", BvhBuildParams::medium_build()),
    ("slow", BvhBuildParams::slow_build()),
];

/// A mesh in obvhs's numbers.
pub struct Mesh {
    vertices: Vec<Vec3A>,
    indices: Vec<[u32; 3]>,
    triangles: Vec<Triangle>,
}

/// A binary tree with triangles in its order.
pub struct Binary {
    tree: Bvh2,
    triangles: Vec<Triangle>,
}

/// A compressed eight-wide tree with triangles in its order.
pub struct Wide {
    tree: CwBvh,
    triangles: Vec<Triangle>,
}

/// A vector in obvhs's numbers.
pub fn vector(v: Vec3) -> Vec3A {
    Vec3A::new(v.x as f32, v.y as f32, v.z as f32)
}

/// A ray in obvhs's numbers.
pub fn ray(origin: Vec3, direction: Vec3) -> Ray {
    Ray::new_inf(vector(origin), vector(direction))
}

impl Mesh {
    /// Takes a mesh over.
    pub fn new(mesh: &TriMesh) -> Self {
        let vertices: Vec<Vec3A> = mesh.vertices().iter().map(|&v| vector(v)).collect();
        let indices = mesh.triangles().to_vec();
        let mut new = Self { vertices, indices, triangles: Vec::new() };
        new.triangles = (0..new.indices.len()).map(|index| new.triangle(index)).collect();
        new
    }

    fn triangle(&self, index: usize) -> Triangle {
        let [v0, v1, v2] = self.indices[index].map(|vertex| self.vertices[vertex as usize]);
        Triangle { v0, v1, v2 }
    }

    /// Builds a binary tree and counts its nodes. The triangles are made from the vertices first, as heurt and parry do.
    pub fn build(&self, preset: BvhBuildParams) -> usize {
        let triangles: Vec<Triangle> = (0..self.indices.len()).map(|index| self.triangle(index)).collect();
        build_bvh2_from_tris(&triangles, preset, &mut Duration::default()).nodes.len()
    }

    /// Builds a compressed eight-wide tree and counts its nodes.
    pub fn build_wide(&self, preset: BvhBuildParams) -> usize {
        let triangles: Vec<Triangle> = (0..self.indices.len()).map(|index| self.triangle(index)).collect();
        build_cwbvh_from_tris(&triangles, preset, &mut Duration::default()).nodes.len()
    }

    /// A binary tree to refit, with nodes in the order that makes `refit_all` one sweep.
    pub fn refitter(&self, preset: BvhBuildParams) -> Bvh2 {
        let mut tree = build_bvh2_from_tris(&self.triangles, preset, &mut Duration::default());
        tree.reorder_in_stack_traversal_order();
        tree
    }

    /// Updates every leaf's box from the vertices and refits.
    pub fn refit(&self, tree: &mut Bvh2) -> u64 {
        for index in 0..tree.nodes.len() {
            let node = tree.nodes[index];
            if node.is_leaf() {
                let range = node.first_index as usize..(node.first_index + node.prim_count) as usize;
                let mut aabb = Aabb::empty();
                for &primitive in &tree.primitive_indices[range] {
                    for vertex in self.indices[primitive as usize] {
                        aabb.extend(self.vertices[vertex as usize]);
                    }
                }
                tree.nodes[index].set_aabb(aabb);
            }
        }
        tree.refit_all();
        tree.nodes.len() as u64
    }

    /// A binary tree for rays.
    pub fn binary(&self, preset: BvhBuildParams) -> Binary {
        let tree = build_bvh2_from_tris(&self.triangles, preset, &mut Duration::default());
        let triangles = tree.primitive_indices.iter().map(|&index| self.triangles[index as usize]).collect();
        Binary { tree, triangles }
    }

    /// A compressed eight-wide tree for rays.
    pub fn wide(&self, preset: BvhBuildParams) -> Wide {
        let tree = build_cwbvh_from_tris(&self.triangles, preset, &mut Duration::default());
        let triangles = tree.primitive_indices.iter().map(|&index| self.triangles[index as usize]).collect();
        Wide { tree, triangles }
    }
}

impl Binary {
    /// The distance to the first triangle; infinite for none.
    #[inline]
    pub fn ray(&self, ray: Ray) -> f32 {
        let mut hit = RayHit::none();
        self.tree.ray_traverse(ray, &mut hit, |ray, id| self.triangles[id].intersect(ray));
        hit.t
    }

    /// Bytes of nodes and indices.
    pub fn bytes(&self) -> usize {
        size_of_val(self.tree.nodes.as_slice()) + size_of_val(self.tree.primitive_indices.as_slice())
    }
}

impl Wide {
    /// The distance to the first triangle; infinite for none.
    #[inline]
    pub fn ray(&self, ray: Ray) -> f32 {
        let mut hit = RayHit::none();
        self.tree.ray_traverse(ray, &mut hit, |ray, id| self.triangles[id].intersect(ray));
        hit.t
    }

    /// Bytes of nodes and indices.
    pub fn bytes(&self) -> usize {
        size_of_val(self.tree.nodes.as_slice()) + size_of_val(self.tree.primitive_indices.as_slice())
    }
}
