//! All verbs, for every pair of kinds of shapes: the same named the other way round, the same when both are moved together, and a margin that
//! ends just where the separation is.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::{self, Supertoroid};
use heurt_query::{contact, distance, overlap};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, ShapeRef, Superquadric, SuperquadricShape};
use heurt_testkit::random::Random;
use std::sync::Arc;

fn shapes(random: &mut Random) -> Vec<(&'static str, Shape)> {
    let points: Vec<Vec3> = (0..24).map(|_| random.vector(0.7)).collect();
    let [p, q, r] = [Vec3::new(0.5, 0.1, -0.3), Vec3::new(-0.4, 0.5, 0.2), Vec3::new(0.1, -0.6, 0.3)];
    let convex = [
        ("point", Convex::point()),
        ("segment", Convex::segment([p, q]).unwrap()),
        ("triangle", Convex::triangle([p, q, r]).unwrap()),
        ("sphere", Convex::sphere(0.5).unwrap()),
        ("capsule", Convex::capsule(0.3, 0.5).unwrap()),
        ("box", Convex::cuboid(Vec3::new(0.5, 0.4, 0.3)).unwrap()),
        ("rounded box", Convex::cuboid(Vec3::new(0.4, 0.3, 0.3)).unwrap().with_margin(0.1).unwrap()),
        ("hull", Convex::hull(&points).unwrap()),
        ("cylinder", Convex::cylinder(0.4, 0.5).unwrap()),
        ("cone", Convex::cone(0.5, 0.5).unwrap()),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(0.6, 0.4, 0.3)).unwrap()),
        ("superellipsoid", Convex::superellipsoid(Vec3::new(0.5, 0.4, 0.3), 0.5, 1.5).unwrap()),
        ("half-space", Convex::half_space(Vec3::new(0.2, -0.3, 1.0), 0.1).unwrap()),
    ];
    let mesh = |mesh| Arc::new(MeshShape::new(mesh).unwrap());
    let bracket = mesh(generate::bracket([0.8, 0.5, 0.6], 0.15, Some(0.1), Some(0.1), 12).unwrap());
    let sheet = generate::height_field([-0.5, -0.5], [0.25, 0.25], &vec![vec![0.0, 0.2, 0.1, -0.1, 0.05]; 5]).unwrap();
    let part = |shape: Convex, x: f64| (Shape::from(shape), Pose::from_translation(Vec3::X * x).unwrap());
    let hammer = [part(Convex::capsule(0.1, 0.5).unwrap(), 0.0), part(Convex::cuboid(Vec3::splat(0.2)).unwrap(), 0.4)];
    let ring = Superquadric::Toroid(Supertoroid::new(0.5, 0.2, 0.8, 1.2).unwrap());
    let mut all: Vec<(&str, Shape)> = convex.map(|(name, shape)| (name, shape.into())).into();
    all.extend([
        ("mesh", Shape::Mesh(Arc::clone(&bracket))),
        ("sheet", Shape::Mesh(mesh(sheet))),
        ("compound", Compound::new(hammer).unwrap().into()),
        ("rounded mesh", RoundedMesh::new(bracket, 0.05).unwrap().into()),
        ("supertoroid", SuperquadricShape::from(ring).into()),
    ]);
    all
}

/// What verbs tell of a pair: whether it overlaps, its distance, its separation and the bound of that, with the errors told.
#[derive(Debug, Clone, Copy)]
struct Told {
    overlaps: bool,
    values: [f64; 3],
    errors: [f64; 3],
}

fn told(a: &Shape, p: &Pose, b: &Shape, q: &Pose) -> Told {
    let (apart, found) = (distance(a, p, b, q), contact(a, p, b, q, f64::INFINITY));
    let (separation, bound, error) = found
        .map_or((f64::INFINITY, f64::INFINITY, 0.0), |found| (found.separation, found.separation_bound, found.error));
    Told {
        overlaps: overlap(a, p, b, q).is_some(),
        values: [apart.distance, separation, bound],
        errors: [apart.error, error, error],
    }
}

/// `HEURT_INVARIANCE_ROUNDS=40 cargo test --release -p heurt-query --test invariance` asks ten times as many.
#[test]
fn verbs_tell_the_same_swapped_and_moved_together() {
    let mut random = Random::new(91);
    let all = shapes(&mut random);
    let (mut pairs, mut overlapping, mut faults) = (0, 0, Vec::new());
    let rounds: usize = std::env::var("HEURT_INVARIANCE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    for (i, (name_a, a)) in all.iter().enumerate() {
        for (name_b, b) in &all[i..] {
            let is_among = |names: &[&str]| names.contains(name_a) || names.contains(name_b);
            // A curved depth is proved as well as it could be from where the search came, to 1e-9.
            let is_curved = is_among(&["cylinder", "cone", "ellipsoid", "superellipsoid", "supertoroid"]);
            for round in 0..if is_among(&["supertoroid"]) { rounds.div_ceil(6) } else { rounds } {
                let (p, q) = (random.pose(0.5), random.pose(0.5));
                let whole = random.pose(2.0);
                let (moved_p, moved_q) = (whole.compose(&p), whole.compose(&q));
                let here = told(a, &p, b, &q);
                let reach = ShapeRef::from(a).reach() + ShapeRef::from(b).reach();
                let room = 1e-12 * (reach + p.span().max(q.span()).max(moved_p.span()).max(moved_q.span()));
                for (how, there) in [("swapped", told(b, &q, a, &p)), ("moved", told(a, &moved_p, b, &moved_q))] {
                    let is_same = |k: usize| {
                        let proof =
                            if k > 0 && is_curved { here.errors[k].max(there.errors[k]).min(1e-9) } else { 0.0 };
                        let room = room + proof;
                        here.values[k] == there.values[k] || (here.values[k] - there.values[k]).abs() <= room
                    };
                    if here.overlaps != there.overlaps || !(0..3).all(is_same) {
                        faults.push(format!("{name_a}, {name_b}, {round}, {how}: {here:?} {there:?}"));
                    }
                }
                (pairs, overlapping) = (pairs + 1, overlapping + usize::from(here.overlaps));
                // A margin ends where the separation is, but for what is told of its error.
                let [separation, error] = [here.values[1], here.errors[1]];
                if separation.is_finite() && error < 1e-9 {
                    let at = |margin: f64| contact(a, &p, b, &q, margin).is_some();
                    let more = 2.0 * error + room;
                    if !at(separation + more) || at(separation - more) {
                        faults.push(format!("{name_a}, {name_b}, {round}: the margin does not end at {separation}"));
                    }
                }
            }
        }
    }
    println!("{pairs} pairs, {overlapping} overlap");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
