//! `contact` of meshes: depths against exact ones, both bounds by brute force, points and their features, what is degenerate.

use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::contact::contact_manifold;
use heurt_query::{Contact, Feature, Separation, contact, convex_pieces, distance, overlap, separation};
use heurt_shape::{Compound, Convex, MeshShape, Shape, ShapeRef};
use heurt_testkit::hard::concave::{ConcavePairs, PICTURES, bars, concave_pairs, lattice, picture};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::convex::penetration_depth;
use heurt_testkit::oracle::translation::least_translation;

const HERE: Pose = Pose::IDENTITY;

fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn cuboid(half: [f64; 3]) -> MeshShape {
    shape(generate::cuboid(half).unwrap())
}

fn moved(pose: &Pose, shift: Vec3) -> Pose {
    Pose::from_translation(shift).unwrap().compose(pose)
}

/// What every contact keeps; of those that overlap, that the translation told parts the shapes.
fn is_sound<'a>(
    found: &Contact,
    (a, pose_a): (ShapeRef<'a>, &Pose),
    (b, pose_b): (ShapeRef<'a>, &Pose),
    margin: f64,
    what: &str,
) {
    let Contact { separation, separation_bound, error, normal, ref points } = *found;
    assert!(separation.is_finite() && error >= 0.0 && separation <= margin, "{what}: {found:?}");
    assert!((normal.length() - 1.0).abs() < 1e-12, "{what}: normal {normal}");
    assert!(!points.is_empty() && points.len() <= 32, "{what}: {} points", points.len());
    for point in points {
        assert!(point.point.is_finite() && (point.normal.length() - 1.0).abs() < 1e-12, "{what}: {point:?}");
        let least = margin.max(separation);
        assert!(
            point.separation <= least && point.separation >= separation - 1e-9,
            "{what}: {point:?} of {separation}"
        );
    }
    if overlap(a, pose_a, b, pose_b).is_none() {
        assert!(separation >= 0.0 && separation_bound >= 0.0 && separation_bound <= separation, "{what}: {found:?}");
        return;
    }
    assert!(separation <= 0.0 && separation_bound <= 0.0 && separation_bound >= separation, "{what}: {found:?}");
    assert!(separation_bound - separation <= error, "{what}: {found:?}");
    let parted = moved(pose_b, normal * -separation);
    assert!(overlap(a, pose_a, b, &parted).is_none(), "{what}: still overlapping after {separation} along {normal}");
}

#[test]
fn convex_meshes_are_as_deep_as_their_hulls() {
    let mut random = Random::new(3);
    let meshes = [
        generate::cuboid([0.5, 0.4, 0.3]).unwrap(),
        generate::tetrahedron(0.8).unwrap(),
        generate::icosahedron(0.6).unwrap(),
        generate::cylinder(0.4, 0.5, 8).unwrap(),
    ];
    let shapes: Vec<MeshShape> = meshes.iter().cloned().map(shape).collect();
    let hulls: Vec<Convex> = meshes.iter().map(|mesh| Convex::hull(mesh.vertices()).unwrap()).collect();
    let mut overlapping = 0;
    for round in 0..120 {
        let (i, j) = (round % 4, round / 4 % 4);
        let (p, q) = (random.pose(0.3), random.pose(0.3));
        let what = format!("round {round}");
        let found = contact(&shapes[i], &p, &shapes[j], &q, f64::INFINITY).unwrap();
        is_sound(&found, ((&shapes[i]).into(), &p), ((&shapes[j]).into(), &q), f64::INFINITY, &what);
        let mixed = contact(&shapes[i], &p, &hulls[j], &q, f64::INFINITY).unwrap();
        is_sound(&mixed, ((&shapes[i]).into(), &p), ((&hulls[j]).into(), &q), f64::INFINITY, &what);
        let expected = contact(&hulls[i], &p, &hulls[j], &q, f64::INFINITY).unwrap();
        if overlap(&shapes[i], &p, &shapes[j], &q).is_none() {
            assert!((found.separation - expected.separation).abs() <= found.error + expected.error, "{what}");
            continue;
        }
        overlapping += 1;
        let placed = |k: usize, pose: &Pose| meshes[k].vertices().iter().map(|&v| pose.place(v)).collect::<Vec<Vec3>>();
        let exact = penetration_depth(&placed(i, &p), &placed(j, &q));
        for result in [&found, &mixed, &expected] {
            let (upper, lower) = (-result.separation, -result.separation_bound);
            assert!(
                lower <= exact * (1.0 + 1e-12) && exact <= upper * (1.0 + 1e-12),
                "{what}: {lower} {exact} {upper}"
            );
            assert!(upper <= lower * 1.000_001, "{what}: {lower} to {upper}");
        }
    }
    assert!(overlapping > 60, "{overlapping}");
}

fn prepared(set: &ConcavePairs) -> Vec<MeshShape> {
    set.meshes.iter().map(|(_, mesh)| shape(mesh.clone())).collect()
}

#[test]
fn solids_that_are_not_convex_have_depths_with_both_bounds_close() {
    let set = concave_pairs(3, 7);
    let shapes = prepared(&set);
    let mut ratios = Vec::new();
    let mut random = Random::new(5);
    for pair in &set.pairs {
        let ([a, b], [p, q]) = (pair.solids.map(|solid| &shapes[solid]), pair.poses);
        let found = contact(a, &p, b, &q, f64::INFINITY).unwrap();
        is_sound(&found, (a.into(), &p), (b.into(), &q), f64::INFINITY, &pair.name);
        if found.separation > 0.0 {
            continue;
        }
        let lower = -found.separation_bound;
        ratios.push((-found.separation / lower, pair.name.clone()));
        // By brute force: nothing shorter parts them.
        for _ in 0..200 {
            let mut part = || random.between(-1.0, 1.0);
            let direction = Vec3::new(part(), part(), part()).normalize_or_zero();
            let length = lower * if random.one_in(2) { 1.0 - 1e-9 } else { random.unit() };
            let there = moved(&q, direction * length);
            assert!(
                overlap(a, &p, b, &there).is_some(),
                "{}: {length} along {direction} parts them, not {lower}",
                pair.name
            );
        }
        let whole = random.pose(3.0);
        let (moved_p, moved_q) = (whole.compose(&p), whole.compose(&q));
        let elsewhere = contact(a, &moved_p, b, &moved_q, f64::INFINITY).unwrap();
        let swapped = contact(b, &q, a, &p, f64::INFINITY).unwrap();
        is_sound(&swapped, (b.into(), &q), (a.into(), &p), f64::INFINITY, &pair.name);
        let reach = ShapeRef::from(a).max_coordinate() + ShapeRef::from(b).max_coordinate();
        let room = 1e-12
            * (reach
                + p.max_translation()
                + q.max_translation()
                + moved_p.max_translation()
                + moved_q.max_translation());
        for (how, other) in [("swapped", &swapped), ("moved together", &elsewhere)] {
            let bounds = [found.separation - other.separation, found.separation_bound - other.separation_bound];
            assert!(bounds.iter().all(|gap| gap.abs() <= room), "{}, {how}: {found:?} and {other:?}", pair.name);
        }
    }
    ratios.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (middle, worst) = (&ratios[ratios.len() / 2], &ratios[ratios.len() - 1]);
    println!(
        "{} pairs, upper over lower bound: median {:.3}, worst {:.3} ({})",
        ratios.len(),
        middle.0,
        worst.0,
        worst.1
    );
    assert!(ratios.len() > 60 && middle.0 <= 1.1 && worst.0 <= 2.0, "{middle:?} {worst:?}");
}

/// What parts two solids parts every piece of the one from every piece of the other.
#[test]
fn solids_are_told_to_be_as_deep_as_their_deepest_convex_pieces_at_least() {
    let set = concave_pairs(3, 8);
    let shapes = prepared(&set);
    let (mut random, mut compared, mut touching) = (Random::new(9), 0, 0);
    for pair in &set.pairs {
        let ([a, b], [p, q]) = (pair.solids.map(|solid| &shapes[solid]), pair.poses);
        let Some(found) = contact(a, &p, b, &q, 0.0) else { continue };
        let of_pieces: Vec<Separation> = convex_pieces(a)
            .inner
            .iter()
            .flat_map(|x| convex_pieces(b).inner.iter().map(move |y| (x, y)))
            .map(|(x, y)| separation(x, &p, y, &q))
            .filter(|found| found.separation < 0.0)
            .collect();
        let deepest = of_pieces.iter().map(|found| -found.separation_bound).fold(0.0, f64::max);
        let (lower, upper) = (-found.separation_bound, -found.separation);
        let room = 64.0
            * f64::EPSILON
            * (ShapeRef::from(a).max_coordinate() + p.max_translation())
                .max(ShapeRef::from(b).max_coordinate() + q.max_translation());
        assert!(lower >= deepest - room, "{}: {lower}, but pieces are {deepest} deep", pair.name);
        assert!(lower <= upper, "{}: {found:?}", pair.name);
        // Along the ways out of pieces, and along that of the whole, nothing shorter parts them.
        let directions = of_pieces.iter().map(|found| found.normal).chain([found.normal]);
        for direction in directions {
            let direction = (direction + random.vector(0.02)).normalize();
            for share in [0.5, 1.0 - 1e-9] {
                let there = moved(&q, direction * (lower * share));
                assert!(overlap(a, &p, b, &there).is_some(), "{}: {share} of {lower} along {direction}", pair.name);
            }
        }
        compared += 1;
        touching += usize::from(of_pieces.is_empty());
    }
    println!("{compared} pairs overlap, of {touching} no pieces do");
    assert!(compared > 60 && touching < compared / 10, "{compared} {touching}");
}

#[test]
fn unions_of_bars_are_as_deep_as_all_places_of_their_obstacles_say() {
    let mut random = Random::new(17);
    let pictures: Vec<_> = PICTURES.iter().filter(|(name, _)| *name != "comb").collect();
    let shapes: Vec<MeshShape> = pictures.iter().map(|(_, rows)| shape(picture(rows, 1.0))).collect();
    let parts: Vec<Vec<Vec<Vec3>>> = pictures.iter().map(|(_, rows)| bars(rows, 1.0)).collect();
    let mut compared = 0;
    for round in 0..70 {
        let (i, j) = (round % shapes.len(), (round / shapes.len() + round) % shapes.len());
        let (p, q) = (random.pose(1.0), random.pose(1.0));
        let Some(found) = contact(&shapes[i], &p, &shapes[j], &q, 0.0) else { continue };
        let placed = |k: usize, pose: &Pose| -> Vec<Vec<Vec3>> {
            parts[k].iter().map(|part| part.iter().map(|&corner| pose.place(corner)).collect()).collect()
        };
        let exact = least_translation(&placed(i, &p), &placed(j, &q));
        let (upper, lower) = (-found.separation, -found.separation_bound);
        assert!(
            lower <= exact + 1e-6 && exact <= upper + 1e-6,
            "round {round}, {} {}: {lower} {exact} {upper}",
            pictures[i].0,
            pictures[j].0
        );
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn rounded_and_curved_shapes_are_as_deep_in_a_box_as_in_its_hull() {
    let half = Vec3::new(0.6, 0.5, 0.4);
    let (mesh, hull) = (cuboid(half.to_array()), Convex::cuboid(half).unwrap());
    let shapes = [
        Convex::sphere(0.3).unwrap(),
        Convex::capsule(0.2, 0.3).unwrap(),
        Convex::cylinder(0.3, 0.4).unwrap(),
        Convex::cone(0.4, 0.4).unwrap(),
        Convex::ellipsoid(Vec3::new(0.5, 0.3, 0.2)).unwrap(),
        Convex::cuboid(Vec3::splat(0.2)).unwrap().with_margin(0.1).unwrap(),
        Convex::half_space(Vec3::new(0.2, 0.1, 2.0), -0.3).unwrap(),
    ];
    let mut random = Random::new(23);
    for round in 0..140 {
        let other = &shapes[round % shapes.len()];
        let (p, q) = (random.pose(0.5), random.pose(0.5));
        let what = format!("round {round} {other:?}");
        let found = contact(&mesh, &p, other, &q, f64::INFINITY).unwrap();
        is_sound(&found, ((&mesh).into(), &p), (other.into(), &q), f64::INFINITY, &what);
        let expected = contact(&hull, &p, other, &q, f64::INFINITY).unwrap();
        assert!((found.separation - expected.separation).abs() <= 1e-6, "{what}: {found:?} {expected:?}");
        let swapped = contact(other, &q, &mesh, &p, f64::INFINITY).unwrap();
        is_sound(&swapped, (other.into(), &q), ((&mesh).into(), &p), f64::INFINITY, &what);
        // Which of both is moved out changes some ulp of how far.
        assert!((swapped.separation - found.separation).abs() <= 1e-12, "{what}: {swapped:?}");
        let (separation, error) = (found.separation, found.error);
        assert_eq!(Contact { separation, error, ..swapped.swapped() }, found, "{what}");
    }
}

#[test]
fn a_box_on_a_box_touches_at_the_corners_of_what_they_share() {
    let (table, dice) = (cuboid([2.0, 2.0, 0.5]), cuboid([0.5; 3]));
    let mut features: Option<Vec<[Feature; 2]>> = None;
    for (step, height) in [1.001, 1.0005, 1.0, 0.9999, 0.999, 0.95].into_iter().enumerate() {
        let pose = at(0.3 + 0.01 * step as f64, 0.2, height);
        let found = contact(&table, &HERE, &dice, &pose, 0.01).unwrap();
        is_sound(&found, ((&table).into(), &HERE), ((&dice).into(), &pose), 0.01, &format!("at {height}"));
        assert!((found.separation - (height - 1.0)).abs() < 1e-12 && found.normal.abs_diff_eq(Vec3::Z, 1e-12));
        assert_eq!(found.points.len(), 4, "{found:?}");
        for point in &found.points {
            assert!((point.separation - (height - 1.0)).abs() < 1e-9 && point.normal.abs_diff_eq(Vec3::Z, 1e-9));
            let [x, y, z] = (point.point - pose.translation()).to_array();
            assert!((x.abs() - 0.5).abs() < 1e-9 && (y.abs() - 0.5).abs() < 1e-9, "{point:?}");
            assert!((z + pose.translation().z - 0.5 - (height - 1.0) / 2.0).abs() < 1e-9, "{point:?}");
            assert!(matches!(point.features, [Feature::Face(_), Feature::Corner(_)]), "{point:?}");
        }
        let corners: Vec<[Feature; 2]> = {
            let mut named: Vec<_> = found.points.iter().map(|point| [Feature::Curved, point.features[1]]).collect();
            named.sort();
            named
        };
        assert_eq!(*features.get_or_insert_with(|| corners.clone()), corners, "the same corners at each step");
    }
}

#[test]
fn each_side_of_a_clamp_has_its_own_normal() {
    // A bar in the opening of a U, a hair from both sides and from the bottom.
    let clamp = shape(picture(&["#.#", "#.#", "###"], 1.0));
    let bar = cuboid([0.499, 0.499, 2.0]);
    let pose = at(1.5, 1.5, 0.5);
    let found = contact(&clamp, &HERE, &bar, &pose, 0.01).unwrap();
    is_sound(&found, ((&clamp).into(), &HERE), ((&bar).into(), &pose), 0.01, "clamp");
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y] {
        let count = found.points.iter().filter(|point| point.normal.abs_diff_eq(normal, 1e-6)).count();
        assert_eq!(count, 4, "along {normal}: {found:?}");
    }
    assert_eq!(found.points.len(), 12, "{found:?}");
    assert_eq!(contact(&clamp, &HERE, &bar, &at(1.5, 4.0, 0.5), 0.01), None);
    // Of a hull as of the mesh.
    let hull = Convex::cuboid(Vec3::new(0.499, 0.499, 2.0)).unwrap();
    let same = contact(&clamp, &HERE, &hull, &pose, 0.01).unwrap();
    assert_eq!(same.points.len(), 12, "{same:?}");
    // Of a ball: one point each.
    let ball = Convex::sphere(0.499).unwrap();
    let round = contact(&clamp, &HERE, &ball, &pose, 0.01).unwrap();
    assert_eq!(round.points.len(), 3, "{round:?}");
    assert!(round.points.iter().all(|point| (point.separation - 0.001).abs() < 1e-12), "{round:?}");
}

#[test]
fn crossing_edges_are_told_by_their_ends() {
    let (one, other) = (cuboid([2.0, 0.5, 0.5]), cuboid([2.0, 0.5, 0.5]));
    let roof = |angle: f64, shift: Vec3| {
        let along_x = Mat3::from_rotation_x(angle);
        Pose::from_matrix(along_x, shift).unwrap()
    };
    let up = 0.5f64.sqrt() * 2.0 - 0.01;
    let across =
        Mat3::from_rotation_z(std::f64::consts::FRAC_PI_2) * Mat3::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let (p, q) = (roof(std::f64::consts::FRAC_PI_4, Vec3::ZERO), Pose::from_matrix(across, Vec3::Z * up).unwrap());
    let found = contact(&one, &p, &other, &q, 0.0).unwrap();
    is_sound(&found, ((&one).into(), &p), ((&other).into(), &q), 0.0, "ridges");
    assert!((found.separation + 0.01).abs() < 1e-9, "{found:?}");
    assert_eq!(found.points.len(), 1, "{found:?}");
    assert!(matches!(found.points[0].features, [Feature::Edge(..), Feature::Edge(..)]), "{found:?}");
}

#[test]
fn what_only_touches_is_no_deeper_than_rounding() {
    let (l, cube) = (shape(picture(&["#.", "##"], 1.0)), cuboid([0.5; 3]));
    for pose in [at(1.5, 1.5, 0.5), at(2.5, 0.5, 0.5), at(1.5, 1.5, 1.5), at(2.5, 1.5, 1.5), at(0.5, 2.5, 0.7)] {
        let found = contact(&l, &HERE, &cube, &pose, 0.0).unwrap();
        is_sound(&found, ((&l).into(), &HERE), ((&cube).into(), &pose), 0.0, "touching");
        assert!(found.separation > -1e-13 && found.separation_bound == 0.0, "{pose:?}: {found:?}");
    }
}

#[test]
fn a_gap_of_no_width_is_no_way_out() {
    // A tongue as wide as the groove: it fits to the bit, and closed sets that touch overlap.
    let groove = shape(picture(&["#.#", "#.#", "###"], 1.0));
    let tongue = cuboid([0.5, 0.5, 0.5]);
    let pose = at(1.6, 2.0, 0.5);
    let found = contact(&groove, &HERE, &tongue, &pose, 0.0).unwrap();
    is_sound(&found, ((&groove).into(), &HERE), ((&tongue).into(), &pose), 0.0, "groove");
    assert!(-found.separation_bound <= 1.0 && -found.separation_bound >= 0.09, "{found:?}");
}

#[test]
fn whatever_is_inside_comes_out_on_the_shortest_way() {
    let (large, small) = (cuboid([2.0, 3.0, 4.0]), cuboid([0.1; 3]));
    let pose = at(1.5, 0.0, 0.0);
    let found = contact(&large, &HERE, &small, &pose, 0.0).unwrap();
    is_sound(&found, ((&large).into(), &HERE), ((&small).into(), &pose), 0.0, "inside");
    assert!((found.separation + 0.6).abs() < 1e-9 && found.normal.abs_diff_eq(Vec3::X, 1e-9), "{found:?}");
    // Coincident.
    let found = contact(&large, &HERE, &large, &HERE, 0.0).unwrap();
    is_sound(&found, ((&large).into(), &HERE), ((&large).into(), &HERE), 0.0, "coincident");
    assert!((found.separation + 4.0).abs() < 1e-9 && found.separation_bound < -3.99, "{found:?}");
    // In a cavity, through its wall.
    let lines = [0.0, 1.0, 3.0, 4.0];
    let hollow = shape(lattice([&lines, &lines, &lines], |cell| cell != [1, 1, 1]));
    let pose = at(1.05, 2.0, 2.0);
    let found = contact(&hollow, &HERE, &small, &pose, 0.0).unwrap();
    is_sound(&found, ((&hollow).into(), &HERE), ((&small).into(), &pose), 0.0, "cavity");
    assert!((found.separation + 0.05).abs() < 1e-9 && found.separation_bound < -0.045, "{found:?}");
    assert_eq!(contact(&hollow, &HERE, &small, &at(2.0, 2.0, 2.0), 0.1), None, "within the cavity it is free");
}

#[test]
fn surfaces_without_an_inside_have_honest_bounds() {
    let sheet = |along: Vec3, up: Vec3| {
        let corners = vec![-along - up, along - up, along + up, up - along];
        shape(TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap())
    };
    let (level, upright) = (sheet(Vec3::X, Vec3::Y), sheet(Vec3::X, Vec3::Z));
    let ring = shape(generate::torus(1.0, 0.3, 12, 8).unwrap()).with_solid(false).unwrap();
    let cube = cuboid([0.4; 3]);
    let cases: [(&str, &MeshShape, &MeshShape, Pose); 6] = [
        ("sheets that cross", &level, &upright, at(0.3, 0.2, 0.9)),
        ("sheets in one plane", &level, &level, at(0.5, 0.1, 0.0)),
        ("the same sheet", &level, &level, HERE),
        ("a sheet through a solid", &cube, &level, at(0.1, 0.2, 0.1)),
        ("two hollow rings", &ring, &ring, at(0.4, 0.3, 0.1)),
        ("a ring in a solid's skin", &ring, &cube, at(1.0, 0.2, 0.0)),
    ];
    for (what, a, b, pose) in cases {
        let found = contact(a, &HERE, b, &pose, 0.0).unwrap();
        is_sound(&found, (a.into(), &HERE), (b.into(), &pose), 0.0, what);
        println!("{what}: {} to {}", -found.separation_bound, -found.separation);
    }
    let found = contact(&level, &HERE, &upright, &at(0.3, 0.2, 0.9), 0.0).unwrap();
    assert!((found.separation + 0.1).abs() < 1e-9 && found.separation_bound < -0.095, "{found:?}");
    // A hollow box that holds another touches nothing.
    let hollow = cuboid([1.0; 3]).with_solid(false).unwrap();
    assert_eq!(contact(&hollow, &HERE, &cuboid([0.1; 3]), &HERE, 0.1), None);
}

#[test]
fn sizes_far_from_a_metre_are_no_trouble() {
    for power in [-900, -150, -30, 30, 150, 900] {
        let size = 2f64.powi(power);
        let scaled = |rows: &[&str]| {
            let mesh = picture(rows, 1.0);
            shape(TriMesh::new(mesh.vertices().iter().map(|&v| v * size).collect(), mesh.triangles().to_vec()).unwrap())
        };
        let (a, b) = (scaled(&["#.", "##"]), scaled(&["##", ".#"]));
        let pose = at(0.9 * size, 0.3 * size, 0.2 * size);
        let found = contact(&a, &HERE, &b, &pose, 0.0).unwrap();
        is_sound(&found, ((&a).into(), &HERE), ((&b).into(), &pose), 0.0, &format!("2^{power}"));
        assert!(power.abs() > 500 || found.separation >= 1.06 * found.separation_bound, "2^{power}: {found:?}");
    }
    // Far out, where an ulp is a share of the size.
    let (a, b) = (cuboid([1e-9; 3]), cuboid([1e-9; 3]));
    let (p, q) = (at(1e5, 0.0, 0.0), at(1e5, 1e-9, 0.0));
    let found = contact(&a, &p, &b, &q, 0.0).unwrap();
    is_sound(&found, ((&a).into(), &p), ((&b).into(), &q), 0.0, "far out");
}

#[test]
fn a_mesh_that_has_moved_is_parted_as_well() {
    let mut soft = shape(generate::icosphere(0.5, 2).unwrap());
    let stretched: Vec<Vec3> = soft.mesh().vertices().iter().map(|&v| v * Vec3::new(1.5, 1.0, 0.8)).collect();
    soft.deform(&stretched).unwrap();
    let cube = cuboid([0.4; 3]);
    let pose = at(0.3, 0.2, 0.7);
    let found = contact(&soft, &HERE, &cube, &pose, 0.0).unwrap();
    is_sound(&found, ((&soft).into(), &HERE), ((&cube).into(), &pose), 0.0, "soft");
    assert_eq!(contact(&soft, &HERE, &cube, &pose, 0.0), Some(found), "the same question has the same answer");
}

#[test]
fn points_are_where_surfaces_are_near() {
    let mut random = Random::new(31);
    let (a, b) = (shape(picture(&["#.#", "###"], 1.0)), shape(generate::torus(0.6, 0.25, 12, 8).unwrap()));
    for round in 0..40 {
        let (p, q) = (random.pose(0.2), random.pose(1.5));
        let gap = distance(&a, &p, &b, &q).distance;
        if gap == 0.0 {
            continue;
        }
        let margin = gap * 1.5;
        let found = contact(&a, &p, &b, &q, margin).unwrap();
        is_sound(&found, ((&a).into(), &p), ((&b).into(), &q), margin, &format!("round {round}"));
        assert!((found.points[0].separation - gap).abs() <= 1e-9, "round {round}: {found:?} at {gap}");
    }
}

#[test]
fn surfaces_touch_where_shapes_overlap() {
    let mut random = Random::new(77);
    let mesh = |mesh| Shape::from(shape(mesh));
    let ball = || Convex::sphere(0.4).unwrap();
    let dumbbell = Compound::new([
        (ball().into(), at(-0.5, 0.0, 0.0)),
        (mesh(generate::icosphere(0.4, 1).unwrap()), at(0.5, 0.0, 0.0)),
    ])
    .unwrap();
    let shapes: Vec<Shape> = vec![
        mesh(generate::torus(0.7, 0.25, 12, 8).unwrap()),
        mesh(generate::cuboid([0.5, 0.3, 0.4]).unwrap()),
        ball().into(),
        Convex::cuboid(Vec3::new(0.3, 0.4, 0.2)).unwrap().into(),
        Convex::cylinder(0.3, 0.4).unwrap().into(),
        Convex::segment([Vec3::ZERO, Vec3::Z]).unwrap().into(),
        dumbbell.into(),
    ];
    let (mut met, mut disjoint) = (0, 0);
    for _ in 0..600 {
        let mut any = || &shapes[random.whole(0, shapes.len() as i64 - 1) as usize];
        let (a, b) = (any(), any());
        let (pose_a, pose_b) = (random.pose(0.6), random.pose(0.6));
        let touches = overlap(a, &pose_a, b, &pose_b).is_some();
        let found = contact_manifold(a, &pose_a, b, &pose_b, 0.0);
        assert_eq!(found.is_some(), touches, "{a:?} {b:?}");
        let Some(found) = found else {
            disjoint += 1;
            continue;
        };
        met += 1;
        assert!(found.separation <= 0.0 && !found.points.is_empty() && found.points.len() <= 32);
        assert!(
            found.points.iter().all(|point| (point.normal.length() - 1.0).abs() < 1e-12 && point.point.is_finite())
        );
        if let (Shape::Mesh(_), Shape::Mesh(_)) = (a, b) {
            let parted = moved(&pose_b, found.normal * -found.separation);
            assert!(overlap(a, &pose_a, b, &parted).is_none(), "their boxes are apart then");
        }
    }
    assert!(met > 200 && disjoint > 50, "{met} met, {disjoint} disjoint");
}

/// What is told of a surface is a way out for the margin of a hull, too.
#[test]
fn the_surface_contact_of_a_mesh_leads_a_rounded_hull_out() {
    let (mesh, mut random, mut deep) = (cuboid([1.0; 3]), Random::new(1606), 0);
    for round in 0..200 {
        let margin = [0.05, 0.3][round % 2];
        let hull = Convex::cuboid(Vec3::splat(0.4)).unwrap().remargined(margin).unwrap();
        let pose = match round {
            0 | 1 => at(1.3, 0.0, 0.0),
            _ => random.pose(1.3),
        };
        let Some(found) = contact_manifold(&mesh, &HERE, &hull, &pose, 0.0) else { continue };
        let away = moved(&pose, found.normal * -found.separation);
        let left = overlap(&mesh, &HERE, &hull, &away);
        // Where the core is outside the surface tells how deep the margin is in it.
        let is_core_in = overlap(&mesh, &HERE, &hull.clone().remargined(0.0).unwrap(), &pose).is_some();
        assert!(!is_core_in || left.is_none(), "round {round}: {found:?}");
        deep += usize::from(is_core_in);
    }
    assert!(deep > 50, "{deep}");
}
