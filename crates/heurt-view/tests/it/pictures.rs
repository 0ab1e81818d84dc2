//! Pictures: what is in front, what is cut off, edges, translucency, determinism, hostile input.

use heurt_geometry::{Aabb, Camera, Draw, DrawSink, Meaning, Pose, Projection, Vec3, View};
use heurt_mesh::{FaultMarks, check, generate};
use heurt_view::Surface;
use heurt_view::palette::{CLASH, INSIDE, NEAR, TOUCHING, VERMILION, hex};
use heurt_view::picture::{
    Caption, Direction, Drawing, Floor, Image, SectionPlane, draw_picture, frame_bounds, frame_within,
};

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

/// Cuts a drawing open at a height, seen from above.
fn cut(drawing: &mut Drawing, height: f64) -> Image {
    let plane = SectionPlane::new(Vec3::Z * 3.0, height).unwrap().facing(-Vec3::Z);
    drawing.cut_open(&plane, &|a, b| if [a, b] == [0, 1] { RED } else { BLUE });
    draw(drawing, &from_above())
}

#[test]
fn a_section_fills_solids_and_colours_where_they_overlap() {
    // Two cubes of half side 1, 1 m from each other along x, and a third one that is taken away.
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(cube());
    for (x, z) in [(-0.5, 0.0), (0.5, 0.0), (0.0, 2.5)] {
        drawing.add_instance(surface, Pose::from_translation(Vec3::new(x, 0.0, z)).unwrap(), [160; 3]);
    }
    let image = cut(&mut drawing, 0.25);
    let is_grey = |[red, green, blue]: [u8; 3]| red == green && green == blue;
    // 15 pixels a metre: the cubes reach from −1.5 to 1.5, and overlap from −0.5 to 0.5.
    for (x, overlaps) in [(40, false), (47, false), (56, true), (60, true), (64, true), (73, false), (80, false)] {
        let pixel = image.pixel(x, 60);
        assert_eq!(is_red(pixel), overlaps, "{x}: {pixel:?}");
        assert!(overlaps || is_grey(pixel) && pixel[0] < 200, "{x}: {pixel:?}");
    }
    // A plane beyond everything takes nothing away, and a plane below everything all of it.
    let mut whole = Drawing::default();
    let surface = whole.add_surface(cube());
    whole.add_instance(surface, Pose::IDENTITY, RED);
    let before = draw(&whole, &from_above());
    assert_eq!(cut(&mut whole.clone(), 5.0), before);
    let nothing = draw(&Drawing::default(), &from_above());
    assert_eq!(cut(&mut whole, -5.0), nothing);
}

/// Cuts a red mesh at z = 0, seen from above in a window of 4 m by 400 pixels.
fn cut_mesh(mesh: &heurt_mesh::TriMesh) -> Image {
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(Surface::of_mesh(mesh));
    drawing.add_instance(surface, Pose::IDENTITY, RED);
    drawing.cut_open(&SectionPlane::new(Vec3::Z, 0.0).unwrap(), &|_, _| BLUE);
    let view = View::look_at(Vec3::Z * 20.0, Vec3::ZERO, Vec3::Y).unwrap();
    let camera = Camera { view, projection: Projection::orthographic(4.0, 1.0, [1.0, 50.0]).unwrap() };
    draw_picture(&drawing, &camera, [400, 400], &Caption::default())
}

#[test]
fn a_cut_face_has_the_area_of_the_section() {
    let image = cut_mesh(&generate::torus(1.0, 0.4, 96, 48).unwrap());
    // All of the cut face has one colour; its outline is dark.
    let face = image.pixel(200, 300);
    let count = (0..400 * 400).filter(|at| image.pixel(at % 400, at / 400) == face).count();
    let (area, expected) = (count as f64 * 1e-4, std::f64::consts::PI * (1.4f64.powi(2) - 0.6f64.powi(2)));
    assert!((area - expected).abs() < 0.06 * expected, "{area} instead of {expected}");
}

#[test]
fn an_open_surface_is_cut_without_a_face() {
    let cuboid = generate::cuboid([1.0; 3]).unwrap();
    let is_right = |corner: &u32| cuboid.vertices()[*corner as usize].x > 0.5;
    let others = cuboid.triangles().iter().copied().filter(|corners| !corners.iter().all(is_right)).collect();
    let open = heurt_mesh::TriMesh::new(cuboid.vertices().to_vec(), others).unwrap();
    let [floor, face] = [&open, &cuboid].map(|mesh| cut_mesh(mesh).pixel(200, 200)[0]);
    assert!(floor > 200 && face < 190, "the floor of the open box, {floor}; the cut face, {face}");
}

#[test]
fn hostile_planes_and_places_draw_something() {
    assert_eq!(SectionPlane::new(Vec3::ZERO, 0.0), None);
    assert_eq!(SectionPlane::new(Vec3::X, f64::NAN), None);
    assert_eq!(SectionPlane::new(Vec3::splat(f64::NAN), 0.0), None);
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(Surface {
        vertices: vec![Vec3::ZERO, Vec3::X * 1e300, Vec3::splat(f64::NAN), Vec3::Y * f64::INFINITY],
        triangles: vec![[0, 1, 2], [1, 2, 3], [0, 0, 0]],
        edges: vec![[0, 3], [1, 2]],
    });
    drawing.add_instance(surface, Pose::IDENTITY, RED);
    drawing.add_instance(99, Pose::IDENTITY, RED);
    drawing.add_label(Vec3::splat(f64::NAN), "1", RED);
    drawing.add_label(Vec3::X * 1e300, "2".repeat(5000), RED);
    drawing.add_label(Vec3::ZERO, "", RED);
    drawing.add_floor(Floor { centre: Vec3::ZERO, normal: Vec3::ZERO, radius: f64::NAN, colour: RED });
    drawing.cut_open(&SectionPlane::new(Vec3::X, 1.0).unwrap(), &|_, _| BLUE);
    draw(&drawing, &from_above());
}

#[test]
fn a_label_is_drawn_over_everything_near_its_place() {
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(cube());
    drawing.add_instance(surface, Pose::IDENTITY, BLUE);
    drawing.add_label(Vec3::ZERO, "7", RED);
    let image = draw(&drawing, &from_above());
    assert!(is_red(image.pixel(60, 60)), "the dot at the place, within the cube");
    let white = |x: usize, y: usize| image.pixel(x, y) == [255; 3];
    let halo = (40..80).flat_map(|x| (40..80).map(move |y| (x, y))).filter(|(x, y)| white(*x, *y)).count();
    assert!(halo > 40, "{halo} pixels of the halo");
    let capsule = (60..120).flat_map(|x| (0..60).map(move |y| (x, y))).filter(|(x, y)| is_red(image.pixel(*x, *y)));
    assert!(capsule.count() > 100, "the capsule is up and to the right");
}

#[test]
fn a_floor_has_no_edge() {
    let mut drawing = Drawing::default();
    drawing.add_floor(Floor { centre: Vec3::ZERO, normal: Vec3::Z, radius: 2.0, colour: BLUE });
    let image = draw(&drawing, &from_above());
    let blueness = |x: usize| {
        let [red, _, blue] = image.pixel(x, 60).map(i32::from);
        blue - red
    };
    assert!(blueness(60) > 150 && blueness(0) < 20, "{} {}", blueness(60), blueness(0));
    let steps: Vec<i32> = (1..120).map(|x| (blueness(x) - blueness(x - 1)).abs()).collect();
    assert!(steps.iter().all(|step| *step < 24), "{steps:?}");
}

#[test]
fn a_camera_within_a_scene_keeps_what_is_far() {
    let small = Aabb { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) };
    let all = Aabb { min: Vec3::splat(-100.0), max: Vec3::splat(100.0) };
    let mut drawing = Drawing::default();
    let surface = drawing.add_surface(cube());
    drawing.add_instance(surface, Pose::from_translation(Vec3::Y * 90.0).unwrap(), RED);
    let middle = |camera: &Camera| draw(&drawing, camera).pixel(60, 60);
    assert!(!is_red(middle(&frame_bounds(&small, Direction::Front, Vec3::Z, 1.0).unwrap())));
    assert!(is_red(middle(&frame_within(&small, &all, Direction::Front, Vec3::Z, 1.0).unwrap())));
    let empty = frame_within(&Aabb::EMPTY, &Aabb::EMPTY, Direction::Top, Vec3::Z, 1.0).unwrap();
    assert_eq!(
        empty.projection.half_extents(),
        frame_bounds(&Aabb::EMPTY, Direction::Top, Vec3::Z, 1.0).unwrap().projection.half_extents()
    );
}

#[test]
fn the_page_has_the_same_colours_for_findings() {
    let page = include_str!("../../../../viewer/src/palette.ts").to_lowercase();
    let findings = page.split("finding_colours = {").nth(1).and_then(|rest| rest.split('}').next()).unwrap();
    for (kind, colour) in
        [("clash", CLASH), ("duplicate", CLASH), ("inside", INSIDE), ("touching", TOUCHING), ("near", NEAR)]
    {
        let line = findings.lines().find(|line| line.trim().starts_with(&format!("{kind}:"))).unwrap();
        let name = line.trim().trim_end_matches(',').rsplit('.').next().unwrap();
        let stated = page.lines().find(|line| line.trim().starts_with(&format!("{name}: '#"))).unwrap();
        assert!(stated.contains(&hex(colour)), "{kind}: {stated} {}", hex(colour));
    }
}
