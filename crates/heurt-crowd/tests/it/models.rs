//! Models against closed forms.

use heurt_crowd::steer::{NearAgent, SocialForce, nearest_velocity, orca_half_plane};
use heurt_geometry::Vec2;

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

/// Radius and horizon, velocity of A at the origin, place and velocity of B, change of the relative velocity, velocity
/// chosen; the closed form of the truncated cone, with which `pyrvo` 0.4.3 agrees to 1e-8.
type Case = (f64, f64, Vec2, Vec2, Vec2, Vec2, Vec2);

#[test]
fn orca_chooses_the_published_velocities() {
    let root = 15.0_f64.sqrt();
    let cases: [Case; 4] = [
        (0.5, 2.0, v(1.0, 0.0), v(4.0, 0.0), v(-1.0, 0.0), v(-0.125, -root / 8.0), v(15.0 / 16.0, -root / 16.0)),
        (0.5, 2.0, v(1.0, 0.0), v(3.0, 0.2), v(-1.0, 0.0), v(-0.144858, -0.518394), v(0.927571, -0.259197)),
        (0.5, 5.0, v(1.0, 0.0), v(4.0, 0.5), v(-1.0, 0.0), v(-0.031750, -0.249984), v(0.984125, -0.124992)),
        (0.25, 3.0, v(1.3, 0.0), v(2.0, 2.0), v(0.0, -1.3), v(0.185565, -0.266815), v(1.392783, -0.133408)),
    ];
    for (radius, horizon, velocity, position, other, change, chosen) in cases {
        let other = NearAgent { position, velocity: other, radius };
        let plane = orca_half_plane(Vec2::ZERO, velocity, radius, &other, horizon, 0.1);
        let found = nearest_velocity(&[plane], 0, 2.0, velocity);
        assert!((found - chosen).length() < 2e-6, "{found} for {chosen}");
        assert!((2.0 * (found - velocity) - change).length() < 4e-6, "{found}");
    }
}

#[test]
fn social_force_has_its_published_strength() {
    assert!((SocialForce::default().force(0.2) - 164.170).abs() < 5e-4);
}
