//! Description of a world for the page.

use super::super::RunPlan;
use super::super::layers::Layer;
use super::super::picture::{bounds_of, surface_options, up_of};
use crate::view::{BoundsJson, SceneBodyJson, SceneJson, SceneMeshes, ViewArguments};
use heurt::scene::SceneNames;
use heurt::shape::Shape;
use heurt::world::{Kind, STAGES, World};

/// Describes a world for the page.
pub(super) fn describe_scene(
    arguments: &ViewArguments,
    world: &World,
    names: &SceneNames,
    plan: &RunPlan,
) -> (SceneJson, SceneMeshes) {
    let (bounds, options) = (bounds_of(world), surface_options(world));
    let mut meshes = SceneMeshes::default();
    let mut bodies = Vec::with_capacity(world.len());
    for (id, body) in world.bodies() {
        bodies.push(SceneBodyJson {
            name: names.bodies[id.index()].clone(),
            kind: match body.kind {
                Kind::Static => "static",
                Kind::Kinematic(_) => "kinematic",
                Kind::Dynamic(_) => "dynamic",
                Kind::Soft(_) => "soft",
            },
            mesh: meshes.add_shape(&body.shape, &options),
            shape: match &body.shape {
                Shape::Mesh(_) => "mesh",
                Shape::Convex(convex) if convex.is_half_space() => "half-space",
                Shape::Convex(_) => "convex",
                Shape::Compound(_) => "compound",
                Shape::Rounded(_) => "mesh with a margin",
                Shape::Superquadric(_) => "superquadric",
            },
            mass: match &body.kind {
                Kind::Dynamic(mass) => Some(mass.mass),
                _ => None,
            },
            colour: None,
        });
    }
    let scene = SceneJson {
        protocol: 1,
        mode: "run",
        title: plan.title.clone(),
        unit: "m",
        read_only: arguments.read_only,
        control: if plan.is_replay { Some(Vec::new()) } else { names.control.clone() },
        step: plan.step,
        steps: plan.steps,
        up: up_of(world).to_array(),
        bounds: BoundsJson::of(&bounds),
        stages: STAGES.map(|stage| stage.name()).to_vec(),
        meshes: meshes.len(),
        bodies,
        layers: Layer::list(world),
        tint: None,
    };
    (scene, meshes)
}
