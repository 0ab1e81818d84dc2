//! Shapes to JSON, with the words of `heurt query`.
//!
//! In: a shape. Out: a JSON object that reads back as the same set.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Core, MeshShape, Round, Shape, Solidity, Superquadric};
use serde_json::{Value, json};

fn point(p: Vec3) -> Value {
    json!([p.x, p.y, p.z])
}

fn with_margin(mut value: Value, margin: f64) -> Value {
    if margin > 0.0 {
        value["margin"] = json!(margin);
    }
    value
}

/// Returns the JSON object of a shape.
pub(super) fn shape_value(shape: &Shape) -> Value {
    match shape {
        Shape::Mesh(mesh) => mesh_value(mesh),
        Shape::Rounded(rounded) => with_margin(mesh_value(rounded.mesh()), rounded.margin()),
        Shape::Convex(convex) => convex_value(convex),
        Shape::Superquadric(shape) => {
            let surface = match shape.surface() {
                Superquadric::Ellipsoid(surface) => {
                    let [n1, n2] = surface.exponents();
                    json!({ "type": "superellipsoid", "radii": point(surface.radii()), "n1": n1, "n2": n2 })
                }
                Superquadric::Toroid(surface) => {
                    let ([r0, r1], [n1, n2]) = (surface.radii(), surface.exponents());
                    json!({ "type": "supertoroid", "r0": r0, "r1": r1, "n1": n1, "n2": n2 })
                }
            };
            with_margin(surface, shape.margin())
        }
        Shape::Compound(compound) => {
            let component =
                |part: &heurt_shape::Part| json!({ "shape": shape_value(&part.shape), "pose": pose_value(&part.pose) });
            json!({ "type": "compound", "parts": compound.parts().iter().map(component).collect::<Vec<_>>() })
        }
    }
}

fn pose_value(pose: &Pose) -> Value {
    let (matrix, at) = (pose.rotation(), pose.translation());
    let row = |k: usize| [matrix.x_axis[k], matrix.y_axis[k], matrix.z_axis[k], at[k]];
    json!({ "matrix": [row(0), row(1), row(2)] })
}

fn mesh_value(mesh: &MeshShape) -> Value {
    let vertices: Vec<Value> = mesh.mesh().vertices().iter().map(|&vertex| point(vertex)).collect();
    let solid = match mesh.solidity() {
        Solidity::Surface => json!(false),
        Solidity::Solid => json!(true),
        Solidity::Winding => json!("winding"),
    };
    json!({ "type": "mesh", "vertices": vertices, "triangles": mesh.mesh().triangles(), "solid": solid })
}

fn convex_value(convex: &Convex) -> Value {
    let core = match convex.core() {
        Core::Hull(hull) => {
            json!({ "type": "hull", "points": hull.corners().iter().map(|&corner| point(corner)).collect::<Vec<_>>() })
        }
        Core::HalfSpace { normal, offset } => {
            json!({ "type": "half_space", "normal": point(*normal), "offset": offset })
        }
        Core::Round(Round::Cylinder { radius, half_height }) => {
            json!({ "type": "cylinder", "radius": radius, "half_height": half_height })
        }
        Core::Round(Round::Cone { radius, half_height }) => {
            json!({ "type": "cone", "radius": radius, "half_height": half_height })
        }
        Core::Round(Round::Ellipsoid { radii }) => json!({ "type": "ellipsoid", "radii": point(*radii) }),
        Core::Round(Round::Superellipsoid { radii, n1, n2 }) => {
            json!({ "type": "superellipsoid", "radii": point(*radii), "n1": n1, "n2": n2 })
        }
    };
    with_margin(core, convex.margin())
}
