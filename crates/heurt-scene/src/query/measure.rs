//! Measures of a single shape: area, volume, inertia, and its faults.

use super::answer::{Body, beyond};
use crate::describe::display::{matrix_rows, point_row};
use crate::describe::fields::FieldError;
use crate::describe::resolved_shape::ResolvedShape;
use heurt_geometry::{Mat3, Pose};
use heurt_mesh::{Fault, KindCount, Measures, Severity, TriMesh};
use heurt_shape::{Compound, MassError, MeshShape, Part, ShapeRef};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct MeasureJson {
    area: f64,
    volume: Option<f64>,
    /// Bounds on the errors of area and volume, for a solid whose shells overlap: parts of its boundary are computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    area_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume_error: Option<f64>,
    centroid: Option<[f64; 3]>,
    inertia: Option<[[f64; 3]; 3]>,
    /// `open`, `inconsistent`, `self-intersecting`, `solid` or `convex`; for a mesh only.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    closed: bool,
    manifold: bool,
    oriented: bool,
    convex: bool,
    components: usize,
    euler: i64,
    genus: Option<u64>,
    /// Number of faults, by kind; for a mesh only.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault_counts: Option<Vec<CountJson>>,
    faults: Vec<FaultJson>,
    /// Present if the list of faults is cut short, as docs/cli.md states.
    #[serde(skip_serializing_if = "is_true")]
    complete: bool,
}

fn is_true(value: &bool) -> bool {
    *value
}

/// Number of triangles and vertices of one fault that are listed: a shell can have millions.
const MAX_ELEMENTS: usize = 100;

/// A fault: its kind, in words, its place, and its elements.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultJson {
    kind: &'static str,
    message: String,
    /// Centre and box.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#where: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<[[f64; 3]; 2]>,
    /// The first triangles and vertices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    triangles: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vertices: Vec<u32>,
    /// The number of triangles if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    triangle_count: Option<usize>,
    /// The length of the border of a hole.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    /// Its severity for printing.
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
}

impl FaultJson {
    /// Describes a fault of a mesh.
    pub fn new(fault: &Fault, mesh: &TriMesh) -> Self {
        let (place, mut triangles, mut vertices) = (fault.place(mesh), fault.triangles(), fault.vertices());
        let triangle_count = Some(triangles.len()).filter(|&count| count > MAX_ELEMENTS);
        triangles.truncate(MAX_ELEMENTS);
        vertices.truncate(MAX_ELEMENTS);
        let length = match fault {
            Fault::Hole { length, .. } => Some(*length),
            _ => None,
        };
        Self {
            kind: fault.kind(),
            message: fault.to_string(),
            r#where: Some(point_row(place.centre)),
            region: Some([point_row(place.bounds.min), point_row(place.bounds.max)]),
            triangles,
            vertices,
            triangle_count,
            length,
            severity: None,
        }
    }

    /// Adds the severity of the fault for printing.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self { severity: Some(severity.name()), ..self }
    }
}

/// The number of faults of a kind.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountJson {
    kind: &'static str,
    count: usize,
    listed: usize,
    /// True if counting stopped: there are more.
    #[serde(skip_serializing_if = "is_false")]
    has_more: bool,
    /// The severity of the worst of them for printing.
    severity: &'static str,
}

impl From<&KindCount> for CountJson {
    fn from(count: &KindCount) -> Self {
        let KindCount { kind, count, listed, has_more, severity, .. } = *count;
        Self { kind, count, listed, has_more, severity: severity.name() }
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// Computes area, volume, inertia and faults of a shape.
pub(super) fn measure(a: &ResolvedShape, limit: usize) -> Result<Body, FieldError> {
    match a.any()? {
        (ShapeRef::Mesh(mesh), pose) => measure_mesh(mesh, pose, limit),
        (ShapeRef::Convex(convex), pose) => measured(convex.measures(), pose, Vec::new(), true),
        (ShapeRef::Compound(compound), pose) => measured(compound.measures(), pose, shared(compound), false),
        (ShapeRef::Rounded(rounded), pose) => {
            let is_convex = heurt_mesh::check(rounded.mesh().mesh()).class == heurt_mesh::Class::Convex;
            measured(rounded.measures(), pose, Vec::new(), is_convex)
        }
        (ShapeRef::Superquadric(exact), pose) => measured(exact.measures(), pose, Vec::new(), false),
    }
}

/// Number of faults of a compound that are listed.
const MAX_SHARED: usize = 1000;

/// Lists the parts of a compound that overlap or touch: their common volume counts twice.
fn shared(compound: &Compound) -> Vec<FaultJson> {
    let parts = compound.parts();
    let reach = |part: &Part| {
        let bounds = part.shape.bounds();
        (part.pose.place(bounds.centre()), bounds.half_extents().length() * (1.0 + 1e-5))
    };
    let spheres: Vec<_> = parts.iter().map(reach).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&i, &j| (spheres[i].0.x - spheres[i].1).total_cmp(&(spheres[j].0.x - spheres[j].1)));
    let mut pairs = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        let end = spheres[i].0.x + spheres[i].1;
        for &j in order[k + 1..].iter().take_while(|&&j| spheres[j].0.x - spheres[j].1 <= end) {
            let (x, y) = (&parts[i], &parts[j]);
            let is_near = (spheres[i].0 - spheres[j].0).length() <= spheres[i].1 + spheres[j].1;
            if is_near && heurt_query::overlap(&x.shape, &x.pose, &y.shape, &y.pose).is_some() {
                pairs.push([i.min(j), i.max(j)]);
            }
        }
        if pairs.len() > MAX_SHARED {
            break;
        }
    }
    pairs.sort_unstable();
    let fault = |[i, j]: [usize; 2]| FaultJson {
        kind: "shared-space",
        message: format!("parts {i} and {j} overlap or touch: what they share counts twice"),
        r#where: None,
        region: None,
        triangles: Vec::new(),
        vertices: Vec::new(),
        triangle_count: None,
        length: None,
        severity: None,
    };
    pairs.into_iter().map(fault).collect()
}

/// Returns the answer for shapes without triangles of their own.
fn measured(
    measures: Result<Measures, MassError>,
    pose: &Pose,
    faults: Vec<FaultJson>,
    convex: bool,
) -> Result<Body, FieldError> {
    let measures = measures.map_err(|error| FieldError::refused("a", "the shape", error))?;
    if !measures.are_finite() {
        return Err(beyond("a", "the shape".to_owned(), "its area, volume or inertia"));
    }
    let turned = |inertia: Mat3| *pose.rotation() * inertia * pose.rotation().transpose();
    Ok(Body::Measure(Box::new(MeasureJson {
        area: measures.area,
        volume: measures.volume,
        area_error: None,
        volume_error: None,
        centroid: measures.centroid.map(|centroid| point_row(pose.place(centroid))),
        inertia: measures.inertia.map(|inertia| matrix_rows(turned(inertia))),
        class: None,
        closed: measures.volume.is_some(),
        manifold: measures.genus.is_some(),
        oriented: measures.genus.is_some(),
        convex,
        components: measures.components,
        euler: measures.euler,
        genus: measures.genus,
        complete: faults.len() <= MAX_SHARED,
        fault_counts: None,
        faults,
    })))
}

fn measure_mesh(shape: &MeshShape, pose: &Pose, limit: usize) -> Result<Body, FieldError> {
    let mesh = shape.mesh().transformed(pose);
    let mesh = mesh.map_err(|error| FieldError::refused("pose_a", "the pose", error))?;
    let topology = heurt_mesh::Topology::new(&mesh);
    let report = heurt_mesh::check_over(
        &topology,
        &heurt_mesh::CheckOptions { max_faults: limit, ..heurt_mesh::CheckOptions::default() },
    );
    let measures = heurt_mesh::measures_over(&topology);
    if !measures.are_finite() {
        return Err(beyond("a", "the shape".to_owned(), "its area, volume or inertia"));
    }
    let mut answer = MeasureJson {
        area: measures.area,
        volume: measures.volume,
        area_error: None,
        volume_error: None,
        centroid: measures.centroid.map(point_row),
        inertia: measures.inertia.map(matrix_rows),
        class: Some(report.class.to_string()),
        closed: report.closed,
        manifold: report.manifold,
        oriented: report.oriented,
        convex: report.class == heurt_mesh::Class::Convex,
        components: measures.components,
        euler: measures.euler,
        genus: measures.genus,
        faults: report.faults.iter().map(|fault| FaultJson::new(fault, &mesh)).collect(),
        complete: report.complete,
        fault_counts: Some(report.counts.iter().map(CountJson::from).collect()),
    };
    if heurt_query::has_inner_faces(shape) {
        measure_boundary(&mesh, &mut answer)?;
    }
    Ok(Body::Measure(Box::new(answer)))
}

/// Replaces the measures of a solid whose shells overlap by the measures of its boundary: volume common to shells
/// counts once.
fn measure_boundary(mesh: &TriMesh, answer: &mut MeasureJson) -> Result<(), FieldError> {
    let solid = MeshShape::new(mesh.clone()).map_err(|error| FieldError::refused("a", "the shape", error))?;
    // Shells that cancel bound no volume: the plain measures of their surface stay.
    let Some(measured) = heurt_query::solid_measures(&solid).filter(|measured| measured.volume != 0.0) else {
        return Ok(());
    };
    (answer.area, answer.area_error) = (measured.area, Some(measured.area_error));
    (answer.volume, answer.volume_error) = (Some(measured.volume), Some(measured.volume_error));
    answer.centroid = measured.centroid.map(point_row);
    answer.inertia = measured.inertia.map(matrix_rows);
    Ok(())
}
