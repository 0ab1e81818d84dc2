//! Wireframes: the feature edges of the parts of a model, as line segments of OBJ or DXF.
//!
//! In: a model, and the least angle between the normals of two faces whose common edge is drawn, in radians. Out: text.
//! Method: S3 slides 6 to 8; the edges are those of [`heurt_mesh::feature_edges`].
//! Guarantees: each edge once, in the order of its vertices; in OBJ each vertex of an edge once, so that edges are
//! joined by vertices. Coordinates read back to the same bits.
//! Cost: O(n log n) per part.

use super::dxf::{begin, end, layers};
use super::obj::{object_name, write_vertex};
use super::{WriteError, check, check_finite, placed};
use crate::Model;
use heurt_geometry::Vec3;
use heurt_mesh::feature_edges;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

/// Writes the feature edges of each part as `l` elements of two vertices, an object per part, and returns their number.
///
/// ```
/// use heurt_io::{Model, write_wireframe_obj};
/// use heurt_mesh::generate::cuboid;
/// let mut file = Vec::new();
/// write_wireframe_obj(&Model::from_mesh("box", cuboid([1.0, 1.0, 1.0])?), 0.1, &mut file)?;
/// let text = String::from_utf8(file)?;
/// assert_eq!(text.lines().filter(|line| line.starts_with("v ")).count(), 8);
/// assert_eq!(text.lines().filter(|line| line.starts_with("l ")).count(), 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError::Wireframe`] for an angle outside 0 … π; [`WriteError`] when a part names no mesh, a placed coordinate
/// overflows, or the sink refuses bytes.
pub fn write_wireframe_obj(model: &Model, angle_rad: f64, out: &mut dyn Write) -> Result<usize, WriteError> {
    let mut out = BufWriter::new(out);
    let mut first = 1;
    let count = each_wireframe(model, angle_rad, |name, points, edges| {
        if !name.is_empty() {
            writeln!(out, "o {}", object_name(name))?;
        }
        let mut number_of = BTreeMap::new();
        edges.iter().flatten().for_each(|&vertex| _ = number_of.insert(vertex, 0));
        for (number, (&vertex, entry)) in (first..).zip(&mut number_of) {
            *entry = number;
            write_vertex(&mut out, points[vertex as usize])?;
        }
        first += number_of.len();
        for [a, b] in edges {
            writeln!(out, "l {} {}", number_of[a], number_of[b])?;
        }
        Ok(())
    })?;
    out.flush()?;
    Ok(count)
}

/// Writes the feature edges of each part as `LINE` entities, a layer per part, and returns their number.
///
/// # Errors
/// As [`write_wireframe_obj`].
pub fn write_wireframe_dxf(model: &Model, angle_rad: f64, out: &mut dyn Write) -> Result<usize, WriteError> {
    let mut out = BufWriter::new(out);
    begin(model.unit, &mut out)?;
    let mut layers = layers();
    let count = each_wireframe(model, angle_rad, |name, points, edges| {
        let layer = layers.name(name);
        for &[a, b] in edges {
            let [a, b] = [points[a as usize], points[b as usize]];
            write!(out, "0\nLINE\n8\n{layer}\n10\n{:?}\n20\n{:?}\n30\n{:?}\n", a.x, a.y, a.z)?;
            write!(out, "11\n{:?}\n21\n{:?}\n31\n{:?}\n", b.x, b.y, b.z)?;
        }
        Ok(())
    })?;
    end(&mut out)?;
    Ok(count)
}

/// Calls `write` with the name, the placed vertices and the feature edges of each part; returns the number of edges.
fn each_wireframe(
    model: &Model,
    angle_rad: f64,
    mut write: impl FnMut(&str, &[Vec3], &[[u32; 2]]) -> std::io::Result<()>,
) -> Result<usize, WriteError> {
    check(model)?;
    let (mut first, mut count) = (0, 0);
    for (number, part) in model.parts.iter().enumerate() {
        let points: Vec<Vec3> = placed(model, number).collect();
        (first..).zip(&points).try_for_each(|(number, &point)| check_finite(number, point))?;
        first += points.len();
        let edges = feature_edges(&model.meshes[part.mesh], angle_rad)?;
        let edges: Vec<[u32; 2]> = edges.into_iter().map(|edge| edge.vertices).collect();
        count += edges.len();
        write(&part.name, &points, &edges)?;
    }
    Ok(count)
}
