//! The solid that two parts share: its mesh, volume and extent, for each interference.
//!
//! In: the findings of a check. Out: a [`SharedSolid`] for each interference.
//! Method: `heurt_solid::combine`. Each part is prepared once, for all of its interferences.
//! Guarantees: exact decisions, for surfaces nearer than the rounding after a move (`combine`); parts that touch share
//! no volume. A part that bounds no solid is named with the reason.
//! Cost: the check of each part that interferes, and the set operations, in parallel.

use super::Assembly;
use super::interference::{Findings, InterferenceKind};
use heurt_geometry::Aabb;
use heurt_mesh::{TriMesh, measures};
use heurt_solid::{CombinedSolid, SetOperation, SolidMesh, combine};
use rayon::prelude::*;
use std::sync::OnceLock;

/// The solid that two parts share.
#[derive(Debug, Clone, PartialEq)]
pub enum SharedSolid {
    /// They share no volume.
    Empty {
        /// Largest change of a coordinate by which surfaces nearer than the rounding were separated.
        moved: f64,
    },
    /// They share a volume, in the cube of the unit of length.
    Solid {
        /// Its volume.
        volume: f64,
        /// Its box.
        bounds: Aabb,
        /// Its boundary.
        mesh: Box<TriMesh>,
        /// Largest change of a coordinate by which surfaces nearer than the rounding were separated.
        moved: f64,
    },
    /// Why the volume is not known.
    Unknown(String),
}

impl SharedSolid {
    /// Returns the volume, if it is known.
    pub fn volume(&self) -> Option<f64> {
        match self {
            Self::Empty { .. } => Some(0.0),
            Self::Solid { volume, .. } => Some(*volume),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the largest change of a coordinate, if surfaces nearer than the rounding had to be separated.
    pub fn moved(&self) -> Option<f64> {
        match self {
            Self::Empty { moved } | Self::Solid { moved, .. } => Some(*moved).filter(|moved| *moved > 0.0),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the box of the solid.
    pub fn bounds(&self) -> Option<&Aabb> {
        match self {
            Self::Solid { bounds, .. } => Some(bounds),
            _ => None,
        }
    }

    /// Returns the reason for which the volume is not known.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Unknown(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Computes the shared solid of each interference, in parallel; calls `on_pair` after each, from any thread.
pub fn compute_shared_solids(assembly: &Assembly, findings: &mut Findings, on_pair: impl Fn() + Sync) {
    let solids: Vec<OnceLock<Result<SolidMesh, String>>> = assembly.parts.iter().map(|_| OnceLock::new()).collect();
    let solid_of = |number: usize| {
        solids[number].get_or_init(|| {
            let part = &assembly.parts[number];
            let refuse = |reason: String| format!("{}: {reason}", part.name);
            let mesh = assembly.shapes[part.shape].mesh();
            let mesh = mesh.transformed(&part.pose).map_err(|error| refuse(error.to_string()))?;
            SolidMesh::new(&mesh).map_err(|error| refuse(error.to_string()))
        })
    };
    findings.list.par_iter_mut().for_each(|found| {
        found.shared = Some(match found.kind {
            InterferenceKind::Touching => SharedSolid::Empty { moved: 0.0 },
            _ => match (solid_of(found.a), solid_of(found.b)) {
                (Ok(a), Ok(b)) => intersect(a, b),
                (Err(reason), _) | (_, Err(reason)) => SharedSolid::Unknown(reason.clone()),
            },
        });
        on_pair();
    });
}

fn intersect(a: &SolidMesh, b: &SolidMesh) -> SharedSolid {
    match combine(a, b, SetOperation::Intersection) {
        Err(error) => SharedSolid::Unknown(error.to_string()),
        Ok(CombinedSolid { mesh: None, moved }) => SharedSolid::Empty { moved },
        Ok(CombinedSolid { mesh: Some(mesh), moved }) => {
            let volume = measures(&mesh).volume.unwrap_or(0.0);
            SharedSolid::Solid { volume, bounds: mesh.bounds(), mesh: Box::new(mesh), moved }
        }
    }
}
