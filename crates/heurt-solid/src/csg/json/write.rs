//! Trees to JSON and TOML.
//!
//! In: a tree. Out: text. Chains of unions and intersections become one list.

use super::fields::CsgTextError;
use super::write_shape::shape_value;
use crate::csg::{Csg, CsgLeaf, CsgNode};
use crate::half_space::{HalfSpace, Quadric, QuadricIntersection};
use heurt_geometry::{Mat3, Vec3};
use serde_json::{Value, json};

/// The deepest tree that is written, with lists counted: what the readers accept.
const MAX_DEPTH: usize = 50;

/// A value and the number of nested nodes in it.
struct WrittenTree {
    value: Value,
    depth: usize,
}

impl Csg {
    /// Writes the tree as JSON.
    ///
    /// # Errors
    /// The tree is nested deeper than readers accept: take [`Csg::balanced`].
    pub fn to_json(&self) -> Result<String, CsgTextError> {
        Ok(self.to_value()?.to_string())
    }

    /// Writes the tree as TOML.
    ///
    /// # Errors
    /// As [`Csg::to_json`]; and a tree that is the empty set or everything has no TOML.
    pub fn to_toml(&self) -> Result<String, CsgTextError> {
        toml::to_string(&self.to_value()?).map_err(|error| CsgTextError::NotWritable { cause: error.to_string() })
    }

    fn to_value(&self) -> Result<Value, CsgTextError> {
        let mut stack: Vec<WrittenTree> = Vec::new();
        for node in self.nodes() {
            let operands = stack.split_off(stack.len() - node.operands());
            let written = written(node, operands);
            if written.depth > MAX_DEPTH {
                let cause = format!("it is nested deeper than {MAX_DEPTH}: write its balanced form");
                return Err(CsgTextError::NotWritable { cause });
            }
            stack.push(written);
        }
        Ok(stack.pop().map_or_else(|| json!("empty"), |written| written.value))
    }
}

fn written(node: &CsgNode, mut operands: Vec<WrittenTree>) -> WrittenTree {
    let depth = operands.iter().map(|operand| operand.depth).max().unwrap_or(0) + 1;
    let second = operands.pop();
    let first = operands.pop();
    let value = match (node, first, second) {
        (CsgNode::Union, Some(a), Some(b)) => return listed("union", a, b),
        (CsgNode::Intersection, Some(a), Some(b)) => return listed("intersection", a, b),
        (CsgNode::Difference, Some(a), Some(b)) => return listed("difference", a, b),
        (CsgNode::Complement, _, Some(a)) => json!({ "complement": a.value }),
        (CsgNode::Transform(map), _, Some(a)) => json!({ "matrix": map.rows(), "of": a.value }),
        (CsgNode::Leaf(CsgLeaf::Shape(shape)), ..) => shape_value(shape),
        (CsgNode::Leaf(CsgLeaf::Region(region)), ..) => region_value(region),
        (CsgNode::Everything, ..) => json!("everything"),
        _ => json!("empty"),
    };
    WrittenTree { value, depth }
}

/// Appends the second operand to the list of the first one if that is of the same operation.
fn listed(operation: &str, mut a: WrittenTree, b: WrittenTree) -> WrittenTree {
    match a.value.get_mut(operation).and_then(Value::as_array_mut) {
        Some(list) => {
            list.push(b.value);
            WrittenTree { value: a.value, depth: a.depth.max(b.depth + 1) }
        }
        None => WrittenTree { value: json!({ operation: [a.value, b.value] }), depth: a.depth.max(b.depth) + 1 },
    }
}

fn region_value(region: &QuadricIntersection) -> Value {
    let plane = |half_space: &HalfSpace| {
        let Vec3 { x, y, z } = half_space.normal();
        json!([x, y, z, -half_space.offset()])
    };
    let planes: Vec<Value> = region.half_spaces().iter().map(plane).collect();
    let linear = json!({ "type": "polyhedron", "planes": planes });
    let quadrics = region.quadrics().iter().map(quadric_value);
    if region.quadrics().is_empty() {
        return linear;
    }
    let leaves: Vec<Value> =
        if planes.is_empty() { quadrics.collect() } else { [linear].into_iter().chain(quadrics).collect() };
    match <[Value; 1]>::try_from(leaves) {
        Ok([single]) => single,
        Err(leaves) => json!({ "intersection": leaves }),
    }
}

fn quadric_value(quadric: &Quadric) -> Value {
    let rows = Mat3::transpose(&quadric.matrix()).to_cols_array_2d();
    let Vec3 { x, y, z } = quadric.linear();
    json!({ "type": "quadric", "matrix": rows, "linear": [x, y, z], "constant": quadric.constant() })
}
