//! Levels and roads of maps: bridges, tunnels, ramps, crossings.

use heurt_geometry::{FloorArea, PlanArea, Vec2};
use heurt_io::{LonLat, Plan, PlanFormat, PlanWarningKind, read_plan};
use proptest::prelude::*;

/// The middle of all maps of this file.
const MIDDLE: LonLat = LonLat { lon: 10.0, lat: 50.0 };

/// A map of 200 × 200 m around its middle: nodes by number in metres, ways of nodes with tags.
struct Town {
    nodes: Vec<[f64; 2]>,
    ways: String,
}

impl Town {
    fn new(nodes: &[[f64; 2]]) -> Self {
        Self { nodes: nodes.to_vec(), ways: String::new() }
    }

    /// Adds a way; its number is the order of ways, from 100.
    fn way(mut self, nodes: &[usize], tags: &str) -> Self {
        let id = 100 + self.ways.matches("<way").count();
        let nodes: String = nodes.iter().map(|node| format!("<nd ref='{}'/>", node + 1)).collect();
        let tags = tags.split_whitespace().map(|tag| tag.split_once('=').unwrap());
        let tags: String = tags.map(|(key, value)| format!("<tag k='{key}' v='{value}'/>")).collect();
        self.ways += &format!("<way id='{id}'>{nodes}{tags}</way>");
        self
    }

    fn plan(&self) -> Plan {
        let degrees = |[x, y]: [f64; 2]| (MIDDLE.lat + y / 111_229.0, MIDDLE.lon + x / 71_696.0);
        let [(south, west), (north, east)] = [[-100.0; 2], [100.0; 2]].map(degrees);
        let mut text = format!("<osm><bounds minlat='{south}' minlon='{west}' maxlat='{north}' maxlon='{east}'/>");
        for (number, &node) in self.nodes.iter().enumerate() {
            let (lat, lon) = degrees(node);
            text += &format!("<node id='{}' lat='{lat}' lon='{lon}'/>", number + 1);
        }
        read_plan(format!("{text}{}</osm>", self.ways).as_bytes(), PlanFormat::Osm).unwrap()
    }
}

/// A footbridge to the east over a street to the north, with paths of 70 m at both ends.
fn footbridge(tags: &str) -> Town {
    let nodes = [[-80.0, 0.0], [-10.0, 0.0], [10.0, 0.0], [80.0, 0.0], [0.0, -90.0], [0.0, 90.0]];
    Town::new(&nodes)
        .way(&[0, 1], "highway=footway")
        .way(&[1, 2], tags)
        .way(&[2, 3], "highway=footway")
        .way(&[4, 5], "highway=residential")
}

/// The heights of floors over a point, ascending.
fn heights(floors: &[FloorArea], x: f64, y: f64) -> Vec<f64> {
    let point = Vec2::new(x, y);
    let on = floors.iter().filter(|floor| floor.area.contains(point));
    let mut heights: Vec<f64> = on.map(|floor| floor.height_at(point)).collect();
    heights.sort_by(f64::total_cmp);
    heights
}

fn assert_heights(floors: &[FloorArea], [x, y]: [f64; 2], expected: &[f64]) {
    let found = heights(floors, x, y);
    let is_near = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.02);
    assert!(is_near, "at ({x}, {y}): {found:?}, expected {expected:?}");
}

#[test]
fn bridges_over_streets_are_floors_with_ramps() {
    let plan = footbridge("highway=footway bridge=yes layer=1 width=4").plan();
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    assert_eq!(plan.walk.len(), 4, "the ground, the deck, two ramps");
    // The deck over the street, the ramps of 1 in 8 over the ground as far as 2.05 m are free, their lower parts alone.
    assert_heights(&plan.walk, [0.0, 0.0], &[0.0, 5.0]);
    assert_heights(&plan.walk, [20.0, 0.5], &[0.0, 3.75]);
    assert_heights(&plan.walk, [-40.0, 0.5], &[1.25]);
    assert_heights(&plan.walk, [-40.0, 2.5], &[0.0]);
    assert_heights(&plan.walk, [60.0, 0.5], &[0.0]);
    assert_heights(&plan.drive, [0.0, 0.0], &[0.0]);
    // The second layer is 10 m high, with ramps as far as the map has room.
    let high = footbridge("highway=footway bridge=yes layer=2").plan();
    assert_heights(&high.walk, [0.0, 0.0], &[0.0, 10.0]);
    // A bridge of cars has its road on it.
    let road = footbridge("highway=service bridge=yes").plan();
    assert_heights(&road.drive, [0.0, 0.0], &[0.0, 5.0]);
}

#[test]
fn tunnels_of_people_are_floors_with_ramps() {
    let plan = footbridge("highway=footway tunnel=yes layer=-1").plan();
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    assert_heights(&plan.walk, [0.0, 0.0], &[-5.0, 0.0]);
    assert_heights(&plan.walk, [20.0, 0.5], &[-3.75, 0.0]);
    assert_heights(&plan.walk, [40.0, 0.5], &[-1.25]);
    let cars = footbridge("highway=service tunnel=yes layer=-1").plan();
    assert_eq!((cars.walk.len(), cars.warnings[0].kind), (1, PlanWarningKind::CrossesLevels));
    assert_eq!(cars.warnings[0].items[0].id, 101);
}

#[test]
fn bridges_without_room_are_left_out_and_named() {
    let house = |town: Town, x: f64| {
        let mut town = town;
        let first = town.nodes.len();
        let corner = |dx: f64, dy: f64| [x + dx, dy];
        town.nodes.extend([corner(-4.0, -4.0), corner(4.0, -4.0), corner(4.0, 4.0), corner(-4.0, 4.0)]);
        town.way(&[first, first + 1, first + 2, first + 3, first], "building=yes")
    };
    let bridge = || footbridge("highway=footway bridge=yes layer=1");
    // A house 25 m behind an end leaves room for a ramp of 1 in 2 only, one at 12 m for none.
    let steep = house(bridge(), 40.0).plan();
    assert!(steep.warnings.is_empty());
    assert_heights(&steep.walk, [15.0, 0.5], &[0.0, 3.75]);
    let one = house(bridge(), 16.0).plan();
    assert_eq!((one.warnings.len(), one.warnings[0].kind), (1, PlanWarningKind::NoRamp));
    assert!(one.warnings[0].to_string().contains("101 at (10.0, 0.0) m"), "{}", one.warnings[0]);
    assert_heights(&one.walk, [0.0, 0.0], &[0.0, 5.0]);
    let none = house(house(bridge(), 16.0), -16.0).plan();
    let kinds: Vec<_> = none.warnings.iter().map(|warning| (warning.kind, warning.count)).collect();
    assert_eq!(kinds, [(PlanWarningKind::CrossesLevels, 1), (PlanWarningKind::NoRamp, 2)]);
    let shown = none.warnings[0].to_string();
    assert!(shown.starts_with("1 `way` that crosses levels: 101 at (-10.0, 0.0) m = 9.99986° E"), "{shown}");
    assert_heights(&none.walk, [0.0, 0.0], &[0.0]);
    // Over water, what is left out is no ground either.
    let high = footbridge("highway=footway bridge=yes layer=9").plan();
    assert_eq!((high.walk.len(), high.warnings[0].items[0].id), (1, 101));
}

#[test]
fn areas_of_other_levels_are_not_on_the_ground() {
    let nodes = [[-20.0, -20.0], [20.0, -20.0], [20.0, 20.0], [-20.0, 20.0], [-60.0, 0.0], [60.0, 0.0]];
    let plan = Town::new(&nodes)
        .way(&[0, 1, 2, 3, 0], "highway=service area=yes layer=1")
        .way(&[4, 5], "highway=footway")
        .plan();
    // No way joins it: it has no ramp.
    assert_eq!((plan.walk.len(), plan.drive.len(), plan.warnings[0].items[0].id), (1, 0, 100));
    let mut town = Town::new(&nodes).way(&[0, 1, 2, 3, 0], "");
    town.ways += "<relation id='7'><member type='way' ref='100' role='outer'/><tag k='type' v='multipolygon'/>\
                  <tag k='highway' v='service'/><tag k='layer' v='1'/></relation>";
    let plan = town.plan();
    assert_eq!((plan.drive.len(), plan.warnings[0].kind), (0, PlanWarningKind::CrossesLevels));
    assert_eq!(plan.warnings[0].items[0].id, 7);
}

#[test]
fn decks_of_parallel_ways_and_areas_are_one() {
    let town = footbridge("highway=footway bridge=yes layer=1 width=4");
    let mut nodes = town.nodes.clone();
    nodes.extend([[-10.0, 1.5], [10.0, 1.5], [10.0, 20.0], [-10.0, 20.0]]);
    let plan = Town { nodes, ..town }.way(&[6, 7, 8, 9, 6], "highway=pedestrian area=yes layer=1").plan();
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    assert_eq!(plan.walk.len(), 4, "the ground, one deck, two ramps");
    assert_heights(&plan.walk, [0.0, 15.0], &[0.0, 5.0]);
}

/// Reports whether a straight walk along y = 0.5 m from the ground stays on floors, with steps of at most 10 cm, and
/// the highest point of it.
fn walk_east(floors: &[FloorArea], from: f64, to: f64) -> Option<f64> {
    let (mut at, mut highest) = (0.0, 0.0);
    for step in 0..=((to - from) / 0.25) as usize {
        let found = heights(floors, from + 0.25 * step as f64 + 0.01, 0.5);
        at = found.into_iter().find(|height: &f64| (height - at).abs() < 0.1)?;
        highest = f64::max(highest, at);
    }
    Some(highest)
}

#[test]
fn bridges_in_several_ways_are_one_deck() {
    // A street at x = 0 under one piece of a bridge; paths at both ends; the pieces end at x = -30, -10, 10, 30.
    let nodes = [-85.0, -30.0, -10.0, 10.0, 30.0, 85.0].map(|x| [x, 0.0]);
    let nodes = [&nodes[..], &[[0.0, -90.0], [0.0, 90.0]]].concat();
    let bridge = "highway=footway bridge=yes layer=1 width=4";
    let town = |pieces: &[[usize; 2]]| {
        let path = "highway=footway";
        let (first, last) = (pieces[0][0], pieces[pieces.len() - 1][1]);
        let town = Town::new(&nodes).way(&[0, first], path).way(&[last, 5], path).way(&[6, 7], "highway=residential");
        pieces.iter().fold(town, |town, piece| town.way(piece, bridge)).plan()
    };
    for pieces in [&[[1, 4]][..], &[[1, 2], [2, 4]], &[[1, 3], [3, 4]], &[[1, 2], [2, 3], [3, 4]]] {
        let plan = town(pieces);
        assert!(plan.warnings.is_empty(), "{pieces:?}: {:?}", plan.warnings);
        assert_eq!(plan.walk.len(), 4, "{pieces:?}: the ground, one deck, two ramps");
        assert_eq!(walk_east(&plan.walk, -84.0, 84.0), Some(5.0), "{pieces:?}");
        assert_heights(&plan.walk, [20.0, 0.5], &[0.0, 5.0]);
    }
    // A piece of a second level that nothing passes under is on the ground: the ramp leads along it.
    let mixed = Town::new(&nodes)
        .way(&[0, 2], "highway=footway")
        .way(&[2, 3], bridge)
        .way(&[3, 5], "highway=footway bridge=yes layer=2")
        .way(&[6, 7], "highway=residential")
        .plan();
    assert!(mixed.warnings.is_empty(), "{:?}", mixed.warnings);
    assert_eq!(walk_east(&mixed.walk, -84.0, 84.0), Some(5.0));
}

#[test]
fn areas_that_lie_over_a_deck_are_part_of_it() {
    // A place next to the street, which overlaps the end of the bridge and is joined to nothing else.
    let town = footbridge("highway=footway bridge=yes layer=1 width=4");
    let mut nodes = town.nodes.clone();
    nodes.extend([[5.0, 1.0], [9.0, 1.0], [9.0, 20.0], [5.0, 20.0]]);
    let plan = Town { nodes, ..town }.way(&[6, 7, 8, 9, 6], "highway=pedestrian area=yes layer=1").plan();
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    assert_heights(&plan.walk, [7.0, 15.0], &[0.0, 5.0]);
}

#[test]
fn bridges_with_a_node_over_a_street_are_raised() {
    // A node of the bridge lies on the line of the street, which has no node there.
    let bridge = "highway=footway bridge=yes layer=1 width=4";
    let town = |pieces: &[&[usize]]| {
        let nodes = [[-80.0, 0.0], [-10.0, 0.0], [0.0, 0.0], [10.0, 0.0], [80.0, 0.0], [0.0, -90.0], [0.0, 90.0]];
        let town = Town::new(&nodes).way(&[0, 1], "highway=footway").way(&[3, 4], "highway=footway");
        let town = town.way(&[5, 6], "highway=residential");
        pieces.iter().fold(town, |town, piece| town.way(piece, bridge)).plan()
    };
    for pieces in [&[&[1, 2, 3][..]][..], &[&[1, 2], &[2, 3]], &[&[2, 1], &[3, 2]]] {
        let plan = town(pieces);
        assert!(plan.warnings.is_empty(), "{pieces:?}: {:?}", plan.warnings);
        assert_heights(&plan.walk, [0.0, 0.5], &[0.0, 5.0]);
    }
    // A bridge that ends on the street joins it.
    let plan = town(&[&[1, 2]]);
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    assert_eq!(plan.walk.len(), 1);
}

/// A bridge of the first level from the ground in the west, and one of the second level that goes on to the east.
fn two_levels(layers: [i32; 2]) -> Town {
    let along = [-95.0, -45.0, 30.0, 90.0].map(|x| [x, 0.0]);
    let streets = [[-30.0, -90.0], [-30.0, 90.0], [60.0, -90.0], [60.0, 90.0]];
    let tags = layers.map(|layer| {
        let kind = if layer > 0 { "bridge" } else { "tunnel" };
        format!("highway=footway {kind}=yes layer={layer} width=4")
    });
    Town::new(&[&along[..], &streets].concat())
        .way(&[0, 1], "highway=footway")
        .way(&[1, 2], &tags[0])
        .way(&[2, 3], &tags[1])
        .way(&[4, 5], "highway=residential")
        .way(&[6, 7], "highway=residential")
}

#[test]
fn decks_of_two_levels_that_join_have_a_ramp_between_them() {
    let plan = two_levels([1, 2]).plan();
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    assert_eq!(walk_east(&plan.walk, -94.0, 89.0), Some(10.0));
    // The ramp of 40 m lies over the lower deck, which ends where less than 2.05 m are free.
    assert_heights(&plan.walk, [20.0, 0.5], &[0.0, 5.0, 8.75]);
    assert_heights(&plan.walk, [0.0, 0.5], &[0.0, 6.25]);
    assert_heights(&plan.walk, [60.0, 0.5], &[0.0, 10.0]);
    let below = two_levels([-1, -2]).plan();
    assert!(below.warnings.is_empty(), "{:?}", below.warnings);
    assert_heights(&below.walk, [20.0, 0.5], &[-8.75, -5.0, 0.0]);
    assert_heights(&below.walk, [60.0, 0.5], &[-10.0, 0.0]);
    // The ground joins the upper deck alone: the lower one is reached from there.
    let mut town = two_levels([2, 1]);
    town.nodes[1][0] = -14.0;
    town.nodes[4][0] = 0.0;
    town.nodes[5][0] = 0.0;
    let plan = town.plan();
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    assert_heights(&plan.walk, [10.0, 0.5], &[0.0, 10.0]);
    assert_heights(&plan.walk, [60.0, 0.5], &[0.0, 6.25]);
    assert_heights(&plan.walk, [80.0, 0.5], &[0.0, 5.0]);
    // A lower deck that bends off has no room.
    let mut town = two_levels([1, 2]);
    town.nodes.push([25.0, 0.0]);
    town.nodes.push([25.0, 30.0]);
    town.ways =
        town.ways.replacen("<nd ref='2'/><nd ref='3'/>", "<nd ref='2'/><nd ref='10'/><nd ref='9'/><nd ref='3'/>", 1);
    let plan = town.plan();
    let kinds: Vec<_> = plan.warnings.iter().map(|warning| (warning.kind, warning.items[0].id)).collect();
    assert_eq!(kinds, [(PlanWarningKind::CrossesLevels, 102), (PlanWarningKind::NoRamp, 102)]);
}

#[test]
fn people_keep_off_roads_except_at_crossings() {
    let nodes = [[0.0, -90.0], [0.0, 0.0], [0.0, 90.0], [-50.0, 40.0], [50.0, 40.0]];
    let town = Town::new(&nodes)
        .way(&[0, 1, 2], "highway=residential width=6")
        .way(&[3, 4], "highway=footway footway=crossing width=3");
    let crossed = |town: &Town| {
        let plan = town.plan();
        assert_heights(&plan.walk, [0.0, 20.0], &[0.0]);
        let plan = plan.without_roads().unwrap();
        [[0.0, 0.0], [0.0, 20.0], [0.0, 40.0]].map(|[x, y]| heights(&plan.walk, x, y).len())
    };
    assert_eq!(crossed(&town), [0, 0, 1]);
    let text = town.ways.clone();
    let mut zebra = town;
    // A crossing of a node, by its tag.
    zebra.ways = format!("<node id='2' lat='50' lon='10'><tag k='highway' v='crossing'/></node>{text}");
    assert_eq!(crossed(&zebra), [1, 0, 1]);
    let plan = zebra.plan();
    let size = |floors: &[FloorArea]| floors.iter().map(|floor| floor.area.area()).sum::<f64>();
    let off = size(&plan.walk) - size(&plan.clone().without_roads().unwrap().walk);
    assert!((size(&plan.drive) - off - 6.0 * 4.0 - 6.0 * 3.0).abs() < 0.1, "{off}");
}

#[test]
fn roads_are_removed_from_all_floors_of_a_plane_at_once() {
    // Squares of 10 m, each with a road across it and a crossing; those of a second height have roads over them.
    let square = |number: usize, [low, high]: [[f64; 2]; 2], height: f64| {
        let at = Vec2::new(20.0 * (number % 40) as f64, 20.0 * (number / 40) as f64);
        let area = PlanArea::rectangle(at + Vec2::from_array(low), at + Vec2::from_array(high));
        FloorArea::level(area, height)
    };
    let all = |count: usize, corners: [[f64; 2]; 2], height: f64| -> Vec<FloorArea> {
        (0..count).map(|number| square(number, corners, height)).collect()
    };
    let plan = |count: usize| {
        let whole = [[0.0, 0.0], [10.0, 10.0]];
        let walk = [all(count, whole, 0.0), all(count, whole, 5.0)].concat();
        let (drive, crossings) = ([[4.0, -1.0], [7.0, 11.0]], [[3.0, 2.0], [8.0, 4.0]]);
        let (drive, crossings) = (all(count, drive, 0.0), all(count, crossings, 0.0));
        Plan { walk, drive, crossings, ..Plan::default() }.without_roads().unwrap()
    };
    let (one, many) = (plan(1), plan(1600));
    let size = |plan: &Plan| plan.walk.iter().map(|floor| floor.area.area()).sum::<f64>();
    assert_eq!((one.walk.len(), size(&one)), (2, 200.0 - 3.0 * 8.0));
    assert_eq!((many.walk.len(), size(&many)), (3200, 1600.0 * size(&one)));
    assert!(many.walk.contains(&one.walk[0]) && many.walk.contains(&one.walk[1]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Floors over each other leave 2 m between them, wherever bridges and tunnels are.
    #[test]
    fn floors_of_any_map_leave_headroom(
        nodes in prop::collection::vec([-95.0..95.0_f64, -95.0..95.0], 14),
        ways in prop::collection::vec((0..14_usize, 0..14_usize, 0..14_usize, -2..4_i32, 0..3_usize), 1..12),
    ) {
        let mut town = Town::new(&nodes);
        for (a, b, c, layer, kind) in ways {
            let kind = ["highway=footway", "highway=residential", "highway=pedestrian area=yes"][kind];
            town = town.way(&[a, b, c, a][..if kind.ends_with("yes") { 4 } else { 3 }], &format!("{kind} layer={layer}"));
        }
        let plan = town.plan();
        for x in -40..40 {
            for y in -40..40 {
                let found = heights(&plan.walk, 2.5 * f64::from(x) + 0.1, 2.5 * f64::from(y) + 0.1);
                prop_assert!(found.windows(2).all(|pair| pair[1] - pair[0] >= 2.0), "{found:?} at {x} {y}");
            }
        }
    }
}
