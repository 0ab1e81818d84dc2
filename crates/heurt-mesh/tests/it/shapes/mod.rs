//! Small meshes made by hand, whose topology and measures are known.

use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;

/// A mesh of `points` and `triangles`.
pub fn mesh(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> TriMesh {
    TriMesh::new(points.iter().map(|&point| Vec3::from_array(point)).collect(), triangles.to_vec()).unwrap()
}

/// The corners of the box from `low` to `high`: bit k of the index chooses along axis k.
fn corners(low: [f64; 3], high: [f64; 3]) -> Vec<Vec3> {
    let pick = |index: usize, axis: usize| if index >> axis & 1 == 0 { low[axis] } else { high[axis] };
    (0..8).map(|index| Vec3::new(pick(index, 0), pick(index, 1), pick(index, 2))).collect()
}

/// The faces of a box, counter-clockwise from outside: −x, +x, −y, +y, −z, +z.
pub const BOX_FACES: [[u32; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// A closed box of 12 triangles.
pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> TriMesh {
    TriMesh::from_polygons(corners(low, high), BOX_FACES).unwrap().mesh
}

/// The unit cube.
pub fn cube() -> TriMesh {
    cuboid([0.0; 3], [1.0; 3])
}

/// The unit cube without its top.
pub fn open_box() -> TriMesh {
    TriMesh::from_polygons(corners([0.0; 3], [1.0; 3]), &BOX_FACES[..5]).unwrap().mesh
}

/// The tetrahedron on the origin and the three unit points.
pub fn tetrahedron() -> TriMesh {
    mesh(
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    )
}

/// A closed strip of `segments` quads that turns over once.
pub fn moebius(segments: u32) -> TriMesh {
    let mut points = Vec::new();
    for i in 0..segments {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(segments);
        for side in [-0.3, 0.3] {
            let radius = 1.0 + side * (angle / 2.0).cos();
            points.push(Vec3::new(radius * angle.cos(), radius * angle.sin(), side * (angle / 2.0).sin()));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..segments {
        let [a, b] = [2 * i, 2 * i + 1];
        let [c, d] = if i + 1 == segments { [1, 0] } else { [2 * i + 2, 2 * i + 3] };
        triangles.extend([[a, c, d], [a, d, b]]);
    }
    TriMesh::new(points, triangles).unwrap()
}

/// A torus of `around` × `through` quads, radii 2 and 1.
pub fn torus(around: u32, through: u32) -> TriMesh {
    let at = |i: u32, j: u32| (i % around) * through + j % through;
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..around {
        let u = std::f64::consts::TAU * f64::from(i) / f64::from(around);
        for j in 0..through {
            let v = std::f64::consts::TAU * f64::from(j) / f64::from(through);
            let radius = 2.0 + v.cos();
            points.push(Vec3::new(radius * u.cos(), radius * u.sin(), v.sin()));
            let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
        }
    }
    TriMesh::new(points, triangles).unwrap()
}

/// A sphere of radius 1 with `rings` rings of `2 rings` corners between the poles.
pub fn sphere(rings: u32) -> TriMesh {
    let around = 2 * rings;
    let mut points = vec![Vec3::NEG_Z];
    for ring in 1..=rings {
        let latitude = std::f64::consts::PI * (f64::from(ring) / f64::from(rings + 1) - 0.5);
        for i in 0..around {
            let longitude = std::f64::consts::TAU * f64::from(i) / f64::from(around);
            let radius = latitude.cos();
            points.push(Vec3::new(radius * longitude.cos(), radius * longitude.sin(), latitude.sin()));
        }
    }
    points.push(Vec3::Z);
    let top = points.len() as u32 - 1;
    let at = |ring: u32, i: u32| 1 + ring * around + i % around;
    let mut triangles = Vec::new();
    for i in 0..around {
        triangles.push([0, at(0, i + 1), at(0, i)]);
        triangles.push([top, at(rings - 1, i), at(rings - 1, i + 1)]);
        for ring in 0..rings - 1 {
            triangles.push([at(ring, i), at(ring, i + 1), at(ring + 1, i + 1)]);
            triangles.push([at(ring, i), at(ring + 1, i + 1), at(ring + 1, i)]);
        }
    }
    TriMesh::new(points, triangles).unwrap()
}

/// The same surface with three vertices of its own for every triangle, as STL files have it.
pub fn unshared(mesh: &TriMesh) -> TriMesh {
    let count = mesh.triangles().len() as u32;
    let points = (0..count).flat_map(|triangle| mesh.corners(triangle)).collect();
    TriMesh::new(points, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

/// A source of seeded numbers in 0 … 1 (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, count: u32) -> u32 {
        (self.next() * f64::from(count)) as u32
    }

    /// A point of the integer grid of `side` points along each axis: full of coincidences.
    pub fn grid_point(&mut self, side: u32) -> Vec3 {
        Vec3::new(f64::from(self.below(side)), f64::from(self.below(side)), f64::from(self.below(side)))
    }
}
