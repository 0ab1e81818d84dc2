//! debug
mod soft_step_scene;
use heurt_geometry::Vec3;
use heurt_rigid::soft_step::{SoftStepSettings, StepBody};
use soft_step_scene::*;
fn run(name: &str, n: u32, top: f64, set: SoftStepSettings) {
    let mut scene = Scene::new(set);
    scene.add_body(StepBody::FIXED);
    let half = Vec3::splat(0.5);
    for level in 0..n {
        let centre = Vec3::new(0.0, 0.0, 0.5 + f64::from(level));
        let body = scene.add_body(cuboid(centre, half, if level == n - 1 { top } else { 1.0 }));
        let touch = if level == 0 { Touch::PlaneBox { half } } else { Touch::BoxOnBox { halves: [half; 2] } };
        scene.add_pair([body - 1, body], touch, 0.5, 0.0);
    }
    print!("{name} {n} {top}:");
    for i in 0..3600 {
        scene.step();
        if [5, 30, 120, 600, 1200, 3599].contains(&i) {
            let v = scene.bodies[1..].iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
            let x = scene.bodies[1..].iter().map(|b| b.centre.truncate().length()).fold(0.0, f64::max);
            let z = scene.bodies.last().unwrap().centre.z;
            print!("  v {v:.1e} x {x:.1e} z {z:.4}");
        }
    }
    println!();
}
#[test]
fn dbg() {
    let d = SoftStepSettings { parallel: false, ..SoftStepSettings::default() };
    for (n, top) in [(5, 1.0), (10, 1.0), (20, 1.0), (2, 10.0), (2, 100.0)] {
        run("default", n, top, d);
        run("30 Hz", n, top, SoftStepSettings { contact_stiffness: 30.0, ..d });
        run("8 subs", n, top, SoftStepSettings { sub_steps: 8, ..d });
        run("2 relax", n, top, SoftStepSettings { relax_iterations: 2, ..d });
        run("damp 5", n, top, SoftStepSettings { contact_damping: 5.0, ..d });
        run("damp 2", n, top, SoftStepSettings { contact_damping: 2.0, ..d });
    }
}
