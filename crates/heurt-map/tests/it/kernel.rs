//! Centres in kernels, against exact fractions: a volume is accepted if, and only if, some point sees all of it.

use heurt_geometry::Vec3;
use heurt_map::track::{Centres, StarTracker};
use heurt_map::{Cell, CombinatorialMap, Map3, Orbit, Orient};
use heurt_testkit::number::random::Random;
use heurt_testkit::test_size;

type Whole = [i128; 3];

fn cross(a: Whole, b: Whole) -> Whole {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Whole, b: Whole) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sub(a: Whole, b: Whole) -> Whole {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Reports whether half-spaces n·x ≤ d share a ball: their corners, in exact fractions, are on no common plane of them.
fn share_a_ball(planes: &[(Whole, i128)]) -> bool {
    let mut corners: Vec<(Whole, i128)> = Vec::new();
    for (i, &(a, da)) in planes.iter().enumerate() {
        for (j, &(b, db)) in planes.iter().enumerate().skip(i + 1) {
            for &(c, dc) in &planes[j + 1..] {
                let mut divisor = dot(a, cross(b, c));
                if divisor == 0 {
                    continue;
                }
                let [bc, ca, ab] = [cross(b, c), cross(c, a), cross(a, b)];
                let mut at = [0, 1, 2].map(|k| da * bc[k] + db * ca[k] + dc * ab[k]);
                if divisor < 0 {
                    divisor = -divisor;
                    at = at.map(|k| -k);
                }
                if planes.iter().all(|&(n, d)| dot(n, at) <= d * divisor) {
                    corners.push((at, divisor));
                }
            }
        }
    }
    let is_off = |&(n, d): &(Whole, i128)| corners.iter().any(|&(at, divisor)| dot(n, at) < d * divisor);
    !corners.is_empty() && planes.iter().all(is_off)
}

/// The planes of the triangles of a volume, with corners times 12, so that centres of faces are whole.
fn planes(map: &Map3, points: &[Whole]) -> Vec<(Whole, i128)> {
    let mut planes = Vec::new();
    for dart in map.live_darts().filter(|&dart| !map.is_boundary(dart)) {
        let corners: Vec<Whole> =
            map.face_darts(dart).map(|dart| points[map.id(Orbit::Vertex, dart) as usize].map(|k| 12 * k)).collect();
        let centre = [0, 1, 2].map(|axis| corners.iter().map(|at| at[axis]).sum::<i128>() / corners.len() as i128);
        let normal = cross(sub(corners[0], centre), sub(corners[1], centre));
        planes.push((normal, dot(normal, centre)));
    }
    planes.sort_unstable();
    planes.dedup();
    planes
}

/// A volume of a map of its own, with numbered faces.
fn alone(cell: Cell, corners: usize) -> Map3 {
    let mut map = Map3::from_cells(corners, &[cell], Orient::Keep).expect("a volume").map;
    map.enable_ids(Orbit::Face);
    map
}

fn is_accepted(map: &Map3, points: &[Whole], centres: fn(&Map3, &[Vec3]) -> Centres) -> bool {
    let points: Vec<Vec3> = points.iter().map(|at| Vec3::from_array(at.map(|k| k as f64))).collect();
    StarTracker::new(map, &points, &centres(map, &points)).expect("numbered").check().is_empty()
}

/// Random volumes of one kind: counts how many the means accept, and how many have a kernel, and compares.
fn compare(make: impl Fn(&mut Random) -> (Cell, Vec<Whole>), count: u64, random: &mut Random) -> [u32; 2] {
    let mut counts = [0; 2];
    // Faces whose mean does not see their edges get another centre, of which the fractions know nothing.
    for _ in 0..count {
        let (cell, points) = make(random);
        let map = alone(cell, points.len());
        let real: Vec<Vec3> = points.iter().map(|at| Vec3::from_array(at.map(|k| k as f64))).collect();
        let [means, centres] = [Centres::new, Centres::in_kernels].map(|make| make(&map, &real).expect("numbered"));
        if means.faces() != centres.faces() {
            continue;
        }
        let expected = share_a_ball(&planes(&map, &points));
        let found = is_accepted(&map, &points, |map, points| Centres::in_kernels(map, points).expect("numbered"));
        assert_eq!(found, expected, "{points:?}");
        let by_means = is_accepted(&map, &points, |map, points| Centres::new(map, points).expect("numbered"));
        assert!(!by_means || found, "{points:?}");
        counts[0] += u32::from(by_means);
        counts[1] += u32::from(found);
    }
    counts
}

#[test]
fn hexahedra_with_a_kernel_are_accepted_and_no_others() {
    let mut random = Random::new(3);
    let hexahedron = |random: &mut Random| {
        let ideal = [[0, 0, 0], [8, 0, 0], [8, 8, 0], [0, 8, 0], [0, 0, 8], [8, 0, 8], [8, 8, 8], [0, 8, 8]];
        let mut moved = |k: i64| i128::from(k + random.whole(-3, 3));
        (Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]), ideal.map(|at| at.map(&mut moved)).to_vec())
    };
    let [means, kernels] = compare(hexahedron, test_size("HEURT_KERNELS", 120), &mut random);
    assert!(means < kernels, "{means} by means, {kernels} by kernels");
}

#[test]
fn dented_volumes_with_a_kernel_are_accepted_and_no_others() {
    let mut random = Random::new(5);
    let dented = |random: &mut Random| {
        // A double pyramid over a triangle, with corners anywhere: its centre is often behind a dent.
        let faces = [[0, 1, 3], [1, 2, 3], [2, 0, 3], [1, 0, 4], [2, 1, 4], [0, 2, 4]];
        let mut points = vec![[0, 0, 0], [30, 0, 0], [0, 30, 0], [0, 0, 0], [0, 0, 0]];
        points[3] = [0, 0, 0].map(|_: i128| i128::from(random.whole(-5, 25)));
        points[4] = [0, 0, 0].map(|_: i128| i128::from(random.whole(-25, 5)));
        (Cell::Polyhedron(faces.iter().map(|face| face.to_vec()).collect()), points)
    };
    let [means, kernels] = compare(dented, test_size("HEURT_KERNELS", 2000), &mut random);
    assert!(means < kernels, "{means} by means, {kernels} by kernels");
}

#[test]
fn a_concave_face_gets_a_centre_that_sees_its_edges() {
    // A prism over an L, whose mean of corners is the inner corner.
    let outline = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    let points: Vec<Vec3> = (0..12)
        .map(|k| Vec3::new(f64::from(outline[k % 6][0]), f64::from(outline[k % 6][1]), (k / 6) as f64))
        .collect();
    let mut faces: Vec<Vec<u32>> = vec![vec![5, 4, 3, 2, 1, 0], vec![6, 7, 8, 9, 10, 11]];
    faces.extend((0..6).map(|k| vec![k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6]));
    let map = alone(Cell::Polyhedron(faces), 12);
    let by = |centres: &Centres| StarTracker::new(&map, &points, centres).expect("numbered").check().len();
    assert_eq!(by(&Centres::new(&map, &points).expect("numbered")), 1);
    let centres = Centres::in_kernels(&map, &points).expect("numbered");
    assert_eq!(by(&centres), 0);
    let centre = centres.volumes()[0];
    assert!(centre.x < 1.0 && centre.y < 1.0 && (centre.z - 0.5).abs() < 0.3, "{centre}");
}

#[test]
fn kernels_do_not_depend_on_the_unit() {
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]];
    let map = alone(Cell::Polyhedron(faces.iter().map(|face| face.to_vec()).collect()), 5);
    let points = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9], [1, 1, 2]].map(|at| Vec3::from_array(at.map(f64::from)));
    let near = Centres::in_kernels(&map, &points).expect("numbered").volumes()[0];
    for scale in [2.0_f64.powi(-200), 2.0_f64.powi(200)] {
        let centres = Centres::in_kernels(&map, &points.map(|at| at * scale)).expect("numbered");
        assert_eq!(centres.volumes()[0], near * scale);
    }
}
