//! `overlap`, `pairs`, `far` and `distance`: two placed meshes, heurt against parry here and Coal and FCL from `peers.tsv`.
//!
//! A wrong `overlap` is a yes for a no or the reverse; wrong `pairs` is a count that is not the exact one; a wrong `distance` is off
//! heurt's, which the tests hold against integers, by more than a billionth.

use crate::Options;
use crate::peers::ours;
use crate::peers::ours::{BINARY, Grown};
use crate::peers::parry::{double, single};
use crate::peers::referee;
use crate::poses::{COUNT, Placement, Regime};
use crate::store::{Prepared, peer_lines};
use crate::table::{self, Line};
use crate::timing::{Contestant, Mode, Outcome, contest, median};
use heurt_bvh::VolumeKind;
use heurt_geometry::Pose;
use heurt_shape::TreeChoice;
use std::time::Duration;

/// The meshes and poses of one regime, in everyone's numbers.
struct Arena {
    ours: [ours::Mesh; 2],
    hollow: [ours::Mesh; 2],
    single: [single::Mesh; 2],
    double: [double::Mesh; 2],
}

struct Poses {
    ours: Vec<[Pose; 2]>,
    single: Vec<[parry3d::math::Pose; 2]>,
    double: Vec<[parry3d_f64::math::Pose; 2]>,
}

impl Arena {
    fn new(prepared: &Prepared) -> Self {
        let meshes = [&prepared.case.a, &prepared.case.b];
        Self {
            ours: meshes.map(ours::Mesh::new),
            hollow: meshes.map(ours::Mesh::hollow),
            single: meshes.map(single::Mesh::new),
            double: meshes.map(double::Mesh::new),
        }
    }
}

impl Arena {
    /// Trees of every volume over the hollow meshes, by name.
    fn trees(&self) -> Vec<(&'static str, [Grown<'_>; 2])> {
        let grow = |volume: VolumeKind| {
            let choice = TreeChoice { volume, ..TreeChoice::default() };
            (volume.name(), [0, 1].map(|i| Grown::new(&self.hollow[i], &choice)))
        };
        VolumeKind::ALL.into_iter().map(grow).collect()
    }
}

impl Poses {
    fn new(placements: &[Placement]) -> Self {
        Self {
            ours: placements.iter().map(|p| [referee::pose(&p.a), referee::pose(&p.b)]).collect(),
            single: placements.iter().map(|p| [single::pose(&p.a), single::pose(&p.b)]).collect(),
            double: placements.iter().map(|p| [double::pose(&p.a), double::pose(&p.b)]).collect(),
        }
    }
}

/// Measures first hits, near and overlapping.
pub fn overlap(cases: &[Prepared], options: &Options) {
    for prepared in cases {
        let arena = Arena::new(prepared);
        for (index, regime) in Regime::ALL.into_iter().enumerate().skip(1) {
            let poses = Poses::new(&prepared.poses[index]);
            let expected: Vec<u64> = prepared.counts[index].iter().map(|&count| u64::from(count > 0)).collect();
            let budget = Duration::from_secs(16);
            let trees = arena.trees();
            let mut field = first_hits(&arena, &poses);
            field.extend(trees.iter().map(|(name, [a, b])| {
                let poses = &poses.ours;
                Contestant::new(format!("heurt, hollow, {name}"), move |i| {
                    u64::from(a.overlap(&poses[i][0], b, &poses[i][1]))
                })
            }));
            let outcomes = contest(COUNT, options.rounds, Mode::Each, budget, field);
            report(prepared, regime, "overlap", &outcomes, &expected, options);
            print_work(&arena, &poses, false);
        }
    }
}

fn first_hits<'a>(arena: &'a Arena, poses: &'a Poses) -> Vec<Contestant<'a>> {
    let ([a, b], [s, t], [x, y]) = (&arena.ours, &arena.single, &arena.double);
    let mut field = Vec::new();
    field.push(Contestant::new("heurt", move |i| {
        let [p, q] = &poses.ours[i];
        u64::from(a.overlap(p, b, q))
    }));
    let [a, b] = &arena.hollow;
    field.push(Contestant::new("heurt, hollow (no containment, as all peers)", move |i| {
        let [p, q] = &poses.ours[i];
        u64::from(a.overlap(p, b, q))
    }));
    let one = move |i: usize| -> &[_; 2] { &poses.single[i] };
    let two = move |i: usize| -> &[_; 2] { &poses.double[i] };
    field.push(Contestant::new("parry-f32 leaf_pairs", move |i| s.first_hit(&one(i)[0], t, &one(i)[1]).into()));
    field.push(Contestant::new("parry-f64 leaf_pairs", move |i| x.first_hit(&two(i)[0], y, &two(i)[1]).into()));
    field.push(Contestant::new("parry-f32 leaf_pairs, its box test", move |i| {
        s.first_hit_own_box(&one(i)[0], t, &one(i)[1]).into()
    }));
    field.push(Contestant::new("parry-f64 leaf_pairs, its box test", move |i| {
        x.first_hit_own_box(&two(i)[0], y, &two(i)[1]).into()
    }));
    field.push(Contestant::new("parry-f32 intersection_test", move |i| {
        s.intersection_test(&one(i)[0], t, &one(i)[1]).into()
    }));
    field.push(Contestant::new("parry-f64 intersection_test", move |i| {
        x.intersection_test(&two(i)[0], y, &two(i)[1]).into()
    }));
    field
}

/// Prints what a query looks at, as medians over the poses: pairs of boxes for parry, and for heurt with binary trees, too;
/// lanes of wide tests, wide tests and pairs of triangles for heurt as it is.
fn print_work(arena: &Arena, poses: &Poses, all: bool) {
    let middle = |counts: Vec<u64>| median(&counts.into_iter().map(|count| count as f64).collect::<Vec<_>>());
    let [s, t] = &arena.single;
    let tests = |[p, q]: &[_; 2]| if all { s.pairs_counted(p, t, q).1 } else { s.first_hit_counted(p, t, q).1 };
    print!("\nmedian work: parry-f32 {} pairs of boxes", middle(poses.single.iter().map(tests).collect()));
    let [a, b] = &arena.ours;
    let work = |[p, q]: &[Pose; 2]| if all { a.pairs_work(p, b, q) } else { a.overlap_work(p, b, q) };
    let works: Vec<ours::Count> = poses.ours.iter().map(work).collect();
    let volumes = middle(works.iter().map(|work| work.volumes).collect());
    let primitives = middle(works.iter().map(|work| work.primitives).collect());
    let [binary_a, binary_b] = [0, 1].map(|i| Grown::new(&arena.hollow[i], &BINARY));
    let binary = |[p, q]: &[Pose; 2]| binary_a.work(p, &binary_b, q, all).volumes;
    let boxes = middle(poses.ours.iter().map(binary).collect());
    print!("; heurt {volumes} lanes = {:.0} wide tests, {primitives} pairs of triangles", volumes / 8.0);
    println!("; with binary trees {boxes} pairs of boxes");
}

/// Measures all pairs in the overlapping regime.
pub fn pairs(cases: &[Prepared], options: &Options) {
    for prepared in cases {
        let arena = Arena::new(prepared);
        let regime = Regime::Overlap;
        let poses = Poses::new(&prepared.poses[2]);
        let ([a, b], [s, t], [x, y]) = (&arena.ours, &arena.single, &arena.double);
        let trees = arena.trees();
        let mut field = Vec::new();
        field.push(Contestant::new("heurt", |i| {
            let [p, q] = &poses.ours[i];
            a.pairs(p, b, q)
        }));
        field.push(Contestant::new("parry-f32 leaf_pairs", |i| {
            let [p, q] = &poses.single[i];
            s.pairs(p, t, q).len() as u64
        }));
        field.push(Contestant::new("parry-f64 leaf_pairs", |i| {
            let [p, q] = &poses.double[i];
            x.pairs(p, y, q).len() as u64
        }));
        field.push(Contestant::new("parry-f64 leaf_pairs, its box test", |i| {
            let [p, q] = &poses.double[i];
            x.pairs_own_box(p, y, q).len() as u64
        }));
        field.extend(trees.iter().map(|(name, [a, b])| {
            let poses = &poses.ours;
            Contestant::new(format!("heurt, {name}"), move |i| a.pairs(&poses[i][0], b, &poses[i][1]))
        }));
        let outcomes = contest(COUNT, options.rounds, Mode::Each, Duration::from_secs(30), field);
        report(prepared, regime, "pairs", &outcomes, &prepared.counts[2], options);
        print_work(&arena, &poses, true);
        let counts: Vec<f64> = prepared.counts[2].iter().map(|&count| count as f64).collect();
        println!("\npairs in a pose, median: {}", median(&counts));
    }
}

/// Measures far poses, a sweep at a time: a call takes less than a look at the clock.
pub fn far(cases: &[Prepared], options: &Options) {
    for prepared in cases {
        let arena = Arena::new(prepared);
        let poses = Poses::new(&prepared.poses[0]);
        let field = first_hits(&arena, &poses);
        let outcomes = contest(COUNT, options.rounds, Mode::Sweep(200), Duration::from_secs(10), field);
        report(prepared, Regime::Far, "overlap", &outcomes, &[0; COUNT], options);
    }
}

/// Measures distances with nearest points, near and far; parry, which takes milliseconds, and other volumes far apart on small meshes only.
pub fn distance(cases: &[Prepared], options: &Options) {
    for prepared in cases {
        let arena = Arena::new(prepared);
        let trees = arena.trees();
        let case = &prepared.case;
        let is_small = case.a.triangles().len().max(case.b.triangles().len()) < 50_000;
        for (index, regime) in Regime::ALL.into_iter().enumerate().take(2) {
            let poses = Poses::new(&prepared.poses[index]);
            let ([a, b], [x, y]) = (&arena.hollow, &arena.double);
            let right: Vec<f64> = poses.ours.iter().map(|[p, q]| a.distance(p, b, q)).collect();
            let is_right = |i: usize, distance: f64| u64::from((distance - right[i]).abs() <= 1e-9 * right[i]);
            let mut field = vec![Contestant::new("heurt", |i| {
                let [p, q] = &poses.ours[i];
                is_right(i, a.distance(p, b, q))
            })];
            if is_small {
                field.push(Contestant::new("parry-f64 distance", |i| {
                    let [p, q] = &poses.double[i];
                    is_right(i, x.distance(p, y, q))
                }));
            }
            // Far apart some volumes leave out nearly nothing, for seconds.
            let is_soon = is_small || regime != Regime::Far;
            field.extend(trees.iter().filter(|_| is_soon).map(|(name, [a, b])| {
                let (poses, is_right) = (&poses.ours, &is_right);
                Contestant::new(format!("heurt, {name}"), move |i| {
                    is_right(i, a.distance(&poses[i][0], b, &poses[i][1]))
                })
            }));
            let outcomes = contest(COUNT, options.rounds, Mode::Each, Duration::from_secs(8), field);
            report(prepared, regime, "distance", &outcomes, &[1; COUNT], options);
        }
    }
}

fn report(prepared: &Prepared, regime: Regime, verb: &str, outcomes: &[Outcome], expected: &[u64], options: &Options) {
    let case = &prepared.case;
    let (a, b) = (case.a.triangles().len(), case.b.triangles().len());
    let mut lines: Vec<Line> = outcomes.iter().map(|outcome| Line::new(outcome, expected)).collect();
    lines.extend(peer_lines(&options.data, &case.name, regime, verb).into_iter().map(Line::from));
    table::print(&format!("{verb}: {} ({a} × {b} triangles), {}", case.name, regime.name()), &lines);
}
