//! 3MF: one mesh object per mesh and colour, one build item per part, in a ZIP package.
//!
//! In: a [`Model`]. Out: a package of three members; the same bytes for the same model.
//! Method: 3MF Core Specification 1.3. A mesh that one part has becomes an object with the name of that part. A mesh
//! that several parts share becomes an object without a name, and each of these parts an object of one component, so
//! that every instance keeps its name. Colours become base materials, each mesh object has at most one.
//! Guarantees: coordinates and poses read back to the same bits as `f64`; so do the unit, the names and the colours. A
//! model without a unit is written in millimetres, as the format cannot leave the unit open. Triangles that name a
//! vertex twice are written, though the specification forbids them: nothing is dropped.
//! Cost: O(size); memory for the packed bytes.

use super::zip::{Packer, ZipWriter};
use super::{WriteError, check, one_line};
use crate::{Format, LengthUnit, Model};
use heurt_geometry::Pose;
use heurt_mesh::TriMesh;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufWriter, Write};

const CONTENT_TYPES: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8"?>"#,
    "\n",
    r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">"#,
    r#"<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#,
    r#"<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>"#,
    "</Types>\n",
);
const RELATIONSHIPS: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8"?>"#,
    "\n",
    r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
    r#"<Relationship Id="rel0" Target="/3D/3dmodel.model" "#,
    r#"Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>"#,
    "</Relationships>\n",
);
const NAMESPACE: &str = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02";

/// The id of the group of base materials, if there is one; objects follow.
const MATERIALS: u32 = 1;

/// The mesh and the colour of an object.
type Key = (usize, Option<[u8; 4]>);

/// Writes a 3MF package: the unit of the model, or millimetres if it has none; names, poses and colours of the parts.
///
/// # Errors
/// [`WriteError`] when there is no part, a part names no mesh, the file would exceed 4 GiB, or the sink refuses bytes.
pub fn write_3mf(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
    check(model)?;
    let mut archive = ZipWriter::default();
    archive.add_text("[Content_Types].xml", CONTENT_TYPES, Format::ThreeMf)?;
    archive.add_text("_rels/.rels", RELATIONSHIPS, Format::ThreeMf)?;
    let mut packer = BufWriter::new(Packer::new());
    write_model(model, &mut packer)?;
    let packer = packer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    archive.add("3D/3dmodel.model", packer, Format::ThreeMf)?;
    archive.finish(Format::ThreeMf, out)
}

fn write_model(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
    let unit = unit_name(model.unit.unwrap_or(LengthUnit::Millimetre));
    write!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model xmlns=\"{NAMESPACE}\" unit=\"{unit}\" ")?;
    write!(out, "xml:lang=\"en-US\">\n<metadata name=\"Application\">heurt</metadata>\n<resources>\n")?;
    let colours = colours_of(model);
    write_materials(&colours, out)?;
    let mut uses: BTreeMap<Key, u32> = BTreeMap::new();
    for part in &model.parts {
        *uses.entry((part.mesh, part.colour)).or_default() += 1;
    }
    let mut next = MATERIALS + 1;
    let mut take_id = || {
        next += 1;
        next - 1
    };
    // The object of each mesh that is shared.
    let mut shared: BTreeMap<Key, u32> = BTreeMap::new();
    let mut items = Vec::with_capacity(model.parts.len());
    for part in &model.parts {
        let (key, mesh) = ((part.mesh, part.colour), &model.meshes[part.mesh]);
        let colour = part.colour.and_then(|colour| colours.get(&colour)).copied();
        let id = if uses[&key] == 1 {
            let id = take_id();
            write_mesh(mesh, id, &part.name, colour, out)?;
            id
        } else {
            let mesh_id = match shared.get(&key) {
                Some(&id) => id,
                None => {
                    let id = take_id();
                    write_mesh(mesh, id, "", colour, out)?;
                    shared.insert(key, id);
                    id
                }
            };
            let id = take_id();
            let name = name_attribute(&part.name);
            writeln!(
                out,
                "<object id=\"{id}\"{name}><components><component objectid=\"{mesh_id}\"/></components></object>"
            )?;
            id
        };
        items.push(id);
    }
    write!(out, "</resources>\n<build>\n")?;
    for (id, part) in items.iter().zip(&model.parts) {
        writeln!(out, "<item objectid=\"{id}\"{}/>", transform_attribute(&part.pose))?;
    }
    write!(out, "</build>\n</model>\n")?;
    Ok(out.flush()?)
}

/// Numbers the colours of the parts in order of first use.
fn colours_of(model: &Model) -> BTreeMap<[u8; 4], usize> {
    let mut colours = BTreeMap::new();
    for colour in model.parts.iter().filter_map(|part| part.colour) {
        let next = colours.len();
        colours.entry(colour).or_insert(next);
    }
    colours
}

fn write_materials(colours: &BTreeMap<[u8; 4], usize>, out: &mut dyn Write) -> Result<(), WriteError> {
    if colours.is_empty() {
        return Ok(());
    }
    let mut in_order: Vec<_> = colours.iter().map(|(colour, index)| (index, colour)).collect();
    in_order.sort_unstable();
    writeln!(out, "<basematerials id=\"{MATERIALS}\">")?;
    for (index, [red, green, blue, opacity]) in in_order {
        let name = index + 1;
        write!(out, "<base name=\"colour {name}\" displaycolor=\"#{red:02X}{green:02X}{blue:02X}{opacity:02X}\"/>")?;
    }
    writeln!(out, "</basematerials>")?;
    Ok(())
}

fn write_mesh(
    mesh: &TriMesh,
    id: u32,
    name: &str,
    colour: Option<usize>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    write!(out, "<object id=\"{id}\"{}", name_attribute(name))?;
    if let Some(colour) = colour {
        write!(out, " pid=\"{MATERIALS}\" pindex=\"{colour}\"")?;
    }
    write!(out, "><mesh>\n<vertices>\n")?;
    for vertex in mesh.vertices() {
        let [x, y, z] = vertex.to_array().map(Shortest);
        writeln!(out, "<vertex x=\"{x}\" y=\"{y}\" z=\"{z}\"/>")?;
    }
    write!(out, "</vertices>\n<triangles>\n")?;
    for [a, b, c] in mesh.triangles() {
        writeln!(out, "<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>")?;
    }
    write!(out, "</triangles>\n</mesh></object>\n")?;
    Ok(())
}

/// Returns the attribute with a name; nothing for an empty one.
fn name_attribute(name: &str) -> String {
    let name = one_line(name);
    if name.is_empty() {
        return String::new();
    }
    let mut attribute = " name=\"".to_owned();
    for letter in name.chars() {
        match letter {
            '&' => attribute.push_str("&amp;"),
            '<' => attribute.push_str("&lt;"),
            '>' => attribute.push_str("&gt;"),
            '"' => attribute.push_str("&quot;"),
            // XML cannot hold these two.
            '\u{fffe}' | '\u{ffff}' => attribute.push('_'),
            letter => attribute.push(letter),
        }
    }
    attribute.push('"');
    attribute
}

/// Returns the attribute with a pose: rows of a matrix for row vectors, which are the images of the axes, then the
/// translation.
fn transform_attribute(pose: &Pose) -> String {
    if pose.is_identity() {
        return String::new();
    }
    let rotation = pose.rotation();
    let mut attribute = " transform=\"".to_owned();
    for (number, row) in [rotation.x_axis, rotation.y_axis, rotation.z_axis, pose.translation()].iter().enumerate() {
        let [x, y, z] = row.to_array().map(Shortest);
        let blank = if number == 0 { "" } else { " " };
        // A `String` takes every byte.
        let _ = write!(attribute, "{blank}{x} {y} {z}");
    }
    attribute.push('"');
    attribute
}

fn unit_name(unit: LengthUnit) -> &'static str {
    match unit {
        LengthUnit::Micrometre => "micron",
        LengthUnit::Millimetre => "millimeter",
        LengthUnit::Centimetre => "centimeter",
        LengthUnit::Inch => "inch",
        LengthUnit::Foot => "foot",
        LengthUnit::Metre => "meter",
    }
}

/// A number in the fewest digits that give it back, without a point where it is whole.
struct Shortest(f64);

impl std::fmt::Display for Shortest {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Below 1e15 the digits of a whole number are at most as many as those with an exponent.
        if self.0.fract() == 0.0 && self.0.abs() < 1e15 {
            write!(out, "{}", self.0)
        } else {
            write!(out, "{:?}", self.0)
        }
    }
}
