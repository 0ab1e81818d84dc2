//! All places where a ray meets a placed shape, and the intervals of the ray inside it.
//!
//! In: a shape, its pose, a ray. Out: [`RayHits`]: hits in order, each with whether the ray enters or leaves the shape
//! there, and intervals as multiples of the direction.
//! Method: meshes: every triangle that the ray meets; one point of each gap between hits is located, and neighbouring
//! gaps inside are one interval, so that faces inside a solid (of overlapping shells, double walls) end none. Convex
//! shapes: the first point of the ray and the first of the ray that comes back from beyond the shape. Compounds and
//! meshes with a margin: the union of the intervals of their parts, or rounded triangles. Superquadrics: all passages
//! of the norm through 1; with a margin, steps by the distance from the boundary.
//! Guarantees: as `ray` gives them; deterministic. Hits of a mesh are exact, and so is the location of a gap that is
//! longer than the error of its ends. A shape without an inside has no intervals.
//! Not guaranteed: passages of a superquadric with a margin beyond [`MAX_STEPS`] steps along its boundary; for a mesh
//! of `Solidity::Winding`, more than one passage through ½ between two hits.
//! Cost: the hits, and a location for each gap.

use super::superquadric::{as_superquadric, superquadric_crossings};
use crate::answer::budget::Answer;
use crate::answer::closest::Location;
use crate::answer::options::RayOptions;
use crate::answer::ray::past;
use crate::answer::ray::{Ray, RayHit, normalised};
use crate::closest::closest;
use crate::compound::nearby_parts::PlacedCompound;
use crate::contains;
use crate::convex::ray::convex_ray;
use crate::mesh::ray::mesh_hits;
use crate::mesh::ray_exit::{End, Span, clusters};
use crate::mesh::walk::local_ray::local_ray;
use crate::mesh::walk::pair_walk::place;
use crate::mesh::winding::winding_number;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Leaf, Visitor, Work, walk};
use heurt_geometry::Pose;
use heurt_shape::{Compound, Convex, Core, MeshShape, RoundedMesh, ShapeRef, SuperquadricShape};
use std::ops::ControlFlow;

/// Steps along a superquadric with a margin at most.
const MAX_STEPS: usize = 1 << 12;
/// Halvings of an interval that holds a passage: as many as a number has bits.
const HALVINGS: u32 = 64;

/// The crossing of a ray and a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RayCrossing {
    /// It enters the shape: an interval begins.
    Enter,
    /// It leaves the shape: an interval ends.
    Exit,
    /// Neither: a surface without an inside, a face inside the solid, an edge or corner that is only grazed, or another
    /// triangle at the place of an entry or exit.
    Touch,
}

/// A place where a ray meets a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayPassage {
    /// Distance, point, normal and primitive.
    pub hit: RayHit,
    /// Whether the ray enters or leaves the shape there.
    pub crossing: RayCrossing,
}

/// All places where a ray meets a shape.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHits {
    /// By distance, then primitive: of a mesh every triangle that the ray meets, of a convex shape the first and the
    /// last point.
    pub hits: Vec<RayPassage>,
    /// The parts of the ray inside the shape, as multiples of the direction, ascending and disjoint. One begins at 0 if
    /// the ray starts inside; one ends at `max_t`, which may be infinite, if the ray ends inside.
    pub intervals: Vec<[f64; 2]>,
}

/// Finds all places where a ray meets a placed shape, and the intervals inside it; a ray that [`Ray::new`] refuses
/// meets nothing.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{Ray, ray_all};
/// use heurt_shape::Convex;
/// let along = Ray::new(Vec3::X * -3.0, Vec3::X, f64::INFINITY)?;
/// let found = ray_all(&Convex::sphere(1.0)?, &Pose::IDENTITY, &along);
/// assert!((found.intervals[0][0] - 2.0).abs() < 1e-12 && (found.intervals[0][1] - 4.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ray_all<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, ray: &Ray) -> RayHits {
    ray_all_with(a, pose, ray, &RayOptions::default()).value()
}

/// Computes [`ray_all`] up to a limit, with the work done.
pub fn ray_all_with<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, ray: &Ray, options: &RayOptions) -> Answer<RayHits> {
    let mut work = Work::default();
    let ray = Ray { max_t: ray.max_t.min(options.max_t), ..*ray };
    let Some((ray, stretch)) = normalised(&ray) else { return Answer::whole(RayHits::default(), work) };
    let FoundSpans { mut hits, spans } = found_on(a.into(), pose, &ray, &mut work);
    hits.sort_by(|x, y| x.hit.t.total_cmp(&y.hit.t).then_with(|| x.hit.primitive.cmp(&y.hit.primitive)));
    for passage in &mut hits {
        passage.hit = passage.hit.stretched(stretch);
    }
    let intervals = spans.iter().map(|span| span.map(|end| end.at * stretch)).collect();
    Answer::whole(RayHits { hits, intervals }, work)
}

/// Hits and intervals for a ray of normalised direction.
#[derive(Debug, Default)]
struct FoundSpans {
    hits: Vec<RayPassage>,
    /// Ascending and disjoint.
    spans: Vec<Span>,
}

fn found_on(a: ShapeRef<'_>, pose: &Pose, ray: &Ray, work: &mut Work) -> FoundSpans {
    match a {
        ShapeRef::Mesh(mesh) => on_mesh(mesh, pose, ray, work),
        ShapeRef::Convex(convex) => match as_superquadric(convex) {
            Some(shape) => on_superquadric(&shape, pose, ray, work),
            None => on_convex(convex, pose, ray, work),
        },
        ShapeRef::Compound(compound) => on_compound(compound, pose, ray, work),
        ShapeRef::Rounded(rounded) if rounded.margin() == 0.0 => on_mesh(rounded.mesh(), pose, ray, work),
        ShapeRef::Rounded(rounded) => on_rounded(rounded, pose, ray, work),
        ShapeRef::Superquadric(shape) => on_superquadric(shape, pose, ray, work),
    }
}

/// Every triangle, and the gaps between them that lie inside.
fn on_mesh(mesh: &MeshShape, pose: &Pose, ray: &Ray, work: &mut Work) -> FoundSpans {
    let hits = mesh_hits(mesh, pose, ray, work);
    let mut passages: Vec<RayPassage> =
        hits.iter().map(|&hit| RayPassage { hit, crossing: RayCrossing::Touch }).collect();
    if !mesh.is_solid() {
        return FoundSpans { hits: passages, spans: Vec::new() };
    }
    let clusters = clusters(&hits);
    let holds = |at: f64| match winding_number(mesh, pose, ray.origin + ray.direction * at) {
        Location::Boundary { .. } => true,
        Location::Winding(winding) => winding != 0,
    };
    let end = ray.max_t.min(past(mesh.into(), pose, ray));
    let mut spans: Vec<Span> = Vec::new();
    let (mut from, mut was_inside) = (End { at: 0.0, error: 0.0 }, false);
    // A ray that starts on the boundary enters there, if it does not leave.
    let starts_free = clusters.first().is_none_or(|first| first.span[0].at > first.span[0].error);
    let mut begun = (starts_free && holds(0.0)).then_some(from);
    for number in 0..=clusters.len() {
        let cluster = clusters.get(number);
        let to = cluster.map_or(End { at: end, error: 0.0 }, |cluster| cluster.span[0]);
        let is_first = number == 0;
        let gap = FreeSpan { from, to, is_exact: mesh.is_exact() };
        let inside = if is_first && !starts_free { [false; 2] } else { gap.ends_inside(&holds) };
        if !is_first && inside[0] != was_inside {
            let cluster = &clusters[number - 1];
            let crossing = if was_inside { RayCrossing::Exit } else { RayCrossing::Enter };
            mark(&mut passages[cluster.hits.clone()], ray, crossing, mesh);
            match begun.take() {
                Some(begun) => spans.push([begun, cluster.span[1]]),
                None => begun = Some(cluster.span[0]),
            }
        }
        if inside[0] != inside[1] {
            let through = gap.passage(&holds, inside[0]);
            match begun.take() {
                Some(begun) => spans.push([begun, through]),
                None => begun = Some(through),
            }
        }
        was_inside = inside[1];
        from = cluster.map_or(from, |cluster| cluster.span[1]);
    }
    spans.extend(begun.map(|begun| [begun, End { at: end, error: 0.0 }]));
    FoundSpans { hits: passages, spans }
}

/// Names the crossing at the first hit that faces as the crossing does, or at the first.
fn mark(hits: &mut [RayPassage], ray: &Ray, crossing: RayCrossing, mesh: &MeshShape) {
    let inward = (crossing == RayCrossing::Enter) != (mesh.is_exact_solid() && mesh.is_inverted());
    let faces = |passage: &RayPassage| (passage.hit.normal.dot(ray.direction) < 0.0) == inward;
    let number = hits.iter().position(faces).unwrap_or(0);
    hits[number].crossing = crossing;
}

/// A piece of the ray between two clusters of hits.
struct FreeSpan {
    from: End,
    to: End,
    /// Whether it lies wholly on one side.
    is_exact: bool,
}

impl FreeSpan {
    /// Whether its beginning and its end are inside.
    fn ends_inside(&self, holds: &impl Fn(f64) -> bool) -> [bool; 2] {
        if self.is_exact {
            let middle = self.from.at.midpoint(self.to.at);
            return [self.to.at > self.from.at && middle.is_finite() && holds(middle); 2];
        }
        // At most as near to both ends as two hits can be distinguished.
        let aside = (1e-6 * (self.to.at - self.from.at)).max(self.from.error + self.to.error);
        [holds(self.from.at + aside), holds(self.to.at - aside)]
    }

    /// The parameter at which the side changes, from `inside` at the beginning to its opposite at the end.
    fn passage(&self, holds: &impl Fn(f64) -> bool, inside: bool) -> End {
        let (mut low, mut high) = (self.from.at, self.to.at);
        for _ in 0..HALVINGS {
            let middle = low.midpoint(high);
            if middle <= low || middle >= high {
                break;
            }
            if holds(middle) == inside { low = middle } else { high = middle }
        }
        End { at: high, error: high - low }
    }
}

/// The first and the last point.
fn on_convex(convex: &Convex, pose: &Pose, ray: &Ray, work: &mut Work) -> FoundSpans {
    let Some(first) = convex_ray(convex, pose, ray, work) else { return FoundSpans::default() };
    let starts_inside = first.t == 0.0 && contains(convex, pose, ray.origin);
    let entry = RayPassage { hit: first, crossing: RayCrossing::Enter };
    let last = last_point(convex, pose, ray, work);
    // A shape without an inside is met in one point, and so is a shape that is only grazed.
    let is_thin = !crate::convex::boundary::has_inside(convex) && !convex.is_half_space();
    let ends_inside = last.is_none_or(|last| last.t > ray.max_t);
    let is_grazed = last.is_some_and(|last| last.t - last.error <= first.t + first.error);
    if is_thin || is_grazed && !starts_inside {
        return FoundSpans { hits: vec![RayPassage { crossing: RayCrossing::Touch, ..entry }], spans: Vec::new() };
    }
    let from = if starts_inside { End { at: 0.0, error: 0.0 } } else { End { at: first.t, error: first.error } };
    let mut hits = if starts_inside { Vec::new() } else { vec![entry] };
    let to = match last.filter(|_| !ends_inside) {
        Some(last) => {
            hits.push(RayPassage { hit: last, crossing: RayCrossing::Exit });
            End { at: last.t, error: last.error }
        }
        None => End { at: ray.max_t, error: 0.0 },
    };
    let spans = if to.at > from.at { vec![[from, to]] } else { Vec::new() };
    FoundSpans { hits, spans }
}

/// The last point of the endless ray in a convex shape that it meets; `None` if it never leaves.
fn last_point(convex: &Convex, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    if let Core::HalfSpace { normal, offset } = *convex.core() {
        let beyond = Convex::half_space(-normal, -(offset + convex.margin() * normal.length())).ok()?;
        let endless = Ray { max_t: f64::INFINITY, ..*ray };
        let hit = convex_ray(&beyond, pose, &endless, work)?;
        let outward = (*pose.rotation() * normal).normalize_or_zero();
        // A ray that starts outside and comes in meets what is beyond at its start.
        return (outward.dot(ray.direction) > 0.0).then_some(RayHit { normal: outward, ..hit });
    }
    let far = past(convex.into(), pose, ray);
    let (origin, direction) = (ray.origin + ray.direction * far, -ray.direction);
    let back = convex_ray(convex, pose, &Ray { origin, direction, max_t: f64::INFINITY }, work)?;
    let distance = (far - back.t).max(0.0);
    // The far end of the ray is rounded.
    let rounding = 4.0 * f64::EPSILON * (far + origin.abs().max_element() / ray.direction.length());
    let point = ray.origin + ray.direction * distance;
    Some(RayHit { t: distance, point, error: back.error + rounding, ..back })
}

/// The parts, each by itself, and the union of their intervals.
fn on_compound(compound: &Compound, pose: &Pose, ray: &Ray, work: &mut Work) -> FoundSpans {
    let mut all = FoundSpans::default();
    let mut done = Work::default();
    let walked = PlacedCompound::new(compound, pose).on_ray(ray, |part| {
        let found = found_on(part.placed.shape, part.placed.pose, ray, &mut done);
        all.hits.extend(found.hits.into_iter().map(|mut passage| {
            passage.hit.primitive += part.first_primitive;
            passage
        }));
        all.spans.extend(found.spans);
        ControlFlow::Continue(f64::INFINITY)
    });
    *work += done;
    *work += walked;
    all.spans = united(all.spans);
    name_ends(&mut all);
    all
}

/// The rounded triangles and, of a solid, what is inside.
fn on_rounded(rounded: &RoundedMesh, pose: &Pose, ray: &Ray, work: &mut Work) -> FoundSpans {
    let mesh = rounded.mesh();
    let mut all = FoundSpans { hits: Vec::new(), spans: on_mesh(mesh, pose, ray, work).spans };
    if let Some(local) = local_ray(mesh.tree().frame(), pose, ray.origin, ray.direction, ray.max_t, rounded.margin()) {
        let mut visitor = RoundedTriangles { rounded, pose, ray, work, all: &mut all };
        let walked = walk(mesh.tree(), &local.query, &mut visitor);
        *work += walked;
    }
    all.spans = united(all.spans);
    name_ends(&mut all);
    // Hits inside the union of the rounded triangles are not on its boundary.
    all.hits.retain(|passage| passage.crossing != RayCrossing::Touch);
    all
}

struct RoundedTriangles<'a> {
    rounded: &'a RoundedMesh,
    pose: &'a Pose,
    ray: &'a Ray,
    work: &'a mut Work,
    all: &'a mut FoundSpans,
}

impl Visitor for RoundedTriangles<'_> {
    fn cutoff(&self) -> f32 {
        f32::MAX
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        let mesh = self.rounded.mesh();
        for &triangle in mesh.tree().primitives(leaf) {
            let corners = place(mesh, self.pose, triangle);
            // Corners beyond the range of numbers are not met.
            let Ok(of_triangle) = Convex::triangle(corners).and_then(|flat| flat.with_margin(self.rounded.margin()))
            else {
                continue;
            };
            let found = on_convex(&of_triangle, &Pose::IDENTITY, self.ray, self.work);
            self.all.spans.extend(found.spans);
            self.all.hits.extend(found.hits.into_iter().map(|mut passage| {
                passage.hit.primitive = triangle;
                passage
            }));
        }
        ControlFlow::Continue(())
    }
}

/// The union of intervals; intervals within the errors of their ends of each other are one.
fn united(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by(|x, y| x[0].at.total_cmp(&y[0].at).then_with(|| x[1].at.total_cmp(&y[1].at)));
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span[0].at - span[0].error <= last[1].at + last[1].error => {
                if span[1].at > last[1].at {
                    last[1] = span[1];
                }
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// Leaves one entry and one exit for each interval, at its ends; all other hits only touch.
fn name_ends(all: &mut FoundSpans) {
    let mut ends = Vec::new();
    for span in &all.spans {
        for (end, crossing) in [(span[0], RayCrossing::Enter), (span[1], RayCrossing::Exit)] {
            let is_it = |(_, passage): &(usize, &RayPassage)| {
                passage.crossing == crossing && (passage.hit.t - end.at).abs() <= end.error + passage.hit.error
            };
            let nearest = |(_, x): &(usize, &RayPassage), (_, y): &(usize, &RayPassage)| {
                let off = |passage: &RayPassage| (passage.hit.t - end.at).abs();
                off(x).total_cmp(&off(y)).then_with(|| x.hit.primitive.cmp(&y.hit.primitive))
            };
            ends.extend(all.hits.iter().enumerate().filter(is_it).min_by(nearest).map(|(k, _)| (k, crossing)));
        }
    }
    all.hits.iter_mut().for_each(|passage| passage.crossing = RayCrossing::Touch);
    ends.into_iter().for_each(|(number, crossing)| all.hits[number].crossing = crossing);
}

/// The passages through the surface of a superquadric.
fn on_superquadric(shape: &SuperquadricShape, pose: &Pose, ray: &Ray, work: &mut Work) -> FoundSpans {
    let starts_inside = contains(shape, pose, ray.origin);
    let crossings = if shape.margin() > 0.0 {
        by_steps(shape, pose, ray, starts_inside, work)
    } else {
        superquadric_crossings(shape, pose, ray, work)
    };
    let mut all = FoundSpans::default();
    let mut begun = starts_inside.then_some(End { at: 0.0, error: 0.0 });
    for hit in crossings {
        let end = End { at: hit.t, error: hit.error };
        let crossing = match begun.take() {
            Some(begun) => {
                all.spans.push([begun, end]);
                RayCrossing::Exit
            }
            None => {
                begun = Some(end);
                RayCrossing::Enter
            }
        };
        all.hits.push(RayPassage { hit, crossing });
    }
    let end = ray.max_t.min(past(shape.into(), pose, ray));
    all.spans.extend(begun.map(|begun| [begun, End { at: end, error: 0.0 }]));
    all
}

/// Passages of a superquadric with a margin: the distance from the boundary is free on either side.
fn by_steps(shape: &SuperquadricShape, pose: &Pose, ray: &Ray, starts_inside: bool, work: &mut Work) -> Vec<RayHit> {
    let speed = ray.direction.length();
    let end = ray.max_t.min(past(shape.into(), pose, ray));
    let largest = shape.bounds().max.max_element() + pose.max_translation() + ray.origin.abs().max_element();
    let room = 64.0 * f64::EPSILON * largest;
    let point = |at: f64| ray.origin + ray.direction * at;
    let mut hits = Vec::new();
    let (mut at, mut last, mut inside, mut leap) = (0.0, 0.0, starts_inside, 2.0 * room);
    for _ in 0..MAX_STEPS {
        work.primitives += 1;
        let found = closest(shape, pose, point(at));
        let signed = found.signed_distance.unwrap_or(found.distance);
        let free = signed.abs() - found.error;
        if (signed <= 0.0) != inside && free > room {
            let gap = FreeSpan { from: End { at: last, error: 0.0 }, to: End { at, error: 0.0 }, is_exact: false };
            let holds = |at: f64| closest(shape, pose, point(at)).signed_distance.is_some_and(|signed| signed <= 0.0);
            let end = gap.passage(&holds, inside);
            let normal = super::superquadric::outward(shape, pose, point(end.at));
            let normal = normal.unwrap_or_else(|| -ray.direction.normalize());
            let error = end.error + (found.error + room) / speed;
            hits.push(RayHit { t: end.at, point: point(end.at), normal, primitive: 0, error });
            inside = !inside;
        }
        last = at;
        // Next to the boundary nothing is free: ever longer leaps lead away from it.
        leap = if free > room { 2.0 * room } else { 2.0 * leap };
        at += free.max(leap) / speed;
        if at > end {
            break;
        }
    }
    hits
}
