//! A shape that deforms for long, and the tree that is kept good for it.
//!
//! In: vertices, step by step. Out: the shape with them, and what has been done to its tree. Method: refit at each
//! step; once the tree is looser by half, build a new one on another thread from the vertices as they are, go on with
//! the old one, and take the new one in a fixed number of steps later, refitted; a tree that was chosen is built again
//! along with it. Where the policy asks for it, nodes are rotated on the way. How loose a tree is,
//! [`MeshShape::looseness`] tells without a look at the tree that could be built instead, and nearly as well.
//! Guarantees: answers are those of any tree; the same steps give the same trees, however fast the thread is, since it
//! is waited for when its step has come. Cost: a refit and a pass over tree and mesh; rotating, about another refit.

use crate::mesh::{UserTree, aligned_tree};
use crate::{MeshShape, ShapeError, TreeChoice};
use heurt_bvh::{Aabb32, Builder, Bvh, BvhError};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use std::thread::{self, JoinHandle};

/// When to do more than refit. How the defaults were found is in docs/deforming.md.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpkeepPolicy {
    /// Nodes are rotated when the tree has become so many times as loose as when this was last done; infinite: never.
    pub rotate_at: f64,
    /// A new tree is begun when the tree is so many times as loose as when it was built; infinite: never.
    pub rebuild_at: f64,
    /// After so many steps it is taken in, at least one.
    pub rebuild_steps: u32,
}

impl Default for UpkeepPolicy {
    /// No rotations: they saved no time on any body that they were measured on (docs/deforming.md).
    fn default() -> Self {
        Self { rotate_at: f64::INFINITY, rebuild_at: 1.5, rebuild_steps: 4 }
    }
}

/// What a step has done next to the refit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upkeep {
    /// Nothing.
    Refitted,
    /// So many children of nodes have changed places.
    Rotated {
        /// How many.
        moved: usize,
    },
    /// A new tree is being built.
    Begun,
    /// A new tree has been taken in.
    Rebuilt,
}

/// A shape that deforms, under a policy.
#[derive(Debug)]
pub struct DeformingShape {
    shape: MeshShape,
    policy: UpkeepPolicy,
    /// How loose the tree was when it was built.
    built: f64,
    /// How loose it was when it was built or last rotated.
    rotated: f64,
    pending: Option<Pending>,
}

/// New trees over the triangles of a shape: one for each that it has.
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
    /// Takes a shape whose tree suits it as it is.
    pub fn new(shape: MeshShape, policy: UpkeepPolicy) -> Self {
        let built = shape.looseness();
        Self { shape, policy, built, rotated: built, pending: None }
    }

    /// The shape as it is now.
    pub fn shape(&self) -> &MeshShape {
        &self.shape
    }

    /// Gives the shape back; a tree that is being built is let go.
    pub fn into_shape(self) -> MeshShape {
        self.shape
    }

    /// How many times as loose the tree is as when it was built.
    pub fn degradation(&self) -> f64 {
        self.shape.looseness() / self.built
    }

    /// Moves the vertices, in metres, as many as before and in their order, and looks after the tree.
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
        // Squares of the tiniest meshes vanish, and some are without area from the beginning: no surface to compare
        // with.
        if !looseness.is_finite() {
            return Ok(Upkeep::Refitted);
        }
        // Built over a mesh without surface, the tree is judged from here on.
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

    /// Begins new trees; where no thread is to be had, they are built at once.
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

    /// Waits for the new trees and takes them in.
    fn take_in(&mut self) -> Upkeep {
        let trees = self.pending.take().and_then(|pending| pending.trees.join().ok()?.ok());
        self.adopt(trees)
    }

    /// Takes in new trees; those that could not be built are forgotten.
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
