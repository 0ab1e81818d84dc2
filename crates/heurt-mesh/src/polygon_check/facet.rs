//! Facet properties: its deviation from a plane, whether it is simple, and whether it is convex.

use heurt_geometry::{
    Aabb, Sign, Vec2, Vec3, is_degenerate, orient2d, orient3d, power_of_two_scale, robust_normalize, segments_intersect,
};

use crate::axis_projection::AxisProjection;
use crate::tree_query::BoxTree;

/// Limit of corners up to which facets are tested pair by pair: a tree costs more.
const FEW_CORNERS: usize = 16;

/// The properties of a facet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Facet {
    pub(super) corners: usize,
    pub(super) centre: Vec3,
    pub(super) bounds: Aabb,
    /// The largest distance of a corner from the plane; `None` if the facet encloses no area.
    pub(super) deviation: Option<f64>,
    /// All corners lie in one plane, exactly.
    pub(super) is_exactly_planar: bool,
    pub(super) is_planar: bool,
    /// Edges of it that meet elsewhere than in a common corner; `Ok(None)` if it is simple, `Err` if that is undecided.
    pub(super) crossing: Result<Option<[u32; 2]>, Undecided>,
    /// Two consecutive corners at one place.
    pub(super) repeats: Option<u32>,
    /// A corner that turns backward.
    pub(super) reflex: Option<u32>,
}

/// The budget of edge pairs was too small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Undecided;

impl Facet {
    /// Measures a facet by the representatives of its corners.
    pub(super) fn new(vertices: &[Vec3], corners: &[u32], tolerance: f64, budget: u64) -> Self {
        let places: Vec<Vec3> = corners.iter().map(|&vertex| vertices[vertex as usize]).collect();
        let count = places.len();
        let centre = places.iter().fold(Vec3::ZERO, |sum, &place| sum + place / count.max(1) as f64);
        let normal = newell_normal(&places, centre);
        let mut facet = Self {
            corners: count,
            centre,
            bounds: Aabb::from_points(places.iter().copied()),
            deviation: None,
            is_exactly_planar: is_exactly_planar(&places),
            is_planar: false,
            crossing: Ok(None),
            repeats: (0..count).find(|&k| count > 1 && corners[k] == corners[(k + 1) % count]).map(|k| k as u32),
            reflex: None,
        };
        let Some(normal) = normal else { return facet };
        let deviation = places.iter().map(|&place| normal.dot(place - centre).abs()).fold(0.0, f64::max);
        facet.deviation = Some(if facet.is_exactly_planar { 0.0 } else { deviation });
        facet.is_planar = facet.is_exactly_planar || deviation <= tolerance;
        let projection = AxisProjection::along(normal);
        let seen: Vec<Vec2> = places.iter().map(|&place| projection.apply(place)).collect();
        let turns = |k: usize| orient2d(seen[(k + count - 1) % count], seen[k], seen[(k + 1) % count]);
        facet.reflex = (0..count).find(|&k| turns(k) == Sign::Negative).map(|k| k as u32);
        facet.crossing = crossing(&seen, budget);
        facet
    }

    /// Reports whether the facet is simple.
    pub(super) fn is_simple(&self) -> bool {
        self.crossing == Ok(None) && self.repeats.is_none() && self.deviation.is_some()
    }

    /// Reports whether the facet is convex, in its projection.
    pub(super) fn is_convex(&self) -> bool {
        self.is_simple() && self.reflex.is_none()
    }
}

/// Computes the unit normal by Newell's sum, in units of the size of the facet so that products stay in range; `None`
/// if it is 0.
fn newell_normal(places: &[Vec3], centre: Vec3) -> Option<Vec3> {
    let size = places.iter().map(|&place| (place - centre).abs().max_element()).fold(0.0, f64::max);
    let unit = power_of_two_scale(size);
    let local = |place: Vec3| (place - centre) * unit;
    let pairs = places.iter().zip(places.iter().cycle().skip(1));
    robust_normalize(pairs.fold(Vec3::ZERO, |sum, (&a, &b)| sum + local(a).cross(local(b))))
}

/// Reports whether all places lie in one plane.
fn is_exactly_planar(places: &[Vec3]) -> bool {
    let Some(&a) = places.first() else { return true };
    let Some(&b) = places.iter().find(|&&place| place != a) else { return true };
    let Some(&c) = places.iter().find(|&&place| !is_degenerate(&[a, b, place])) else { return true };
    places.iter().all(|&place| orient3d(a, b, c, place) == Sign::Zero)
}

/// Finds the first pair of edges that meet elsewhere than in a common corner.
fn crossing(seen: &[Vec2], budget: u64) -> Result<Option<[u32; 2]>, Undecided> {
    let count = seen.len();
    let edge = |k: usize| [seen[k], seen[(k + 1) % count]].map(|point| Vec3::new(point.x, point.y, 0.0));
    let meets = |i: usize, k: usize| {
        let ([a, b], [c, d]) = (edge(i), edge(k));
        if (i + 1) % count == k {
            // Neighbours share a corner; they overlap if one folds back over its neighbour.
            folds_back(a, b, d)
        } else if (k + 1) % count == i {
            folds_back(c, d, b)
        } else {
            segments_intersect(a, b, c, d)
        }
    };
    if count <= FEW_CORNERS {
        let found = (0..count).find_map(|i| (i + 1..count).find(|&k| meets(i, k)).map(|k| [i as u32, k as u32]));
        return Ok(found);
    }
    let boxes: Vec<Aabb> = (0..count).map(|k| Aabb::from_points(edge(k))).collect();
    let tree = BoxTree::new(boxes.clone());
    let mut left = budget.max(count as u64 * 16);
    let mut near = Vec::new();
    for (i, bounds) in boxes.iter().enumerate() {
        near.clear();
        tree.meeting(bounds, &mut near);
        left = left.checked_sub(near.len() as u64).ok_or(Undecided)?;
        if let Some(&k) = near.iter().find(|&&k| k as usize > i && meets(i, k as usize)) {
            return Ok(Some([i as u32, k]));
        }
    }
    Ok(None)
}

/// Reports whether the path from a over b to c turns back along itself.
fn folds_back(a: Vec3, b: Vec3, c: Vec3) -> bool {
    is_degenerate(&[a, b, c]) && (b - a).dot(c - b) < 0.0
}
