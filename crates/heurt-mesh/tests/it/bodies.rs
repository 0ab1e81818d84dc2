//! Bodies: one for each solid with its cavities, one for each piece of open surface, whatever they touch.

use crate::broken::{merged, solids, turned, without};
use crate::shapes::{Random, cube, cuboid, mesh, open_box, unshared};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{Bodies, Polygons, TriMesh, Weld, measures, solidify};

fn volumes(mesh: &TriMesh) -> Vec<f64> {
    Bodies::of(mesh).cut(mesh, None).iter().map(|(body, _)| measures(body).volume.unwrap_or(f64::NAN)).collect()
}

fn inward(mesh: &TriMesh) -> TriMesh {
    mesh.clone().reversed()
}

#[test]
fn each_solid_is_a_body_with_its_cavities() {
    // A box with a cavity, a box in that cavity that has a cavity itself, and a box next to them.
    let shells = [
        cuboid([0.0; 3], [10.0; 3]),
        inward(&cuboid([1.0; 3], [9.0; 3])),
        cuboid([2.0; 3], [8.0; 3]),
        inward(&cuboid([3.0; 3], [4.0; 3])),
        inward(&cuboid([5.0; 3], [6.0; 3])),
        cuboid([12.0, 0.0, 0.0], [13.0, 1.0, 1.0]),
    ];
    let expected = [1000.0 - 512.0, 216.0 - 1.0 - 1.0, 1.0];
    assert_eq!(volumes(&merged(&shells)), expected);
    // In any order; of triangle soup, too.
    let mut reordered = shells.clone();
    reordered.reverse();
    let mut found = volumes(&unshared(&merged(&reordered)));
    found.sort_by(f64::total_cmp);
    assert_eq!(found, [1.0, 214.0, 488.0]);
}

#[test]
fn solids_that_touch_stay_two() {
    for low in [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0; 3]] {
        let other = cuboid(low, low.map(|x| x + 1.0));
        let both = unshared(&merged(&[cuboid([0.0; 3], [1.0; 3]), other]));
        assert_eq!(volumes(&both), [1.0, 1.0], "{low:?}");
    }
}

#[test]
fn open_pieces_hang_together_through_vertices() {
    let open = merged(&[open_box(), cuboid([5.0; 3], [6.0; 3])]);
    let bodies = Bodies::of(&unshared(&open));
    assert_eq!(bodies.triangles().map(<[u32]>::len).collect::<Vec<_>>(), [10, 12]);
    // Two triangles at one corner, one that shares an edge with nothing, one that is collapsed onto a corner.
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [9.0; 3]];
    let soup = mesh(&points, &[[0, 1, 2], [0, 3, 4], [4, 4, 4], [5, 5, 5], [5, 5, 5]]);
    assert_eq!(Bodies::of(&soup).triangles().collect::<Vec<_>>(), [vec![0, 1, 2], vec![3, 4]]);
}

#[test]
fn bodies_of_scattered_copies_are_the_copies() {
    let mut random = Random::new(34);
    let of_several = ["two boxes", "ball in a cavity"];
    let solids: Vec<_> = solids().into_iter().filter(|(name, _)| !of_several.contains(name)).collect();
    let mut copies = Vec::new();
    for index in 0..40 {
        let (_, solid) = &solids[random.below(solids.len() as u32) as usize];
        let place = Vec3::new(100.0 * f64::from(index), 0.0, 0.0);
        copies.push(solid.transformed(&Pose::from_translation(place).unwrap()).unwrap());
    }
    let all = merged(&copies);
    let bodies = Bodies::of(&all).cut(&all, None);
    assert_eq!(bodies.len(), copies.len());
    for ((body, _), copy) in bodies.iter().zip(&copies) {
        assert_eq!(body.triangles().len(), copy.triangles().len());
        let (found, expected) = (measures(body).volume.unwrap(), measures(copy).volume.unwrap());
        assert!((found - expected).abs() <= 1e-9 * expected.abs());
    }
    let count: usize = bodies.iter().map(|(body, _)| body.triangles().len()).sum();
    assert_eq!(count, all.triangles().len());
}

#[test]
fn what_solidify_closed_and_turned_is_cut_from_the_mesh_as_it_was() {
    let parts = merged(&[turned(&cube(), |_| true), without(&cuboid([5.0; 3], [6.0; 3]), |triangle| triangle == 3)]);
    let solid = solidify(parts.clone(), Weld::Auto).unwrap();
    let bodies = Bodies::of(&solid.mesh).cut(&parts, None);
    assert_eq!(bodies.len(), 2);
    assert!(measures(&bodies[0].0).volume.unwrap() < 0.0);
    assert_eq!(bodies[1].0.triangles().len(), 11);
}

#[test]
fn polygons_go_with_their_body() {
    let both = merged(&[cuboid([0.0; 3], [1.0; 3]), cuboid([5.0; 3], [6.0; 3])]);
    // Each side is one polygon of two triangles; its corners are those of the two.
    let (mut corners, mut ends) = (Vec::new(), Vec::new());
    for pair in both.triangles().chunks(2) {
        let third = pair[1].iter().copied().find(|corner| !pair[0].contains(corner)).unwrap();
        corners.extend(pair[0].iter().copied().chain([third]));
        ends.push(corners.len());
    }
    let polygons = Polygons::new(corners, ends, (0..24).map(|triangle| triangle / 2).collect()).unwrap();
    for (body, kept) in Bodies::of(&both).cut(&both, Some(&polygons)) {
        let kept = kept.unwrap();
        assert_eq!((kept.len(), body.vertices().len()), (6, 8));
        for triangle in 0..12 {
            let polygon = kept.corners(kept.polygon_of(triangle) as usize);
            assert!(body.triangles()[triangle as usize].iter().all(|corner| polygon.contains(corner)));
        }
    }
    // A polygon that extends over both bodies.
    let one = Polygons::new((0..16).collect(), vec![16], vec![0; 24]).unwrap();
    assert!(Bodies::of(&both).cut(&both, Some(&one)).iter().all(|(_, polygons)| polygons.is_none()));
}

#[test]
fn an_inward_shell_that_crosses_another_is_no_cavity() {
    // An L, and a box inside out that comes half out of one of its arms, within the box of the L.
    let profile = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
    let points: Vec<[f64; 3]> = [0.0, 1.0].iter().flat_map(|&z| profile.map(|[x, y]| [x, y, z])).collect();
    let mut triangles: Vec<[u32; 3]> =
        (0..6).flat_map(|k| [[k, (k + 1) % 6, (k + 1) % 6 + 6], [k, (k + 1) % 6 + 6, k + 6]]).collect();
    // The L from its inner corner is a star.
    for k in [4, 5, 0, 1] {
        triangles.extend([[3, (k + 1) % 6, k], [9, k + 6, (k + 1) % 6 + 6]]);
    }
    let body = mesh(&points, &triangles);
    assert_eq!(volumes(&body), [7.0]);
    for (low, high) in [([0.25, 1.5, 0.25], [1.75, 2.0, 0.75]), ([2.0, 0.25, 0.25], [2.5, 1.75, 0.75])] {
        for seed in 0..6 {
            // Whatever triangle comes first.
            let (vertices, mut rows) = inward(&cuboid(low, high)).into_parts();
            rows.rotate_left(2 * seed);
            let both = merged(&[body.clone(), TriMesh::new(vertices, rows).unwrap()]);
            assert_eq!(volumes(&both), [7.0, -0.375]);
            let found = solidify(both, Weld::Auto).unwrap();
            assert_eq!((found.turned.shells, found.turned.triangles), (1, 12));
            assert!(found.nested.is_empty() && found.is_nesting_exact);
            assert_eq!(volumes(&found.mesh), [7.0, 0.375]);
        }
    }
    // Wholly inside the arm it is a cavity.
    let cavity = merged(&[body, inward(&cuboid([0.25, 1.5, 0.25], [0.75, 2.0, 0.75]))]);
    assert_eq!((volumes(&cavity), solidify(cavity, Weld::Auto).unwrap().turned.shells), (vec![7.0 - 0.125], 0));
}
