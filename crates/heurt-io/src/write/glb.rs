//! glTF: one mesh per mesh and colour, one node per part, instances shared.
//!
//! In: a model. Out: a document and its buffer. Positions are rounded to `f32`, as the format requires; poses are `f64`
//! in the JSON and read back to the same bits. A colour becomes a material; meshes that differ in colour only share
//! their accessors. A model in another unit than the metre is placed below a root node that scales it to metres.

use super::{WriteError, check, one_line, to_f32};
use crate::{Format, LengthUnit, Model};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heurt_geometry::{Mat3, Pose};
use heurt_mesh::TriMesh;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;

/// The name of this crate in the files that it writes.
pub(crate) const GENERATOR: &str = "heurt";

/// Writes a GLB file: meshes shared by their instances, one node per part, a material per colour.
///
/// Coordinates are rounded to `f32`. A model in another unit than the metre is scaled to metres by a root node.
///
/// # Errors
/// [`WriteError`] when a coordinate overflows an `f32`, the file would exceed 4 GiB, or the sink refuses bytes.
pub fn write_glb(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
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
pub fn write_gltf(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
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
    let mut tables = Tables::default();
    // A mesh of the file for each mesh of the model and each colour that its parts have.
    let mut variants: BTreeMap<usize, Vec<Option<[u8; 4]>>> = BTreeMap::new();
    for part in &model.parts {
        let colours = variants.entry(part.mesh).or_default();
        if !colours.contains(&part.colour) {
            colours.push(part.colour);
        }
    }
    let mut mesh_of = BTreeMap::new();
    for (&mesh, colours) in &variants {
        let primitive = tables.add_accessors(&model.meshes[mesh], format, binary)?;
        for &colour in colours {
            mesh_of.insert((mesh, colour), tables.meshes.len());
            tables.add_mesh(primitive, colour);
        }
    }
    let mut nodes: Vec<Value> = Vec::with_capacity(model.parts.len() + 1);
    for part in &model.parts {
        let mesh = mesh_of.get(&(part.mesh, part.colour)).copied().unwrap_or(0);
        nodes.push(node(&part.name, mesh, &part.pose));
    }
    let mut roots: Vec<usize> = (0..nodes.len()).collect();
    // glTF is in metres.
    if let Some(unit) = model.unit.filter(|unit| *unit != LengthUnit::Metre) {
        let children = std::mem::replace(&mut roots, vec![nodes.len()]);
        let scale = [unit.metres(); 3];
        nodes.push(json!({"scale": scale, "children": children}));
    }
    let mut buffer = Map::new();
    buffer.insert("byteLength".to_owned(), binary.len().into());
    if let Some(uri) = uri {
        buffer.insert("uri".to_owned(), uri(binary).into());
    }
    let Tables { views, accessors, meshes, materials, .. } = tables;
    let mut document = json!({"asset": {"version": "2.0", "generator": GENERATOR}, "scene": 0,
        "scenes": [{"nodes": roots}], "nodes": nodes, "meshes": meshes, "accessors": accessors, "bufferViews": views,
        "buffers": [buffer]});
    if !materials.is_empty() {
        document["materials"] = materials.into();
    }
    Ok(document)
}

/// The lists of a document.
#[derive(Default)]
struct Tables {
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    material_of: BTreeMap<[u8; 4], usize>,
}

impl Tables {
    /// Appends positions and corners of a mesh to the buffer. Returns the number of its first accessor.
    fn add_accessors(&mut self, mesh: &TriMesh, format: Format, binary: &mut Vec<u8>) -> Result<usize, WriteError> {
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
        let (views, accessors) = (&mut self.views, &mut self.accessors);
        views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": middle - start, "target": 34962}));
        views.push(json!({"buffer": 0, "byteOffset": middle, "byteLength": binary.len() - middle, "target": 34963}));
        accessors.push(json!({"bufferView": views.len() - 2, "componentType": 5126, "type": "VEC3",
            "count": mesh.vertices().len(), "min": least, "max": greatest}));
        accessors.push(json!({"bufferView": views.len() - 1, "componentType": 5125, "type": "SCALAR",
            "count": 3 * mesh.triangles().len()}));
        Ok(accessors.len() - 2)
    }

    /// Adds a mesh of one primitive, with a material if it has a colour.
    fn add_mesh(&mut self, accessor: usize, colour: Option<[u8; 4]>) {
        let mut primitive = json!({"attributes": {"POSITION": accessor}, "indices": accessor + 1});
        if let Some(colour) = colour {
            let materials = &mut self.materials;
            let material = *self.material_of.entry(colour).or_insert_with(|| {
                materials.push(material(colour));
                materials.len() - 1
            });
            primitive["material"] = material.into();
        }
        self.meshes.push(json!({"primitives": [primitive]}));
    }
}

/// Makes a dull material of an sRGB colour, visible from both sides.
fn material([red, green, blue, opacity]: [u8; 4]) -> Value {
    // Six decimals are finer than 8 bits, also near black, where a step is 0.0003.
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let [red, green, blue] = [red, green, blue].map(|channel| rounded(linear(channel)));
    let mut material = json!({
        "pbrMetallicRoughness": {
            "baseColorFactor": [red, green, blue, rounded(f64::from(opacity) / 255.0)],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.8
        },
        "doubleSided": true
    });
    if opacity < 255 {
        material["alphaMode"] = "BLEND".into();
    }
    material
}

/// Returns the linear intensity of a channel of sRGB (IEC 61966-2-1).
fn linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
}

/// Makes a node at `pose`: as a matrix, which keeps the rotation bit for bit.
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
