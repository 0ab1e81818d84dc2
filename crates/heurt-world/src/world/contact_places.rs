//! Listing of all places of contact of a step, and of the faces that meet.
//!
//! In: a world after a step. Out: first the contacts that the response solved, with their impulses and the motion
//! before it; then all other pairs that touch. Order: by the places of the bodies within each.

use crate::body::BodyId;
use crate::contact::{BodyContact, ContactMotion};
use crate::world::World;
use heurt_geometry::Vec3;
use heurt_query::{Feature, pairs};

/// A place at which two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPlace {
    /// The bodies, the lower place first.
    pub bodies: [BodyId; 2],
    /// Point, normal, separation, and the relative motion before the response.
    pub motion: ContactMotion,
    /// Normal impulse on the second body, in N·s, summed over the step; 0 if the pair was not solved.
    pub impulse: f64,
    /// Force on the second body with friction, in N, world frame, as a mean over the step; `None` if the pair was not
    /// solved.
    pub force: Option<Vec3>,
    /// The features that touch; `None` at an impact of a pair that was not solved.
    pub features: Option<[Feature; 2]>,
}

impl World {
    /// Lists the places of all contacts of the last step.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Response, Settings, World};
    /// let mut world = World::new(Settings { response: Response::ImpulseLcp, ..Settings::default() })?;
    /// world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let cube = Convex::cuboid(Vec3::ONE)?;
    /// let mass = Mass::of_total(&cube.clone().into(), 2.0)?;
    /// world.insert(Body::dynamic(cube, Pose::from_translation(Vec3::Z)?, mass))?;
    /// world.step(0.01)?;
    /// let places: Vec<_> = world.contact_places().collect();
    /// assert_eq!(places.len(), 4, "the corners of the cube");
    /// let weight: f64 = places.iter().filter_map(|place| place.force).map(|force| force.z).sum();
    /// assert!((weight - 2.0 * 9.81).abs() < 1e-7);
    /// let impulse: f64 = places.iter().map(|place| place.impulse).sum();
    /// assert!((impulse - 2.0 * 9.81 * 0.01).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact_places(&self) -> impl Iterator<Item = ContactPlace> {
        let (solved, dt) = (self.solved_contacts(), self.timing.last_step);
        let of_solved = solved.iter().flat_map(move |contact| {
            contact.points.iter().map(move |point| ContactPlace {
                bodies: [contact.a, contact.b],
                motion: point.motion,
                impulse: point.impulse,
                force: (dt > 0.0).then(|| (point.motion.normal * point.impulse + point.friction_impulse) / dt),
                features: Some(point.features),
            })
        });
        let is_solved = |touch: &&BodyContact| {
            solved.binary_search_by_key(&[touch.a, touch.b], |contact| [contact.a, contact.b]).is_ok()
        };
        let others = self.contacts().iter().filter(move |touch| !is_solved(touch)).flat_map(move |touch| {
            let motions = self.contact_motions(touch).into_iter().enumerate();
            motions.map(move |(place, motion)| ContactPlace {
                bodies: [touch.a, touch.b],
                motion,
                impulse: 0.0,
                force: None,
                features: features_of(touch, &motion, place),
            })
        });
        of_solved.chain(others)
    }

    /// Finds all pairs of faces of two bodies that meet as the step ends, by the indices of the triangles of A and B;
    /// a convex shape is one face, index 0. Exact for meshes.
    ///
    /// In order of the indices. Cost: a search over both meshes, on each call.
    pub fn intersecting_faces(&self, touch: &BodyContact) -> Vec<[u32; 2]> {
        let Some((a, b)) = self.body(touch.a).zip(self.body(touch.b)) else { return Vec::new() };
        pairs(&a.shape, &a.pose, &b.shape, &b.pose)
    }
}

/// Returns the features of a place of a contact; `None` at an impact within the step.
fn features_of(touch: &BodyContact, motion: &ContactMotion, place: usize) -> Option<[Feature; 2]> {
    let contact = touch.contact.as_ref().filter(|_| motion.time.is_none())?;
    Some(contact.points.get(place)?.features)
}
