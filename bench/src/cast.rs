//! `cast`: when shapes that move meet first: hulls and a mesh along straight lines, heurt against parry; two meshes that turn, in
//! units of one `distance`.
//!
//! Hits and misses are timed together and apart. A time of parry's is late where heurt proves that the shapes meet before, early where heurt
//! proves that they do not until later, both by more than [`OFF`] of the way.

use crate::Options;
use crate::table::time;
use crate::timing::{Contestant, Mode, Outcome, contest};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{bumpy_sphere, sphere_segments, supertoroid, torus_segments};
use heurt_query::{Budget, CastOptions, Impact, cast, cast_with, distance};
use heurt_shape::{Convex, MeshShape, ShapeRef};
use heurt_testkit::number::random::Random;
use std::time::Duration;

/// Casts of a row, before hits and misses are told apart.
const PAIRS: usize = 256;
const WITH_MESH: usize = 64;
const SCREWS: usize = 60;
/// How near is near, in metres; shapes are about 1.
const OPTIONS: CastOptions = CastOptions { max_time: 1.0, tolerance: Some(1e-6) };
const TURNING: CastOptions = CastOptions { max_time: 1.0, tolerance: Some(3e-4) };
/// As a share of the way.
const OFF: f64 = 1e-4;
const BUDGET: Duration = Duration::from_secs(20);

/// A start and a way of the second shape; the first stands still.
#[derive(Clone, Copy)]
struct CastInput {
    a: Pose,
    b: Pose,
    velocity: Vec3,
}

/// What both are asked with, and what heurt says.
struct Row<'a> {
    name: String,
    a: ShapeRef<'a>,
    b: ShapeRef<'a>,
    inputs: Vec<CastInput>,
}

/// Measures all.
pub fn casts(options: &Options) {
    println!("\n### cast: median time along a straight path, tolerance 1e-6\n");
    println!("| shapes | answer | count | heurt | boxes, triangles | parry-f32 | parry-f64 | fastest / heurt |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut random = Random::new(options.seed);
    let mut answers = Vec::new();
    for corners in [8, 32, 128] {
        let points = [0, 1].map(|_| on_sphere(&mut random, corners, 1.0));
        let [a, b] = points.each_ref().map(|points| Convex::hull(points).expect("a hull"));
        let inputs = (0..PAIRS).map(|_| flight(&mut random, 3.0, 2.0, 1.3)).collect();
        let row = Row { name: format!("hulls of {corners}"), a: (&a).into(), b: (&b).into(), inputs };
        let peers = (
            [single::Peer::hull(&points[0]), single::Peer::hull(&points[1])],
            [double::Peer::hull(&points[0]), double::Peer::hull(&points[1])],
        );
        answers.extend(measure(&row, &peers, options));
    }
    let mesh = supertoroid(1.0, 0.4, 0.8, 0.7, torus_segments(100_000)).expect("a torus");
    let shape = MeshShape::new(mesh.clone()).expect("in range");
    for radius in [0.05, 0.2, 0.5, 1.0] {
        let points = on_sphere(&mut random, 32, radius * 1.4);
        let hull = Convex::hull(&points).expect("a hull");
        let inputs = (0..WITH_MESH).map(|_| flight(&mut random, 1.6 + 1.5 * radius, 1.4, 0.8 + radius)).collect();
        let name = format!("100k and a hull of 32, {radius} of its size");
        let row = Row { name, a: (&shape).into(), b: (&hull).into(), inputs };
        let peers = (
            [single::Peer::mesh(&mesh), single::Peer::hull(&points)],
            [double::Peer::mesh(&mesh), double::Peer::hull(&points)],
        );
        answers.extend(measure(&row, &peers, options));
    }
    println!("\n### cast: the times of parry, held against the proved bounds of heurt\n");
    println!("| shapes | who | hits of heurt, of it | late | early | worst share of the way |");
    println!("|---|---|---|---|---|---|");
    answers.iter().for_each(|line| println!("{line}"));
    screws(&mut random, options);
}

fn on_sphere(random: &mut Random, count: usize, radius: f64) -> Vec<Vec3> {
    let mut direction = || loop {
        let v = random.vector(1.0);
        if v.length() < 1.0 && v.length() > 0.1 {
            break v.normalize() * radius;
        }
    };
    (0..count).map(|_| direction()).collect()
}

/// A start at least so far away, a way that leads past the middle by up to about `aside`, up to 1.5 times as far as that.
fn flight(random: &mut Random, least: f64, around: f64, aside: f64) -> CastInput {
    let a = random.pose(1.0);
    let b = loop {
        let b = random.pose(least + around);
        if (b.translation() - a.translation()).length() > least {
            break b;
        }
    };
    let velocity = (a.translation() + random.vector(aside) - b.translation()) * random.between(0.8, 1.5);
    CastInput { a, b, velocity }
}

impl Row<'_> {
    fn cast_one(&self, flight: &CastInput) -> Option<Impact> {
        let motion = Motion::linear(flight.velocity).expect("a finite velocity");
        cast(self.a, &flight.a, &Motion::STILL, self.b, &flight.b, &motion, &OPTIONS).expect("in range")
    }

    fn work(&self, inputs: &[CastInput]) -> String {
        let mut counts: Vec<[u64; 2]> = inputs
            .iter()
            .map(|flight| {
                let motion = Motion::linear(flight.velocity).expect("a finite velocity");
                let (still, no_limit) = (Motion::STILL, Budget::default());
                let found = cast_with(self.a, &flight.a, &still, self.b, &flight.b, &motion, &OPTIONS, &no_limit);
                let work = found.expect("in range").work;
                [work.volumes, work.primitives]
            })
            .collect();
        counts.sort_unstable();
        let [volumes, primitives] = counts[counts.len() / 2];
        format!("{volumes}, {primitives}")
    }
}

/// Prints the lines of a row, and gives those about parry's answers.
fn measure(row: &Row<'_>, peers: &([single::Peer; 2], [double::Peer; 2]), options: &Options) -> [String; 2] {
    let answers: Vec<Option<Impact>> = row.inputs.iter().map(|flight| row.cast_one(flight)).collect();
    for (answer, counts) in [("all", [true, true]), ("hit", [false, true]), ("miss", [true, false])] {
        let all = row.inputs.iter().zip(&answers);
        let inputs: Vec<CastInput> =
            all.filter(|(_, found)| counts[usize::from(found.is_some())]).map(|(flight, _)| *flight).collect();
        if inputs.is_empty() {
            continue;
        }
        let (one, two): (Vec<_>, Vec<_>) = inputs.iter().map(|f| (single::ready(f), double::ready(f))).unzip();
        let field = vec![
            Contestant::new("heurt", |i| row.cast_one(&inputs[i]).map_or(0, |found| found.time.to_bits())),
            Contestant::new("parry-f32", |i| {
                peers.0[0].cast(&peers.0[1], &one[i]).map_or(0, |time| time.to_bits().into())
            }),
            Contestant::new("parry-f64", |i| peers.1[0].cast(&peers.1[1], &two[i]).map_or(0, |time| time.to_bits())),
        ];
        let outcomes = contest(inputs.len(), options.rounds, Mode::Each, BUDGET, field);
        let [ours, f32s, f64s] = [0, 1, 2].map(|k: usize| outcomes[k].median());
        println!(
            "| {} | {answer} | {} | {} | {} | {} | {} | {:.2} |",
            row.name,
            inputs.len(),
            time(ours),
            row.work(&inputs),
            time(f32s),
            time(f64s),
            f32s.min(f64s) / ours
        );
    }
    let singles = row.inputs.iter().map(|flight| peers.0[0].cast(&peers.0[1], &single::ready(flight)).map(f64::from));
    let doubles = row.inputs.iter().map(|flight| peers.1[0].cast(&peers.1[1], &double::ready(flight)));
    [held(&row.name, "parry-f32", &answers, singles), held(&row.name, "parry-f64", &answers, doubles)]
}

/// A line about the answers of a peer.
fn held(name: &str, peer: &str, ours: &[Option<Impact>], theirs: impl Iterator<Item = Option<f64>>) -> String {
    let (mut hits, mut late, mut early, mut worst) = ([0, 0], 0, 0, 0.0f64);
    for (found, reported) in ours.iter().zip(theirs) {
        hits[0] += u32::from(found.is_some());
        hits[1] += u32::from(reported.is_some());
        if let (Some(found), Some(reported)) = (found, reported) {
            let off = (reported - found.time_upper).max(found.time - reported).max(0.0);
            worst = worst.max(off);
            late += u32::from(reported > found.time_upper + OFF);
            early += u32::from(reported < found.time - OFF);
        }
    }
    format!("| {name} | {peer} | {}, {} | {late} | {early} | {worst:.1e} |", hits[0], hits[1])
}

/// Two meshes that turn by radians on their way: in units of a distance at the start, and of one near the meeting.
fn screws(random: &mut Random, options: &Options) {
    let smooth = bumpy_sphere(1.0, 0.2, 5.0, sphere_segments(10_000)).expect("a sphere");
    let ring = supertoroid(1.0, 0.4, 0.8, 0.7, torus_segments(10_000)).expect("a torus");
    let [a, b] = [smooth, ring].map(|mesh| MeshShape::new(mesh).expect("in range"));
    let mut motions = Vec::new();
    let inputs: Vec<CastInput> = (0..SCREWS)
        .map(|_| {
            loop {
                let flight = flight(random, 2.5, 2.5, 1.0);
                if distance(&a, &flight.a, &b, &flight.b).distance > 0.2 {
                    let turning = |velocity, spin| Motion::screw(velocity, spin).expect("finite velocities");
                    motions
                        .push([turning(Vec3::ZERO, random.vector(1.0)), turning(flight.velocity, random.vector(3.0))]);
                    break flight;
                }
            }
        })
        .collect();
    let cast_one = |i: usize| {
        let ([of_a, of_b], CastInput { a: p, b: q, .. }) = (&motions[i], &inputs[i]);
        cast(&a, p, of_a, &b, q, of_b, &TURNING).expect("in range")
    };
    let near: Vec<Option<[Pose; 2]>> = (0..SCREWS)
        .map(|i| {
            let at = 0.99 * cast_one(i)?.time;
            let place = |motion: &Motion, pose| motion.pose_at(pose, at).expect("in range");
            Some([place(&motions[i][0], &inputs[i].a), place(&motions[i][1], &inputs[i].b)])
        })
        .collect();
    println!("\n### cast: 10k × 10k that turn on their way, tolerance 3e-4\n");
    println!("| answer | count | cast | in distances at the start | in distances near the meeting |");
    println!("|---|---|---|---|---|");
    for (answer, is_hit) in [("hit", true), ("miss", false)] {
        let items: Vec<usize> = (0..SCREWS).filter(|&i| near[i].is_some() == is_hit).collect();
        if items.is_empty() {
            continue;
        }
        let (a, b, inputs, near, items, cast_one) = (&a, &b, &inputs, &near, &items, &cast_one);
        let field = vec![
            Contestant::new("cast", move |k| cast_one(items[k]).map_or(0, |found| found.time.to_bits())),
            Contestant::new("start", move |k| {
                distance(a, &inputs[items[k]].a, b, &inputs[items[k]].b).distance.to_bits()
            }),
            Contestant::new("near", move |k| {
                near[items[k]].map_or(0, |[p, q]| distance(a, &p, b, &q).distance.to_bits())
            }),
        ];
        let outcomes = contest(items.len(), options.rounds, Mode::Each, BUDGET, field);
        // Of each cast by itself: distances near the meeting differ a hundredfold.
        let share = |of: &Outcome| {
            let each = outcomes[0].times.iter().zip(&of.times).map(|(cast, distance)| cast / distance);
            crate::timing::median(&each.collect::<Vec<f64>>())
        };
        let near = if is_hit { format!("{:.1}", share(&outcomes[2])) } else { "–".into() };
        println!(
            "| {answer} | {} | {} | {:.1} | {near} |",
            items.len(),
            time(outcomes[0].median()),
            share(&outcomes[1])
        );
    }
}

macro_rules! parry_casts {
    ($module:ident, $krate:ident, $real:ty) => {
        /// One precision of parry.
        mod $module {
            use super::{CastInput, TriMesh};
            use heurt_geometry::{Pose as Placed, Quat, Vec3};
            use $krate::math::{Pose, Rotation, Vector};
            use $krate::query::{ShapeCastOptions, cast_shapes};
            use $krate::shape::{ConvexPolyhedron, Shape};

            pub struct Peer(Box<dyn Shape>);

            /// A flight in parry's numbers.
            pub struct Ready(Pose, Pose, Vector);

            fn vector(v: &Vec3) -> Vector {
                Vector::new(v.x as $real, v.y as $real, v.z as $real)
            }

            pub fn ready(flight: &CastInput) -> Ready {
                let pose = |placed: &Placed| {
                    let [x, y, z, w] = Quat::from_mat3(placed.rotation()).to_array().map(|number| number as $real);
                    Pose::from_parts(vector(&placed.translation()), Rotation::from_xyzw(x, y, z, w))
                };
                Ready(pose(&flight.a), pose(&flight.b), vector(&flight.velocity))
            }

            impl Peer {
                pub fn hull(points: &[Vec3]) -> Self {
                    let points: Vec<Vector> = points.iter().map(vector).collect();
                    Self(Box::new(ConvexPolyhedron::from_convex_hull(&points).expect("a hull that parry takes")))
                }

                pub fn mesh(mesh: &TriMesh) -> Self {
                    let vertices = mesh.vertices().iter().map(vector).collect();
                    let inner = $krate::shape::TriMesh::new(vertices, mesh.triangles().to_vec());
                    Self(Box::new(inner.expect("a mesh that parry takes")))
                }

                pub fn cast(&self, other: &Self, Ready(a, b, velocity): &Ready) -> Option<$real> {
                    let options = ShapeCastOptions { max_time_of_impact: 1.0, ..Default::default() };
                    let hit = cast_shapes(a, Vector::ZERO, &*self.0, b, *velocity, &*other.0, options);
                    hit.expect("shapes that parry casts").map(|hit| hit.time_of_impact)
                }
            }
        }
    };
}

parry_casts!(single, parry3d, f32);
parry_casts!(double, parry3d_f64, f64);
