//! Pictures: what is in front, what is cut off, edges, translucency, determinism, hostile input.

use heurt_geometry::{Aabb, Camera, Draw, DrawSink, Meaning, Pose, Projection, Vec3, View};
use heurt_mesh::{FaultMarks, check, generate};
use heurt_view::Surface;
use heurt_view::palette::VERMILION;
use heurt_view::picture::{Caption, Direction, Drawing, Image, draw_picture, frame_bounds};

const RED: [u8; 3] = [220, 30, 30];
const BLUE: [u8; 3] = [30, 30, 220];

fn cube() -> Surface {
    Surface::of_mesh(&generate::cuboid([1.0, 1.0, 1.0]).unwrap())
}

fn is_red([red, green, blue]: [u8; 3]) -> bool {
    red / 2 > green && red / 2 > blue
}

/// A camera that looks along −z at a window of 8 m.
fn from_above() -> Camera {
    let view = View::look_at(Vec3::Z * 20.0, Vec3::ZERO, Vec3::Y).unwrap();
    Camera { view, projection: Projection::orthographic(8.0, 1.0, [1.0, 50.0]).unwrap() }
}

fn draw(drawing: &Drawing, camera: &Camera) -> Image {
    draw_picture(drawing, camera, [120, 120], &Caption::default())
}

#[test]
fn the_nearer_body_hides_the_farther_one_in_either_order() {
    let poses = [(RED, 3.0), (BLUE, -3.0)].map(|(colour, z)| (colour, Pose::from_translation(Vec3::Z * z).unwrap()));
    for order in [[0, 1], [1, 0]] {
        let mut drawing = Drawing::default();
        let surface = drawing.add_surface(cube());
        order.iter().for_each(|k| drawing.add_instance(surface, poses[*k].1, poses[*k].0));
        let image = draw(&drawing, &from_above());
        assert!(is_red(image.pixel(60, 60)), "{:?}", image.pixel(60, 60));
    }
}

#[test]
fn a_cube_covers_its_share_of_the_window() {
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(cube());
    drawing.add_instance(surface, Pose::IDENTITY, RED);
    let image = draw(&drawing, &from_above());
    // 2 m of 8 m are 30 of 120 pixels, around the centre; feature edges are a pixel wide.
    let row: Vec<bool> = (0..120).map(|x| is_red(image.pixel(x, 60))).collect();
    let red = row.iter().filter(|is_red| **is_red).count();
    assert!((28..=30).contains(&red), "{red} pixels");
    assert!(!row[43] && row[47] && row[72] && !row[76]);
    let edge = image.pixel(45, 60);
    assert!(edge.iter().all(|part| *part < 160), "the feature edge is dark: {edge:?}");
}

#[test]
fn triangles_that_share_edges_leave_no_gap() {
    // A fan of thin triangles of a square, whose inner edges meet samples in all directions.
    let mut drawing = Drawing::default();
    let count = 97;
    let rim = |k: usize| {
        let angle = k as f64 / count as f64 * std::f64::consts::TAU;
        Vec3::new(angle.cos(), angle.sin(), 0.0) * 20.0
    };
    (0..count).for_each(|k| drawing.draw_triangle([Vec3::ZERO, rim(k), rim((k + 1) % count)], Meaning::Fault));
    let image = draw(&drawing, &from_above());
    let wanted = image.pixel(0, 0);
    for y in 0..120 {
        for x in 0..120 {
            assert_eq!(image.pixel(x, y), wanted, "pixel {x}, {y}");
        }
    }
}

#[test]
fn half_opacity_mixes_both_bodies() {
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(cube());
    drawing.add_instance(surface, Pose::from_translation(Vec3::Z * -4.0).unwrap(), BLUE);
    drawing.add_translucent(surface, Pose::IDENTITY, RED, 0.5);
    let [red, _, blue] = draw(&drawing, &from_above()).pixel(60, 60);
    assert!(red > 80 && blue > 80, "{red} {blue}");
}

#[test]
fn bodies_around_the_eye_are_cut_at_the_near_plane() {
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(cube());
    drawing.add_instance(surface, Pose::IDENTITY, RED);
    let view = View::look_at(Vec3::new(0.1, 0.2, 0.3), Vec3::X * 5.0, Vec3::Z).unwrap();
    let camera = Camera { view, projection: Projection::perspective(1.5, 1.0, [0.01, 10.0]).unwrap() };
    let image = draw(&drawing, &camera);
    assert!(is_red(image.pixel(60, 60)), "the inner side of the cube fills the picture");
    assert!(is_red(image.pixel(5, 5)) && is_red(image.pixel(115, 115)));
}

#[test]
fn framing_shows_the_whole_box_from_every_side() {
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(cube());
    drawing.add_instance(surface, Pose::from_translation(Vec3::new(1e3, -5e2, 2e2)).unwrap(), RED);
    for direction in Direction::ALL {
        let camera = frame_bounds(&drawing.bounds(), direction, Vec3::Z, 1.0).unwrap();
        let image = draw(&drawing, &camera);
        assert!(is_red(image.pixel(60, 60)), "{}", direction.name());
        let border = (0..120).flat_map(|k| [[k, 0], [k, 119], [0, k], [119, k]]);
        assert!(border.into_iter().all(|[x, y]| !is_red(image.pixel(x, y))), "{}", direction.name());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_picture() {
    let mut drawing = Drawing::default();
    let ball = drawing.add_surface(Surface::of_mesh(&generate::icosphere(0.5, 3).unwrap()));
    for k in 0..200 {
        let at = Vec3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)) - 4.5;
        drawing.add_instance(ball, Pose::from_translation(at).unwrap(), [(k % 256) as u8, 128, 64]);
    }
    let camera = frame_bounds(&drawing.bounds(), Direction::Isometric, Vec3::Z, 1.5).unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| draw_picture(&drawing, &camera, [300, 200], &Caption::default()))
    };
    assert!(with(1) == with(4));
}

#[test]
fn extreme_scales_and_places_draw_without_a_fault() {
    for scale in [1e-80, 1e-9, 1.0, 1e9, 1e80] {
        let mut drawing = Drawing::default();
        let surface = drawing.add_surface(Surface::of_mesh(&generate::cuboid([scale; 3]).unwrap()));
        drawing.add_instance(surface, Pose::IDENTITY, RED);
        let camera = frame_bounds(&drawing.bounds(), Direction::Isometric, Vec3::Z, 1.0).unwrap();
        assert!(is_red(draw(&drawing, &camera).pixel(60, 60)), "{scale}");
    }
    let nothing = Drawing::default();
    let camera = frame_bounds(&nothing.bounds(), Direction::Top, Vec3::Z, 1.0).unwrap();
    assert_eq!(draw_picture(&nothing, &camera, [0, 0], &Caption::default()).size(), [1, 1]);
    let point = Aabb::from_points([Vec3::ONE]);
    assert!(frame_bounds(&point, Direction::Front, Vec3::ZERO, 1.0).is_ok());
    assert!(frame_bounds(&point, Direction::Front, Vec3::Z, f64::NAN).is_err());
    let mut broken = Drawing::default();
    let surface = Surface { vertices: vec![Vec3::NAN; 3], triangles: vec![[0, 1, 2]], edges: vec![[0, 1]] };
    let surface = broken.add_surface(surface);
    broken.add_instance(surface, Pose::IDENTITY, RED);
    broken.draw_line([Vec3::NAN, Vec3::ONE], Meaning::Note);
    broken.draw_point(Vec3::INFINITY, Meaning::Note);
    draw(&broken, &from_above());
}

#[test]
fn faults_are_drawn_over_the_surface() {
    let (vertices, mut triangles) = generate::cuboid([1.0, 1.0, 1.0]).unwrap().into_parts();
    let double = triangles[0];
    triangles.push(double);
    let mesh = heurt_mesh::TriMesh::new(vertices, triangles).unwrap();
    let report = check(&mesh);
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(Surface::of_mesh(&mesh));
    drawing.add_instance(surface, Pose::IDENTITY, BLUE);
    FaultMarks { mesh: &mesh, faults: &report.faults }.draw(&mut drawing);
    let is_fault = |[red, green, blue]: [u8; 3]| {
        let share = f64::from(red) / f64::from(VERMILION[0]);
        red > 100 && f64::from(green) < 1.3 * share * f64::from(VERMILION[1]) && blue < 60
    };
    let seen = Direction::ALL.iter().any(|direction| {
        let camera = frame_bounds(&drawing.bounds(), *direction, Vec3::Z, 1.0).unwrap();
        let image = draw(&drawing, &camera);
        let count = (0..120).flat_map(|y| (0..120).map(move |x| (x, y))).filter(|(x, y)| is_fault(image.pixel(*x, *y)));
        count.count() > 500
    });
    assert!(seen, "the doubled triangle is visible from some side");
}

#[test]
fn a_picture_has_its_words_and_a_png_signature() {
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(cube());
    drawing.add_instance(surface, Pose::IDENTITY, RED);
    let camera = frame_bounds(&drawing.bounds(), Direction::Isometric, Vec3::Z, 1.5).unwrap();
    let caption = Caption { title: "cube".into(), unit: "mm".into(), ..Caption::default() };
    let image = draw_picture(&drawing, &camera, [300, 200], &caption);
    let plain = draw_picture(&drawing, &camera, [300, 200], &Caption::default());
    let differs = |x: std::ops::Range<usize>, y: std::ops::Range<usize>| {
        y.flat_map(|y| x.clone().map(move |x| (x, y))).any(|(x, y)| image.pixel(x, y) != plain.pixel(x, y))
    };
    assert!(differs(0..100, 0..50), "the title");
    assert!(differs(150..300, 150..200), "the unit of the scale bar");
    let bytes = image.to_png();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let decoder = png::Decoder::new(std::io::Cursor::new(&bytes));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, image.bytes());
}
