//! `convex`: hulls of 8, 32 and 128 corners, heurt against parry here and Coal and FCL from `peers.tsv`: distances near, by
//! themselves and along ways of small steps, depths where they overlap.
//!
//! A wrong answer is off heurt's, which the tests hold against integers, by more than a billionth.

use crate::Options;
use crate::peers::parry;
use crate::peers::referee;
use crate::poses::{COUNT, Placement, Regime};
use crate::random::Random;
use crate::store::{self, Prepared, peer_lines};
use crate::table::{self, Line};
use crate::timing::{Contestant, Mode, Outcome, contest};
use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::TriMesh;
use heurt_query::{PairCache, contact, distance, overlap, separation};
use heurt_shape::Convex;
use std::time::Duration;

/// Measures distances and depths.
pub fn convex(cases: &[Prepared], options: &Options) {
    for prepared in cases {
        let [a, b] = [&prepared.case.a, &prepared.case.b];
        let shapes = [a, b].map(|mesh| Convex::hull(mesh.vertices()).expect("a hull"));
        let ([f, g], [x, y]) = ([a, b].map(single::Hull::new), [a, b].map(double::Hull::new));
        for (index, regime) in Regime::ALL.into_iter().enumerate().skip(1) {
            let placements = &prepared.poses[index];
            let ours: Vec<[Pose; 2]> = placements.iter().map(|p| [referee::pose(&p.a), referee::pose(&p.b)]).collect();
            let single: Vec<_> =
                placements.iter().map(|p| [parry::single::pose(&p.a), parry::single::pose(&p.b)]).collect();
            let double: Vec<_> =
                placements.iter().map(|p| [parry::double::pose(&p.a), parry::double::pose(&p.b)]).collect();
            let measured = |i: usize| {
                let [p, q] = &ours[i];
                match regime {
                    Regime::Overlap => -separation(&shapes[0], p, &shapes[1], q).separation,
                    _ => distance(&shapes[0], p, &shapes[1], q).distance,
                }
            };
            let right: Vec<f64> = (0..COUNT).map(measured).collect();
            store::leave(&options.data, &format!("{}.{}.d", prepared.case.name, regime.name()), &right);
            let is_right = |i: usize, found: f64, share: f64| u64::from((found - right[i]).abs() <= share * right[i]);
            let mut field = vec![Contestant::new("heurt", |i| is_right(i, measured(i), 1e-9))];
            if regime == Regime::Overlap {
                field.push(Contestant::new("heurt, contact with all its points", |i| {
                    let found = contact(&shapes[0], &ours[i][0], &shapes[1], &ours[i][1], 0.0);
                    is_right(i, -found.expect("they overlap").separation, 1e-9)
                }));
                field.push(Contestant::new("heurt, overlap only", |i| {
                    u64::from(overlap(&shapes[0], &ours[i][0], &shapes[1], &ours[i][1]).is_some())
                }));
            }
            field.push(Contestant::new("parry-f64", |i| {
                let [p, q] = &double[i];
                let found = if regime == Regime::Overlap { x.depth(p, &y, q) } else { x.distance(p, &y, q) };
                is_right(i, found, 1e-9)
            }));
            field.push(Contestant::new("parry-f32 (right to 1e-4)", |i| {
                let [p, q] = &single[i];
                let found = if regime == Regime::Overlap { f.depth(p, &g, q) } else { f.distance(p, &g, q) };
                is_right(i, f64::from(found), 1e-4)
            }));
            let verb = if regime == Regime::Overlap { "depth" } else { "distance" };
            let outcomes = contest(COUNT, options.rounds, Mode::Repeated, Duration::from_secs(8), field);
            report(prepared, regime, verb, &outcomes, options);
        }
        steps(prepared, &shapes, [&f, &g], [&x, &y], options);
    }
}

/// Steps of a way, each from the pose of the one before: b moves by a thousandth of its size and turns by 0.1° a step.
const STEPS: usize = 16;

/// Measures distances along ways of small steps from the near poses.
fn steps(
    prepared: &Prepared,
    shapes: &[Convex; 2],
    one: [&single::Hull; 2],
    two: [&double::Hull; 2],
    options: &Options,
) {
    let mut random = Random(5);
    let mut placements = Vec::new();
    for &Placement { a, b } in &prepared.poses[1] {
        let [x, y, z, w, shift @ ..] = b;
        let (turn, shift) = (Quat::from_xyzw(x, y, z, w), Vec3::from_array(shift));
        // Across the direction to the other hull, or nearly: the gap stays.
        let offset = (shift - Vec3::new(a[4], a[5], a[6])).cross(random.direction()).normalize() * 0.002;
        let axis = random.direction();
        for step in 0..STEPS {
            let turned = Quat::from_axis_angle(axis, 0.1f64.to_radians() * step as f64) * turn;
            let [x, y, z, w] = turned.normalize().to_array();
            let shift = shift + offset * step as f64;
            placements.push(Placement { a, b: [x, y, z, w, shift.x, shift.y, shift.z] });
        }
    }
    let ours: Vec<[Pose; 2]> = placements.iter().map(|p| [referee::pose(&p.a), referee::pose(&p.b)]).collect();
    let single: Vec<_> = placements.iter().map(|p| [parry::single::pose(&p.a), parry::single::pose(&p.b)]).collect();
    let double: Vec<_> = placements.iter().map(|p| [parry::double::pose(&p.a), parry::double::pose(&p.b)]).collect();
    let right: Vec<f64> = ours.iter().map(|[p, q]| distance(&shapes[0], p, &shapes[1], q).distance).collect();
    let numbers: Vec<f64> = placements.iter().flat_map(|p| p.a.into_iter().chain(p.b)).collect();
    for (kind, numbers) in [("p", &numbers), ("d", &right)] {
        store::leave(&options.data, &format!("{}.steps.{kind}", prepared.case.name), numbers);
    }
    let is_right = |at: usize, found: f64, share: f64| (found - right[at]).abs() <= share * right[at] + 1e-12;
    let field = vec![
        Contestant::new("heurt, with a pair cache", |path| {
            let mut cache = PairCache::default();
            let found = |at: usize| {
                let [p, q] = &ours[at];
                is_right(at, cache.distance(&shapes[0], p, &shapes[1], q).distance, 1e-9)
            };
            u64::from((STEPS * path..STEPS * (path + 1)).map(found).fold(true, |all, one| all & one))
        }),
        Contestant::new("heurt, each by itself", |path| {
            let found = |at: usize| {
                let [p, q] = &ours[at];
                is_right(at, distance(&shapes[0], p, &shapes[1], q).distance, 1e-9)
            };
            u64::from((STEPS * path..STEPS * (path + 1)).map(found).fold(true, |all, one| all & one))
        }),
        Contestant::new("parry-f64", |path| {
            let found = |at: usize| is_right(at, two[0].distance(&double[at][0], two[1], &double[at][1]), 1e-9);
            u64::from((STEPS * path..STEPS * (path + 1)).map(found).fold(true, |all, one| all & one))
        }),
        Contestant::new("parry-f32 (right to 1e-4)", |path| {
            let found = |at: usize| {
                let found = one[0].distance(&single[at][0], one[1], &single[at][1]);
                is_right(at, f64::from(found), 1e-4)
            };
            u64::from((STEPS * path..STEPS * (path + 1)).map(found).fold(true, |all, one| all & one))
        }),
    ];
    let mut outcomes = contest(COUNT, options.rounds, Mode::Repeated, Duration::from_secs(8), field);
    for outcome in &mut outcomes {
        outcome.times.iter_mut().for_each(|time| *time /= STEPS as f64);
    }
    report(prepared, Regime::Near, "steps", &outcomes, options);
}

fn report(prepared: &Prepared, regime: Regime, verb: &str, outcomes: &[Outcome], options: &Options) {
    let case = &prepared.case;
    let mut lines: Vec<Line> = outcomes.iter().map(|outcome| Line::new(outcome, &[1; COUNT])).collect();
    lines.extend(peer_lines(&options.data, &case.name, regime, verb).into_iter().map(Line::from));
    table::print(&format!("{verb}: {}, {}", case.name, regime.name()), &lines);
}

macro_rules! parry_hulls {
    ($module:ident, $krate:ident, $real:ty) => {
        /// One precision of parry.
        mod $module {
            use super::TriMesh;
            use $krate::math::{Pose, Vector};
            use $krate::query;
            use $krate::shape::ConvexPolyhedron;

            pub struct Hull(ConvexPolyhedron);

            impl Hull {
                pub fn new(mesh: &TriMesh) -> Self {
                    let vector = |v: &heurt_geometry::Vec3| Vector::new(v.x as $real, v.y as $real, v.z as $real);
                    let points = mesh.vertices().iter().map(vector).collect();
                    let hull = ConvexPolyhedron::from_convex_mesh(points, mesh.triangles());
                    Self(hull.expect("a hull that parry takes"))
                }

                pub fn distance(&self, pose: &Pose, other: &Self, pose_other: &Pose) -> $real {
                    let between = query::closest_points(pose, &self.0, pose_other, &other.0, <$real>::MAX);
                    match between {
                        Ok(query::ClosestPoints::WithinMargin(p, q)) => (p - q).length(),
                        _ => 0.0,
                    }
                }

                pub fn depth(&self, pose: &Pose, other: &Self, pose_other: &Pose) -> $real {
                    let found = query::contact(pose, &self.0, pose_other, &other.0, 0.0);
                    found.ok().flatten().map_or(0.0, |contact| -contact.dist)
                }
            }
        }
    };
}

parry_hulls!(single, parry3d, f32);
parry_hulls!(double, parry3d_f64, f64);
