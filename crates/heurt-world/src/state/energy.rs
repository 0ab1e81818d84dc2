//! Energy and momentum of the dynamic bodies.

use crate::body::Kind;
use crate::state::bodies::Bodies;
use heurt_geometry::Vec3;

/// Energy in joules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Energy of motion and spin.
    pub kinetic: f64,
    /// −Σ m s g·x of the centres of mass, s the `gravity_scale` of each body.
    pub potential: f64,
}

/// Computes the energy of the dynamic bodies under gravity.
pub(crate) fn compute_energy(bodies: &Bodies, gravity: Vec3) -> Energy {
    let mut energy = Energy { kinetic: 0.0, potential: 0.0 };
    for (_, body) in bodies.iter() {
        let Kind::Dynamic(mass) = &body.kind else { continue };
        let centre = body.centre_of_mass();
        let (velocity, rate) = (body.velocity_at(centre), body.angular_velocity);
        let spin = rate.dot(mass.inertia_at(&body.pose) * rate);
        energy.kinetic += 0.5 * (mass.mass * velocity.length_squared() + spin);
        energy.potential -= mass.mass * body.gravity_scale * gravity.dot(centre);
    }
    energy
}

/// Computes the momentum of the dynamic bodies, and their angular momentum around the origin of the world.
pub(crate) fn compute_momentum(bodies: &Bodies) -> [Vec3; 2] {
    let mut sums = [Vec3::ZERO; 2];
    for (_, body) in bodies.iter() {
        let Kind::Dynamic(mass) = &body.kind else { continue };
        let centre = body.centre_of_mass();
        let momentum = body.velocity_at(centre) * mass.mass;
        sums[0] += momentum;
        sums[1] += centre.cross(momentum) + mass.inertia_at(&body.pose) * body.angular_velocity;
    }
    sums
}
