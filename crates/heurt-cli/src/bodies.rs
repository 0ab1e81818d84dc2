//! Bodies of a file: each part is cut into one part for each solid, for example for an STL file that holds an assembly.
//!
//! In: a model and the rule of welding seams. Out: the model with a mesh for each body, instances kept.
//! Method: each mesh is made solid to find its connected bodies ([`Bodies`]); the mesh as it was read is cut, so that
//! each body is welded by its own size later.

use heurt::io::{Model, Part};
use heurt::mesh::{Bodies, Polygons, SolidifyError, TriMesh, Weld, solidify};
use rayon::prelude::*;

/// The bodies of a mesh.
type BodyCut = Vec<(TriMesh, Option<Polygons>)>;

/// Cuts each mesh of a model into bodies; a part of several bodies becomes `part/body 1`, `part/body 2`, …
///
/// # Errors
/// [`SolidifyError`] if a tolerance of welding is refused; gives the part.
pub(crate) fn split_bodies(model: Model, weld: Weld) -> Result<Model, (String, SolidifyError)> {
    let Model { meshes, parts, mut polygons, unit, up, warnings } = model;
    polygons.resize(meshes.len(), None);
    let cut: Vec<Result<BodyCut, SolidifyError>> = meshes
        .into_par_iter()
        .zip(polygons)
        .map(|(mesh, polygons)| {
            let solid = solidify(mesh.clone(), weld)?;
            let bodies = Bodies::of(&solid.mesh);
            Ok(if bodies.len() == 1 { vec![(mesh, polygons)] } else { bodies.cut(&mesh, polygons.as_ref()) })
        })
        .collect();
    // The bodies of a mesh are consecutive.
    let (mut starts, mut model) = (vec![0], Model { unit, up, warnings, ..Model::default() });
    for (mesh, cut) in cut.into_iter().enumerate() {
        let cut = cut.map_err(|error| (name_of(&parts, mesh), error))?;
        for (mesh, polygons) in cut {
            model.meshes.push(mesh);
            model.polygons.push(polygons);
        }
        starts.push(model.meshes.len());
    }
    for part in parts {
        let bodies = starts[part.mesh]..starts[part.mesh + 1];
        let count = bodies.len();
        model.parts.extend(bodies.zip(1..).map(|(mesh, number)| {
            let name = match (count, part.name.as_str()) {
                (1, name) => name.to_owned(),
                (_, "") => format!("body {number}"),
                (_, name) => format!("{name}/body {number}"),
            };
            Part { name, mesh, ..part }
        }));
    }
    Ok(model)
}

/// Returns the name of the first part that has a mesh.
fn name_of(parts: &[Part], mesh: usize) -> String {
    parts.iter().find(|part| part.mesh == mesh).map_or_else(String::new, |part| part.name.clone())
}
