//! What every method gets, and what it gives.
//!
//! Objects are numbered: the organs, the instrument, the soft bodies. A step's vertices of the soft bodies are worked out
//! beforehand, for a simulation hands them over; placing the vertices of the instrument is each method's own work.

use heurt_geometry::{Aabb, Pose, Triangle, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::Surgery;

/// Two faces that meet, of the object with the lesser number first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Both objects.
    pub objects: [u32; 2],
    /// A face of each.
    pub faces: [u32; 2],
}

/// What is known at a step.
pub struct Moment {
    /// Where the instrument is.
    pub instrument: Pose,
    /// The vertices of each soft body.
    pub soft: Vec<Vec<Vec3>>,
}

/// The objects, and where they are at each step.
pub struct Scene {
    /// Organs with their poses.
    pub organs: Vec<(TriMesh, Pose)>,
    /// The instrument.
    pub instrument: TriMesh,
    /// The soft bodies as they are at the first step.
    pub soft: Vec<TriMesh>,
    /// The steps.
    pub moments: Vec<Moment>,
    /// Whether soft bodies are held against each other.
    pub mutual: bool,
}

impl Scene {
    /// A field with all steps of its round: half a gigabyte of vertices for four bodies with a hundred times the faces.
    pub fn new(refinement: u32, soft: u32, mutual: bool) -> Self {
        let field = Surgery::new(refinement, soft).expect("legal numbers");
        let assembly = field.organs();
        let organs = assembly.parts.iter().map(|part| (assembly.meshes[part.mesh].clone(), part.pose)).collect();
        let moment = |step| Moment {
            instrument: field.instrument_pose(step),
            soft: (0..soft as usize).map(|body| field.deformed(body, step)).collect(),
        };
        Self {
            organs,
            instrument: field.instrument().clone(),
            soft: field.soft().to_vec(),
            moments: (0..Surgery::ROUND).map(moment).collect(),
            mutual,
        }
    }

    /// The number of the instrument.
    pub fn instrument_id(&self) -> u32 {
        self.organs.len() as u32
    }

    /// The number of a soft body.
    pub fn soft_id(&self, body: usize) -> u32 {
        self.instrument_id() + 1 + body as u32
    }

    /// The organs' faces in the world, organ by organ.
    pub fn placed_organs(&self) -> Vec<Vec<Triangle>> {
        self.organs.iter().map(|(mesh, pose)| placed(mesh, pose)).collect()
    }

    /// The box of all objects over all steps.
    pub fn bounds(&self) -> Aabb {
        let organs = self.placed_organs().into_iter().flatten().flatten();
        self.reach().union(Aabb::from_points(organs))
    }

    /// The box of what moves, over all steps.
    pub fn reach(&self) -> Aabb {
        let of = |moment: &Moment| {
            let instrument = self.instrument.vertices().iter().map(|&v| moment.instrument.place(v));
            Aabb::from_points(instrument.chain(moment.soft.iter().flatten().copied()))
        };
        self.moments.iter().map(of).fold(Aabb::EMPTY, Aabb::union)
    }
}

/// The faces of a placed mesh.
pub fn placed(mesh: &TriMesh, pose: &Pose) -> Vec<Triangle> {
    let vertices: Vec<Vec3> = mesh.vertices().iter().map(|&vertex| pose.place(vertex)).collect();
    mesh.triangles().iter().map(|&face| corners(&vertices, face)).collect()
}

/// The corners of a face.
#[inline(always)]
pub fn corners(vertices: &[Vec3], face: [u32; 3]) -> Triangle {
    face.map(|index| vertices[index as usize])
}

/// A way to find all pairs of faces that meet.
pub trait Method {
    /// Takes the step: whatever has to be done before pairs can be asked for.
    fn update(&mut self, moment: &Moment);
    /// Finds the pairs, in any order.
    fn detect(&mut self, moment: &Moment, found: &mut Vec<Hit>);
}
