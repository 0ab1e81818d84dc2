//! Plans of meshes: faces that are floors, ramps, walls.

use heurt_geometry::{FloorArea, Vec2};
use heurt_io::{Plan, PlanFormat, PlanWarningKind, read_plan};
use proptest::prelude::*;

/// Writes faces of corners as OBJ, each with vertices of its own.
fn obj(faces: &[Vec<[f64; 3]>]) -> String {
    let (mut text, mut count) = (String::new(), 0);
    for face in faces {
        face.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
        let corners: String = (1..=face.len()).map(|corner| format!(" {}", count + corner)).collect();
        text += &format!("f{corners}\n");
        count += face.len();
    }
    text
}

fn plan(faces: &[Vec<[f64; 3]>]) -> Plan {
    read_plan(obj(faces).as_bytes(), PlanFormat::Obj).unwrap_or_else(|error| panic!("{error}"))
}

/// A rectangle that rises along x from a height to another, in squares of at most a metre, cut in two.
fn patch([x0, y0, x1, y1]: [f64; 4], from: f64, to: f64) -> Vec<Vec<[f64; 3]>> {
    let (columns, rows) = ((x1 - x0).ceil() as usize, (y1 - y0).ceil() as usize);
    let point = |column: usize, row: usize| {
        let (s, t) = (column as f64 / columns as f64, row as f64 / rows as f64);
        [x0 + (x1 - x0) * s, y0 + (y1 - y0) * t, from + (to - from) * s]
    };
    let square = |number: usize| {
        let (c, r) = (number % columns, number / columns);
        let [a, b, d, e] = [point(c, r), point(c + 1, r), point(c + 1, r + 1), point(c, r + 1)];
        if number.is_multiple_of(3) { [vec![a, b, d], vec![a, d, e]] } else { [vec![b, d, e], vec![a, b, e]] }
    };
    (0..columns * rows).flat_map(square).collect()
}

fn areas(floors: &[FloorArea]) -> Vec<([f64; 2], f64)> {
    let round = |x: f64| (x * 1e6).round() / 1e6;
    let mut areas: Vec<_> = floors.iter().map(|floor| (floor.heights().map(round), round(floor.area.area()))).collect();
    areas.sort_by(|a, b| a.partial_cmp(b).unwrap());
    areas
}

#[test]
fn coplanar_faces_are_one_floor() {
    // A hall of 20 × 10 m in 400 triangles, a ramp of 1 in 4, and a gallery.
    let mut faces = patch([0.0, 0.0, 20.0, 10.0], 0.0, 0.0);
    faces.extend(patch([20.0, 0.0, 32.0, 3.0], 0.0, 3.0));
    faces.extend(patch([32.0, 0.0, 40.0, 3.0], 3.0, 3.0));
    let floor = plan(&faces);
    assert_eq!(areas(&floor.walk), [([0.0, 0.0], 200.0), ([0.0, 3.0], 36.0), ([3.0, 3.0], 24.0)]);
    assert!(floor.warnings.is_empty() && floor.walk.iter().all(|floor| floor.area.holes.is_empty()));
    assert_eq!(floor.walk.iter().find(|floor| floor.heights() == [0.0, 3.0]).unwrap().slope, Vec2::new(0.25, 0.0));
    // Walls, ceilings and steep faces are no floors; a face that is left out is a hole.
    let pillar =
        faces.iter().position(|face| face.iter().all(|[x, y, _]| (4.0..=5.0).contains(x) && (4.0..=5.0).contains(y)));
    faces.remove(pillar.unwrap());
    faces.push(vec![[0.0, 0.0, 3.0], [0.0, 10.0, 3.0], [20.0, 10.0, 3.0]]);
    faces.push(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [0.0, 10.0, 3.0], [0.0, 10.0, 0.0]]);
    faces.push(vec![[50.0, 0.0, 0.0], [51.0, 0.0, 1.3], [51.0, 2.0, 1.3]]);
    let floor = plan(&faces);
    assert_eq!(areas(&floor.walk), [([0.0, 0.0], 199.5), ([0.0, 3.0], 36.0), ([3.0, 3.0], 24.0)]);
    assert_eq!((floor.warnings[0].kind, floor.warnings[0].count), (PlanWarningKind::SteepFaces, 3));
    let shown = floor.warnings[0].to_string();
    assert!(shown.starts_with("3 triangles that rise by more than 1.2 m a metre: "), "{shown}");
}

#[test]
fn storeys_and_curved_ramps_stay_apart() {
    let mut faces = patch([0.0, 0.0, 5.0, 5.0], 0.0, 0.0);
    faces.extend(patch([0.0, 0.0, 5.0, 5.0], 3.5, 3.5));
    // A ramp that grows steeper: each metre has a slope of its own.
    for k in 0..5 {
        let height = |k: f64| 0.05 * k * k;
        let x = 5.0 + f64::from(k);
        faces.extend(patch([x, 0.0, x + 1.0, 2.0], height(f64::from(k)), height(f64::from(k) + 1.0)));
    }
    let floor = plan(&faces);
    assert_eq!(floor.walk.len(), 7, "{:?}", areas(&floor.walk));
    let joined = floor.walk.iter().filter(|floor| floor.heights()[0] < 3.0).map(|floor| floor.area.area()).sum::<f64>();
    assert!((joined - 35.0).abs() < 1e-6);
}

#[test]
fn faces_that_share_an_edge_are_passed_once() {
    // A hundred thousand equal level faces, and as many steeper ones on the same edge.
    let vertices = "v 0 0 0\nv 3 0 0\nv 0 3 0\nv 3 -3 1\n";
    let text = vertices.to_owned() + &"f 1 2 3\nf 1 4 2\n".repeat(100_000);
    let floor = read_plan(text.as_bytes(), PlanFormat::Obj).unwrap();
    assert_eq!(areas(&floor.walk), [([0.0, 0.0], 4.5), ([0.0, 1.0], 4.5)]);
}

#[test]
fn meshes_without_floors_are_refused() {
    let message = |faces: &[Vec<[f64; 3]>]| read_plan(obj(faces).as_bytes(), PlanFormat::Obj).unwrap_err().to_string();
    let down = vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
    assert_eq!(
        message(&[down]),
        "the plan has no face to walk on: turn faces so that they face up, with z as the height in metres"
    );
    assert!(message(&[vec![[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 0.01, 0.0]]]).contains("no person fits in"));
    assert!(message(&[vec![[0.0, 0.0, 0.0], [1e10, 0.0, 0.0], [0.0, 1.0, 0.0]]]).contains("triangle 1: found"));
    let text = obj(&patch([0.0, 0.0, 3.0, 3.0], 0.0, 1.0));
    for end in 0..text.len() {
        let _ = read_plan(&text.as_bytes()[..end], PlanFormat::Obj);
    }
}

#[test]
fn polygons_that_cross_themselves_are_refused() {
    let level = |corners: &[[f64; 2]]| corners.iter().map(|&[x, y]| [x, y, 0.0]).collect::<Vec<_>>();
    let message = |faces: &[Vec<[f64; 3]>]| read_plan(obj(faces).as_bytes(), PlanFormat::Obj).unwrap_err().to_string();
    let room = level(&[[10.0, 0.0], [14.0, 0.0], [14.0, 4.0], [10.0, 4.0]]);
    // The same room with two corners exchanged.
    let bow = level(&[[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]]);
    let expected =
        "polygon 2, outer ring: crosses itself at (2, 2): change the order of its corners, or split it there";
    assert_eq!(message(&[room.clone(), bow]), expected);
    // Two parts that meet in a corner, of which one faces down.
    let knot = level(&[[0.0, 0.0], [3.0, 0.0], [2.0, 2.0], [0.0, 4.0], [4.0, 4.0], [2.0, 2.0], [0.0, 3.0]]);
    assert!(
        message(&[room.clone(), room.clone(), knot]).starts_with("polygon 3, outer ring: touches itself at (2, 2)")
    );
    // A wall that crosses itself is no floor; a polygon around a hole touches itself along a seam.
    let wall = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 3.0], [4.0, 0.0, 0.0], [0.0, 0.0, 3.0]];
    let outer = [[20.0, 0.0], [26.0, 0.0], [26.0, 6.0], [20.0, 6.0], [20.0, 0.0]];
    let frame = level(&[&outer[..], &[[22.0, 2.0], [22.0, 4.0], [24.0, 4.0], [24.0, 2.0], [22.0, 2.0]]].concat());
    let floor = plan(&[room, wall, frame]);
    assert_eq!(areas(&floor.walk), [([0.0, 0.0], 16.0), ([0.0, 0.0], 32.0)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Order of faces and of corners changes no area.
    #[test]
    fn the_order_of_faces_changes_no_area(order in Just((0..128).collect::<Vec<usize>>()).prop_shuffle(), turn in 0..3_usize) {
        let mut faces = patch([0.0, 0.0, 8.0, 4.0], 0.0, 0.0);
        faces.extend(patch([8.0, 0.0, 16.0, 4.0], 0.0, 2.0));
        let mut shuffled: Vec<Vec<[f64; 3]>> = order.iter().map(|&face| faces[face].clone()).collect();
        shuffled.iter_mut().for_each(|face| face.rotate_left(turn));
        prop_assert_eq!(areas(&plan(&faces).walk), areas(&plan(&shuffled).walk));
    }

    /// Random faces give areas, and no more than their sum.
    #[test]
    fn any_faces_give_areas(
        corners in prop::collection::vec(prop::array::uniform3(0..6_i32), 3..60),
    ) {
        let points: Vec<[f64; 3]> = corners.iter().map(|corner| corner.map(f64::from)).collect();
        let faces: Vec<Vec<[f64; 3]>> = points.chunks_exact(3).map(<[_]>::to_vec).collect();
        if let Ok(plan) = read_plan(obj(&faces).as_bytes(), PlanFormat::Obj) {
            let sum: f64 = plan.walk.iter().map(|floor| floor.area.area()).sum();
            prop_assert!(sum > 0.0 && sum <= 18.0 * faces.len() as f64);
            prop_assert!(plan.walk.iter().all(|floor| floor.slope.length() <= 1.2 + 1e-9));
        }
    }
}
