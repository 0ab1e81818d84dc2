//! Answers: runs the query of each request, and formats its result as a line of JSON.

use super::batch::{BatchAnswers, batch_answers};
use super::budgeted::{distance_within, overlap_within};
use super::line::Id;
use super::maps::{self, MapAnswer};
use super::measure::{MeasureJson, measure};
use super::moving::{cast, ccd};
use super::points_and_rays::{HitJson, all_hits, contains, first_hit};
use super::request::{self, Method, Names, QueryOptions, Request};
use super::session::AnswerLine;
use crate::describe::display::point_row;
use crate::describe::feature::TouchingFeatures;
use crate::describe::fields::FieldError;
use crate::describe::placed::{Placed, Trees};
use crate::describe::resolved_shape::ResolvedShape;
use crate::describe::shape_store::ShapeStore;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_query::algorithm::{SeparatingPlane, WeightRule};
use heurt_query::algorithm::{contact_by_separating_axes, distance_by_closest_features, overlap_by_separating_plane};
use heurt_query::{
    CastOptions, ClosestOptions, DistanceOptions, OverlapOptions, PairsOptions, Ray, Side, TreePair, Witness,
};
use heurt_shape::{Convex, MeshShape, ShapeRef};
use serde::Serialize;
use std::time::{Duration, Instant};

/// One line of output.
#[derive(Serialize)]
struct Answer {
    id: Id,
    ok: bool,
    #[serde(flatten)]
    body: Body,
    /// `false` if the inside of a shape is decided by the generalised winding number.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<bool>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    stats: Option<Stats>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Body {
    Overlap {
        overlap: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        witness: Option<WitnessJson>,
        /// Present if there was a budget.
        #[serde(skip_serializing_if = "Option::is_none")]
        complete: Option<bool>,
    },
    Unproven {
        overlap: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        complete: Option<bool>,
    },
    Pairs {
        pairs: Vec<[u32; 2]>,
        count: usize,
    },
    Distance {
        distance: f64,
        point_a: [f64; 3],
        point_b: [f64; 3],
        #[serde(skip_serializing_if = "Option::is_none")]
        normal: Option<[f64; 3]>,
        error: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        complete: Option<bool>,
    },
    AtLeast {
        distance: f64,
        /// An upper bound of the distance, if it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        distance_upper: Option<f64>,
        complete: bool,
    },
    Beyond {
        distance: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        complete: Option<bool>,
    },
    Contact {
        separation: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        separation_bound: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        normal: Option<[f64; 3]>,
        contacts: Vec<AnswerContactJson>,
    },
    NoImpact {
        time: Option<f64>,
    },
    Impact {
        time: f64,
        time_upper: f64,
        /// Null if they never separate.
        #[serde(skip_serializing_if = "Option::is_none")]
        time_last: Option<Option<f64>>,
        point: [f64; 3],
        #[serde(skip_serializing_if = "Option::is_none")]
        normal: Option<[f64; 3]>,
        /// Features of a and of b.
        #[serde(skip_serializing_if = "Option::is_none")]
        features: Option<[FeatureJson; 2]>,
    },
    Touch {
        hit: bool,
        time: f64,
        time_upper: f64,
    },
    Miss {
        hit: bool,
    },
    Hit {
        hit: bool,
        distance: f64,
        error: f64,
        point: [f64; 3],
        normal: [f64; 3],
        primitive: u32,
    },
    Hits {
        hits: Vec<HitJson>,
        intervals: Vec<[f64; 2]>,
    },
    Closest {
        point: [f64; 3],
        distance: f64,
        signed_distance: Option<f64>,
        inside: Option<bool>,
        primitive: u32,
        error: f64,
    },
    Measure(Box<MeasureJson>),
    Contains {
        inside: Vec<bool>,
    },
    Named {
        name: String,
    },
    Batch {
        answers: BatchAnswers,
        /// Number of pairs that overlap.
        count: usize,
    },
    Map(Box<MapAnswer>),
    Error {
        error: String,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum WitnessJson {
    Primitives { a: u32, b: u32 },
    Contained { contained: &'static str },
}

#[derive(Serialize)]
pub(super) struct AnswerContactJson {
    point: [f64; 3],
    normal: [f64; 3],
    separation: f64,
    a: u32,
    b: u32,
    features: TouchingFeatures,
}

/// A feature of a polyhedron in contact: a corner, an edge or a face, and the positions of its corners at that time.
#[derive(Serialize)]
pub(super) struct FeatureJson {
    pub kind: &'static str,
    pub corners: Vec<[f64; 3]>,
}

#[derive(Serialize)]
struct Stats {
    work: WorkJson,
    micros: f64,
}

#[derive(Serialize)]
struct WorkJson {
    volumes: u64,
    primitives: u64,
    updates: u64,
}

/// A line that has been read: its `id`, its request or the error, and the time that reading took.
pub(crate) struct ParsedLine {
    id: Id,
    request: Result<Request, FieldError>,
    spent: Duration,
}

/// Reads a line.
pub(crate) fn parse(line: &[u8], store: &ShapeStore) -> ParsedLine {
    let started = Instant::now();
    let (id, request) = request::parse(line, &store.shapes);
    ParsedLine { id, request, spent: started.elapsed() }
}

impl ParsedLine {
    /// Binds named shapes to the shapes of earlier lines.
    pub(crate) fn bind(self, names: &mut Names) -> Self {
        Self { request: self.request.and_then(|request| request.bind(names)), ..self }
    }
}

/// Answers a line: returns its JSON, and whether it succeeded.
pub(crate) fn answer(line: ParsedLine, store: &ShapeStore, has_stats: bool) -> AnswerLine {
    let started = Instant::now();
    let ParsedLine { id, request, spent } = line;
    let mut work = Work::default();
    let body = request.and_then(|request| Ok((body(&request, store, &mut work)?, request.is_exact())));
    let ok = body.is_ok();
    let exact = body.as_ref().is_ok_and(|(_, is_exact)| !is_exact).then_some(false);
    let body = body.map_or_else(|error| Body::Error { error: error.to_string() }, |(body, _)| body);
    let stats = has_stats.then(|| Stats {
        work: WorkJson { volumes: work.volumes, primitives: work.primitives, updates: work.updates },
        micros: (spent + started.elapsed()).as_nanos() as f64 / 1000.0,
    });
    let json = serde_json::to_string(&Answer { id, ok, body, exact, stats })
        .unwrap_or_else(|error| format!(r#"{{"id":null,"ok":false,"error":"{error}"}}"#));
    AnswerLine { json, ok }
}

fn body(request: &Request, store: &ShapeStore, work: &mut Work) -> Result<Body, FieldError> {
    match request {
        Request::Overlap { a, b, how } => overlap([a, b], how, store, work),
        Request::Pairs { a, b, limit, trees } => pairs([a, b], *limit, trees, store, work),
        Request::Distance { a, b, max, how } => distance([a, b], *max, how, store, work),
        Request::Contact { a, b, margin, manifold, method } => {
            contact([a, b], *margin, *manifold, *method, store, work)
        }
        Request::Cast { bodies, max_time, tolerance, method } => {
            let options = CastOptions { max_time: *max_time, tolerance: *tolerance };
            cast(bodies, &options, *method, store, work)
        }
        Request::Ccd { are_edges, moving, options } => ccd(*are_edges, moving, options, work),
        Request::Ray { a, origin, direction, max_distance, all } => {
            let along = Ray::new(*origin, *direction, *max_distance)
                .map_err(|error| FieldError::refused("direction", format!("{:?}", direction.to_array()), error))?;
            let answer = if *all { all_hits } else { first_hit };
            answer(&store.ready(a)?, &along, work)
        }
        Request::Closest { a, point } => closest(&store.ready(a)?, *point, work),
        Request::Measure { a, limit } => measure(&store.ready(a)?, *limit),
        Request::Contains { a, points } => Ok(contains(&store.ready(a)?, points, work)),
        Request::Shape { name, shape } => {
            store.resolved("shape", shape)?;
            Ok(Body::Named { name: name.clone() })
        }
        Request::Batch(batch) => batch_answers(batch, store, work),
        Request::Map { name, map } => Ok(Body::Map(Box::new(maps::named(name, map, store)?))),
        Request::OnMap(request) => Ok(Body::Map(Box::new(maps::answer(request, store, work)?))),
    }
}

fn overlap([a, b]: [&Placed; 2], how: &QueryOptions, store: &ShapeStore, work: &mut Work) -> Result<Body, FieldError> {
    let [a, b] = [store.ready(a)?, store.ready(b)?];
    if let Some(limit) = how.budget {
        return overlap_within(limit, [&a, &b], work);
    }
    let named = named(how.method, &["gjk", "separating-plane", "closest-features"], &a, &b)?;
    if let Some(("closest-features", convex)) = named {
        work.primitives += 1;
        by_closest_features(convex)?;
        return Ok(Body::Overlap { overlap: false, witness: None, complete: None });
    }
    if let Some(("separating-plane", [(a, pose_a), (b, pose_b)])) = named {
        work.primitives += 1;
        return Ok(match overlap_by_separating_plane(a, pose_a, b, pose_b, WeightRule::Decreasing) {
            SeparatingPlane::Separated { .. } => Body::Overlap { overlap: false, witness: None, complete: None },
            SeparatingPlane::Unproven => Body::Unproven { overlap: "unproven", complete: None },
        });
    }
    let chosen = through(store, &how.trees, [&a, &b], |trees, [p, q]| trees.overlap(p, q))?;
    let ((shape_a, pose_a), (shape_b, pose_b)) = placed(&a, &b)?;
    let (witness, done) = chosen.map(parts).unwrap_or_else(|| {
        parts(heurt_query::overlap_with(shape_a, pose_a, shape_b, pose_b, &OverlapOptions::default()))
    });
    *work += done;
    let witness = witness.flatten();
    Ok(report_overlap(witness, [&a, &b], None))
}

pub(super) fn report_overlap(witness: Option<Witness>, [a, b]: [&ResolvedShape; 2], complete: Option<bool>) -> Body {
    let witness = witness.map(|witness| match witness {
        Witness::Primitives { a: i, b: j } => WitnessJson::Primitives { a: a.primitive(i), b: b.primitive(j) },
        Witness::Contained(Side::A) => WitnessJson::Contained { contained: "a" },
        Witness::Contained(Side::B) => WitnessJson::Contained { contained: "b" },
    });
    Body::Overlap { overlap: witness.is_some(), witness, complete }
}

/// Returns both shapes in their best form for queries: as described if both are convex, else as surfaces.
pub(super) fn placed<'a>(a: &'a ResolvedShape, b: &'a ResolvedShape) -> Result<PlacedPair<'a>, FieldError> {
    Ok(match (a.convex(), b.convex()) {
        (Some((a, pose_a)), Some((b, pose_b))) => ((a.into(), pose_a), (b.into(), pose_b)),
        _ => (a.any()?, b.any()?),
    })
}

/// Two shapes and their poses.
pub(super) type PlacedPair<'a> = ((ShapeRef<'a>, &'a Pose), (ShapeRef<'a>, &'a Pose));

/// A convex shape and its pose.
pub(super) type OnPose<'a> = (&'a Convex, &'a Pose);

/// Returns the algorithm that a request names, with the convex shapes that it needs. Returns an error if the algorithm
/// is not one of `known`, or if a shape is not convex.
pub(super) fn named<'a>(
    method: Method,
    known: &[&str],
    a: &'a ResolvedShape,
    b: &'a ResolvedShape,
) -> Result<Option<(&'static str, [OnPose<'a>; 2])>, FieldError> {
    let Some(method) = method else { return Ok(None) };
    if !known.contains(&method) {
        return Err(FieldError::not_available("method", format!("the method `{method}` for this operation")));
    }
    match (a.convex(), b.convex()) {
        (Some(a), Some(b)) => Ok(Some((method, [a, b]))),
        _ => {
            Err(FieldError::refused("method", method, "it is for convex shapes, and one is none: leave the method out"))
        }
    }
}

fn contact(
    [a, b]: [&Placed; 2],
    margin: f64,
    is_manifold: bool,
    method: Method,
    store: &ShapeStore,
    work: &mut Work,
) -> Result<Body, FieldError> {
    let [a, b] = [store.ready(a)?, store.ready(b)?];
    let named = named(method, &["gjk", "sat"], &a, &b)?;
    if let (Some((method, _)), true) = (named, is_manifold) {
        return Err(FieldError::refused("method", method, "the manifold of a step has one method: leave it out"));
    }
    let ((shape_a, pose_a), (shape_b, pose_b)) = (a.described(), b.described());
    work.primitives += 1;
    let search = if is_manifold { heurt_query::contact_manifold } else { heurt_query::contact };
    let mut found = search(shape_a, pose_a, shape_b, pose_b, margin);
    if let (Some(("sat", [(convex_a, pose_a), (convex_b, pose_b)])), Some(_)) = (named, &found) {
        found = contact_by_separating_axes(convex_a, pose_a, convex_b, pose_b);
        if found.is_none() {
            let cause = "it measures hulls that overlap, and these are curved or apart: leave the method out";
            return Err(FieldError::refused("method", "sat", cause));
        }
    }
    let Some(found) = found else {
        return Ok(Body::Contact {
            separation: None,
            separation_bound: None,
            error: None,
            normal: None,
            contacts: vec![],
        });
    };
    if !found.separation.is_finite() || !found.error.is_finite() {
        if [shape_a, shape_b].iter().all(|shape| !shape.bounds().min.is_finite()) {
            let cause = "it and the other one overlap however far they are moved: ask `overlap`, or give a box for one";
            return Err(FieldError::refused("b", "the half-space", cause));
        }
        return Err(beyond("b", "the shape".to_owned(), "its separation from the other"));
    }
    let contacts = found.points.iter().map(|point| AnswerContactJson {
        point: point_row(point.point),
        normal: point_row(point.normal),
        separation: point.separation,
        a: a.primitive(point.primitives[0]),
        b: b.primitive(point.primitives[1]),
        features: TouchingFeatures::new(point.features, [shape_a, shape_b]),
    });
    Ok(Body::Contact {
        separation: Some(found.separation),
        separation_bound: Some(found.separation_bound),
        error: Some(found.error),
        normal: Some(point_row(found.normal)),
        contacts: contacts.collect(),
    })
}

/// The answer of a query that no budget ends, and its work.
fn parts<T, P>(answer: heurt_query::Answer<T, P>) -> (Option<T>, Work) {
    let work = answer.work;
    (answer.complete(), work)
}

/// Queries through the trees that a request chooses; `None` if it chooses none.
fn through<R>(
    store: &ShapeStore,
    trees: &Trees,
    [a, b]: [&ResolvedShape; 2],
    query: impl Fn(TreePair<'_>, [&Pose; 2]) -> R,
) -> Result<Option<R>, FieldError> {
    let Some(choice) = store.choice(trees)? else { return Ok(None) };
    let (of_a, of_b) = (a.tree(choice)?, b.tree(choice)?);
    let pair = TreePair::new((a.mesh("a tree")?, &of_a), (b.mesh("a tree")?, &of_b));
    Ok(pair.ok().map(|pair| query(pair, [a.mesh_pose(), b.mesh_pose()])))
}

fn pairs(
    [a, b]: [&Placed; 2],
    limit: usize,
    trees: &Trees,
    store: &ShapeStore,
    work: &mut Work,
) -> Result<Body, FieldError> {
    let [a, b] = [store.ready(a)?, store.ready(b)?];
    let chosen = through(store, trees, [&a, &b], |trees, [p, q]| trees.pairs(p, q))?;
    let (Ok(mesh_a), Ok(mesh_b)) = (a.mesh("`pairs`"), b.mesh("`pairs`")) else {
        let ((of_a, pose_a), (of_b, pose_b)) = (a.described(), b.described());
        let (pairs, done) = parts(heurt_query::pairs_with(of_a, pose_a, of_b, pose_b, &PairsOptions::default()));
        *work += done;
        let mut pairs = pairs.unwrap_or_default();
        let count = pairs.len();
        pairs.truncate(limit);
        return Ok(Body::Pairs { pairs, count });
    };
    let (pairs, done) = chosen.map(parts).unwrap_or_else(|| {
        parts(heurt_query::pairs_with(mesh_a, a.mesh_pose(), mesh_b, b.mesh_pose(), &PairsOptions::default()))
    });
    *work += done;
    let mut pairs = pairs.unwrap_or_default();
    if a.is_primitive() || b.is_primitive() {
        // A hull is one primitive, filled: it also intersects the triangles that lie in it.
        if a.is_primitive() {
            pairs.extend(triangles_with_corner_in(mesh_a, b.triangles(mesh_b)).map(|triangle| [0, triangle]));
        }
        if b.is_primitive() {
            pairs.extend(triangles_with_corner_in(mesh_b, a.triangles(mesh_a)).map(|triangle| [triangle, 0]));
        }
        for pair in &mut pairs {
            *pair = [a.primitive(pair[0]), b.primitive(pair[1])];
        }
        pairs.sort_unstable();
        pairs.dedup();
    }
    let count = pairs.len();
    pairs.truncate(limit);
    Ok(Body::Pairs { pairs, count })
}

fn distance(
    [a, b]: [&Placed; 2],
    max: f64,
    how: &QueryOptions,
    store: &ShapeStore,
    work: &mut Work,
) -> Result<Body, FieldError> {
    let [a, b] = [store.ready(a)?, store.ready(b)?];
    if let Some(limit) = how.budget {
        return distance_within(limit, [&a, &b], max, work);
    }
    let (found, done) = nearest([&a, &b], max, how, store)?;
    *work += done;
    report_distance(found, max, None)
}

pub(super) fn report_distance(
    found: Option<heurt_query::Distance>,
    max: f64,
    complete: Option<bool>,
) -> Result<Body, FieldError> {
    let Some(found) = found.filter(|found| found.distance <= max) else {
        return Ok(Body::Beyond { distance: None, complete });
    };
    if !found.distance.is_finite() || !found.error.is_finite() {
        return Err(beyond("b", "the shape".to_owned(), "its distance from the other"));
    }
    Ok(Body::Distance {
        distance: found.distance,
        point_a: found.point_a.to_array(),
        point_b: found.point_b.to_array(),
        // A distance may also round to 0; its direction is then meaningless.
        normal: found.normal.filter(|_| found.distance > 0.0).map(point_row),
        error: found.error,
        complete,
    })
}

/// Computes the distance of disjoint shapes by their closest features; returns an error if the method cannot decide.
fn by_closest_features([(a, pose_a), (b, pose_b)]: [OnPose<'_>; 2]) -> Result<heurt_query::Distance, FieldError> {
    let found = distance_by_closest_features(a, pose_a, b, pose_b).filter(|found| found.distance > 0.0);
    found.ok_or_else(|| {
        let cause = "the method decides nothing here (curved, overlapping, or nearer than roundings): leave it out";
        FieldError::refused("method", "closest-features", cause)
    })
}

/// Computes the distance by the algorithm for these shapes or of the request; a distance beyond `max` may or may not be
/// found.
fn nearest(
    [a, b]: [&ResolvedShape; 2],
    max: f64,
    QueryOptions { trees, method, .. }: &QueryOptions,
    store: &ShapeStore,
) -> Result<(Option<heurt_query::Distance>, Work), FieldError> {
    if let Some(("closest-features", convex)) = named(*method, &["gjk", "closest-features"], a, b)? {
        let found = by_closest_features(convex)?;
        return Ok((Some(found), Work { primitives: 1, ..Work::default() }));
    }
    let chosen = through(store, trees, [a, b], |trees, [p, q]| trees.distance(p, q, max))?;
    let ((shape_a, pose_a), (shape_b, pose_b)) = placed(a, b)?;
    let (found, work) = chosen.map(parts).unwrap_or_else(|| {
        let options = DistanceOptions { max_distance: max, ..DistanceOptions::default() };
        parts(heurt_query::distance_with(shape_a, pose_a, shape_b, pose_b, &options))
    });
    Ok((found.flatten(), work))
}

/// Returns the error for a number outside the range of `f64`: JSON has no infinity, and `null` has another meaning.
pub(super) fn beyond(field: &str, value: String, what: &str) -> FieldError {
    FieldError::refused(field, value, format!("{what} would leave the range of f64: choose another unit of length"))
}

fn closest(a: &ResolvedShape, point: Vec3, work: &mut Work) -> Result<Body, FieldError> {
    let (shape, pose) = a.any()?;
    let answer = heurt_query::closest_with(shape, pose, point, &ClosestOptions::default());
    *work += answer.work;
    // A distance beyond the range of numbers is reported below.
    let found = answer.value().unwrap_or_else(|| heurt_query::closest(shape, pose, point));
    if !found.distance.is_finite() || !found.error.is_finite() {
        return Err(beyond("point", format!("{:?}", point.to_array()), "the distance"));
    }
    Ok(Body::Closest {
        point: found.point.to_array(),
        distance: found.distance,
        // On the boundary the distance is 0; its sign would only confuse readers.
        signed_distance: found.signed_distance.map(|distance| distance + 0.0),
        inside: found.inside,
        primitive: a.primitive(found.primitive),
        error: found.error,
    })
}

/// Returns the numbers of the placed triangles that have a corner in the solid hull `hull`; none for a flat one.
fn triangles_with_corner_in<'t>(
    hull: &'t MeshShape,
    triangles: impl Iterator<Item = (u32, [Vec3; 3])> + 't,
) -> impl Iterator<Item = u32> + 't {
    let has_corner_in = |corners: &[Vec3; 3]| corners.iter().any(|&corner| hull.contains_if_convex(corner));
    triangles.filter(move |(_, corners)| hull.is_solid() && has_corner_in(corners)).map(|(triangle, _)| triangle)
}
