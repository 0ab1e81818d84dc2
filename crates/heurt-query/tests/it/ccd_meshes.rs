//! Moving meshes: the same contacts as all pairs of features asked one by one, each once.

use crate::forms::{counted, outcome};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{Cloth, cuboid, icosphere, torus};
use heurt_query::ccd::{
    CcdError, CcdOptions, FeaturePair, MeshImpact, MovingMesh, MovingMeshError, MovingPrimitives, edge_edge,
    first_impact, first_impact_with, first_self_impact, first_self_impact_with, impacts, impacts_with, self_impacts,
    self_impacts_with, vertex_face,
};
use heurt_query::{Budget, Budgeted, CastOptions, cast};
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;
use std::collections::BTreeSet;

/// A mesh and where its vertices are at both ends.
struct MovingSurface {
    mesh: TriMesh,
    ends: [Vec<Vec3>; 2],
}

impl MovingSurface {
    fn moving(&self) -> MovingMesh {
        let mut moving = MovingMesh::new(&self.mesh).unwrap();
        moving.step(&self.ends[0], &self.ends[1]).unwrap();
        moving
    }

    fn vertices(&self) -> BTreeSet<u32> {
        self.mesh.triangles().iter().flatten().copied().collect()
    }

    fn edges(&self) -> BTreeSet<[u32; 2]> {
        let sides = self.mesh.triangles().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        sides.map(|[a, b]| [a.min(b), a.max(b)]).filter(|[a, b]| a != b).collect()
    }

    fn are_one(&self, u: u32, v: u32) -> bool {
        let at = |places: &[Vec3]| places[u as usize] == places[v as usize];
        u == v || at(self.mesh.vertices()) && self.ends.iter().all(|places| at(places))
    }
}

/// Asks every vertex of `a` against every triangle of `b`, then the other way round, then all pairs of edges; of one mesh those
/// that share no vertex, once.
fn brute_force(a: &MovingSurface, b: &MovingSurface, is_one: bool, options: &CcdOptions) -> Vec<MeshImpact> {
    let mut found = Vec::new();
    let mut add = |meeting, corners: [(&MovingSurface, u32); 4]| {
        let end = |k: usize| corners.map(|(surface, vertex)| surface.ends[k][vertex as usize]);
        let primitives = MovingPrimitives { start: end(0), end: end(1) };
        let find_impact = if matches!(meeting, FeaturePair::EdgeEdge { .. }) { edge_edge } else { vertex_face };
        if let Some(impact) = find_impact(&primitives, options).unwrap() {
            found.push(MeshImpact { time: impact.time, time_upper: impact.time_upper, meeting });
        }
    };
    let share = |x: &[u32], y: &[u32]| is_one && x.iter().any(|&u| y.iter().any(|&v| a.are_one(u, v)));
    for vertex in a.vertices() {
        for (face, corners) in (0u32..).zip(b.mesh.triangles()).filter(|(_, corners)| !share(&[vertex], *corners)) {
            let [u, v, w] = corners.map(|corner| (b, corner));
            add(FeaturePair::VertexFace { vertex, face }, [(a, vertex), u, v, w]);
        }
    }
    for vertex in if is_one { BTreeSet::new() } else { b.vertices() } {
        for (face, corners) in (0u32..).zip(a.mesh.triangles()) {
            let [u, v, w] = corners.map(|corner| (a, corner));
            add(FeaturePair::FaceVertex { face, vertex }, [(b, vertex), u, v, w]);
        }
    }
    for x in a.edges() {
        for y in b.edges().into_iter().filter(|y| !is_one || x < *y && !share(&x, y)) {
            let [[s, t], [u, v]] = [x, y];
            add(FeaturePair::EdgeEdge { a: x, b: y }, [(a, s), (a, t), (b, u), (b, v)]);
        }
    }
    found.sort_unstable_by(|x, y| x.time.total_cmp(&y.time).then(x.meeting.cmp(&y.meeting)));
    found
}

/// Moves every vertex as a whole, turned and bent, and a little by itself.
fn random_surface(random: &mut Random, mesh: TriMesh, reach: f64, own: f64) -> MovingSurface {
    let mut end = || {
        let (pose, bend) = (random.pose(reach), random.between(-0.3, 0.3));
        let moved = |v: &Vec3| pose.place(*v * (1.0 + bend * v.z)) + random.vector(own);
        mesh.vertices().iter().map(moved).collect()
    };
    let ends = [end(), end()];
    MovingSurface { mesh, ends }
}

fn check_pair(a: &MovingSurface, b: &MovingSurface, options: &CcdOptions) -> usize {
    let expected = brute_force(a, b, false, options);
    let (moving_a, moving_b) = (a.moving(), b.moving());
    assert_eq!(impacts(&moving_a, &moving_b, options).unwrap(), expected);
    check_first(first_impact(&moving_a, &moving_b, options).unwrap(), &expected);
    expected.len()
}

fn check_self(surface: &MovingSurface, options: &CcdOptions) -> usize {
    let expected = brute_force(surface, surface, true, options);
    let moving = surface.moving();
    assert_eq!(self_impacts(&moving, options).unwrap(), expected);
    check_first(first_self_impact(&moving, options).unwrap(), &expected);
    expected.len()
}

/// A search that ends early may enclose the time of the first contact otherwise, but no less well.
fn check_first(first: Option<MeshImpact>, all: &[MeshImpact]) {
    assert_eq!(first.is_some(), !all.is_empty());
    let Some(first) = first else { return };
    let same = all.iter().find(|impact| impact.meeting == first.meeting).expect("one of all");
    let true_upper = all.iter().map(|impact| impact.time_upper).fold(1.0, f64::min);
    assert!(first.time <= true_upper, "{first:?} begins after {true_upper}, when something has met");
    assert!(
        first.time <= same.time_upper && same.time <= first.time_upper,
        "{first:?} and {same:?} are the same contact"
    );
}

#[test]
fn pairs_of_bodies_that_bend_meet_as_their_features_do() {
    let mut random = Random::new(501);
    let mut met = 0;
    for turn in 0..40 {
        let a = random_surface(&mut random, icosphere(1.0, 1).unwrap(), 0.9, 0.05);
        let b = random_surface(&mut random, torus(0.8, 0.3, 7, 5).unwrap(), 0.9, 0.05);
        let min_separation = if turn % 3 == 0 { 0.1 } else { 0.0 };
        let max_time = if turn % 4 == 0 { 0.25 } else { 1.0 };
        met += check_pair(&a, &b, &CcdOptions { min_separation, max_time, ..Default::default() });
    }
    assert!(met > 3000, "{met} contacts");
}

#[test]
fn bodies_meet_themselves_as_their_features_do() {
    let mut random = Random::new(502);
    let mut met = 0;
    for turn in 0..20 {
        let mesh = if turn % 2 == 0 { torus(0.8, 0.3, 9, 5).unwrap() } else { icosphere(1.0, 1).unwrap() };
        let surface = random_surface(&mut random, mesh, 0.9, if turn % 5 == 0 { 0.6 } else { 0.05 });
        let min_separation = if turn % 3 == 0 { 0.02 } else { 0.0 };
        met += check_self(&surface, &CcdOptions { min_separation, ..Default::default() });
    }
    assert!(met > 300, "{met} contacts");
}

#[test]
fn a_cloth_folds_onto_itself_as_its_features_do() {
    let cloth = Cloth::new(24, 2).unwrap();
    let mut met = 0;
    for (from, to) in [(0.9, 0.95), (0.95, 0.97), (0.97, 1.0)] {
        let surface =
            MovingSurface { mesh: cloth.sheet().clone(), ends: [from, to].map(|folded| cloth.vertices(folded)) };
        met += check_self(&surface, &CcdOptions::default());
    }
    assert!(met > 10, "{met} contacts");
}

#[test]
fn coordinates_of_a_lattice_meet_as_features_do() {
    let mut random = Random::new(503);
    let mut met = 0;
    for _ in 0..20 {
        // Many vertices in one place, triangles without area, edges in line, contact at both ends.
        let mut place = |_| Vec3::new(random.whole(0, 3) as f64, random.whole(0, 3) as f64, random.whole(0, 3) as f64);
        let vertices: Vec<Vec3> = (0..10).map(&mut place).collect();
        let ends = [(0..10).map(&mut place).collect(), (0..10).map(&mut place).collect()];
        let triangles = (0..14).map(|_| [0; 3].map(|_: i32| random.whole(0, 9) as u32)).collect();
        let Ok(mesh) = TriMesh::new(vertices, triangles) else { continue };
        let surface = MovingSurface { mesh, ends };
        met += check_self(&surface, &CcdOptions::default());
        met += check_pair(&surface, &surface, &CcdOptions::default());
    }
    assert!(met > 1000, "{met} contacts");
}

#[test]
fn any_scale_and_any_place_will_do() {
    let mut random = Random::new(504);
    for (size, shift) in [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e9), (1e-150, 0.0), (1e150, 0.0), (1e-3, 1e12)] {
        let mut surface = |mesh: TriMesh| {
            let mut surface = random_surface(&mut random, mesh, 0.9, 0.05);
            surface.ends.iter_mut().flatten().for_each(|v| *v = *v * size + Vec3::splat(shift));
            surface
        };
        let (a, b) = (surface(icosphere(1.0, 0).unwrap()), surface(cuboid([0.7; 3]).unwrap()));
        assert!(check_pair(&a, &b, &CcdOptions::default()) > 0, "size {size}, shift {shift}");
        check_self(&a, &CcdOptions::default());
    }
}

#[test]
fn bodies_of_very_different_size_meet() {
    let mut random = Random::new(505);
    let mut met = 0;
    for _ in 0..10 {
        let a = random_surface(&mut random, icosphere(1.0, 2).unwrap(), 0.1, 0.0);
        let mut b = random_surface(&mut random, icosphere(1e-3, 0).unwrap(), 2.0, 0.0);
        b.ends[1].iter_mut().for_each(|v| *v = -*v);
        met += check_pair(&a, &b, &CcdOptions::default());
        met += check_pair(&b, &a, &CcdOptions::default());
    }
    assert!(met > 10, "{met} contacts");
}

/// Two triangles side by side with an edge of their own each, at the same place.
fn torn_strip() -> TriMesh {
    let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    let vertices = vec![at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(1.0, 0.0), at(2.0, 0.0), at(1.0, 1.0)];
    TriMesh::new(vertices, vec![[0, 1, 2], [3, 4, 5]]).unwrap()
}

#[test]
fn a_seam_is_one_until_it_parts() {
    let mesh = torn_strip();
    let (rest, options) = (mesh.vertices().to_vec(), CcdOptions::default());
    let mut moving = MovingMesh::new(&mesh).unwrap();
    assert_eq!(self_impacts(&moving, &options).unwrap(), []);
    let lifted: Vec<Vec3> = rest.iter().map(|v| *v + Vec3::Z * v.x).collect();
    moving.step(&rest, &lifted).unwrap();
    assert_eq!(self_impacts(&moving, &options).unwrap(), [], "both sides go together");
    let parted: Vec<Vec3> = rest.iter().zip(0..).map(|(v, k)| if k < 3 { *v } else { *v + Vec3::X }).collect();
    moving.step(&parted, &rest).unwrap();
    let again = self_impacts(&moving, &options).unwrap();
    assert!(
        !again.is_empty() && again.iter().all(|impact| impact.time > 0.99),
        "they come together at the end: {again:?}"
    );
    check_self(&MovingSurface { mesh, ends: [parted, rest] }, &options);
}

#[test]
fn a_turning_body_is_never_late() {
    let mut random = Random::new(506);
    let (bar, ball) = (cuboid([2.0, 0.1, 0.1]).unwrap(), icosphere(0.5, 2).unwrap());
    let shapes = [&bar, &ball].map(|mesh| MeshShape::new(mesh.clone()).unwrap());
    let (mut moving, mut still) = (MovingMesh::new(&bar).unwrap(), MovingMesh::new(&ball).unwrap());
    let mut met = 0;
    for _ in 0..60 {
        let (pose, other) = (random.pose(0.5), Pose::from_translation(random.vector(2.0)).unwrap());
        let velocity = other.translation() - pose.translation() + random.vector(0.5);
        let motion = Motion::screw(velocity, random.vector(1.0)).unwrap().about(random.vector(0.5)).unwrap();
        moving.step_rigid(&pose, &motion, 1.0).unwrap();
        still.step_rigid(&other, &Motion::STILL, 1.0).unwrap();
        assert_eq!(still.deviation(), 0.0);
        let first = first_impact(&moving, &still, &CcdOptions::default()).unwrap();
        let options = CastOptions { max_time: 1.0, tolerance: Some(1e-6) };
        let [a, b] = &shapes;
        let Some(exact) = cast(a, &pose, &motion, b, &other, &Motion::STILL, &options).unwrap() else { continue };
        if exact.time > 0.0 {
            let first = first.expect("what meets on arcs meets on chords with room for arcs");
            assert!(first.time <= exact.time_upper, "{first:?} is later than {exact:?}");
            met += 1;
        }
    }
    assert!(met > 10, "{met} contacts");
}

/// What turns more than once may be anywhere: all pairs of features may touch at once, and few need to be asked to know.
#[test]
fn no_search_goes_on_after_a_contact_as_the_step_begins() {
    let ball = icosphere(1.0, 4).unwrap();
    let (mut spinning, mut still) = (MovingMesh::new(&ball).unwrap(), MovingMesh::new(&ball).unwrap());
    let motion = Motion::screw(Vec3::ZERO, Vec3::new(1e9, 2e8, 0.0)).unwrap();
    spinning.step_rigid(&Pose::IDENTITY, &motion, 1.0).unwrap();
    still.step_rigid(&Pose::from_translation(Vec3::X * 2.5).unwrap(), &Motion::STILL, 1.0).unwrap();
    let all = Budget { work: None, is_over: None };
    let (found, work) = first_impact_with(&spinning, &still, &CcdOptions::default(), &all).map(outcome).unwrap();
    assert!(matches!(found, Budgeted::Complete(Some(impact)) if impact.time == 0.0), "{found:?}");
    assert!(work.primitives < 100_000, "{work:?} of 60 million pairs");
    assert_eq!(first_impact(&spinning, &still, &CcdOptions::default()).unwrap().map(|impact| impact.time), Some(0.0));
}

#[test]
fn one_thread_or_four_give_the_same() {
    let cloth = Cloth::new(60, 4).unwrap();
    let mut moving = MovingMesh::new(cloth.sheet()).unwrap();
    moving.step(&cloth.vertices(0.97), &cloth.vertices(1.0)).unwrap();
    let options = CcdOptions { min_separation: 1e-3, ..Default::default() };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            (
                self_impacts_with(&moving, &options, &Budget::default()).map(counted).unwrap(),
                first_self_impact(&moving, &options).unwrap(),
            )
        })
    };
    let one = with(1);
    assert!(one.0.0.len() > 1000);
    assert_eq!(one, with(4));
}

#[test]
fn each_pair_of_features_is_asked_once() {
    let mut moving = MovingMesh::new(&icosphere(1.0, 2).unwrap()).unwrap();
    let other = moving.clone();
    // All boxes meet: every vertex with every triangle, every edge with every edge.
    let far: Vec<Vec3> = moving.start().iter().map(|v| *v + Vec3::splat(10.0)).collect();
    let near: Vec<Vec3> = far.iter().map(|v| *v - Vec3::splat(20.0)).collect();
    moving.step(&far, &near).unwrap();
    let (_, work) = counted(
        impacts_with(&moving, &other, &CcdOptions { min_separation: 5.0, ..Default::default() }, &Budget::default())
            .unwrap(),
    );
    assert_eq!(work.primitives, 2 * 162 * 320 + 480 * 480);
    let (_, work) =
        self_impacts_with(&moving, &CcdOptions { min_separation: 5.0, ..Default::default() }, &Budget::default())
            .map(counted)
            .unwrap();
    // Without the corners of each triangle, edges with themselves, and those with a common vertex: 12 vertices have five
    // edges, the others six.
    assert_eq!(work.primitives, 162 * 320 - 3 * 320 + 480 * 479 / 2 - (12 * 10 + 150 * 15));
}

#[test]
fn bad_steps_leave_the_mesh_as_it_was() {
    let mut moving = MovingMesh::new(&cuboid([1.0; 3]).unwrap()).unwrap();
    let rest = moving.start().to_vec();
    let place =
        |k: usize, x: f64| rest.iter().zip(0..).map(|(v, i)| if i == k { v.with_x(x) } else { *v }).collect::<Vec<_>>();
    let few = moving.step(&rest, &rest[1..]).unwrap_err();
    assert_eq!(few, MovingMeshError::VertexCount { end: "end", count: rest.len(), given: rest.len() - 1 });
    assert!(matches!(
        moving.step(&place(2, f64::NAN), &rest),
        Err(MovingMeshError::Place { end: "start", vertex: 2, .. })
    ));
    assert!(matches!(
        moving.step(&rest, &place(5, f64::INFINITY)),
        Err(MovingMeshError::Place { end: "end", vertex: 5, .. })
    ));
    assert!(matches!(moving.step_to(&place(1, 1e308)), Err(MovingMeshError::Place { end: "end", vertex: 1, .. })));
    assert!(matches!(moving.step_to(&[]), Err(MovingMeshError::VertexCount { end: "end", given: 0, .. })));
    let falls = Motion::linear(Vec3::Z).unwrap();
    let negative = moving.step_rigid(&Pose::IDENTITY, &falls, -1.0).unwrap_err();
    assert_eq!(negative, MovingMeshError::Duration(-1.0));
    assert!(matches!(moving.step_rigid(&Pose::IDENTITY, &falls, f64::NAN), Err(MovingMeshError::Duration(_))));
    let (whirls, falls) = (Motion::screw(Vec3::ZERO, Vec3::Z * 1e140), Motion::ballistic(Vec3::ZERO, Vec3::Z * 1e140));
    for (motion, duration) in [(whirls.unwrap(), 1e20), (falls.unwrap(), 1e85)] {
        let endless = moving.step_rigid(&Pose::IDENTITY, &motion, duration);
        let is_refused = matches!(endless, Err(MovingMeshError::Deviation(_) | MovingMeshError::Pose(_)));
        assert!(is_refused, "{endless:?}");
    }
    let mut huge = MovingMesh::new(&cuboid([1.0; 3]).unwrap().scaled(1e160).unwrap()).unwrap();
    let slowly = Motion::screw(Vec3::ZERO, Vec3::Z * 1e-100).unwrap();
    let endless = huge.step_rigid(&Pose::IDENTITY, &slowly, 1e-100);
    assert!(matches!(endless, Err(MovingMeshError::Deviation(_))), "{endless:?}");
    assert_eq!((moving.start(), moving.end()), (&*rest, &*rest));
    // What stands still touches at once or never.
    moving.step_rigid(&Pose::IDENTITY, &Motion::STILL, 0.0).unwrap();
    let mut other = MovingMesh::new(&cuboid([1.0; 3]).unwrap()).unwrap();
    for (x, touches) in [(1.5, true), (2.0, true), (2.5, false)] {
        let pose = Pose::from_translation(Vec3::X * x).unwrap();
        other.step_rigid(&pose, &Motion::STILL, 1.0).unwrap();
        let found = first_impact(&moving, &other, &CcdOptions::default()).unwrap();
        assert_eq!(found.map(|found| found.time), touches.then_some(0.0), "{x}");
    }
    let options = CcdOptions { max_time: 0.0, ..Default::default() };
    assert_eq!(self_impacts(&moving, &options), Err(CcdError::MaxTime { value: 0.0 }));
    assert_eq!(first_impact(&moving, &moving, &options), Err(CcdError::MaxTime { value: 0.0 }));
    let touching = impacts(&moving, &moving, &CcdOptions::default()).unwrap();
    assert!(!touching.is_empty() && touching.iter().all(|impact| impact.time == 0.0));
}

/// Within budgets of 0, 1, 2, 5, 10, … the times until which nothing meets grow, and what is whole is the answer without a budget.
#[test]
fn a_first_impact_within_a_budget_is_known_until_then() {
    let mut random = Random::new(91);
    let options = CcdOptions::default();
    let (mut cut, mut complete, mut met) = (0, 0, 0);
    for round in 0..12 {
        let meshes = [torus(1.0, 0.4, 12, 8).unwrap(), icosphere(0.8, 2).unwrap()];
        let [a, b] = meshes.map(|mesh| random_surface(&mut random, mesh, 2.5, 0.02).moving());
        let exact = first_impact(&a, &b, &options).unwrap();
        met += usize::from(exact.is_some());
        let first = exact.map_or(1.0, |impact| impact.time_upper);
        let (mut free, mut is_whole) = (0.0, false);
        let some = (0..7).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
        for work in std::iter::once(0).chain(some).chain([u64::MAX]) {
            let (found, done) =
                first_impact_with(&a, &b, &options, &Budget { work: Some(work), is_over: None }).map(outcome).unwrap();
            match found {
                Budgeted::Complete(found) => {
                    assert_eq!(found, exact, "round {round}, {work}");
                    is_whole = true;
                }
                Budgeted::Partial(until) => {
                    assert!(!is_whole && until <= first, "round {round}, {work}: {until} of {exact:?}");
                    assert!(until >= free - options.tolerance, "round {round}, {work}: {until} after {free}");
                    // A batch of features, or what opens a volume.
                    assert!(done.volumes + done.primitives <= work + 64, "{done:?} for {work}");
                    free = until;
                    cut += 1;
                    complete += usize::from(until > 0.0);
                }
            }
        }
        assert!(is_whole, "round {round}");
    }
    assert!(cut > 80 && complete > 20 && met >= 4, "{cut} cut, {complete} complete, {met} met");
    // Too late at once.
    let surface = random_surface(&mut random, icosphere(0.8, 2).unwrap(), 1.5, 0.02).moving();
    let over = || true;
    let found = first_impact_with(&surface, &surface, &options, &Budget { work: None, is_over: Some(&over) })
        .map(outcome)
        .unwrap();
    assert_eq!((found.0, found.1.volumes + found.1.primitives), (Budgeted::Partial(0.0), 0));
}

/// All impacts, those of a mesh with itself, and the first of these within budgets: no impact is before the time told.
#[test]
fn impacts_within_a_budget_are_whole_or_a_time_before_all() {
    let mut random = Random::new(92);
    let options = CcdOptions::default();
    let (mut cut, mut met) = (0, 0);
    for round in 0..20 {
        let meshes = [torus(1.0, 0.4, 12, 8).unwrap(), icosphere(0.8, 2).unwrap()];
        let [a, b] = meshes.map(|mesh| random_surface(&mut random, mesh, 2.5, 0.2).moving());
        let [of_two, of_one] = [impacts(&a, &b, &options).unwrap(), self_impacts(&a, &options).unwrap()];
        let first = first_self_impact(&a, &options).unwrap();
        met += usize::from(!of_two.is_empty()) + usize::from(!of_one.is_empty());
        for work in [0, 1, 10, 100, 1000, 3000, 10_000, 100_000, u64::MAX] {
            let budget = Budget { work: Some(work), is_over: None };
            let answers = [
                (impacts_with(&a, &b, &options, &budget).unwrap(), &of_two),
                (self_impacts_with(&a, &options, &budget).unwrap(), &of_one),
            ];
            for (answer, exact) in answers {
                match answer.outcome {
                    Budgeted::Complete(found) => assert_eq!(&found, exact, "round {round}, {work}"),
                    Budgeted::Partial(until) => {
                        cut += 1;
                        let first = exact.first().map_or(1.0, |impact| impact.time_upper);
                        assert!((0.0..=first).contains(&until), "round {round}, {work}: {until} of {first}");
                    }
                }
            }
            match first_self_impact_with(&a, &options, &budget).unwrap().outcome {
                Budgeted::Complete(found) => assert_eq!(found, first),
                Budgeted::Partial(until) => assert!(until <= first.map_or(1.0, |impact| impact.time_upper)),
            }
        }
    }
    assert!(cut > 100 && met > 10, "{cut} cut, {met} met");
}
