//! Point shells, contact wrenches and the haptic loop: coverage, statics by hand, continuity, energy.

use heurt_geometry::{Pose, Quat, SplitMix64, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_solid::{
    DistanceOctree, HapticError, HapticLoop, HapticSettings, PointShell, PointShellError, SetOperation, SolidMesh,
    combine, shell_contact,
};
use std::sync::LazyLock;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

/// A table of 0.2 × 0.2 × 0.04 m with its upper face at z = 0.
fn table() -> &'static DistanceOctree {
    static TABLE: LazyLock<DistanceOctree> = LazyLock::new(|| {
        let slab = generate::cuboid([0.1, 0.1, 0.02]).unwrap();
        DistanceOctree::of_mesh(&slab.transformed(&at(0.0, 0.0, -0.02)).unwrap(), 2e-4).unwrap()
    });
    &TABLE
}

fn cube_shell() -> PointShell {
    PointShell::of_mesh(&generate::cuboid([0.01; 3]).unwrap(), 1e-3).unwrap()
}

#[test]
fn each_point_of_the_surface_is_within_the_spacing() {
    let mut random = SplitMix64::new(6);
    let meshes = [
        (generate::cuboid([1.0, 0.3, 0.01]).unwrap(), 0.05),
        (generate::torus(1.0, 0.3, 60, 30).unwrap(), 0.2),
        (generate::cone(1.0, 0.001, 50).unwrap(), 0.1),
        (generate::icosphere(1e-6, 4).unwrap(), 2e-7),
        (generate::icosphere(1e6, 4).unwrap(), 2e5),
    ];
    for (mesh, spacing) in meshes {
        let shell = PointShell::of_mesh(&mesh, spacing).unwrap();
        for _ in 0..3000 {
            let [a, b, c] = mesh.corners(random.below(mesh.triangles().len()) as u32);
            let (u, v) = (random.unit(), random.unit());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let p = a + (b - a) * u + (c - a) * v;
            let nearest = shell.points().iter().map(|q| (q.position - p).length()).fold(f64::INFINITY, f64::min);
            assert!(nearest <= spacing, "{nearest} > {spacing}");
        }
        let total: Vec3 = shell.points().iter().map(|point| point.area).sum();
        let area: f64 = shell.points().iter().map(|point| point.area.length()).sum();
        assert!(total.length() <= 1e-12 * area);
    }
}

#[test]
fn normals_point_inward_even_if_the_mesh_is_inside_out() {
    let ball = generate::icosphere(1.0, 3).unwrap();
    for mesh in [ball.clone(), ball.reversed()] {
        let shell = PointShell::of_mesh(&mesh, 0.2).unwrap();
        assert!(shell.points().iter().all(|point| point.normal().dot(point.position) < -0.9));
    }
}

#[test]
fn shells_of_bad_meshes_are_refused() {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    let error = PointShell::of_mesh(&open, 0.1).unwrap_err();
    assert!(error.to_string().contains("heurt repair"), "{error}");
    for spacing in [0.0, -0.1, f64::NAN] {
        assert!(matches!(PointShell::of_mesh(&cube, spacing), Err(PointShellError::Spacing { .. })));
    }
    assert!(matches!(PointShell::of_mesh(&cube, 1e-5), Err(PointShellError::TooManyPoints { .. })));
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let (field, shell) = (table(), cube_shell());
    let good = HapticSettings::new(1e8, 1000.0, 0.02);
    let bad = [
        HapticSettings { contact_stiffness: -1.0, ..good },
        HapticSettings { coupling_stiffness: 0.0, ..good },
        HapticSettings { period: f64::NAN, ..good },
        HapticSettings { max_force: f64::INFINITY, ..good },
    ];
    for settings in bad {
        let error = HapticLoop::new(field, &shell, settings, &Pose::IDENTITY).unwrap_err();
        assert!(matches!(error, HapticError::NotPositive { .. }), "{error}");
    }
    let negative = HapticSettings { coupling_damping: -1.0, ..good };
    let error = HapticLoop::new(field, &shell, negative, &Pose::IDENTITY).unwrap_err();
    assert_eq!(error.to_string(), "coupling_damping is -1 N·s/m: give a finite number, 0 or more");
    let strong = HapticSettings { coupling_damping: 100.0, ..good };
    let error = HapticLoop::new(field, &shell, strong, &Pose::IDENTITY).unwrap_err();
    assert!(matches!(error, HapticError::Damping { .. }));
}

#[test]
fn force_and_torque_are_those_of_pressure_on_a_face() {
    let (field, shell) = (table(), cube_shell());
    let stiffness = 1e8; // N/m³
    let none = shell_contact(field, &Pose::IDENTITY, &shell, &at(0.0, 0.0, 0.0105), stiffness);
    assert_eq!((none.force, none.torque, none.points, none.depth), (Vec3::ZERO, Vec3::ZERO, 0, 0.0));
    assert!(none.clearance <= 0.0005);
    let far = shell_contact(field, &Pose::IDENTITY, &shell, &at(0.0, 0.0, 0.03), stiffness);
    assert!(far.clearance > 0.0 && far.clearance <= 0.02, "{far:?}");
    // The face of 4 cm² is 0.1 mm deep: 1e8 N/m³ × 1e-4 m × 4e-4 m² = 4 N.
    let deep = shell_contact(field, &Pose::IDENTITY, &shell, &at(0.0, 0.0, 0.0099), stiffness);
    assert!((deep.force - Vec3::Z * 4.0).length() < 0.1, "{deep:?}");
    assert!(deep.torque.length() < 1e-4 && (deep.depth - 1e-4).abs() < 1e-6);
    // Half of the face lies beyond the edge of the table: the force acts 5 mm off the centre.
    let edge = shell_contact(field, &Pose::IDENTITY, &shell, &at(0.1, 0.0, 0.0099), stiffness);
    assert!((edge.force.z - 2.0).abs() < 0.25, "{edge:?}");
    assert!((edge.torque.y - 2.0 * 0.005).abs() < 0.002, "{edge:?}");
}

#[test]
fn the_contact_moves_with_both_poses() {
    let (field, shell) = (table(), cube_shell());
    let turn = Quat::from_xyzw(0.3, 0.1, -0.2, 0.9).normalize();
    let frame = Pose::from_quaternion(turn.to_array(), Vec3::new(1.0, 2.0, -3.0)).unwrap();
    let local = at(0.02, 0.03, 0.0099);
    let plain = shell_contact(field, &Pose::IDENTITY, &shell, &local, 1e8);
    let placed = shell_contact(field, &frame, &shell, &frame.compose(&local), 1e8);
    assert!((*frame.rotation() * plain.force - placed.force).length() < 1e-6);
    assert!((*frame.rotation() * plain.torque - placed.torque).length() < 1e-8);
    assert!((frame.place(plain.deepest.unwrap()) - placed.deepest.unwrap()).length() < 0.03);
    assert_eq!(plain.points, placed.points);
}

#[test]
fn culling_changes_no_force() {
    // The sum over all points without the tree of spheres.
    let field = DistanceOctree::of_mesh(&generate::torus(0.05, 0.02, 24, 12).unwrap(), 5e-4).unwrap();
    let shell = PointShell::of_mesh(&generate::icosphere(0.02, 3).unwrap(), 2e-3).unwrap();
    let mut random = SplitMix64::new(8);
    for _ in 0..200 {
        let quaternion = Quat::from_xyzw(random.unit(), random.unit(), random.unit(), random.unit()).normalize();
        let pose = Pose::from_quaternion(quaternion.to_array(), random.vector(-0.06, 0.06)).unwrap();
        let contact = shell_contact(&field, &Pose::IDENTITY, &shell, &pose, 1e6);
        let (mut force, mut points) = (Vec3::ZERO, 0);
        for point in shell.points() {
            let distance = field.sample(pose.place(point.position)).distance;
            if distance < 0.0 {
                force += *pose.rotation() * point.area * (-distance * 1e6);
                points += 1;
            }
        }
        assert_eq!(contact.points, points);
        assert!((contact.force - force).length() <= 1e-9 * (1.0 + force.length()));
    }
}

#[test]
fn the_force_is_continuous_in_the_pose() {
    let field = DistanceOctree::of_mesh(&generate::torus(0.05, 0.02, 24, 12).unwrap(), 5e-4).unwrap();
    let shell = PointShell::of_mesh(&generate::cuboid([0.02, 0.01, 0.015]).unwrap(), 2e-3).unwrap();
    let (stiffness, step) = (1e7, 1e-7);
    let area: f64 = shell.points().iter().map(|point| point.area.length()).sum();
    let mut last: Option<Vec3> = None;
    let mut greatest = 0.0f64;
    // A slide through the tube, with a rotation: 30,000 steps of 0.1 µm.
    for number in 0..30_000 {
        let s = f64::from(number) * step;
        let turn = Quat::from_xyzw(0.0, (10.0 * s).sin(), 0.0, (10.0 * s).cos());
        let pose = Pose::from_quaternion(turn.to_array(), Vec3::new(0.065 + s, 0.0, 0.02 - s)).unwrap();
        let force = shell_contact(&field, &Pose::IDENTITY, &shell, &pose, stiffness).force;
        if let Some(last) = last {
            // Points move by at most 3 steps, and the field has a slope of at most 2; values have 24 bits.
            assert!((force - last).length() <= 6.0 * step * stiffness * area + 1e-4, "step {number}");
        }
        greatest = greatest.max(force.length());
        last = Some(force);
    }
    assert!(greatest > 1.0, "the slide has contact: {greatest} N");
}

#[test]
fn a_closed_path_in_contact_gives_almost_no_work() {
    let field = DistanceOctree::of_mesh(&generate::icosphere(0.05, 4).unwrap(), 1e-4).unwrap();
    let shell = PointShell::of_mesh(&generate::icosphere(0.02, 4).unwrap(), 1e-3).unwrap();
    let (steps, centre) = (4000, Vec3::new(0.0, 0.0, 0.067));
    let (mut work, mut exchanged, mut last) = (0.0, 0.0, None::<(Vec3, Vec3)>);
    for number in 0..=steps {
        let angle = std::f64::consts::TAU * f64::from(number) / f64::from(steps);
        let p = centre + Vec3::new(angle.cos(), 0.5 * angle.sin(), angle.sin()) * 0.002;
        let force = shell_contact(&field, &Pose::IDENTITY, &shell, &at(p.x, p.y, p.z), 1e8).force;
        if let Some((before, at_before)) = last {
            let gain = 0.5 * (before + force).dot(p - at_before);
            work += gain;
            exchanged += gain.abs();
        }
        last = Some((force, p));
    }
    assert!(exchanged > 1e-4 && work.abs() < 0.01 * exchanged, "{work} J of {exchanged} J");
}

#[test]
fn a_box_on_a_table_carries_the_force_of_its_device() {
    let (field, shell) = (table(), cube_shell());
    let settings = HapticSettings::new(1e8, 1000.0, shell.radius());
    let mut haptics = HapticLoop::new(field, &shell, settings, &at(0.0, 0.0, 0.02)).unwrap();
    let free = haptics.step(&at(0.001, 0.0, 0.02));
    assert_eq!((free.force, free.torque, free.contact.points), (Vec3::ZERO, Vec3::ZERO, 0));
    assert_eq!(free.tool, at(0.001, 0.0, 0.02), "a free tool is at the pose of the device");
    let mut last = free;
    for step in 0..2000 {
        last = haptics.step(&at(0.001, 0.0, 0.02 - 1e-5 * f64::from(step.min(1300))));
    }
    // The device is 3 mm below its place at rest. Coupling and contact are springs in series:
    // 1000 N/m and 1e8 N/m³ × 4e-4 m² = 40,000 N/m.
    let series = 1.0 / (1.0 / 1000.0 + 1.0 / 40_000.0);
    assert!((last.force - Vec3::Z * 3e-3 * series).length() < 0.05, "{last:?}");
    assert!((last.contact.force - last.force).length() < 1e-3, "the tool is in equilibrium");
    assert!(last.torque.length() < 1e-3 && last.tool.translation().z > 0.0099);
}

/// A device of 0.1 kg without friction flies into the table: the energies before and after.
fn bounce(settings: HapticSettings, speed: f64) -> (f64, f64) {
    let (field, shell) = (table(), cube_shell());
    let (mass, period, substeps) = (0.1, settings.period, 20);
    let mut haptics = HapticLoop::new(field, &shell, settings, &at(0.0, 0.0, 0.015)).unwrap();
    let (mut z, mut velocity) = (0.015, -speed);
    let mut greatest = 0.0f64;
    for _ in 0..400 {
        let output = haptics.step(&at(0.0, 0.0, z));
        // The force is held over the period.
        for _ in 0..substeps {
            velocity += output.force.z / mass * period / f64::from(substeps);
            z += velocity * period / f64::from(substeps);
        }
        greatest = greatest.max(output.force.length());
        assert!(output.tool.translation().z > 0.0085, "the tool stays out: {output:?}");
        if z > 0.016 {
            break;
        }
    }
    // A mass on a spring: the force reaches v √(k m), less with a damper and with the contact in series.
    let peak = speed * (settings.coupling_stiffness * mass).sqrt();
    assert!(greatest > 0.5 * peak && greatest <= settings.max_force + 1e-9, "{greatest} N of {peak} N");
    (0.5 * mass * speed * speed, 0.5 * mass * velocity * velocity)
}

#[test]
fn a_wall_returns_no_more_energy_than_it_received() {
    for stiffness in [200.0, 1000.0, 3000.0] {
        for speed in [0.05, 0.1, 0.3] {
            let (before, after) = bounce(HapticSettings::new(1e8, stiffness, 0.0173), speed);
            assert!(after <= before * 1.001, "{stiffness} N/m, {speed} m/s: {before} J, {after} J");
        }
    }
    // Even without any damper in the coupling the passivity controller takes the surplus back.
    let bare =
        HapticSettings { coupling_damping: 0.0, contact_damping: 0.0, ..HapticSettings::new(1e8, 1000.0, 0.0173) };
    let (before, after) = bounce(bare, 0.1);
    assert!(after <= before * 1.02, "{before} J, {after} J");
}

#[test]
fn a_held_device_comes_to_rest_on_the_wall() {
    let (field, shell) = (table(), cube_shell());
    let settings = HapticSettings::new(1e8, 1000.0, shell.radius());
    let mut haptics = HapticLoop::new(field, &shell, settings, &at(0.0, 0.0, 0.012)).unwrap();
    // A hand pushes 0.1 kg with 2 N; its own damping is 2 N·s/m.
    let (mut z, mut velocity, mut last_force) = (0.012, 0.0, 0.0);
    for step in 0..3000 {
        let output = haptics.step(&at(0.0, 0.0, z));
        velocity += (output.force.z - 2.0 - 2.0 * velocity) / 0.1 * 1e-3;
        z += velocity * 1e-3;
        if step > 2500 {
            assert!(velocity.abs() < 1e-4, "no buzz: {velocity} m/s");
        }
        last_force = output.force.z;
    }
    assert!((last_force - 2.0).abs() < 0.01, "{last_force} N");
    assert!(haptics.received_energy() >= 0.0);
}

#[test]
fn a_peg_enters_a_hole_and_is_held_by_its_walls() {
    let block = generate::cuboid([0.04, 0.04, 0.02]).unwrap();
    let bore = generate::cylinder(0.0105, 0.05, 48).unwrap();
    let drilled = combine(&SolidMesh::new(&block).unwrap(), &SolidMesh::new(&bore).unwrap(), SetOperation::Difference);
    let field = DistanceOctree::of_mesh(&drilled.unwrap().mesh.unwrap(), 1e-4).unwrap();
    let shell = PointShell::of_mesh(&generate::cylinder(0.01, 0.03, 48).unwrap(), 2e-3).unwrap();
    let settings = HapticSettings::new(1e8, 1000.0, shell.radius());
    let mut haptics = HapticLoop::new(&field, &shell, settings, &at(0.0, 0.0, 0.06)).unwrap();
    // Into the hole along its axis: the gap of 0.5 mm is free.
    for step in 0..2000 {
        let output = haptics.step(&at(0.0, 0.0, 0.06 - 3e-5 * f64::from(step)));
        assert_eq!((output.force, output.contact.points), (Vec3::ZERO, 0), "step {step}");
    }
    // Sideways by 2.5 mm: the wall holds the peg, and the coupling returns some 2 mm × 1000 N/m.
    let mut last = haptics.step(&at(0.0, 0.0, 0.0));
    for step in 0..2000 {
        last = haptics.step(&at(2.5e-3 * (f64::from(step) / 500.0).min(1.0), 0.0, 0.0));
    }
    assert!(last.force.x < -1.8 && last.force.x > -2.2, "{last:?}");
    assert!(last.tool.translation().x < 0.7e-3 && last.force.z.abs() < 0.1, "{last:?}");
    // A twist of 10° around y: the walls turn the peg upright, the device feels the torque.
    let tilt = 5.0f64.to_radians();
    let tilted = Pose::from_quaternion([0.0, tilt.sin(), 0.0, tilt.cos()], Vec3::ZERO).unwrap();
    for _ in 0..2000 {
        last = haptics.step(&tilted);
    }
    assert!(last.is_saturated && last.torque.y < -0.9 * settings.max_torque, "{last:?}");
    assert!(last.tool.rotation().z_axis.x < 3.0f64.to_radians().sin(), "the walls hold the peg: {last:?}");
}

#[test]
fn the_tool_does_not_jump_through_a_wall() {
    let (field, shell) = (table(), cube_shell());
    let settings = HapticSettings::new(1e8, 1000.0, shell.radius());
    let mut haptics = HapticLoop::new(field, &shell, settings, &at(0.0, 0.0, 0.03)).unwrap();
    // The device is below the table at once, 40 mm thick.
    let mut last = haptics.step(&at(0.0, 0.0, -0.2));
    for _ in 0..3000 {
        last = haptics.step(&at(0.0, 0.0, -0.2));
    }
    assert!(last.is_saturated && last.force.length() <= settings.max_force * (1.0 + 1e-12));
    assert!(last.tool.translation().z > 0.009, "{last:?}");
}

#[test]
fn a_moving_solid_pushes_the_tool() {
    let (field, shell) = (table(), cube_shell());
    let settings = HapticSettings::new(1e8, 1000.0, shell.radius());
    let mut haptics = HapticLoop::new(field, &shell, settings, &at(0.0, 0.0, 0.012)).unwrap();
    let mut last = haptics.step(&at(0.0, 0.0, 0.012));
    for step in 0..1000 {
        haptics.set_solid_pose(&at(0.0, 0.0, 1e-5 * f64::from(step.min(400))));
        last = haptics.step(&at(0.0, 0.0, 0.012));
    }
    // The table rises by 4 mm, 2 mm into the tool.
    assert!((last.force.z - 2.0).abs() < 0.1, "{last:?}");
}

#[test]
fn equal_runs_are_equal() {
    let (field, shell) = (table(), cube_shell());
    let run = || {
        let settings = HapticSettings::new(1e8, 1000.0, shell.radius());
        let mut haptics = HapticLoop::new(field, &shell, settings, &at(0.0, 0.0, 0.011)).unwrap();
        let mut random = SplitMix64::new(3);
        let outputs: Vec<_> = (0..500)
            .map(|_| {
                let p = random.vector(-0.002, 0.002);
                haptics.step(&at(p.x, p.y, 0.01 + p.z))
            })
            .collect();
        outputs
    };
    assert_eq!(run(), run());
}
