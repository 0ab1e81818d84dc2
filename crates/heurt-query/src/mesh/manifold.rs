//! Contact manifold of two triangle surfaces: places at which the distance has a local minimum, each with its own
//! normal and features.
//!
//! In: two placed surfaces that are disjoint once B is moved by a shift, and a reach. Out: [`ContactPoint`]s, with
//! separations of the surfaces in their given poses, along the normal of each point.
//! Method: each pair of triangles within reach proposes its nearest points, its corners over the second face, the
//! places where its edges pass edges of the second triangle, and the ends of the overlap of two parallel edges. A
//! proposed place is kept if the distance of the surfaces has a local minimum there: all of the surface around its
//! corner or edge leads away from the opposite surface (within [`SLOPE`], so that parallel faces get all corners of
//! their overlap). Edges and corners within a plane count as part of the face, and of an edge over a face only its ends
//! count. So a point persists as long as its features are the nearest, however the surfaces are cut into triangles. For
//! overlapping surfaces the shift is the translation that separates them. They are compared in touching position, and
//! each point is deeper by that shift along its normal. Normals of deep contacts are therefore the normals of the
//! surfaces that touch at the end of the separating translation, and points of a hook have the normals of its sides.
//! Points whose separation exceeds a limit by no more than [`limit_rounding`] count as within the limit and are
//! reported at the limit. The set of contact points therefore never depends on the last bit of a coordinate. Faces
//! inside a solid, as overlapping shells have them, have no points (`solid_boundary`), as long as the mesh has not
//! moved.
//! Guarantees: at most [`MAX_POINTS`] points, sorted by separation and features. Fewer if a budget ends; pairs are
//! counted by the walk that lists them.

use crate::answer::budget::WorkMeter;
use crate::answer::contact::ContactPoint;
use crate::answer::feature::Feature;
use crate::answer::placed::{Placed, PlacedShape};
use crate::mesh::near_pairs::{Near, pairs_to_look_at};
use crate::mesh::solid_boundary::{is_on_boundary, solid_boundary};
use crate::triangle::distance::{nearest_points, separating_direction};
use heurt_geometry::{Pose, Triangle, Vec3, power_of_two_scale, robust_length, robust_normalize};
use heurt_shape::{Hull, MeshShape, SolidBoundary};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Sine of the largest angle at which a face or edge counts as parallel to another.
const SLOPE: f64 = 0.02;
/// Sine of the angle of normals below which faces count as coplanar.
const FLAT: f64 = 1e-9;
/// Relative rounding tolerance, as a share of the size of an edge or face.
const ROUNDING: f64 = 1e-9;
/// Limit of contact points.
const MAX_POINTS: usize = 32;

/// A placed surface of triangles, enlarged by a margin in metres.
#[derive(Clone, Copy)]
pub(crate) struct Surface<'a> {
    pub mesh: &'a MeshShape,
    pub pose: &'a Pose,
    pub margin: f64,
    /// The hull of which this is the surface, if any: features then name facets instead of triangles.
    pub hull: Option<&'a Hull>,
}

/// Finds the contact points of two surfaces within a budget of work.
pub(crate) fn near_points(surfaces: &[Surface<'_>; 2], near: &Near, meter: &WorkMeter<'_>) -> Vec<ContactPoint> {
    let [a, b] = surfaces;
    let Some(pose_b) = b.pose.translated(near.shift) else { return Vec::new() };
    let parted = Surface { pose: &pose_b, ..*b };
    let margins = a.margin + b.margin;
    let size = a.size() + b.size() + margins;
    let rounding = limit_rounding([a.placed(), b.placed()], near.shift);
    let placed = [Placed::new(a.mesh, a.pose), Placed::new(b.mesh, &pose_b)];
    let pairs = pairs_to_look_at(placed, near, (size, margins + rounding), meter);
    let (unit, origin) = (power_of_two_scale(size), a.pose.place(a.mesh.bounds().centre()));
    let sides = [SurfaceSide::new(a, origin, unit), SurfaceSide::new(&parted, origin, unit)];
    let mut found: Vec<ContactPoint> = Vec::new();
    for place in Proposals::of(&sides, &pairs, meter) {
        let SurfacePlace { on_a, on_b, normal, features, triangles } = place;
        let along_normal = normal.dot(on_b - on_a) / unit - margins;
        let separation = along_normal - normal.dot(near.shift);
        if along_normal <= near.most + rounding && separation <= near.margin + rounding {
            let separation = separation.min(near.margin);
            let on_a = on_a / unit + normal * a.margin;
            let on_b = on_b / unit - normal * b.margin - near.shift;
            let primitives = [a.primitive(triangles[0]), b.primitive(triangles[1])];
            let point = (on_a + on_b) * 0.5 + origin;
            found.push(ContactPoint { point, normal, separation, features, primitives });
        }
    }
    reduced(found, 1e-9 * size)
}

/// Bounds the rounding error of the separation of a contact point, in metres; B is moved by `shift`. Placed corners,
/// the unit of the search, heights over faces and the shift round at most 16 times each. 64 ulp of the largest
/// coordinate is the largest error that `contact` reports for polyhedra.
pub(crate) fn limit_rounding(placed: [PlacedShape<'_>; 2], shift: Vec3) -> f64 {
    let [of_a, of_b] = placed.map(|Placed { shape, pose }| shape.max_coordinate() + pose.max_translation());
    64.0 * f64::EPSILON * (of_a.max(of_b) + shift.abs().max_element()) + f64::MIN_POSITIVE
}

impl<'a> Surface<'a> {
    fn placed(&self) -> PlacedShape<'a> {
        PlacedShape::new(self.mesh.into(), self.pose)
    }

    pub(crate) fn of_mesh(mesh: &'a MeshShape, pose: &'a Pose) -> Self {
        Self { mesh, pose, margin: 0.0, hull: None }
    }

    fn size(&self) -> f64 {
        self.mesh.bounds().half_extents().max_element()
    }

    fn primitive(&self, triangle: u32) -> u32 {
        if self.hull.is_some() { 0 } else { triangle }
    }

    /// Finds the feature of a triangle at a place, if the surface around it leads away from `towards`.
    pub(crate) fn feature_that_faces(&self, triangle: u32, at: Vec3, towards: Vec3) -> Option<Feature> {
        let (unit, origin) = (power_of_two_scale(self.size()), self.pose.place(self.mesh.bounds().centre()));
        let side = SurfaceSide::new(self, origin, unit);
        let at = (at - origin) * unit;
        let feature = side.feature_at(triangle, at);
        let feature = side.face_of(feature).map_or(feature, Feature::Face);
        (side.faces(feature, at, towards) && side.is_on_boundary(triangle, at)).then_some(feature)
    }

    /// Lists the triangles around the corners of a triangle, some of them more than once.
    pub(crate) fn triangles_around(&self, triangle: u32) -> impl Iterator<Item = u32> + '_ {
        let stars = self.mesh.vertex_stars();
        let corners = self.mesh.mesh().triangles()[triangle as usize];
        corners.into_iter().flat_map(move |vertex| stars.round(stars.representative(vertex)).iter().copied())
    }
}

/// A place where both surfaces are near, in the unit of the search.
#[derive(Debug, Clone, Copy)]
struct SurfacePlace {
    on_a: Vec3,
    on_b: Vec3,
    /// From A to B.
    normal: Vec3,
    features: [Feature; 2],
    triangles: [u32; 2],
}

/// A surface relative to the origin of a search, in its unit.
struct SurfaceSide<'a> {
    surface: &'a Surface<'a>,
    origin: Vec3,
    unit: f64,
    /// 1 if faces are oriented outward, −1 if inward; 0 if both sides are outside.
    outward: f64,
    /// Pieces of faces on the boundary of the solid; `None` if all faces are.
    boundary: Option<&'a SolidBoundary>,
    /// Cache of the face around each requested vertex, if the vertex is within a plane.
    faces_about: RefCell<BTreeMap<u32, Option<u32>>>,
}

impl<'a> SurfaceSide<'a> {
    fn new(surface: &'a Surface<'a>, origin: Vec3, unit: f64) -> Self {
        let outward = match (surface.mesh.is_exact_solid(), surface.mesh.is_inverted()) {
            (false, _) => 0.0,
            (true, false) => 1.0,
            (true, true) => -1.0,
        };
        // A hull has no inner faces. A moving mesh would need a search for inner faces at each step.
        let mesh = surface.mesh;
        let may_have_inner_faces = mesh.is_exact_solid() && surface.hull.is_none() && !mesh.has_moved();
        let boundary = if may_have_inner_faces { Some(solid_boundary(mesh)) } else { None };
        let boundary = boundary.filter(|boundary| matches!(boundary, SolidBoundary::Pieces(_)));
        Self { surface, origin, unit, outward, boundary, faces_about: RefCell::default() }
    }

    /// Reports whether a point of a triangle is on the boundary of the solid, not inside it.
    fn is_on_boundary(&self, triangle: u32, at: Vec3) -> bool {
        self.boundary.is_none_or(|boundary| {
            let (pose, mesh) = (self.surface.pose, self.surface.mesh);
            let local = pose.rotation().transpose() * (at / self.unit + self.origin - pose.translation());
            // The rounding of world coordinates is not proportional to the size of the mesh.
            let room =
                ROUNDING * mesh.bounds().half_extents().max_element() + 64.0 * f64::EPSILON * pose.max_translation();
            is_on_boundary(boundary, triangle, local, room)
        })
    }

    fn vertex(&self, vertex: u32) -> Vec3 {
        let local = self.surface.mesh.mesh().vertices()[vertex as usize];
        (self.surface.pose.place(local) - self.origin) * self.unit
    }

    /// Returns the vertices of a triangle; vertices at the same place have one name.
    fn names(&self, triangle: u32) -> [u32; 3] {
        let stars = self.surface.mesh.vertex_stars();
        self.surface.mesh.mesh().triangles()[triangle as usize].map(|vertex| stars.representative(vertex))
    }

    fn corners(&self, triangle: u32) -> Triangle {
        self.surface.mesh.mesh().triangles()[triangle as usize].map(|vertex| self.vertex(vertex))
    }

    /// Returns the unit normal of a triangle; zero if it is degenerate.
    fn normal(&self, triangle: u32) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        robust_normalize((b - a).cross(c - a)).unwrap_or(Vec3::ZERO)
    }

    /// Returns the triangles on both sides of an edge; fewer at the border of a surface.
    fn beside(&self, [from, to]: [u32; 2]) -> impl Iterator<Item = u32> + '_ {
        let stars = self.surface.mesh.vertex_stars();
        // The star of the edge's end with fewer triangles is scanned: the centre of a disc has a large star.
        let (from, to) = if stars.round(to).len() < stars.round(from).len() { (to, from) } else { (from, to) };
        let round = stars.round(from).iter().copied();
        round.filter(move |&triangle| self.names(triangle).contains(&to))
    }

    /// Returns the face of a feature: the face itself, or the face around an edge or a vertex within a plane.
    fn face_of(&self, feature: Feature) -> Option<u32> {
        match feature {
            Feature::Face(triangle) => Some(triangle),
            Feature::Edge(from, to) => {
                let beside: Vec<u32> = self.beside([from, to]).collect();
                (beside.len() == 2 && self.are_flat(&beside)).then_some(beside[0])
            }
            Feature::Corner(vertex) => {
                let known = self.faces_about.borrow().get(&vertex).copied();
                known.unwrap_or_else(|| {
                    let found = self.face_about(vertex);
                    self.faces_about.borrow_mut().insert(vertex, found);
                    found
                })
            }
            Feature::Curved => None,
        }
    }

    /// Returns the face around a vertex if the vertex is within a plane.
    fn face_about(&self, vertex: u32) -> Option<u32> {
        let round = self.surface.mesh.vertex_stars().round(vertex);
        let is_wheel = || {
            let others = round.iter().flat_map(|&triangle| self.names(triangle)).filter(|&other| other != vertex);
            let mut others: Vec<u32> = others.collect();
            others.sort_unstable();
            others.chunk_by(|x, y| x == y).all(|same| same.len() == 2)
        };
        (self.are_flat(round) && is_wheel()).then(|| round[0])
    }

    fn are_flat(&self, triangles: &[u32]) -> bool {
        let mut normals =
            triangles.iter().map(|&triangle| self.normal(triangle)).filter(|&normal| normal != Vec3::ZERO);
        let Some(first) = normals.next() else { return false };
        normals.all(|normal| first.dot(normal) > 0.0 && first.cross(normal).length() <= FLAT)
    }

    /// Reports whether the surface around a place leads away from `towards`, the direction of the opposite surface.
    fn faces(&self, feature: Feature, at: Vec3, towards: Vec3) -> bool {
        let leads_away = |vertex: u32| {
            let offset = self.vertex(vertex) - at;
            offset.dot(towards) <= SLOPE * offset.length()
        };
        match feature {
            Feature::Face(triangle) => {
                // A place within a face is a nearest one along the normal of the face only.
                let normal = self.normal(triangle);
                let cosine = normal.dot(towards);
                let cosine = if self.outward == 0.0 { cosine.abs() } else { cosine * self.outward };
                cosine > 0.0 && normal.cross(towards).length() <= SLOPE
            }
            Feature::Edge(from, to) => {
                let mut round = self.beside([from, to]).flat_map(|triangle| self.names(triangle));
                round.all(leads_away)
            }
            Feature::Corner(vertex) => {
                let mut round = self.surface.mesh.vertex_stars().round(vertex).iter();
                round.all(|&triangle| self.names(triangle).into_iter().all(leads_away))
            }
            Feature::Curved => true,
        }
    }

    /// Classifies a point of a triangle as corner, edge or face.
    fn feature_at(&self, triangle: u32, point: Vec3) -> Feature {
        let corners = self.corners(triangle);
        let names = self.names(triangle);
        let size = (0..3).map(|k| (corners[(k + 1) % 3] - corners[k]).length()).fold(0.0, f64::max);
        if let Some(k) = (0..3).find(|&k| (corners[k] - point).length() <= ROUNDING * size) {
            return Feature::Corner(names[k]);
        }
        let is_on = |k: usize| {
            let along = robust_normalize(corners[(k + 1) % 3] - corners[k]).unwrap_or(Vec3::ZERO);
            along.cross(point - corners[k]).length() <= ROUNDING * size
        };
        match (0..3).find(|&k| is_on(k)) {
            Some(k) => edge(names[k], names[(k + 1) % 3]),
            None => Feature::Face(triangle),
        }
    }

    /// Returns the reported feature: for a face of a hull, the facet.
    fn own_feature(&self, feature: Feature) -> Feature {
        match (feature, self.surface.hull) {
            (Feature::Face(triangle), Some(hull)) => {
                let corners = hull.triangles()[triangle as usize];
                let has_all = |&&facet: &&u32| {
                    let facet = &hull.facets()[facet as usize];
                    corners.iter().all(|corner| facet.corners.contains(corner))
                };
                Feature::Face(hull.facets_about(corners[0]).iter().find(has_all).copied().unwrap_or(triangle))
            }
            _ => feature,
        }
    }
}

fn edge(from: u32, to: u32) -> Feature {
    Feature::Edge(from.min(to), from.max(to))
}

/// Places that pairs of triangles propose, after the tests that keep them.
struct Proposals<'a> {
    places: Vec<SurfacePlace>,
    sides: &'a [SurfaceSide<'a>; 2],
}

impl<'a> Proposals<'a> {
    fn of(sides: &'a [SurfaceSide<'a>; 2], pairs: &[[u32; 2]], meter: &WorkMeter<'_>) -> Vec<SurfacePlace> {
        let mut all = Self { places: Vec::new(), sides };
        for &triangles in pairs {
            if meter.is_exhausted() {
                break;
            }
            all.nearest(triangles);
            all.corners_over_face(triangles, 0);
            all.corners_over_face(triangles, 1);
            all.edges_that_pass(triangles);
        }
        all.places
    }

    /// Keeps a place if both surfaces lead away from each other there, and returns whether they do.
    fn offer(&mut self, on_a: Vec3, on_b: Vec3, normal: Vec3, features: [Feature; 2], triangles: [u32; 2]) -> bool {
        let [a, b] = self.sides;
        let features = [(a, features[0]), (b, features[1])]
            .map(|(side, feature)| side.face_of(feature).map_or(feature, Feature::Face));
        // The overlap of an edge with a face ends at a corner or where the edge passes another edge.
        let has_corner = features.iter().any(|feature| matches!(feature, Feature::Corner(_)));
        let is_end = has_corner || matches!(features, [Feature::Edge(..), Feature::Edge(..)]);
        let face_each_other = || a.faces(features[0], on_a, normal) && b.faces(features[1], on_b, -normal);
        let are_outside = || a.is_on_boundary(triangles[0], on_a) && b.is_on_boundary(triangles[1], on_b);
        let is_kept = is_end && face_each_other() && are_outside();
        if is_kept {
            let features = [a.own_feature(features[0]), b.own_feature(features[1])];
            self.places.push(SurfacePlace { on_a, on_b, normal, features, triangles });
        }
        is_kept
    }

    /// Keeps a place where both surfaces touch, so that the offset between them is only rounding. The normal belongs to
    /// the first face across which the surfaces lead away from each other, else `otherwise`.
    fn offer_touching(&mut self, on: [Vec3; 2], otherwise: Vec3, features: [Feature; 2], triangles: [u32; 2]) {
        let [a, b] = self.sides;
        let across = [(a, triangles[0], 1.0), (b, triangles[1], -1.0)].map(|(side, triangle, sign)| {
            let normal = side.normal(triangle) * sign;
            // A surface without an inside has two outer sides.
            if side.outward == 0.0 { [normal, -normal] } else { [normal * side.outward; 2] }
        });
        let directions = across.into_iter().flatten().chain([otherwise]).filter(|direction| *direction != Vec3::ZERO);
        for direction in directions {
            if self.offer(on[0], on[1], direction, features, triangles) {
                break;
            }
        }
    }

    fn nearest(&mut self, triangles: [u32; 2]) {
        let [a, b] = self.sides;
        let (x, y) = (a.corners(triangles[0]), b.corners(triangles[1]));
        let found = nearest_points(&x, &y);
        let normal = separating_direction(&x, &y, &found);
        let features = [a.feature_at(triangles[0], found.on_x), b.feature_at(triangles[1], found.on_y)];
        // The nearest place of parallel edges is chosen by rounding, so it is skipped: `along_edges` proposes the ends
        // of their overlap.
        let are_parallel = || match features {
            [Feature::Edge(p, q), Feature::Edge(r, s)] => {
                let along = [a.vertex(q) - a.vertex(p), b.vertex(s) - b.vertex(r)];
                along[0].cross(along[1]).length() <= SLOPE * along[0].length() * along[1].length()
            }
            _ => false,
        };
        if !are_parallel() {
            if found.distance <= ROUNDING {
                self.offer_touching([found.on_x, found.on_y], normal, features, triangles);
            } else if normal != Vec3::ZERO {
                self.offer(found.on_x, found.on_y, normal, features, triangles);
            }
        }
        self.along_edges(triangles, normal);
    }

    /// Proposes the ends of the overlap of parallel edges of two triangles; `otherwise` is the normal if they touch.
    fn along_edges(&mut self, triangles: [u32; 2], otherwise: Vec3) {
        let [a, b] = self.sides;
        let (x, y) = (a.corners(triangles[0]), b.corners(triangles[1]));
        for (i, j) in (0..9).map(|both| (both / 3, both % 3)) {
            let (along_x, along_y) = (x[(i + 1) % 3] - x[i], y[(j + 1) % 3] - y[j]);
            let (length, cosine) = (along_x.length(), along_x.dot(along_y));
            let is_parallel = along_x.cross(along_y).length() <= SLOPE * length * along_y.length();
            if !is_parallel || cosine == 0.0 {
                continue;
            }
            let share = |point: Vec3| along_x.dot(point - x[i]) / (length * length);
            let ends = [share(y[j]), share(y[(j + 1) % 3])];
            let shared = [ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(1.0)];
            if shared[0] > shared[1] + ROUNDING {
                continue;
            }
            for share_x in shared {
                let on_x = x[i] + along_x * share_x;
                let on_y = y[j] + along_y * ((share_x - ends[0]) / (ends[1] - ends[0])).clamp(0.0, 1.0);
                let features = [a.feature_at(triangles[0], on_x), b.feature_at(triangles[1], on_y)];
                match robust_normalize(on_y - on_x) {
                    Some(normal) if (on_y - on_x).length() > ROUNDING => {
                        self.offer(on_x, on_y, normal, features, triangles);
                    }
                    _ => self.offer_touching([on_x, on_y], otherwise, features, triangles),
                }
            }
        }
    }

    /// Proposes the corners of a triangle of the opposite side that lie over the face of side `of_face`.
    fn corners_over_face(&mut self, triangles: [u32; 2], of_face: usize) {
        let (side, other) = (&self.sides[of_face], &self.sides[1 - of_face]);
        let (face, corners) = (side.corners(triangles[of_face]), other.corners(triangles[1 - of_face]));
        let names = other.names(triangles[1 - of_face]);
        let up = side.normal(triangles[of_face]);
        if up == Vec3::ZERO {
            return;
        }
        for (corner, name) in corners.into_iter().zip(names) {
            let is_over = (0..3).all(|k| {
                let along = face[(k + 1) % 3] - face[k];
                along.cross(corner - face[k]).dot(up) >= -ROUNDING * along.length_squared()
            });
            if !is_over {
                continue;
            }
            let height = up.dot(corner - face[0]);
            let sign = if side.outward != 0.0 { side.outward } else { 1f64.copysign(height) };
            // A corner below the face by more than rounding is on the side away from the opposite surface.
            if height * sign < -ROUNDING {
                continue;
            }
            let foot = corner - up * height;
            let [on_face, of_corner] = [Feature::Face(triangles[of_face]), Feature::Corner(name)];
            match of_face {
                0 => self.offer(foot, corner, up * sign, [on_face, of_corner], triangles),
                _ => self.offer(corner, foot, -up * sign, [of_corner, on_face], triangles),
            };
        }
    }

    /// Proposes the places where an edge of one triangle passes an edge of the second triangle.
    fn edges_that_pass(&mut self, triangles: [u32; 2]) {
        let [a, b] = self.sides;
        let (x, y) = (a.corners(triangles[0]), b.corners(triangles[1]));
        let (names_x, names_y) = (a.names(triangles[0]), b.names(triangles[1]));
        for (i, j) in (0..9).map(|both| (both / 3, both % 3)) {
            let (along_x, along_y) = (x[(i + 1) % 3] - x[i], y[(j + 1) % 3] - y[j]);
            let across = along_x.cross(along_y);
            let sine_sq = across.length_squared();
            let between = y[j] - x[i];
            let (share_x, share_y) = (between.cross(along_y).dot(across), between.cross(along_x).dot(across));
            let is_between = |share: f64| share >= -ROUNDING * sine_sq && share <= sine_sq * (1.0 + ROUNDING);
            let is_parallel = sine_sq <= SLOPE * SLOPE * along_x.length_squared() * along_y.length_squared();
            if is_parallel || !is_between(share_x) || !is_between(share_y) {
                continue;
            }
            let (on_x, on_y) = (x[i] + along_x * (share_x / sine_sq), y[j] + along_y * (share_y / sine_sq));
            let Some(normal) = robust_normalize(across) else { continue };
            let gap = normal.dot(on_y - on_x);
            let features = [edge(names_x[i], names_x[(i + 1) % 3]), edge(names_y[j], names_y[(j + 1) % 3])];
            // If the edges touch, the surfaces around them decide the sign of the normal.
            for sign in [1.0, -1.0].into_iter().filter(|sign| gap * sign >= -ROUNDING) {
                self.offer(on_x, on_y, normal * sign, features, triangles);
            }
        }
    }
}

/// Merges points at the same place with the same normal, and keeps at most [`MAX_POINTS`]: the deepest, then repeatedly
/// the point most distant from the kept points.
pub(crate) fn reduced(mut points: Vec<ContactPoint>, same: f64) -> Vec<ContactPoint> {
    points.sort_by(by_features);
    let mut kept = if same > 0.0 { each_once(points, same) } else { points };
    kept.sort_by(by_separation);
    if kept.len() <= MAX_POINTS {
        return kept;
    }
    let mut chosen = vec![kept[0]];
    let mut gaps: Vec<f64> = kept.iter().map(|point| robust_length(point.point - kept[0].point)).collect();
    while chosen.len() < MAX_POINTS {
        let Some(next) = (0..kept.len()).max_by(|&i, &j| gaps[i].total_cmp(&gaps[j]).then(j.cmp(&i))) else { break };
        chosen.push(kept[next]);
        for (gap, other) in gaps.iter_mut().zip(&kept) {
            *gap = gap.min(robust_length(other.point - kept[next].point));
        }
        gaps[next] = f64::NEG_INFINITY;
    }
    chosen.sort_by(by_separation);
    chosen
}

fn by_features(x: &ContactPoint, y: &ContactPoint) -> Ordering {
    x.features.cmp(&y.features).then(x.primitives.cmp(&y.primitives)).then(x.separation.total_cmp(&y.separation))
}

fn by_separation(x: &ContactPoint, y: &ContactPoint) -> Ordering {
    x.separation.total_cmp(&y.separation).then_with(|| by_features(x, y))
}

/// Keeps the first of the points within `same` of each other along each axis with nearly equal normals.
fn each_once(points: Vec<ContactPoint>, same: f64) -> Vec<ContactPoint> {
    // Boxes have edges of twice `same`: an equal point can only be in one of the eight boxes around a point.
    let mut boxes: BTreeMap<[i64; 3], Vec<ContactPoint>> = BTreeMap::new();
    let mut kept = Vec::new();
    for point in points {
        let place = point.point / (2.0 * same);
        let home = place.floor();
        let is_known = (0..8).any(|side| {
            let at = [0, 1, 2].map(|axis| {
                let towards = if place[axis] - home[axis] < 0.5 { -1 } else { 1 };
                (home[axis] as i64).saturating_add(if side >> axis & 1 == 1 { towards } else { 0 })
            });
            boxes.get(&at).is_some_and(|others| others.iter().any(|other| is_same(&point, other, same)))
        });
        if !is_known {
            boxes.entry([0, 1, 2].map(|axis| home[axis] as i64)).or_default().push(point);
            kept.push(point);
        }
    }
    kept
}

fn is_same(point: &ContactPoint, other: &ContactPoint, same: f64) -> bool {
    (other.point - point.point).abs().max_element() <= same && other.normal.dot(point.normal) > 1.0 - SLOPE
}
