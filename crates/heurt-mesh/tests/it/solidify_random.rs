//! Solidification of random broken solids and hostile soups.

use crate::broken::{in_digits, jittered, largest, placed, solids, turned, with_corners, without};
use crate::shapes::{Random, mesh};
use heurt_geometry::Vec3;
use heurt_mesh::{SEAM, Solidified, Topology, TriMesh, Weld, measures, solidify};
use proptest::prelude::*;
use std::sync::LazyLock;

/// The solids, made once.
static SOLIDS: LazyLock<Vec<(&str, TriMesh)>> = LazyLock::new(solids);

/// Area and volume.
fn size(mesh: &TriMesh) -> (f64, f64) {
    let measures = measures(mesh);
    (measures.area, measures.volume.unwrap())
}

/// Welded solids are closed and have the volume of the original: a surface of area A whose points move by at most d
/// bounds a volume that differs by at most A·d, but for terms of second order.
fn expect_original(found: &Solidified, original: &TriMesh, moved: f64) -> Result<(), TestCaseError> {
    prop_assert!(found.is_closed, "{} edges are open", found.open_edges);
    let (area, volume) = size(original);
    let difference = (size(&found.mesh).1 - volume).abs();
    prop_assert!(difference <= 1.1 * area * moved + 1e-12 * volume, "{difference:e} of {volume:e}, moved {moved:e}");
    prop_assert_eq!(Topology::new(&found.mesh).is_manifold(), true);
    prop_assert_eq!(measures(&found.mesh).genus, measures(original).genus);
    Ok(())
}

/// What holds of any mesh.
fn expect_sound(given: &TriMesh, found: &Solidified, tolerance: f64) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.mesh.triangles().len(), given.triangles().len());
    for (before, after) in given.triangles().iter().zip(found.mesh.triangles()) {
        let [a, b, c] = *before;
        prop_assert!(*after == [a, b, c] || *after == [a, c, b]);
    }
    let topology = Topology::new(&found.mesh);
    prop_assert_eq!(found.is_closed, topology.is_closed());
    prop_assert_eq!(&found.components, &topology.components());
    let open = topology.edges().filter(|edge| edge.degree() % 2 == 1).count();
    prop_assert_eq!(found.open_edges, open);
    let before = Topology::new(given);
    let Some(welding) = found.welding else {
        prop_assert_eq!(given.vertices(), found.mesh.vertices());
        return Ok(());
    };
    prop_assert_eq!(welding.open_edges_before, before.edges().filter(|edge| edge.degree() % 2 == 1).count());
    prop_assert_eq!(welding.open_edges_after, open);
    prop_assert!(open <= welding.open_edges_before && welding.farthest <= tolerance * (1.0 + 1e-15));
    for (vertex, (from, to)) in (0..).zip(given.vertices().iter().zip(found.mesh.vertices())) {
        prop_assert!(heurt_geometry::robust_length(*to - *from) <= welding.farthest * (1.0 + 1e-15));
        // A vertex goes to the position of one with a lower number, which is on the surface as it was.
        prop_assert!(from == to || given.vertices()[..vertex].contains(to));
    }
    Ok(())
}

/// A number of the given magnitude in either direction.
fn along(random: &mut Random, magnitude: f64) -> f64 {
    (2.0 * random.next() - 1.0) * magnitude
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn seams_of_an_f32_ulp_are_closed(seed in any::<u64>(), which in 0..13usize, scale in -3i32..4, sizes in 0..4i32) {
        let mut random = Random::new(seed);
        let unit = 10f64.powi(scale) * (1.0 + random.next());
        let far = if sizes == 0 { 0.0 } else { 10f64.powi(sizes) * unit };
        let offset = Vec3::new(along(&mut random, far), along(&mut random, far), along(&mut random, far));
        let original = placed(&SOLIDS[which].1, unit, offset);
        let seam = jittered(&original, &mut random);
        let found = solidify(seam.clone(), Weld::Auto).unwrap();
        expect_sound(&seam, &found, SEAM * largest(&seam))?;
        // A corner is rounded by half an ulp and moved by one.
        let ulp = largest(&seam) / f64::from(1u32 << 23);
        expect_original(&found, &original, 1.5 * 3f64.sqrt() * ulp)?;
        if let Some(welding) = found.welding {
            prop_assert!(welding.farthest <= 2.0 * 3f64.sqrt() * ulp);
        }
    }

    #[test]
    fn facets_of_few_digits_are_closed_or_stay(seed in any::<u64>(), which in 0..13usize, mixed in any::<bool>()) {
        let mut random = Random::new(seed);
        let unit = 1.0 + 9.0 * random.next();
        let original = placed(&SOLIDS[which].1, unit, Vec3::splat(along(&mut random, 10.0)));
        let mut corners = 0;
        let mut digits = 7;
        let seam = with_corners(&original, |corner| {
            if corners % 3 == 0 {
                digits = if mixed { 6 + random.below(2) as usize } else { 6 };
            }
            corners += 1;
            corner.map(|x| in_digits(x, digits))
        });
        let rounding = 5e-6 * largest(&original) * 3f64.sqrt();
        let found = solidify(seam.clone(), Weld::Auto).unwrap();
        expect_sound(&seam, &found, SEAM * largest(&seam))?;
        if found.is_closed || !mixed {
            expect_original(&found, &original, rounding)?;
        }
        // Two facets differ by half a unit of the sixth digit and half a unit of the seventh.
        let given = solidify(seam.clone(), Weld::Within(1.11 * rounding)).unwrap();
        expect_sound(&seam, &given, 1.11 * rounding)?;
        expect_original(&given, &original, 2.2 * rounding)?;
    }

    #[test]
    fn turned_facets_and_dropped_faces_at_once(seed in any::<u64>(), which in 0..13usize, dropped in 0..3u32) {
        let mut random = Random::new(seed);
        let (_, solid) = &SOLIDS[which];
        let count = solid.triangles().len() as u32;
        let holes: Vec<u32> = (0..dropped).map(|_| random.below(count)).collect();
        let some = turned(solid, |_| random.below(5) == 0);
        let seam = without(&jittered(&some, &mut random), |triangle| holes.contains(&triangle));
        let found = solidify(seam.clone(), Weld::Auto).unwrap();
        expect_sound(&seam, &found, SEAM * largest(&seam))?;
        prop_assert_eq!(found.is_closed, dropped == 0);
        let exact = Topology::new(solid);
        let left = |edge: &heurt_mesh::Edge| edge.triangles().filter(|triangle| !holes.contains(triangle)).count() == 1;
        prop_assert_eq!(found.open_edges, exact.edges().filter(left).count());
    }

    #[test]
    fn hostile_soups_keep_every_promise(
        seed in any::<u64>(),
        count in 1..40usize,
        side in 2..5u32,
        exponent in prop::sample::select(vec![-320, -300, -8, 0, 8, 300, 307]),
        noise in prop::sample::select(vec![0.0, 1e-16, 1e-8, 1e-7, 1e-6, 1e-2]),
        tolerance in prop::option::of(prop::sample::select(vec![0.0, 1e-7, 1e-3, 0.5, 2.0, 1e308])),
    ) {
        let mut random = Random::new(seed);
        let unit = 10f64.powi(exponent);
        let mut point = || {
            let grid = random.grid_point(side);
            (grid + Vec3::new(random.next(), random.next(), random.next()) * noise) * unit
        };
        let points: Vec<[f64; 3]> = (0..3 * count).map(|_| point().to_array()).collect();
        let triangles: Vec<[u32; 3]> = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let soup = mesh(&points, &triangles);
        let weld = tolerance.map_or(Weld::Auto, |tolerance: f64| Weld::Within(tolerance * unit.min(1.0)));
        match (solidify(soup.clone(), weld), weld) {
            (Ok(found), Weld::Within(tolerance)) => expect_sound(&soup, &found, tolerance)?,
            (Ok(found), _) => expect_sound(&soup, &found, (SEAM * largest(&soup)).max(heurt_mesh::GRID))?,
            (Err(_), weld) => prop_assert!(matches!(weld, Weld::Within(_))),
        }
    }
}
