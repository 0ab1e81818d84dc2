//! Floors of a mesh: its faces that people can walk on.
//!
//! In: the bytes of an OBJ file, in metres, z up. Out: a [`Plan`]: level floors and ramps.
//! Method: a face is a part of a floor if it faces up and rises by at most [`STEEPEST_FLOOR`] a metre in plan. Faces
//! that share an edge and lie in one plane, within half of the flatness of floors, are one floor: planes grow from the
//! largest face to its neighbours. Floors of one plane are united. Steeper faces are ignored and counted; faces
//! that face down are the backs of slabs. A polygon that crosses itself is an error, and so is one that touches itself
//! and of which one part faces up and another one down.
//! Guarantees: no wall at an edge that two faces of a plane share; the order of faces changes no area.
//! Not guaranteed: ceilings, which are no obstacle; steps of more than 5 cm, which are walls: give stairs as ramps.
//! Cost: O(n log n) for n faces, O(f) for f faces at an edge and each plane that meets there, and the cost of the
//! unions.

use super::fault::{PlanError, PlanItem, PlanNotes, PlanWarningKind, RingName};
use super::rings::{EdgeContact, find_self_contact};
use super::{Plan, planes_of, unite_planes};
use crate::read::obj;
use crate::read::weld::Welder;
use crate::{Model, Place, ReadError, ReadOptions};
use heurt_geometry::{FLAT_WITHIN, FloorArea, PlanArea, STEEPEST_FLOOR, Vec2, Vec3};
use std::collections::HashMap;

/// The largest rise a metre of a level face: floors of rooms are level to 1 cm in 2 m (DIN 18202).
const LEVEL: f64 = 0.005;
/// The largest number of floors: each plane is compared with each one.
const MAX_FLOORS: usize = 20_000;
/// The largest coordinate, in metres, as in well-known text.
const MAX_COORDINATE: f64 = 1e9;

/// A face to walk on.
struct WalkFace {
    corners: [u32; 3],
    slope: Vec2,
    /// Twice its area in plan, in square metres.
    size: f64,
}

/// Faces at an edge that no plane has taken.
#[derive(Default)]
struct EdgeFaces {
    faces: Vec<u32>,
    /// The number of the last plane that took its faces of them, from 1.
    passed_by: usize,
}

/// Reads a file.
pub(super) fn read_obj(bytes: &[u8]) -> Result<Plan, PlanError> {
    let model = obj::read(bytes, &ReadOptions::default())?;
    let mut welder = Welder::with_capacity(model.meshes.iter().map(|mesh| mesh.vertices().len()).sum());
    let mut notes = PlanNotes::default();
    let mut faces = Vec::new();
    check_polygons(&model)?;
    let triangles = model
        .meshes
        .iter()
        .flat_map(|mesh| mesh.triangles().iter().map(|corners| corners.map(|corner| mesh.vertices()[corner as usize])));
    for (number, corners) in triangles.enumerate() {
        if let Some(&at) = corners.iter().find(|corner| corner.abs().max_element() > MAX_COORDINATE) {
            let (found, expected) = (format!("({}, {}, {})", at.x, at.y, at.z), "coordinates up to 1e9 m".to_owned());
            return Err(
                ReadError::Syntax { place: Place::Item(format!("triangle {}", number + 1)), found, expected }.into()
            );
        }
        let normal = normal_of(corners);
        if normal.z < 0.0 {
            continue;
        }
        let slope = -normal.truncate() / normal.z;
        if is_walkable(normal) {
            faces.push(WalkFace { corners: corners.map(|corner| welder.vertex(corner)), slope, size: normal.z });
        } else if normal != Vec3::ZERO {
            let item = PlanItem { id: number as i64 + 1, at: Some(corners[0].truncate()), lon_lat: None };
            notes.add(PlanWarningKind::SteepFaces, item);
        }
    }
    let vertices = welder.into_vertices();
    let floors = floors_of(&vertices, &faces)?;
    if floors.is_empty() {
        let remedy = "turn faces so that they face up, with z as the height in metres";
        return Err(PlanError::Empty { what: "face to walk on", remedy });
    }
    let walk = unite_planes(planes_of(floors), false, &mut notes)?;
    Ok(Plan { walk, warnings: notes.finish(), ..Plan::default() })
}

/// Returns the normal of a triangle, as long as twice its area.
fn normal_of(corners: [Vec3; 3]) -> Vec3 {
    (corners[1] - corners[0]).cross(corners[2] - corners[0])
}

/// Reports whether a triangle with this normal faces up and is not too steep.
fn is_walkable(normal: Vec3) -> bool {
    let slope = -normal.truncate() / normal.z;
    normal.z > 0.0 && slope.is_finite() && slope.length() <= STEEPEST_FLOOR
}

/// Checks that polygons with a triangle to walk on do not cross themselves in plan. They count from 1, over all parts.
fn check_polygons(model: &Model) -> Result<(), PlanError> {
    let mut before = 0;
    for (part, mesh) in model.meshes.iter().enumerate() {
        let Some(polygons) = model.polygons.get(part).and_then(Option::as_ref) else {
            before += mesh.triangles().len();
            continue;
        };
        for polygon in (0..polygons.len()).filter(|&polygon| polygons.corners(polygon).len() > 3) {
            let triangles = &mesh.triangles()[polygons.triangles(polygon)];
            let normals =
                || triangles.iter().map(|corners| normal_of(corners.map(|corner| mesh.vertices()[corner as usize])));
            if !normals().any(is_walkable) {
                continue;
            }
            let corners = polygons.corners(polygon).iter().map(|&corner| mesh.vertices()[corner as usize].truncate());
            let ring = RingName { polygon: before + polygon + 1, hole: 0 };
            match find_self_contact(&corners.collect::<Vec<_>>()) {
                Some(EdgeContact::Cross(at)) => return Err(PlanError::CrossesItself { ring, at }),
                // A polygon around a hole touches itself where its ends join.
                Some(EdgeContact::Touch(at)) if normals().any(|normal| is_walkable(-normal)) => {
                    return Err(PlanError::TouchesItself { ring, at });
                }
                _ => {}
            }
        }
        before += polygons.len();
    }
    Ok(())
}

/// Collects faces of a plane that are neighbours; each face is an area of its own on their plane.
fn floors_of(vertices: &[Vec3], faces: &[WalkFace]) -> Result<Vec<Vec<FloorArea>>, PlanError> {
    let mut edge_faces: HashMap<[u32; 2], EdgeFaces> = HashMap::new();
    let edges = |face: &WalkFace| {
        let [a, b, c] = face.corners;
        [[a, b], [b, c], [c, a]].map(|[from, to]| [from.min(to), from.max(to)])
    };
    for (number, face) in faces.iter().enumerate() {
        for edge in edges(face) {
            edge_faces.entry(edge).or_default().faces.push(number as u32);
        }
    }
    let mut order: Vec<u32> = (0..faces.len() as u32).collect();
    let place = |number: u32| faces[number as usize].corners.map(|corner| vertices[corner as usize].to_array());
    // The largest first; of equal ones, the first by place.
    order.sort_by(|&a, &b| {
        let size = |number: u32| faces[number as usize].size;
        let by_place = || place(a).as_flattened().partial_cmp(place(b).as_flattened());
        size(b).total_cmp(&size(a)).then_with(|| by_place().unwrap_or(std::cmp::Ordering::Equal))
    });
    let (mut is_taken, mut floors) = (vec![false; faces.len()], Vec::new());
    for first in order {
        if std::mem::replace(&mut is_taken[first as usize], true) {
            continue;
        }
        let plane = plane_of(vertices, &faces[first as usize]);
        if floors.len() == MAX_FLOORS {
            let (found, expected) = (format!("more than {MAX_FLOORS} planes"), "a mesh of flat floors".to_owned());
            return Err(ReadError::Syntax { place: Place::Item("the mesh".to_owned()), found, expected }.into());
        }
        let (mut open, mut floor) = (vec![first], Vec::new());
        while let Some(number) = open.pop() {
            let face = &faces[number as usize];
            let outline = face.corners.map(|corner| vertices[corner as usize].truncate()).to_vec();
            floor.push(plane.with_area(PlanArea { outline, holes: Vec::new() }));
            for edge in edges(face) {
                let Some(edge) = edge_faces.get_mut(&edge).filter(|edge| edge.passed_by <= floors.len()) else {
                    continue;
                };
                edge.passed_by = floors.len() + 1;
                edge.faces.retain(|&next| {
                    if is_taken[next as usize] {
                        return false;
                    }
                    let corners = faces[next as usize].corners.map(|corner| vertices[corner as usize]);
                    let off = |corner: &Vec3| (corner.z - plane.height_at(corner.truncate())).abs();
                    let is_on = corners.iter().all(|corner| off(corner) <= 0.5 * FLAT_WITHIN);
                    if is_on {
                        is_taken[next as usize] = true;
                        open.push(next);
                    }
                    !is_on
                });
            }
        }
        floors.push(floor);
    }
    Ok(floors)
}

/// Returns the plane of a face; it is level if its corners are.
fn plane_of(vertices: &[Vec3], face: &WalkFace) -> FloorArea {
    let corners = face.corners.map(|corner| vertices[corner as usize]);
    let heights = corners.map(|corner| corner.z);
    let low = heights.into_iter().fold(f64::INFINITY, f64::min);
    let high = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let is_level = high - low <= 0.5 * FLAT_WITHIN && face.slope.length() <= LEVEL;
    let slope = if is_level { Vec2::ZERO } else { face.slope };
    FloorArea { area: PlanArea::default(), at: corners[0], slope }
}
