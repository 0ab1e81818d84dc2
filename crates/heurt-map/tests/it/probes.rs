//! Cells of edges and triangles, against definitions in integers.

use heurt_geometry::{Aabb, Triangle, Vec2, Vec3};
use heurt_map::track::{Centres, MoveEnd, Particle, Probe, StarTracker, Tracker2, Tracker3};
use heurt_map::{CombinatorialMap, Map2, Map3, Orbit, Walker, grid_positions};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle::{hull_holds, triangles_intersect};

/// A closed cell, as the triangles of its border, and whether its hull is itself.
struct Cell {
    sides: Vec<Triangle>,
    is_convex: bool,
}

impl Cell {
    /// Tells whether it meets a triangle, by definition.
    fn meets(&self, triangle: &Triangle) -> bool {
        let corners: Vec<Vec3> = self.sides.iter().flatten().copied().collect();
        // Boxes that are apart spare the integers.
        let box_of = |triangle: &Triangle| Aabb::from_points(triangle.iter().copied());
        let is_near = |side: &&Triangle| {
            let (a, b) = (box_of(side), box_of(triangle));
            a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
        };
        self.sides.iter().filter(is_near).any(|side| triangles_intersect(side, triangle))
            || self.is_convex && hull_holds(&corners, triangle[0])
    }
}

fn meeting(cells: &[Cell], triangle: &Triangle) -> Vec<u32> {
    (0..cells.len()).filter(|&cell| cells[cell].meets(triangle)).map(|cell| cell as u32).collect()
}

#[test]
fn cells_of_edges_in_the_plane() {
    let map = Map2::grid(5, 5).unwrap();
    let points: Vec<Vec2> = (0..36).map(|k| Vec2::new(f64::from(k % 6), f64::from(k / 6)) * 2.0).collect();
    let cells: Vec<Cell> = (0..25)
        .map(|face| {
            let dart = map.cell_ids(Orbit::Face).unwrap().dart(face).unwrap();
            let c: Vec<Vec3> =
                map.face_darts(dart).map(|dart| points[map.id(Orbit::Vertex, dart) as usize].extend(0.0)).collect();
            Cell { sides: vec![[c[0], c[1], c[2]], [c[0], c[2], c[3]]], is_convex: true }
        })
        .collect();
    let tracker = Tracker2::new(&map, &points).unwrap();
    let random = &mut Random::new(1);
    let mut probe = Probe::new();
    for _ in 0..300 {
        let [a, b] = [(); 2].map(|()| Vec2::new(random.whole(0, 10) as f64, random.whole(0, 10) as f64));
        let [from, to] = [a, b].map(|p| tracker.find(p).unwrap().inside().unwrap());
        assert_eq!(probe.edge(&tracker, &from, &to), Ok(MoveEnd::Arrived));
        let (a, b) = (a.extend(0.0), b.extend(0.0));
        assert_eq!(probe.cells(), meeting(&cells, &[a, b, b]), "{a} {b}");
    }
}

#[test]
fn cells_of_edges_and_triangles_in_boxes() {
    let n = 3;
    let map = Map3::hexahedral_grid([n; 3]).unwrap();
    let points = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(6.0) }, [n; 3]);
    let tracker = Tracker3::new(&map, &points).unwrap();
    let cells: Vec<Cell> = (0..27)
        .map(|volume| {
            let mut sides = Vec::new();
            for face in 0..6 {
                let c = [0, 1, 2, 3].map(|k| heurt_map::Dart(24 * volume + 4 * face + k));
                let c = c.map(|dart| points[map.id(Orbit::Vertex, dart) as usize]);
                sides.extend([[c[0], c[1], c[2]], [c[0], c[2], c[3]]]);
            }
            Cell { sides, is_convex: true }
        })
        .collect();
    let random = &mut Random::new(2);
    let mut probe = Probe::new();
    let mut more = 0;
    for turn in 0..80 {
        let corners = [(); 3].map(|()| {
            if turn % 2 == 0 {
                Vec3::from_array([(); 3].map(|()| random.whole(0, 6) as f64))
            } else {
                Vec3::splat(3.0) + random.vector(2.9)
            }
        });
        let found = corners.map(|p| tracker.find(p).unwrap().inside().unwrap());
        let [a, b, c] = corners;
        assert_eq!(probe.edge(&tracker, &found[0], &found[1]), Ok(MoveEnd::Arrived));
        assert_eq!(probe.cells(), meeting(&cells, &[a, b, b]), "{a} {b}");
        let [x, y, z] = &found;
        assert_eq!(probe.triangle_by_edges(&tracker, [x, y, z]), Ok(MoveEnd::Arrived));
        let by_edges = probe.cells().to_vec();
        assert_eq!(probe.triangle(&tracker, [x, y, z]), Ok(MoveEnd::Arrived));
        assert_eq!(probe.cells(), meeting(&cells, &[a, b, c]), "{a} {b} {c}");
        assert!(by_edges.iter().all(|cell| probe.cells().contains(cell)));
        more += usize::from(by_edges.len() < probe.cells().len());
    }
    assert!(more > 5, "{more}");
}

#[test]
fn cells_of_triangles_in_bent_hexahedra() {
    let n = 3;
    let random = &mut Random::new(3);
    let mut map = Map3::hexahedral_grid([n; 3]).unwrap();
    map.enable_ids(Orbit::Face);
    let mut points = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(3.0) }, [n; 3]);
    for point in &mut points {
        *point += random.vector(0.18);
    }
    let centres = Centres::new(&map, &points).unwrap();
    let tracker = StarTracker::new(&map, &points, &centres).unwrap();
    assert_eq!(tracker.check(), []);
    let mut walker = Walker::new();
    let cells: Vec<Cell> = (0..27)
        .map(|volume| {
            let dart = map.cell_ids(Orbit::Volume).unwrap().dart(volume).unwrap();
            let side = |&dart: &heurt_map::Dart| {
                let point = |dart| points[map.id(Orbit::Vertex, dart) as usize];
                [centres.faces()[map.id(Orbit::Face, dart) as usize], point(dart), point(map.phi1(dart))]
            };
            Cell { sides: walker.orbit(&map, Orbit::Volume, dart).iter().map(side).collect(), is_convex: false }
        })
        .collect();
    let mut probe = Probe::new();
    for _ in 0..30 {
        let corners = [(); 3].map(|()| Vec3::splat(1.5) + random.vector(1.2));
        let found = corners.map(|p| tracker.find(p).unwrap().inside().unwrap());
        let [a, b, c] = corners;
        let inside = |particle: &Particle<Vec3>| map.id(Orbit::Volume, particle.dart);
        let with = |mut cells: Vec<u32>, ends: &[Particle<Vec3>]| {
            cells.extend(ends.iter().map(inside));
            cells.sort_unstable();
            cells.dedup();
            cells
        };
        assert_eq!(probe.edge(&tracker, &found[0], &found[1]), Ok(MoveEnd::Arrived));
        assert_eq!(probe.cells(), with(meeting(&cells, &[a, b, b]), &found[..2]), "{a} {b}");
        let [x, y, z] = &found;
        assert_eq!(probe.triangle(&tracker, [x, y, z]), Ok(MoveEnd::Arrived));
        assert_eq!(probe.cells(), with(meeting(&cells, &[a, b, c]), &found), "{a} {b} {c}");
    }
}
