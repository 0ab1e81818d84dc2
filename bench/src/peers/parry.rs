//! parry in both precisions, asked in its fastest ways.
//!
//! First hit: its own `intersection_test`, and `Bvh::leaf_pairs` with a box test of ours and a triangle test of ours
//! (parry gives out none). The box test comes in two kinds: parry's own habit in `mesh_intersection` (`Aabb::transform_by`
//! for every pair of nodes) and the six face axes of both boxes, the rotation's absolute value computed once per query.
//! `leaf_pairs` does not test the root volumes, so that this is done first.

macro_rules! parry_peer {
    ($module:ident, $krate:ident, $real:ty, $meet:path) => {
        /// One precision of parry.
        #[allow(dead_code)] // each precision is asked only some of this
        pub mod $module {
            use heurt_geometry::Vec3;
            use std::cell::Cell;
            use $krate::bounding_volume::{Aabb, BoundingVolume};
            use $krate::math::{Matrix, Pose, Rotation, Vector};
            use $krate::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
            use $krate::query::{PointQuery, Ray, RayCast};
            use $krate::shape::TriMesh;

            /// A mesh with its tree.
            pub struct Mesh {
                inner: TriMesh,
            }

            /// A placement in parry's numbers.
            pub fn pose(numbers: &[f64; 7]) -> Pose {
                let [x, y, z, w, tx, ty, tz] = numbers.map(|number| number as $real);
                Pose::from_parts(Vector::new(tx, ty, tz), Rotation::from_xyzw(x, y, z, w))
            }

            fn vector(v: Vec3) -> Vector {
                Vector::new(v.x as $real, v.y as $real, v.z as $real)
            }

            /// The relative placement and what the box test needs of it.
            struct Relative {
                turn: Matrix,
                back: Matrix,
                turn_abs: Matrix,
                back_abs: Matrix,
                shift: Vector,
                margin: $real,
            }

            impl Relative {
                fn new(a: &Pose, b: &Pose, margin: $real) -> Self {
                    let pose = a.inv_mul(b);
                    let turn = Matrix::from_quat(pose.rotation);
                    let back = turn.transpose();
                    Self { turn, back, turn_abs: turn.abs(), back_abs: back.abs(), shift: pose.translation, margin }
                }

                #[inline(always)]
                fn near(&self, mins_a: Vector, maxs_a: Vector, mins_b: Vector, maxs_b: Vector) -> bool {
                    let (centre_a, half_a) = ((mins_a + maxs_a) * 0.5, (maxs_a - mins_a) * 0.5);
                    let (centre_b, half_b) = ((mins_b + maxs_b) * 0.5, (maxs_b - mins_b) * 0.5);
                    let between = self.turn * centre_b + (self.shift - centre_a);
                    let room = Vector::splat(self.margin);
                    between.abs().cmple(half_a + self.turn_abs * half_b + room).all()
                        && (self.back * between).abs().cmple(half_b + self.back_abs * half_a + room).all()
                }

                #[inline(always)]
                fn triangle(&self, mesh: &TriMesh, index: u32) -> [Vector; 3] {
                    mesh.indices()[index as usize].map(|v| self.turn * mesh.vertices()[v as usize] + self.shift)
                }
            }

            #[inline(always)]
            fn corners(mesh: &TriMesh, index: u32) -> [Vector; 3] {
                mesh.indices()[index as usize].map(|v| mesh.vertices()[v as usize])
            }

            impl Mesh {
                /// Builds parry's mesh: its default (binned) tree, no flags.
                pub fn new(mesh: &heurt_mesh::TriMesh) -> Self {
                    let vertices = mesh.vertices().iter().map(|&v| vector(v)).collect();
                    let inner = TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a mesh parry takes");
                    Self { inner }
                }

                /// parry's own answer.
                pub fn intersection_test(&self, pose_a: &Pose, b: &Self, pose_b: &Pose) -> bool {
                    $krate::query::intersection_test(pose_a, &self.inner, pose_b, &b.inner)
                        .expect("meshes are supported")
                        .intersecting
                }

                /// parry's own distance.
                pub fn distance(&self, pose_a: &Pose, b: &Self, pose_b: &Pose) -> $real {
                    $krate::query::distance(pose_a, &self.inner, pose_b, &b.inner)
                        .expect("meshes are supported")
                        .distance
                }

                fn roots_near(&self, b: &Self, relative: &Relative) -> bool {
                    let (x, y) = (self.inner.bvh().root_aabb(), b.inner.bvh().root_aabb());
                    relative.near(x.mins, x.maxs, y.mins, y.maxs)
                }

                /// The pairs of leaves whose boxes are near, by the six face axes, handed to `found` until it says stop.
                fn six_axes(
                    &self,
                    pose_a: &Pose,
                    b: &Self,
                    pose_b: &Pose,
                    margin: $real,
                    tests: &Cell<u64>,
                    mut found: impl FnMut(&Relative, u32, u32) -> bool,
                ) {
                    let relative = Relative::new(pose_a, pose_b, margin);
                    if !self.roots_near(b, &relative) {
                        return;
                    }
                    let check = |x: &BvhNode, y: &BvhNode| {
                        tests.set(tests.get() + 1);
                        relative.near(x.mins(), x.maxs(), y.mins(), y.maxs())
                    };
                    for (i, j) in self.inner.bvh().leaf_pairs(b.inner.bvh(), check) {
                        if found(&relative, i, j) {
                            return;
                        }
                    }
                }

                /// First hit by `leaf_pairs`, six face axes.
                pub fn first_hit(&self, pose_a: &Pose, b: &Self, pose_b: &Pose) -> bool {
                    self.first_hit_counted(pose_a, b, pose_b).0
                }

                /// [`Mesh::first_hit`] and how many pairs of boxes were tested.
                pub fn first_hit_counted(&self, pose_a: &Pose, b: &Self, pose_b: &Pose) -> (bool, u64) {
                    let (mut hit, tests) = (false, Cell::new(0));
                    self.six_axes(pose_a, b, pose_b, 0.0, &tests, |relative, i, j| {
                        hit = $meet(&corners(&self.inner, i), &relative.triangle(&b.inner, j));
                        hit
                    });
                    (hit, tests.get())
                }

                /// First hit by `leaf_pairs` as parry itself calls it: a box around the turned box, for every pair.
                pub fn first_hit_own_box(&self, pose_a: &Pose, b: &Self, pose_b: &Pose) -> bool {
                    let mut hit = false;
                    self.own_box(pose_a, b, pose_b, |relative, i, j| {
                        hit = $meet(&corners(&self.inner, i), &relative.triangle(&b.inner, j));
                        hit
                    });
                    hit
                }

                /// Every pair of triangles that meet, by `leaf_pairs` as parry itself calls it.
                pub fn pairs_own_box(&self, pose_a: &Pose, b: &Self, pose_b: &Pose) -> Vec<[u32; 2]> {
                    let mut pairs = Vec::new();
                    self.own_box(pose_a, b, pose_b, |relative, i, j| {
                        if $meet(&corners(&self.inner, i), &relative.triangle(&b.inner, j)) {
                            pairs.push([i, j]);
                        }
                        false
                    });
                    pairs
                }

                fn own_box(
                    &self,
                    pose_a: &Pose,
                    b: &Self,
                    pose_b: &Pose,
                    mut found: impl FnMut(&Relative, u32, u32) -> bool,
                ) {
                    let relative = Relative::new(pose_a, pose_b, 0.0);
                    if !self.roots_near(b, &relative) {
                        return;
                    }
                    let pose = pose_a.inv_mul(pose_b);
                    let check = |x: &BvhNode, y: &BvhNode| x.aabb().intersects(&y.aabb().transform_by(&pose));
                    for (i, j) in self.inner.bvh().leaf_pairs(b.inner.bvh(), check) {
                        if found(&relative, i, j) {
                            return;
                        }
                    }
                }

                /// Every pair of triangles that meet, by `leaf_pairs`, six face axes.
                pub fn pairs(&self, pose_a: &Pose, b: &Self, pose_b: &Pose) -> Vec<[u32; 2]> {
                    self.pairs_counted(pose_a, b, pose_b).0
                }

                /// [`Mesh::pairs`] and how many pairs of boxes were tested.
                pub fn pairs_counted(&self, pose_a: &Pose, b: &Self, pose_b: &Pose) -> (Vec<[u32; 2]>, u64) {
                    let (mut pairs, tests) = (Vec::new(), Cell::new(0));
                    self.six_axes(pose_a, b, pose_b, 0.0, &tests, |relative, i, j| {
                        if $meet(&corners(&self.inner, i), &relative.triangle(&b.inner, j)) {
                            pairs.push([i, j]);
                        }
                        false
                    });
                    (pairs, tests.get())
                }

                /// Hands every pair of triangles whose boxes come within `margin` to `found`.
                pub fn candidates(
                    &self,
                    pose_a: &Pose,
                    b: &Self,
                    pose_b: &Pose,
                    margin: f64,
                    mut found: impl FnMut(u32, u32) -> bool,
                ) {
                    let found = |_: &Relative, i, j| found(i, j);
                    self.six_axes(pose_a, b, pose_b, margin as $real, &Cell::new(0), found);
                }

                /// Builds the binned tree over the mesh's triangles, boxes included, and gives its size in bytes.
                pub fn build(&self, ploc: bool) -> usize {
                    let strategy = if ploc { BvhBuildStrategy::Ploc } else { BvhBuildStrategy::Binned };
                    Bvh::from_iter(strategy, self.boxes().enumerate()).total_memory_size()
                }

                fn boxes(&self) -> impl Iterator<Item = Aabb> + '_ {
                    (0..self.inner.num_triangles() as u32).map(|index| {
                        let [a, b, c] = corners(&self.inner, index);
                        Aabb::new(a.min(b).min(c), a.max(b).max(c))
                    })
                }

                /// A copy of the tree to refit, with its workspace.
                pub fn refitter(&self) -> Refitter {
                    Refitter { tree: self.inner.bvh().clone(), workspace: BvhWorkspace::default() }
                }

                /// Updates every leaf's box and refits.
                pub fn refit(&self, refitter: &mut Refitter, reorder: bool) -> u64 {
                    for (index, aabb) in self.boxes().enumerate() {
                        let _ = refitter.tree.insert_or_update_partially(aabb, index as u32, 0.0);
                    }
                    if reorder {
                        refitter.tree.refit(&mut refitter.workspace);
                    } else {
                        refitter.tree.refit_without_opt();
                    }
                    refitter.tree.leaf_count() as u64
                }

                /// Refits to other vertices and gives the pairs of triangles that `keep` takes and whose boxes meet, by
                /// `leaf_pairs` of the tree with itself, which has each pair both ways; those that meet, where `exactly` says
                /// so.
                pub fn self_pairs(
                    &self,
                    refitter: &mut Refitter,
                    vertices: &[Vector],
                    keep: impl Fn(u32, u32) -> bool,
                    exactly: bool,
                ) -> Vec<[u32; 2]> {
                    let corners = |index: u32| self.inner.indices()[index as usize].map(|v| vertices[v as usize]);
                    for index in 0..self.inner.num_triangles() as u32 {
                        let [a, b, c] = corners(index);
                        let aabb = Aabb::new(a.min(b).min(c), a.max(b).max(c));
                        let _ = refitter.tree.insert_or_update_partially(aabb, index, 0.0);
                    }
                    refitter.tree.refit_without_opt();
                    let tree = &refitter.tree;
                    let pairs = tree.leaf_pairs(tree, |x: &BvhNode, y: &BvhNode| x.intersects(y));
                    let meet = |i: u32, j: u32| !exactly || $meet(&corners(i), &corners(j));
                    pairs.filter(|&(i, j)| i < j && keep(i, j) && meet(i, j)).map(|(i, j)| [i, j]).collect()
                }

                /// Bytes of the tree.
                pub fn tree_bytes(&self) -> usize {
                    self.inner.bvh().total_memory_size()
                }

                /// The distance along a ray to the first triangle.
                #[inline]
                pub fn ray(&self, ray: &Ray) -> Option<$real> {
                    self.inner.cast_local_ray(ray, <$real>::MAX, false)
                }

                /// The distance to the surface.
                #[inline]
                pub fn closest(&self, point: Vector) -> $real {
                    (self.inner.project_local_point(point, false).point - point).length()
                }
            }

            /// A tree being refitted.
            pub struct Refitter {
                tree: Bvh,
                workspace: BvhWorkspace,
            }

            /// A ray in parry's numbers.
            pub fn ray(origin: Vec3, direction: Vec3) -> Ray {
                Ray::new(vector(origin), vector(direction))
            }

            /// Points in parry's numbers.
            pub fn points(all: &[Vec3]) -> Vec<Vector> {
                all.iter().map(|&v| vector(v)).collect()
            }

            /// A point in parry's numbers.
            pub fn point(at: Vec3) -> Vector {
                vector(at)
            }
        }
    };
}

parry_peer!(single, parry3d, f32, crate::tri_tri::meet_f32);
parry_peer!(double, parry3d_f64, f64, crate::tri_tri::meet_f64);
