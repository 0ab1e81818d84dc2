//! Shapes from JSON, with the words of `heurt query`.
//!
//! In: an object with a `type`. Out: a shape, or the error of its constructor with the path of the object.

use super::fields::{CsgTextError, Object, list, numbers, vector};
use super::read_pose;
use heurt_geometry::Pose;
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{Superellipsoid, Supertoroid};
use heurt_shape::{Compound, Convex, ConvexError, MeshShape, Shape, Solidity, Superquadric};
use serde_json::Value;
use std::fmt::Display;

const TYPES: &str = "one of sphere, box, capsule, cylinder, cone, ellipsoid, half_space, point, segment, triangle, hull, \
                     mesh, superellipsoid, supertoroid, compound, csg, polyhedron, quadric";

/// Reads the shape of an object, whose value serves for messages.
pub(super) fn read_shape(object: &Object<'_>, value: &Value, depth: usize) -> Result<Shape, CsgTextError> {
    let kind = object.text("type", TYPES)?;
    let path = object.path("type");
    let refuse = |error: &dyn Display| CsgTextError::refused(&path, value, error);
    let convex = |convex: Result<Convex, ConvexError>| convex.map(Shape::from).map_err(|error| refuse(&error));
    let known = |names: &[&str]| object.only(&[&["type", "margin"], names].concat());
    let number = |name: &str| object.number(name, "a number");
    let shape = match kind {
        "sphere" => {
            known(&["radius"])?;
            convex(Convex::sphere(number("radius")?))?
        }
        "box" => {
            known(&["half"])?;
            convex(Convex::cuboid(vector(&object.path("half"), object.required("half", "a list of 3 numbers")?)?))?
        }
        "capsule" | "cylinder" | "cone" => {
            known(&["radius", "half_height"])?;
            let (radius, half_height) = (number("radius")?, number("half_height")?);
            convex(match kind {
                "capsule" => Convex::capsule(radius, half_height),
                "cylinder" => Convex::cylinder(radius, half_height),
                _ => Convex::cone(radius, half_height),
            })?
        }
        "ellipsoid" => {
            known(&["radii"])?;
            convex(Convex::ellipsoid(vector(&object.path("radii"), object.required("radii", "a list of 3 numbers")?)?))?
        }
        "half_space" => {
            known(&["normal", "offset"])?;
            let normal = vector(&object.path("normal"), object.required("normal", "a vector other than 0")?)?;
            convex(Convex::half_space(normal, number("offset")?))?
        }
        "point" => {
            known(&[])?;
            Convex::point().into()
        }
        "segment" | "triangle" | "hull" => {
            known(&["points"])?;
            let points = list(&object.path("points"), object.required("points", "a list of points")?, vector)?;
            let count = if kind == "segment" { 2 } else { 3 };
            if kind != "hull" && points.len() != count {
                let given = object.required("points", "a list of points")?;
                return Err(CsgTextError::wrong(&object.path("points"), given, format!("a list of {count} points")));
            }
            convex(Convex::hull(&points))?
        }
        "mesh" => {
            known(&["vertices", "triangles", "solid"])?;
            mesh(object, value)?.into()
        }
        "superellipsoid" => {
            known(&["radii", "n1", "n2"])?;
            let radii = numbers::<3>(&object.path("radii"), object.required("radii", "a list of 3 numbers")?)?;
            let surface = Superellipsoid::new(radii, number("n1")?, number("n2")?).map_err(|error| refuse(&error))?;
            Superquadric::Ellipsoid(surface).into()
        }
        "supertoroid" => {
            known(&["r0", "r1", "n1", "n2"])?;
            let surface = Supertoroid::new(number("r0")?, number("r1")?, number("n1")?, number("n2")?);
            Superquadric::Toroid(surface.map_err(|error| refuse(&error))?).into()
        }
        "compound" => {
            known(&["parts"])?;
            compound(object, value, depth)?
        }
        _ => return Err(CsgTextError::wrong(&path, object.required("type", TYPES)?, TYPES)),
    };
    if !object.has("margin") {
        return Ok(shape);
    }
    shape.with_margin(number("margin")?).map_err(|error| CsgTextError::refused(&object.path("margin"), value, error))
}

fn mesh(object: &Object<'_>, value: &Value) -> Result<MeshShape, CsgTextError> {
    let path = object.path("vertices");
    let vertices = list(&path, object.required("vertices", "a list of points")?, vector)?;
    let triangles = object.required("triangles", "a list of [i, j, k]")?;
    let index = |item: &Value| item.as_u64().and_then(|index| u32::try_from(index).ok());
    let triangle = |path: &str, value: &Value| {
        let indices: Option<Vec<u32>> = value.as_array().and_then(|items| items.iter().map(index).collect());
        let indices = indices.and_then(|indices| <[u32; 3]>::try_from(indices).ok());
        indices.ok_or_else(|| CsgTextError::wrong(path, value, "a list of 3 vertex indices"))
    };
    let triangles = list(&object.path("triangles"), triangles, triangle)?;
    let refuse = |error: &dyn Display| CsgTextError::refused(&path, value, error);
    let mesh = TriMesh::new(vertices, triangles).map_err(|error| refuse(&error))?;
    let shape = MeshShape::new(mesh).map_err(|error| refuse(&error))?;
    let solidity = match object.get("solid") {
        None => return Ok(shape),
        Some(Value::Bool(true)) => Solidity::Solid,
        Some(Value::Bool(false)) => Solidity::Surface,
        Some(Value::String(word)) if word == "winding" => Solidity::Winding,
        Some(other) => return Err(CsgTextError::wrong(&object.path("solid"), other, "true, false or \"winding\"")),
    };
    shape.with_solidity(solidity).map_err(|error| refuse(&error))
}

fn compound(object: &Object<'_>, value: &Value, depth: usize) -> Result<Shape, CsgTextError> {
    let component = |path: &str, value: &Value| {
        let object = Object::open(path, value)?;
        object.only(&["shape", "pose"])?;
        let (path, inner) = (object.path("shape"), object.required("shape", "a shape")?);
        if depth > super::MAX_NESTED {
            return Err(CsgTextError::wrong(&path, inner, "a shape with less nesting"));
        }
        let shape = read_shape(&Object::open(&path, inner)?, inner, depth + 1)?;
        let pose = object.get("pose").map(|pose| read_pose(&object.path("pose"), pose)).transpose()?;
        Ok((shape, pose.unwrap_or(Pose::IDENTITY)))
    };
    let parts: Vec<(Shape, Pose)> =
        list(&object.path("parts"), object.required("parts", "a list of parts")?, component)?;
    let compound = Compound::new(parts).map_err(|error| CsgTextError::refused(&object.path("parts"), value, error))?;
    Ok(compound.into())
}
