//! Planes of wild magnitudes and planes one ulp from degeneracy, against all triples of planes in rational arithmetic.

use heurt_geometry::Vec3;
use heurt_mesh::Topology;
use heurt_solid::{BigRational, Csg, HalfSpace, HalfSpaceIntersection, Polytope, PolytopeError};
use heurt_testkit::number::random::Random;
use std::collections::BTreeSet;

type Point = [BigRational; 3];

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).unwrap()
}

fn determinant(m: [[&BigRational; 3]; 3]) -> BigRational {
    let [[a, b, c], [d, e, f], [g, h, i]] = m;
    a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
}

fn vertices(half_spaces: &[HalfSpace]) -> BTreeSet<Point> {
    let rows: Vec<[BigRational; 4]> =
        half_spaces.iter().map(|h| [h.normal().x, h.normal().y, h.normal().z, h.offset()].map(exact)).collect();
    let zero = exact(0.0);
    let mut found = BTreeSet::new();
    for i in 0..rows.len() {
        for j in i + 1..rows.len() {
            for k in j + 1..rows.len() {
                let triple = [&rows[i], &rows[j], &rows[k]];
                let pick = |columns: [usize; 3]| determinant(triple.map(|row| columns.map(|column| &row[column])));
                let w = pick([0, 1, 2]);
                if w == zero {
                    continue;
                }
                let point = [-pick([3, 1, 2]) / &w, -pick([0, 3, 2]) / &w, -pick([0, 1, 3]) / &w];
                let value =
                    |row: &[BigRational; 4]| &row[0] * &point[0] + &row[1] * &point[1] + &row[2] * &point[2] + &row[3];
                if rows.iter().all(|row| value(row) <= zero) {
                    found.insert(point);
                }
            }
        }
    }
    found
}

/// Checks vertices, emptiness and the recession cone; returns whether the polytope is solid.
fn check(half_spaces: &[HalfSpace]) -> bool {
    let is_bounded = HalfSpaceIntersection::new(half_spaces.to_vec()).has_trivial_recession_cone();
    let expected = vertices(half_spaces);
    match Polytope::from_half_spaces(half_spaces) {
        Ok(polytope) => {
            assert!(is_bounded);
            assert_eq!(polytope.vertices().map(|vertex| vertex.exact()).collect::<BTreeSet<_>>(), expected);
            if let Ok(mesh) = polytope.to_mesh() {
                assert!(mesh.triangles().len() == 2 * polytope.vertex_count() - 4, "Euler");
            }
            assert!(polytope.volume() > exact(0.0));
            return true;
        }
        Err(PolytopeError::Empty { .. }) => assert!(expected.is_empty()),
        Err(PolytopeError::Flat { .. }) => assert!(is_bounded && !expected.is_empty()),
        Err(PolytopeError::Unbounded { .. }) => assert!(!is_bounded),
        Err(other) => panic!("{other}"),
    }
    false
}

#[test]
fn coefficients_of_wild_magnitudes() {
    let (mut random, mut solid) = (Random::new(41), 0);
    for round in 0..60 {
        let range = [3, 40, 300][round % 3];
        let mut number = || random.between(-1.0, 1.0) * 2f64.powi(random.whole(-range, range) as i32);
        let mut half_spaces = Vec::new();
        while half_spaces.len() < 4 + round % 5 {
            let (normal, offset) = (Vec3::new(number(), number(), number()), -number().abs());
            half_spaces.extend(HalfSpace::new(normal, offset));
        }
        // A box closes every second one.
        if round % 2 == 0 {
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                half_spaces.push(HalfSpace::new(axis, -1.0).unwrap());
                half_spaces.push(HalfSpace::new(-axis, -1.0).unwrap());
            }
        }
        solid += usize::from(check(&half_spaces));
    }
    assert!(solid > 20, "{solid}");
}

#[test]
fn planes_one_ulp_from_degeneracy() {
    let (mut random, mut solid) = (Random::new(43), 0);
    for _ in 0..150 {
        let mut half_spaces = Vec::new();
        // Planes through the point (0.1, 0.2, 0.3), up to the rounding of the offset and an ulp more.
        for k in 0..6 {
            let normal = Vec3::from_array([0.0; 3].map(|_: f64| random.whole(-2, 2) as f64));
            let offset = -normal.dot(Vec3::new(0.1, 0.2, 0.3));
            let offset = [offset, offset.next_up(), offset.next_down()][k % 3];
            half_spaces.extend(HalfSpace::new(normal, offset));
        }
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            half_spaces.push(HalfSpace::new(axis, -1.0).unwrap());
            half_spaces.push(HalfSpace::new(-axis, -1.0).unwrap());
        }
        solid += usize::from(check(&half_spaces));
    }
    assert!(solid > 20, "{solid}");
}

#[test]
fn a_sphere_of_many_facets_is_drilled_exactly() {
    let volume = |text: &str| Csg::from_openscad(text).unwrap().to_exact_pieces().unwrap();
    let ball = "sphere($fn = 16, r = 10);";
    let drill = "cylinder($fn = 12, h = 30, r = 4, center = true);";
    let [whole, drilled, core] = [
        volume(ball),
        volume(&format!("difference() {{ {ball} {drill} }}")),
        volume(&format!("intersection() {{ {ball} {drill} }}")),
    ];
    assert_eq!(drilled.volume() + core.volume(), whole.volume());
    for mesh in drilled.to_meshes().unwrap() {
        assert!(Topology::new(&mesh).is_closed());
    }
}
