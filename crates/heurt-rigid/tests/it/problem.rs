//! The contact problem: operator, right-hand sides and normal rates against finite differences, files.

use crate::common::{random_island, random_unit};
use heurt_geometry::{Mat3, Quat, SplitMix64, Vec3};
use heurt_rigid::{ContactProblem, Level, PointContact, RigidBody, edge_edge_normal_rate, vertex_face_normal_rate};

#[test]
fn product_and_matrix_agree_with_the_change_of_gap_velocities() {
    let mut random = SplitMix64::new(51);
    for _ in 0..50 {
        let problem = random_island(&mut random, 4, 7, 0.0);
        let impulses: Vec<f64> = (0..7).map(|_| random.between(-1.0, 1.0)).collect();
        let product = problem.apply(&impulses);
        let dense = problem.matrix().multiply(&impulses);
        let mut moved = problem.clone();
        for (contact, &f) in problem.contacts.iter().zip(&impulses) {
            let [a, b] = contact.bodies.map(|body| body as usize);
            moved.bodies[a].apply_impulse(contact.normal * -f, contact.arms[0]);
            moved.bodies[b].apply_impulse(contact.normal * f, contact.arms[1]);
        }
        let changes = moved.gap_velocities().into_iter().zip(problem.gap_velocities()).map(|(a, b)| a - b);
        for ((product, dense), change) in product.iter().zip(dense).zip(changes) {
            assert!((product - dense).abs() < 1e-12 && (product - change).abs() < 1e-12);
        }
    }
}

/// Rotation of a constant angular velocity over a time.
fn rotation(rate: Vec3, time: f64) -> Quat {
    Quat::from_scaled_axis(rate * time)
}

#[test]
fn normal_rates_equal_finite_differences() {
    let mut random = SplitMix64::new(52);
    let h = 1e-4;
    // Differences of fourth order: their error is far below the tolerance.
    let differentiate = |at: &dyn Fn(f64) -> Vec3| ((at(h) - at(-h)) * 8.0 - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
    for _ in 0..200 {
        let rates = [random.vector(-2.0, 2.0), random.vector(-2.0, 2.0)];
        let edges = [random_unit(&mut random), random_unit(&mut random)];
        if edges[0].cross(edges[1]).length() < 0.2 {
            continue;
        }
        let sign = if random.unit() < 0.5 { -1.0 } else { 1.0 };
        let at = |time: f64| {
            let a = rotation(rates[0], time) * edges[0];
            let b = rotation(rates[1], time) * edges[1];
            a.cross(b).normalize() * sign
        };
        let difference = differentiate(&at);
        // The lengths of the edges do not matter.
        let rate = edge_edge_normal_rate(at(0.0), [edges[0] * 3.0, edges[1] * 0.2], rates).unwrap();
        assert!((rate - difference).length() < 1e-7, "{rate} {difference}");
        let face = random_unit(&mut random);
        let difference = differentiate(&|time| rotation(rates[1], time) * face);
        assert!((vertex_face_normal_rate(face, rates[1]) - difference).length() < 1e-8);
    }
}

/// Bodies with accelerations at a time, and a material point of each.
struct Flight {
    body: RigidBody,
    center: Vec3,
    arm: Vec3,
}

impl Flight {
    fn random(random: &mut SplitMix64, point: Vec3) -> Self {
        let center = random.vector(-1.0, 1.0);
        let body = RigidBody {
            velocity: random.vector(-1.0, 1.0),
            angular_velocity: random.vector(-1.0, 1.0),
            acceleration: random.vector(-5.0, 5.0),
            angular_acceleration: random.vector(-5.0, 5.0),
            ..RigidBody::FIXED
        };
        Self { body, center, arm: point - center }
    }

    /// Rotation to second order: the error is of third order in time, without effect on a second difference.
    fn rotation(&self, time: f64) -> Quat {
        Quat::from_scaled_axis(self.body.angular_velocity * time + self.body.angular_acceleration * (0.5 * time * time))
    }

    fn point(&self, time: f64) -> Vec3 {
        let center = self.center + self.body.velocity * time + self.body.acceleration * (0.5 * time * time);
        center + self.rotation(time) * self.arm
    }
}

#[test]
fn gap_accelerations_equal_second_differences() {
    let mut random = SplitMix64::new(53);
    let h = 1e-4;
    for case in 0..200 {
        let point = random.vector(-1.0, 1.0);
        let flights = [Flight::random(&mut random, point), Flight::random(&mut random, point)];
        let normal = random_unit(&mut random);
        let rates = flights.each_ref().map(|flight| flight.body.angular_velocity);
        // Vertex of A on a face of B, vertex of B on a face of A, or two edges.
        let edge_a = normal.cross(random_unit(&mut random)).normalize();
        let edge_b = (normal.cross(edge_a) + edge_a * 0.3).normalize();
        let normal_at = |time: f64| match case % 3 {
            0 => flights[1].rotation(time) * normal,
            1 => flights[0].rotation(time) * normal,
            _ => {
                let cross = (flights[0].rotation(time) * edge_a).cross(flights[1].rotation(time) * edge_b).normalize();
                if cross.dot(normal) < 0.0 { -cross } else { cross }
            }
        };
        let normal_rate = match case % 3 {
            0 => vertex_face_normal_rate(normal, rates[1]),
            1 => vertex_face_normal_rate(normal, rates[0]),
            _ => edge_edge_normal_rate(normal, [edge_a, edge_b], rates).unwrap(),
        };
        let gap = |time: f64| normal_at(time).dot(flights[1].point(time) - flights[0].point(time));
        let difference = (gap(h) - 2.0 * gap(0.0) + gap(-h)) / (h * h);
        let arms = flights.each_ref().map(|flight| flight.arm);
        let contact = PointContact { normal, arms, normal_rate, ..PointContact::default() };
        let bodies = flights.each_ref().map(|flight| flight.body).to_vec();
        let problem = ContactProblem { bodies, contacts: vec![contact], rows: vec![] };
        let rate = (gap(h) - gap(-h)) / (2.0 * h);
        assert!((problem.gap_velocities()[0] - rate).abs() < 1e-6, "{case}");
        let found = problem.right_side(Level::Force)[0];
        assert!((found - difference).abs() < 1e-5, "{case} {found} {difference}");
    }
}

#[test]
fn right_sides_of_impact_and_step() {
    let ball =
        RigidBody { inverse_mass: 1.0, inverse_inertia: Mat3::IDENTITY, velocity: -Vec3::Z * 2.0, ..RigidBody::FIXED };
    let contact = PointContact { normal: Vec3::Z, restitution: 0.25, ..PointContact::default() };
    let problem = ContactProblem { bodies: vec![RigidBody::FIXED, ball], contacts: vec![contact], rows: vec![] };
    assert_eq!(problem.right_side(Level::Impact), [-2.5]);
    assert_eq!(problem.right_side(Level::Step { dt: 0.5 }), [-2.5]);
    assert_eq!(problem.right_side(Level::Force), [0.0]);
}

#[cfg(feature = "serde")]
#[test]
fn files_keep_all_bits() {
    use heurt_rigid::ConstraintRow;
    let mut random = SplitMix64::new(54);
    for _ in 0..20 {
        let mut problem = random_island(&mut random, 5, 9, 0.5);
        problem.bodies[1].velocity.x = -0.0;
        problem.bodies[2].velocity.x = 5e-324;
        problem.rows.push(ConstraintRow {
            bodies: [1, 2],
            linear: random_unit(&mut random),
            angular: [random.vector(-1.0, 1.0); 2],
            target: 0.1,
            bounds: [-1.0, 2.0],
            error: 1e-300,
            compliance: 0.0,
        });
        problem.rows.push(ConstraintRow { bounds: [f64::NEG_INFINITY, f64::INFINITY], ..problem.rows[0] });
        let text = serde_json::to_string(&problem).unwrap();
        let again: ContactProblem = serde_json::from_str(&text).unwrap();
        assert_eq!(again, problem);
        assert_eq!(again.bodies[1].velocity.x.to_bits(), (-0.0f64).to_bits());
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
    }
}
