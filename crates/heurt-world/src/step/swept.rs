//! Surfaces swept by soft bodies in a step, and by rigid bodies that may meet them.
//!
//! In: bodies, their vertices or motions in the step. Out: moving meshes in the world frame, kept for the next step.
//! Not covered: solids with curved faces and half-spaces.
//! Cost: linear in the vertices of these bodies.

use crate::body::Body;
use crate::settings::{Detection, Settings};
use crate::state::bodies::{Bodies, Slot};
use crate::state::memory_report::bytes_of_list;
use crate::state::view::WorldView;
use crate::step::pairs::{PairState, UndecidedPair};
use crate::step::step_motion::recompute_motion;
use crate::step::step_plan::{StepMotions, StepPlan};
use heurt_geometry::{Aabb, Motion, Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_query::ccd::MovingMesh;
use heurt_shape::{Core, Shape, ShapeRef};
use rayon::prelude::*;

/// The swept surfaces of the body at a place, if they are known: they are large, and few bodies have any.
type SweptAt = Option<Box<SweptSurfaces>>;

/// The swept surfaces of bodies by place, in continuous detection.
#[derive(Debug, Default)]
pub(crate) struct SweptTable {
    of: Vec<SweptAt>,
}

/// The surfaces swept by a body in a step.
#[derive(Debug, Clone)]
pub(crate) struct SweptSurfaces {
    surfaces: Vec<Surface>,
    /// The pose of the body in the last step, if it did not move.
    rest_pose: Option<Pose>,
}

/// All points within a margin of a moving mesh.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    pub mesh: MovingMesh,
    pub margin: f64,
    /// In its body.
    pose: Pose,
}

impl SweptTable {
    /// Returns the surfaces swept by the body at a place, if they are known.
    pub(crate) fn get(&self, place: u32) -> Option<&SweptSurfaces> {
        self.of.get(place as usize)?.as_deref()
    }

    /// Drops the surfaces of the body at a place.
    pub(crate) fn forget(&mut self, place: usize) {
        if let Some(swept) = self.of.get_mut(place) {
            *swept = None;
        }
    }

    /// Drops all surfaces.
    pub(crate) fn clear(&mut self) {
        self.of.clear();
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of_list(&self.of) + self.of.iter().flatten().map(|swept| swept.bytes()).sum::<usize>()
    }

    /// Updates the surfaces of soft bodies to the step of `dt` seconds, before their vertices move.
    pub(crate) fn update_soft(&mut self, view: &WorldView, settings: &Settings, plan: &StepPlan, dt: f64) {
        if settings.detection != Detection::Continuous {
            return;
        }
        let slots = view.bodies.slots();
        if !slots.iter().any(|slot| slot.body.as_ref().is_some_and(Body::is_soft)) {
            self.clear();
            return;
        }
        self.of.resize_with(slots.len(), || None);
        let follow = |(place, (swept, slot)): (usize, (&mut SweptAt, &Slot))| {
            let Some(body) = slot.body.as_ref().filter(|body| body.is_soft()) else { return };
            let (Some(vertices), Shape::Mesh(mesh)) = (plan.vertices(place), &body.shape) else { return };
            let start: Vec<Vec3> = mesh.mesh().vertices().iter().map(|v| body.pose.place(*v)).collect();
            let pose = recompute_motion(body, settings.gravity, view.time, dt).end;
            let end: Vec<Vec3> = vertices.iter().map(|v| pose.place(*v)).collect();
            if swept.is_none() {
                *swept = SweptSurfaces::of(&body.shape).map(Box::new);
            }
            swept.take_if(|swept| swept.deform(&start, &end).is_err());
        };
        self.of.par_iter_mut().zip(slots).enumerate().for_each(follow);
    }

    /// Updates the surfaces of rigid bodies that soft ones may meet.
    pub(crate) fn update_rigid(
        &mut self,
        bodies: &Bodies,
        settings: &Settings,
        pairs: &[PairState],
        motions: &StepMotions,
        dt: f64,
    ) {
        if settings.detection != Detection::Continuous {
            return;
        }
        let mut meets_soft = vec![false; bodies.slots().len()];
        for PairState { pair, is_overlapping, .. } in pairs {
            let is_soft_at = |at: u32| bodies.at(at).is_some_and(|(_, body)| body.is_soft());
            let soft = [pair.a, pair.b].map(is_soft_at);
            if !is_overlapping && soft[0] != soft[1] {
                meets_soft[if soft[0] { pair.b } else { pair.a } as usize] = true;
            }
        }
        let follow = |(place, ((swept, slot), meets_soft)): (usize, ((&mut SweptAt, &Slot), bool))| {
            let Some(body) = slot.body.as_ref().filter(|_| meets_soft) else { return };
            if swept.is_none() {
                *swept = SweptSurfaces::of(&body.shape).map(Box::new);
            }
            // A body that changes its motion within the step is searched piece by piece.
            if let [segment] = &motions.of(place as u32).segments[..] {
                swept.take_if(|swept| swept.fly(&segment.pose, &segment.motion, dt).is_err());
            }
        };
        self.of.par_iter_mut().zip(bodies.slots()).zip(meets_soft).enumerate().for_each(follow);
    }
}

impl Surface {
    /// Its whole path.
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::from_points(self.mesh.start().iter().chain(self.mesh.end()).copied())
    }
}

impl SweptSurfaces {
    /// Computes the swept surfaces of a body with triangles; `None` for others.
    fn of(shape: &Shape) -> Option<Self> {
        let mut surfaces = Vec::new();
        add_surfaces(shape.into(), &Pose::IDENTITY, &mut surfaces)?;
        Some(Self { surfaces, rest_pose: None })
    }

    /// Returns the surfaces: one for a soft body, one for each solid of a rigid body.
    pub(crate) fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.surfaces.iter().map(|surface| size_of::<Surface>() + surface.mesh.bytes()).sum::<usize>()
    }

    /// The corners of a triangle of a soft body in the world, at the start and at the end.
    pub(crate) fn triangle(&self, number: u32) -> Option<[[Vec3; 3]; 2]> {
        let [Surface { mesh, .. }] = &self.surfaces[..] else { return None };
        let corners = mesh.triangles().get(number as usize)?;
        Some([mesh.start(), mesh.end()].map(|places| corners.map(|corner| places[corner as usize])))
    }

    /// The vertices of a soft body in the world, at the start and at the end.
    pub(crate) fn vertices(&self) -> Option<[&[Vec3]; 2]> {
        let [Surface { mesh, .. }] = &self.surfaces[..] else { return None };
        Some([mesh.start(), mesh.end()])
    }

    /// Goes with a soft body, from vertices in the world to vertices in the world.
    pub(crate) fn deform(&mut self, start: &[Vec3], end: &[Vec3]) -> Result<(), UndecidedPair> {
        let [surface] = &mut self.surfaces[..] else { return Err(UndecidedPair::Unable) };
        surface.mesh.step(start, end).map_err(|_| UndecidedPair::Unable)
    }

    /// Goes with a rigid body.
    pub(crate) fn fly(&mut self, pose: &Pose, motion: &Motion, duration: f64) -> Result<(), UndecidedPair> {
        let rest_pose = (*motion == Motion::STILL).then_some(*pose);
        if rest_pose.is_some() && self.rest_pose == rest_pose {
            return Ok(());
        }
        for surface in &mut self.surfaces {
            let within = &surface.pose;
            // The same motion, around the same place, seen from the surface.
            let pivot = within.rotation().transpose() * (motion.pivot() - within.translation());
            let motion = motion.about(pivot).map_err(|_| UndecidedPair::Unable)?;
            surface.mesh.step_rigid(&pose.compose(within), &motion, duration).map_err(|_| UndecidedPair::Unable)?;
        }
        self.rest_pose = rest_pose;
        Ok(())
    }
}

/// Adds the surfaces of a shape; `None` where it has others than of triangles.
fn add_surfaces(shape: ShapeRef<'_>, pose: &Pose, surfaces: &mut Vec<Surface>) -> Option<()> {
    let mut add = |mesh: &TriMesh, margin: f64| {
        surfaces.push(Surface { mesh: MovingMesh::new(mesh).ok()?, margin, pose: *pose });
        Some(())
    };
    match shape {
        ShapeRef::Mesh(mesh) => add(mesh.mesh(), 0.0),
        ShapeRef::Rounded(rounded) => add(rounded.mesh().mesh(), rounded.margin()),
        ShapeRef::Convex(convex) => match convex.core() {
            Core::Hull(hull) => {
                let mesh = TriMesh::new(hull.corners().to_vec(), hull.triangles().to_vec()).ok()?;
                add(&mesh, convex.margin())
            }
            Core::Round(_) | Core::HalfSpace { .. } => None,
        },
        ShapeRef::Superquadric(_) => None,
        ShapeRef::Compound(compound) => {
            compound.parts().iter().try_for_each(|part| add_surfaces((&part.shape).into(), &part.pose, surfaces))
        }
    }
}
