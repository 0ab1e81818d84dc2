//! Solids of `.csg` files: cube, sphere, cylinder, polyhedron.
//!
//! In: arguments. Out: leaves with their placement.
//! Method: with `$fn` = n a circle has max(n, 3) vertices at 360° k/n. A sphere has ⌊(n + 1)/2⌋ rings at the latitudes
//! 180° (i + ½)/rings, so that no vertex is a pole. A cylinder has two circles, or one and an apex. Polyhedra list
//! faces clockwise seen from outside, so that their order is reversed.
//! Guarantees: the same bits on every machine; multiples of 90° are exact. A solid without extent is the empty set, as
//! in OpenSCAD.

use super::{Arguments, ScadValue};
use crate::csg::{Affine, Csg, CsgTextError};
use crate::half_space::{HalfSpace, Quadric, QuadricIntersection};
use heurt_geometry::{Mat3, Vec3};
use heurt_mesh::TriMesh;
use heurt_shape::{Convex, ConvexError, MeshShape, Solidity};
use std::fmt::Display;

/// The remedy for objects that are not supported.
pub(super) const SUPPORTED: &str =
    "use union, difference, intersection, group, multmatrix, cube, sphere, cylinder or polyhedron";

/// The greatest `$fn`: a sphere then has 131,072 vertices, whose exact hull is still quick.
const MAX_FRAGMENTS: f64 = 512.0;

impl Arguments {
    fn refused(&self, error: impl Display) -> CsgTextError {
        self.at.error(error.to_string())
    }

    fn convex(&self, convex: Result<Convex, ConvexError>) -> Result<Csg, CsgTextError> {
        convex.map(Csg::shape).map_err(|error| self.refused(error))
    }

    /// Returns the number of vertices of circles; `None` without `$fn`.
    fn fragments(&self) -> Result<Option<u32>, CsgTextError> {
        match self.number("$fn", usize::MAX)?.unwrap_or(0.0) {
            n if n <= 0.0 => Ok(None),
            n if n <= MAX_FRAGMENTS => Ok(Some((n as u32).max(3))),
            n => Err(self.refused(format!("`$fn` is {n}: give at most {MAX_FRAGMENTS}, or 0 for the curved solid"))),
        }
    }

    /// Returns a radius by its name, or half of a diameter.
    fn radius(&self, radius: &str, diameter: &str, position: usize) -> Result<Option<f64>, CsgTextError> {
        match self.number(diameter, usize::MAX)? {
            Some(diameter) => Ok(Some(diameter / 2.0)),
            None => self.number(radius, position),
        }
    }
}

fn moved(tree: Csg, translation: Vec3) -> Csg {
    match Affine::new(Mat3::IDENTITY, translation) {
        Ok(map) if translation != Vec3::ZERO => tree.transformed(map),
        _ => tree,
    }
}

pub(super) fn cube(arguments: &Arguments) -> Result<Csg, CsgTextError> {
    let size = match arguments.get("size", 0) {
        None => Vec3::ONE,
        Some(ScadValue::Number(edge)) => Vec3::splat(*edge),
        Some(list) => match list.numbers().as_deref() {
            Some(&[x, y, z]) => Vec3::new(x, y, z),
            _ => return Err(arguments.refused("`size` is neither a number nor a list of 3: give one of them")),
        },
    };
    if size.min_element() <= 0.0 {
        return Ok(Csg::empty());
    }
    let half = size / 2.0;
    let cube = arguments.convex(Convex::cuboid(half))?;
    Ok(if arguments.is_true("center", 1) { cube } else { moved(cube, half) })
}

/// Returns the number of vertices of a round solid with `$fn`; 0 for other objects.
pub(super) fn vertices_of(name: &str, arguments: &Arguments) -> Result<usize, CsgTextError> {
    let circles: fn(u32) -> u32 = match name {
        "sphere" => |n| n.div_ceil(2),
        "cylinder" => |_| 2,
        _ => return Ok(0),
    };
    Ok(arguments.fragments()?.map_or(0, |n| (n * circles(n)) as usize))
}

/// Computes cosine and sine of 360° k/n; multiples of a right angle are exact.
pub(in crate::csg) fn circle_direction(k: u32, n: u32) -> [f64; 2] {
    let quarter = 4 * u64::from(k) / u64::from(n);
    if (4 * u64::from(k)).is_multiple_of(u64::from(n)) {
        return [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][(quarter % 4) as usize];
    }
    let angle = std::f64::consts::TAU * (f64::from(k) / f64::from(n));
    [libm::cos(angle), libm::sin(angle)]
}

fn circle(radius: f64, z: f64, n: u32) -> impl Iterator<Item = Vec3> {
    (0..n).map(move |k| {
        let [cosine, sine] = circle_direction(k, n);
        Vec3::new(radius * cosine, radius * sine, z)
    })
}

pub(super) fn sphere(arguments: &Arguments) -> Result<Csg, CsgTextError> {
    let radius = arguments.radius("r", "d", 0)?.unwrap_or(1.0);
    if radius <= 0.0 {
        return Ok(Csg::empty());
    }
    let Some(n) = arguments.fragments()? else { return arguments.convex(Convex::sphere(radius)) };
    let rings = n.div_ceil(2);
    let ring = |i: u32| {
        // 180° (i + ½)/rings is 360° (2i + 1)/(4 rings).
        let [cosine, sine] = circle_direction(2 * i + 1, 4 * rings);
        circle(radius * sine, radius * cosine, n)
    };
    arguments.convex(Convex::hull(&(0..rings).flat_map(ring).collect::<Vec<_>>()))
}

pub(super) fn cylinder(arguments: &Arguments) -> Result<Csg, CsgTextError> {
    let height = arguments.number("h", 0)?.unwrap_or(1.0);
    let common = arguments.radius("r", "d", usize::MAX)?;
    let r1 = arguments.radius("r1", "d1", 1)?.or(common).unwrap_or(1.0);
    let r2 = arguments.radius("r2", "d2", 2)?.or(common).unwrap_or(1.0);
    if height <= 0.0 || r1 < 0.0 || r2 < 0.0 || r1.max(r2) == 0.0 {
        return Ok(Csg::empty());
    }
    let half = height / 2.0;
    let tree = if let Some(n) = arguments.fragments()? {
        let end = |radius: f64, z: f64| circle(radius, z, if radius == 0.0 { 1 } else { n });
        arguments.convex(Convex::hull(&end(r1, -half).chain(end(r2, half)).collect::<Vec<_>>()))?
    } else if r1 == r2 {
        arguments.convex(Convex::cylinder(r1, half))?
    } else if r2 == 0.0 {
        arguments.convex(Convex::cone(r1, half))?
    } else {
        let plane = |normal: Vec3| HalfSpace::new(normal, -half);
        let cone = Quadric::cone((r1 + r2) / 2.0, (r2 - r1) / height);
        let region = || Ok(QuadricIntersection::new(vec![plane(Vec3::Z)?, plane(-Vec3::Z)?], vec![cone?]));
        Csg::region(region().map_err(|error: crate::HalfSpaceError| arguments.refused(error))?)
    };
    Ok(if arguments.is_true("center", 3) { tree } else { moved(tree, Vec3::Z * half) })
}

pub(super) fn polyhedron(arguments: &Arguments) -> Result<Csg, CsgTextError> {
    let missing = |what: &str| arguments.refused(format!("`polyhedron` needs {what}: give them as a list of lists"));
    let lists = |value: Option<&ScadValue>| match value {
        Some(ScadValue::List(rows)) => rows.iter().map(ScadValue::numbers).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let points = lists(arguments.get("points", 0)).ok_or_else(|| missing("`points`"))?;
    let faces = arguments.get("faces", 1).or_else(|| arguments.get("triangles", usize::MAX));
    let faces = lists(faces).ok_or_else(|| missing("`faces`"))?;
    let point = |point: &Vec<f64>| <[f64; 3]>::try_from(point.as_slice()).ok().map(Vec3::from_array);
    let vertices: Vec<Vec3> =
        points.iter().map(point).collect::<Option<_>>().ok_or_else(|| missing("points of 3 numbers"))?;
    let is_index = |&index: &f64| index >= 0.0 && index < vertices.len() as f64 && index.fract() == 0.0;
    if !faces.iter().flatten().all(is_index) {
        return Err(missing("faces with indices of points"));
    }
    let fan = |face: &Vec<f64>| {
        let face: Vec<u32> = face.iter().map(|&index| index as u32).collect();
        (2..face.len()).map(|k| [face[0], face[k], face[k - 1]]).collect::<Vec<_>>()
    };
    let mesh = TriMesh::new(vertices.clone(), faces.iter().flat_map(fan).collect())
        .map_err(|error| arguments.refused(error))?;
    let shape = MeshShape::new(mesh).and_then(|shape| shape.with_solidity(Solidity::Solid));
    shape.map(Csg::shape).map_err(|error| arguments.refused(error))
}
