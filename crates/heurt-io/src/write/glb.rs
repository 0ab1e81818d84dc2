//! glTF: one mesh per mesh, one node per part, instances shared.
//!
//! Positions are rounded to `f32`, as the format wants; poses are `f64` in the JSON and read back to the same bits.

use super::{WriteError, check, one_line, to_f32};
use crate::{Format, Model};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heurt_geometry::{Mat3, Pose};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Writes a GLB file: meshes shared by their instances, one node per part.
///
/// # Errors
/// [`WriteError`] when a coordinate overflows an `f32`, the file would exceed 4 GiB, or the sink refuses bytes.
pub fn write_glb(model: &Model, out: &mut impl Write) -> Result<(), WriteError> {
    let mut binary = Vec::new();
    let mut json = document(model, Format::Glb, &mut binary, None)?.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = 12 + 8 + json.len() as u64 + 8 + binary.len() as u64;
    check_length(length, Format::Glb)?;
    out.write_all(b"glTF")?;
    for word in [2, length as u32, json.len() as u32] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    out.write_all(&(binary.len() as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    out.write_all(&binary)?;
    Ok(out.flush()?)
}

/// Writes a glTF file with its buffer embedded as base64.
///
/// # Errors
/// [`WriteError`] when a coordinate overflows an `f32`, the buffer would exceed 4 GiB, or the sink refuses bytes.
pub fn write_gltf(model: &Model, out: &mut impl Write) -> Result<(), WriteError> {
    let mut binary = Vec::new();
    let encode: Encode = |bytes| format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(bytes));
    let json = document(model, Format::Gltf, &mut binary, Some(encode))?;
    out.write_all(json.to_string().as_bytes())?;
    Ok(out.flush()?)
}

fn check_length(count: u64, format: Format) -> Result<(), WriteError> {
    let max = u64::from(u32::MAX);
    if count > max { Err(WriteError::TooLarge { format, what: "bytes", count, max }) } else { Ok(()) }
}

/// Makes a URI of a buffer.
type Encode = fn(&[u8]) -> String;

/// Makes the document and fills the buffer that it describes.
fn document(model: &Model, format: Format, binary: &mut Vec<u8>, uri: Option<Encode>) -> Result<Value, WriteError> {
    check(model)?;
    let (mut views, mut accessors, mut meshes) = (Vec::new(), Vec::new(), Vec::new());
    for mesh in &model.meshes {
        let start = binary.len();
        let (mut least, mut greatest) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for (vertex, &point) in mesh.vertices().iter().enumerate() {
            let point = to_f32(point, format, vertex)?;
            for axis in 0..3 {
                least[axis] = least[axis].min(point[axis]);
                greatest[axis] = greatest[axis].max(point[axis]);
                binary.extend_from_slice(&point[axis].to_le_bytes());
            }
        }
        let middle = binary.len();
        for corner in mesh.triangles().iter().flatten() {
            binary.extend_from_slice(&corner.to_le_bytes());
        }
        check_length(binary.len() as u64, format)?;
        views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": middle - start, "target": 34962}));
        views.push(json!({"buffer": 0, "byteOffset": middle, "byteLength": binary.len() - middle, "target": 34963}));
        meshes.push(
            json!({"primitives": [{"attributes": {"POSITION": accessors.len()}, "indices": accessors.len() + 1}]}),
        );
        accessors.push(json!({"bufferView": views.len() - 2, "componentType": 5126, "type": "VEC3",
            "count": mesh.vertices().len(), "min": least, "max": greatest}));
        accessors.push(json!({"bufferView": views.len() - 1, "componentType": 5125, "type": "SCALAR",
            "count": 3 * mesh.triangles().len()}));
    }
    let nodes: Vec<Value> = model.parts.iter().map(|part| node(&part.name, part.mesh, &part.pose)).collect();
    let roots: Vec<usize> = (0..nodes.len()).collect();
    let mut buffer = Map::new();
    buffer.insert("byteLength".to_owned(), binary.len().into());
    if let Some(uri) = uri {
        buffer.insert("uri".to_owned(), uri(binary).into());
    }
    Ok(json!({"asset": {"version": "2.0", "generator": "heurt"}, "scene": 0, "scenes": [{"nodes": roots}],
        "nodes": nodes, "meshes": meshes, "accessors": accessors, "bufferViews": views, "buffers": [buffer]}))
}

/// A node at `pose`: as a matrix, which keeps the rotation bit for bit.
fn node(name: &str, mesh: usize, pose: &Pose) -> Value {
    let mut node = Map::new();
    node.insert("mesh".to_owned(), mesh.into());
    if !name.is_empty() {
        node.insert("name".to_owned(), one_line(name).into());
    }
    let (t, r) = (pose.translation(), pose.rotation());
    if *r != Mat3::IDENTITY {
        let [x, y, z] = [r.x_axis, r.y_axis, r.z_axis];
        let matrix = [x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0];
        node.insert("matrix".to_owned(), json!(matrix));
    } else if !pose.is_identity() {
        node.insert("translation".to_owned(), json!(t.to_array()));
    }
    Value::Object(node)
}
