//! Seeded numbers, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).

use heurt_geometry::{Quat, Vec3};

/// A stream of numbers.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A point of the cube [-1, 1)³.
    pub fn cube(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - Vec3::ONE
    }

    /// A unit vector.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let point = self.cube();
            let length = point.length();
            if (0.1..=1.0).contains(&length) {
                return point / length;
            }
        }
    }

    /// A rotation.
    pub fn rotation(&mut self) -> Quat {
        loop {
            let [x, y, z, w] = [0; 4].map(|_| 2.0 * self.unit() - 1.0);
            let candidate = Quat::from_xyzw(x, y, z, w);
            if (0.1..=1.0).contains(&candidate.length()) {
                return candidate.normalize();
            }
        }
    }

    /// A turn about z by any angle, then a tilt of at most `most_rad` about an axis across z.
    pub fn tilted(&mut self, most_rad: f64) -> Quat {
        let turn = Quat::from_rotation_z(self.unit() * std::f64::consts::TAU);
        let across = Quat::from_rotation_z(self.unit() * std::f64::consts::TAU) * Vec3::X;
        Quat::from_axis_angle(across, most_rad * self.unit()) * turn
    }
}
