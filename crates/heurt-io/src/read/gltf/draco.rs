//! Decoder of primitives compressed by `KHR_draco_mesh_compression`, through the crate `draco-core`.
//!
//! In: the view of the compressed data and the Draco identifier of the positions. Out: positions and triangles in the
//! order of the stream. Guarantees: what a stream may decode to is limited by the budget of the file. The crate forbids
//! unsafe code and checks its input; the tests and the fuzz targets of glTF mutate its streams.

use super::Budget;
use super::buffers::Buffers;
use super::schema::Draco;
use crate::read::budget::{TRIANGLE, VERTEX};
use crate::{Place, ReadError, error::quoted};
use draco_core::{DecodeLimits, DecoderBuffer, GeometryAttributeType, Mesh, MeshDecoder};
use heurt_geometry::Vec3;

/// Bytes of a word of the budget.
const WORD: u64 = 4;

/// Decodes positions and triangles.
pub(super) fn decode(
    draco: &Draco,
    buffers: &mut Buffers<'_>,
    budget: &mut Budget,
    place: &impl Fn() -> Place,
) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), ReadError> {
    let Some(position) = draco.attributes.position else {
        return Err(ReadError::syntax(place(), b"", "an attribute POSITION"));
    };
    let left = budget.left();
    let limits = DecodeLimits::default()
        .with_max_points(left / VERTEX)
        .with_max_faces(left / TRIANGLE)
        .with_max_decoded_bytes(left.saturating_mul(WORD));
    let bytes = buffers.view(draco.buffer_view, budget)?.1;
    let mut mesh = Mesh::new();
    let decoded = MeshDecoder::new().decode(&mut DecoderBuffer::new(bytes).with_limits(limits), &mut mesh);
    decoded.map_err(|error| ReadError::Unsupported {
        place: place(),
        what: format!("Draco data ({})", quoted(error.to_string().as_bytes())),
        remedy: "export the file again, or without compression",
    })?;
    let attribute = mesh.attribute_by_unique_id(position).filter(|attribute| {
        attribute.num_components() == 3 && attribute.attribute_type() == GeometryAttributeType::Position
    });
    let Some(attribute) = attribute else {
        let found = format!("attribute {position}");
        return Err(ReadError::syntax(place(), found.as_bytes(), "the identifier of positions in the Draco data"));
    };
    let (points, faces) = (mesh.num_points(), mesh.num_faces());
    let words = VERTEX.saturating_mul(points as u64).saturating_add(TRIANGLE.saturating_mul(faces as u64));
    budget.take(words, place)?;
    let values = attribute.read_f32s(points, 3);
    let points: Vec<Vec3> =
        values.as_chunks::<3>().0.iter().map(|point| Vec3::from_array(point.map(f64::from))).collect();
    if let Some(at) = points.iter().position(|point| !point.is_finite()) {
        return Err(ReadError::NotFinite { place: place(), value: points[at].to_string() });
    }
    Ok((points, mesh.faces().iter().map(|face| face.map(|corner| corner.0)).collect()))
}
