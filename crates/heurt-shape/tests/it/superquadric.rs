//! Superquadrics by themselves: norms, supports, measures, and the convex sets inside.

use heurt_geometry::{Aabb, Mat3, Vec3};
use heurt_mesh::generate::{Superellipsoid, Supertoroid};
use heurt_mesh::measures;
use heurt_shape::{Convex, Core, Shape, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::f64::consts::PI;

fn direction(random: &mut Random) -> Vec3 {
    random.vector(1.0).normalize()
}

fn toroid(r0: f64, r1: f64, n1: f64, n2: f64) -> Superquadric {
    Superquadric::Toroid(Supertoroid::new(r0, r1, n1, n2).unwrap())
}

fn ellipsoid(radii: [f64; 3], n1: f64, n2: f64) -> Superquadric {
    Superquadric::Ellipsoid(Superellipsoid::new(radii, n1, n2).unwrap())
}

fn shapes() -> Vec<Superquadric> {
    vec![
        toroid(1.0, 0.4, 1.0, 1.0),
        toroid(1.0, 0.4, 0.3, 1.7),
        toroid(1.0, 0.6, 2.0, 3.0),
        toroid(1.0, 0.3, 3.0, 0.5),
        ellipsoid([1.0, 0.7, 0.5], 3.0, 3.0),
        ellipsoid([1.0, 0.7, 0.5], 2.5, 0.4),
        ellipsoid([1.0, 0.7, 0.5], 0.2, 4.0),
        ellipsoid([1.0, 0.7, 0.5], 1.0, 1.5),
    ]
}

fn surface(shape: &Superquadric, count: u32) -> Vec<Vec3> {
    let angle = |k: u32| f64::from(k) / f64::from(count) * 2.0 * PI;
    let point = |i: u32, j: u32| match shape {
        Superquadric::Toroid(toroid) => toroid.point(angle(i), angle(j)),
        Superquadric::Ellipsoid(ellipsoid) => ellipsoid.point((angle(i) - PI) / 2.0, angle(j)),
    };
    (0..=count).flat_map(|i| (0..count).map(move |j| point(i, j))).collect()
}

fn level(shape: &Superquadric, point: Vec3) -> f64 {
    match shape {
        Superquadric::Toroid(toroid) => toroid.inside_outside(point),
        Superquadric::Ellipsoid(ellipsoid) => ellipsoid.inside_outside(point),
    }
}

#[test]
fn norms_supports_and_normals_are_those_of_the_surface() {
    let mut random = Random::new(31);
    for shape in shapes() {
        for _ in 0..300 {
            let point = random.vector(1.5);
            let (norm, level) = (shape.norm(point), level(&shape, point));
            assert!((level - 1.0).abs() < 1e-12 || (norm <= 1.0) == (level <= 1.0), "{shape:?} {point}");
            let near = random.vector(0.3) + point;
            let bounds = Aabb { min: point.min(near), max: point.max(near) };
            if bounds.min.to_array().iter().zip(bounds.max.to_array()).all(|(low, high)| low * high >= 0.0) {
                let [of_norm, of_change] = shape.norm_within(&bounds, near - point);
                let step = |t: f64| shape.norm(point + (near - point) * t);
                for k in 0..8 {
                    let t = f64::from(k) / 8.0;
                    let (low, high) = (of_norm[0] - 1e-14, of_norm[1] + 1e-14);
                    assert!((low..=high).contains(&step(t)), "{shape:?} {bounds:?}");
                    let change = (step(t + 0.125) - step(t)) / 0.125;
                    let (low, high) = (of_change[0] - 1e-12, of_change[1] + 1e-12);
                    assert!((low..=high).contains(&change), "{shape:?} {bounds:?}: {change} {of_change:?}");
                }
            }
        }
        let places = surface(&shape, 64);
        for _ in 0..40 {
            let along = direction(&mut random);
            let farthest = shape.support(along);
            assert!((shape.norm(farthest) - 1.0).abs() < 1e-13, "{shape:?}");
            assert!(places.iter().all(|place| place.dot(along) <= farthest.dot(along) + 1e-14), "{shape:?} {along}");
            // A little inside along the normal, a little outside against it.
            let place = shape.to_surface(random.vector(0.9)).unwrap();
            assert!((shape.norm(place) - 1.0).abs() < 1e-12, "{shape:?} {place}");
            if let Some(normal) = shape.normal(place) {
                let (inner, outer) = (shape.norm(place - normal * 1e-7), shape.norm(place + normal * 1e-7));
                assert!(inner < 1.0 && outer > 1.0, "{shape:?} {place} {normal}");
            }
        }
    }
}

#[test]
fn measures_are_those_of_formulas_and_fine_meshes() {
    let near = |x: f64, y: f64, share: f64| (x - y).abs() <= share * y.abs();
    let torus = toroid(2.0, 0.5, 1.0, 1.0).measures().unwrap();
    assert!(near(torus.volume.unwrap(), 2.0 * PI * PI * 2.0 * 0.25, 1e-14));
    assert!(near(torus.area, 4.0 * PI * PI * 2.0 * 0.5, 1e-12));
    let inertia = torus.inertia.unwrap();
    let mass = torus.volume.unwrap();
    assert!(near(inertia.z_axis.z, mass * (4.0 + 0.75 * 0.25), 1e-13));
    assert!(near(inertia.x_axis.x, mass * (0.5 * 4.0 + 0.625 * 0.25), 1e-13));
    assert_eq!((torus.euler, torus.genus, torus.components), (0, Some(1), 1));
    // Exponents near 0 make a frame of square bars: of all corners only little is missing.
    let frame = toroid(2.0, 0.5, 0.01, 0.01).measures().unwrap();
    assert!(near(frame.volume.unwrap(), 5.0 * 5.0 - 3.0 * 3.0, 1e-3), "{frame:?}");
    for shape in shapes() {
        let mesh = match shape {
            Superquadric::Toroid(toroid) => toroid.mesh(512),
            Superquadric::Ellipsoid(ellipsoid) => ellipsoid.mesh(512),
        };
        let (exact, meshed) = (shape.measures().unwrap(), measures(&mesh.unwrap()));
        assert!(near(meshed.area, exact.area, 2e-3), "{shape:?}: {exact:?} {meshed:?}");
        assert!(near(meshed.volume.unwrap(), exact.volume.unwrap(), 2e-3), "{shape:?}: {exact:?} {meshed:?}");
        let (x, y): (Mat3, Mat3) = (meshed.inertia.unwrap(), exact.inertia.unwrap());
        for k in 0..3 {
            assert!(near(x.col(k)[k], y.col(k)[k], 4e-3), "{shape:?}: {exact:?} {meshed:?}");
        }
        assert_eq!((exact.euler, exact.genus), (meshed.euler, meshed.genus), "{shape:?}");
    }
    // The thinner the spikes, the less there is of them.
    let star = |n: f64| Superquadric::Ellipsoid(Superellipsoid::new([1.0, 0.7, 0.5], n, n).unwrap());
    let areas = [6.0, 7.0, 8.0, 9.0, 10.0].map(|n| star(n).measures().unwrap().area);
    assert!(areas.windows(2).all(|pair| pair[1] < pair[0]), "{areas:?}");
    let Superquadric::Ellipsoid(ten) = star(10.0) else { unreachable!("made as such") };
    assert!(near(measures(&ten.mesh(512).unwrap()).area, areas[4], 2e-2), "{areas:?}");
    let grown = SuperquadricShape::from(toroid(2.0, 0.5, 1.0, 1.0)).with_margin(0.1).unwrap();
    let volume = grown.measures().unwrap().volume.unwrap();
    assert!(near(volume, 4.0 * std::f64::consts::PI.powi(2) * 0.36, 1e-3), "{volume}");
}

#[test]
fn inner_pieces_lie_inside_and_the_hull_about_all() {
    let mut random = Random::new(32);
    for surface_of in shapes() {
        let shape = SuperquadricShape::from(surface_of);
        let pieces = shape.convex_pieces();
        assert!(!pieces.inner.is_empty(), "{shape:?}");
        for piece in &pieces.inner {
            let Core::Hull(hull) = piece.core() else { panic!() };
            for _ in 0..60 {
                // The corners themselves, and random mixtures of a few.
                let count = random.whole(1, 5);
                let mut place = Vec3::ZERO;
                let mut sum = 0.0;
                for _ in 0..count {
                    let weight = random.between(0.0, 1.0);
                    sum += weight;
                    place += hull.corners()[random.whole(0, hull.corners().len() as i64 - 1) as usize] * weight;
                }
                let place = place / sum;
                assert!(surface_of.norm(place) <= 1.0, "{shape:?} {place}: {}", surface_of.norm(place));
            }
        }
        let hull = pieces.hull.as_ref().unwrap();
        let places = surface(&surface_of, 24);
        for _ in 0..20 {
            let along = direction(&mut random);
            let most = hull.support(along).unwrap().dot(along);
            assert!(places.iter().all(|place| place.dot(along) <= most + 1e-14), "{shape:?}");
        }
    }
}

#[test]
fn convex_ones_are_convex_shapes() {
    let as_shape = |surface: Superquadric| matches!(Shape::from(surface), Shape::Convex(_));
    assert!(as_shape(ellipsoid([1.0; 3], 2.0, 0.3)));
    assert!(!as_shape(ellipsoid([1.0; 3], 2.1, 0.3)) && !as_shape(toroid(1.0, 0.5, 1.0, 1.0)));
}

/// The farthest point of a convex superellipsoid is on the surface, and as far as the dual norm says: both within 8 ulp of the
/// largest radius, whatever the exponents.
#[test]
fn the_support_of_a_superellipsoid_is_right_within_8_ulp() {
    let mut random = Random::new(33);
    let (mut off_surface, mut short) = (0.0f64, 0.0f64);
    for _ in 0..4000 {
        let [n1, n2] = [0, 1].map(|_| libm::exp(random.between((0.01f64).ln(), (2.0f64).ln())));
        let radii = [0, 1, 2].map(|_| random.between(0.3, 1.0));
        let along = direction(&mut random);
        let surface = ellipsoid(radii, n1, n2);
        let farthest = Convex::superellipsoid(radii.into(), n1, n2).unwrap().support(along).unwrap();
        off_surface = off_surface.max((surface.norm(farthest) - 1.0).abs());
        // Of nested norms the dual one is nested, with 1/p + 1/q = 1.
        let dual = |x: f64, y: f64, n: f64| {
            let q = 2.0 / (2.0 - n);
            let most = x.max(y);
            if n == 2.0 { most } else { most * libm::pow(libm::pow(x / most, q) + libm::pow(y / most, q), 1.0 / q) }
        };
        let scaled = (along * Vec3::from_array(radii)).abs();
        let exact = dual(dual(scaled.x, scaled.y, n2), scaled.z, n1);
        short = short.max((farthest.dot(along) - exact).abs());
    }
    let ulp = f64::EPSILON;
    println!("off the surface by {} ulp, in height by {} ulp", off_surface / ulp, short / ulp);
    assert!(off_surface <= 8.0 * ulp && short <= 8.0 * ulp, "{} {}", off_surface / ulp, short / ulp);
}

#[test]
fn a_solid_holds_the_points_whose_norm_is_at_most_one() {
    let extremes = [toroid(1.0, 1e-6, 1.0, 3.0), ellipsoid([1e-6, 1.0, 1e-3], 3.0, 0.5), toroid(1e6, 1e3, 2.5, 1.0)];
    let mut random = Random::new(29);
    let (mut inside, mut tested) = (0, 0);
    for shape in shapes().into_iter().chain(extremes) {
        let most = shape.bounds().max;
        let faces = (0..6).map(|face| most * Vec3::AXES[face % 3] * if face < 3 { 1.0 } else { -1.0 });
        let scattered = (0..2000).map(|_| random.vector(1.2) * most).collect::<Vec<_>>();
        for at in surface(&shape, 24).into_iter().chain(faces).chain(scattered) {
            for scale in [1.0, 1.0 - f64::EPSILON, 1.0 + f64::EPSILON, 1.0 + 1e-12, 1.0 + 1e-11, 0.999] {
                let point = at * scale;
                assert_eq!(shape.holds(point), shape.norm(point) <= 1.0, "{shape:?} {point:?}");
                inside += u32::from(shape.holds(point));
                tested += 1;
            }
        }
    }
    assert!(inside > 10_000 && tested - inside > 10_000, "{inside} of {tested}");
}
