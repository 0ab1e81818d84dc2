//! An audit of generated meshes that shares no code with the library: edges by sorting, volume by signed tetrahedra.

use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;

/// What keeps a mesh from being a welded, closed, oriented two-manifold.
#[derive(Debug, Clone, PartialEq)]
pub enum Defect {
    /// A half-edge that occurs twice.
    RepeatedEdge(u32, u32),
    /// A half-edge without its opposite.
    UnpairedEdge(u32, u32),
    /// A triangle that names a vertex twice or whose corners are collinear.
    Degenerate(usize),
    /// A vertex in no triangle.
    UnusedVertex(usize),
    /// A vertex bit-equal to another.
    DuplicateVertex(Vec3),
    /// A vertex whose triangles form more than one fan.
    SplitVertex(u32),
    /// A volume that is not positive.
    Inward(f64),
}

/// Checks a mesh wholly and gives its Euler characteristic V − E + F.
pub fn audit(mesh: &TriMesh) -> Result<i64, Defect> {
    edges_pair(mesh)?;
    vertices_are_unique_and_used(mesh)?;
    fans_are_single(mesh)?;
    let size = distance_range(mesh).1;
    for index in 0..mesh.triangles().len() {
        if is_collinear(mesh.corners(index as u32), size) {
            return Err(Defect::Degenerate(index));
        }
    }
    let volume = volume(mesh);
    if volume.is_nan() || volume <= 0.0 {
        return Err(Defect::Inward(volume));
    }
    let faces = mesh.triangles().len() as i64;
    Ok(mesh.vertices().len() as i64 - faces * 3 / 2 + faces)
}

fn half_edges(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let mut edges: Vec<_> = mesh.triangles().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    edges
}

fn edges_pair(mesh: &TriMesh) -> Result<(), Defect> {
    if let Some(index) = mesh.triangles().iter().position(|&[a, b, c]| a == b || b == c || c == a) {
        return Err(Defect::Degenerate(index));
    }
    let edges = half_edges(mesh);
    if let Some(pair) = edges.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Defect::RepeatedEdge(pair[0][0], pair[0][1]));
    }
    match edges.iter().find(|&&[a, b]| edges.binary_search(&[b, a]).is_err()) {
        Some(&[a, b]) => Err(Defect::UnpairedEdge(a, b)),
        None => Ok(()),
    }
}

fn vertices_are_unique_and_used(mesh: &TriMesh) -> Result<(), Defect> {
    let mut used = vec![false; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|&v| used[v as usize] = true);
    if let Some(unused) = used.iter().position(|&used| !used) {
        return Err(Defect::UnusedVertex(unused));
    }
    let mut keys: Vec<[u64; 3]> = mesh.vertices().iter().map(|v| v.to_array().map(|c| (c + 0.0).to_bits())).collect();
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Defect::DuplicateVertex(Vec3::from(pair[0].map(f64::from_bits)))),
        None => Ok(()),
    }
}

/// Walks each vertex's fan: starting anywhere, it must come back after visiting every triangle at the vertex.
fn fans_are_single(mesh: &TriMesh) -> Result<(), Defect> {
    // (vertex, entering neighbour, leaving neighbour), sorted: the fan goes from `to` to the triangle entered by it.
    let mut corners: Vec<[u32; 3]> =
        mesh.triangles().iter().flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]).collect();
    corners.sort_unstable();
    for fan in corners.chunk_by(|x, y| x[0] == y[0]) {
        let mut next = fan[0][1];
        let mut steps = 0;
        loop {
            let at = fan.binary_search_by(|corner| corner[1].cmp(&next)).map_err(|_| Defect::SplitVertex(fan[0][0]))?;
            next = fan[at][2];
            steps += 1;
            if next == fan[0][1] || steps > fan.len() {
                break;
            }
        }
        if steps != fan.len() {
            return Err(Defect::SplitVertex(fan[0][0]));
        }
    }
    Ok(())
}

/// Tells whether three points are collinear, in units of `size`. Rounding can only call a needle collinear, never the
/// reverse on coordinates this well scaled.
fn is_collinear([a, b, c]: [Vec3; 3], size: f64) -> bool {
    let [a, b, c] = [a / size, b / size, c / size];
    (b - a).cross(c - a) == Vec3::ZERO
}

/// The signed volume, by tetrahedra from the origin.
pub fn volume(mesh: &TriMesh) -> f64 {
    let corners = |index| mesh.corners(index as u32);
    (0..mesh.triangles().len()).map(corners).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// The surface area.
pub fn area(mesh: &TriMesh) -> f64 {
    let corners = |index| mesh.corners(index as u32);
    (0..mesh.triangles().len()).map(corners).map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0).sum()
}

/// The smallest and largest distance of a vertex from the origin.
pub fn distance_range(mesh: &TriMesh) -> (f64, f64) {
    let lengths = mesh.vertices().iter().map(|v| v.length());
    lengths.fold((f64::INFINITY, 0.0), |(low, high), d| (low.min(d), high.max(d)))
}

/// Tells whether every vertex lies on or behind the plane of every triangle (to 1e-9 of the size).
pub fn is_convex(mesh: &TriMesh) -> bool {
    let size = distance_range(mesh).1;
    (0..mesh.triangles().len()).all(|index| {
        let [a, b, c] = mesh.corners(index as u32);
        let normal = (b - a).cross(c - a).normalize();
        mesh.vertices().iter().all(|&v| normal.dot(v - a) <= 1e-9 * size)
    })
}
