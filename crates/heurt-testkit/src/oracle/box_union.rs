//! Oracle for solids made of overlapping boxes: signed distance, volume, area and what a ray passes, over the grid of
//! all their faces.
//!
//! In: boxes along the axes, each turned outward or inside out. Out: exact answers where coordinates are dyadic, by
//! brute force over the cells of the grid, rounded once.
//! Method: a cell is solid if the boxes around it, inside-out ones counted as −1, add up to another number than 0.
//! Nothing is shared with what it judges but vectors.
//! Cost: the cube of the number of boxes for each point.

use heurt_geometry::Vec3;
use heurt_mesh::{TriMesh, generate};

/// A box by two opposite corners, and whether its faces point inwards.
#[derive(Debug, Clone, Copy)]
pub struct SignedBox {
    /// The lower corner.
    pub low: Vec3,
    /// The upper one.
    pub high: Vec3,
    /// Faces point inwards: the winding number inside is −1.
    pub inside_out: bool,
}

/// The set of points that boxes wind around, on the grid of their faces.
#[derive(Debug, Clone)]
pub struct BoxUnion {
    boxes: Vec<SignedBox>,
    /// The coordinates of faces along each axis, ascending, with infinity at both ends.
    faces: [Vec<f64>; 3],
}

impl BoxUnion {
    /// Takes the boxes.
    pub fn new(boxes: Vec<SignedBox>) -> Self {
        let faces = [0, 1, 2].map(|axis| {
            let mut all: Vec<f64> = boxes.iter().flat_map(|one| [one.low[axis], one.high[axis]]).collect();
            all.extend([f64::NEG_INFINITY, f64::INFINITY]);
            all.sort_by(f64::total_cmp);
            all.dedup();
            all
        });
        Self { boxes, faces }
    }

    /// The boxes.
    pub fn boxes(&self) -> &[SignedBox] {
        &self.boxes
    }

    /// The boxes as one mesh, twelve triangles each.
    ///
    /// # Panics
    /// For boxes without an inside.
    pub fn mesh(&self) -> TriMesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for one in &self.boxes {
            let cube = generate::cuboid(((one.high - one.low) * 0.5).to_array()).expect("a box with an inside");
            let (first, centre) = (vertices.len() as u32, (one.low + one.high) * 0.5);
            vertices.extend(cube.vertices().iter().map(|vertex| *vertex + centre));
            triangles.extend(cube.triangles().iter().map(|&[a, b, c]| {
                let corners = if one.inside_out { [a, c, b] } else { [a, b, c] };
                corners.map(|corner| corner + first)
            }));
        }
        TriMesh::new(vertices, triangles).expect("boxes with an inside")
    }

    /// How often the surface winds around a point off all faces.
    pub fn winding(&self, point: Vec3) -> i32 {
        let holds = |one: &&SignedBox| point.cmpgt(one.low).all() && point.cmplt(one.high).all();
        self.boxes.iter().filter(holds).map(|one| if one.inside_out { -1 } else { 1 }).sum()
    }

    /// Hands out the cells of the grid, those beyond all faces included, and whether they are solid.
    fn cells(&self, mut each: impl FnMut(Vec3, Vec3, bool)) {
        let [xs, ys, zs] = &self.faces;
        let middle = |ends: &[f64]| match (ends[0].is_finite(), ends[1].is_finite()) {
            (true, true) => 0.5 * (ends[0] + ends[1]),
            (false, _) => ends[1] - 1.0,
            (true, false) => ends[0] + 1.0,
        };
        for x in xs.windows(2) {
            for y in ys.windows(2) {
                for z in zs.windows(2) {
                    let inside = self.winding(Vec3::new(middle(x), middle(y), middle(z))) != 0;
                    each(Vec3::new(x[0], y[0], z[0]), Vec3::new(x[1], y[1], z[1]), inside);
                }
            }
        }
    }

    /// The distance from the boundary of the solid, negative inside; for boxes none of which cancels another in a
    /// common face.
    pub fn signed_distance(&self, point: Vec3) -> f64 {
        let (mut to_solid, mut to_outside) = (f64::INFINITY, f64::INFINITY);
        self.cells(|low, high, inside| {
            let aside = (low - point).max(point - high).max(Vec3::ZERO);
            let distance = aside.length();
            let nearest = if inside { &mut to_solid } else { &mut to_outside };
            *nearest = nearest.min(distance);
        });
        if to_solid > 0.0 { to_solid } else { -to_outside }
    }

    /// The volume and the area of the boundary.
    pub fn volume_and_area(&self) -> [f64; 2] {
        let (mut volume, mut area) = (0.0, 0.0);
        self.cells(|low, high, inside| {
            if !inside {
                return;
            }
            let size = high - low;
            volume += size.x * size.y * size.z;
            let middle = (low + high) * 0.5;
            for axis in 0..3 {
                for (face, step) in [(low[axis], -1.0), (high[axis], 1.0)] {
                    let mut beyond = middle;
                    beyond[axis] = self.middle_beyond(axis, face, step);
                    if self.winding(beyond) == 0 {
                        area += size.x * size.y * size.z / size[axis];
                    }
                }
            }
        });
        [volume, area]
    }

    /// A coordinate between a face and the next one.
    fn middle_beyond(&self, axis: usize, face: f64, step: f64) -> f64 {
        let faces = &self.faces[axis];
        let at = faces.iter().position(|&other| other == face).expect("a face of the grid");
        let next = faces[(at as isize + step as isize) as usize];
        if next.is_finite() { 0.5 * (face + next) } else { face + step }
    }

    /// The intervals of a ray in the solid, for a ray that runs in no face.
    pub fn intervals(&self, origin: Vec3, direction: Vec3) -> Vec<[f64; 2]> {
        let mut at: Vec<f64> = vec![0.0];
        for axis in 0..3 {
            let inner = self.faces[axis].iter().filter(|face| face.is_finite() && direction[axis] != 0.0);
            at.extend(inner.map(|face| (face - origin[axis]) / direction[axis]).filter(|t| *t > 0.0));
        }
        at.sort_by(f64::total_cmp);
        at.dedup();
        let mut spans: Vec<[f64; 2]> = Vec::new();
        for ends in at.windows(2) {
            if self.winding(origin + direction * (0.5 * (ends[0] + ends[1]))) == 0 {
                continue;
            }
            match spans.last_mut() {
                Some(last) if last[1] == ends[0] => last[1] = ends[1],
                _ => spans.push([ends[0], ends[1]]),
            }
        }
        spans
    }
}
