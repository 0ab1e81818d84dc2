//! Extensions of a glTF document: supported, irrelevant for geometry, and possibly relevant.
//!
//! In: the lists `extensionsUsed` and `extensionsRequired`. Out: an error if the file requires an extension that is
//! neither read nor harmless; a warning that names extensions of this kind that are only used.

use super::schema::Document;
use crate::error::quoted;
use crate::read::warnings::Warnings;
use crate::{Place, ReadError, Treatment, Warning};

/// Extensions that are read, or whose data have a readable fallback.
const READ: [&str; 2] = ["KHR_mesh_quantization", "EXT_mesh_gpu_instancing"];
/// Compression extensions: a file that does not require them holds uncompressed data as well.
const WITH_FALLBACK: [&str; 3] = ["EXT_meshopt_compression", "KHR_meshopt_compression", DRACO];
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";
/// Beginnings of the names of extensions that leave the geometry of the default scene as it is: appearance, light,
/// sound, physics, annotations, and alternative levels of detail.
const HARMLESS: [&str; 28] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_xmp",
    "KHR_animation_",
    "KHR_audio",
    "KHR_environment_map",
    "KHR_interactivity",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_physics_rigid_bodies",
    "KHR_implicit_shapes",
    "KHR_techniques_webgl",
    "KHR_gaussian_splatting",
    "EXT_texture_",
    "EXT_lights_",
    "EXT_materials_",
    "EXT_mesh_features",
    "EXT_instance_features",
    "EXT_structural_metadata",
    "MSFT_texture_",
    "MSFT_packing_",
    "MSFT_lod",
    "ADOBE_materials_",
    "CESIUM_primitive_outline",
    "FB_geometry_metadata",
    "GODOT_single_root",
    "NV_materials_",
];
/// Names that a warning holds at most; a file may list any number.
const MAX_NAMED: usize = 8;

/// Rejects other versions and extensions without which the geometry would be wrong, and warns of possibly relevant
/// ones.
pub(super) fn check(document: &Document<'_>, warnings: &mut Warnings) -> Result<(), ReadError> {
    let version = &document.asset.version;
    if !version.starts_with("2.") {
        let place = Place::Item("asset.version".to_owned());
        return Err(ReadError::syntax(place, version.as_bytes(), "version 2.0"));
    }
    if let Some(name) = document.extensions_required.iter().find(|name| !is_read(name) && !is_harmless(name)) {
        return Err(ReadError::Unsupported {
            place: Place::Item("extensionsRequired".to_owned()),
            what: format!("a model that needs {}", quoted(name.as_bytes())),
            remedy: remedy(name),
        });
    }
    let matters = |name: &&String| !is_read(name) && !is_harmless(name) && !WITH_FALLBACK.contains(&name.as_str());
    let mut used = document.extensions_used.iter().filter(matters);
    let named: Vec<String> = used.by_ref().take(MAX_NAMED).map(|name| quoted(name.as_bytes())).collect();
    if !named.is_empty() {
        let left = used.count();
        let more = if left > 0 { format!(" and {left} more") } else { String::new() };
        warnings.push(Warning {
            what: "extensions that may change the geometry",
            count: (named.len() + left) as u64,
            place: Place::Item("extensionsUsed".to_owned()),
            found: format!("{}{more}", named.join(", ")),
            treatment: Treatment::Ignored,
        });
    }
    Ok(())
}

fn is_read(name: &str) -> bool {
    match name {
        "EXT_meshopt_compression" | "KHR_meshopt_compression" => cfg!(feature = "meshopt"),
        DRACO => cfg!(feature = "draco"),
        _ => READ.contains(&name),
    }
}

fn is_harmless(name: &str) -> bool {
    HARMLESS.iter().any(|harmless| name.starts_with(harmless))
}

/// Returns the remedy for a file that requires an extension.
pub(super) fn remedy(name: &str) -> &'static str {
    match name {
        DRACO => "export it without Draco compression, or build heurt with its feature `draco` (`--features draco`)",
        "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
            "export it without meshopt compression, or build heurt with its feature `meshopt` (`--features meshopt`)"
        }
        _ => "export it without compression and extensions",
    }
}
