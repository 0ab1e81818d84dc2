//! Description of a scene for the page: bodies, layers, and each mesh once.

use heurt::geometry::Aabb;
use heurt::shape::Shape;
use heurt::view::wire::mesh_bytes;
use heurt::view::{Surface, SurfaceOptions, surface_of};
use serde::Serialize;
use std::collections::BTreeMap;

/// `scene.json`.
#[derive(Debug, Serialize)]
pub(crate) struct SceneJson {
    pub(crate) protocol: u32,
    pub(crate) mode: &'static str,
    pub(crate) title: String,
    pub(crate) unit: &'static str,
    pub(crate) read_only: bool,
    pub(crate) control: Option<Vec<String>>,
    pub(crate) step: f64,
    pub(crate) steps: Option<u64>,
    pub(crate) up: [f64; 3],
    pub(crate) bounds: BoundsJson,
    pub(crate) stages: Vec<&'static str>,
    pub(crate) meshes: usize,
    pub(crate) bodies: Vec<SceneBodyJson>,
    pub(crate) layers: Vec<LayerJson>,
    /// The scale of section `TINT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tint: Option<TintJson>,
}

/// A scale of colours for bodies.
#[derive(Debug, Serialize)]
pub(crate) struct TintJson {
    pub(crate) label: &'static str,
    /// The meaning of the lower and of the upper end.
    pub(crate) low: &'static str,
    pub(crate) high: &'static str,
    /// Colours at equal distances, from low to high.
    pub(crate) colours: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct BoundsJson {
    min: [f64; 3],
    max: [f64; 3],
}

impl BoundsJson {
    /// Returns the bounds of a box; a cube of 2 m for an empty or infinite one, so that the page can frame it.
    pub(crate) fn of(bounds: &Aabb) -> Self {
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let is_finite = min.iter().chain(&max).all(|coordinate| coordinate.is_finite());
        if is_finite && !bounds.is_empty() { Self { min, max } } else { Self { min: [-1.0; 3], max: [1.0; 3] } }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct SceneBodyJson {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) mesh: Option<usize>,
    pub(crate) shape: &'static str,
    pub(crate) mass: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) colour: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct LayerJson {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    /// The kinds of meaning that the layer draws.
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    pub(crate) kinds: &'static [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) levels: Option<u32>,
    /// Whether it is shown at the start.
    pub(crate) on: bool,
}

/// The meshes of a scene; bodies of one shape share a mesh.
#[derive(Debug, Default)]
pub(crate) struct SceneMeshes {
    known: BTreeMap<usize, Option<usize>>,
    meshes: Vec<Vec<u8>>,
}

impl SceneMeshes {
    /// Returns the number of the mesh of a shape; `None` if it has no surface.
    pub(crate) fn add_shape(&mut self, shape: &Shape, options: &SurfaceOptions) -> Option<usize> {
        let address = shape.address();
        if let Some(known) = self.known.get(&address) {
            return *known;
        }
        let mesh = self.add(&surface_of(shape, options));
        self.known.insert(address, mesh);
        mesh
    }

    /// Adds a surface.
    pub(crate) fn add(&mut self, surface: &Surface) -> Option<usize> {
        if surface.is_empty() {
            return None;
        }
        self.meshes.push(mesh_bytes(surface));
        Some(self.meshes.len() - 1)
    }

    /// Returns the bytes of all meshes.
    pub(crate) fn into_bytes(self) -> Vec<Vec<u8>> {
        self.meshes
    }

    /// Returns the number of meshes.
    pub(crate) fn len(&self) -> usize {
        self.meshes.len()
    }
}
