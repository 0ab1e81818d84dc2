//! Plans in well-known text: unions, holes, and each fault with its message.

use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};
use heurt_io::{PlanError, PlanFormat, PlanWarningKind, parse_wkt_areas, parse_wkt_line, parse_wkt_points, read_plan};
use proptest::prelude::*;

fn walk(text: &str) -> Vec<PlanArea> {
    let plan = read_plan(text.as_bytes(), PlanFormat::Wkt).unwrap_or_else(|error| panic!("{text}: {error}"));
    plan.walk.into_iter().map(|floor| floor.area).collect()
}

fn message(text: &str) -> String {
    match read_plan(text.as_bytes(), PlanFormat::Wkt) {
        Ok(plan) => panic!("{text} is {plan:?}"),
        Err(error) => error.to_string(),
    }
}

fn rectangle([x, y, width, height]: [f64; 4]) -> String {
    let (right, top) = (x + width, y + height);
    format!("(({x} {y}, {right} {y}, {right} {top}, {x} {top}, {x} {y}))")
}

#[test]
fn formats_are_found_by_the_end_of_a_path() {
    for (path, format) in [
        ("hall.wkt", Some(PlanFormat::Wkt)),
        ("a.b/hall.OSM", Some(PlanFormat::Osm)),
        ("hall.osm.pbf", Some(PlanFormat::OsmPbf)),
        (".svg", Some(PlanFormat::Svg)),
        ("a.wkt/hall", None),
        ("", None),
    ] {
        assert_eq!(PlanFormat::from_extension(path), format, "{path}");
    }
}

#[test]
fn a_single_polygon_keeps_its_corners() {
    let text = "polygon m ((0 0 1, 0 3 1, 0 3 1, 4.1 3 1, 4.1 1.5 1, 4.1 0 1, 0 0 1),(1 1 5, 2 1 5, 1 2 5, 1 1 5))";
    let plan = read_plan(text.as_bytes(), PlanFormat::Wkt).unwrap();
    let corners = |ring: &[[f64; 2]]| ring.iter().map(|&corner| Vec2::from_array(corner)).collect::<Vec<_>>();
    let [FloorArea { area, .. }] = plan.walk.as_slice() else { panic!("{:?}", plan.walk) };
    assert_eq!(area.outline, corners(&[[0.0, 0.0], [4.1, 0.0], [4.1, 1.5], [4.1, 3.0], [0.0, 3.0]]));
    assert_eq!(area.holes, [corners(&[[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]])]);
    assert_eq!((plan.warnings.len(), plan.warnings[0].kind), (1, PlanWarningKind::HeightIgnored));
    assert_eq!(plan.warnings[0].count, 11);
    let shown = plan.warnings[0].to_string();
    assert_eq!(
        shown,
        "11 points with a measure, or points and lines with a height: 1 at (0.0, 0.0) m, 1 at (0.0, 3.0) m, 1 at \
         (0.0, 3.0) m, 1 at (4.1, 3.0) m, …; these numbers are ignored"
    );
}

#[test]
fn third_coordinates_are_heights() {
    let stair = "((4 0 0, 9 0 3, 9 2 3, 4 2 0, 4 0 0))";
    let text = format!(
        "MULTIPOLYGON Z (((0 0 0, 4 0 0, 4 2 0, 0 2 0, 0 0 0)), {stair}, ((9 0 3, 12 0 3, 12 2 3, 9 2 3, 9 0 3)))"
    );
    let plan = read_plan(text.as_bytes(), PlanFormat::Wkt).unwrap();
    let heights: Vec<[f64; 2]> = plan.walk.iter().map(FloorArea::heights).collect();
    assert_eq!((heights, plan.warnings.len()), (vec![[0.0, 0.0], [0.0, 3.0], [3.0, 3.0]], 0));
    assert_eq!(plan.walk[1].over(Vec2::new(6.5, 1.0)), Vec3::new(6.5, 1.0, 1.5));
    // Storeys over each other stay separate; polygons of one height are united.
    let rooms = "MULTIPOLYGON Z (((0 0 3, 4 0 3, 4 2 3, 0 2 3, 0 0 3)), ((0 0, 4 0, 4 2, 0 2, 0 0)),
        ((4 0 3, 5 0 3, 5 2 3, 4 2 3, 4 0 3)))";
    let areas: Vec<(f64, f64)> = read_plan(rooms.as_bytes(), PlanFormat::Wkt)
        .unwrap()
        .walk
        .iter()
        .map(|floor| (floor.at.z, floor.area.area()))
        .collect();
    assert_eq!(areas, [(3.0, 10.0), (0.0, 8.0)]);
    assert_eq!(
        message("POLYGON Z ((0 0 0, 4 0 0, 4 2 1, 0 2 0, 0 0 0))"),
        "polygon 1: its corner (4, 0, 0) is more than 1 cm off the plane: split it"
    );
}

#[test]
fn slivers_of_a_plane_are_left_out_with_a_note() {
    // A hall, and on another height a strip of half a millimetre, and a mat of 3 cm.
    let text = "MULTIPOLYGON Z (((0 0 0, 4 0 0, 4 2 0, 0 2 0, 0 0 0)), ((0 0 3, 2 0 3, 2 0.0005 3, 0 0.0005 3, 0 0 3)),
        ((0 0 6, 0.03 0 6, 0.03 0.03 6, 0 0 6)))";
    let plan = read_plan(text.as_bytes(), PlanFormat::Wkt).unwrap();
    let heights: Vec<f64> = plan.walk.iter().map(|floor| floor.at.z).collect();
    assert_eq!((heights, plan.warnings.len()), (vec![0.0, 6.0], 1));
    assert_eq!((plan.warnings[0].kind, plan.warnings[0].count), (PlanWarningKind::Slivers, 1));
    assert_eq!(
        message("POLYGON ((0 0, 2 0, 2 0.0005, 0 0.0005, 0 0))"),
        "the plan has no area to walk in: give areas wider than a millimetre"
    );
}

#[test]
fn closing_corners_have_the_height_of_the_first() {
    assert_eq!(
        message("POLYGON Z ((0 0 0, 4 0 0, 4 2 0, 0 2 0, 0 0 1.5))"),
        "polygon 1, outer ring: has the heights 0 m and 1.5 m at (0, 0): give one height"
    );
    assert_eq!(
        message("POLYGON Z ((0 0 0, 4 0 0, 4 2 0, 4 2 3, 0 2 0, 0 0 0))"),
        "polygon 1, outer ring: has the heights 0 m and 3 m at (4, 2): give one height"
    );
    assert_eq!(walk("POLYGON Z ((0 0 0, 4 0 0, 4 2 0, 0 2 0, 0 0 0.005))")[0].area(), 8.0);
}

#[test]
fn geometries_have_the_mark_of_their_collection() {
    let heights = |text: &str| {
        let plan = read_plan(text.as_bytes(), PlanFormat::Wkt).unwrap();
        (plan.walk.iter().map(|floor| floor.at.z).collect::<Vec<_>>(), plan.warnings.len())
    };
    let room = |mark: &str| format!("POLYGON {mark} ((0 0 3, 4 0 3, 4 2 3, 0 2 3, 0 0 3))");
    let level = |text: String| heights(&format!("GEOMETRYCOLLECTION {text}"));
    assert_eq!(level(format!("M ({})", room(""))), (vec![0.0], 1));
    assert_eq!(level(format!("M ({})", room("M"))), (vec![0.0], 1));
    assert_eq!(level(format!("M ({})", room("Z"))), (vec![3.0], 0));
    assert_eq!(level(format!("({}, {})", room("Z"), room(""))), (vec![3.0], 0));
    assert_eq!(
        level(format!("M (GEOMETRYCOLLECTION ({}), GEOMETRYCOLLECTION Z ({}))", room(""), room(""))),
        (vec![0.0, 3.0], 1)
    );
    assert_eq!(level(format!("(GEOMETRYCOLLECTION M ({}), {})", room(""), room(""))), (vec![0.0, 3.0], 1));
}

#[test]
fn overlapping_and_adjacent_polygons_are_one_area() {
    let overlap = format!("MULTIPOLYGON ({}, {})", rectangle([0.0, 0.0, 2.0, 2.0]), rectangle([1.0, 1.0, 2.0, 2.0]));
    let areas = walk(&overlap);
    assert_eq!((areas.len(), areas[0].outline.len(), areas[0].area()), (1, 8, 7.0));
    // 0.1 and 0.3 have no place on a binary grid: corners keep their bits, and crossings are near.
    let adjacent = "GEOMETRYCOLLECTION (POLYGON ((0.1 0, 1 0, 1 0.3, 0.1 0.3, 0.1 0)),
        POLYGON ((1 0, 2 0, 2 0.3, 1 0.3, 1 0)), POINT (5 5), LINESTRING (0 0, 1 1), POLYGON EMPTY)";
    let plan = read_plan(adjacent.as_bytes(), PlanFormat::Wkt).unwrap();
    assert_eq!(plan.walk, [PlanArea::rectangle(Vec2::new(0.1, 0.0), Vec2::new(2.0, 0.3)).into()]);
    assert_eq!((plan.warnings[0].kind, plan.warnings[0].count), (PlanWarningKind::NoArea, 2));
    let separate = format!("MULTIPOLYGON ({}, {})", rectangle([0.0, 0.0, 2.0, 2.0]), rectangle([3.0, 1.0, 2.0, 2.0]));
    assert_eq!(walk(&separate).len(), 2);
}

#[test]
fn a_polygon_over_a_hole_fills_it() {
    let room = "((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 3 1, 3 3, 1 3, 1 1))";
    let half = walk(&format!("MULTIPOLYGON ({room}, {})", rectangle([2.0, 1.0, 1.0, 2.0])));
    assert_eq!((half.len(), half[0].holes.len(), half[0].area()), (1, 1, 14.0));
    let island = walk(&format!("MULTIPOLYGON ({room}, {})", rectangle([1.5, 1.5, 1.0, 1.0])));
    assert_eq!((island.len(), island[0].area() + island[1].area()), (2, 13.0));
}

#[test]
fn rings_of_a_frame_enclose_a_hole() {
    let sides = [[0.0, 0.0, 3.0, 1.0], [0.0, 2.0, 3.0, 1.0], [0.0, 0.0, 1.0, 3.0], [2.0, 0.0, 1.0, 3.0]].map(rectangle);
    let areas = walk(&format!("MULTIPOLYGON ({})", sides.join(",")));
    assert_eq!((areas.len(), areas[0].holes.len(), areas[0].area()), (1, 1, 8.0));
}

#[test]
fn holes_that_touch_are_one() {
    for (second, count, area) in [
        ("2 2, 3 2, 3 3, 2 3, 2 2", 2, 23.0),
        ("2 1, 3 1, 3 2, 2 2, 2 1", 1, 23.0),
        ("1 1, 2 1, 2 2, 1 2, 1 1", 1, 24.0),
        ("1 1, 1 3, 3 3, 3 1, 1 1", 1, 21.0),
    ] {
        let text = format!("POLYGON ((0 0, 5 0, 5 5, 0 5, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1), ({second}))");
        let areas = walk(&text);
        assert_eq!((areas.len(), areas[0].area()), (1, area), "{text}");
        assert!(areas[0].holes.len() <= count, "{text}");
        assert_eq!(parse_wkt_areas(&text).unwrap()[0].area.holes.len(), 2, "as given");
    }
}

#[test]
fn holes_that_touch_in_a_ring_leave_an_island() {
    let areas = walk(
        "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 5 1, 5 2, 1 2, 1 1), (4 2, 5 2, 5 5, 4 5, 4 2),
         (1 4, 4 4, 4 5, 1 5, 1 4), (1 2, 2 2, 2 4, 1 4, 1 2))",
    );
    assert_eq!(areas.len(), 2);
    assert_eq!(areas.iter().map(PlanArea::area).sum::<f64>(), 81.0 - 4.0 - 3.0 - 3.0 - 2.0);
}

#[test]
fn areas_thinner_than_a_millimetre_are_left_out() {
    let text = format!("MULTIPOLYGON ({}, {})", rectangle([0.0, 0.0, 2.0, 2.0]), rectangle([3.0, 0.0, 5.0, 0.0005]));
    let plan = read_plan(text.as_bytes(), PlanFormat::Wkt).unwrap();
    assert_eq!((plan.walk.len(), plan.warnings[0].kind), (1, PlanWarningKind::Slivers));
    let wall = "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 3 1, 3 1.0001, 1 1)), ((5 5, 6 5, 6 6, 5 5)))";
    assert_eq!(walk(wall)[0].holes.len(), 1, "a thin hole is a wall");
}

#[test]
fn faults_of_the_text_name_line_and_column() {
    for (text, expected) in [
        (
            "",
            "line 1, column 1: found nothing, expected a geometry such as POLYGON, MULTIPOLYGON or GEOMETRYCOLLECTION",
        ),
        ("POLYGON\n ((0 0, 1 x", "line 2, column 11: found `x`, expected a coordinate"),
        ("POLYGON ((0 0, 1 nan", "line 1, column 18: the coordinate `nan` is not finite: give finite numbers"),
        ("POLYGON ((0 0, 1 1e999", "line 1, column 18: the coordinate `1e999` is not finite: give finite numbers"),
        ("POLYGON ((0 0; 1 1", "line 1, column 13: found `0;`, expected a coordinate"),
        ("POLYGON ((0 0 0 0 0, 1 1", "line 1, column 19: found `0`, expected `,` or `)`"),
        (
            "CIRCLE (0 0)",
            "line 1, column 1: found `CIRCLE`, expected a geometry such as POLYGON, MULTIPOLYGON or \
                          GEOMETRYCOLLECTION",
        ),
        (
            "POINT (0 0) POINT (1 1)",
            "line 1, column 13: found `POINT`, expected the end of the text: join geometries \
                                     in a GEOMETRYCOLLECTION",
        ),
        ("POINT (0 0)", "the plan has no polygon: give at least one `POLYGON ((0 0, 4 0, 4 3, 0 0))`"),
        ("GEOMETRYCOLLECTION EMPTY", "the plan has no polygon: give at least one `POLYGON ((0 0, 4 0, 4 3, 0 0))`"),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
    let deep = "GEOMETRYCOLLECTION (".repeat(100_000);
    assert!(message(&deep).ends_with("expected at most 32 nested collections"));
}

#[test]
fn faults_of_rings_name_ring_and_point() {
    let hole = |ring: &str| format!("POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2, 1 1), ({ring}))");
    for (text, expected) in [
        (
            "POLYGON ((0 0, 4 0, 4 3.5))".to_owned(),
            "polygon 1, outer ring: begins at (0, 0) but ends at (4, 3.5): repeat the first point at the end",
        ),
        (
            "POLYGON ((0 0, 4 0, 4 3.5, 0 1e-7))".to_owned(),
            "polygon 1, outer ring: begins at (0, 0) but ends at (0, 0), 1e-7 m from it: repeat the first point at the end",
        ),
        (
            "POLYGON ((0 0, 1 1, 1 1, 0 0))".to_owned(),
            "polygon 1, outer ring: has 2 corners at (0, 0), it needs at least 3: complete it or remove it",
        ),
        (
            "MULTIPOLYGON (((0 0, 1 0, 0 1, 0 0)), ((0 0, 4 4, 4 0, 0 2, 0 0)))".to_owned(),
            "polygon 2, outer ring: crosses itself at (1.3333, 1.3333): change the order of \
             its corners, or split it there",
        ),
        (
            "POLYGON ((0 0, 4 0, 4 4, 2 0, 0 4, 0 0))".to_owned(),
            "polygon 1, outer ring: touches itself at (2, 0): leave a gap there, or make the enclosed part a hole",
        ),
        (
            "POLYGON ((0 0, 4 0, 2 0, 0 4, 0 0))".to_owned(),
            "polygon 1, outer ring: touches itself at (2, 0): leave a gap there, or make the enclosed part a hole",
        ),
        (
            hole("8 7, 10 7, 8 8, 8 7"),
            "polygon 1, hole 2: crosses the outer ring at (9, 7): move it inside, or cut the polygon there",
        ),
        (
            hole("8 8, 9 8, 8 8.5, 8 8"),
            "polygon 1, hole 2: touches the outer ring at (9, 8): leave a gap, or make one ring of both",
        ),
        (
            hole("20 20, 21 20, 20 21, 20 20"),
            "polygon 1, hole 2: lies outside the outer ring, its first corner is (20, 20): move it, or remove it",
        ),
        (
            hole("1.6 1.2, 1.7 1.2, 1.7 1.3, 1.6 1.2"),
            "polygon 1, hole 2: lies inside hole 1, its first corner is (1.6, 1.2): remove it, or make it a polygon",
        ),
        (
            "POLYGON ((2e9 0, 2.1e9 0, 2e9 1, 2e9 0))".to_owned(),
            "polygon 1, outer ring: the point (2e9, 0) is farther than 1e9 m from the origin: subtract an offset",
        ),
        (
            "POLYGON ((24.93 60.17, 24.94 60.17, 24.94 60.18, 24.93 60.17))".to_owned(),
            "the whole plan is 0.01 by 0.01 units wide, at (24.93, 60.17): no person \
             fits in; if these are degrees, project them to metres",
        ),
    ] {
        assert_eq!(message(&text), expected, "{text}");
    }
    assert!(matches!(
        read_plan(hole("1.5 0.5, 3 0.5, 1.5 3, 1.5 0.5").as_bytes(), PlanFormat::Wkt),
        Err(PlanError::RingsCross { .. })
    ));
    assert_eq!(walk("POLYGON ((0 0, 0.8 0, 0.8 0.8, 0 0.8, 0 0))").len(), 1, "a room of 0.8 m is legal");
}

#[test]
fn points_and_lines_are_read() {
    let points = [Vec2::new(1.0, 2.0), Vec2::new(3.0, -4.5)];
    for text in
        ["MULTIPOINT (1 2, 3 -4.5)", "MULTIPOINT((1 2),(3 -4.5))", "GEOMETRYCOLLECTION(POINT(1 2),POINT(3 -45e-1))"]
    {
        assert_eq!(parse_wkt_points(text).unwrap(), points, "{text}");
    }
    assert_eq!(parse_wkt_line("LINESTRING (1 2, 3 -4.5)").unwrap(), points);
    let none = parse_wkt_points("LINESTRING (1 2, 3 -4.5)").unwrap_err();
    assert_eq!(none.to_string(), "the plan has no point: give at least one `POINT (1 2)`");
    let two = parse_wkt_line("MULTILINESTRING ((1 2, 3 4), (1 2, 3 4))").unwrap_err();
    assert_eq!(two.to_string(), "the plan has no single line: give one `LINESTRING (0 0, 1 0)`");
}

#[test]
fn truncated_texts_are_errors() {
    let text = "GEOMETRYCOLLECTION (POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0), (1 1, 2 1, 2 2, 1 1)), POINT (1 2))";
    for end in 0..text.len() {
        assert!(read_plan(&text.as_bytes()[..end], PlanFormat::Wkt).is_err(), "{}", &text[..end]);
    }
    for (at, _) in text.char_indices() {
        let mut bytes = text.as_bytes().to_vec();
        bytes[at] = 0xff;
        let _ = read_plan(&bytes, PlanFormat::Wkt);
    }
}

/// The area of the union of rectangles, by inclusion and exclusion over all their sets.
fn united_area(rectangles: &[[f64; 4]]) -> f64 {
    let mut sum = 0.0;
    for set in 1_u32..1 << rectangles.len() {
        let (mut low, mut high) = (Vec2::NEG_INFINITY, Vec2::INFINITY);
        for (number, [x, y, width, height]) in rectangles.iter().enumerate() {
            if set >> number & 1 == 1 {
                low = low.max(Vec2::new(*x, *y));
                high = high.min(Vec2::new(x + width, y + height));
            }
        }
        let size = (high - low).max(Vec2::ZERO);
        sum += size.x * size.y * if set.count_ones() % 2 == 1 { 1.0 } else { -1.0 };
    }
    sum
}

/// Rectangles with corners that often coincide, on a grid of a tenth of a metre.
fn rectangles() -> impl Strategy<Value = Vec<[f64; 4]>> {
    let tenth = |range: std::ops::Range<i32>| range.prop_map(|number| f64::from(number) * 0.1);
    let one = (tenth(0..30), tenth(0..30), tenth(1..20), tenth(1..20)).prop_map(|(x, y, w, h)| [x, y, w, h]);
    prop::collection::vec(one, 1..7)
}

proptest! {
    #[test]
    fn the_area_of_a_union_is_that_of_inclusion_and_exclusion(rectangles in rectangles()) {
        let polygons: Vec<_> = rectangles.iter().map(|&one| rectangle(one)).collect();
        let areas = walk(&format!("MULTIPOLYGON ({})", polygons.join(",")));
        let area: f64 = areas.iter().map(PlanArea::area).sum();
        prop_assert!((area - united_area(&rectangles)).abs() < 1e-5, "{area} {}", united_area(&rectangles));
        // Points at a distance from all edges are in exactly one area, or in none.
        for number in 0..400 {
            let point = Vec2::new(f64::from(number % 20) * 0.3 + 0.05, f64::from(number / 20) * 0.3 + 0.05);
            let is_in = |&[x, y, width, height]: &[f64; 4]| {
                point.x > x && point.x < x + width && point.y > y && point.y < y + height
            };
            let count = areas.iter().filter(|area| area.contains(point)).count();
            prop_assert_eq!(count, usize::from(rectangles.iter().any(is_in)), "{}", point);
        }
    }
}
