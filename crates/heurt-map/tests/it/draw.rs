//! Drawing of maps: every edge once at its place, and the entities of environments.

use heurt_geometry::{Aabb, Meaning, Vec2, Vec3};
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{Convex, Element, Environment, Plane, RegistrationMode};
use heurt_map::{Map2, Map3, MapEdges, Orbit, grid_positions};
use heurt_testkit::drawing::Drawing;

/// The lines with their ends in order, sorted, so that equal ones are neighbours.
fn sorted_lines(drawing: &Drawing) -> Vec<[[f64; 3]; 2]> {
    let mut lines: Vec<_> = drawing.lines.iter().map(|(ends, _)| ends.map(|end| end.to_array())).collect();
    lines.iter_mut().for_each(|ends| ends.sort_by(|a, b| a.partial_cmp(b).unwrap()));
    lines.sort_by(|a, b| a.partial_cmp(b).unwrap());
    lines
}

#[test]
fn a_block_of_hexahedra_has_every_edge_once() {
    let counts = [2, 3, 1];
    let mut map = Map3::hexahedral_grid(counts).unwrap();
    map.enable_ids(Orbit::Vertex);
    let positions = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::new(2.0, 3.0, 1.0) }, counts);
    let drawing = Drawing::of(&MapEdges { map: &map, place: |vertex| positions.get(vertex as usize).copied() });
    // Along x: 2 · 4 · 2; along y: 3 · 3 · 2; along z: 1 · 3 · 4.
    assert_eq!(drawing.lines_of(Meaning::Cell), 16 + 18 + 12);
    let mut lines = sorted_lines(&drawing);
    lines.dedup();
    assert_eq!(lines.len(), 46, "none twice");
    assert!(drawing.lines.iter().all(|([a, b], _)| a.distance(*b) == 1.0));
    // Without numbers or positions nothing is drawn.
    let none = |_: u32| -> Option<Vec3> { None };
    assert!(Drawing::of(&MapEdges { map: &map, place: none }).lines.is_empty());
    let mut bare = Map3::hexahedral_grid(counts).unwrap();
    bare.disable_ids(Orbit::Vertex);
    assert!(Drawing::of(&MapEdges { map: &bare, place: |_| Some(Vec3::ZERO) }).lines.is_empty());
}

#[test]
fn a_plane_is_drawn_with_its_refined_cells_and_entities() {
    let corners = (0..9).map(|k| Vec2::new(f64::from(k % 3), f64::from(k / 3))).collect();
    let map = ImplicitMap::new(Map2::grid(2, 2).unwrap());
    let mut plane = Environment::new(map, Plane::new(corners).unwrap()).unwrap();
    assert_eq!(Drawing::of(&plane).lines_of(Meaning::Cell), 12);
    plane.add_particle(Vec2::new(0.5, 1.5)).unwrap();
    plane.add_edge([Vec2::new(0.25, 0.25), Vec2::new(1.75, 0.25)]).unwrap();
    let triangle = [[0.1, 0.1], [0.9, 0.1], [0.1, 0.9]].map(Vec2::from_array);
    plane.add(&triangle, &[Element::Triangle([0, 1, 2])], RegistrationMode::default()).unwrap();
    let cell = plane.cells().next().unwrap();
    plane.refine(cell).unwrap();
    let drawing = Drawing::of(&plane);
    // Four edges are cut in two, and four more meet in the middle.
    assert_eq!(drawing.lines_of(Meaning::Cell), 12 + 4 + 4);
    let total: f64 = drawing.lines.iter().filter(|(_, m)| *m == Meaning::Cell).map(|([a, b], _)| a.distance(*b)).sum();
    assert_eq!(total, 12.0 + 2.0);
    assert_eq!(drawing.points, [(Vec3::new(0.5, 1.5, 0.0), Meaning::Note)]);
    assert_eq!(drawing.lines_of(Meaning::Edge), 1);
    assert_eq!(drawing.triangles, [(triangle.map(|p| p.extend(0.0)), Meaning::Surface)]);
    assert_eq!(drawing, Drawing::of(&plane.clone()));
}

#[test]
fn a_space_is_drawn_with_its_particles() {
    let counts = [1, 1, 1];
    let positions = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::ONE }, counts);
    let map = ImplicitMap::new(Map3::hexahedral_grid(counts).unwrap());
    let mut space = Environment::new(map, Convex::new(positions).unwrap()).unwrap();
    space.add_particle(Vec3::splat(0.25)).unwrap();
    let drawing = Drawing::of(&space);
    assert_eq!((drawing.lines.len(), drawing.points.len()), (12, 1));
    assert_eq!(Aabb::from_points(drawing.places()), Aabb { min: Vec3::ZERO, max: Vec3::ONE });
}
