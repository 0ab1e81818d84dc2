//! Shapes as requests describe them: every field checked, nothing read or built yet.
//!
//! In: the JSON that docs/cli.md describes. Out: [`ShapeRequest`].

use super::csg::{self, CsgRequest};
use super::fields::{self, FieldError, Fields};
use super::shape_cache::SharedShape;
use crate::describe::pose::read_pose;
use heurt_geometry::{Pose, Vec3};
use heurt_io::LengthUnit;
use heurt_mesh::Weld;
use heurt_mesh::generate::{Superellipsoid, Supertoroid};
use heurt_shape::{Convex, ConvexError, Superquadric};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every `type` of shape and its fields.
const TYPES: [(&str, &[&str]); 19] = [
    ("sphere", &["radius"]),
    ("box", &["half"]),
    ("capsule", &["radius", "half_height"]),
    ("cylinder", &["radius", "half_height"]),
    ("cone", &["radius", "half_height"]),
    ("ellipsoid", &["radii"]),
    ("half_space", &["normal", "offset"]),
    ("point", &[]),
    ("segment", &["points"]),
    ("triangle", &["points"]),
    ("hull", &["points"]),
    ("mesh", &["path", "vertices", "triangles", "scale", "unit", "weld", "part", "solid"]),
    ("superellipsoid", &["radii", "n1", "n2", "segments"]),
    ("supertoroid", &["r0", "r1", "n1", "n2", "segments"]),
    ("heightfield", &["origin", "spacing", "heights"]),
    ("compound", &["parts"]),
    ("csg", &["tree", "tolerance"]),
    ("polyhedron", &["planes"]),
    ("shape", &["name"]),
];

/// Largest depth of nested shapes.
pub const MAX_NESTED: u32 = 32;

/// A mesh in a file and the settings of reading it.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshSource {
    pub path: PathBuf,
    /// The part of that name alone; `None` takes all parts as one mesh.
    pub part: Option<String>,
    /// Factors along the axes.
    pub scale: Vec3,
    /// The unit of the coordinates, in place of the file's declared unit.
    pub unit: Option<LengthUnit>,
    pub weld: Weld,
    pub solid: Option<Solid>,
}

impl MeshSource {
    /// Returns a key that is the same for sources that give the same shape.
    pub fn key(&self) -> String {
        format!("{self:?}")
    }

    /// Returns the tolerance of welding, for messages.
    pub fn weld_text(&self) -> String {
        match self.weld {
            Weld::Auto => "auto".to_owned(),
            Weld::None => "0".to_owned(),
            Weld::Within(length) => format!("{length:?}"),
        }
    }
}

/// The value of `solid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solid {
    No,
    Yes,
    /// By the generalised winding number, not exact.
    Winding,
}

/// A shape that was requested.
#[derive(Debug, Clone)]
pub enum ShapeRequest {
    /// A mesh in a file.
    File(MeshSource),
    /// A mesh in the request.
    Inline { vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>, scale: Vec3, solid: Option<Solid> },
    /// A shape that an earlier line has named.
    Named(String),
    /// A named shape after its name was resolved.
    Shared(Arc<SharedShape>),
    /// One triangle.
    Triangle([Vec3; 3]),
    /// A convex shape that is more than the hull of its corners.
    Convex(Convex),
    /// The hull of points, which are placed first.
    Hull(Vec<Vec3>),
    /// The closed mesh of a superellipsoid.
    Superellipsoid { radii: [f64; 3], n1: f64, n2: f64, segments: u32 },
    /// The closed mesh of a supertoroid.
    Supertoroid { r0: f64, r1: f64, n1: f64, n2: f64, segments: u32 },
    /// The exact solid of a supertoroid, or of a superellipsoid that is not convex.
    Superquadric(Superquadric),
    /// The open surface over a grid.
    HeightField { origin: [f64; 2], spacing: [f64; 2], heights: Vec<Vec<f64>> },
    /// Several shapes as one, each in its pose.
    Compound(Vec<(ShapeRequest, Pose)>),
    /// All points within a margin of a shape that is not convex.
    Rounded(Box<ShapeRequest>, f64),
    /// The closed mesh of a tree of set operations.
    Csg(CsgRequest),
}

impl ShapeRequest {
    /// Makes paths relative to `folder`.
    pub fn below(self, folder: &Path) -> Self {
        match self {
            Self::File(source) => Self::File(MeshSource { path: folder.join(source.path), ..source }),
            Self::Compound(parts) => {
                Self::Compound(parts.into_iter().map(|(shape, pose)| (shape.below(folder), pose)).collect())
            }
            Self::Rounded(core, margin) => Self::Rounded(Box::new(core.below(folder)), margin),
            Self::Csg(tree) => Self::Csg(tree.below(folder)),
            other => other,
        }
    }

    /// Returns the same request for another mesh file; `None` if this is not a request for one.
    pub fn with_file(&self, file: &str) -> Option<Self> {
        match self {
            Self::File(source) => Some(Self::File(MeshSource { path: file.into(), ..source.clone() })),
            _ => None,
        }
    }

    /// Returns the depth of nested shapes, including shapes that names represent.
    pub fn depth(&self) -> u32 {
        match self {
            Self::Compound(parts) => 1 + parts.iter().map(|(shape, _)| shape.depth()).max().unwrap_or(0),
            Self::Rounded(core, _) => 1 + core.depth(),
            Self::Csg(tree) => 1 + tree.leaves.iter().map(Self::depth).max().unwrap_or(0),
            Self::Shared(shared) => shared.depth,
            _ => 0,
        }
    }

    /// Counts the shapes that are not compounds, including shapes that names represent.
    pub fn leaves(&self) -> u64 {
        match self {
            Self::Compound(parts) => parts.iter().fold(0, |sum, (shape, _)| sum.saturating_add(shape.leaves())),
            Self::Rounded(core, _) => core.leaves(),
            Self::Csg(tree) => tree.leaves.iter().fold(1, |sum, leaf| sum.saturating_add(leaf.leaves())),
            Self::Shared(shared) => shared.leaves,
            _ => 1,
        }
    }

    /// Reports whether the shape, or one within it, is named.
    pub fn has_names(&self) -> bool {
        match self {
            Self::Named(_) => true,
            Self::Compound(parts) => parts.iter().any(|(shape, _)| shape.has_names()),
            Self::Rounded(core, _) => core.has_names(),
            Self::Csg(tree) => tree.leaves.iter().any(Self::has_names),
            _ => false,
        }
    }

    /// Replaces names by the shapes that they represent; the error is the name that represents none.
    pub fn with_names(&self, find: &dyn Fn(&str) -> Option<Arc<SharedShape>>) -> Result<Self, String> {
        Ok(match self {
            Self::Named(name) => Self::Shared(find(name).ok_or_else(|| name.clone())?),
            Self::Compound(parts) => {
                let bind = |(shape, pose): &(Self, Pose)| Ok((shape.with_names(find)?, *pose));
                Self::Compound(parts.iter().map(bind).collect::<Result<_, String>>()?)
            }
            Self::Rounded(core, margin) => Self::Rounded(Box::new(core.with_names(find)?), *margin),
            Self::Csg(tree) => {
                let leaves = tree.leaves.iter().map(|leaf| leaf.with_names(find)).collect::<Result<_, _>>()?;
                Self::Csg(tree.with_leaves(leaves))
            }
            other => other.clone(),
        })
    }
}

/// Reads the shape at `path`.
pub fn read_shape(path: &str, value: Value) -> Result<ShapeRequest, FieldError> {
    nested_shape(path, value, 0)
}

/// Reads the shape at `path` within `depth` shapes.
pub(super) fn nested_shape(path: &str, value: Value, depth: u32) -> Result<ShapeRequest, FieldError> {
    if depth > MAX_NESTED {
        return Err(FieldError::wrong(path, &value, format!("a shape nested at most {MAX_NESTED} deep")));
    }
    let mut fields = Fields::open(path, value)?;
    let kind = fields.required("type", "a type of shape", type_name)?;
    let known = TYPES.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, known)| known);
    fields.only(&[known, &["margin"]])?;
    let shape = match kind {
        "mesh" => mesh(&mut fields)?,
        "shape" => ShapeRequest::Named(fields.required("name", "the name of a shape", fields::text)?),
        "polyhedron" => csg::polyhedron(path, &mut fields)?,
        "csg" => csg::tree(&mut fields, depth)?,
        "triangle" | "hull" | "box" | "point" | "segment" => corners(kind, &mut fields)?,
        "superellipsoid" | "supertoroid" => superquadric(kind, &mut fields)?,
        "compound" => compound(&mut fields, depth)?,
        "heightfield" => heightfield(&mut fields)?,
        _ => curved(kind, &mut fields)?,
    };
    match fields.optional("margin", fields::not_negative)? {
        Some(margin) if margin > 0.0 => rounded(path, shape, margin),
        _ => Ok(shape),
    }
}

/// Reads the name of a type; an error lists all types.
fn type_name(path: &str, value: Value) -> Result<&'static str, FieldError> {
    let names = TYPES.map(|(name, _)| name);
    match names.iter().find(|name| value.as_str() == Some(**name)) {
        Some(name) => Ok(name),
        None => fields::word(&names)(path, value),
    }
}

/// Makes the set of all points within `margin` of a shape.
fn rounded(path: &str, shape: ShapeRequest, margin: f64) -> Result<ShapeRequest, FieldError> {
    let convex = match shape {
        ShapeRequest::Hull(points) => Convex::hull(&points),
        ShapeRequest::Triangle(corners) => Convex::triangle(corners),
        ShapeRequest::Convex(convex) => Ok(convex),
        other => return Ok(ShapeRequest::Rounded(Box::new(other), margin)),
    };
    made(path, convex.and_then(|convex| convex.with_margin(margin)))
}

fn made(path: &str, convex: Result<Convex, ConvexError>) -> Result<ShapeRequest, FieldError> {
    convex.map(ShapeRequest::Convex).map_err(|error| FieldError::refused(path, "the shape", error))
}

fn mesh(fields: &mut Fields) -> Result<ShapeRequest, FieldError> {
    let path = fields.optional("path", fields::text)?;
    let vertices = fields.optional("vertices", |path, value| fields::list(path, value, fields::vector))?;
    let triangles = fields.optional("triangles", |path, value| fields::list(path, value, triangle_indices))?;
    let scale = fields.optional("scale", read_scale)?.unwrap_or(Vec3::ONE);
    let solid = fields.optional("solid", solid)?;
    let unit = fields.optional("unit", read_unit)?;
    let weld = fields.optional("weld", weld)?;
    let part = fields.optional("part", fields::text)?;
    match (path, vertices, triangles) {
        (Some(path), None, None) => {
            let weld = weld.unwrap_or(Weld::Auto);
            Ok(ShapeRequest::File(MeshSource { path: path.into(), part, scale, unit, weld, solid }))
        }
        (None, Some(_), Some(_)) if unit.is_some() || weld.is_some() || part.is_some() => {
            let cause = "`unit`, `weld` and `part` go with `path`: leave them out";
            Err(FieldError::refused(&fields.path("vertices"), "given", cause))
        }
        (None, Some(vertices), Some(triangles)) => Ok(ShapeRequest::Inline { vertices, triangles, scale, solid }),
        (Some(path), ..) => {
            let cause = "`path` comes without `vertices` and `triangles`";
            Err(FieldError::refused(&fields.path("path"), path, cause))
        }
        (None, Some(_), None) => Err(missing(fields, "triangles", "a list of [i, j, k]")),
        (None, None, Some(_)) => Err(missing(fields, "vertices", "a list of points")),
        (None, None, None) => Err(missing(fields, "path", "a mesh file, or `vertices` and `triangles`")),
    }
}

/// Reads `true`, `false` or `"winding"`.
fn solid(path: &str, value: Value) -> Result<Solid, FieldError> {
    match &value {
        Value::Bool(true) => Ok(Solid::Yes),
        Value::Bool(false) => Ok(Solid::No),
        Value::String(word) if word == "winding" => Ok(Solid::Winding),
        _ => Err(FieldError::wrong(path, &value, "true, false or \"winding\"")),
    }
}

/// Reads `"auto"` or a tolerance.
fn weld(path: &str, value: Value) -> Result<Weld, FieldError> {
    match &value {
        Value::String(word) if word == "auto" => Ok(Weld::Auto),
        Value::Number(_) => match fields::not_negative(path, value)? {
            0.0 => Ok(Weld::None),
            length => Ok(Weld::Within(length)),
        },
        _ => Err(FieldError::wrong(path, &value, "\"auto\" or a length of at least 0")),
    }
}

fn missing(fields: &Fields, name: &str, expected: &str) -> FieldError {
    FieldError::Missing { field: fields.path(name), expected: expected.to_owned() }
}

fn triangle_indices(path: &str, value: Value) -> Result<[u32; 3], FieldError> {
    let index = |item: &Value| item.as_u64().and_then(|index| u32::try_from(index).ok());
    let indices = value.as_array().filter(|items| items.len() == 3);
    let indices: Option<Vec<u32>> = indices.and_then(|items| items.iter().map(index).collect());
    match indices.as_deref() {
        Some(&[i, j, k]) => Ok([i, j, k]),
        _ => Err(FieldError::wrong(path, &value, "a list of 3 vertex indices")),
    }
}

/// Reads shapes that are spanned by their placed corners.
fn corners(kind: &str, fields: &mut Fields) -> Result<ShapeRequest, FieldError> {
    match kind {
        "triangle" => {
            let points = fields.required("points", "a list of 3 points", fields::points(Some(3)))?;
            Ok(ShapeRequest::Triangle([points[0], points[1], points[2]]))
        }
        "point" => Ok(ShapeRequest::Hull(vec![Vec3::ZERO])),
        "segment" => {
            Ok(ShapeRequest::Hull(fields.required("points", "a list of 2 points", fields::points(Some(2)))?))
        }
        "hull" => Ok(ShapeRequest::Hull(fields.required("points", "a list of points", fields::points(None))?)),
        _ => {
            let half = fields.required("half", "a list of 3 numbers above 0", fields::positive_vector)?;
            let corner = |index: usize| {
                let sign = |axis: usize| if index >> axis & 1 == 1 { half[axis] } else { -half[axis] };
                Vec3::new(sign(0), sign(1), sign(2))
            };
            Ok(ShapeRequest::Hull((0..8).map(corner).collect()))
        }
    }
}

fn superquadric(kind: &'static str, fields: &mut Fields) -> Result<ShapeRequest, FieldError> {
    let is_toroid = kind == "supertoroid";
    let radii = match is_toroid {
        false => fields.required("radii", "a list of 3 numbers above 0", fields::positive_vector)?,
        true => {
            let r0 = fields.required("r0", "the radius of the centre line", fields::positive)?;
            let r1 = fields.required("r1", "the radius of the tube", fields::positive)?;
            if r1 >= r0 {
                return Err(FieldError::wrong(&fields.path("r1"), &r1.into(), format!("less than r0, which is {r0}")));
            }
            [r0, r1, 0.0]
        }
    };
    let n1 = fields.required("n1", "an exponent above 0", fields::positive)?;
    let n2 = fields.required("n2", "an exponent above 0", fields::positive)?;
    let segments = fields.optional("segments", segments)?;
    Ok(match segments {
        None if is_toroid => {
            let made = Supertoroid::new(radii[0], radii[1], n1, n2);
            let exact = made.map_err(|error| FieldError::refused(&fields.path("n1"), "the shape", error))?;
            ShapeRequest::Superquadric(Superquadric::Toroid(exact))
        }
        None if n1 > 2.0 || n2 > 2.0 => {
            let made = Superellipsoid::new(radii, n1, n2);
            let exact = made.map_err(|error| FieldError::refused(&fields.path("n1"), "the shape", error))?;
            ShapeRequest::Superquadric(Superquadric::Ellipsoid(exact))
        }
        None => made(&fields.path("n1"), Convex::superellipsoid(Vec3::from_array(radii), n1, n2))?,
        Some(segments) if is_toroid => ShapeRequest::Supertoroid { r0: radii[0], r1: radii[1], n1, n2, segments },
        Some(segments) => ShapeRequest::Superellipsoid { radii, n1, n2, segments },
    })
}

/// Reads a resolution: 4096 segments are 16 million triangles, which one line of input should not exceed.
fn segments(path: &str, value: Value) -> Result<u32, FieldError> {
    const RANGE: std::ops::RangeInclusive<u64> = 8..=4096;
    match value.as_u64().filter(|count| RANGE.contains(count)) {
        Some(count) => Ok(count as u32),
        None => Err(FieldError::wrong(path, &value, "a whole number from 8 to 4096")),
    }
}

/// Reads a compound.
fn compound(fields: &mut Fields, depth: u32) -> Result<ShapeRequest, FieldError> {
    let part = |path: &str, value: Value| {
        let mut part = Fields::open(path, value)?;
        part.only(&[&["shape", "pose"]])?;
        let shape = part.required("shape", "a shape", |path, value| nested_shape(path, value, depth + 1))?;
        Ok((shape, part.optional("pose", read_pose)?.unwrap_or(Pose::IDENTITY)))
    };
    let parts = fields.required("parts", "a list of parts", |path, value| fields::list(path, value, part))?;
    Ok(ShapeRequest::Compound(parts))
}

/// Reads convex shapes with curved faces, and half-spaces.
fn curved(kind: &str, fields: &mut Fields) -> Result<ShapeRequest, FieldError> {
    const LENGTH: &str = "a number of at least 0";
    let convex = match kind {
        "sphere" => Convex::sphere(fields.required("radius", LENGTH, fields::not_negative)?),
        "ellipsoid" => {
            let radii = fields.required("radii", "a list of 3 numbers above 0", fields::positive_vector)?;
            Convex::ellipsoid(Vec3::from_array(radii))
        }
        "half_space" => {
            let normal = fields.required("normal", "a vector other than 0", direction)?;
            Convex::half_space(normal, fields.required("offset", "a number", fields::number)?)
        }
        _ => {
            let radius = fields.required("radius", LENGTH, fields::not_negative)?;
            let half_height = fields.required("half_height", LENGTH, fields::not_negative)?;
            match kind {
                "capsule" => Convex::capsule(radius, half_height),
                "cylinder" => Convex::cylinder(radius, half_height),
                _ => Convex::cone(radius, half_height),
            }
        }
    };
    made(&fields.path("type"), convex)
}

fn heightfield(fields: &mut Fields) -> Result<ShapeRequest, FieldError> {
    let origin = fields.required("origin", "a list of 2 numbers", fields::numbers::<2>)?;
    let spacing = fields.required("spacing", "a list of 2 numbers above 0", fields::numbers::<2>)?;
    let row = |path: &str, value: Value| fields::list(path, value, fields::number);
    let heights =
        fields.required("heights", "a list of rows of numbers", |path, value| fields::list(path, value, row))?;
    Ok(ShapeRequest::HeightField { origin, spacing, heights })
}

/// Reads a vector that is not zero.
pub fn direction(path: &str, value: Value) -> Result<Vec3, FieldError> {
    match fields::vector(path, value.clone())? {
        vector if vector != Vec3::ZERO => Ok(vector),
        _ => Err(FieldError::wrong(path, &value, "a vector other than 0")),
    }
}

/// Reads the name of a unit.
pub fn read_unit(path: &str, value: Value) -> Result<LengthUnit, FieldError> {
    let symbols = LengthUnit::ALL.map(LengthUnit::symbol);
    let symbol = fields::word(&symbols)(path, value.clone())?;
    LengthUnit::from_symbol(symbol).ok_or_else(|| FieldError::wrong(path, &value, "a unit of length"))
}

/// Reads one factor, or one along each axis; none of them 0.
pub fn read_scale(path: &str, value: Value) -> Result<Vec3, FieldError> {
    let factors = match &value {
        Value::Array(_) => fields::vector(path, value.clone())?,
        _ => Vec3::splat(fields::number(path, value.clone())?),
    };
    match factors.to_array().contains(&0.0) {
        true => Err(FieldError::wrong(path, &value, "a number other than 0, or a list of 3 of these")),
        false => Ok(factors),
    }
}
