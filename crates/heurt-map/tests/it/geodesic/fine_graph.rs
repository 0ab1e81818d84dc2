//! An upper bound by a graph: points on all edges, joined across each free face; Dijkstra without a queue of windows.

use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Points on edges, and the faces that have them.
pub struct FineGraph {
    places: Vec<Vec3>,
    /// Points of each face; none in obstacles.
    of_face: Vec<Vec<usize>>,
    faces: Vec<Vec<usize>>,
}

impl FineGraph {
    /// Cuts each edge into `pieces`; vertices belong to no point, so that faces are joined by edges only.
    pub fn new(mesh: &TriMesh, obstacles: &[u32], pieces: u32) -> Self {
        let mut graph = Self { places: Vec::new(), of_face: Vec::new(), faces: Vec::new() };
        let mut known: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        for (face, triangle) in (0u32..).zip(mesh.triangles()) {
            graph.of_face.push(Vec::new());
            if obstacles.contains(&face) {
                continue;
            }
            for k in 0..3 {
                let [a, b] = [triangle[k], triangle[(k + 1) % 3]];
                let [low, high] = [a.min(b), a.max(b)];
                let first = *known.entry([low, high]).or_insert_with(|| {
                    let first = graph.places.len();
                    let [from, to] = [low, high].map(|vertex| mesh.vertices()[vertex as usize]);
                    // Points near the ends, so that paths may pass near a vertex.
                    for piece in 0..=pieces {
                        let share = (f64::from(piece) / f64::from(pieces)).clamp(1e-4, 1.0 - 1e-4);
                        graph.places.push(from + (to - from) * share);
                        graph.faces.push(Vec::new());
                    }
                    first
                });
                for point in first..=first + pieces as usize {
                    graph.of_face[face as usize].push(point);
                    graph.faces[point].push(face as usize);
                }
            }
        }
        graph
    }

    /// Lists points with a face of theirs and the length of a path to the start.
    pub fn distances(&self, (face, start): (u32, Vec3)) -> Vec<(u32, Vec3, f64)> {
        let mut best = vec![f64::INFINITY; self.places.len()];
        let mut queue = BinaryHeap::new();
        for &point in &self.of_face[face as usize] {
            best[point] = start.distance(self.places[point]);
            // Positive numbers are in the order of their bits.
            queue.push(Reverse((best[point].to_bits(), point)));
        }
        while let Some(Reverse((bits, point))) = queue.pop() {
            if f64::from_bits(bits) > best[point] {
                continue;
            }
            for &next in self.faces[point].iter().flat_map(|&face| &self.of_face[face]) {
                let distance = best[point] + self.places[point].distance(self.places[next]);
                if distance < best[next] {
                    best[next] = distance;
                    queue.push(Reverse((distance.to_bits(), next)));
                }
            }
        }
        let listed = |point: usize| (self.faces[point][0] as u32, self.places[point], best[point]);
        (0..self.places.len()).map(listed).collect()
    }
}
