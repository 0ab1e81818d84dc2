//! Plans as drawings.

use heurt_geometry::{FloorArea, PlanArea, Vec2};
use heurt_io::{PlanFormat, PlanWarningKind, read_plan};

fn drawing(width: &str, shapes: &str) -> String {
    format!("<svg xmlns='http://www.w3.org/2000/svg' width='{width}' viewBox='0 0 200 100'>{shapes}</svg>")
}

#[test]
fn shapes_are_metres_with_y_up() {
    let shapes = "<g id='walk_1'><rect x='0' y='0' width='200' height='50'/><path d='M0,50h100v50H0z'/></g>
        <polygon class='x Obstacle' points='10,10 20,10 20,20 10,20'/>";
    for (width, scale) in [("20m", 0.1), ("200 cm", 0.01), ("200mm", 0.001)] {
        let plan = read_plan(drawing(width, shapes).as_bytes(), PlanFormat::Svg).unwrap();
        let [FloorArea { area, .. }] = plan.walk.as_slice() else { panic!("{:?}", plan.walk) };
        assert!((area.area() - (150.0 * 100.0 - 100.0) * scale * scale).abs() < 1e-6, "{width}");
        assert!(area.contains(Vec2::new(50.0, 1.0) * scale) && !area.contains(Vec2::new(150.0, 1.0) * scale));
        assert!(!area.contains(Vec2::new(15.0, 85.0) * scale) && plan.warnings.is_empty());
    }
}

#[test]
fn paths_are_relative_and_have_holes() {
    let path = "<path class='walk' d='m10 10 80 0 0 80-80 0zM20.5.5e2L 50 50 50 80z'/>";
    let plan = read_plan(drawing("200m", path).as_bytes(), PlanFormat::Svg).unwrap();
    assert!((plan.walk.iter().map(|floor| floor.area.area()).sum::<f64>() - (6400.0 - 442.5)).abs() < 1e-6);
}

#[test]
fn curves_transforms_and_shapes_without_role_are_left_out() {
    let shapes = "<rect class='walk' width='100' height='50'/><path class='walk' d='M0 0C1 1 2 2 3 3z'/>
        <g transform='scale(2)'><rect class='walk' width='200' height='50'/></g><rect width='200' height='50'/>";
    let plan = read_plan(drawing("200m", shapes).as_bytes(), PlanFormat::Svg).unwrap();
    assert_eq!(plan.walk, [PlanArea::rectangle(Vec2::new(0.0, 50.0), Vec2::new(100.0, 100.0)).into()]);
    assert_eq!((plan.warnings[0].kind, plan.warnings[0].count), (PlanWarningKind::DrawingIgnored, 3));
}

#[test]
fn faults_of_drawings_have_a_remedy() {
    for (text, expected) in [
        (
            drawing("200", ""),
            "line 1: found `200`, expected the attribute `width` with the true size, such as \
            `width=\"12m\"`, in mm, cm, in or m",
        ),
        (
            drawing("200m", ""),
            "the plan has no area to walk in: give a `<polygon>`, `<rect>` or straight `<path>` of \
            the class `walk`",
        ),
        (drawing("200m", "<polygon points='1 2 x'/>"), "line 1: found `1 2 x`, expected finite numbers of a shape"),
        (
            drawing("2m", "").replace("viewBox", "box"),
            "line 1: found nothing, expected the attribute `viewBox` of four \
            numbers",
        ),
    ] {
        assert_eq!(read_plan(text.as_bytes(), PlanFormat::Svg).unwrap_err().to_string(), expected);
    }
    let whole = drawing("200m", "<path class='walk' d='m10 10 80 0 0 80-80 0zM20.5.5e2L 50 50 50 80z'/>");
    for end in 0..whole.len() {
        assert!(read_plan(&whole.as_bytes()[..end], PlanFormat::Svg).is_err());
    }
}
