//! Repairs with budgets from nothing to no bound: what is left undone is named as such, and nothing gets worse.
#![cfg(debug_assertions)]

use heurt_geometry::Vec3;
use heurt_mesh::repair::{HoleReason, Left, Outcome, RepairOptions, Repaired, repair_within_units, worsened};
use heurt_mesh::{TriMesh, generate};
use rayon::ThreadPoolBuilder;

const BUDGETS: [u64; 12] = [0, 1, 100, 1_000, 3_000, 10_000, 20_000, 50_000, 100_000, 200_000, 1_000_000, u64::MAX];

fn repaired_within(mesh: &TriMesh, units: u64) -> Repaired {
    repair_within_units(mesh, &RepairOptions::default(), units).unwrap()
}

fn without(mesh: &TriMesh, drops: impl Fn(u32) -> bool) -> TriMesh {
    let (vertices, triangles) = mesh.clone().into_parts();
    let kept = (0..).zip(triangles).filter(|&(number, _)| !drops(number)).map(|(_, corners)| corners);
    TriMesh::new(vertices, kept.collect()).unwrap()
}

/// A number of 0 to 1 that looks random.
fn noise(number: u32) -> f64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9);
    f64::from((mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA6B) >> 8) / f64::from(1 << 24)
}

/// A ball with holes, turned and repeated triangles.
fn torn_ball() -> TriMesh {
    let (vertices, mut triangles) = generate::uv_sphere(1.0, 24).unwrap().into_parts();
    triangles.iter_mut().step_by(7).for_each(|corners| corners.swap(0, 1));
    let repeated: Vec<[u32; 3]> = triangles.iter().copied().step_by(13).collect();
    triangles.extend(repeated);
    without(&TriMesh::new(vertices, triangles).unwrap(), |number| number % 11 == 0)
}

/// A torus of separate triangles whose corners differ by rounding.
fn shaken_torus() -> TriMesh {
    let torus = generate::torus(2.0, 0.5, 16, 12).unwrap();
    let corners: Vec<Vec3> = (0..torus.triangles().len() as u32).flat_map(|number| torus.corners(number)).collect();
    let shaken = (0..).zip(corners).map(|(number, corner)| corner + Vec3::splat(1e-7 * noise(number))).collect();
    TriMesh::new(shaken, (0..torus.triangles().len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).unwrap()
}

/// Triangles that have one edge each on one line.
fn fan() -> TriMesh {
    let points = (0..40).flat_map(|k| {
        let (end, angle) = (f64::from(k) + 1.0, f64::from(k) * 0.02);
        [Vec3::ZERO, Vec3::new(end, 0.0, 0.0), Vec3::new(0.5 * end, angle.cos(), angle.sin())]
    });
    TriMesh::new(points.collect(), (0..40).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).unwrap()
}

/// Triangles in no order that intersect each other.
fn heap() -> TriMesh {
    let points = (0..60).map(|k| Vec3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2)));
    let triangle = |k: u32| [k % 60, (7 * k + k / 60 + 11) % 60, (13 * k + 29) % 60];
    TriMesh::new(points.collect(), (0..150).map(triangle).collect()).unwrap()
}

/// A ball with small holes and a larger one, through which a spike goes.
fn blocked_ball() -> TriMesh {
    let ball = generate::uv_sphere(1.0, 16).unwrap();
    let is_cap = |number: u32| ball.corners(number).iter().all(|corner| corner.z > 0.8);
    let spike = generate::cylinder(0.05, 3.0, 6).unwrap();
    TriMesh::merged(&[without(&ball, |number| is_cap(number) || number % 17 == 0), spike]).unwrap()
}

fn meshes() -> [(&'static str, TriMesh); 5] {
    [
        ("torn ball", torn_ball()),
        ("shaken torus", shaken_torus()),
        ("fan", fan()),
        ("heap", heap()),
        ("blocked ball", blocked_ball()),
    ]
}

#[test]
fn no_budget_makes_anything_worse_and_threads_change_nothing() {
    let pools = [1, 8].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for (name, mesh) in meshes() {
        for units in BUDGETS {
            let [one, eight] = [&pools[0], &pools[1]].map(|pool| pool.install(|| repaired_within(&mesh, units)));
            assert!(one == eight, "{name}, {units} units");
            let worse = worsened(&mesh, &one.mesh);
            assert!(worse.is_empty(), "{name}, {units} units: {worse:?}");
        }
    }
}

#[test]
fn a_budget_that_does_not_suffice_is_reported_and_no_fault_of_the_mesh() {
    for (name, mesh) in meshes() {
        for units in BUDGETS {
            let Repaired { mesh: result, report } = repaired_within(&mesh, units);
            let label = format!("{name}, {units} units: {:?}", report.steps);
            assert_eq!(report.is_spent, report.left().contains(&Left::Work), "{label}");
            assert!(!(report.is_spent && report.settled), "{label}");
            let is_refused = |outcome: &Outcome| *outcome == Outcome::WorkSpent;
            assert!(report.is_spent || !report.steps.iter().any(|step| is_refused(&step.outcome)), "{label}");
            for step in &report.steps {
                assert!(!matches!(step.outcome, Outcome::Undone(worse) if worse.after.is_infinite()), "{label}");
            }
            let spent = report.holes.iter().filter(|hole| hole.reason == HoleReason::WorkSpent).count();
            assert!(report.is_spent || spent == 0, "{label}");
            if units <= 100 {
                assert!(report.is_spent && result == mesh, "{label}");
                assert!(report.steps.iter().all(|step| !matches!(step.outcome, Outcome::Undone(_))), "{label}");
                assert!(report.steps.iter().any(|step| is_refused(&step.outcome)), "{label}");
                let is_right = |reason| matches!(reason, HoleReason::WorkSpent | HoleReason::NoLoop);
                assert!(report.holes.iter().all(|hole| is_right(hole.reason)), "{label}");
            }
            if units == u64::MAX {
                assert!(!report.is_spent, "{label}");
            }
        }
    }
}

#[test]
fn a_hole_that_was_tried_keeps_its_reason_when_the_work_ends() {
    let mesh = blocked_ball();
    let mut reasons = Vec::new();
    for units in (0..60_000).step_by(1_500).chain([u64::MAX]) {
        let report = repaired_within(&mesh, units).report;
        let longest = report.holes.iter().max_by_key(|hole| hole.vertices.len()).unwrap();
        reasons.push((longest.reason, report.is_spent));
    }
    let is_right = |&(reason, _): &(HoleReason, bool)| matches!(reason, HoleReason::Intersects | HoleReason::WorkSpent);
    assert!(reasons.iter().all(is_right), "{reasons:?}");
    assert!(reasons.contains(&(HoleReason::Intersects, true)), "{reasons:?}");
    assert!(reasons.contains(&(HoleReason::WorkSpent, true)), "{reasons:?}");
    assert_eq!(reasons.last(), Some(&(HoleReason::Intersects, false)));
}
