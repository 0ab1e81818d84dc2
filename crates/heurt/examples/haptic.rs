//! A hand asks a thousand times a second what its tool touches, while the world steps sixty times a second on another thread.
//!
//! An organ of 100,000 triangles lies among a hundred bodies that fly about; a tool of a thousand triangles is drawn across it, pressed
//! in and lifted off now and then. Each question is asked of the last whole state of the world, and answered with all contacts.
//!
//! `cargo run --release -p heurt --example haptic -- 60`, with as many seconds as wanted, 5 unless given. With `idle` after them nothing is
//! asked: what is late then, the machine made late.

use heurt::mesh::generate::{bumpy_sphere, capsule, icosphere};
use heurt::prelude::*;
use heurt::world::{Body, Mass, QueryFilter, Settings, World};
use std::f64::consts::TAU;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the hand asks and the world steps, in seconds.
const SLOT: f64 = 1e-3;
const STEP: f64 = 1.0 / 60.0;
/// The share of a slot that the hand waits for awake, as sleep is not exact; systems take real time away from who never sleeps.
const AWAKE: f64 = 0.5;

const ORGAN_RADIUS: f64 = 0.1;
/// Of the organ's surface, as a share of its radius, and how many.
const BUMPS: f64 = 0.03;
const WAVES: f64 = 9.0;

const TOOL_RADIUS: f64 = 0.004;
const TOOL_HALF_HEIGHT: f64 = 0.03;

/// What came of a question.
struct TimedQuery {
    /// Seconds that the answer took, and seconds from the start of its slot until it was there.
    took: f64,
    there_after: f64,
    contacts: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds: f64 = std::env::args().nth(1).map_or(Ok(5.0), |given| given.parse())?;
    let is_idle = std::env::args().nth(2).is_some_and(|given| given == "idle");
    let mut world = scene()?;
    let tool = MeshShape::new(capsule(TOOL_RADIUS, TOOL_HALF_HEIGHT, 32)?)?;
    tool.prepare_contacts();
    let triangles = |body: &Body| if let Shape::Mesh(mesh) = &body.shape { mesh.mesh().triangles().len() } else { 0 };
    let largest = world.bodies().map(|(_, body)| triangles(body)).max().unwrap_or(0);
    println!("{} bodies, the largest of {largest} triangles; a tool of {}", world.len(), tool.mesh().triangles().len());
    let (reader, is_over) = (world.reader(), AtomicBool::new(false));
    let queries = std::thread::scope(|scope| {
        let hand = scope.spawn(|| -> Result<Vec<TimedQuery>, Box<dyn std::error::Error + Send + Sync>> {
            if !goes_first() {
                println!(
                    "the hand waits its turn: the right to real time is missing (run as root, or with CAP_SYS_NICE)"
                );
            }
            let queries = run_queries(&reader, (!is_idle).then_some(&tool), seconds);
            is_over.store(true, Ordering::Release);
            queries
        });
        let started = Instant::now();
        while !is_over.load(Ordering::Acquire) {
            world.step(STEP).expect("bodies stay within range");
            let left = world.time() - started.elapsed().as_secs_f64();
            std::thread::sleep(Duration::from_secs_f64(left.max(0.0)));
        }
        hand.join().expect("the hand does not panic")
    });
    print_summary(&queries.map_err(|error| error.to_string())?, world.steps());
    Ok(())
}

/// An organ, and a hundred bodies about it.
fn scene() -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
    let organ = MeshShape::new(bumpy_sphere(ORGAN_RADIUS, BUMPS, WAVES, 320)?)?;
    world.insert(Body::fixed(organ, Pose::IDENTITY))?;
    let ball = Shape::from(MeshShape::new(icosphere(0.02, 2)?)?);
    let mass = Mass::of_density(&ball, 1000.0)?;
    for number in 0..100 {
        let angle = TAU * f64::from(number) / 100.0;
        let place = Vec3::new(angle.cos(), angle.sin(), 0.1 * f64::from(number % 3)) * 0.3;
        let body = Body::dynamic(ball.clone(), Pose::from_translation(place)?, mass);
        world.insert(Body { angular_velocity: Vec3::new(1.0, 2.0, 3.0), ..body })?;
    }
    Ok(world)
}

/// Where the tool is: its tip goes round the organ, 1.5 mm deep in the mean, and is off for a twentieth of the time.
fn tool_pose(time: f64) -> Result<Pose, PoseError> {
    let (turn, lift) = (0.3 * TAU * time, 0.5 + 0.3 * (0.07 * TAU * time).sin());
    let out = Vec3::new(turn.cos() * lift.cos(), turn.sin() * lift.cos(), lift.sin());
    let is_off = (time * 2.0).fract() > 0.95;
    let depth = if is_off { -0.01 } else { 0.0015 + 0.001 * (TAU * 3.1 * time).sin() };
    let bump = out.to_array().into_iter().map(|x| (0.5 * TAU * WAVES * x).sin()).sum::<f64>() / 3.0;
    let surface = ORGAN_RADIUS * (1.0 + BUMPS * bump);
    let rotation = Quat::from_rotation_arc(Vec3::Z, out);
    Pose::from_quaternion(rotation.to_array(), out * (surface - depth + TOOL_HALF_HEIGHT + TOOL_RADIUS))
}

/// Puts this thread before all that is not in real time; false where the system does not allow it.
fn goes_first() -> bool {
    use thread_priority::*;
    #[cfg(unix)]
    return set_thread_priority_and_policy(
        thread_native_id(),
        ThreadPriority::Min,
        ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo),
    )
    .is_ok();
    #[cfg(not(unix))]
    return set_current_thread_priority(ThreadPriority::Max).is_ok();
}

fn run_queries(
    reader: &heurt::world::Reader,
    tool: Option<&MeshShape>,
    seconds: f64,
) -> Result<Vec<TimedQuery>, Box<dyn std::error::Error + Send + Sync>> {
    let mut queries = Vec::with_capacity((seconds / SLOT) as usize);
    let started = Instant::now();
    while queries.len() < (seconds / SLOT) as usize {
        let slot = queries.len() as f64 * SLOT;
        let left = slot - started.elapsed().as_secs_f64() - AWAKE * SLOT;
        if left > 0.0 {
            std::thread::sleep(Duration::from_secs_f64(left));
        }
        while started.elapsed().as_secs_f64() < slot {
            std::hint::spin_loop();
        }
        let begun = Instant::now();
        let pose = tool_pose(slot)?;
        let met =
            tool.map_or(Ok(Vec::new()), |tool| reader.latest().contact_manifolds(tool, &pose, 0.0, QueryFilter::ALL))?;
        queries.push(TimedQuery {
            took: begun.elapsed().as_secs_f64(),
            there_after: started.elapsed().as_secs_f64() - slot,
            contacts: met.iter().map(|met| met.hit.points.len()).sum(),
        });
    }
    Ok(queries)
}

fn print_summary(queries: &[TimedQuery], steps: u64) {
    let count = queries.len();
    let touching = queries.iter().filter(|queries| queries.contacts > 0).count();
    let contacts: usize = queries.iter().map(|queries| queries.contacts).sum();
    let late = queries.iter().filter(|queries| queries.there_after > SLOT).count();
    let sorted = |of: &dyn Fn(&TimedQuery) -> f64| {
        let mut times: Vec<f64> = queries.iter().map(of).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    println!(
        "{count} questions during {steps} steps: {:.1}% in contact, {:.2} contacts each",
        100.0 * touching as f64 / count as f64,
        contacts as f64 / touching.max(1) as f64
    );
    for (title, of) in [
        ("an answer takes", (|queries| queries.took) as fn(&TimedQuery) -> f64),
        ("it is there after", |queries| queries.there_after),
    ] {
        let times = sorted(&of);
        let at = |share: f64| 1e3 * times[((count - 1) as f64 * share) as usize];
        let [p50, p99, p999, max] = [0.5, 0.99, 0.999, 1.0].map(at);
        println!("{title:18} p50 {p50:.4}  p99 {p99:.4}  p99.9 {p999:.4}  max {max:.4} ms");
    }
    println!("past their slot of 1 ms: {late}");
}
