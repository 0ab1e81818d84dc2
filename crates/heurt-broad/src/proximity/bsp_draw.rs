//! Drawing of a binary space partition: the planes that split its cells.
//!
//! In: a tree. Out: the box of all points, then each plane as a convex polygon in its cell, parents before their
//! children, with [`Meaning::BroadPhase`], in the frame of the points, in metres.
//! Method: the polygon of a plane in the box, clipped by the planes of the ancestors (Sutherland and Hodgman 1974).
//! Cost: O(nodes · depth²).

use super::bsp_tree::{BspNode, BspTree};
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Vec3};

/// Local coordinates of the box of all points are within this.
const LARGEST_LOCAL: f64 = 1.0;

/// A half-space n·p ≤ offset, in local coordinates.
#[derive(Clone, Copy)]
struct HalfSpace {
    normal: Vec3,
    offset: f64,
}

impl Draw for BspTree {
    /// Draws the box of all points, then each plane in its cell. Nothing for a tree without points.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let all = Aabb::from_points(self.points());
        if all.is_empty() {
            return;
        }
        sink.draw_box(&all, Meaning::BroadPhase);
        let corners = [all.min, all.max].map(|corner| self.local(corner));
        let sides = Vec3::AXES.into_iter().enumerate().flat_map(|(axis, normal)| {
            let [least, greatest] = corners.map(|corner| corner[axis]);
            [HalfSpace { normal, offset: greatest }, HalfSpace { normal: -normal, offset: -least }]
        });
        let mut open = vec![(0, sides.collect::<Vec<HalfSpace>>())];
        while let Some((index, cell)) = open.pop() {
            let Some(&BspNode::Inner { normal, split, greater }) = self.nodes().get(index as usize) else { continue };
            let polygon = clip_plane(HalfSpace { normal, offset: split }, &cell);
            for (number, from) in polygon.iter().enumerate() {
                let to = polygon[(number + 1) % polygon.len()];
                sink.draw_line([*from, to].map(|end| self.global(end)), Meaning::BroadPhase);
            }
            let with = |half_space| cell.iter().copied().chain([half_space]).collect();
            open.push((greater, with(HalfSpace { normal: -normal, offset: -split })));
            open.push((index + 1, with(HalfSpace { normal, offset: split })));
        }
    }
}

/// Computes the polygon of a plane in an intersection of half-spaces; empty if they have nothing in common.
fn clip_plane(plane: HalfSpace, cell: &[HalfSpace]) -> Vec<Vec3> {
    let u = plane.normal.any_orthonormal_vector();
    let v = plane.normal.cross(u);
    // Larger than the box in any direction.
    let size = 4.0 * LARGEST_LOCAL;
    let centre = plane.normal * plane.offset;
    let square = [u + v, v - u, -u - v, u - v].map(|direction| centre + direction * size);
    cell.iter().fold(square.to_vec(), |polygon, half_space| clip(&polygon, *half_space))
}

/// Clips a convex polygon by a half-space.
fn clip(polygon: &[Vec3], HalfSpace { normal, offset }: HalfSpace) -> Vec<Vec3> {
    let mut clipped = Vec::with_capacity(polygon.len() + 1);
    for (number, from) in polygon.iter().enumerate() {
        let to = polygon[(number + 1) % polygon.len()];
        let [at_from, at_to] = [normal.dot(*from) - offset, normal.dot(to) - offset];
        if at_from <= 0.0 {
            clipped.push(*from);
        }
        if (at_from < 0.0 && at_to > 0.0) || (at_from > 0.0 && at_to < 0.0) {
            clipped.push(from.lerp(to, at_from / (at_from - at_to)));
        }
    }
    clipped
}
