//! Cameras: frames, projections and view volumes by hand, against exact arithmetic, and with hostile numbers.

use heurt_geometry::{
    Aabb, Camera, Draw, DrawSink, Meaning, Pose, Projection, ProjectionError, Shear, Triangle, Vec2, Vec3, View,
    ViewError, ViewVolume, Visibility, robust_normalize,
};
use heurt_testkit::number::dyadic::{Dyadic, dot, minus};
use heurt_testkit::number::random::Random;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, PI};

fn view(eye: Vec3, target: Vec3) -> View {
    View::look_at(eye, target, Vec3::Y).unwrap()
}

#[test]
fn the_frame_is_upright_along_every_horizontal_direction() {
    for (direction, right) in [(Vec3::X, Vec3::Z), (-Vec3::X, -Vec3::Z), (Vec3::Z, -Vec3::X), (-Vec3::Z, Vec3::X)] {
        let view = view(Vec3::ONE, Vec3::ONE + direction);
        assert_eq!((view.right(), view.up(), view.forward()), (right, Vec3::Y, direction));
    }
}

#[test]
fn a_vertical_direction_has_a_frame() {
    for (direction, up, screen_up) in [
        (-Vec3::Y, Vec3::Y, -Vec3::Z),
        (Vec3::Y, Vec3::Y, -Vec3::Z),
        (-Vec3::Z, Vec3::Z, Vec3::Y),
        (Vec3::X, -Vec3::X, Vec3::Y),
        (Vec3::X, Vec3::ZERO, Vec3::Y),
        (-Vec3::Y, Vec3::ZERO, -Vec3::Z),
    ] {
        let view = View::look_at(Vec3::ZERO, direction, up).unwrap();
        assert_eq!(view.up(), screen_up, "along {direction}, up {up}");
    }
}

#[test]
fn frames_are_orthonormal_for_all_magnitudes() {
    let mut random = Random::new(31);
    for _ in 0..20_000 {
        let direction = random.vector(1.0);
        let target = direction * 10f64.powi(random.whole(-300, 300) as i32);
        // Up vectors nearly along the direction, too.
        let tilt = random.vector(1.0) * 10f64.powi(random.whole(-17, 1) as i32);
        let up = (direction + tilt) * 10f64.powi(random.whole(-300, 300) as i32);
        let view = View::look_at(Vec3::ZERO, target, up).unwrap();
        assert!(view.pose().defect() < 4e-15, "{target} {up}: {}", view.pose().defect());
        assert!(view.forward().distance(direction.normalize()) < 4e-15);
        assert!(view.right().cross(view.up()).distance(-view.forward()) < 4e-15, "right-handed");
        let up = robust_normalize(up).unwrap();
        let sine = direction.normalize().cross(up).length();
        assert!(sine < 1e-7 || view.up().dot(up) > 0.0, "upright");
    }
}

#[test]
fn a_view_of_a_pose_looks_along_its_minus_z() {
    let mut random = Random::new(32);
    for _ in 0..1000 {
        let pose = random.pose(10.0);
        let view = View::from_pose(&pose).unwrap();
        let (inverse, point) = (view.world_to_camera().unwrap(), random.vector(10.0));
        assert!(view.to_world(point).distance(pose.place(point)) < 1e-13);
        assert!(inverse.place(point).distance(view.to_camera(point)) < 1e-13);
        assert!(view.to_camera(view.to_world(point)).distance(point) < 1e-13);
    }
}

#[test]
fn bad_numbers_are_refused() {
    assert!(matches!(View::look_at(Vec3::NAN, Vec3::X, Vec3::Y), Err(ViewError::NotFinite { field: "eye", .. })));
    assert_eq!(View::look_at(Vec3::X, Vec3::X, Vec3::Y), Err(ViewError::NoDirection { eye: Vec3::X }));
    assert!(View::look_at(Vec3::MAX, Vec3::MIN, Vec3::Y).is_ok(), "the difference overflows, the direction does not");
    assert!(View::look_at(Vec3::ZERO, Vec3::X * 5e-324, Vec3::Y).is_ok());
    let perspective = Projection::perspective;
    assert_eq!(perspective(PI, 1.0, [1.0, 2.0]), Err(ProjectionError::FieldOfView(PI)));
    assert_eq!(perspective(1.0, 1.0, [2.0, 2.0]), Err(ProjectionError::Inverted { depths: [2.0, 2.0] }));
    let negative = |field, value| Err(ProjectionError::NotPositive { field, value });
    assert_eq!(perspective(-1.0, 1.0, [1.0, 2.0]), negative("field of view", -1.0));
    assert_eq!(perspective(1.0, 0.0, [1.0, 2.0]), negative("aspect", 0.0));
    assert_eq!(perspective(1.0, 1.0, [-1.0, 2.0]), negative("near depth", -1.0));
    assert_eq!(Projection::orthographic(0.0, 1.0, [1.0, 2.0]), negative("height", 0.0));
    assert_eq!(Projection::orthographic(1e200, 1e200, [1.0, 2.0]), Err(ProjectionError::OutOfRange));
    assert_eq!(Projection::orthographic(1.0, 1.0, [-1e308, 1e308]), Err(ProjectionError::OutOfRange));
    assert_eq!(perspective(5e-324, 1.0, [1.0, 2.0]), Err(ProjectionError::OutOfRange));
    let shear = |scale| Projection::oblique(1.0, 1.0, [1.0, 2.0], Shear { angle_rad: 0.0, scale, true_depth: 0.0 });
    assert_eq!(shear(-1.0), Err(ProjectionError::Scale(-1.0)));
    let far_pivot = Shear { angle_rad: 0.0, scale: 1.0, true_depth: 1e10 };
    assert_eq!(Projection::oblique(1e-300, 1.0, [1.0, 2.0], far_pivot), Err(ProjectionError::OutOfRange));
    assert!(matches!(shear(f64::NAN), Err(ProjectionError::NotFinite { field: "scale", .. })));
    assert!(matches!(perspective(1.0, 1.0, [1.0, f64::INFINITY]), Err(ProjectionError::NotFinite { .. })));
    let camera = Camera { view: view(Vec3::ZERO, Vec3::X), projection: perspective(1.0, 1.0, [1.0, 2.0]).unwrap() };
    assert_eq!(camera.project(Vec3::NAN), None);
    assert_eq!(camera.project(Vec3::ZERO), None, "the eye itself");
    assert_eq!(camera.ray_of_pixel(Vec2::ONE, Vec2::ZERO), None);
}

#[test]
fn the_planes_of_a_right_angle_are_at_45_degrees() {
    let projection = Projection::perspective(FRAC_PI_2, 1.0, [1.0, 10.0]).unwrap();
    let camera = Camera { view: view(Vec3::ZERO, -Vec3::Z), projection };
    let volume = camera.volume();
    let side = FRAC_1_SQRT_2;
    let normals = [[side, 0.0, -side], [-side, 0.0, -side], [0.0, side, -side], [0.0, -side, -side]];
    for (plane, normal) in volume.planes().iter().zip(normals) {
        assert!(plane.normal().distance(Vec3::from_array(normal)) < 1e-15);
        assert_eq!(plane.signed_distance(Vec3::ZERO), 0.0);
    }
    assert_eq!([4, 5].map(|k| volume.planes()[k].signed_distance(-Vec3::Z * 4.0)), [3.0, 6.0]);
    assert!(volume.corners()[7].distance(Vec3::new(10.0, 10.0, -10.0)) < 1e-14, "right, upper, far");
    // The squared cosine of S0 accepts a point behind the camera.
    assert_eq!(volume.classify_point(Vec3::Z * 5.0), Visibility::Outside);
    // A ball beyond the edge of two sides crosses both planes.
    let beyond_edge = Vec3::new(5.0, 5.0, -5.0) + Vec3::new(1.0, 1.0, 2.0) * 0.1;
    assert_eq!(volume.classify_sphere(beyond_edge, 1.0), Visibility::Intersecting);
    assert_eq!(volume.classify_sphere(Vec3::new(0.0, 0.0, -5.0), 1.0), Visibility::Inside);
    assert_eq!(volume.classify_sphere(Vec3::new(-7.0, 0.0, -5.0), 1.0), Visibility::Outside);
}

#[test]
fn a_cabinet_shows_the_right_and_upper_side_of_a_cube() {
    let shear = Shear { angle_rad: FRAC_PI_4, scale: 0.5, true_depth: 5.0 };
    let projection = Projection::oblique(10.0, 1.0, [1.0, 10.0], shear).unwrap();
    let camera = Camera { view: view(Vec3::Z * 5.0, Vec3::ZERO), projection };
    let back = camera.project(Vec3::new(1.0, 1.0, -1.0)).unwrap();
    let front = camera.project(Vec3::new(1.0, 1.0, 0.0)).unwrap();
    assert!((front.ndc.truncate() - Vec2::splat(0.2)).length() < 1e-15, "unmoved at the true depth");
    let receding = (back.ndc - front.ndc).truncate() * 5.0;
    assert!((receding - Vec2::splat(0.5 * FRAC_1_SQRT_2)).length() < 1e-15);
    // A plane of the volume contains the rays of its side of the screen.
    let ray = camera.ray(Vec2::new(1.0, 0.25)).unwrap();
    for length in [0.0, 1.0, ray.length] {
        let on_side = ray.origin + ray.direction * length;
        assert!(camera.volume().planes()[1].signed_distance(on_side).abs() < 1e-14);
    }
}

/// Cameras of all kinds: directions near the vertical, tiny and huge scales, flat and wide screens, tiny near depths.
fn random_camera(random: &mut Random, exponents: i64) -> Camera {
    let scale = 10f64.powi(random.whole(-exponents, exponents) as i32);
    let eye = random.vector(1.0) * scale * 10f64.powi(random.whole(-2, 4) as i32);
    let direction = if random.one_in(4) { Vec3::Y + random.vector(1e-9) } else { random.vector(1.0) };
    let view = view(eye, eye + direction * scale);
    let view = View::from_pose(view.pose()).unwrap_or(view);
    let far = scale * random.between(1.0, 10.0);
    let near = far * if random.one_in(4) { 1e-12 } else { random.between(0.01, 0.9) };
    let aspect = 2f64.powi(random.whole(-6, 6) as i32) * random.between(1.0, 2.0);
    let height = scale * random.between(0.1, 10.0);
    let projection = match random.whole(0, 2) {
        0 => {
            let fov = if random.one_in(4) { random.between(1e-9, 1e-6) } else { random.between(0.1, 3.1) };
            Projection::perspective(fov, aspect, [near, far])
        }
        1 => Projection::orthographic(height, aspect, [-near, far]),
        _ => {
            let shear = Shear {
                angle_rad: random.between(-7.0, 7.0),
                scale: random.between(0.0, 3.0),
                true_depth: scale * random.between(-1.0, 5.0),
            };
            Projection::oblique(height, aspect, [near, far], shear)
        }
    };
    Camera { view, projection: projection.unwrap() }
}

#[test]
fn the_clip_matrix_projects_as_the_projection() {
    let mut random = Random::new(33);
    for _ in 0..5000 {
        let projection = random_camera(&mut random, 3).projection;
        let ndc = random.vector(2.0).with_z(random.between(0.0, 1.0));
        let point = projection.unproject(ndc);
        let m = projection.clip_matrix();
        let row = |k: usize| ((m[0][k] * point.x + m[1][k] * point.y) + m[2][k] * point.z) + m[3][k];
        let clip = Vec3::new(row(0), row(1), row(2)) / row(3);
        let seen = projection.project(point).unwrap();
        // The shear cancels large terms.
        let terms = 1.0 + (projection.slope() * projection.true_depth() / projection.half_extents()).length();
        assert!(clip.distance(seen.ndc) < 1e-11 * terms, "{projection:?}: {clip} {}", seen.ndc);
        assert!(seen.ndc.truncate().distance(ndc.truncate()) < 1e-12 * terms, "{projection:?}: {ndc} {}", seen.ndc);
        assert!(seen.ndc.distance(ndc) < 1e-3 * terms);
    }
}

#[test]
fn rays_hold_the_points_of_their_pixel() {
    let mut random = Random::new(34);
    let size = Vec2::new(640.0, 480.0);
    for _ in 0..5000 {
        let camera = random_camera(&mut random, 0);
        let pixel = Vec2::new(random.between(0.0, 640.0), random.between(0.0, 480.0));
        let ray = camera.ray_of_pixel(pixel, size).unwrap();
        let [near, far] = camera.projection.depths();
        let terms = camera.view.eye().length() + ray.length;
        for share in [0.5, 1.0] {
            let (seen, depth) = camera.pixel(ray.origin + ray.direction * (ray.length * share), size).unwrap();
            let scale = if camera.projection.is_perspective() { depth } else { 1.0 };
            let pixel_size = (camera.projection.half_extents() * scale / size).min_element();
            assert!(seen.distance(pixel) < 1e-13 * terms / pixel_size, "{camera:?}: {pixel} {seen}");
            assert!((depth - (near + (far - near) * share)).abs() < 1e-13 * terms);
        }
    }
}

/// The exact inequalities of the six planes at a point, all at least 0 in the volume.
fn exact_distances(camera: &Camera, point: &[Dyadic; 3]) -> [Dyadic; 6] {
    let Camera { view, projection } = camera;
    let offset = minus(point, &Dyadic::of_point(view.eye()));
    let along = |axis: Vec3| dot(&Dyadic::of_point(axis), &offset);
    let (right, up, depth) = (along(view.right()), along(view.up()), along(view.forward()));
    let (half, slope) = (projection.half_extents(), projection.slope());
    let sides = |at: &Dyadic, half: f64, slope: f64| {
        if projection.is_perspective() {
            let reach = &Dyadic::of(half) * &depth;
            return [&reach + at, &reach - at];
        }
        let shift = &Dyadic::of(slope) * &(&depth - &Dyadic::of(projection.true_depth()));
        let at = at + &shift;
        [&Dyadic::of(half) + &at, &Dyadic::of(half) - &at]
    };
    let ([left, right], [lower, upper]) = (sides(&right, half.x, slope.x), sides(&up, half.y, slope.y));
    let [near, far] = projection.depths().map(Dyadic::of);
    [left, right, lower, upper, &depth - &near, &far - &depth]
}

fn is_inside(camera: &Camera, point: &[Dyadic; 3]) -> bool {
    exact_distances(camera, point).iter().all(|distance| *distance >= Dyadic::of(0.0))
}

/// Compares a visibility with exact points of an object.
fn check_against(camera: &Camera, found: Visibility, points: &[[Dyadic; 3]]) {
    let inside = points.iter().filter(|point| is_inside(camera, point)).count();
    assert!(found != Visibility::Outside || inside == 0, "{camera:?}: a visible object was dismissed");
    assert!(found != Visibility::Inside || inside == points.len(), "{camera:?}: {inside} of {}", points.len());
}

/// A point of the world near the volume, often within roundings of a plane, an edge or a corner.
fn point_near(random: &mut Random, camera: &Camera) -> Vec3 {
    let mut coordinate = |low: f64| match random.whole(0, 5) {
        0 => low,
        1 => 1.0,
        2 => random.between(-3.0, 3.0),
        _ => random.between(low, 1.0),
    };
    let (x, y, z) = (coordinate(-1.0), coordinate(-1.0), coordinate(0.0));
    let [near, far] = camera.projection.depths();
    let z = if camera.projection.is_perspective() && (z < -0.5 * near / far || z > 1.0) { 0.5 } else { z };
    let point = camera.view.to_world(camera.projection.unproject(Vec3::new(x, y, z)));
    if random.one_in(3) { point * (1.0 + random.between(-1e-15, 1e-15)) } else { point }
}

#[test]
fn points_are_classified_as_by_exact_arithmetic() {
    let mut random = Random::new(35);
    let mut counts = [0; 3];
    for round in 0..20_000 {
        let camera = random_camera(&mut random, if round % 2 == 0 { 0 } else { 90 });
        let volume = camera.volume();
        for _ in 0..4 {
            let point = point_near(&mut random, &camera);
            let found = volume.classify_point(point);
            check_against(&camera, found, &[Dyadic::of_point(point)]);
            counts[found as usize] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 5000), "{counts:?}");
}

#[test]
fn boxes_are_classified_as_their_exact_corners() {
    let mut random = Random::new(36);
    let mut counts = [0; 3];
    for round in 0..10_000 {
        let camera = random_camera(&mut random, if round % 2 == 0 { 0 } else { 90 });
        let volume = camera.volume();
        let (a, b) = (point_near(&mut random, &camera), point_near(&mut random, &camera));
        // Degenerate boxes, too: points, segments, rectangles.
        let size = [0.0, 1e-9, 0.1, 1.0][random.whole(0, 3) as usize];
        let mut bounds = Aabb::from_points([a, a + (b - a) * size]);
        let flat = random.whole(0, 3) as usize;
        if flat < 3 {
            bounds.max[flat] = bounds.min[flat];
        }
        let found = volume.classify_box(&bounds);
        let mut points: Vec<Vec3> = bounds.corners().into();
        let between = |k: usize| Vec3::from_array([0, 1, 2].map(|axis| [bounds.min, a, b, bounds.max][k][axis]));
        points.extend((0..4).map(|k| between(k).clamp(bounds.min, bounds.max)));
        check_against(&camera, found, &points.iter().map(|&point| Dyadic::of_point(point)).collect::<Vec<_>>());
        counts[found as usize] += 1;
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

/// The exact corners and the exact centre of an oriented box.
fn exact_corners(pose: &Pose, half: Vec3) -> Vec<[Dyadic; 3]> {
    let mut points = vec![Dyadic::of_point(pose.translation())];
    for k in 0..8 {
        let mut corner = Dyadic::of_point(pose.translation());
        for (axis, column) in
            [pose.rotation().x_axis, pose.rotation().y_axis, pose.rotation().z_axis].iter().enumerate()
        {
            let reach = Dyadic::of(if k >> axis & 1 == 1 { half[axis] } else { -half[axis] });
            let column = Dyadic::of_point(*column);
            corner = [0, 1, 2].map(|row| &corner[row] + &(&column[row] * &reach));
        }
        points.push(corner);
    }
    points
}

#[test]
fn oriented_boxes_are_classified_as_their_exact_corners() {
    let mut random = Random::new(37);
    let mut counts = [0; 3];
    for round in 0..10_000 {
        let camera = random_camera(&mut random, if round % 2 == 0 { 0 } else { 90 });
        let a = point_near(&mut random, &camera);
        let reach = (point_near(&mut random, &camera) - a).abs();
        let half = reach * [0.0, 1e-9, 0.05, 0.5][random.whole(0, 3) as usize];
        let pose = Pose::from_matrix(*random.pose(1.0).rotation(), a).unwrap();
        let found = camera.volume().classify_oriented_box(&pose, half);
        check_against(&camera, found, &exact_corners(&pose, half));
        counts[found as usize] += 1;
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

#[test]
fn balls_are_classified_as_their_points() {
    let mut random = Random::new(38);
    let mut counts = [0; 3];
    for round in 0..10_000 {
        let camera = random_camera(&mut random, if round % 2 == 0 { 0 } else { 90 });
        let volume = camera.volume();
        let centre = point_near(&mut random, &camera);
        let reach = (point_near(&mut random, &camera) - centre).abs().max_element();
        let radius = reach * [0.0, 1e-9, 0.1, 1.0][random.whole(0, 3) as usize];
        let found = volume.classify_sphere(centre, radius);
        // A share of the radius, so that roundings keep the points in the ball.
        let reach = if radius > 1e-12 * centre.abs().max_element() { radius * 0.999 } else { 0.0 };
        let mut points = vec![centre];
        points
            .extend(volume.planes().iter().flat_map(|plane| [-1.0, 1.0].map(|s| centre + plane.normal() * s * reach)));
        points.extend((0..4).map(|_| centre + random.vector(1.0).normalize() * reach));
        check_against(&camera, found, &points.iter().map(|&point| Dyadic::of_point(point)).collect::<Vec<_>>());
        counts[found as usize] += 1;
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

#[test]
fn objects_beyond_the_range_are_kept() {
    let mut random = Random::new(39);
    for _ in 0..200 {
        let volume = random_camera(&mut random, 90).volume();
        let all = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
        let results = [
            volume.classify_point(Vec3::NAN),
            volume.classify_sphere(Vec3::ZERO, f64::INFINITY),
            volume.classify_sphere(Vec3::ZERO, f64::NAN),
            volume.classify_box(&all),
            volume.classify_box(&Aabb { min: Vec3::NAN, max: Vec3::NAN }),
            volume.classify_box(&Aabb { min: Vec3::MIN, max: Vec3::MAX }),
            volume.classify_oriented_box(&Pose::IDENTITY, Vec3::INFINITY),
        ];
        assert_eq!(results, [Visibility::Intersecting; 7]);
        assert_eq!(volume.classify_box(&Aabb::EMPTY), Visibility::Outside);
        let centre = (volume.corners()[0] + volume.corners()[7]) * 0.5;
        assert_eq!(volume.classify_sphere(centre, -1.0), volume.classify_point(centre));
    }
}

struct Lines(Vec<[Vec3; 2]>);

impl DrawSink for Lines {
    fn draw_point(&mut self, _: Vec3, _: Meaning) {}
    fn draw_line(&mut self, ends: [Vec3; 2], _: Meaning) {
        self.0.push(ends);
    }
    fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
    fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
}

fn drawn(volume: &ViewVolume) -> Vec<[Vec3; 2]> {
    let mut lines = Lines(Vec::new());
    volume.draw(&mut lines);
    lines.0
}

#[test]
fn the_corners_lie_in_three_planes_each_and_the_edges_in_two() {
    let mut random = Random::new(40);
    for _ in 0..1000 {
        let camera = random_camera(&mut random, 0);
        let volume = camera.volume();
        let reach = volume.corners().iter().fold(0.0, |most, corner| corner.length().max(most));
        let terms = 1e-14 * (reach + camera.projection.true_depth().abs() * camera.projection.slope().length());
        for (k, &corner) in volume.corners().iter().enumerate() {
            for (bit, pair) in volume.planes().chunks(2).enumerate() {
                assert!(pair[k >> bit & 1].signed_distance(corner).abs() < terms, "{camera:?}: corner {k}");
                assert!(pair[1 - (k >> bit & 1)].signed_distance(corner) > -terms);
            }
        }
        let edges = drawn(&volume);
        assert_eq!(edges.len(), 12);
        let holds = |ends: &[Vec3; 2], plane: usize| {
            ends.iter().all(|&end| volume.planes()[plane].signed_distance(end).abs() < terms)
        };
        assert!(edges.iter().all(|ends| (0..6).filter(|&plane| holds(ends, plane)).count() >= 2));
    }
}
