//! Shapes ready for queries: the data that does not depend on a pose, shared by requests, and a shape in its pose.
//!
//! Guarantees: a hull is spanned by its placed points; its surface in triangles is made only if a query needs it, since
//! two convex shapes do not.

use super::fields::FieldError;
use crate::describe::mesh_with_trees::{LoadedTrees, MeshWithTrees, Workers};
use crate::describe::pose::reaches_finitely;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{AnyTree, Convex, Hull, MeshShape, Shape, ShapeRef, TreeChoice};
use std::sync::{Arc, OnceLock};

/// Cause in the message for shapes that leave the range of numbers.
pub const TOO_FAR: &str = "placed by its pose it leaves the range of f64: move it nearer to the origin";

/// A shape in its own frame.
#[derive(Clone)]
pub enum Resolved {
    /// A surface in triangles; `convex` is the same as a convex shape, for a single triangle.
    Mesh { built: Arc<MeshWithTrees>, convex: Option<Convex> },
    /// The hull of points, which are placed first.
    Hull { points: Vec<Vec3>, convex: Convex },
    /// A convex shape that is more than the hull of its corners.
    Convex(Convex),
    /// A compound, a mesh with a margin, or a superquadric by its exact surface.
    General(Shape),
}

impl Resolved {
    /// Returns whether the inside of the shape is decided exactly.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Mesh { built, convex: None } => built.shape.is_exact(),
            Self::General(shape) => ShapeRef::from(shape).is_exact(),
            Self::Mesh { convex: Some(_), .. } | Self::Hull { .. } | Self::Convex(_) => true,
        }
    }

    /// Returns the shape in the form for use within another one.
    pub fn to_shape(&self) -> Shape {
        match self {
            Self::Mesh { convex: Some(convex), .. } | Self::Hull { convex, .. } | Self::Convex(convex) => {
                convex.clone().into()
            }
            Self::Mesh { built, convex: None } => Shape::Mesh(Arc::clone(&built.shape)),
            Self::General(shape) => shape.clone(),
        }
    }
}

/// A shape in its pose.
pub struct ResolvedShape {
    field: String,
    resolved: Arc<Resolved>,
    pose: Pose,
    /// The surface of a hull, placed.
    surface: OnceLock<LoadedTrees>,
    workers: Arc<Workers>,
}

impl ResolvedShape {
    /// Places a shape; `field` is its path in the request.
    pub fn new(
        field: &str,
        described: &str,
        resolved: Arc<Resolved>,
        pose: Pose,
        workers: &Arc<Workers>,
    ) -> Result<Self, FieldError> {
        let (field, surface, workers) = (field.to_owned(), OnceLock::new(), Arc::clone(workers));
        let ready = Self { field, resolved, pose, surface, workers };
        match ready.is_finite_at(&pose) {
            true => Ok(ready),
            false => Err(FieldError::refused(&ready.field, described, TOO_FAR)),
        }
    }

    /// Reports whether every point of the shape stays finite when it is placed.
    pub fn is_finite_at(&self, pose: &Pose) -> bool {
        match &*self.resolved {
            Resolved::Mesh { built, .. } => reaches_finitely(pose, built.shape.bounds()),
            Resolved::Hull { convex, .. } => reaches_finitely(pose, &convex.bounds()),
            Resolved::Convex(convex) => {
                let bounds = convex.bounds();
                !bounds.min.is_finite() || reaches_finitely(pose, &bounds)
            }
            Resolved::General(shape) => reaches_finitely(pose, &shape.bounds()),
        }
    }

    /// Reports whether the shape is one primitive, independent of its triangles.
    pub fn is_primitive(&self) -> bool {
        !matches!(&*self.resolved, Resolved::Mesh { convex: None, .. } | Resolved::General(_))
    }

    /// Returns the surface in triangles, for queries that need one.
    pub fn mesh(&self, what: &str) -> Result<&MeshShape, FieldError> {
        let kind = match &*self.resolved {
            Resolved::Mesh { built, .. } => return Ok(&built.shape),
            Resolved::Hull { points, .. } => return self.hull_surface(points).map(|built| &*built.shape),
            Resolved::General(Shape::Superquadric(_)) => "superquadric without `segments`",
            Resolved::General(_) => "compound or a mesh with a margin",
            Resolved::Convex(_) => "curved or rounded shape",
        };
        Err(FieldError::not_available(&self.field, format!("{what} of a {kind}")))
    }

    /// Returns the pose of the surface that [`ResolvedShape::mesh`] returns: the surface of a hull is placed already.
    pub fn mesh_pose(&self) -> &Pose {
        if matches!(&*self.resolved, Resolved::Hull { .. }) { &Pose::IDENTITY } else { &self.pose }
    }

    fn hull_surface(&self, points: &[Vec3]) -> Result<&Arc<MeshWithTrees>, FieldError> {
        let made = self.surface.get_or_init(|| hull(points, &self.pose));
        made.as_ref().map_err(|cause| FieldError::refused(&self.field, "the hull", cause))
    }

    /// Returns the shape and its pose, if it is convex by its description.
    pub fn convex(&self) -> Option<(&Convex, &Pose)> {
        match &*self.resolved {
            Resolved::Mesh { convex, .. } => convex.as_ref().map(|convex| (convex, &self.pose)),
            Resolved::Hull { convex, .. } | Resolved::Convex(convex) => Some((convex, &self.pose)),
            Resolved::General(_) => None,
        }
    }

    /// Returns the shape and its pose: its surface, if it has one.
    pub fn any(&self) -> Result<(ShapeRef<'_>, &Pose), FieldError> {
        Ok(match &*self.resolved {
            Resolved::Mesh { built, .. } => ((&built.shape).into(), &self.pose),
            Resolved::Hull { points, .. } => ((&self.hull_surface(points)?.shape).into(), &Pose::IDENTITY),
            Resolved::Convex(convex) => (convex.into(), &self.pose),
            Resolved::General(shape) => (shape.into(), &self.pose),
        })
    }

    /// Returns the shape and its pose, as it is described.
    pub fn described(&self) -> (ShapeRef<'_>, &Pose) {
        match &*self.resolved {
            Resolved::Mesh { built, convex: None } => ((&built.shape).into(), &self.pose),
            Resolved::Mesh { convex: Some(convex), .. } | Resolved::Hull { convex, .. } | Resolved::Convex(convex) => {
                (convex.into(), &self.pose)
            }
            Resolved::General(shape) => (shape.into(), &self.pose),
        }
    }

    /// Returns its tree of a chosen kind.
    pub fn tree(&self, choice: TreeChoice) -> Result<Arc<AnyTree>, FieldError> {
        let built = match &*self.resolved {
            Resolved::Mesh { built, .. } => built,
            Resolved::Hull { points, .. } => self.hull_surface(points)?,
            _ => return self.mesh("a tree").map(|_| unreachable!("only meshes and hulls have a surface")),
        };
        let tree = built.tree(choice, &self.workers);
        tree.map_err(|cause| FieldError::refused(&self.field, "the shape", cause))
    }

    /// Returns the placed triangles of its surface, numbered.
    pub fn triangles<'a>(&'a self, shape: &'a MeshShape) -> impl Iterator<Item = (u32, [Vec3; 3])> + 'a {
        let (mesh, pose) = (shape.mesh(), self.mesh_pose());
        let placed = move |triangle: u32| mesh.corners(triangle).map(|corner| pose.place(corner));
        (0..mesh.triangles().len() as u32).map(move |triangle| (triangle, placed(triangle)))
    }

    /// Returns the number of the primitive that `triangle` belongs to.
    pub fn primitive(&self, triangle: u32) -> u32 {
        if self.is_primitive() { 0 } else { triangle }
    }
}

/// Computes the hull of the placed points.
fn hull(points: &[Vec3], pose: &Pose) -> LoadedTrees {
    let placed: Vec<Vec3> = match pose.is_identity() {
        true => points.to_vec(),
        false => points.iter().map(|&point| pose.place(point)).collect(),
    };
    if placed.iter().any(|point| !point.is_finite()) {
        return Err(TOO_FAR.to_owned());
    }
    let hull = Hull::new(&placed).map_err(|error| error.to_string())?;
    Ok(Arc::new(MeshWithTrees::new(hull.into_surface())))
}
