//! Contact manifold of two touching convex shapes, seen along the contact normal: the facing feature of one shape is
//! cut by the outline of the facing feature of the opposite shape (Sutherland and Hodgman 1974).
//!
//! In: the facing feature of each shape ([`Facing`]), and the normal. Out: points on both surfaces with the features
//! that make them.
//! Method: a face cuts a face or an edge, seen along the normal; an edge cuts an edge along which it runs. Features may
//! be tilted: a rod that leans over a plate has a point at each end, with the gap there. All other pairs touch in
//! one point, which the caller finds. A corner within a given rounding error of the line of a cutting edge counts as on
//! it. It is kept as it is and creates no crossing, so that the number of points does not depend on the last bits of
//! coordinates.
//! Guarantees: no point has a gap below the distance of the shapes along the normal, up to rounding, at any tilt:
//! both shapes lie on their sides of a slab across it.

use super::half_space::foot_of_plane;
use crate::answer::feature::Feature;
use crate::convex::support::along_axes;
use heurt_geometry::{Pose, Vec3, scaled_to_unit_range};
use heurt_shape::{Convex, Core, Hull, Round};
use smallvec::SmallVec;
use std::f64::consts::TAU;

/// Maximum sine by which a face is off facing along the normal, or an edge off running across it, for the whole feature
/// to touch: beyond it, a single point is named by its corner.
const ALIGNED: f64 = 0.02;
/// Maximum sine by which a face that cuts is off facing along the normal: 14°. A rod of 1 m that tips over the border
/// of a plate comes nearer by 9 cm in a step of 1/60 s, which is a sine of 0.09.
const TILTED: f64 = 0.25;
/// Faces whose sines differ by less than this are equally askew: a sine is the root of the rounding error of a cosine,
/// at most 4e-8.
pub(crate) const AS_ASKEW: f64 = 1e-7;
/// Maximum sine at which a face or an edge counts; beyond it only the lowest corner does.
const ASKEW: f64 = 0.7;
/// Maximum distance of a point from a corner of the outline that it is named by, in rounding errors of points: two cuts
/// at the angle of a polygon of 40 corners magnify an error by 6.4.
const AT_CORNER: f64 = 16.0;
/// Number of corners of the outline of a round face.
const ROUND_CORNERS: usize = 16;

/// The facing feature of a shape: the corners of a face in order, or the ends of an edge.
#[derive(Debug, Clone)]
pub(crate) struct Facing<'a> {
    corners: FaceCorners<'a>,
    face: Option<(Vec3, Feature)>,
    /// The sine of the angle between the face and the plane across the normal.
    askew: f64,
    margin: f64,
}

/// The corners of a face in order, or the ends of an edge. Corners of hulls are placed on demand, because most contacts
/// need none.
#[derive(Debug, Clone)]
enum FaceCorners<'a> {
    Face(&'a Hull, &'a Pose, &'a [u32]),
    Edge(&'a Hull, &'a Pose, [u32; 2]),
    Placed(Vec<(Vec3, Feature)>),
}

impl FaceCorners<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Face(_, _, names) => names.len(),
            Self::Edge(..) => 2,
            Self::Placed(corners) => corners.len(),
        }
    }

    fn at(&self, k: usize) -> (Vec3, Feature) {
        let placed =
            |hull: &Hull, pose: &Pose, name: u32| (pose.place(hull.corners()[name as usize]), Feature::Corner(name));
        match self {
            Self::Face(hull, pose, names) => placed(hull, pose, names[k]),
            Self::Edge(hull, pose, ends) => placed(hull, pose, ends[k]),
            Self::Placed(corners) => corners[k],
        }
    }
}

/// A place at which both shapes are within reach of each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Common {
    pub on_a: Vec3,
    pub on_b: Vec3,
    pub separation: f64,
    pub features: [Feature; 2],
}

/// The names of points where an outline cuts an edge that an earlier cut has shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// The name of the end at which the traversal of the polygon comes first: a corner, or the edge.
    ByFirstEnd,
    /// The name of the edge, for any direction of the traversal; the ends of edges ascend, and a corner over the
    /// opposite face is a corner and a face. Names do not depend on which of two faces cuts which.
    ByEdges,
}

impl<'a> Facing<'a> {
    /// Finds the feature that faces `towards` (a unit vector of the world); `None` if it is a corner or a place of a
    /// curved face.
    pub(crate) fn of(shape: &'a Convex, pose: &'a Pose, towards: Vec3) -> Option<Self> {
        let local = along_axes(pose, towards);
        let mut found = match shape.core() {
            Core::Hull(hull) => of_hull(hull, pose, local),
            Core::Round(round) => of_round(round, pose, local),
            Core::HalfSpace { normal, offset } => Some(plane(*normal, *offset, pose, towards)),
        };
        if let Some(found) = &mut found {
            found.margin = shape.margin();
        }
        found
    }

    /// Returns the outward normal of the face, its name, and the sine of its angle to the plane across the direction.
    pub(crate) fn face(&self) -> Option<(Vec3, Feature, f64)> {
        self.face.map(|(normal, name)| (normal, name, self.askew))
    }

    /// Reports whether the whole feature touches what it faces.
    pub(crate) fn is_aligned(&self) -> bool {
        self.askew <= ALIGNED
    }

    fn can_cut(&self) -> bool {
        self.face.is_some() && self.askew <= TILTED
    }

    /// Tests whether the face is a plane without an outline: the point that represents it may not be cut.
    fn is_endless(&self) -> bool {
        self.face.is_some() && self.corners.len() == 1
    }

    fn feature(&self) -> Feature {
        match (self.face, &self.corners) {
            (Some((_, feature)), _) => feature,
            (None, FaceCorners::Edge(_, _, [from, to])) => Feature::Edge(*from, *to),
            _ => Feature::Edge(0, 1),
        }
    }
}

fn of_hull<'a>(hull: &'a Hull, pose: &'a Pose, local: Vec3) -> Option<Facing<'a>> {
    // The facing feature has the support point, or a corner that is as far up to rounding, among its corners.
    let farthest = hull.support(local);
    let cosine = |number: u32| hull.facets()[number as usize].normal.dot(local);
    let most = |best: Option<(f64, u32)>, number: u32| {
        let cosine = cosine(number);
        if best.is_none_or(|(most, _)| cosine > most) { Some((cosine, number)) } else { best }
    };
    let best = match hull.facets_about(farthest) {
        // The corner lies within a facet, up to rounding.
        [] => (0..hull.facets().len() as u32).fold(None, most),
        about => about.iter().copied().fold(None, most),
    };
    if let Some((cosine, number)) = best {
        let askew = (1.0 - cosine * cosine).max(0.0).sqrt();
        if cosine > 0.0 && askew <= ASKEW {
            let facet = &hull.facets()[number as usize];
            let face = Some((*pose.rotation() * facet.normal, Feature::Face(number)));
            return Some(Facing { corners: FaceCorners::Face(hull, pose, &facet.corners), face, askew, margin: 0.0 });
        }
    }
    // The edge that runs most across the direction, among the edges at the most distant corner.
    let from = hull.corners()[farthest as usize];
    let mut best: Option<(f64, u32)> = None;
    for &other in hull.neighbours(farthest) {
        let along = scaled_to_unit_range(hull.corners()[other as usize] - from).normalize_or_zero();
        let sine = along.dot(local).abs();
        if sine <= ASKEW && best.is_none_or(|(least, _)| sine < least) {
            best = Some((sine, other));
        }
    }
    let (askew, other) = best?;
    let ends = [farthest.min(other), farthest.max(other)];
    Some(Facing { corners: FaceCorners::Edge(hull, pose, ends), face: None, askew, margin: 0.0 })
}

fn of_round(round: &Round, pose: &Pose, local: Vec3) -> Option<Facing<'static>> {
    let (radius, half_height, top) = match *round {
        Round::Cylinder { radius, half_height } => (radius, half_height, radius),
        Round::Cone { radius, half_height } => (radius, half_height, 0.0),
        Round::Ellipsoid { .. } | Round::Superellipsoid { .. } => return None,
    };
    let aside = (local.x * local.x + local.y * local.y).sqrt();
    let has_face = local.z < 0.0 || top > 0.0;
    if has_face && aside <= ASKEW {
        let z = half_height.copysign(local.z);
        let turn = local.z.signum();
        // The outline begins at the lowest point of the face.
        let start = libm::atan2(local.y, local.x);
        let corner = |k: usize| {
            let angle = start + turn * TAU * k as f64 / ROUND_CORNERS as f64;
            (
                pose.place(Vec3::new(radius * libm::cos(angle), radius * libm::sin(angle), z)),
                Feature::Edge(k as u32, u32::from(z > 0.0)),
            )
        };
        let face = Some((*pose.rotation() * Vec3::Z * turn, Feature::Face(u32::from(z > 0.0))));
        let corners = FaceCorners::Placed((0..ROUND_CORNERS).map(corner).collect());
        return Some(Facing { corners, face, askew: aside, margin: 0.0 });
    }
    if aside == 0.0 {
        return None;
    }
    let (x, y) = (local.x / aside, local.y / aside);
    let ends = [Vec3::new(x * radius, y * radius, -half_height), Vec3::new(x * top, y * top, half_height)];
    let along = scaled_to_unit_range(ends[1] - ends[0]).normalize_or_zero();
    let askew = along.dot(local).abs();
    let corner = |k: usize| (pose.place(ends[k]), Feature::Edge(k as u32, 0));
    (askew <= ASKEW).then(|| Facing {
        corners: FaceCorners::Placed([0, 1].map(corner).into()),
        face: None,
        askew,
        margin: 0.0,
    })
}

/// Builds a face without an outline.
fn plane(normal: Vec3, offset: f64, pose: &Pose, towards: Vec3) -> Facing<'static> {
    let (_, foot) = foot_of_plane(normal, offset);
    let corners = FaceCorners::Placed(vec![(pose.place(foot), Feature::Face(0))]);
    Facing { corners, face: Some((towards, Feature::Face(0))), askew: 0.0, margin: 0.0 }
}

/// Returns the feature of a shape that is most distant along a direction, given its facing feature.
pub(crate) fn feature_towards(facing: Option<&Facing<'_>>, shape: &Convex, pose: &Pose, towards: Vec3) -> Feature {
    match (facing, shape.core()) {
        (Some(facing), _) if facing.is_aligned() => facing.feature(),
        (_, Core::Hull(hull)) => Feature::Corner(hull.support(along_axes(pose, towards))),
        _ => Feature::Curved,
    }
}

/// Reports the corners of the common part of the facing features. `normal` points from A to B; `rounding` is the error
/// of coordinates in metres.
pub(crate) fn common_part(
    a: &Facing<'_>,
    b: &Facing<'_>,
    normal: Vec3,
    rounding: f64,
    naming: Naming,
    found: impl FnMut(Common),
) {
    let is_first = a.is_endless() || !b.is_endless() && a.askew <= b.askew + AS_ASKEW;
    let a_cuts = a.can_cut() && (!b.can_cut() || is_first);
    if a_cuts {
        cut((a, b), normal, rounding, (false, naming), found);
    } else if b.can_cut() {
        cut((b, a), -normal, rounding, (true, naming), found);
    } else if a.face.is_none() && b.face.is_none() {
        along_each_other(a, b, normal, rounding, found);
    }
}

/// Cuts the feature that faces `level` by the outline of `level`; `normal` leads away from `level`. The operands are
/// swapped if `level` belongs to B.
pub(crate) fn cut(
    (level, other): (&Facing<'_>, &Facing<'_>),
    normal: Vec3,
    rounding: f64,
    (is_swapped, naming): (bool, Naming),
    mut found: impl FnMut(Common),
) {
    let Some((face_normal, face)) = level.face else { return };
    let (mut part, mut rest) = (&mut Part::new(), &mut Part::new());
    let corners = (0..other.corners.len()).map(|k| other.corners.at(k));
    part.extend(corners.map(|(corner, feature)| (corner, [face, feature])));
    let is_loop = other.face.is_some();
    let outline = &level.corners;
    if outline.len() >= 3 {
        let (mut from, mut name) = outline.at(0);
        for k in 1..=outline.len() {
            let (to, next) = outline.at(if k < outline.len() { k } else { 0 });
            let edge = match (name, next) {
                (Feature::Corner(from), Feature::Corner(to)) if naming == Naming::ByEdges => edge_between(from, to),
                (Feature::Corner(from), Feature::Corner(to)) => Feature::Edge(from, to),
                (other, _) => other,
            };
            let inward = normal.cross(scaled_to_unit_range(to - from));
            let on_line = rounding * inward.length();
            // The name of a place on the line of two edges of the outline.
            let at_corner = |place: Vec3| {
                let off = |corner: Vec3| face_normal.cross(place - corner).abs().max_element();
                let (_, opposite) = other.face?;
                let corner = [(from, name), (to, next)].into_iter().find(|end| off(end.0) <= AT_CORNER * rounding)?;
                Some([corner.1, opposite])
            };
            cut_by_plane(
                part,
                rest,
                is_loop,
                |point| inward.dot(point - from),
                on_line,
                |point, ends| match naming {
                    Naming::ByFirstEnd => [edge, along_first(ends)],
                    Naming::ByEdges if ends.iter().any(|end| end[0] == face) => [edge, along_edge(ends)],
                    Naming::ByEdges => at_corner(point).unwrap_or_else(|| [edge, along_edge(ends)]),
                },
            );
            std::mem::swap(&mut part, &mut rest);
            (from, name) = (to, next);
        }
    }
    let (start, _) = outline.at(0);
    let steep = face_normal.dot(normal);
    // The surface is parallel to the face at the distance of the margin.
    let margin = level.margin / steep;
    for &(point, features) in &*part {
        let height = face_normal.dot(point - start) / steep;
        let on_level = point - normal * (height - margin);
        let on_other = point - normal * other.margin;
        let separation = height - margin - other.margin;
        let (on_a, on_b) = if is_swapped { (on_other, on_level) } else { (on_level, on_other) };
        let features = if is_swapped { [features[1], features[0]] } else { features };
        found(Common { on_a, on_b, separation, features });
    }
}

type Part = SmallVec<[(Vec3, [Feature; 2]); 16]>;

/// Keeps the points of a polygon, or of a segment, whose height is at least 0. Heights up to `on_line` in magnitude
/// count as 0. `name` returns the features of a crossing from those of both ends of its segment.
fn cut_by_plane(
    part: &Part,
    kept: &mut Part,
    is_loop: bool,
    height: impl Fn(Vec3) -> f64,
    on_line: f64,
    name: impl Fn(Vec3, [[Feature; 2]; 2]) -> [Feature; 2],
) {
    kept.clear();
    let height = |point: Vec3| {
        let height = height(point);
        if height.abs() <= on_line { 0.0 } else { height }
    };
    let Some(&(first, of_first)) = part.first() else { return };
    let at_first = height(first);
    let (mut here, mut features, mut at_here) = (first, of_first, at_first);
    for k in 0..part.len() {
        if at_here >= 0.0 {
            kept.push((here, features));
        }
        let (there, of_there, at_there) = match part.get(k + 1) {
            Some(&(there, of_there)) => (there, of_there, height(there)),
            None if is_loop => (first, of_first, at_first),
            None => break,
        };
        if at_here > 0.0 && at_there < 0.0 || at_here < 0.0 && at_there > 0.0 {
            let crossing = here + (there - here) * (at_here / (at_here - at_there));
            kept.push((crossing, name(crossing, [features, of_there])));
        }
        (here, features, at_here) = (there, of_there, at_there);
    }
}

fn edge_between(from: u32, to: u32) -> Feature {
    Feature::Edge(from.min(to), from.max(to))
}

/// Returns the feature along which a crossing lies, by the first end of its segment.
fn along_first([from, to]: [[Feature; 2]; 2]) -> Feature {
    match (from[1], to[1]) {
        (Feature::Corner(from), Feature::Corner(to)) => edge_between(from, to),
        (name, _) => name,
    }
}

/// Returns the feature along which a crossing lies, for any direction of its segment.
fn along_edge(ends: [[Feature; 2]; 2]) -> Feature {
    match (ends[0][1], ends[1][1]) {
        (Feature::Corner(_), name @ Feature::Edge(..)) => name,
        _ => along_first(ends),
    }
}

/// Reports the ends of the segment that two edges along each other share, seen along the normal, or one point if it is
/// no longer than `rounding`; nothing if the edges cross.
fn along_each_other(a: &Facing<'_>, b: &Facing<'_>, normal: Vec3, rounding: f64, mut found: impl FnMut(Common)) {
    if [a, b].iter().any(|facing| facing.corners.len() != 2) {
        return;
    }
    let [a0, a1, b0, b1] = [(a, 0), (a, 1), (b, 0), (b, 1)].map(|(facing, k)| facing.corners.at(k).0);
    let [along, other] = [a1 - a0, b1 - b0].map(|offset| scaled_to_unit_range(offset).normalize_or_zero());
    // Along the first edge, across the normal: the edges may be tilted, but they do not cross as they are seen.
    let course = (along - normal * along.dot(normal)).normalize_or_zero();
    if along.cross(other).dot(normal).abs() > ALIGNED || course == Vec3::ZERO || other == Vec3::ZERO {
        return;
    }
    let place = |point: Vec3| course.dot(point - a0);
    let (low, high) = (place(b0).min(place(b1)), place(b0).max(place(b1)));
    let (low, high) = (low.max(0.0), high.min(place(a1)));
    if low > high + rounding {
        return;
    }
    let (low, high) = if high - low <= rounding { (low.midpoint(high), None) } else { (low, Some(high)) };
    for at in std::iter::once(low).chain(high) {
        let on_a = a0 + along * (at / along.dot(course));
        let on_b = b0 + other * ((at - place(b0)) / other.dot(course));
        let separation = normal.dot(on_b - on_a) - a.margin - b.margin;
        found(Common {
            on_a: on_a + normal * a.margin,
            on_b: on_b - normal * b.margin,
            separation,
            features: [a.feature(), b.feature()],
        });
    }
}
