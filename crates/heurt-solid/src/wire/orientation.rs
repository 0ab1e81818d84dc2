//! Orientation of the shells of a solid: outward, and inward around cavities.
//!
//! In: cycles of faces in which each edge is in exactly two. Out: the faces counter-clockwise seen from outside, or
//! `None` if a shell has one side only.
//! Method: faces of a shell are turned one after another, so that neighbours have their edge in opposite directions.
//! The signed volume turns the shell outward. A shell within an odd number of others bounds a cavity and is reversed.
//! Guarantees: the winding numbers that count the remaining shells are exact on the coordinates.

use super::{WireError, WireSolid, Wireframe};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, measures};
use heurt_query::{Location, winding_number};
use heurt_shape::MeshShape;
use std::collections::BTreeMap;

/// Orients the faces.
pub(super) fn oriented(wireframe: &Wireframe, mut faces: Vec<Vec<u32>>) -> Result<Option<WireSolid>, WireError> {
    let Some(shells) = turn_faces(&mut faces) else { return Ok(None) };
    let mut shapes = Vec::new();
    for shell in &shells {
        let cycles = |faces: &[Vec<u32>]| -> Vec<Vec<u32>> { shell.iter().map(|&face| faces[face].clone()).collect() };
        let mesh = TriMesh::from_polygons(wireframe.vertices.clone(), cycles(&faces))?.mesh;
        if measures(&mesh).volume.is_some_and(|volume| volume < 0.0) {
            shell.iter().for_each(|&face| faces[face].reverse());
        }
        shapes.push(MeshShape::new(mesh)?);
    }
    let depths: Vec<usize> = shells
        .iter()
        .enumerate()
        .map(|(index, shell)| {
            let point = edge_centre(wireframe, &faces[shell[0]]);
            let others = shapes.iter().enumerate().filter(|&(other, _)| other != index);
            others.filter(|(_, shape)| winding_number(shape, &Pose::IDENTITY, point) != Location::Winding(0)).count()
        })
        .collect();
    for (shell, depth) in shells.iter().zip(depths) {
        if depth % 2 == 1 {
            shell.iter().for_each(|&face| faces[face].reverse());
        }
    }
    Ok(Some(WireSolid { faces }))
}

/// Returns a point that no other shell has: the middle of an edge.
fn edge_centre(wireframe: &Wireframe, face: &[u32]) -> Vec3 {
    (wireframe.at(face[0]) + wireframe.at(face[1])) * 0.5
}

/// Turns the faces of each shell to agree; returns the faces by shell, or `None` for a shell with one side.
fn turn_faces(faces: &mut [Vec<u32>]) -> Option<Vec<Vec<usize>>> {
    let mut faces_of: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (index, face) in faces.iter().enumerate() {
        for (a, b) in sides(face) {
            faces_of.entry([a.min(b), a.max(b)]).or_default().push(index);
        }
    }
    let mut is_turned = vec![false; faces.len()];
    let mut shells = Vec::new();
    for start in 0..faces.len() {
        if is_turned[start] {
            continue;
        }
        is_turned[start] = true;
        let mut shell = vec![start];
        let mut done = 0;
        while done < shell.len() {
            let face = shell[done];
            done += 1;
            for (a, b) in sides(&faces[face].clone()) {
                for &other in faces_of[&[a.min(b), a.max(b)]].iter().filter(|&&other| other != face) {
                    let agrees = sides(&faces[other]).any(|side| side == (b, a));
                    match (is_turned[other], agrees) {
                        (true, false) => return None,
                        (true, true) => continue,
                        (false, false) => faces[other].reverse(),
                        (false, true) => {}
                    }
                    is_turned[other] = true;
                    shell.push(other);
                }
            }
        }
        shells.push(shell);
    }
    Some(shells)
}

fn sides(face: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    face.iter().copied().zip(face.iter().copied().cycle().skip(1))
}
