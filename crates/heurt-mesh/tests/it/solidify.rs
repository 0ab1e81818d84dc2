//! Solidification: seams are closed, nothing else is; shells face outward; what was exact stays bit for bit.

use crate::broken;
use crate::broken::{jittered, largest, merged, placed, solids, turned, with_corners, without};
use crate::shapes::{Random, cube, cuboid, mesh, moebius, open_box, torus, unshared};
use heurt_geometry::Vec3;
use heurt_mesh::{GRID, SEAM, SolidifyError, Topology, TriMesh, Weld, generate, measures, solidify};

fn volume(mesh: &TriMesh) -> f64 {
    measures(mesh).volume.unwrap()
}

#[test]
fn a_closed_mesh_comes_back_bit_for_bit() {
    for (name, solid) in solids() {
        for mesh in [solid.clone(), unshared(&solid)] {
            for weld in [Weld::Auto, Weld::None, Weld::Within(0.1)] {
                let found = solidify(mesh.clone(), weld).unwrap();
                assert_eq!(found.mesh, mesh, "{name}");
                assert!(found.is_closed && !found.is_changed(), "{name}");
                assert_eq!((found.open_edges, found.inconsistent_edges, found.t_vertices), (0, 0, 0), "{name}");
                assert!(found.nested.is_empty() && found.is_nesting_exact, "{name}");
                let topology = Topology::new(&mesh);
                assert_eq!(found.components, topology.components(), "{name}");
                let count = mesh.vertices().len() as u32;
                let coincident = (0..count).any(|vertex| topology.representative(vertex) != vertex);
                assert_eq!(found.has_coincident_vertices, coincident, "{name}");
            }
        }
    }
}

#[test]
fn facets_that_round_their_corners_differently_are_welded() {
    // As a file has it: each facet with 6 or with 7 digits.
    let box_of_facets = cuboid([0.0; 3], [1.0 / 3.0, 1.0, 1.0]);
    let mut corner = 0;
    let seam = with_corners(&box_of_facets, |point| {
        corner += 1;
        point.map(|x| broken::in_digits(x, if (corner - 1) / 3 % 2 == 0 { 7 } else { 6 }))
    });
    let found = solidify(seam.clone(), Weld::Auto).unwrap();
    let welding = found.welding.unwrap();
    assert!(found.is_closed);
    assert_eq!(welding.tolerance, SEAM);
    assert_eq!((welding.open_edges_before > 0, welding.open_edges_after), (true, 0));
    assert!((welding.farthest - 3e-7).abs() < 1e-15, "{}", welding.farthest);
    let moved = seam.vertices().iter().zip(found.mesh.vertices()).filter(|(a, b)| a != b).count();
    assert_eq!(welding.vertices, moved);
    assert_eq!(found.mesh.triangles(), seam.triangles());
    let none = solidify(seam.clone(), Weld::None).unwrap();
    assert_eq!((none.is_closed, none.open_edges), (false, welding.open_edges_before));
    assert_eq!(none.mesh, seam);
}

#[test]
fn noise_beside_zero_is_welded() {
    for (name, solid) in solids() {
        let mut random = Random::new(7);
        let noisy = with_corners(&solid, |corner| {
            corner.map(
                |x| if x.abs() < 1e-12 { (random.next() - 0.5) * 4e-17 } else { x * (1.0 + 1e-16 * random.next()) },
            )
        });
        let found = solidify(noisy, Weld::Auto).unwrap();
        assert!(found.is_closed, "{name}");
        assert!(found.welding.is_none_or(|welding| welding.farthest < 1e-15), "{name}");
        assert!((volume(&found.mesh) - volume(&solid)).abs() < 1e-14 * volume(&solid), "{name}");
    }
}

#[test]
fn a_dropped_face_stays_a_hole() {
    for (name, solid) in solids() {
        let mut random = Random::new(11);
        let count = solid.triangles().len() as u32;
        let dropped = random.below(count);
        let exact = without(&solid, |triangle| triangle == dropped);
        let found = solidify(exact.clone(), Weld::Auto).unwrap();
        assert_eq!(found.mesh, exact, "{name}");
        assert_eq!((found.is_closed, found.open_edges, found.welding), (false, 3, None), "{name}");
        let seamed = jittered(&exact, &mut random);
        let found = solidify(seamed, Weld::Auto).unwrap();
        assert_eq!((found.is_closed, found.open_edges), (false, 3), "{name}");
        assert_eq!(found.welding.unwrap().open_edges_after, 3, "{name}");
    }
}

#[test]
fn plates_of_ten_ulp_keep_their_thickness() {
    let ulp = 1.0 / f64::from(1u32 << 23);
    for thickness in [10.0, 16.0, 100.0] {
        let plate = cuboid([0.0; 3], [1.0, 1.9, thickness * ulp]);
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let mut nudge = |x: f64| x + (f64::from(random.below(3)) - 1.0) * ulp;
            let found = solidify(with_corners(&plate, |corner| corner.map(&mut nudge)), Weld::Auto).unwrap();
            assert!(found.is_closed, "{thickness} ulp, seed {seed}");
            assert_eq!(measures(&found.mesh).genus, Some(0), "{thickness} ulp, seed {seed}");
            let share = volume(&found.mesh) / volume(&plate);
            assert!((share - 1.0).abs() < 2.5 / thickness, "{thickness} ulp, seed {seed}: {share}");
        }
    }
}

#[test]
fn plates_thinner_than_the_tolerance_do_not_collapse() {
    let ulp = 1.0 / f64::from(1u32 << 23);
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let plate = cuboid([0.0; 3], [1.0, 1.9, 2.0 * ulp]);
        let mut nudge = |x: f64| x + (f64::from(random.below(3)) - 1.0) * ulp;
        let seam = with_corners(&plate, |corner| corner.map(&mut nudge));
        let before = Topology::new(&seam).collapsed().to_vec();
        let found = solidify(seam, Weld::Auto).unwrap();
        assert_eq!(Topology::new(&found.mesh).collapsed(), before, "seed {seed}");
    }
}

#[test]
fn facets_inside_out_are_turned_back() {
    for (name, solid) in solids() {
        for seed in 0..4 {
            let mut random = Random::new(seed);
            let some = turned(&solid, |_| random.below(4) == 0);
            let found = solidify(some.clone(), Weld::None).unwrap();
            assert_eq!(found.mesh, solid, "{name}, seed {seed}");
            let reversed = some.triangles().iter().zip(solid.triangles()).filter(|(a, b)| a != b).count();
            assert_eq!(found.turned.triangles, reversed, "{name}, seed {seed}");
            assert!(found.is_closed && found.turned.shells >= 1);
            // Seams and facets inside out at once.
            let found = solidify(jittered(&some, &mut random), Weld::Auto).unwrap();
            assert!(found.is_closed, "{name}, seed {seed}");
            let expected = volume(&solid);
            let got = volume(&found.mesh);
            assert!((got - expected).abs() < 1e-5 * expected, "{name}, seed {seed}: {got} instead of {expected}");
        }
    }
}

/// Nested boxes, the largest first, that face outward where `outward` says so.
fn nest(outward: &[bool]) -> TriMesh {
    let shell = |(depth, &outward): (usize, &bool)| {
        let side = 1.0 - 0.2 * depth as f64;
        let shell = cuboid([-side; 3], [side; 3]);
        if outward { shell } else { shell.reversed() }
    };
    merged(&outward.iter().enumerate().map(shell).collect::<Vec<_>>())
}

#[test]
fn nested_shells_are_turned_by_what_they_bound() {
    const OUT: bool = true;
    const IN: bool = false;
    let cases: [(&[bool], &[bool], usize); 13] = [
        (&[OUT], &[OUT], 0),
        (&[IN], &[OUT], 0),
        (&[OUT, IN], &[OUT, IN], 0),
        // A solid with a cavity, inside out as a whole.
        (&[IN, OUT], &[OUT, IN], 0),
        (&[IN, IN], &[OUT, IN], 0),
        // A body in a body stays, and is reported.
        (&[OUT, OUT], &[OUT, OUT], 1),
        (&[OUT, IN, OUT], &[OUT, IN, OUT], 0),
        (&[IN, OUT, IN], &[OUT, IN, OUT], 0),
        (&[OUT, IN, IN], &[OUT, IN, OUT], 0),
        (&[IN, IN, OUT], &[OUT, IN, OUT], 0),
        (&[OUT, IN, OUT, IN], &[OUT, IN, OUT, IN], 0),
        (&[IN, OUT, IN, OUT], &[OUT, IN, OUT, IN], 0),
        (&[OUT, OUT, OUT], &[OUT, OUT, OUT], 2),
    ];
    for (given, expected, nested) in cases {
        let found = solidify(nest(given), Weld::Auto).unwrap();
        assert_eq!(found.mesh, nest(expected), "{given:?}");
        let differ = given.iter().zip(expected).filter(|(a, b)| a != b).count();
        assert_eq!((found.turned.shells, found.turned.triangles), (differ, 12 * differ), "{given:?}");
        assert_eq!(found.nested.len(), nested, "{given:?}");
        assert!(found.is_closed, "{given:?}");
    }
    let (left, right) = (cube(), cuboid([2.0; 3], [3.0; 3]));
    let found = solidify(merged(&[left.clone(), right.clone().reversed()]), Weld::Auto).unwrap();
    assert_eq!(found.mesh, merged(&[left, right]));
    assert_eq!((found.turned.shells, found.turned.triangles), (1, 12));
}

#[test]
fn bodies_that_share_an_edge_or_a_corner_are_turned_one_by_one() {
    for low in [[1.0, 1.0, 0.0], [1.0; 3]] {
        let other = cuboid(low, low.map(|x| x + 1.0));
        let both = merged(&[cube(), other.clone()]);
        let found = solidify(merged(&[cube(), other.reversed()]), Weld::Auto).unwrap();
        assert_eq!(found.mesh, both);
        // Single facets, too: around the common edge they have to alternate.
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let some = turned(&both, |_| random.below(3) == 0);
            let found = solidify(some, Weld::Auto).unwrap();
            assert_eq!(found.mesh, both, "seed {seed}");
        }
    }
}

#[test]
fn surfaces_without_sides_stay_as_they_are() {
    let strip = moebius(12);
    let found = solidify(strip.clone(), Weld::Auto).unwrap();
    assert_eq!((found.is_closed, found.mesh == strip), (false, true));
    let bottle = klein_bottle(8, 6);
    let found = solidify(bottle.clone(), Weld::Auto).unwrap();
    assert_eq!((found.is_closed, found.mesh == bottle), (false, true));
    assert_eq!(found.open_edges, 0);
    assert!(found.inconsistent_edges > 0);
    let both = merged(&[bottle.clone(), cube().reversed()]);
    let found = solidify(both, Weld::Auto).unwrap();
    assert_eq!(found.mesh, merged(&[bottle, cube()]), "a closed shell beside it is turned all the same");
}

/// A torus whose tube is glued on in a mirror.
fn klein_bottle(around: u32, through: u32) -> TriMesh {
    let base = torus(around, through);
    let mut triangles = Vec::new();
    for i in 0..around {
        let last = i + 1 == around;
        let at = |column: u32, j: u32| {
            let row = if last && column == around { (through - j % through) % through } else { j % through };
            (column % around) * through + row
        };
        for j in 0..through {
            let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
        }
    }
    TriMesh::new(base.vertices().to_vec(), triangles).unwrap()
}

#[test]
fn a_tolerance_beyond_the_thinnest_wall_is_refused() {
    let plate = cuboid([0.0; 3], [1.0, 1.0, 1e-3]);
    let mut random = Random::new(3);
    let seam = with_corners(&plate, |corner| corner.map(|x| x + 1e-5 * random.next()));
    let closed = solidify(seam.clone(), Weld::Within(5e-5)).unwrap();
    assert!(closed.is_closed);
    assert!(!solidify(seam.clone(), Weld::Auto).unwrap().is_closed);
    let error = solidify(seam.clone(), Weld::Within(2e-3)).unwrap_err();
    let SolidifyError::ToleranceTooLarge { tolerance, feature, triangle, vertices, place } = error.clone() else {
        panic!("{error}")
    };
    assert_eq!(tolerance, 2e-3);
    let [a, b] = vertices.map(|vertex| seam.vertices()[vertex as usize]);
    assert!((a.distance(b) - feature).abs() < 1e-18 && (feature - 1e-3).abs() < 3e-5);
    assert!(vertices.iter().all(|vertex| seam.triangles()[triangle as usize].contains(vertex)));
    assert!(place.distance((a + b) / 2.0) < 1e-18);
    assert!(error.to_string().ends_with(&format!("give less than {feature}")), "{error}");
    // The remedy is one: any tolerance below is taken.
    assert!(solidify(seam, Weld::Within(feature.next_down())).is_ok());
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        let error = solidify(cube(), Weld::Within(tolerance)).unwrap_err();
        assert!(matches!(error, SolidifyError::BadTolerance { .. }), "{error}");
    }
    let open = solidify(open_box(), Weld::Within(0.0)).unwrap();
    assert_eq!((open.mesh, open.open_edges), (open_box(), 4));
}

#[test]
fn needles_without_area_may_vanish_within_a_given_tolerance_only() {
    // The side from 1 to 2 of the tetrahedron is split by a corner 4 beside corner 1, and the needle 1, 2, 4 has no
    // area.
    let points =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0 - 1.0 / 1024.0, 1.0 / 1024.0, 0.0]];
    let seam = mesh(&points, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [4, 1, 2]]);
    let auto = solidify(seam.clone(), Weld::Auto).unwrap();
    assert_eq!((auto.is_closed, auto.welding), (false, None));
    let given = solidify(seam, Weld::Within(0.01)).unwrap();
    assert!(given.is_closed);
    assert_eq!(volume(&given.mesh), 1.0 / 6.0);
}

#[test]
fn small_parts_are_welded_on_the_grid_as_a_whole_or_not_at_all() {
    let tiny = cuboid([0.0; 3], [1e-4, 2e-4, 3e-4]);
    let mut random = Random::new(5);
    let seam = with_corners(&tiny, |corner| corner.map(|x| x + 0.49e-8 * random.next()));
    let found = solidify(seam.clone(), Weld::Auto).unwrap();
    assert!(found.is_closed && found.welding.unwrap().tolerance == GRID);
    let pierced = without(&seam, |triangle| triangle == 4);
    let found = solidify(pierced.clone(), Weld::Auto).unwrap();
    assert_eq!((found.mesh, found.welding), (pierced, None));
}

#[test]
fn vertices_on_open_edges_are_counted() {
    // The top of the box is split at the middle of an edge, the side below it is not.
    let mut points: Vec<[f64; 3]> = cube().vertices().iter().map(|vertex| vertex.to_array()).collect();
    points.push([0.5, 0.0, 1.0]);
    let mut triangles = cube().triangles().to_vec();
    let edge = |corners: &[u32; 3]| (0..3).find(|&k| corners[k] == 4 && corners[(k + 1) % 3] == 5);
    let split = triangles.iter().position(|corners| edge(corners).is_some()).unwrap();
    let k = edge(&triangles[split]).unwrap();
    let apex = triangles[split][(k + 2) % 3];
    triangles[split] = [4, 8, apex];
    triangles.push([8, 5, apex]);
    let found = solidify(mesh(&points, &triangles), Weld::Auto).unwrap();
    assert_eq!((found.is_closed, found.open_edges, found.t_vertices), (false, 3, 1));
    assert_eq!(solidify(open_box(), Weld::Auto).unwrap().t_vertices, 0);
}

#[test]
fn many_copies_of_one_corner_are_one() {
    let cone = generate::cone(1.0, 1.0, 3000).unwrap();
    let found = solidify(jittered(&cone, &mut Random::new(2)), Weld::Auto).unwrap();
    assert!(found.is_closed);
    assert!((volume(&found.mesh) - volume(&cone)).abs() < 1e-6);
}

#[test]
fn far_from_the_origin_the_tolerance_is_that_of_the_coordinates() {
    let solid = placed(&cube(), 1.0, Vec3::new(1000.0, -700.0, 3.0));
    let seam = jittered(&solid, &mut Random::new(1));
    let welding = solidify(seam.clone(), Weld::Auto).unwrap().welding.unwrap();
    assert_eq!(welding.tolerance, SEAM * largest(&seam));
    // With one coordinate that is no `f32`, the mesh was not rounded to them: the extent counts.
    let (mut vertices, triangles) = seam.into_parts();
    vertices[0].z += 1e-12;
    let welding = solidify(TriMesh::new(vertices, triangles).unwrap(), Weld::Auto).unwrap().welding;
    assert!(welding.is_none_or(|welding| welding.tolerance < 1.01 * SEAM * 1.001));
}

#[test]
fn a_hole_far_from_the_origin_stays() {
    // A box of 10 m in map coordinates, with a hole of half a metre in its top: four ulp of an `f32` there are 2 m.
    let plate = holed_box(10.0, 0.5);
    let far = placed(&plate, 1.0, Vec3::new(5e5, 4.5e6, 0.1));
    let found = solidify(far.clone(), Weld::Auto).unwrap();
    assert_eq!((found.is_closed, found.open_edges, found.welding), (false, 4, None));
    assert_eq!(found.mesh, far);
    let report = heurt_mesh::check(&far);
    let [heurt_mesh::Fault::Hole { is_planar, .. }] = report.faults[..] else { panic!("{:?}", report.faults) };
    assert!(is_planar);
    // Repair does not zip it either: with its rim filled it is the box, where zipping would move the rim.
    let repaired = heurt_mesh::repair(&far, &heurt_mesh::RepairOptions::default()).unwrap();
    assert!(repaired.report.is_solid() && (volume(&repaired.mesh) - 1000.0).abs() < 1e-5);
    assert!(far.vertices().iter().all(|vertex| repaired.mesh.vertices().contains(vertex)));
    // Seams of an `f64` ulp there are closed.
    let solid = placed(&cuboid([0.0; 3], [10.0; 3]), 1.0, Vec3::new(5e5, 4.5e6, 0.1));
    let mut random = Random::new(5);
    let seam = with_corners(&solid, |corner| corner.map(|x| x + (random.next() - 0.5) * 2e-9));
    let found = solidify(seam, Weld::Auto).unwrap();
    assert!(found.is_closed && found.welding.unwrap().tolerance < 1.01e-4);
}

/// A box from the origin with a square hole in the middle of its top.
fn holed_box(size: f64, hole: f64) -> TriMesh {
    let (low, high) = (0.5 * (size - hole), 0.5 * (size + hole));
    let mut points: Vec<[f64; 3]> = cuboid([0.0; 3], [size; 3]).vertices().iter().map(|v| v.to_array()).collect();
    let is_top = |corners: &[u32; 3]| corners.iter().all(|&corner| points[corner as usize][2] == size);
    let mut triangles = cuboid([0.0; 3], [size; 3]).triangles().to_vec();
    triangles.retain(|corners| !is_top(corners));
    let at = |x: f64, y: f64| points.iter().position(|point| *point == [x, y, size]).unwrap() as u32;
    let outer = [at(0.0, 0.0), at(size, 0.0), at(size, size), at(0.0, size)];
    let inner = [0, 1, 2, 3].map(|k| points.len() as u32 + k);
    points.extend([[low, low, size], [high, low, size], [high, high, size], [low, high, size]]);
    for k in 0..4 {
        let next = (k + 1) % 4;
        triangles.extend([[outer[k], outer[next], inner[next]], [outer[k], inner[next], inner[k]]]);
    }
    mesh(&points, &triangles)
}

#[test]
fn the_answer_does_not_depend_on_the_threads() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let seam = jittered(&generate::torus(1.0, 0.3, 60, 40).unwrap(), &mut Random::new(9));
    let [one, five] = [1, 5].map(|threads| pool(threads).install(|| solidify(seam.clone(), Weld::Auto).unwrap()));
    assert_eq!(one, five);
}

#[test]
fn near_seams_are_closed_before_walls_thinner_than_the_tolerance() {
    // Corners differ by 1e-11, the plate is 7e-9 thick, and the tolerance is 5e-8: facets inside out must not be
    // matched with those of the opposite side.
    let plate = placed(&cuboid([0.0; 3], [2e-3, 2e-3, 7e-9]), 1.0, Vec3::new(0.1, 0.0, 0.08));
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let some = turned(&plate, |_| random.below(4) == 0);
        let found =
            solidify(with_corners(&some, |corner| corner.map(|x| x + 1e-11 * random.next())), Weld::Auto).unwrap();
        assert!(found.is_closed && found.welding.unwrap().farthest < 2e-11, "seed {seed}");
        let share = volume(&found.mesh) / volume(&plate);
        assert!((share - 1.0).abs() < 5e-3, "seed {seed}: {share}");
    }
}

#[test]
fn a_sheet_and_its_copy_do_not_become_a_solid() {
    let sheet = without(&cube(), |triangle| triangle > 3);
    let twice = merged(&[sheet.clone(), sheet.clone()]);
    let found = solidify(twice.clone(), Weld::Auto).unwrap();
    assert_eq!((found.mesh == twice, found.is_closed), (true, false));
    let mut random = Random::new(3);
    let found = solidify(with_corners(&twice, |corner| corner.map(|x| x + 1e-8 * random.next())), Weld::Auto).unwrap();
    assert_eq!((found.is_closed, found.turned.triangles), (false, 0));
}
