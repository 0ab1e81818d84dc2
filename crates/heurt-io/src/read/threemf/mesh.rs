//! The mesh of a 3MF object: vertices, triangles, and the colour if all triangles have one.
//!
//! In: the elements below `<mesh>`. Out: a mesh, or nothing if it has no triangle. Guarantees: triangles come in file
//! order and none is dropped; coordinates are rounded once to `f64`; elements and attributes of other namespaces are
//! ignored. Cost: O(bytes).

use super::model::ThreemfProperty;
use crate::read::warnings::Warnings;
use crate::read::xml::{Tag, Xml};
use crate::{ReadError, error::quoted};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;

/// The common property of all triangles read.
#[derive(Clone, Copy, PartialEq)]
enum Uniform {
    Unknown,
    One(Option<ThreemfProperty>),
    Mixed,
}

/// Reads a mesh to its end tag; `own` is the property of the object, which triangles may override.
pub(super) fn read(
    xml: &mut Xml<'_>,
    tag: &Tag<'_>,
    prefix: &str,
    own: Option<ThreemfProperty>,
    warnings: &mut Warnings,
) -> Result<Option<(TriMesh, Option<ThreemfProperty>)>, ReadError> {
    let (mut vertices, mut triangles, mut uniform) = (Vec::new(), Vec::new(), Uniform::Unknown);
    while let Some(child) = xml.child()? {
        match (child.prefix() == prefix, child.local()) {
            (true, "vertices") => read_vertices(xml, prefix, &mut vertices)?,
            (true, "triangles") => read_triangles(xml, (prefix, own), &vertices, &mut triangles, &mut uniform)?,
            (false, "beamlattice") => {
                let remedy = "export the final surface as a plain mesh";
                warnings.skip("beam lattices", remedy, || xml.place(child.at), "")?;
                xml.skip()?;
            }
            _ => xml.skip()?,
        }
    }
    if triangles.is_empty() {
        return Ok(None);
    }
    let colour = if let Uniform::One(colour) = uniform { colour } else { None };
    match TriMesh::new(vertices, triangles) {
        Ok(mesh) => Ok(Some((mesh, colour))),
        Err(cause) => Err(ReadError::Mesh { place: xml.place(tag.at), cause }),
    }
}

fn read_vertices(xml: &mut Xml<'_>, prefix: &str, vertices: &mut Vec<Vec3>) -> Result<(), ReadError> {
    while let Some(tag) = xml.child()? {
        if tag.prefix() == prefix && tag.local() == "vertex" {
            let mut point = [None; 3];
            for attribute in xml.attributes(&tag) {
                let (name, value) = attribute?;
                if let Some(axis) = ["x", "y", "z"].iter().position(|&axis| axis == name) {
                    let value = xml.finite(tag.at, &value)?;
                    set(&mut point[axis], value).map_err(|()| given_twice(xml, &tag, name))?;
                }
            }
            let [Some(x), Some(y), Some(z)] = point else {
                return Err(ReadError::syntax(xml.place(tag.at), b"<vertex", "the attributes x, y and z"));
            };
            vertices.push(Vec3::new(x, y, z));
        }
        xml.skip()?;
    }
    Ok(())
}

fn read_triangles(
    xml: &mut Xml<'_>,
    (prefix, own): (&str, Option<ThreemfProperty>),
    vertices: &[Vec3],
    triangles: &mut Vec<[u32; 3]>,
    uniform: &mut Uniform,
) -> Result<(), ReadError> {
    while let Some(tag) = xml.child()? {
        if tag.prefix() == prefix && tag.local() == "triangle" {
            let mut corners = [None; 3];
            let (mut group, mut indices) = (None, [None; 3]);
            for attribute in xml.attributes(&tag) {
                let (name, value) = attribute?;
                match name {
                    "v1" | "v2" | "v3" => {
                        let corner = usize::from(name.as_bytes()[1] - b'1');
                        let value = vertex(xml, &tag, &value, vertices.len())?;
                        set(&mut corners[corner], value).map_err(|()| given_twice(xml, &tag, name))?;
                    }
                    "p1" | "p2" | "p3" => {
                        indices[usize::from(name.as_bytes()[1] - b'1')] = Some(property(xml, &tag, &value)?);
                    }
                    "pid" => group = Some(property(xml, &tag, &value)?),
                    _ => {}
                }
            }
            let [Some(a), Some(b), Some(c)] = corners else {
                return Err(ReadError::syntax(xml.place(tag.at), b"<triangle", "the attributes v1, v2 and v3"));
            };
            triangles.push([a, b, c]);
            let found = triangle_property(group, indices, own);
            *uniform = match *uniform {
                Uniform::Unknown => found,
                known if known == found => known,
                _ => Uniform::Mixed,
            };
        }
        xml.skip()?;
    }
    Ok(())
}

/// Fills an empty slot.
fn set<T>(slot: &mut Option<T>, value: T) -> Result<(), ()> {
    if slot.replace(value).is_some() { Err(()) } else { Ok(()) }
}

fn given_twice(xml: &Xml<'_>, tag: &Tag<'_>, name: &str) -> ReadError {
    let expected = format!("the attribute {name} of <{}> once", tag.local());
    ReadError::syntax(xml.place(tag.at), name.as_bytes(), expected)
}

/// Returns the property of a triangle: its own if it has one, else the property of the object. Missing second and third
/// indices are the first.
fn triangle_property(group: Option<u32>, indices: [Option<u32>; 3], own: Option<ThreemfProperty>) -> Uniform {
    let [Some(first), second, third] = indices else { return Uniform::One(own) };
    if second.unwrap_or(first) != first || third.unwrap_or(first) != first {
        return Uniform::Mixed;
    }
    Uniform::One(group.or(own.map(|own| own.0)).map(|group| (group, first)))
}

/// Reads a vertex index of a triangle.
fn vertex(xml: &Xml<'_>, tag: &Tag<'_>, value: &str, count: usize) -> Result<u32, ReadError> {
    let place = || xml.place(tag.at);
    let Ok(index) = value.trim().parse::<i64>() else {
        return Err(ReadError::syntax(place(), value.as_bytes(), "a vertex index"));
    };
    match u32::try_from(index) {
        Ok(vertex) if (vertex as usize) < count => Ok(vertex),
        _ => Err(ReadError::BadIndex { place: place(), index, first: 0, count }),
    }
}

/// Reads the id or index of a property.
pub(super) fn property(xml: &Xml<'_>, tag: &Tag<'_>, value: &str) -> Result<u32, ReadError> {
    let expected = || format!("the id or index of a property, not {}", quoted(value.as_bytes()));
    value.trim().parse().map_err(|_| ReadError::syntax(xml.place(tag.at), value.as_bytes(), expected()))
}
