//! Maintenance of the tree of a shape that deforms over many steps.
//!
//! In: vertices, step by step. Out: the shape with them, and the maintenance done in the step. Method: the tree is
//! refitted at each step. Once its looseness has grown by half, a new tree is built on another thread from the present
//! vertices. The old tree stays in use until the new tree is adopted a fixed number of steps later, refitted; a chosen
//! tree is rebuilt along with it. If the policy requests it, nodes are rotated in between. [`MeshShape::looseness`]
//! measures the quality of the tree without building its replacement, and nearly as well.
//! Guarantees: query results are those of any tree. The same steps give the same trees for any speed of the thread,
//! because the step of adoption blocks until the thread ends. Cost: a refit and a pass over tree and mesh; rotating
//! costs approximately another refit.

use crate::mesh::{UserTree, aligned_tree};
use crate::{MeshShape, ShapeError, TreeChoice};
use heurt_bvh::{Aabb32, Builder, Bvh, BvhError};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use std::thread::{self, JoinHandle};

/// Policy for work in addition to the refit. The defaults are derived in docs/deforming.md.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpkeepPolicy {
    /// Ratio of the looseness to its value at the build or the last rotation above which nodes are rotated; infinite:
    /// never.
    pub rotate_at: f64,
    /// Ratio of the looseness to its value at the last build above which a new tree is begun; infinite: never.
    pub rebuild_at: f64,
    /// Number of steps after which the new tree is adopted, at least one.
    pub rebuild_steps: u32,
}

impl Default for UpkeepPolicy {
    /// Returns the policy without rotations: they saved no time on any measured body (docs/deforming.md).
    fn default() -> Self {
        Self { rotate_at: f64::INFINITY, rebuild_at: 1.5, rebuild_steps: 4 }
    }
}

/// Work of a step in addition to the refit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upkeep {
    /// None.
    Refitted,
    /// Children of nodes have changed places.
    Rotated {
        /// Number of moved children.
        moved: usize,
    },
    /// A new tree is being built.
    Begun,
    /// A new tree has been adopted.
    Rebuilt,
}

/// A shape that deforms, under a policy.
#[derive(Debug)]
pub struct DeformingShape {
    shape: MeshShape,
    policy: UpkeepPolicy,
    /// Looseness of the tree when it was built.
    built: f64,
    /// Looseness of the tree when it was built or last rotated.
    rotated: f64,
    pending: Option<Pending>,
}

/// New trees over the triangles of a shape: one for each tree of the shape.
#[derive(Debug)]
pub(crate) struct NewTrees {
    pub aligned: Bvh<Aabb32, 8>,
    pub chosen: Option<UserTree>,
}

impl NewTrees {
    fn over(mesh: &TriMesh, choice: Option<TreeChoice>) -> Result<Self, BvhError> {
        let chosen = choice.map(|choice| UserTree::new(mesh, choice, false)).transpose()?;
        Ok(Self { aligned: aligned_tree(mesh, Builder::default())?, chosen })
    }
}

/// Trees being built.
#[derive(Debug)]
struct Pending {
    trees: JoinHandle<Result<NewTrees, BvhError>>,
    steps_left: u32,
}

impl DeformingShape {
    /// Creates it from a shape with a suitable tree.
    pub fn new(shape: MeshShape, policy: UpkeepPolicy) -> Self {
        let built = shape.looseness();
        Self { shape, policy, built, rotated: built, pending: None }
    }

    /// Returns the present shape.
    pub fn shape(&self) -> &MeshShape {
        &self.shape
    }

    /// Returns the shape; a tree that is being built is discarded.
    pub fn into_shape(self) -> MeshShape {
        self.shape
    }

    /// Returns the ratio of the tree's looseness to its value at the build.
    pub fn degradation(&self) -> f64 {
        self.shape.looseness() / self.built
    }

    /// Moves the vertices, in metres, as many as before and in their order, and maintains the tree.
    ///
    /// # Errors
    /// As [`MeshShape::deform`]; the shape is then as before.
    pub fn step(&mut self, vertices: &[Vec3]) -> Result<Upkeep, ShapeError> {
        self.shape.deform(vertices)?;
        if let Some(pending) = &mut self.pending {
            pending.steps_left = pending.steps_left.saturating_sub(1);
            return Ok(if pending.steps_left == 0 { self.take_in() } else { Upkeep::Refitted });
        }
        let looseness = self.shape.looseness();
        // Squares of the tiniest meshes underflow, and some meshes never have an area: there is no surface for a
        // comparison.
        if !looseness.is_finite() {
            return Ok(Upkeep::Refitted);
        }
        // The tree was built over a mesh without surface: its reference looseness is set here.
        if !self.built.is_finite() {
            (self.built, self.rotated) = (looseness, looseness);
        }
        if looseness > self.built * self.policy.rebuild_at {
            return Ok(self.begin());
        }
        if looseness > self.rotated * self.policy.rotate_at {
            let moved = self.shape.rotate();
            self.rotated = self.shape.looseness();
            return Ok(Upkeep::Rotated { moved });
        }
        Ok(Upkeep::Refitted)
    }

    /// Begins new trees; if no thread is available, they are built at once.
    fn begin(&mut self) -> Upkeep {
        let mesh = self.shape.mesh().clone();
        let choice = self.shape.chosen.as_ref().map(|chosen| chosen.choice);
        match thread::Builder::new().name("heurt-rebuild".into()).spawn(move || NewTrees::over(&mesh, choice)) {
            Ok(trees) => {
                self.pending = Some(Pending { trees, steps_left: self.policy.rebuild_steps.max(1) });
                Upkeep::Begun
            }
            Err(_) => {
                let trees = NewTrees::over(self.shape.mesh(), choice).ok();
                self.adopt(trees)
            }
        }
    }

    /// Joins the thread that builds the new trees, and adopts them.
    fn take_in(&mut self) -> Upkeep {
        let trees = self.pending.take().and_then(|pending| pending.trees.join().ok()?.ok());
        self.adopt(trees)
    }

    /// Adopts new trees; trees that could not be built are discarded.
    fn adopt(&mut self, trees: Option<NewTrees>) -> Upkeep {
        match trees.map(|trees| self.shape.adopt(trees)) {
            Some(Ok(())) => {
                self.built = self.shape.looseness();
                self.rotated = self.built;
                Upkeep::Rebuilt
            }
            _ => Upkeep::Refitted,
        }
    }
}
