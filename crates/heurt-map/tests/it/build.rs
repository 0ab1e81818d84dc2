//! Maps from grids, polygons and cells: links, numbers, faults.

use heurt_geometry::Vec3;
use heurt_map::{AlphaView, BuildFault, Cell, CombinatorialMap, Dart, Map, Map2, Map3, Orbit, Orient, Walker};
use heurt_mesh::{TetMesh, generate};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::map as map_oracle;

/// Every kind of cell against union-find, by orbit and by walker.
fn agrees_with_oracle<const D: usize>(map: &Map<D>) {
    assert_eq!(map.validate(), []);
    let phi = |i: usize, dart: u32| {
        let dart = Dart(dart);
        map.is_live(dart).then(|| [map.phi1(dart), map.phi2(dart), map.phi3(dart)][i - 1].0)
    };
    let mut walker = Walker::new();
    for orbit in Orbit::ALL {
        let dimension = if orbit == Orbit::Component { 4 } else { orbit as usize };
        let label = map_oracle::cells(D, dimension, map.capacity(), phi);
        let mut seen = 0;
        heurt_map::for_each_orbit(map, orbit, |cell| {
            seen += cell.len();
            assert!(cell.iter().all(|dart| label[dart.index()] == cell[0].0), "{orbit:?} of {:?}", cell[0]);
            let mut other = walker.orbit(map, orbit, cell[cell.len() / 2]).to_vec();
            other.sort_unstable();
            let mut cell = cell.to_vec();
            cell.sort_unstable();
            assert_eq!(cell, other);
        });
        assert_eq!(seen, map.live_count());
        let mut roots: Vec<u32> = map.live_darts().map(|dart| label[dart.index()]).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut count = 0;
        heurt_map::for_each_orbit(map, orbit, |_| count += 1);
        assert_eq!(roots.len(), count, "{orbit:?}");
    }
}

#[test]
fn flat_grids() {
    for [nx, ny] in [[1, 1], [3, 1], [1, 4], [5, 3]] {
        let map = Map2::grid(nx, ny).unwrap();
        agrees_with_oracle(&map);
        let [x, y] = [nx as usize, ny as usize];
        assert_eq!(map.cell_counts(), [(x + 1) * (y + 1), x * (y + 1) + y * (x + 1), x * y, 1]);
        assert_eq!(map.euler_characteristic(), 1);
        for (face, dart) in map.cell_ids(Orbit::Face).unwrap().cells() {
            assert_eq!(dart.0, 4 * face);
            assert_eq!(map.id(Orbit::Vertex, dart), face % nx + (nx + 1) * (face / nx));
        }
    }
    assert!(Map2::grid(0, 3).is_err());
    assert!(Map2::grid(1 << 17, 1 << 17).is_err());
    assert!(Map3::hexahedral_grid([1 << 12, 1 << 12, 1 << 12]).is_err());
}

fn grid_cells([nx, ny, nz]: [u32; 3]) -> Vec<Cell> {
    let vertex = |i, j, k| i + (nx + 1) * (j + (ny + 1) * k);
    let corner = |i, j, k| {
        [
            vertex(i, j, k),
            vertex(i + 1, j, k),
            vertex(i + 1, j + 1, k),
            vertex(i, j + 1, k),
            vertex(i, j, k + 1),
            vertex(i + 1, j, k + 1),
            vertex(i + 1, j + 1, k + 1),
            vertex(i, j + 1, k + 1),
        ]
    };
    let mut cells = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                cells.push(Cell::Hexahedron(corner(i, j, k)));
            }
        }
    }
    cells
}

#[test]
fn solid_grids_directly_and_from_cells() {
    for counts in [[1, 1, 1], [2, 1, 1], [3, 4, 2]] {
        let map = Map3::hexahedral_grid(counts).unwrap();
        agrees_with_oracle(&map);
        let [x, y, z] = counts.map(|count| count as usize);
        let vertices = (x + 1) * (y + 1) * (z + 1);
        assert_eq!(map.cell_counts()[0], vertices);
        assert_eq!(map.cell_counts()[3..], [x * y * z, 1]);
        assert_eq!(map.euler_characteristic(), 1);
        let built = Map3::from_cells(vertices, &grid_cells(counts), Orient::Keep).unwrap();
        agrees_with_oracle(&built.map);
        assert!(built.pinched.is_empty() && built.turned.is_empty());
        for dart in built.map.live_darts() {
            assert_eq!(map.phi1(dart), built.map.phi1(dart));
            assert_eq!(map.phi2(dart), built.map.phi2(dart));
            for orbit in [Orbit::Vertex, Orbit::Volume] {
                assert_eq!(map.id(orbit, dart), built.map.id(orbit, dart));
            }
        }
    }
}

#[test]
fn every_kind_of_cell_and_its_polyhedron() {
    // A cube with a pyramid on top, a prism beside it and a tetrahedron on the prism's triangle.
    let cells = vec![
        Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]),
        Cell::Pyramid([4, 5, 6, 7, 8]),
        Cell::Prism([1, 5, 9, 2, 6, 10]),
        Cell::Tetrahedron([1, 9, 5, 11]),
    ];
    let built = Map3::from_cells(12, &cells, Orient::Turn).unwrap();
    agrees_with_oracle(&built.map);
    assert_eq!(built.map.cell_counts()[3..], [4, 1]);
    assert_eq!(built.map.euler_characteristic(), 1);
    let polyhedra: Vec<Cell> = cells.iter().map(|cell| Cell::Polyhedron(cell.faces())).collect();
    let other = Map3::from_cells(12, &polyhedra, Orient::Turn).unwrap();
    agrees_with_oracle(&other.map);
    assert_eq!(built.turned, other.turned);
    assert_eq!(built.map.cell_counts(), other.map.cell_counts());
    // Turned cells given the right way round are kept.
    let mut right = cells.clone();
    for &cell in &built.turned {
        right[cell as usize] = right[cell as usize].mirrored();
    }
    assert!(Map3::from_cells(12, &right, Orient::Keep).is_ok());
}

#[test]
fn closed_and_open_meshes() {
    let torus = Map2::from_tri_mesh(&generate::torus(2.0, 0.5, 12, 8).unwrap(), Orient::Keep).unwrap();
    agrees_with_oracle(&torus.map);
    assert_eq!(torus.map.euler_characteristic(), 0);
    let mut mesh = generate::icosphere(1.0, 2).unwrap();
    let ball = Map2::from_tri_mesh(&mesh, Orient::Keep).unwrap();
    assert_eq!(ball.map.euler_characteristic(), 2);
    // Triangles at random turned round, and one left out.
    let (vertices, mut triangles) = mesh.into_parts();
    triangles.pop();
    let mut random = Random::new(7);
    for triangle in &mut triangles {
        if random.one_in(2) {
            triangle.swap(1, 2);
        }
    }
    mesh = heurt_mesh::TriMesh::new(vertices, triangles).unwrap();
    let faults = Map2::from_tri_mesh(&mesh, Orient::Keep).unwrap_err().faults;
    assert!(faults.len() > 10 && faults.iter().all(|fault| matches!(fault, BuildFault::TurnedAgainst { .. })));
    let built = Map2::from_tri_mesh(&mesh, Orient::Turn).unwrap();
    agrees_with_oracle(&built.map);
    assert_eq!(built.map.euler_characteristic(), 1);
    assert!(!built.turned.is_empty());
}

#[test]
fn one_sided_strips_are_refused() {
    let strip = |quads: u32, twist: bool| {
        (0..quads).map(move |quad| {
            let next = (quad + 1) % quads;
            let (a, b) = (2 * quad, 2 * quad + 1);
            let (c, d) = if next == 0 && twist { (1, 0) } else { (2 * next, 2 * next + 1) };
            [a, c, d, b]
        })
    };
    let band = Map2::from_polygons(10, strip(5, false), Orient::Keep).unwrap();
    agrees_with_oracle(&band.map);
    assert_eq!(band.map.euler_characteristic(), 0);
    for orient in [Orient::Keep, Orient::Turn] {
        let faults = Map2::from_polygons(10, strip(5, true), orient).unwrap_err().faults;
        assert_eq!(faults.len(), 1);
        match orient {
            Orient::Keep => assert!(matches!(faults[0], BuildFault::TurnedAgainst { cells: [0, 4], .. })),
            Orient::Turn => assert!(matches!(faults[0], BuildFault::NotOrientable { .. })),
        }
    }
}

#[test]
fn vertices_that_only_touch_are_several() {
    let built = Map2::from_polygons(6, [[0, 1, 2], [0, 3, 4]], Orient::Keep).unwrap();
    agrees_with_oracle(&built.map);
    assert_eq!(built.pinched, [0]);
    assert_eq!(built.vertex_of, [0, 1, 2, 3, 4, 5, 0]);
    assert_eq!(built.map.cell_counts(), [6, 6, 2, 2]);
    assert_eq!(built.map.cell_ids(Orbit::Vertex).unwrap().count(), 6);
    assert_eq!(built.at_vertices(&[10, 11, 12, 13, 14, 15]).values(), [10, 11, 12, 13, 14, 15, 10]);
    // Two tetrahedra on one edge, and a third on one of its vertices.
    let tets = [[0, 1, 2, 3], [0, 1, 4, 5], [0, 6, 7, 8]].map(Cell::Tetrahedron);
    let built = Map3::from_cells(9, &tets, Orient::Keep).unwrap();
    agrees_with_oracle(&built.map);
    assert_eq!(built.pinched, [0, 1]);
    assert_eq!(built.map.cell_counts(), [12, 18, 12, 3, 3]);
}

#[test]
fn all_faults_are_listed() {
    let faults = Map2::from_polygons(4, [vec![0, 1], vec![0, 1, 9], vec![1, 2, 1]], Orient::Turn).unwrap_err().faults;
    assert_eq!(faults.len(), 3);
    let fan = [[0, 1, 2], [1, 0, 3], [0, 1, 4], [2, 1, 5], [1, 2, 6]];
    let error = Map2::from_polygons(7, fan, Orient::Turn).unwrap_err();
    assert_eq!(
        error.faults,
        [
            BuildFault::ManyFaces { edge: [0, 1], faces: vec![0, 1, 2] },
            BuildFault::ManyFaces { edge: [1, 2], faces: vec![0, 3, 4] },
        ]
    );
    assert!(error.to_string().contains("3 faces share the edge [0, 1]") && error.to_string().contains("1 more"));
    let tets = [[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]].map(Cell::Tetrahedron);
    let faults = Map3::from_cells(6, &tets, Orient::Turn).unwrap_err().faults;
    assert_eq!(faults, [BuildFault::ManyVolumes { corners: vec![0, 1, 2], volumes: vec![0, 1, 2] }]);
    let open = Cell::Polyhedron(vec![vec![0, 1, 2], vec![0, 3, 1]]);
    let faults = Map3::from_cells(4, &[open], Orient::Keep).unwrap_err().faults;
    assert_eq!(faults.len(), 4);
    // No faces, and two tetrahedra as one volume.
    let disjoint = [[0, 1, 2, 3], [4, 5, 6, 7]].map(|corners| Cell::Tetrahedron(corners).faces()).concat();
    let cells = [Cell::Polyhedron(Vec::new()), Cell::Tetrahedron([0, 1, 2, 3]), Cell::Polyhedron(disjoint)];
    let faults = Map3::from_cells(8, &cells, Orient::Keep).unwrap_err().faults;
    assert_eq!(faults, [BuildFault::NoFaces { volume: 0 }, BuildFault::NotOnePiece { volume: 2, count: 2 }]);
    let twisted = [Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]), Cell::Pyramid([4, 6, 5, 7, 8])];
    let faults = Map3::from_cells(9, &twisted, Orient::Turn).unwrap_err().faults;
    assert_eq!(faults, [BuildFault::Twisted { corners: vec![4, 5, 6, 7], volumes: [0, 1] }]);
}

#[test]
fn tetrahedra_are_turned_by_their_volume() {
    // The six tetrahedra round the diagonal of a cube, some inverted, and a flat one between two of them.
    let vertices: Vec<Vec3> =
        (0..8).map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
    let mut tets = Vec::new();
    for [a, b] in [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]] {
        tets.push([0, a, b, 7]);
    }
    tets[2].swap(0, 1);
    tets[5].swap(2, 3);
    let mesh = TetMesh::new(vertices, tets).unwrap();
    let built = Map3::from_tet_mesh(&mesh).unwrap();
    agrees_with_oracle(&built.map);
    assert_eq!(built.turned, [2, 5]);
    assert_eq!(built.map.cell_counts(), [8, 19, 18, 6, 1]);
}

#[test]
fn incident_and_adjacent_cells_by_brute_force() {
    let mut map = Map3::hexahedral_grid([3, 3, 3]).unwrap();
    let mut walker = Walker::new();
    let middle = Dart(24 * 13);
    for numbered in [false, true] {
        let orbits = [Orbit::Vertex, Orbit::Edge, Orbit::Face, Orbit::Volume];
        for orbit in orbits {
            map.disable_ids(orbit);
            if numbered {
                map.enable_ids(orbit);
            }
        }
        let counts = orbits.map(|to| walker.incident(&map, middle, Orbit::Volume, to).len());
        assert_eq!(counts, [8, 12, 6, 1]);
        let counts = orbits[..3].iter().map(|&via| walker.adjacent(&map, middle, Orbit::Volume, via).len());
        assert_eq!(counts.collect::<Vec<_>>(), [26, 18, 6]);
        assert_eq!(walker.adjacent(&map, Dart(0), Orbit::Volume, Orbit::Vertex).len(), 7);
        assert_eq!(walker.adjacent(&map, middle, Orbit::Vertex, Orbit::Edge).len(), 6);
        assert_eq!(walker.incident(&map, middle, Orbit::Vertex, Orbit::Volume).len(), 8);
        assert_eq!(walker.incident(&map, Dart(0), Orbit::Vertex, Orbit::Volume).len(), 1);
    }
    let mut map = Map2::grid(3, 3).unwrap();
    for orbit in [Orbit::Vertex, Orbit::Edge] {
        assert_eq!(walker.adjacent(&map, Dart(16), Orbit::Face, orbit).len(), if orbit == Orbit::Edge { 4 } else { 8 });
    }
    map.remove_face(Dart(0)).unwrap();
    assert_eq!(walker.adjacent(&map, Dart(16), Orbit::Face, Orbit::Vertex).len(), 7);
}

#[test]
fn a_map_read_as_a_generalised_one() {
    fn check<const D: usize>(map: &Map<D>) {
        let view = AlphaView::new(map);
        assert_eq!(view.darts().count(), 2 * map.live_count());
        for dart in view.darts() {
            let alphas = |dart| [view.alpha0(dart), view.alpha1(dart), view.alpha2(dart), view.alpha3(dart)];
            for (i, other) in alphas(dart).into_iter().enumerate() {
                assert_eq!(alphas(other)[i], dart);
                assert!(other != dart || i > D);
            }
            // φᵢ = αᵢ∘α₀ from the start of a dart, and αᵢ∘αⱼ is an involution where i + 2 ≤ j ≤ D.
            if !dart.at_end {
                let images = alphas(view.alpha0(dart));
                assert_eq!(images[1].dart, map.phi1(dart.dart));
                assert_eq!(images[2].dart, map.phi2(dart.dart));
                assert_eq!(images[2..=D].iter().filter(|image| image.at_end).count(), 0);
            }
            for (i, j) in [(0, 2), (0, 3), (1, 3)].into_iter().filter(|&(_, j)| j <= D) {
                let both = |dart| alphas(alphas(dart)[j])[i];
                assert_eq!(both(both(dart)), dart);
            }
        }
    }
    check(&Map2::grid(3, 2).unwrap());
    check(&Map3::hexahedral_grid([2, 1, 2]).unwrap());
}
