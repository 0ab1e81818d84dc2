//! The graph dual to the diagram: a triangle a vertex, with its three sites and the neighbours across its three arcs.
//!
//! In: the Delaunay triangles of points, then segments one by one. Out: the graph of all sites.
//! Method: incremental, topology first (Sugihara and Iri 1992; Held 2001). A segment removes the vertices that are
//! nearer to it than to their sites. Removed triangles are glued along arcs that vanish whole, always as a tree, and
//! the polygon that they form is filled by a fan from the segment.
//! A half-edge is a number: 3 · triangle + corner, the arc opposite to the corner. Corners run counter-clockwise.
//! Guarantees: rounding changes positions, never the structure. As a tree of n triangles has n + 2 edges on its border
//! and no corner inside, no site is lost, no step loops. Cost: the sum of the degrees of the ends and of removed
//! triangles; a few a segment if the order is random.

use super::curve::ArcCurve;
use super::site::{Site, Wall};
use super::vertex::{self, ClearVertex};
use heurt_geometry::Vec2;

/// No number.
const NONE: u32 = u32::MAX;
/// Shares of the clearance by which rounding may hide that a vertex vanishes. Larger values are taken only if the
/// vertices removed do not lead from one end of a segment to its second end.
const SLACKS: [f64; 4] = [0.0, 1e-14, 1e-11, 1e-8];

pub(super) struct DualGraph {
    pub(super) sites: Vec<Site>,
    /// The site opposite to a half-edge.
    pub(super) corner: Vec<u32>,
    pub(super) twin: Vec<u32>,
    /// Position and clearance of each triangle's vertex.
    pub(super) vertices: Vec<ClearVertex>,
    /// The triangle beyond the frame: its vertex is at infinity.
    pub(super) outer: u32,
    /// Extent of the frame.
    size: f64,
    /// A half-edge opposite to each site.
    half_edge_of: Vec<u32>,
    /// The round in which a triangle was removed last.
    stamp: Vec<u32>,
    round: u32,
    /// The place of a half-edge on the border of the removed triangles.
    slot: Vec<u32>,
}

/// The half-edge after another one in its triangle.
pub(super) fn next(half_edge: u32) -> u32 {
    if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
}

impl DualGraph {
    /// Starts from Delaunay triangles of sites that are points. The last three points are the frame.
    pub(super) fn new(sites: Vec<Site>, mut triangles: Vec<[u32; 3]>, frame: [u32; 3], size: f64) -> Self {
        let outer = triangles.len() as u32;
        triangles.push([frame[0], frame[2], frame[1]]);
        let corner: Vec<u32> = triangles.iter().flatten().copied().collect();
        let mut sides: Vec<(u32, u32, u32)> = (0..corner.len() as u32)
            .map(|h| {
                let (p, q) = (corner[next(h) as usize], corner[next(next(h)) as usize]);
                (p.min(q), p.max(q), h)
            })
            .collect();
        sides.sort_unstable();
        let mut twin = vec![NONE; corner.len()];
        for pair in sides.chunks_exact(2) {
            twin[pair[0].2 as usize] = pair[1].2;
            twin[pair[1].2 as usize] = pair[0].2;
        }
        let mut half_edge_of = vec![NONE; sites.len()];
        (0u32..).zip(&corner).for_each(|(h, &site)| half_edge_of[site as usize] = h);
        let vertices = triangles.iter().map(|&corners| vertex::of_points(&sites, corners)).collect();
        let (stamp, slot) = (vec![0; triangles.len()], vec![NONE; corner.len()]);
        Self { sites, corner, twin, vertices, outer, size, half_edge_of, stamp, round: 0, slot }
    }

    /// The two sites of an arc.
    pub(super) fn arc_sites(&self, half_edge: u32) -> [u32; 2] {
        [self.corner[next(half_edge) as usize], self.corner[next(next(half_edge)) as usize]]
    }

    pub(super) fn corners(&self, triangle: u32) -> [u32; 3] {
        [0, 1, 2].map(|k| self.corner[(3 * triangle + k) as usize])
    }

    /// The positions of the vertex of a half-edge's triangle, and of its neighbour; a far point for infinity.
    pub(super) fn arc_ends(&self, half_edge: u32) -> [Vec2; 2] {
        let [from, to] = [half_edge / 3, self.twin[half_edge as usize] / 3];
        let at = |triangle: u32| self.vertices[triangle as usize].at;
        if to != self.outer {
            return [at(from), at(to)];
        }
        let ends = self.arc_sites(half_edge).map(|site| self.sites[site as usize].foot(Vec2::ZERO));
        let outward = (ends[1] - ends[0]).perp().normalize_or_zero();
        let outward = if outward.dot(ends[0]) < 0.0 { -outward } else { outward };
        [at(from), at(from) + outward * (1000.0 * self.size)]
    }

    pub(super) fn curve(&self, half_edge: u32) -> ArcCurve {
        ArcCurve::between(&self.sites, self.arc_sites(half_edge), self.arc_ends(half_edge))
    }

    /// The half-edges opposite to a site, counter-clockwise around it.
    pub(super) fn around(&self, site: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.half_edge_of[site as usize];
        let mut following = (first != NONE).then_some(first);
        std::iter::from_fn(move || {
            let here = following?;
            let turned = next(self.twin[next(here) as usize]);
            following = (turned != first).then_some(turned);
            Some(here)
        })
    }

    /// Inserts a segment whose ends are in the graph.
    pub(super) fn insert(&mut self, wall: Wall) {
        let site = self.sites.len() as u32;
        let (mut border, mut removed) = (Vec::new(), Vec::new());
        for slack in SLACKS {
            self.remove_nearer(&wall, slack, &mut border, &mut removed);
            let has = |end: u32| border.iter().any(|&h| self.corner[next(h) as usize] == end);
            if wall.ends.into_iter().all(has) {
                break;
            }
        }
        self.sites.push(Site::Segment(wall));
        self.half_edge_of.push(NONE);
        let new: Vec<ClearVertex> = border.iter().map(|&h| vertex::on_arc(self, h, site, &wall)).collect();
        self.fill(site, &border, &removed, &new);
    }

    pub(super) fn was_removed(&self, triangle: u32) -> bool {
        self.stamp[triangle as usize] == self.round
    }

    /// Collects the triangles whose vertices vanish, and their border, counter-clockwise.
    fn remove_nearer(&mut self, wall: &Wall, slack: f64, border: &mut Vec<u32>, removed: &mut Vec<u32>) {
        self.round += 1;
        border.clear();
        removed.clear();
        let first = self.first_removed(wall, slack);
        self.stamp[first as usize] = self.round;
        removed.push(first);
        let mut open = vec![3 * first + 2, 3 * first + 1, 3 * first];
        while let Some(half_edge) = open.pop() {
            let back = self.twin[half_edge as usize];
            let beyond = back / 3;
            if !self.was_removed(beyond)
                && self.vanishes(beyond, wall, slack)
                && self.free_part(half_edge, wall).is_none()
            {
                self.stamp[beyond as usize] = self.round;
                removed.push(beyond);
                open.extend([next(next(back)), next(back)]);
            } else {
                border.push(half_edge);
            }
        }
    }

    /// The triangle at the first end that is the most in front of the segment.
    fn first_removed(&self, wall: &Wall, slack: f64) -> u32 {
        let mut best = (f64::NEG_INFINITY, self.half_edge_of[wall.ends[0] as usize] / 3);
        for half_edge in self.around(wall.ends[0]) {
            let triangle = half_edge / 3;
            let offset = self.vertices[triangle as usize].at - wall.start;
            let cosine = offset.dot(wall.direction) / offset.length();
            let bonus = if self.vanishes(triangle, wall, slack) { 2.0 } else { 0.0 };
            let score = bonus + if cosine.is_nan() { -1.0 } else { cosine };
            if score > best.0 && triangle != self.outer {
                best = (score, triangle);
            }
        }
        best.1
    }

    /// Replaces the removed triangles by a fan from the new site.
    fn fill(&mut self, site: u32, border: &[u32], removed: &[u32], new: &[ClearVertex]) {
        let count = border.len();
        (0u32..).zip(border).for_each(|(place, &h)| self.slot[h as usize] = place);
        let mut free: Vec<u32> = removed.to_vec();
        while free.len() < count {
            free.push(self.stamp.len() as u32);
            self.stamp.push(0);
            self.vertices.push(ClearVertex::default());
            for _ in 0..3 {
                self.corner.push(NONE);
                self.twin.push(NONE);
                self.slot.push(NONE);
            }
        }
        let sides: Vec<[u32; 2]> = border.iter().map(|&h| self.arc_sites(h)).collect();
        let outside: Vec<u32> = border
            .iter()
            .map(|&h| {
                let back = self.twin[h as usize];
                let is_inside = self.was_removed(back / 3);
                if is_inside { 3 * free[self.slot[back as usize] as usize] } else { back }
            })
            .collect();
        for place in 0..count {
            let (base, after) = (3 * free[place], 3 * free[(place + 1) % count]);
            let [from, to] = sides[place];
            self.vertices[free[place] as usize] = new[place];
            for (k, corner) in (0..).zip([site, from, to]) {
                self.corner[(base + k) as usize] = corner;
            }
            self.half_edge_of[from as usize] = base + 1;
            self.link(base, outside[place]);
            self.link(base + 1, after + 2);
        }
        self.half_edge_of[site as usize] = 3 * free[0];
    }

    fn link(&mut self, a: u32, b: u32) {
        self.twin[a as usize] = b;
        self.twin[b as usize] = a;
    }
}
