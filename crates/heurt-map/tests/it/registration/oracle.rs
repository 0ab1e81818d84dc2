//! Who is where by definition: every cell against every entity, neighbours by common vertices.

use heurt_geometry::{Sign, Triangle, Vec2, Vec3, orient2d, orient3d, point_on_triangle, triangles_intersect};
use heurt_geometry::{segment_intersects_triangle, segments_intersect};
use heurt_map::multires::Multiresolution;
use heurt_map::registration::{EntityId, Environment, Geometry};
use heurt_map::{CombinatorialMap, Orbit, Walker};
use std::collections::{BTreeMap, BTreeSet};

/// A closed convex cell by the corners of its faces; a polygon is one face. Or one that is star-shaped about a centre.
pub struct Shape {
    pub faces: Vec<Vec<Vec3>>,
    pub centre: Option<Vec3>,
    pub vertices: BTreeSet<u32>,
}

impl Shape {
    fn is_flat(&self) -> bool {
        self.faces.len() == 1
    }

    fn edges(&self) -> impl Iterator<Item = [Vec3; 2]> + '_ {
        self.faces.iter().flat_map(|face| (0..face.len()).map(|k| [face[k], face[(k + 1) % face.len()]]))
    }

    /// The triangles of fans over the faces; some are flat, where vertices lie on edges.
    fn triangles(&self) -> impl Iterator<Item = Triangle> + '_ {
        self.faces.iter().flat_map(|face| (1..face.len() - 1).map(|k| [face[0], face[k], face[k + 1]]))
    }

    pub fn holds(&self, p: Vec3) -> bool {
        let flat = |v: Vec3| Vec2::new(v.x, v.y);
        if let Some(v) = self.centre {
            self.triangles().any(|[a, b, c]| {
                [[a, b, c], [v, b, a], [v, c, b], [v, a, c]]
                    .iter()
                    .all(|&[a, b, c]| orient3d(a, b, c, p) != Sign::Positive)
            })
        } else if self.is_flat() {
            self.edges().all(|[a, b]| orient2d(flat(a), flat(b), flat(p)) != Sign::Negative)
        } else {
            self.triangles().all(|[a, b, c]| orient3d(a, b, c, p) != Sign::Positive)
        }
    }

    /// Tells whether the closed cell meets the closed hull of one, two or three points.
    pub fn meets(&self, points: &[Vec3]) -> bool {
        points.iter().any(|&p| self.holds(p))
            || match (points, self.is_flat()) {
                (&[a, b], true) => self.edges().any(|[c, d]| segments_intersect(a, b, c, d)),
                (&[a, b], false) => self.triangles().any(|t| segment_intersects_triangle(a, b, &t)),
                (&[a, b, c], true) => {
                    let sides = [[a, b], [b, c], [c, a]];
                    self.edges().any(|[x, y]| {
                        point_on_triangle(x, &[a, b, c]) || sides.iter().any(|&[p, q]| segments_intersect(x, y, p, q))
                    })
                }
                (&[a, b, c], false) => self.triangles().any(|t| triangles_intersect(&t, &[a, b, c])),
                _ => false,
            }
    }
}

pub fn shapes<const D: usize, G: Geometry<D>>(env: &Environment<D, G>) -> BTreeMap<u32, Shape> {
    let map = env.map().map();
    let mut walker = Walker::new();
    let shape = |cell: u32| {
        let darts = walker.orbit(map, G::CELL, env.dart(cell).unwrap()).to_vec();
        let vertices = darts.iter().map(|&dart| map.id(Orbit::Vertex, dart)).collect();
        let mut seen = BTreeSet::new();
        let mut faces = Vec::new();
        for &dart in &darts {
            let face: Vec<_> = map.face_darts(dart).collect();
            if seen.insert(*face.iter().min().unwrap()) {
                faces.push(face.iter().map(|&dart| env.geometry().position(map.id(Orbit::Vertex, dart))).collect());
            }
        }
        (cell, Shape { faces, centre: None, vertices })
    };
    env.cells().map(shape).collect()
}

/// All that can be seen of an environment: links, numbers, positions, points and lists.
pub fn picture<const D: usize, G: Geometry<D>>(env: &Environment<D, G>) -> Vec<String> {
    let map = env.map().map();
    let mut all = Vec::new();
    for dart in map.live_darts() {
        let links = [map.phi1(dart), map.phi1_inv(dart), map.phi2(dart), map.phi3(dart)];
        let ids = [Orbit::Vertex, Orbit::Face, Orbit::Volume].map(|kind| map.id(kind, dart));
        let at = env.geometry().position(ids[0]);
        all.push(format!("{dart:?} {links:?} {ids:?} {at:?} {:?}", env.map().dart_level(dart)));
    }
    for cell in env.cells() {
        all.push(format!("{cell} {:?} {:?}", env.present(cell).unwrap(), env.neighbours(cell).unwrap()));
    }
    for entity in env.entities() {
        let points: Vec<_> = env.points(entity).unwrap().map(|point| (point, env.particle(point).unwrap())).collect();
        all.push(format!("{entity:?} {:?} {points:?}", env.cells_of(entity).unwrap()));
    }
    all
}

/// The positions of an entity's points.
pub fn positions<const D: usize, G: Geometry<D>>(env: &Environment<D, G>, entity: EntityId) -> Vec<Vec3> {
    env.points(entity).unwrap().map(|point| G::to_space(env.particle(point).unwrap().position)).collect()
}

/// Checks present lists, neighbour lists and the cells of points. `is_at` tells, for an entity, which cells it is
/// registered in, given those that it meets.
pub fn check<const D: usize, G: Geometry<D>>(
    env: &Environment<D, G>,
    is_at: impl Fn(EntityId, BTreeSet<u32>) -> BTreeSet<u32>,
) {
    check_in(env, &shapes(env), is_at);
}

/// As [`check`], with cells of these shapes.
pub fn check_in<const D: usize, G: Geometry<D>>(
    env: &Environment<D, G>,
    shapes: &BTreeMap<u32, Shape>,
    is_at: impl Fn(EntityId, BTreeSet<u32>) -> BTreeSet<u32>,
) {
    let mut present: BTreeMap<u32, BTreeSet<EntityId>> = BTreeMap::new();
    for entity in env.entities() {
        let points = positions(env, entity);
        for (point, &at) in env.points(entity).unwrap().zip(&points) {
            assert!(shapes[&env.cell_of(point).unwrap()].holds(at), "{point:?} at {at}");
        }
        let met: BTreeSet<u32> = match points[..] {
            [_] => [env.cell_of(env.points(entity).unwrap().next().unwrap()).unwrap()].into(),
            _ => shapes.iter().filter(|(_, shape)| shape.meets(&points)).map(|(&cell, _)| cell).collect(),
        };
        let cells = is_at(entity, met);
        let kept: BTreeSet<u32> = env.cells_of(entity).unwrap().iter().copied().collect();
        assert_eq!(kept, cells, "cells of {entity:?} at {points:?}");
        for cell in cells {
            present.entry(cell).or_default().insert(entity);
        }
    }
    let none = BTreeSet::new();
    let at = |cell: &u32| present.get(cell).unwrap_or(&none);
    for (cell, shape) in shapes {
        let listed = |list: &[EntityId]| {
            let set: BTreeSet<EntityId> = list.iter().copied().collect();
            assert_eq!(set.len(), list.len(), "twice in cell {cell}");
            set
        };
        assert_eq!(&listed(env.present(*cell).unwrap()), at(cell), "present in cell {cell}");
        let beside =
            shapes.iter().filter(|(other, beside)| *other != cell && !beside.vertices.is_disjoint(&shape.vertices));
        let expected: BTreeSet<EntityId> = beside.flat_map(|(other, _)| at(other)).copied().collect();
        let expected: BTreeSet<EntityId> = expected.difference(at(cell)).copied().collect();
        assert_eq!(listed(env.neighbours(*cell).unwrap()), expected, "neighbours of cell {cell}");
    }
}
