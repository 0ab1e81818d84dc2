//! Convex cover of a part: a convex mesh that provably contains it.
//!
//! In: a part, whose vertices are real points known up to their error bound, the doubt. Out: the triangles of a convex
//! polyhedron that contains these points, and how much it was grown.
//! Method: the hull of the rounded positions. If some vertices have a doubt, their hull corners are moved outward from
//! the middle, until a small ball around each fits inside. Then every corner of every box of doubt is tested
//! against every facet, exactly. If one is outside, the corners are moved farther; as a last resort the corners of the
//! boxes themselves are used. Corners with a doubt that lie nearly in the hull of their neighbours are removed first: a
//! cut is flat up to rounding, and its points would all be corners.
//! Guarantees: the containment above; without doubt, the hull is exact. Cost: the hull, and corners with a doubt times
//! facets.

use heurt_geometry::{Aabb, ConvexHull, Sign, Triangle, Vec3, orient3d};

use super::part::{ConvexPart, MADE};

/// Share of the distance from the middle: a corner with a doubt that rises above the hull of the rest by less is
/// removed.
const HAIR: f64 = 1.0 / (1u64 << 41) as f64;
/// Limit of the growth, as a share: a larger one would be visible.
const MAX_GROWTH: f64 = 1e-8;
/// Limit of doublings of the growth.
const TRIES: usize = 12;
/// Grid of moved corners: multiples of this, so that they are exact in another unit of length.
const GRAIN: f64 = 1.0 / (1u64 << 60) as f64;

/// A convex mesh in the frame of the decomposition.
#[derive(Debug, Clone)]
pub(super) struct Cover {
    pub(super) places: Vec<Vec3>,
    /// The numbers of the vertices in the mesh, or [`MADE`].
    pub(super) origins: Vec<u32>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// No point is farther than this from the hull of the real points.
    pub(super) growth: f64,
}

impl Cover {
    /// Covers a part; `None` if it is flat.
    pub(super) fn of(part: &ConvexPart) -> Option<Self> {
        let places = part.places();
        let doubt = part.vertices.iter().map(|vertex| vertex.doubt).fold(0.0, f64::max);
        let hull = ConvexHull::new(&places).ok()?;
        if doubt == 0.0 {
            return Self::of_hull(&places, &hull, |k| part.vertices[k].origin, 0.0);
        }
        Self::grown(part, &places, &hull, doubt).or_else(|| Self::boxed(part))
    }

    /// Computes the convex hull of `points`, some of which are vertices of the mesh.
    pub(super) fn of_points(points: &[Vec3], origins: &[u32], growth: f64) -> Option<Self> {
        Self::of_hull(points, &ConvexHull::new(points).ok()?, |k| origins[k], growth)
    }

    fn of_hull(points: &[Vec3], hull: &ConvexHull, origin: impl Fn(usize) -> u32, growth: f64) -> Option<Self> {
        let corners = hull.vertices();
        let number = |corner: u32| corners.binary_search(&corner).unwrap_or(0) as u32;
        let triangles: Vec<[u32; 3]> = hull.triangles().iter().map(|triangle| triangle.map(number)).collect();
        let places = corners.iter().map(|&corner| points[corner as usize]).collect();
        let origins = corners.iter().map(|&corner| origin(corner as usize)).collect();
        (!triangles.is_empty()).then_some(Self { places, origins, triangles, growth })
    }

    /// Returns the corners of each triangle.
    pub(super) fn corners(&self) -> Vec<Triangle> {
        self.triangles.iter().map(|triangle| triangle.map(|corner| self.places[corner as usize])).collect()
    }

    /// Computes six times its volume, rounded.
    pub(super) fn sextuple_volume(&self) -> f64 {
        sextuple_volume(&self.places, &self.triangles)
    }

    /// Moves corners with a doubt outward until all boxes of doubt are contained; `None` if that takes too much.
    fn grown(part: &ConvexPart, places: &[Vec3], hull: &ConvexHull, doubt: f64) -> Option<Self> {
        let corners = hull.vertices();
        let middle = corners.iter().fold(Vec3::ZERO, |sum, &k| sum + places[k as usize]) / corners.len() as f64;
        let reach = corners.iter().map(|&k| (places[k as usize] - middle).length()).fold(0.0, f64::max);
        let depth = depth_below(middle, places, hull)?;
        let kept = without_crumbs(part, places, hull, middle);
        // A ball of radius depth · share / (1 + share) around the old position is in the hull of the new one and the
        // inner ball.
        let mut share = 2.0 * (2.0 * doubt + HAIR * reach) / depth;
        for _ in 0..TRIES {
            if share > MAX_GROWTH {
                return None;
            }
            let moved: Vec<Vec3> = kept.iter().map(|&k| out_from(middle, part, k, share)).collect();
            let origins: Vec<u32> = kept.iter().map(|&k| part.vertices[k as usize].origin).collect();
            let growth = share * reach + 4.0 * doubt;
            let cover = Self::of_points(&moved, &origins, growth)?;
            if cover.holds_boxes(part) {
                return Some(cover);
            }
            share *= 2.0;
        }
        None
    }

    /// Computes the hull of the boxes of doubt.
    fn boxed(part: &ConvexPart) -> Option<Self> {
        let (mut points, mut origins) = (Vec::new(), Vec::new());
        let mut growth = 0.0f64;
        for vertex in &part.vertices {
            if vertex.doubt == 0.0 {
                points.push(vertex.place);
                origins.push(vertex.origin);
            } else {
                let room = box_about(vertex.place, vertex.doubt);
                points.extend(room.corners());
                origins.extend([MADE; 8]);
                growth = growth.max(4.0 * vertex.doubt);
            }
        }
        Self::of_points(&points, &origins, growth)
    }

    /// Reports exactly whether every box of doubt lies in the hull.
    fn holds_boxes(&self, part: &ConvexPart) -> bool {
        let facets: Vec<CoverFacet> = self.corners().into_iter().map(CoverFacet::new).collect();
        let mut vertices = part.vertices.iter();
        // A vertex without doubt that is no corner of the hull is one of the points from which the hull was computed.
        vertices.all(|vertex| {
            let room = box_about(vertex.place, vertex.doubt);
            vertex.doubt == 0.0 || facets.iter().all(|facet| facet.is_above(&room, vertex.place))
        })
    }
}

/// Returns the position of a vertex, moved away from `middle` if it has a doubt.
fn out_from(middle: Vec3, part: &ConvexPart, k: u32, share: f64) -> Vec3 {
    let vertex = &part.vertices[k as usize];
    if vertex.doubt == 0.0 {
        return vertex.place;
    }
    (vertex.place + (vertex.place - middle) * share).map(|x| (x / GRAIN).round() * GRAIN)
}

/// Returns the box of a real point, on the same grid.
fn box_about(place: Vec3, doubt: f64) -> Aabb {
    let down = (place - Vec3::splat(doubt)).map(|x| (x / GRAIN).floor() * GRAIN);
    let up = (place + Vec3::splat(doubt)).map(|x| (x / GRAIN).ceil() * GRAIN);
    Aabb { min: down, max: up }
}

/// A facet with its rounded normal.
struct CoverFacet {
    corners: Triangle,
    normal: Vec3,
    /// Bound on the rounding error of a height along the normal, times its length.
    doubt: f64,
}

impl CoverFacet {
    fn new(corners: Triangle) -> Self {
        let [a, b, c] = corners;
        // Products of lengths below 4, each rounded a few times.
        let doubt = 256.0 * f64::EPSILON * (b - a).length() * (c - a).length();
        Self { corners, normal: (b - a).cross(c - a), doubt }
    }

    /// Reports exactly whether the whole box is on or below its plane.
    fn is_above(&self, room: &Aabb, centre: Vec3) -> bool {
        let half = (room.max - room.min).max_element();
        let height = self.normal.dot(centre - self.corners[0]) + self.normal.abs().element_sum() * half;
        let [a, b, c] = self.corners;
        height < -self.doubt || room.corners().iter().all(|&corner| orient3d(a, b, c, corner) != Sign::Positive)
    }
}

/// Computes six times the volume of the polyhedron, rounded.
pub(super) fn sextuple_volume(points: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let Some(&origin) = points.first() else { return 0.0 };
    let tetrahedron = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| points[corner as usize] - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(tetrahedron).sum()
}

/// Returns a lower bound of the depth of `middle` below the facets; `None` if it is not inside.
fn depth_below(middle: Vec3, places: &[Vec3], hull: &ConvexHull) -> Option<f64> {
    let depth = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| places[corner as usize]);
        let normal = (b - a).cross(c - a);
        normal.dot(a - middle) / normal.length()
    };
    // A needle has no accurate normal, and its neighbours represent it.
    let depths = hull.triangles().iter().map(depth).filter(|depth| depth.is_finite());
    let least = depths.fold(f64::INFINITY, f64::min);
    (least > 0.0 && least < f64::INFINITY).then_some(least)
}

/// Returns the corners of the hull, without corners with a doubt that lie nearly in the hull of the rest; no two
/// neighbours are removed in one iteration.
fn without_crumbs(part: &ConvexPart, places: &[Vec3], hull: &ConvexHull, middle: Vec3) -> Vec<u32> {
    let mut kept = hull.vertices().to_vec();
    let mut triangles = hull.triangles().to_vec();
    // Each iteration removes corners, or is the last.
    loop {
        let (goes, count) = crumbs(part, places, &triangles, &kept, middle);
        if count == 0 {
            return kept;
        }
        kept.retain(|k| !goes[*k as usize]);
        let left: Vec<Vec3> = kept.iter().map(|&k| places[k as usize]).collect();
        let Ok(next) = ConvexHull::new(&left) else { return kept };
        if next.triangles().is_empty() {
            return kept;
        }
        triangles = next.triangles().iter().map(|triangle| triangle.map(|corner| kept[corner as usize])).collect();
        kept = next.vertices().iter().map(|&corner| kept[corner as usize]).collect();
    }
}

/// Finds the corners to remove, and their number.
fn crumbs(
    part: &ConvexPart,
    places: &[Vec3],
    triangles: &[[u32; 3]],
    corners: &[u32],
    middle: Vec3,
) -> (Vec<bool>, usize) {
    let mut spokes: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    spokes.sort_unstable();
    let (mut goes, mut count) = (vec![false; places.len()], 0);
    for &corner in corners {
        let first = spokes.partition_point(|spoke| spoke[0] < corner);
        let ring = || spokes[first..].iter().take_while(|spoke| spoke[0] == corner).map(|spoke| spoke[1]);
        if part.vertices[corner as usize].doubt == 0.0 || ring().any(|other| goes[other as usize]) {
            continue;
        }
        let place = places[corner as usize];
        let lowered = place + (middle - place) * HAIR;
        let around: Vec<Vec3> = ring().map(|other| places[other as usize]).chain([middle]).collect();
        let Ok(hull) = ConvexHull::new(&around) else { continue };
        let is_below = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|k| around[k as usize]);
            orient3d(a, b, c, lowered) != Sign::Positive
        };
        if !hull.triangles().is_empty() && hull.triangles().iter().all(is_below) {
            goes[corner as usize] = true;
            count += 1;
        }
    }
    (goes, count)
}
