//! Shapes as data, behind the feature `serde`: what a constructor takes, and nothing that it computes.
//!
//! In: shapes. Out: their kind and its numbers; of a mesh vertices, triangles and solidity. Trees, a tree that the user
//! chose, topology and hulls are computed again when a shape is read.
//! Guarantees: a shape that is read has passed the constructors: numbers out of range are errors of the format. Meshes
//! and curved shapes come back bit for bit; a hull with the same corners, though maybe in another order.

use crate::{Compound, Convex, Core, MeshShape, Round, RoundedMesh, Shape, Solidity, Superquadric, SuperquadricShape};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{Superellipsoid, Supertoroid};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt::Display;
use std::sync::Arc;

/// The data of a shape.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Shape", rename_all = "snake_case", deny_unknown_fields)]
enum ShapeData {
    Mesh(MeshData),
    RoundedMesh { mesh: MeshData, margin: f64 },
    Convex(ConvexData),
    Superquadric { surface: SuperquadricData, margin: f64 },
    Compound(Vec<PartData>),
}

/// A part of a compound: any shape without parts.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum SimpleData {
    Mesh(MeshData),
    RoundedMesh { mesh: MeshData, margin: f64 },
    Convex(ConvexData),
    Superquadric { surface: SuperquadricData, margin: f64 },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartData {
    shape: SimpleData,
    pose: Pose,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeshData {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    solidity: SolidityData,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SolidityData {
    Surface,
    Solid,
    Winding,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConvexData {
    core: CoreData,
    margin: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum CoreData {
    Hull(Vec<Vec3>),
    Cylinder { radius: f64, half_height: f64 },
    Cone { radius: f64, half_height: f64 },
    Ellipsoid { radii: Vec3 },
    Superellipsoid { radii: Vec3, n1: f64, n2: f64 },
    HalfSpace { normal: Vec3, offset: f64 },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum SuperquadricData {
    Ellipsoid { radii: [f64; 3], n1: f64, n2: f64 },
    Toroid { r0: f64, r1: f64, n1: f64, n2: f64 },
}

impl From<&MeshShape> for MeshData {
    fn from(shape: &MeshShape) -> Self {
        let solidity = match shape.solidity() {
            Solidity::Surface => SolidityData::Surface,
            Solidity::Solid => SolidityData::Solid,
            Solidity::Winding => SolidityData::Winding,
        };
        Self { vertices: shape.mesh().vertices().to_vec(), triangles: shape.mesh().triangles().to_vec(), solidity }
    }
}

impl MeshData {
    fn build<E: Error>(self) -> Result<MeshShape, E> {
        let solidity = match self.solidity {
            SolidityData::Surface => Solidity::Surface,
            SolidityData::Solid => Solidity::Solid,
            SolidityData::Winding => Solidity::Winding,
        };
        let mesh = TriMesh::new(self.vertices, self.triangles).map_err(invalid)?;
        MeshShape::new(mesh).and_then(|shape| shape.with_solidity(solidity)).map_err(invalid)
    }
}

impl From<&Convex> for ConvexData {
    fn from(shape: &Convex) -> Self {
        let core = match *shape.core() {
            Core::Hull(ref hull) => CoreData::Hull(hull.corners().to_vec()),
            Core::Round(Round::Cylinder { radius, half_height }) => CoreData::Cylinder { radius, half_height },
            Core::Round(Round::Cone { radius, half_height }) => CoreData::Cone { radius, half_height },
            Core::Round(Round::Ellipsoid { radii }) => CoreData::Ellipsoid { radii },
            Core::Round(Round::Superellipsoid { radii, n1, n2 }) => CoreData::Superellipsoid { radii, n1, n2 },
            Core::HalfSpace { normal, offset } => CoreData::HalfSpace { normal, offset },
        };
        Self { core, margin: shape.margin() }
    }
}

impl ConvexData {
    fn build<E: Error>(self) -> Result<Convex, E> {
        let core = match self.core {
            CoreData::Hull(points) => Convex::hull(&points),
            CoreData::Cylinder { radius, half_height } => Convex::cylinder(radius, half_height),
            CoreData::Cone { radius, half_height } => Convex::cone(radius, half_height),
            CoreData::Ellipsoid { radii } => Convex::ellipsoid(radii),
            CoreData::Superellipsoid { radii, n1, n2 } => Convex::superellipsoid(radii, n1, n2),
            CoreData::HalfSpace { normal, offset } => Convex::half_space(normal, offset),
        };
        core.and_then(|core| core.with_margin(self.margin)).map_err(invalid)
    }
}

impl From<&Superquadric> for SuperquadricData {
    fn from(surface: &Superquadric) -> Self {
        match surface {
            Superquadric::Ellipsoid(shape) => {
                let [n1, n2] = shape.exponents();
                Self::Ellipsoid { radii: shape.radii().to_array(), n1, n2 }
            }
            Superquadric::Toroid(shape) => {
                let ([r0, r1], [n1, n2]) = (shape.radii(), shape.exponents());
                Self::Toroid { r0, r1, n1, n2 }
            }
        }
    }
}

impl SuperquadricData {
    fn build<E: Error>(self, margin: f64) -> Result<SuperquadricShape, E> {
        let surface = match self {
            Self::Ellipsoid { radii, n1, n2 } => Superellipsoid::new(radii, n1, n2).map(Superquadric::Ellipsoid),
            Self::Toroid { r0, r1, n1, n2 } => Supertoroid::new(r0, r1, n1, n2).map(Superquadric::Toroid),
        };
        SuperquadricShape::from(surface.map_err(invalid)?).with_margin(margin).map_err(invalid)
    }
}

impl SimpleData {
    /// `None` for a compound.
    fn of(shape: &Shape) -> Option<Self> {
        Some(match shape {
            Shape::Mesh(mesh) => Self::Mesh((&**mesh).into()),
            Shape::Rounded(rounded) => Self::RoundedMesh { mesh: (&**rounded.mesh()).into(), margin: rounded.margin() },
            Shape::Convex(convex) => Self::Convex((&**convex).into()),
            Shape::Superquadric(shape) => {
                Self::Superquadric { surface: shape.surface().into(), margin: shape.margin() }
            }
            Shape::Compound(_) => return None,
        })
    }

    fn build<E: Error>(self) -> Result<Shape, E> {
        Ok(match self {
            Self::Mesh(mesh) => Shape::Mesh(Arc::new(mesh.build()?)),
            Self::RoundedMesh { mesh, margin } => {
                Shape::Rounded(Arc::new(RoundedMesh::new(Arc::new(mesh.build()?), margin).map_err(invalid)?))
            }
            Self::Convex(convex) => Shape::Convex(Arc::new(convex.build()?)),
            Self::Superquadric { surface, margin } => Shape::Superquadric(Arc::new(surface.build(margin)?)),
        })
    }
}

fn invalid<E: Error>(error: impl Display) -> E {
    E::custom(error)
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let data = match SimpleData::of(self) {
            Some(SimpleData::Mesh(mesh)) => ShapeData::Mesh(mesh),
            Some(SimpleData::RoundedMesh { mesh, margin }) => ShapeData::RoundedMesh { mesh, margin },
            Some(SimpleData::Convex(convex)) => ShapeData::Convex(convex),
            Some(SimpleData::Superquadric { surface, margin }) => ShapeData::Superquadric { surface, margin },
            None => {
                let Self::Compound(compound) = self else { unreachable!("all else has no parts") };
                // Compounds among the parts were dissolved.
                let part = |part: &crate::Part| Some(PartData { shape: SimpleData::of(&part.shape)?, pose: part.pose });
                ShapeData::Compound(compound.parts().iter().filter_map(part).collect())
            }
        };
        data.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Shape {
    /// Refuses what the constructors refuse.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match ShapeData::deserialize(from)? {
            ShapeData::Mesh(mesh) => SimpleData::Mesh(mesh).build(),
            ShapeData::RoundedMesh { mesh, margin } => SimpleData::RoundedMesh { mesh, margin }.build(),
            ShapeData::Convex(convex) => SimpleData::Convex(convex).build(),
            ShapeData::Superquadric { surface, margin } => SimpleData::Superquadric { surface, margin }.build(),
            ShapeData::Compound(parts) => {
                let part = |part: PartData| Ok((part.shape.build()?, part.pose));
                let parts = parts.into_iter().map(part).collect::<Result<Vec<_>, D::Error>>()?;
                Ok(Self::Compound(Arc::new(Compound::new(parts).map_err(invalid)?)))
            }
        }
    }
}

impl Serialize for Convex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ConvexData::from(self).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Convex {
    /// Refuses what the constructors refuse.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        ConvexData::deserialize(from)?.build()
    }
}

impl Serialize for MeshShape {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        MeshData::from(self).serialize(to)
    }
}

impl<'de> Deserialize<'de> for MeshShape {
    /// Refuses what the constructors refuse.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        MeshData::deserialize(from)?.build()
    }
}
