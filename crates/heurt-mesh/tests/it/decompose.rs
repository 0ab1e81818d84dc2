//! Convex decomposition: the pieces cover the solid without a crack, are convex, and are as near to it as they say.

use crate::shapes::{Random, cube, cuboid, mesh, open_box, tetrahedron, unshared};
use heurt_geometry::{ConvexHull, Pose, Quat, Sign, Triangle, Vec3, orient3d};
use heurt_mesh::{
    Class, DecomposeError, DecomposeOptions, Decomposition, MIN_TOLERANCE, TriMesh, check, decompose,
    decompose_with_progress, generate,
};

fn with(tolerance: f64) -> DecomposeOptions {
    DecomposeOptions { tolerance, ..DecomposeOptions::default() }
}

fn merged(meshes: &[TriMesh]) -> TriMesh {
    TriMesh::merged(meshes).unwrap()
}

fn triangles(mesh: &TriMesh) -> Vec<Triangle> {
    (0..mesh.triangles().len() as u32).map(|triangle| mesh.corners(triangle)).collect()
}

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.next()
}

/// Turned, so that nothing is along an axis.
fn turned(mesh: &TriMesh) -> TriMesh {
    let rotation = Quat::from_xyzw(0.3, -0.5, 0.1, 0.8).normalize();
    mesh.transformed(&Pose::from_quaternion(rotation.to_array(), Vec3::new(0.1, 0.2, -0.3)).unwrap()).unwrap()
}

/// An L of two boxes in one surface.
fn ell() -> TriMesh {
    generate::bracket([3.0, 2.0, 2.5], 0.5, None, None, 3).unwrap()
}

/// How often the triangles wind round `point`, exactly; `None` where it lies on one, or ten lines in a row meet edges.
fn winding(triangles: &[Triangle], point: Vec3) -> Option<i32> {
    let size = triangles.iter().flatten().fold(point.abs().max_element(), |m, p| m.max(p.abs().max_element()));
    let mut random = Random::new(7);
    'line: for _ in 0..10 {
        let far = Vec3::new(between(&mut random, -1.0, 1.0), between(&mut random, -1.0, 1.0), 1.0) * (8.0 * size);
        let mut winding = 0;
        for &[a, b, c] in triangles {
            let sides = [point, far].map(|p| orient3d(a, b, c, p));
            let turns = [(a, b), (b, c), (c, a)].map(|(p, q)| orient3d(point, far, p, q));
            let within = turns.iter().all(|s| *s != Sign::Negative) || turns.iter().all(|s| *s != Sign::Positive);
            if sides[0] == sides[1] && sides[0] != Sign::Zero || !within {
                continue;
            }
            if sides[0] == Sign::Zero && sides[1] != Sign::Zero {
                return None;
            }
            if sides[1] == Sign::Zero || turns.contains(&Sign::Zero) {
                continue 'line;
            }
            winding += if sides[1] == Sign::Positive { 1 } else { -1 };
        }
        return Some(winding);
    }
    None
}

fn holds(piece: &TriMesh, point: Vec3) -> bool {
    triangles(piece).iter().all(|&[a, b, c]| orient3d(a, b, c, point) != Sign::Positive)
}

/// Fails unless all of `points` that the mesh winds round are in a piece; gives their number.
fn assert_covered(name: &str, mesh: &TriMesh, pieces: &[&TriMesh], points: impl IntoIterator<Item = Vec3>) -> usize {
    let surface = triangles(mesh);
    let mut count = 0;
    for point in points {
        if pieces.iter().any(|piece| holds(piece, point)) {
            count += 1;
        } else {
            let outside = winding(&surface, point) == Some(0) && !mesh.vertices().contains(&point);
            assert!(outside, "{name}: {point} is in no piece");
        }
    }
    count
}

/// Places where a crack would show: all over, on the surface, on and about the corners and edges of pieces.
fn probes(mesh: &TriMesh, pieces: &[&TriMesh]) -> Vec<Vec3> {
    let (bounds, mut random) = (mesh.bounds(), Random::new(3));
    let mut points: Vec<Vec3> = mesh.triangles().iter().flatten().map(|&v| mesh.vertices()[v as usize]).collect();
    let size = (bounds.max - bounds.min).length();
    for _ in 0..500 {
        let share = Vec3::from_array([0; 3].map(|_| between(&mut random, 0.0, 1.0)));
        points.push(bounds.min + (bounds.max - bounds.min) * share);
    }
    let mut on = |[a, b, c]: Triangle, points: &mut Vec<Vec3>| {
        let (s, t) = (random.next(), random.next());
        points.extend([a + (b - a) * s, a + (b - a) * s * t + (c - a) * s * (1.0 - t)]);
    };
    triangles(mesh).into_iter().for_each(|triangle| on(triangle, &mut points));
    for triangle in pieces.iter().flat_map(|piece| triangles(piece)).take(3000) {
        on(triangle, &mut points);
        points.extend(triangle);
        points.push(triangle[0] + (bounds.centre() - triangle[0]).normalize_or_zero() * size * 1e-15);
    }
    points
}

/// The distance to a triangle, by a look at all its features.
fn distance(p: Vec3, &[a, b, c]: &Triangle) -> f64 {
    let to_segment = |a: Vec3, b: Vec3| {
        let share = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        (a + (b - a) * if share.is_nan() { 0.0 } else { share } - p).length()
    };
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let foot = p - normal * normal.dot(p - a);
    let is_over = [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| (q - p).cross(foot - p).dot(normal) >= 0.0);
    let edges = to_segment(a, b).min(to_segment(b, c)).min(to_segment(c, a));
    if is_over && normal != Vec3::ZERO { edges.min((foot - p).length()) } else { edges }
}

/// The greatest distance of points on a piece from the solid.
fn sampled_concavity(surface: &[Triangle], piece: &TriMesh, each: usize) -> f64 {
    let mut random = Random::new(5);
    let mut most = 0.0f64;
    for [a, b, c] in triangles(piece) {
        for _ in 0..each {
            let (s, t) = (between(&mut random, 0.0, 1.0), between(&mut random, 0.0, 1.0));
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            let point = a + (b - a) * s + (c - a) * t;
            let near = surface.iter().map(|triangle| distance(point, triangle)).fold(f64::INFINITY, f64::min);
            if near > most && winding(surface, point) == Some(0) {
                most = near;
            }
        }
    }
    most
}

/// Everything that is promised for any closed mesh; `each` points of a facet are measured.
fn assert_sound(name: &str, mesh: &TriMesh, options: &DecomposeOptions, each: usize) -> Decomposition {
    let found = decompose(mesh, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let pieces: Vec<&TriMesh> = found.pieces().map(|piece| &piece.hull).collect();
    assert!(pieces.len() <= options.max_pieces, "{name}");
    for node in found.nodes() {
        assert_eq!(check(&node.hull).class, Class::Convex, "{name}");
        for child in node.children.iter().flatten().map(|&child| &found.nodes()[child as usize]) {
            assert!(child.hull.vertices().iter().all(|&vertex| holds(&node.hull, vertex)), "{name}: not nested");
        }
    }
    let inside = assert_covered(name, mesh, &pieces, probes(mesh, &pieces));
    assert!(inside > 0, "{name}: nothing was tested");
    let surface = triangles(mesh);
    for node in found.nodes().iter().filter(|_| each > 0) {
        let sampled = sampled_concavity(&surface, &node.hull, each);
        assert!(sampled <= node.concavity, "{name}: {sampled} is above {}", node.concavity);
    }
    found
}

#[test]
fn parts_are_covered_within_the_tolerance() {
    let gear = generate::gear(8, 1.0, 0.35, 0.0, 2.0, 3.0, 2).unwrap();
    for (name, mesh) in [
        ("L", ell()),
        ("L turned", turned(&ell())),
        ("torus", generate::torus(1.0, 0.3, 24, 12).unwrap()),
        ("torus turned", turned(&generate::torus(1.0, 0.3, 24, 12).unwrap())),
        ("gear", gear.clone()),
        ("gear turned", turned(&gear)),
        ("plate with holes", generate::plate([3.0, 2.0, 0.3], [2, 1], 0.6, 16).unwrap()),
        ("bracket", turned(&generate::bracket([3.0, 2.0, 2.5], 0.5, Some(0.6), Some(0.6), 12).unwrap())),
        ("nut", generate::metric_nut(0.01, 12).unwrap()),
        ("bumpy", generate::bumpy_sphere(1.0, 0.4, 2.0, 16).unwrap()),
        ("inside out", generate::torus(1.0, 0.3, 16, 8).unwrap().reversed()),
        ("unshared", unshared(&ell())),
        ("two cubes", merged(&[cube(), cuboid([2.0; 3], [3.0; 3])])),
        ("thick shell", merged(&[cuboid([-4.0; 3], [4.0; 3]), cuboid([-1.0; 3], [1.0; 3]).reversed()])),
    ] {
        let found = assert_sound(name, &mesh, &with(0.03), 2);
        assert!(found.concavity() <= found.tolerance(), "{name}: {} above {}", found.concavity(), found.tolerance());
    }
}

#[test]
fn a_convex_mesh_is_its_hull() {
    for (name, mesh) in [
        ("cube", cube()),
        ("tetrahedron", tetrahedron()),
        ("cube turned", turned(&generate::icosphere(1.0, 2).unwrap())),
        ("unshared", unshared(&cube())),
        ("refined", generate::subdivided(&cube(), 2).unwrap()),
        ("tiny", cube().scaled(1e-300).unwrap()),
        ("huge", cube().scaled(1e300).unwrap()),
    ] {
        let found = decompose(&mesh, &DecomposeOptions::default()).unwrap();
        assert_eq!(found.nodes().len(), 1, "{name}");
        let hull = ConvexHull::new(mesh.vertices()).unwrap();
        let corners: Vec<Vec3> = hull.vertices().iter().map(|&corner| mesh.vertices()[corner as usize]).collect();
        assert_eq!(found.nodes()[0].hull.vertices().len(), corners.len(), "{name}");
        assert!(found.nodes()[0].hull.vertices().iter().all(|vertex| corners.contains(vertex)), "{name}");
        assert_eq!(check(&found.nodes()[0].hull).class, Class::Convex, "{name}");
        assert!(found.concavity() < 1e-12 * found.tolerance(), "{name}: {}", found.concavity());
    }
}

#[test]
fn an_l_is_two_boxes() {
    for mesh in [ell(), turned(&ell())] {
        let found = decompose(&mesh, &with(0.01)).unwrap();
        assert_eq!(found.pieces().count(), 2);
        assert!(found.pieces().all(|piece| piece.hull.triangles().len() == 12), "no crumbs at the cut");
    }
}

#[test]
fn at_the_least_tolerance_convex_pieces_are_recognised() {
    for mesh in [ell(), turned(&ell())] {
        let found = decompose(&mesh, &with(MIN_TOLERANCE)).unwrap();
        assert_eq!(found.pieces().count(), 2);
        assert!(found.concavity() <= 0.011 * found.tolerance(), "{}", found.concavity());
    }
}

#[test]
fn at_the_least_tolerance_a_ball_of_spikes_is_covered() {
    // Cuts meet needles, so that borders of caps cross themselves.
    let (vertices, triangles) = generate::icosphere(1.0, 1).unwrap().into_parts();
    let mut random = Random::new(21);
    let spikes = vertices.into_iter().map(|vertex| vertex * between(&mut random, 0.5, 1.5)).collect();
    let mesh = TriMesh::new(spikes, triangles).unwrap();
    let found = assert_sound("spikes", &mesh, &with(MIN_TOLERANCE), 1);
    assert!(found.concavity() <= found.tolerance());
    assert!(found.pieces().count() < 600, "{}", found.pieces().count());
}

#[test]
fn bodies_apart_are_parted_first() {
    let row: Vec<TriMesh> =
        (0..7).map(|k| cuboid([2.0 * f64::from(k), 0.0, 0.0], [2.0 * f64::from(k) + 1.0, 1.0, 1.0])).collect();
    let found = decompose(&merged(&row), &DecomposeOptions::default()).unwrap();
    assert_eq!(found.pieces().count(), 7);
    assert!(found.pieces().all(|piece| piece.hull.triangles().len() == 12));
}

#[test]
fn the_most_pieces_are_kept_and_fronts_cover() {
    let torus = generate::torus(1.0, 0.3, 24, 12).unwrap();
    let mut last = f64::INFINITY;
    for max_pieces in [1, 2, 3, 5, 8] {
        let found = assert_sound("torus", &torus, &DecomposeOptions { max_pieces, tolerance: 0.001 }, 1);
        assert_eq!(found.pieces().count(), max_pieces);
        assert!(found.concavity() <= last * 1.3);
        last = found.concavity();
    }
    let found = decompose(&torus, &with(0.02)).unwrap();
    for count in [0, 1, 2, 5, 1000] {
        let front = found.front(count);
        assert!(front.len() <= count.max(1) && (front.len() == count || count == 0 || count == 1000));
        let pieces: Vec<&TriMesh> = front.iter().map(|&n| &found.nodes()[n as usize].hull).collect();
        assert_covered("front", &torus, &pieces, probes(&torus, &pieces));
    }
    assert_eq!(found.front(1000).len(), found.pieces().count());
}

#[test]
fn threads_change_no_bit() {
    let mesh = turned(&generate::bracket([3.0, 2.0, 2.5], 0.5, Some(0.6), Some(0.6), 24).unwrap());
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| decompose(&mesh, &with(0.02)).unwrap())
    };
    let one = on(1);
    assert!(one == on(2) && one == on(3));
}

#[test]
fn progress_ends_at_one() {
    let shares = std::sync::Mutex::new(Vec::new());
    let torus = generate::torus(1.0, 0.3, 24, 12).unwrap();
    decompose_with_progress(&torus, &with(0.02), &|share| shares.lock().unwrap().push(share)).unwrap();
    let shares = shares.into_inner().unwrap();
    assert!(shares.len() > 2 && shares.iter().all(|share| (0.0..=1.0).contains(share)) && shares.last() == Some(&1.0));
}

#[test]
fn what_cannot_be_decomposed_says_why() {
    let options = DecomposeOptions::default();
    assert!(matches!(decompose(&open_box(), &options), Err(DecomposeError::Open { edges: 4, .. })));
    let flat = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2], [0, 2, 1]]);
    assert_eq!(decompose(&flat, &options), Err(DecomposeError::Flat { components: 1 }));
    let collapsed = mesh(&[[0.0; 3], [1.0, 0.0, 0.0]], &[[0, 1, 0], [1, 1, 1]]);
    assert!(matches!(decompose(&collapsed, &options), Err(DecomposeError::Flat { .. })));
    for tolerance in [0.0, -1.0, 1e-9, 1.5, f64::NAN, f64::INFINITY] {
        assert!(matches!(decompose(&cube(), &with(tolerance)), Err(DecomposeError::BadTolerance { .. })));
    }
    let none = DecomposeOptions { max_pieces: 0, ..options };
    assert_eq!(decompose(&cube(), &none), Err(DecomposeError::NoPieces));
    let mut spread = cube().into_parts();
    spread.0[0] = Vec3::new(1e-200, 0.0, 0.0);
    spread.0[7] = Vec3::splat(1e200);
    let spread = TriMesh::new(spread.0, spread.1).unwrap();
    assert!(matches!(decompose(&spread, &options), Err(DecomposeError::Unscalable { vertex: 0, .. })));
    let error = decompose(&cube().scaled(1e-320).unwrap(), &options).unwrap_err();
    assert!(matches!(error, DecomposeError::Unscalable { .. }), "{error}");
}

#[test]
fn any_size_and_place_gives_the_same_pieces() {
    let mesh = turned(&generate::torus(1.0, 0.3, 10, 6).unwrap());
    let plain = decompose(&mesh, &with(0.03)).unwrap();
    for exponent in [-990, 7] {
        let scaled = mesh.scaled(2f64.powi(exponent)).unwrap();
        let found = decompose(&scaled, &with(0.03)).unwrap();
        assert_eq!(found.pieces().count(), plain.pieces().count());
        let back = |p: &Vec3| *p * 2f64.powi(-exponent / 2) * 2f64.powi(-exponent + exponent / 2);
        for (a, b) in found.nodes().iter().zip(plain.nodes()) {
            assert!(a.hull.vertices().iter().map(back).eq(b.hull.vertices().iter().copied()));
        }
    }
    // At the end of the range of f64 a corner has nowhere to go.
    let huge = decompose(&mesh.scaled(1e308).unwrap(), &with(0.03));
    assert!(matches!(huge, Ok(_) | Err(DecomposeError::Overflow(_))));
    for far in [1e3, 1e12] {
        let moved = mesh.transformed(&Pose::from_translation(Vec3::new(far, -far, 0.3 * far)).unwrap()).unwrap();
        assert_sound("far", &moved, &DecomposeOptions { tolerance: 0.03, max_pieces: 64 }, 0);
    }
}

#[test]
fn hostile_closed_meshes_are_covered() {
    let limited = DecomposeOptions { tolerance: 0.05, max_pieces: 60 };
    let torus = generate::torus(1.0, 0.3, 12, 8).unwrap();
    let doubled = merged(&[torus.clone(), torus.clone()]);
    let crossing = merged(&[torus.clone(), turned(&torus), ell()]);
    let nested = merged(&[
        cuboid([-5.0; 3], [5.0; 3]),
        cuboid([-4.0; 3], [4.0; 3]).reversed(),
        generate::torus(2.0, 0.5, 12, 6).unwrap(),
        cuboid([-0.5; 3], [0.5; 3]).reversed(),
    ]);
    let flat = mesh(&[[0.0; 3], [9.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2], [0, 2, 1]]);
    let needle = cuboid([0.0; 3], [1.0, 1e-9, 1e-9]);
    let sheet = merged(&[cuboid([0.0; 3], [1.0, 1.0, 1e-13]), cuboid([0.2, 0.2, 0.0], [0.4, 0.4, 0.5])]);
    let touching = merged(&[cube(), cuboid([1.0, 0.0, 0.0], [2.0, 2.0, 1.0]), cuboid([1.0; 3], [2.0; 3])]);
    for (name, mesh) in [
        ("doubled", doubled),
        ("crossing", crossing),
        ("nested", nested),
        ("with a flat one", merged(&[torus.clone(), flat])),
        ("needle across", merged(&[needle.clone(), turned(&needle)])),
        ("sheet", sheet),
        ("touching", touching),
    ] {
        let found = decompose(&mesh, &limited).unwrap();
        let pieces: Vec<&TriMesh> = found.pieces().map(|piece| &piece.hull).collect();
        assert!(pieces.iter().all(|piece| check(piece).class == Class::Convex), "{name}");
        // A flat component bounds nothing, so that it need not be covered.
        let points = probes(&mesh, &pieces).into_iter().filter(|point| name != "with a flat one" || point.z != 0.0);
        assert!(assert_covered(name, &mesh, &pieces, points) > 0);
    }
}

#[test]
fn random_closed_surfaces_are_covered() {
    for seed in 1..40 {
        let mut random = Random::new(seed);
        // The topology of a sphere or a torus on random places: it passes through itself everywhere.
        let base = if seed % 2 == 0 { generate::octahedron(1.0) } else { generate::torus(1.0, 0.3, 4, 3) }.unwrap();
        let grid = seed % 3 == 0;
        let place = |random: &mut Random| {
            let x = between(random, -4.0, 4.0);
            if grid { x.round() } else { x }
        };
        let vertices = base.vertices().iter().map(|_| Vec3::from_array([0; 3].map(|_| place(&mut random)))).collect();
        let mesh = TriMesh::new(vertices, base.triangles().to_vec()).unwrap();
        let options = DecomposeOptions { tolerance: 0.03, max_pieces: 24 };
        match decompose(&mesh, &options) {
            Ok(_) => drop(assert_sound(&format!("seed {seed}"), &mesh, &options, 1)),
            Err(error) => assert!(matches!(error, DecomposeError::Flat { .. }), "{error}"),
        }
    }
}
