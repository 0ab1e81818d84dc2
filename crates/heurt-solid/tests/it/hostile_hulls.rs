//! Outer hulls and repairs by force of hostile meshes, against winding numbers at sampled points.

use heurt_geometry::{Triangle, Vec3};
use heurt_mesh::{TriMesh, check, generate, measures};
use heurt_solid::{HullOptions, MendOptions, OuterHullError, Resolution, mend, outer_hull};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle::winding;
use heurt_testkit::test_size;
use std::f64::consts::TAU;

fn triangles_of(mesh: &TriMesh) -> Vec<Triangle> {
    (0..mesh.triangles().len() as u32).map(|number| mesh.corners(number)).collect()
}

fn moved(mesh: &TriMesh, place: impl FnMut(&Vec3) -> Vec3) -> TriMesh {
    TriMesh::new(mesh.vertices().iter().map(place).collect(), mesh.triangles().to_vec()).unwrap()
}

fn merged(meshes: &[TriMesh]) -> TriMesh {
    TriMesh::merged(meshes).unwrap()
}

/// A ring of `along` sections of `around` corners; the last section is joined to the first, turned by half a turn and
/// mirrored if `is_one_sided`.
fn ring(along: u32, around: u32, is_one_sided: bool, place: impl Fn(f64, f64) -> Vec3) -> TriMesh {
    let vertices = (0..along * around)
        .map(|at| place(f64::from(at / around) / f64::from(along), f64::from(at % around) / f64::from(around)))
        .collect();
    let number = |section: u32, corner: u32| match (section == along, is_one_sided) {
        (true, true) => (2 * around - corner % around) % around,
        _ => section % along * around + corner % around,
    };
    let cells = (0..along).flat_map(|section| (0..around).map(move |corner| [section, corner]));
    let triangles = cells.flat_map(|[i, k]| {
        let [a, b, c, d] = [number(i, k), number(i + 1, k), number(i + 1, k + 1), number(i, k + 1)];
        [[a, b, c], [a, c, d]]
    });
    TriMesh::new(vertices, triangles.collect()).unwrap()
}

/// A tube around a curve that winds twice around a torus and passes through itself.
fn crossed_tube(along: u32, around: u32) -> TriMesh {
    ring(along, around, false, |s, t| {
        let (turn, roll) = (TAU * s, TAU * t);
        let radius = 3.0 + 1.5 * (2.0 * turn).cos() + 0.8 * roll.cos();
        let twice = 2.0 * turn;
        Vec3::new(radius * twice.cos() + 0.3 * turn.cos(), radius * twice.sin(), 0.8 * roll.sin() + 0.1 * turn.sin())
    })
}

/// The figure-eight immersion of a Klein bottle.
fn klein_bottle() -> TriMesh {
    ring(24, 16, true, |s, t| {
        let (turn, roll) = (TAU * s, TAU * t);
        let (across, up) = (roll.sin(), (2.0 * roll).sin());
        let radius = 3.0 + (turn / 2.0).cos() * across - (turn / 2.0).sin() * up;
        let height = (turn / 2.0).sin() * across + (turn / 2.0).cos() * up;
        Vec3::new(radius * turn.cos(), radius * turn.sin(), height)
    })
}

/// Holds the hull of a mesh against winding numbers at random points of its box; returns whether there is a hull.
fn hold_against_winding(mesh: &TriMesh, points: u64, random: &mut Random, case: &str) -> bool {
    let given = triangles_of(mesh);
    let bounds = mesh.bounds();
    let (centre, half) = ((bounds.min + bounds.max) * 0.5, (bounds.max - bounds.min) * 0.51);
    let places: Vec<Vec3> = (0..points)
        .map(|_| {
            let share = Vec3::from_array([0; 3].map(|_| random.between(-1.0, 1.0)));
            centre + half * share
        })
        .collect();
    let hull = match outer_hull(mesh, HullOptions::default()) {
        Ok(hull) => hull.mesh,
        Err(OuterHullError::NoVolume) => {
            assert!(places.iter().all(|place| winding(&given, *place).is_none_or(|winding| winding == 0)), "{case}");
            return false;
        }
        Err(error) => panic!("{case}: {error}"),
    };
    let report = check(&hull);
    assert!(report.closed, "{case}: {:?}", report.counts);
    for kind in ["self-intersection", "degenerate-face", "duplicate-face", "hole", "inward-shell"] {
        assert_eq!(report.count(kind), 0, "{case}: {:?}", report.counts);
    }
    let found = triangles_of(&hull);
    for place in places {
        if let Some((before, after)) = winding(&given, place).zip(winding(&found, place)) {
            assert_eq!(after, i32::from(before != 0), "{case}: {before} around {place}");
        }
    }
    true
}

#[test]
fn balls_with_moved_vertices_keep_what_they_wind_around() {
    let seed = test_size("HEURT_HULL_SEED", 21);
    let mut random = Random::new(seed);
    let mut hulls = 0;
    for case in 0..test_size("HEURT_HULL_CASES", 16) {
        let ball = if case % 3 == 0 {
            generate::cuboid([1.0; 3]).unwrap()
        } else {
            generate::icosphere(1.0, (case % 3 - 1) as u32).unwrap()
        };
        let share = random.between(0.2, 2.0);
        // Every second one on a lattice: coplanar faces, and edges through vertices.
        let is_lattice = case % 2 == 0;
        let mesh = moved(&ball, |place| {
            let place = *place + Vec3::from_array([0; 3].map(|_| random.between(-share, share)));
            if is_lattice { place.map(|x| (2.0 * x).round()) } else { place }
        });
        hulls += u32::from(hold_against_winding(&mesh, 80, &mut random, &format!("seed {seed}, case {case}")));
    }
    assert!(hulls > 0);
}

#[test]
fn tetrahedra_of_a_lattice_keep_what_they_wind_around() {
    let seed = test_size("HEURT_HULL_SEED", 22);
    let mut random = Random::new(seed);
    let mut hulls = 0;
    for case in 0..test_size("HEURT_HULL_CASES", 24) {
        let count = 2 + case % 7;
        let mut all = Vec::new();
        for _ in 0..count {
            let corner = |_| Vec3::from_array([0; 3].map(|_| random.between(0.0, 3.0).floor()));
            let corners = [0; 4].map(corner);
            // Some are flat, some are inside out, some are there again.
            let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
            let one = TriMesh::new(corners.to_vec(), triangles).unwrap();
            let copies = (random.between(0.0, 2.5) as usize).max(1);
            all.extend(std::iter::repeat_n(one.clone(), copies));
            if random.between(0.0, 1.0) < 0.2 {
                all.extend([one.clone().reversed(), one.clone().reversed(), one.clone().reversed()]);
            }
        }
        let case = format!("seed {seed}, case {case}");
        hulls += u32::from(hold_against_winding(&merged(&all), 100, &mut random, &case));
    }
    assert!(hulls > 0);
}

#[test]
fn a_tube_through_itself_keeps_what_it_winds_around() {
    let tube = crossed_tube(48, 10);
    assert!(check(&tube).count("self-intersection") > 50);
    assert!(hold_against_winding(&tube, 300, &mut Random::new(5), "tube"));
    // All scales are alike: a power of two changes no digit.
    let volume = measures(&outer_hull(&tube, HullOptions::default()).unwrap().mesh).volume.unwrap();
    for power in [-30, 30, -90, 90] {
        let factor = 2f64.powi(power);
        let hull = outer_hull(&moved(&tube, |place| *place * factor), HullOptions::default()).unwrap();
        assert_eq!(measures(&hull.mesh).volume.unwrap() / factor / factor / factor, volume, "{power}");
    }
}

#[test]
fn surfaces_without_an_inside_are_refused() {
    let bottle = klein_bottle();
    let report = check(&bottle);
    assert!(report.count("hole") == 0 && report.count("inconsistent-orientation") > 0, "{:?}", report.counts);
    assert_eq!(outer_hull(&bottle, HullOptions::default()).unwrap_err(), OuterHullError::Open);
    let sheet = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert_eq!(outer_hull(&sheet, HullOptions::default()).unwrap_err(), OuterHullError::Open);
    let flat = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0], vec![[0, 1, 2], [2, 1, 0]]).unwrap();
    assert_eq!(outer_hull(&flat, HullOptions::default()).unwrap_err(), OuterHullError::NoVolume);
}

#[test]
fn the_weights_of_repeated_triangles_count() {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    // Twice its back and once itself winds once, inside out.
    let turned = merged(&[cube.clone(), cube.clone().reversed(), cube.clone().reversed()]);
    assert!(hold_against_winding(&turned, 200, &mut Random::new(1), "turned"));
    // One side is divided otherwise in the copy that is inside out; the other sides repeat.
    let mut triangles = cube.clone().reversed().triangles().to_vec();
    let first = triangles[0];
    let at = (1..triangles.len())
        .find(|&at| {
            first.iter().filter(|corner| triangles[at].contains(corner)).count() == 2 && {
                let normal = |[a, b, c]: [u32; 3]| {
                    let at = |vertex: u32| cube.vertices()[vertex as usize];
                    (at(b) - at(a)).cross(at(c) - at(a))
                };
                normal(first) == normal(triangles[at])
            }
        })
        .unwrap();
    let far = triangles[at].into_iter().find(|corner| !first.contains(corner)).unwrap();
    let k = (0..3).find(|&k| !triangles[at].contains(&first[k])).unwrap();
    let [a, b, c] = [0, 1, 2].map(|step| first[(k + step) % 3]);
    (triangles[0], triangles[at]) = ([a, b, far], [a, far, c]);
    let other = TriMesh::new(cube.vertices().to_vec(), triangles).unwrap();
    let all = merged(&[cube.clone(), other.clone(), cube.clone().reversed()]);
    assert!(hold_against_winding(&all, 200, &mut Random::new(2), "divided otherwise"));
    assert_eq!(measures(&outer_hull(&all, HullOptions::default()).unwrap().mesh).volume, Some(8.0));
    let nothing = outer_hull(&merged(&[cube, other]), HullOptions::default());
    assert_eq!(nothing.unwrap_err(), OuterHullError::NoVolume);
}

#[test]
fn repairs_by_force_end_in_a_solid_or_name_what_is_left() {
    let forces = MendOptions { forces: true, ..MendOptions::default() };
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let crossed = moved(&cube, |place| if place.min_element() > 0.0 { *place - Vec3::Z * 4.0 } else { *place });
    let open = |mesh: &TriMesh| TriMesh::new(mesh.vertices().to_vec(), mesh.triangles()[3..].to_vec()).unwrap();
    let sheet = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let turned = merged(&[cube.clone(), moved(&cube, |place| *place + 0.5).reversed()]);
    for (name, mesh, is_solid) in [
        ("two at one place", merged(&[cube.clone(), cube.clone()]), true),
        ("inside out", cube.clone().reversed(), true),
        ("crossed", crossed.clone(), true),
        ("crossed and open", open(&crossed), true),
        ("turned", turned, true),
        ("ball and sheet", merged(&[generate::icosphere(1.0, 2).unwrap(), sheet.clone()]), true),
        ("tiny", moved(&open(&crossed), |place| *place * 1e-9), true),
        ("large", moved(&open(&crossed), |place| *place * 1e9), true),
        // Where it crosses itself, it is cut open.
        ("one-sided", klein_bottle(), true),
        ("one triangle", sheet, false),
    ] {
        let mended = mend(&mesh, &forces).unwrap();
        let report = check(&mended.mesh);
        assert_eq!(mended.report.is_solid(), is_solid, "{name}: {:?} {:?}", report.counts, mended.report.left());
        assert_eq!(is_solid, report.class.is_closed() && report.count("self-intersection") == 0, "{name}");
        assert_eq!(mended.report.left().is_empty(), is_solid, "{name}: {:?}", mended.report.left());
        let again = mend(&mended.mesh, &forces).unwrap();
        assert_eq!(again.report.is_solid(), is_solid, "{name}: once more");
        if is_solid {
            assert!(!matches!(again.resolution, Resolution::Failed(_)) && again.forced.is_none(), "{name}");
        }
    }
}
