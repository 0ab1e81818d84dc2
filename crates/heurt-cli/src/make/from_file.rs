//! Shapes that files describe: free-form patches as JSON, and the solids of a wireframe as OBJ.

use crate::{Failure, load};
use heurt::geometry::Pose;
use heurt::io::{Model, Part, read_edges_obj};
use heurt::solid::{PatchError, PatchSet, WireError, WireLimits, Wireframe};
use std::path::Path;

/// Makes the mesh of the patches of a file, within a distance in metres.
pub(super) fn patches(path: &Path, tolerance: f64) -> Result<Model, Failure> {
    let refused = |source: PatchError| Failure::BadPatches { path: path.to_owned(), source: Box::new(source) };
    let bytes = load::read_bytes(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let surface = PatchSet::from_json(&text).and_then(|set| set.tessellate(tolerance)).map_err(refused)?;
    Ok(Model::from_mesh("patches", surface.mesh))
}

/// Makes all solids with the edges of a file, each a part; a model without parts if there is none.
pub(super) fn wire_solids(path: &Path, limit: usize) -> Result<Model, Failure> {
    let refused = |source: WireError| Failure::BadWireframe { path: path.to_owned(), source: Box::new(source) };
    let bytes = load::read_bytes(path)?;
    let unreadable = |source| Failure::BadFile { path: path.to_owned(), source };
    let (vertices, edges) = read_edges_obj(&bytes).map_err(unreadable)?;
    let wireframe = Wireframe::new(vertices, edges).map_err(refused)?;
    let limits = WireLimits { solids: limit, ..WireLimits::default() };
    let mut model = Model::default();
    for (number, solid) in wireframe.solids(limits).map_err(refused)?.iter().enumerate() {
        let mesh = wireframe.mesh(solid).map_err(|error| refused(error.into()))?;
        model.parts.push(Part::new(format!("solid {}", number + 1), number, Pose::IDENTITY));
        model.meshes.push(mesh);
    }
    Ok(model)
}
