//! The solid that two parts share: its mesh, volume and extent, for each interference.
//!
//! In: the findings of a check. Out: a [`SharedSolid`] for each interference; a file of their meshes.
//! Method: `heurt_solid::combine`. Each part is prepared once, for all of its interferences.
//! Guarantees: exact decisions, for surfaces nearer than the rounding after a move (`combine`); parts that touch share
//! no volume. A part that bounds no solid is named with the reason.
//! Cost: the check of each part that interferes, and the set operations, in parallel.

use super::Assembly;
use super::interference::{Findings, Kind};
use crate::Failure;
use crate::make::write_model;
use crate::output::Output;
use crate::progress::Progress;
use heurt::geometry::{Aabb, Pose};
use heurt::io::{Model, Part};
use heurt::mesh::{TriMesh, measures};
use heurt::solid::{CombinedSolid, SetOperation, SolidMesh, combine};
use rayon::prelude::*;
use std::path::Path;
use std::sync::OnceLock;

/// Vermilion, as a clash.
const COLOUR: [u8; 4] = [0xd5, 0x5e, 0x00, 0xff];

/// The solid that two parts share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SharedSolid {
    /// They share no volume.
    Empty { moved: f64 },
    /// They share a volume, in the cube of the unit of length.
    Solid { volume: f64, bounds: Aabb, mesh: Box<TriMesh>, moved: f64 },
    /// Why the volume is not known.
    Unknown(String),
}

impl SharedSolid {
    /// Returns the volume, if it is known.
    pub(crate) fn volume(&self) -> Option<f64> {
        match self {
            Self::Empty { .. } => Some(0.0),
            Self::Solid { volume, .. } => Some(*volume),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the largest change of a coordinate, if surfaces nearer than the rounding had to be separated.
    pub(crate) fn moved(&self) -> Option<f64> {
        match self {
            Self::Empty { moved } | Self::Solid { moved, .. } => Some(*moved).filter(|moved| *moved > 0.0),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the box of the solid.
    pub(crate) fn bounds(&self) -> Option<&Aabb> {
        match self {
            Self::Solid { bounds, .. } => Some(bounds),
            _ => None,
        }
    }

    /// Returns the reason for which the volume is not known.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Unknown(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Computes the shared solid of each interference.
pub(super) fn compute(assembly: &Assembly, findings: &mut Findings, quiet: bool) {
    let progress = Progress::new("intersecting", findings.list.len() as u64, quiet);
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
            Kind::Touching => SharedSolid::Empty { moved: 0.0 },
            _ => match (solid_of(found.a), solid_of(found.b)) {
                (Ok(a), Ok(b)) => intersect(a, b),
                (Err(reason), _) | (_, Err(reason)) => SharedSolid::Unknown(reason.clone()),
            },
        });
        progress.step();
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

/// Writes all shared solids, each named after its parts.
pub(super) fn write(assembly: &Assembly, findings: &Findings, path: &Path, out: &mut Output) -> Result<(), Failure> {
    let mut model = Model { unit: assembly.units.0, ..Model::default() };
    for found in &findings.list {
        let Some(SharedSolid::Solid { mesh, .. }) = &found.shared else { continue };
        let [a, b] = [found.a, found.b].map(|part| &assembly.parts[part].name);
        model.meshes.push(TriMesh::clone(mesh));
        let part = Part::new(format!("{a} and {b}"), model.meshes.len() - 1, Pose::IDENTITY);
        model.parts.push(Part { colour: Some(COLOUR), ..part });
    }
    if model.parts.is_empty() {
        eprintln!("no parts share a volume: no file is written");
        return Ok(());
    }
    write_model(&model, path, None, false, out)
}
