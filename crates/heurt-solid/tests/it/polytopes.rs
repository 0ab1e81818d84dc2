//! Polytopes against the enumeration of all triples of planes: vertices, emptiness, flatness, meshes, volumes.

use heurt_geometry::Vec3;
use heurt_mesh::{Topology, TriMesh, convex_hull, generate, measures};
use heurt_solid::{BigRational, HalfSpace, HalfSpaceIntersection, Polytope, PolytopeError};
use heurt_testkit::number::random::Random;
use std::collections::BTreeSet;

type Point = [BigRational; 3];

/// All common points of three planes that satisfy all half-spaces, by Cramer's rule in integers.
fn vertices(planes: &[[i64; 4]]) -> BTreeSet<Point> {
    let det = |a: [i64; 3], b: [i64; 3], c: [i64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let mut found = BTreeSet::new();
    for i in 0..planes.len() {
        for j in i + 1..planes.len() {
            for k in j + 1..planes.len() {
                let rows = [planes[i], planes[j], planes[k]];
                let column = |k: usize| rows.map(|row| row[k]);
                let w = det(column(0), column(1), column(2));
                if w == 0 {
                    continue;
                }
                let d = column(3).map(|x| -x);
                let point = [det(d, column(1), column(2)), det(column(0), d, column(2)), det(column(0), column(1), d)];
                let value = |row: &[i64; 4]| row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + row[3] * w;
                if planes.iter().all(|row| value(row) * w.signum() <= 0) {
                    found.insert(point.map(|x| BigRational::new(x.into(), w.into())));
                }
            }
        }
    }
    found
}

fn half_spaces(planes: &[[i64; 4]], scale: f64) -> Vec<HalfSpace> {
    let half_space = |[a, b, c, d]: &[i64; 4]| {
        HalfSpace::new(Vec3::new(*a as f64, *b as f64, *c as f64) * scale, *d as f64 * scale).unwrap()
    };
    planes.iter().map(half_space).collect()
}

fn check_mesh(polytope: &Polytope) -> TriMesh {
    let mesh = polytope.to_mesh().unwrap();
    let topology = Topology::new(&mesh);
    assert!(topology.is_closed() && topology.is_oriented());
    assert_eq!(topology.euler_characteristic(), 2);
    let (volume, exact) = (measures(&mesh).volume.unwrap(), polytope.rounded_volume());
    assert!((volume - exact).abs() < 1e-12 * exact.max(1.0), "{volume} {exact}");
    mesh
}

#[test]
fn random_planes_agree_with_the_enumeration_of_triples() {
    let (mut random, mut count) = (Random::new(1), [0; 4]);
    for round in 0..3000 {
        let size = if round % 3 == 0 { 1 } else { 2 };
        let mut planes = Vec::new();
        while planes.len() < 4 + round % 9 {
            let plane = [0; 4].map(|_: i64| random.whole(-size, size));
            if plane[..3] != [0; 3] {
                planes.push([plane[0], plane[1], plane[2], plane[3] - i64::from(round % 2 == 0)]);
            }
        }
        if round % 4 == 0 {
            planes.push(planes[0].map(|x| 3 * x));
        }
        let scale = 2f64.powi(random.whole(-400, 400) as i32);
        let given = half_spaces(&planes, scale);
        let is_bounded = HalfSpaceIntersection::new(given.clone()).has_trivial_recession_cone();
        let expected = vertices(&planes);
        match Polytope::from_half_spaces(&given) {
            Ok(polytope) => {
                assert!(is_bounded);
                assert_eq!(polytope.vertices().map(|vertex| vertex.exact()).collect::<BTreeSet<_>>(), expected);
                assert_eq!(polytope.vertex_count(), expected.len());
                let mesh = check_mesh(&polytope);
                let hull = convex_hull(mesh.vertices()).unwrap();
                assert!((measures(&hull).volume.unwrap() - polytope.rounded_volume()).abs() < 1e-12);
                let again = Polytope::from_half_spaces(&polytope.half_spaces()).unwrap();
                assert_eq!(again.volume(), polytope.volume());
                count[0] += 1;
            }
            Err(PolytopeError::Flat { .. }) => {
                assert!(is_bounded && !expected.is_empty());
                count[1] += 1;
            }
            Err(PolytopeError::Empty { .. }) => {
                assert!(expected.is_empty());
                count[2] += 1;
            }
            Err(PolytopeError::Unbounded { .. }) => {
                assert!(!is_bounded);
                count[3] += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(count.iter().all(|&count| count > 50), "{count:?}");
}

#[test]
fn empty_flat_and_unbounded_are_told_from_each_other() {
    let outcome =
        |planes: &[[i64; 4]]| Polytope::from_half_spaces(&half_spaces(planes, 1.0)).map(|p| p.volume().to_string());
    let cube = [[1, 0, 0, -1], [-1, 0, 0, 0], [0, 1, 0, -1], [0, -1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 0]];
    let with = |plane: [i64; 4]| [&cube[..], &[plane]].concat();
    assert_eq!(outcome(&cube), Ok("1".to_owned()));
    assert_eq!(outcome(&with([1, 1, 1, -3])), Ok("1".to_owned()), "redundant, through a corner");
    assert_eq!(outcome(&with([1, 1, 1, -1])), Ok("1/6".to_owned()));
    assert_eq!(outcome(&with([1, 0, 0, 0])), Err(PolytopeError::Flat { half_spaces: 7 }), "a face is left");
    assert_eq!(outcome(&with([1, 1, 0, 0])), Err(PolytopeError::Flat { half_spaces: 7 }), "an edge is left");
    assert_eq!(outcome(&with([1, 1, 1, 0])), Err(PolytopeError::Flat { half_spaces: 7 }), "a corner is left");
    assert_eq!(outcome(&with([1, 1, 1, 1])), Err(PolytopeError::Empty { half_spaces: 7 }));
    assert_eq!(outcome(&[[1, 0, 0, 1], [-1, 0, 0, 1]]), Err(PolytopeError::Empty { half_spaces: 2 }), "no vertex");
    assert_eq!(outcome(&[[1, 0, 0, -1], [-1, 0, 0, 0]]), Err(PolytopeError::Unbounded { half_spaces: 2 }));
    assert_eq!(outcome(&cube[..5]), Err(PolytopeError::Unbounded { half_spaces: 5 }));
    assert_eq!(outcome(&[]), Err(PolytopeError::Unbounded { half_spaces: 0 }));
}

#[test]
fn many_planes_through_one_vertex_make_a_pyramid() {
    let mut planes: Vec<[i64; 4]> = vec![[0, 0, -1, 0]];
    // Pythagorean directions, so that all sides pass through (0, 0, 5) exactly.
    for [x, y] in
        [[5, 0], [4, 3], [3, 4], [0, 5], [-3, 4], [-4, 3], [-5, 0], [-4, -3], [-3, -4], [0, -5], [3, -4], [4, -3]]
    {
        planes.push([x, y, 5, -25]);
    }
    let cone = Polytope::from_half_spaces(&half_spaces(&planes, 1.0)).unwrap();
    assert_eq!((cone.vertex_count(), cone.facets().len()), (13, 13));
    check_mesh(&cone);
}

#[test]
fn huge_and_tiny_scales_keep_the_combinatorics() {
    for exponent in [-900, -300, 0, 300, 900] {
        let size = 2f64.powi(exponent);
        let mut given = Vec::new();
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            given.push(HalfSpace::new(axis, -size).unwrap());
            given.push(HalfSpace::new(-axis, 0.0).unwrap());
        }
        // The next number below 3: cuts a corner off whose edges are a few ulp of the cube.
        given.push(HalfSpace::new(Vec3::ONE, -(3.0 * size).next_down()).unwrap());
        let polytope = Polytope::from_half_spaces(&given).unwrap();
        assert_eq!((polytope.vertex_count(), polytope.facets().len()), (10, 7));
        let mesh = polytope.to_mesh().unwrap();
        assert!(Topology::new(&mesh).is_oriented());
    }
}

#[test]
fn meshes_of_convex_bodies_come_back() {
    let mut random = Random::new(9);
    for count in [4, 5, 8, 20, 60] {
        let points: Vec<_> = (0..count).map(|_| random.vector(1.0)).collect();
        let hull = convex_hull(&points).unwrap();
        let polytope = Polytope::from_convex_mesh(&hull).unwrap();
        assert_eq!(polytope.vertex_count(), hull.vertices().len());
        check_mesh(&polytope);
        let given: BTreeSet<_> = hull.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect();
        let rounded = polytope.to_mesh().unwrap();
        assert!(rounded.vertices().iter().all(|v| hull.vertices().iter().any(|g| g.abs_diff_eq(*v, 1e-15))));
        assert_eq!(given.len(), polytope.vertex_count());
        let enclosing = HalfSpaceIntersection::new(polytope.half_spaces());
        assert!(hull.vertices().iter().all(|&v| enclosing.contains(v)), "half-spaces are rounded outward");
    }
    let torus = generate::torus(1.0, 0.3, 12, 6).unwrap();
    assert!(matches!(Polytope::from_convex_mesh(&torus), Err(PolytopeError::NotConvex { .. })));
    let brick = generate::cuboid([1.0; 3]).unwrap();
    assert!(matches!(Polytope::from_convex_mesh(&brick.clone().reversed()), Err(PolytopeError::NotConvex { .. })));
    let open = TriMesh::new(brick.vertices().to_vec(), brick.triangles()[1..].to_vec()).unwrap();
    assert!(matches!(Polytope::from_convex_mesh(&open), Err(PolytopeError::OpenMesh { .. })));
}
