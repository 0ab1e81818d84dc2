//! Shapes that files describe: free-form patches as JSON, and the solids of a wireframe as OBJ.

use crate::{Failure, load};
use heurt::geometry::Pose;
use heurt::io::{Model, ObjEdges, Part, read_edges_obj};
use heurt::mesh::measures;
use heurt::solid::{PatchError, PatchSet, WireError, WireLimits, Wireframe};
use std::io::{self, Write};
use std::path::Path;

/// Makes the mesh of the patches of a file, within a distance in metres, and notes on standard error what was made. The
/// note has the distance after the mesh is scaled to `volume`, in cubic metres.
pub(super) fn patches(path: &Path, tolerance: f64, volume: Option<f64>) -> Result<Model, Failure> {
    let refused = |source: PatchError| Failure::BadPatches { path: path.to_owned(), source: Box::new(source) };
    let bytes = load::read_bytes(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let surface = PatchSet::from_json(&text).and_then(|set| set.tessellate(tolerance)).map_err(refused)?;
    let [least, most] = surface.segments;
    let scale = volume.zip(measures(&surface.mesh).volume).map_or(1.0, |(volume, own)| (volume / own.abs()).cbrt());
    // A note for people: a closed standard error is no failure.
    let _ = writeln!(
        io::stderr(),
        "within {:.2e} m of the patches, {least} to {most} segments along a piece",
        scale * surface.deviation
    );
    Ok(Model::from_mesh("patches", surface.mesh))
}

/// Makes all solids with the edges of a file, each a part; a model without parts if there is none.
pub(super) fn wire_solids(path: &Path, limits: WireLimits) -> Result<Model, Failure> {
    let bytes = load::read_bytes(path)?;
    let unreadable = |source| Failure::BadFile { path: path.to_owned(), source };
    let ObjEdges { vertices, edges, vertex_numbers, sources } = read_edges_obj(&bytes).map_err(unreadable)?;
    let refused = |error: WireError| match error {
        WireError::EdgesMeet { first, second } => {
            Failure::EdgesMeet { path: path.to_owned(), first: sources[first], second: sources[second] }
        }
        WireError::Vertex { vertex, position } => {
            Failure::FarVertex { path: path.to_owned(), number: vertex_numbers[vertex], position }
        }
        other => Failure::BadWireframe { path: path.to_owned(), source: Box::new(other) },
    };
    let wireframe = Wireframe::new(vertices, edges).map_err(refused)?;
    let mut model = Model::default();
    for (number, solid) in wireframe.solids(limits).map_err(refused)?.iter().enumerate() {
        let mesh = wireframe.mesh(solid).map_err(|error| refused(error.into()))?;
        model.parts.push(Part::new(format!("solid {}", number + 1), number, Pose::IDENTITY));
        model.meshes.push(mesh);
    }
    Ok(model)
}
