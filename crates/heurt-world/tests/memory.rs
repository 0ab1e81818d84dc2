//! Bytes a body takes beyond its shape in a world that steps, as the world tells and as the allocator counts them. The only test of its
//! process: nobody else allocates meanwhile.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, Detection, Mass, Settings, World};
use peak_alloc::PeakAlloc;
use std::sync::Arc;

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

/// Boxes that spin and fall, apart from each other, all of one shape and mass.
fn scattered(count: u32, detection: Detection) -> World {
    let mut world = World::new(Settings { detection, ..Settings::default() }).unwrap();
    let shape: Shape = Convex::cuboid(Vec3::new(0.3, 0.4, 0.5)).unwrap().into();
    let mass = Arc::new(Mass::of_density(&shape, 1000.0).unwrap());
    let edge = f64::from(count).cbrt().ceil() as u32;
    for k in 0..count {
        let cell = [k % edge, k / edge % edge, k / edge / edge].map(f64::from);
        let pose = Pose::from_translation(Vec3::from_array(cell) * 4.0).unwrap();
        let body = Body::dynamic(shape.clone(), pose, Arc::clone(&mass));
        world.insert(Body { angular_velocity: Vec3::new(0.1, 0.2, 0.3), ..body }).unwrap();
    }
    world
}

/// Memory of this process that is in the machine's, in bytes; nothing where the system does not tell.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok()).map_or(0, |kilobytes| kilobytes * 1024)
}

/// Bytes a body after three steps: as the world tells, as the allocator counts, at most at any time, and as the system counts.
fn bytes_each(count: u32, detection: Detection) -> [usize; 4] {
    let (before, resident_before) = (COUNTED.current_usage(), resident());
    COUNTED.reset_peak_usage();
    let mut world = scattered(count, detection);
    for _ in 0..3 {
        assert_eq!(world.step(1.0 / 60.0).unwrap().moved, count as usize);
    }
    let bytes = world.bytes();
    println!("{count} bodies, {detection:?}: {bytes:?}");
    let counted = COUNTED.current_usage() - before;
    [bytes.all(), counted, COUNTED.peak_usage() - before, resident().saturating_sub(resident_before)]
        .map(|bytes| bytes / count as usize)
}

/// Refuses 512 bytes a body, told or counted, and a count that differs from what is told; gives what the system counts.
fn refuse_large(count: u32, detection: Detection) -> usize {
    let [reported, counted, peak, resident] = bytes_each(count, detection);
    println!(
        "{count} bodies, {detection:?}: {reported} bytes each reported, {counted} counted, {peak} at most, {resident} resident"
    );
    assert!(reported < 512 && counted < 512, "{reported} bytes each reported, {counted} counted");
    assert!(reported.abs_diff(counted) <= 16, "{reported} bytes each reported, {counted} counted");
    resident
}

#[test]
fn a_body_that_steps_takes_less_than_512_bytes() {
    // What threads take at first is not of bodies.
    bytes_each(1000, Detection::Discrete);
    for count in [5_000, 20_000, 100_000] {
        refuse_large(count, Detection::Discrete);
    }
    refuse_large(20_000, Detection::Continuous);
}

/// `cargo test --release -p heurt-world --test memory -- --ignored --nocapture`, alone.
#[test]
#[ignore = "a gigabyte"]
fn a_million_bodies_take_less_than_512_bytes_each() {
    let resident = refuse_large(1_000_000, Detection::Discrete);
    assert!(resident < 512, "{resident} bytes each resident");
}
