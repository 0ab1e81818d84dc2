//! Assembly in plain data: meshes, named placed parts, and the interferences built into it.
//!
//! Data only, no algorithm. Units: metres. Parts share meshes (instances).

use crate::TriMesh;
use heurt_geometry::Pose;

/// Named parts over shared meshes, with the true interferences between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembly {
    /// The meshes, each used by one part or more.
    pub meshes: Vec<TriMesh>,
    /// The parts.
    pub parts: Vec<Part>,
    /// Every pair of parts that interferes, by construction, sorted; all other pairs are free.
    pub interferences: Vec<Interference>,
}

/// One placed part.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its name, unique in the assembly.
    pub name: String,
    /// Its mesh, as an index into [`Assembly::meshes`].
    pub mesh: usize,
    /// Its pose in the world.
    pub pose: Pose,
}

/// Two parts that interfere, `a` before `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interference {
    /// One part, as an index into [`Assembly::parts`].
    pub a: usize,
    /// The second part, above `a`.
    pub b: usize,
    /// How they meet.
    pub relation: Relation,
}

/// How two parts that interfere meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Their surfaces cross, and their insides overlap.
    Crossing,
    /// Their surfaces have points in common, their insides none.
    Touching,
    /// One part lies wholly inside its partner, without touching the partner's surface.
    Contained {
        /// The inner part.
        inner: usize,
    },
}

impl Assembly {
    /// Makes an assembly without parts.
    pub(crate) fn empty() -> Self {
        Self { meshes: Vec::new(), parts: Vec::new(), interferences: Vec::new() }
    }

    /// Adds a mesh and returns its index.
    pub(crate) fn mesh(&mut self, mesh: TriMesh) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// Adds a part and returns its index.
    pub(crate) fn part(&mut self, name: impl Into<String>, mesh: usize, pose: Pose) -> usize {
        self.parts.push(Part { name: name.into(), mesh, pose });
        self.parts.len() - 1
    }

    /// Records that two parts interfere.
    pub(crate) fn interfere(&mut self, one: usize, other: usize, relation: Relation) {
        self.interferences.push(Interference { a: one.min(other), b: one.max(other), relation });
    }

    /// Returns the number of triangles, with each instance counted.
    pub fn triangles(&self) -> usize {
        self.parts.iter().map(|part| self.meshes[part.mesh].triangles().len()).sum()
    }
}
