//! Model: the meshes of a file, and parts that place them.
//!
//! Instances of one shape are parts with the same mesh index, so that a tree over the mesh is built once.

use crate::read::weld::Welder;
use crate::{LengthUnit, ReadError, UpAxis, Warning};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{BoundaryFaces, MeshError, Polygons, TriMesh};
use std::collections::{BTreeMap, BTreeSet};

/// Named parts over shared meshes: an assembly, or one part alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    /// The meshes, each in its own frame, in [`Model::unit`].
    pub meshes: Vec<TriMesh>,
    /// The parts, in file order; every `mesh` is an index into `meshes`.
    pub parts: Vec<Part>,
    /// By mesh, the polygons from which its triangles were cut; `None` for a mesh of triangles. May be shorter than
    /// `meshes`.
    pub polygons: Vec<Option<Polygons>>,
    /// The unit of all coordinates; `None` if the file does not declare one.
    pub unit: Option<LengthUnit>,
    /// The axis that points up, where the format or the file declares one; coordinates are those of the file.
    pub up: Option<UpAxis>,
    /// Contents that the reader ignored, one entry a kind, in the order in which the kinds were found.
    pub warnings: Vec<Warning>,
}

/// The readable part of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartialModel {
    /// The complete parts; there may be none.
    pub model: Model,
    /// The faulty parts, in file order.
    pub failures: Vec<PartFailure>,
}

/// A part that could not be read.
#[derive(Debug, Clone, PartialEq)]
pub struct PartFailure {
    /// The name in the file.
    pub part: String,
    /// The error.
    pub error: ReadError,
}

/// One placed mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The name in the file, unique in the model; empty if the file gives none (then use the name of the file). In glTF
    /// the path of named nodes from the root, separated by `/`.
    pub name: String,
    /// Index into [`Model::meshes`].
    pub mesh: usize,
    /// The pose of the mesh in the frame of the file. The mesh is scaled already.
    pub pose: Pose,
    /// Red, green, blue and opacity (sRGB, 255 is full), if the part has a single colour.
    pub colour: Option<[u8; 4]>,
}

impl Part {
    /// Returns a part without a colour.
    pub fn new(name: impl Into<String>, mesh: usize, pose: Pose) -> Self {
        Self { name: name.into(), mesh, pose, colour: None }
    }
}

/// The sine of the angle up to which two directions are parallel: the rounding of rotations in text files.
const PARALLEL: f64 = 1e-6;

impl Model {
    /// Makes a model of a single part, placed by its coordinates alone.
    pub fn from_mesh(name: impl Into<String>, mesh: TriMesh) -> Self {
        Self { meshes: vec![mesh], parts: vec![Part::new(name, 0, Pose::IDENTITY)], ..Self::default() }
    }

    /// Counts the triangles of all parts, instances included.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(|part| self.meshes[part.mesh].triangles().len()).sum()
    }

    /// Finds, by mesh, the direction up in the frame of the mesh, as its parts are placed; z is up in a file that
    /// declares no axis. `None` where the directions of two parts are not parallel. Opposite directions are parallel:
    /// the first one counts.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Pose, Vec3};
    /// use heurt_io::{Format, read};
    /// let mut model = read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj)?;
    /// assert_eq!(model.directions_up(), [Some(Vec3::Z)]);
    /// let quarter = Mat3::from_axis_angle(Vec3::X, 0.5 * std::f64::consts::PI);
    /// model.parts[0].pose = Pose::from_matrix(quarter, Vec3::ZERO)?;
    /// let up = model.directions_up()[0].ok_or("there is one part")?;
    /// assert!((up - Vec3::Y).length() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn directions_up(&self) -> Vec<Option<Vec3>> {
        let up = match self.up {
            Some(UpAxis::X) => Vec3::X,
            Some(UpAxis::Y) => Vec3::Y,
            Some(UpAxis::Z) | None => Vec3::Z,
        };
        let mut first: Vec<Option<Vec3>> = vec![None; self.meshes.len()];
        let mut has_one = vec![true; self.meshes.len()];
        for part in &self.parts {
            let up = part.pose.rotation().transpose() * up;
            let first = first[part.mesh].get_or_insert(up);
            has_one[part.mesh] &= first.cross(up).length() <= PARALLEL;
        }
        first.into_iter().zip(has_one).map(|(first, has_one)| Some(first.unwrap_or(up)).filter(|_| has_one)).collect()
    }

    /// Places every part and joins them into one mesh, in part order.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_io::{Format, Part, read};
    /// let mut model = read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj)?;
    /// // A second instance of the same mesh.
    /// model.parts.push(Part::new("copy", 0, Pose::from_translation(Vec3::Z)?));
    /// let mesh = model.flattened()?;
    /// assert_eq!((mesh.triangles().len(), mesh.vertices()[3]), (2, Vec3::Z));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError`] when there is no part, when a placed coordinate overflows, or when the sum is too large for a
    /// mesh.
    pub fn flattened(&self) -> Result<TriMesh, MeshError> {
        if let [part] = self.parts.as_slice()
            && part.pose.is_identity()
        {
            return Ok(self.meshes[part.mesh].clone());
        }
        let vertex_count: usize = self.parts.iter().map(|part| self.meshes[part.mesh].vertices().len()).sum();
        if vertex_count > u32::MAX as usize {
            return Err(MeshError::TooLarge { what: "vertices", count: vertex_count, max: u32::MAX as usize });
        }
        let mut vertices = Vec::with_capacity(vertex_count);
        let mut triangles = Vec::with_capacity(self.triangle_count());
        for part in &self.parts {
            let (mesh, base) = (&self.meshes[part.mesh], vertices.len() as u32);
            if part.pose.is_identity() {
                vertices.extend_from_slice(mesh.vertices());
            } else {
                vertices.extend(mesh.vertices().iter().map(|&vertex| part.pose.place(vertex)));
            }
            triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|corner| corner + base)));
        }
        TriMesh::new(vertices, triangles)
    }

    /// Places every part and joins their faces: the polygons as the file has them, else triangles. Vertices of one
    /// part at equal coordinates become one; parts share none.
    ///
    /// ```
    /// use heurt_io::{Format, read};
    /// let model = read(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", Format::Obj)?;
    /// let (vertices, faces) = model.placed_faces()?;
    /// assert_eq!((vertices.len(), faces.ends), (4, vec![4]), "one square");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError`] when a placed coordinate overflows, or when the sum is too large for a mesh.
    pub fn placed_faces(&self) -> Result<(Vec<Vec3>, BoundaryFaces), MeshError> {
        let (mut vertices, mut faces) = (Vec::new(), BoundaryFaces::default());
        for part in &self.parts {
            let mesh = &self.meshes[part.mesh];
            let mut welder = Welder::with_capacity(mesh.vertices().len());
            let mut numbers = Vec::with_capacity(mesh.vertices().len());
            for (vertex, &point) in mesh.vertices().iter().enumerate() {
                let position = if part.pose.is_identity() { point } else { part.pose.place(point) };
                if !position.is_finite() {
                    return Err(MeshError::NotFinite { vertex, position });
                }
                numbers.push(vertices.len() as u32 + welder.vertex(position));
            }
            vertices.extend(welder.into_vertices());
            if vertices.len() > u32::MAX as usize {
                let (count, max) = (vertices.len(), u32::MAX as usize);
                return Err(MeshError::TooLarge { what: "vertices", count, max });
            }
            let mut push = |corners: &[u32]| {
                faces.corners.extend(corners.iter().map(|&corner| numbers[corner as usize]));
                faces.ends.push(faces.corners.len());
            };
            match self.polygons.get(part.mesh).and_then(Option::as_ref) {
                Some(polygons) => (0..polygons.len()).for_each(|polygon| push(polygons.corners(polygon))),
                None => mesh.triangles().iter().for_each(|corners| push(corners)),
            }
        }
        Ok((vertices, faces))
    }
}

/// Appends a number to the second and further parts of equal names: `name`, `name#2`, `name#3`; in part order.
pub(crate) fn make_names_unique(parts: &mut [Part]) {
    let mut taken: BTreeSet<String> = parts.iter().map(|part| part.name.clone()).collect();
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    for part in parts {
        let count = next.entry(part.name.clone()).or_insert(1);
        if *count == 1 {
            *count = 2;
            continue;
        }
        // `taken` holds every name of the file, so that a number never collides with a later name.
        let numbered = std::iter::successors(Some(*count), |count| Some(count + 1))
            .map(|number| (number, format!("{}#{number}", part.name)))
            .find(|(_, name)| !taken.contains(name));
        if let Some((number, name)) = numbered {
            *count = number + 1;
            taken.insert(name.clone());
            part.name = name;
        }
    }
}
