//! Copies of solids with known damage, as exporters and editors cause it.

use heurt_geometry::Vec3;
use heurt_mesh::{TriMesh, generate};

use crate::shapes::Random;

/// Solids of different kinds: convex, with handles, with flat faces that have holes, with cavities, of several bodies.
pub fn solids() -> Vec<(&'static str, TriMesh)> {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let far = cube.vertices().iter().map(|&v| v + Vec3::new(300.0, -20.0, 7.0)).collect();
    let far = TriMesh::new(far, cube.triangles().to_vec()).unwrap();
    let hollow = generate::octahedron(1.0).unwrap().reversed();
    let cavity = TriMesh::merged([&generate::cuboid([3.0; 3]).unwrap(), &hollow]).unwrap();
    vec![
        ("cube", cube),
        ("far cube", far),
        ("ball", generate::uv_sphere(1.0, 12).unwrap()),
        ("torus", generate::torus(2.0, 0.5, 16, 10).unwrap()),
        ("gear", generate::gear(12, 1.0, 0.35, 0.0, 2.0, 4.0, 8).unwrap()),
        ("washer", generate::metric_washer(8.0, 12).unwrap()),
        ("cylinder", generate::cylinder(1.0, 2.0, 24).unwrap()),
        ("cavity", cavity),
    ]
}

/// Three vertices of its own for each triangle, each coordinate moved by up to one ulp of an `f32`.
pub fn jittered(mesh: &TriMesh, random: &mut Random) -> TriMesh {
    let count = mesh.triangles().len() as u32;
    let mut jitter = |x: f64| {
        let ulp = f64::from((x as f32).abs().next_up() - (x as f32).abs());
        // Stored as an `f32`, as exporters do that round so.
        f64::from((x + (random.next() - 0.5) * 2.0 * ulp) as f32)
    };
    let points = (0..count).flat_map(|triangle| mesh.corners(triangle));
    let points = points.map(|point| Vec3::new(jitter(point.x), jitter(point.y), jitter(point.z))).collect();
    TriMesh::new(points, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

/// Without the triangles for which `drops` holds.
pub fn without(mesh: &TriMesh, drops: impl Fn(u32) -> bool) -> TriMesh {
    let (vertices, triangles) = mesh.clone().into_parts();
    let kept = (0..).zip(triangles).filter(|&(number, _)| !drops(number)).map(|(_, corners)| corners);
    TriMesh::new(vertices, kept.collect()).unwrap()
}

/// Without the flat face around a triangle: all triangles in its plane.
pub fn without_face(mesh: &TriMesh, triangle: u32) -> TriMesh {
    let [a, b, c] = mesh.corners(triangle);
    let is_in_plane =
        |other: u32| mesh.corners(other).iter().all(|&point| heurt_geometry::orient3d(a, b, c, point).is_zero());
    without(mesh, is_in_plane)
}

/// With the triangles reversed for which `turns` holds.
pub fn turned(mesh: &TriMesh, mut turns: impl FnMut(u32) -> bool) -> TriMesh {
    let (vertices, mut triangles) = mesh.clone().into_parts();
    for (number, corners) in (0..).zip(&mut triangles) {
        if turns(number) {
            corners.swap(1, 2);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// With some triangles split at the middle of one edge, so that the neighbour has a vertex on its edge.
pub fn with_t_vertices(mesh: &TriMesh, every: usize) -> TriMesh {
    let (mut vertices, triangles) = mesh.clone().into_parts();
    let mut split = Vec::new();
    for (number, [a, b, c]) in triangles.into_iter().enumerate() {
        if number % every == 0 {
            let middle = vertices.len() as u32;
            vertices.push((vertices[a as usize] + vertices[b as usize]) * 0.5);
            split.extend([[a, middle, c], [middle, b, c]]);
        } else {
            split.push([a, b, c]);
        }
    }
    TriMesh::new(vertices, split).unwrap()
}

/// With a needle of no area at an edge of some triangles: closed, and exact where the middle of the edge is exact.
pub fn with_needles(mesh: &TriMesh, every: usize) -> TriMesh {
    let (mut vertices, triangles) = mesh.clone().into_parts();
    let mut split = Vec::new();
    for (number, [a, b, c]) in triangles.into_iter().enumerate() {
        let point = (vertices[a as usize] + vertices[b as usize]) * 0.5;
        let places = [vertices[a as usize], vertices[b as usize], point];
        if number % every == 0 && heurt_geometry::is_degenerate(&places) {
            let middle = vertices.len() as u32;
            vertices.push(point);
            split.extend([[a, middle, c], [middle, b, c], [a, b, middle]]);
        } else {
            split.push([a, b, c]);
        }
    }
    TriMesh::new(vertices, split).unwrap()
}

/// With some triangles repeated, and others repeated from the back and the front.
pub fn with_duplicates(mesh: &TriMesh, every: usize) -> TriMesh {
    let (vertices, mut triangles) = mesh.clone().into_parts();
    for number in (0..triangles.len()).step_by(every) {
        let [a, b, c] = triangles[number];
        if number % 2 == 0 {
            triangles.push([b, c, a]);
        } else {
            triangles.extend([[c, b, a], [a, b, c]]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Every vertex twice, used in turn.
pub fn with_doubled_vertices(mesh: &TriMesh) -> TriMesh {
    let (mut vertices, mut triangles) = mesh.clone().into_parts();
    let count = vertices.len() as u32;
    vertices.extend_from_within(..);
    for (number, corners) in triangles.iter_mut().enumerate() {
        if number % 2 == 1 {
            *corners = corners.map(|vertex| vertex + count);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Damaged in several of these ways at once, and the names of them.
pub fn damaged(mesh: &TriMesh, may_turn: bool, random: &mut Random) -> (TriMesh, Vec<&'static str>) {
    let mut mesh = mesh.clone();
    let mut kinds = Vec::new();
    for kind in ["face", "T-vertices", "needles", "duplicates", "turned", "doubled", "jitter"] {
        if random.next() < 0.6 || (kind == "turned" && !may_turn) {
            continue;
        }
        kinds.push(kind);
        mesh = match kind {
            "face" => without_face(&mesh, random.below(mesh.triangles().len() as u32)),
            "T-vertices" => with_t_vertices(&mesh, 1 + random.below(7) as usize),
            "needles" => with_needles(&mesh, 1 + random.below(5) as usize),
            "duplicates" => with_duplicates(&mesh, 1 + random.below(9) as usize),
            "turned" => turned(&mesh, |_| random.next() < 0.2),
            "doubled" => with_doubled_vertices(&mesh),
            _ => jittered(&mesh, random),
        };
    }
    (mesh, kinds)
}
