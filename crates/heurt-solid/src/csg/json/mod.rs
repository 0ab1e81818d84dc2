//! Trees as JSON and TOML, with the words of `heurt query` for shapes.
//!
//! In: text. Out: a [`Csg`], or an error that names the field and its value; and back.
//! Format: `{"union":[…]}`, `{"intersection":[…]}`, `{"difference":[a, b, …]}`, `{"complement":a}`,
//! `{"at":pose,"of":a}`, `{"matrix":[[3×4]],"of":a}`, `"empty"`, `"everything"`, or a shape with `"type"`. In addition
//! to the shapes of `heurt query` there are `polyhedron` (planes ax + by + cz ≤ d, bounded or not), and `quadric` with
//! `matrix`, `linear` and `constant`, inside where pᵀAp + b·p + c ≤ 0. TOML has the same fields; a tree that is one
//! word has no TOML.
//! Guarantees: numbers survive a round trip bit for bit, shapes as sets: a hull may come back with its corners in
//! another order. Depth is limited by the recursion limit of the JSON parser, 128 levels of brackets.
//! Not guaranteed: files of meshes are not read, as this crate reads no files; `vertices` and `triangles` are. A
//! [`CsgLeafReader`] extends the leaves and poses.

mod fields;
mod read_shape;
mod write;
mod write_shape;

pub use fields::CsgTextError;

use super::{Affine, Csg};
use crate::half_space::{HalfSpace, Quadric, QuadricIntersection};
use fields::{Object, list, numbers, vector};
use heurt_geometry::{Mat3, Pose, Vec3};
use serde_json::Value;

/// The deepest tree that is read: below the limit of the JSON parser, which also counts lists.
const MAX_NESTED: usize = 100;

impl Csg {
    /// Reads a tree from JSON.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::Csg;
    /// let text = r#"{"difference":[{"type":"box","half":[1,1,1]},{"type":"cylinder","radius":0.5,"half_height":2}]}"#;
    /// let drilled = Csg::from_json(text)?;
    /// assert!(!drilled.contains(Vec3::ZERO) && drilled.contains(Vec3::splat(0.9)));
    /// let again = Csg::from_json(&drilled.to_json()?)?;
    /// assert_eq!(again.node_count(), 3);
    /// let error = Csg::from_json(r#"{"union":[{"type":"sphere","radius":-1}]}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("union[0]"));
    /// # Ok::<(), heurt_solid::csg::CsgTextError>(())
    /// ```
    ///
    /// # Errors
    /// The text is no JSON, or a field is missing, unknown or wrong.
    pub fn from_json(text: &str) -> Result<Self, CsgTextError> {
        let value: Value = serde_json::from_str(text).map_err(|error| CsgTextError::Syntax {
            line: error.line(),
            column: error.column(),
            cause: error.to_string(),
        })?;
        read_tree("", &value, 0, &mut PlainLeaves)
    }

    /// Reads the tree at `path` of a JSON document, with a reader of its leaves and poses.
    ///
    /// # Errors
    /// A field is missing, unknown or wrong, or the reader refuses a leaf.
    pub fn from_value_with<R: CsgLeafReader>(path: &str, value: &Value, reader: &mut R) -> Result<Self, R::Error> {
        read_tree(path, value, 0, reader)
    }

    /// Reads a tree from TOML with the fields of JSON.
    ///
    /// ```
    /// use heurt_solid::Csg;
    /// let tree = Csg::from_toml("[[union]]\ntype = \"sphere\"\nradius = 1.0\n[[union]]\ntype = \"point\"\n")?;
    /// assert_eq!(tree.node_count(), 3);
    /// assert_eq!(Csg::from_toml(&tree.to_toml()?)?.node_count(), 3);
    /// # Ok::<(), heurt_solid::csg::CsgTextError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Csg::from_json`].
    pub fn from_toml(text: &str) -> Result<Self, CsgTextError> {
        let value: Value = toml::from_str(text).map_err(|error| {
            let before = &text[..error.span().map_or(0, |span| span.start.min(text.len()))];
            let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
            CsgTextError::Syntax { line: before.matches('\n').count() + 1, column, cause: error.message().to_owned() }
        })?;
        read_tree("", &value, 0, &mut PlainLeaves)
    }
}

/// Reads the leaves and the poses of a tree in JSON. A program that reads files gives its own reader to
/// [`Csg::from_value_with`]; [`Csg::from_json`] and [`Csg::from_toml`] read no files.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::Convex;
/// use heurt_solid::csg::{Csg, CsgLeafReader, CsgTextError};
/// /// Leaves are numbers, the radii of balls, and poses are heights.
/// struct Balls;
/// impl CsgLeafReader for Balls {
///     type Error = CsgTextError;
///     fn pose(&mut self, _: &str, value: &serde_json::Value) -> Result<Pose, CsgTextError> {
///         Ok(Pose::from_translation(Vec3::Z * value.as_f64().unwrap_or(0.0)).unwrap_or(Pose::IDENTITY))
///     }
///     fn leaf(&mut self, _: &str, value: &serde_json::Value) -> Result<Csg, CsgTextError> {
///         let radius = value["radius"].as_f64().unwrap_or(1.0);
///         Ok(Csg::shape(Convex::sphere(radius).unwrap_or_else(|_| Convex::point())))
///     }
/// }
/// let tree = serde_json::json!({ "at": 3, "of": { "type": "ball", "radius": 2 } });
/// let ball = Csg::from_value_with("", &tree, &mut Balls)?;
/// assert!(ball.contains(Vec3::Z * 5.0) && !ball.contains(Vec3::Z * 0.5));
/// # Ok::<(), CsgTextError>(())
/// ```
pub trait CsgLeafReader {
    /// The error, which holds errors of the tree, too.
    type Error: From<CsgTextError>;

    /// Reads the pose at `path`.
    ///
    /// # Errors
    /// The value is no pose.
    fn pose(&mut self, path: &str, value: &Value) -> Result<Pose, Self::Error>;

    /// Reads the leaf at `path`: an object with a `type` other than `csg`, `polyhedron`, `quadric`, and `half_space`
    /// without a margin, which the reader of trees reads.
    ///
    /// # Errors
    /// The value is no leaf.
    fn leaf(&mut self, path: &str, value: &Value) -> Result<Csg, Self::Error>;
}

/// The reader of shapes without files.
struct PlainLeaves;

impl CsgLeafReader for PlainLeaves {
    type Error = CsgTextError;

    fn pose(&mut self, path: &str, value: &Value) -> Result<Pose, CsgTextError> {
        read_pose(path, value)
    }

    fn leaf(&mut self, path: &str, value: &Value) -> Result<Csg, CsgTextError> {
        Ok(Csg::shape(read_shape::read_shape(&Object::open(path, value)?, value, 0)?))
    }
}

/// Reads the tree at `path`.
fn read_tree<R: CsgLeafReader>(path: &str, value: &Value, depth: usize, reader: &mut R) -> Result<Csg, R::Error> {
    if depth > MAX_NESTED {
        return Err(CsgTextError::wrong(path, value, format!("a tree at most {MAX_NESTED} deep")).into());
    }
    match value.as_str() {
        Some("empty") => return Ok(Csg::empty()),
        Some("everything") => return Ok(Csg::everything()),
        _ => {}
    }
    let object = Object::open(path, value)?;
    let chain = ["union", "intersection", "difference"].into_iter().find(|name| object.has(name));
    if let Some(name) = chain {
        object.only(&[name])?;
        let (path, list) = (object.path(name), object.required(name, "a list of trees")?);
        let items = list.as_array().ok_or_else(|| CsgTextError::wrong(&path, list, "a list"))?;
        let mut trees = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            trees.push(read_tree(&format!("{path}[{index}]"), item, depth + 1, reader)?);
        }
        return Ok(match name {
            "union" => Csg::union_of(trees),
            "intersection" => Csg::intersection_of(trees),
            _ => trees.into_iter().reduce(Csg::difference).unwrap_or_else(Csg::empty),
        });
    }
    let subtree = |name: &str, reader: &mut R| {
        let path = object.path(name);
        read_tree(&path, object.required(name, "a tree")?, depth + 1, reader)
    };
    if object.has("complement") {
        object.only(&["complement"])?;
        Ok(subtree("complement", reader)?.complement())
    } else if object.has("at") {
        object.only(&["at", "of"])?;
        let pose = reader.pose(&object.path("at"), object.required("at", "a pose")?)?;
        Ok(subtree("of", reader)?.transformed(pose.into()))
    } else if object.has("matrix") && object.has("of") {
        object.only(&["matrix", "of"])?;
        let map = read_map(&object.path("matrix"), object.required("matrix", "three rows of 4 numbers")?)?;
        Ok(subtree("of", reader)?.transformed(map))
    } else {
        read_leaf(&object, value, depth, reader)
    }
}

/// Reads a leaf: a region of half-spaces, or what the reader reads.
fn read_leaf<R: CsgLeafReader>(
    object: &Object<'_>,
    value: &Value,
    depth: usize,
    reader: &mut R,
) -> Result<Csg, R::Error> {
    match object.text("type", "a type of shape, or one of union, intersection, difference, complement, at, matrix")? {
        "csg" => {
            object.only(&["type", "tree"])?;
            read_tree(&object.path("tree"), object.required("tree", "a tree")?, depth + 1, reader)
        }
        "polyhedron" if !object.has("margin") => Ok(read_polyhedron(object)?),
        "quadric" => Ok(read_quadric(object, value)?),
        "half_space" if !object.has("margin") => Ok(read_half_space(object, value)?),
        _ => reader.leaf(object.own_path(), value),
    }
}

fn read_polyhedron(object: &Object<'_>) -> Result<Csg, CsgTextError> {
    object.only(&["type", "planes"])?;
    let plane = |path: &str, value: &Value| {
        let [a, b, c, d] = numbers::<4>(path, value)?;
        HalfSpace::new(Vec3::new(a, b, c), -d).map_err(|error| CsgTextError::refused(path, value, error))
    };
    let planes = list(&object.path("planes"), object.required("planes", "a list of planes [a, b, c, d]")?, plane)?;
    Ok(Csg::region(QuadricIntersection::new(planes, Vec::new())))
}

fn read_quadric(object: &Object<'_>, value: &Value) -> Result<Csg, CsgTextError> {
    object.only(&["type", "matrix", "linear", "constant"])?;
    let rows = list(&object.path("matrix"), object.required("matrix", "three rows of 3 numbers")?, numbers::<3>)?;
    let &[x, y, z] = rows.as_slice() else {
        return Err(CsgTextError::wrong(&object.path("matrix"), value, "three rows of 3 numbers"));
    };
    let matrix = Mat3::from_cols_array_2d(&[x, y, z]).transpose();
    let linear = vector(&object.path("linear"), object.required("linear", "a list of 3 numbers")?)?;
    let quadric = Quadric::new(matrix, linear, object.number("constant", "a number")?);
    Ok(Csg::quadric(quadric.map_err(|error| CsgTextError::refused(&object.path("matrix"), value, error))?))
}

fn read_half_space(object: &Object<'_>, value: &Value) -> Result<Csg, CsgTextError> {
    object.only(&["type", "normal", "offset"])?;
    let normal = vector(&object.path("normal"), object.required("normal", "a vector other than 0")?)?;
    let half_space = HalfSpace::new(normal, -object.number("offset", "a number")?);
    Ok(Csg::half_space(half_space.map_err(|error| CsgTextError::refused(&object.path("normal"), value, error))?))
}

/// Reads three rows [m m m t] of a map.
fn read_rows(path: &str, value: &Value) -> Result<(Mat3, Vec3), CsgTextError> {
    let rows = list(path, value, numbers::<4>)?;
    let &[a, b, c] = rows.as_slice() else { return Err(CsgTextError::wrong(path, value, "three rows of 4 numbers")) };
    let column = |k: usize| Vec3::new(a[k], b[k], c[k]);
    Ok((Mat3::from_cols(column(0), column(1), column(2)), column(3)))
}

fn read_map(path: &str, value: &Value) -> Result<Affine, CsgTextError> {
    let (matrix, translation) = read_rows(path, value)?;
    Affine::new(matrix, translation).map_err(|error| CsgTextError::refused(path, value, error))
}

/// Reads a pose: translation and quaternion, or an orthonormal matrix.
fn read_pose(path: &str, value: &Value) -> Result<Pose, CsgTextError> {
    let object = Object::open(path, value)?;
    let pose = if object.has("matrix") {
        object.only(&["matrix"])?;
        let (matrix, translation) = read_rows(&object.path("matrix"), object.required("matrix", "three rows")?)?;
        Pose::from_matrix(matrix, translation)
    } else {
        object.only(&["translation", "rotation"])?;
        let translation = object.get("translation").map(|value| vector(&object.path("translation"), value));
        let translation = translation.transpose()?.unwrap_or(Vec3::ZERO);
        match object.get("rotation") {
            Some(value) => Pose::from_quaternion(numbers::<4>(&object.path("rotation"), value)?, translation),
            None => Pose::from_translation(translation),
        }
    };
    pose.map_err(|error| CsgTextError::refused(path, value, error))
}
