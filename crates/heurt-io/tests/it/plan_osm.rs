//! Plans of maps of OpenStreetMap, as XML and as PBF from an encoder in this file.

use heurt_geometry::{FloorArea, PlanArea, Vec2};
use heurt_io::{LonLat, Plan, PlanFormat, PlanWarningKind, read_plan};

const ORIGIN: LonLat = LonLat { lon: 0.5 * (24.0 + 24.003), lat: 0.5 * (60.0 + 60.002) };

/// The map of all tests: nodes 1 to 9 in rows of three, and the items that a test adds.
fn map(rest: &str) -> String {
    let mut text =
        "<osm version=\"0.6\"><bounds minlat='60.000' minlon='24.000' maxlat='60.002' maxlon='24.003'/>\n".to_owned();
    for (number, at) in nodes().iter().enumerate() {
        text += &format!("<node id='{}' lat='{}' lon='{}'/>\n", number + 1, at.lat, at.lon);
    }
    text + rest + "</osm>"
}

fn nodes() -> Vec<LonLat> {
    let row = |lat: f64| [24.0005, 24.0015, 24.0025].map(|lon| LonLat { lon, lat });
    [60.0005, 60.001, 60.0015].into_iter().flat_map(row).collect()
}

fn at(node: usize) -> Vec2 {
    nodes()[node - 1].to_metres(ORIGIN)
}

fn way(id: i64, nodes: &[i64], tags: &[(&str, &str)]) -> String {
    let nodes: String = nodes.iter().map(|node| format!("<nd ref='{node}'/>")).collect();
    format!("<way id='{id}'>{nodes}{}</way>\n", tag_list(tags))
}

fn relation(id: i64, ways: &[i64], tags: &[(&str, &str)]) -> String {
    let ways: String = ways.iter().map(|way| format!("<member type='way' ref='{way}' role=''/>")).collect();
    format!("<relation id='{id}'>{ways}{}</relation>\n", tag_list(tags))
}

fn tag_list(tags: &[(&str, &str)]) -> String {
    tags.iter().map(|(key, value)| format!("<tag k='{key}' v='{value}'/>")).collect()
}

fn plan(rest: &str) -> Plan {
    read_plan(map(rest).as_bytes(), PlanFormat::Osm).unwrap_or_else(|error| panic!("{rest}: {error}"))
}

fn message(text: &str) -> String {
    match read_plan(text.as_bytes(), PlanFormat::Osm) {
        Ok(plan) => panic!("{text} is {plan:?}"),
        Err(error) => error.to_string(),
    }
}

fn area(floors: &[FloorArea]) -> f64 {
    floors.iter().map(|floor| floor.area.area()).sum()
}

fn quad(nodes: [usize; 4]) -> f64 {
    PlanArea { outline: nodes.map(at).to_vec(), holes: Vec::new() }.area()
}

/// The area of the bounds.
fn whole() -> f64 {
    area(&plan("").walk)
}

#[test]
fn the_projection_agrees_with_proj() {
    // Values of PROJ 9: tmerc at the origin with scale 1 on WGS 84.
    let helsinki = LonLat { lon: 24.94, lat: 60.17 };
    for (lon, lat, origin, [x, y]) in [
        (24.95, 60.18, helsinki, [554.966_035_643_897_7, 1_114.194_581_767_584_2]),
        (24.92, 60.16, helsinki, [-1_110.606_829_605_214, -1_113.982_732_449_357_4]),
        (
            2.29296,
            48.85713,
            LonLat { lon: 2.29504, lat: 48.858_075 },
            [-152.632_168_305_402_93, -105.088_508_024_636_84],
        ),
    ] {
        let metres = LonLat { lon, lat }.to_metres(origin);
        assert!(metres.distance(Vec2::new(x, y)) < 1e-6, "{metres} {x} {y}");
    }
    assert_eq!(helsinki.to_metres(helsinki), Vec2::ZERO);
}

#[test]
fn the_ground_is_the_rectangle_of_the_bounds() {
    let plan = plan("");
    let [low, high] = plan.walk[0].area.bounds();
    assert_eq!((plan.walk.len(), plan.walk[0].area.outline.len(), plan.drive.len()), (1, 4, 0));
    assert!((low + high).abs().max_element() < 0.01, "the origin is the middle");
    let origin = plan.origin.unwrap();
    assert!((origin.lon - ORIGIN.lon).abs() < 1e-9 && (origin.lat - ORIGIN.lat).abs() < 1e-9);
    let size = high - low;
    assert!((size.x - 167.4).abs() < 0.1 && (size.y - 222.8).abs() < 0.1, "{size}");
    // Without bounds, the nodes give them.
    let bare = map("").replace("bounds", "remark");
    let plan = read_plan(bare.as_bytes(), PlanFormat::Osm).unwrap();
    assert!((area(&plan.walk) - quad([1, 3, 9, 7])).abs() < 1.0);
}

#[test]
fn buildings_and_water_are_cut_out() {
    let ring = [1, 2, 5, 4, 1];
    let built = whole() - quad([1, 2, 5, 4]);
    for (tags, is_cut) in [
        (&[("building", "yes")][..], true),
        (&[("building", "no")], false),
        (&[("building", "roof")], false),
        (&[("building", "yes"), ("layer", "-1")], false),
        (&[("building", "yes"), ("location", "underground")], false),
        (&[("building", "yes"), ("min_height", "3 m")], false),
        (&[("building", "yes"), ("min_height", "0.5")], true),
        (&[("natural", "water")], true),
        (&[("waterway", "riverbank")], true),
        (&[("natural", "wood")], false),
    ] {
        let found = plan(&way(10, &ring, tags));
        let expected = if is_cut { built } else { whole() };
        assert!((area(&found.walk) - expected).abs() < 1e-3, "{tags:?}");
        assert!(found.warnings.is_empty(), "{tags:?}");
    }
    // Against the clock, and two that share an edge.
    let both = way(10, &[1, 4, 5, 2, 1], &[("building", "yes")]) + &way(11, &[2, 3, 6, 5, 2], &[("building", "yes")]);
    let found = plan(&both);
    assert!((area(&found.walk) - (whole() - quad([1, 3, 6, 4]))).abs() < 1e-3);
    assert_eq!(found.walk[0].area.holes.len(), 1);
    assert!(found.walk[0].area.holes[0].contains(&at(1)), "corners keep their bits");
}

#[test]
fn relations_join_their_rings() {
    // The outer ring in three pieces of different directions, the inner ring as one.
    let inner = "<node id='21' lat='60.0008' lon='24.0012'/><node id='22' lat='60.0008' lon='24.0018'/><node id='23' \
                 lat='60.0012' lon='24.0015'/>";
    let pieces = way(10, &[1, 2, 3], &[]) + &way(11, &[9, 6, 3], &[]) + &way(12, &[9, 7, 4, 1], &[]);
    let hole = way(13, &[21, 22, 23, 21], &[]);
    let tags = [("type", "multipolygon"), ("building", "yes")];
    let found = plan(&(inner.to_owned() + &pieces + &hole + &relation(30, &[10, 11, 12, 13], &tags)));
    let court = [(24.0012, 60.0008), (24.0018, 60.0008), (24.0015, 60.0012)];
    let court = court.map(|(lon, lat)| LonLat { lon, lat }.to_metres(ORIGIN)).to_vec();
    let court = PlanArea { outline: court, holes: Vec::new() }.area();
    assert_eq!(found.walk.len(), 2, "{:?}", found.warnings);
    assert!((area(&found.walk) - (whole() - quad([1, 3, 9, 7]) + court)).abs() < 0.05);
    // A piece is missing.
    let open = plan(&(pieces + &relation(30, &[10, 11, 99], &tags)));
    assert!((area(&open.walk) - whole()).abs() < 1e-3);
    assert_eq!((open.warnings[0].kind, open.warnings[0].items[0].id), (PlanWarningKind::UnclosedRelation, 30));
}

#[test]
fn barriers_are_thin_and_gates_open_them() {
    let wall = way(10, &[4, 5, 6], &[("barrier", "wall"), ("width", "0.5")]);
    let length = at(4).distance(at(6));
    let found = plan(&wall);
    assert!((whole() - area(&found.walk) - 0.5 * length).abs() < 0.3);
    let gate = map(&wall).replace(
        "<node id='5' lat='60.001' lon='24.0015'/>",
        "<node id='5' lat='60.001' lon='24.0015'><tag k='barrier' v='gate'/></node>",
    );
    let open = read_plan(gate.as_bytes(), PlanFormat::Osm).unwrap();
    assert!((area(&open.walk) - area(&found.walk) - 2.0 * 0.5).abs() < 1e-3, "a gate is 2 m wide");
    assert_eq!((found.walk[0].area.holes.len(), open.walk[0].area.holes.len()), (1, 2));
    // A fence along the ring of a field leaves the field.
    assert_eq!(plan(&way(10, &[1, 2, 5, 4, 1], &[("barrier", "fence")])).walk.len(), 2);
    let hedge = plan(&way(10, &[1, 2, 5, 4, 1], &[("barrier", "hedge"), ("area", "yes")]));
    assert!((area(&hedge.walk) - (whole() - quad([1, 2, 5, 4]))).abs() < 1e-3);
}

#[test]
fn carriageways_have_the_width_of_their_tags() {
    let length = at(4).distance(at(6));
    for (tags, width) in [
        (&[("highway", "residential")][..], 5.5),
        (&[("highway", "residential"), ("lanes", "3")], 9.0),
        (&[("highway", "residential"), ("lanes", "3"), ("width", "7.5 m")], 7.5),
        (&[("highway", "primary"), ("width", "wide")], 9.0),
        (&[("highway", "footway")], 0.0),
        (&[("highway", "residential"), ("motor_vehicle", "no")], 0.0),
        (&[("highway", "residential"), ("tunnel", "yes")], 0.0),
    ] {
        let found = plan(&way(10, &[4, 5, 6], tags));
        // Both ends are round: together a regular polygon of 12 corners.
        let ends = 3.0 * (0.5_f64 * width).powi(2);
        assert!((area(&found.drive) - length * width - ends).abs() < 1e-2, "{tags:?}: {}", area(&found.drive));
        assert!((area(&found.walk) - whole()).abs() < 1e-6, "people may walk there");
    }
    let crossing = way(10, &[4, 5, 6], &[("highway", "service")]) + &way(11, &[2, 5, 8], &[("highway", "service")]);
    assert_eq!(plan(&crossing).drive.len(), 1);
    let square = plan(&way(10, &[1, 2, 5, 4, 1], &[("highway", "service"), ("area", "yes")]));
    assert!((area(&square.drive) - quad([1, 2, 5, 4])).abs() < 1e-3);
}

#[test]
fn bridges_that_nothing_passes_under_are_on_the_ground() {
    let bridge = way(10, &[4, 5, 6], &[("highway", "footway"), ("bridge", "yes"), ("width", "4")]);
    let pond = way(11, &[1, 3, 9, 7, 1], &[("natural", "water")]);
    let found = plan(&(bridge + &pond));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    // It is cut out of water.
    let free = area(&found.walk) - (whole() - quad([1, 3, 9, 7]));
    assert!((free - 4.0 * at(4).distance(at(6))).abs() < 0.1, "{free}");
    // A passage is cut out of a building.
    let passage = way(10, &[4, 5, 6], &[("highway", "footway"), ("tunnel", "building_passage")]);
    let house = way(11, &[1, 3, 9, 7, 1], &[("building", "yes")]);
    let found = plan(&(passage + &house));
    assert!(found.warnings.is_empty());
    assert!((area(&found.walk) - (whole() - quad([1, 3, 9, 7])) - 3.0 * at(4).distance(at(6))).abs() < 0.1);
}

#[test]
fn incomplete_maps_are_warned_of() {
    let kinds =
        |rest: &str| plan(rest).warnings.iter().map(|warning| (warning.kind, warning.count)).collect::<Vec<_>>();
    let line = way(10, &[4, 99, 5, 6], &[("highway", "service"), ("barrier", "wall")]);
    assert_eq!(kinds(&line), [(PlanWarningKind::MissingNodes, 1)]);
    assert_eq!(kinds(&way(10, &[1, 2, 99, 4, 1], &[("building", "yes")])), [(PlanWarningKind::MissingNodes, 1)]);
    assert_eq!(kinds(&way(10, &[1, 2, 5], &[("building", "yes")])), [(PlanWarningKind::UnclosedArea, 1)]);
    assert_eq!(kinds(&way(10, &[1, 2, 5], &[("natural", "coastline")])), [(PlanWarningKind::Coastline, 1)]);
    let all: String = (0..40).map(|id| way(id, &[1, 2, 5], &[("building", "yes")])).collect();
    assert_eq!(plan(&all).warnings[0].items.len(), 16);
}

#[test]
fn faults_of_maps_name_their_line() {
    for (text, expected) in [
        ("<osm/>", "the plan has no node: give a map with nodes and `way`s"),
        ("<gpx/>", "line 1: found `gpx`, expected <osm>"),
        ("<osm>\n<node id='1' lat='x' lon='2'/></osm>", "line 2: found `x`, expected a coordinate"),
        (
            "<osm>\n<node id='1' lat='91' lon='2'/></osm>",
            "line 2: found `91`, expected degrees from -90 to 90 as the attribute `lat`",
        ),
        (
            "<osm>\n<node lat='9' lon='2'/></osm>",
            "line 2: found nothing, expected a whole number as the attribute `id`",
        ),
        (
            "<osm><node id='1' lat='9' lon='2'>",
            "line 1: found the end of the document, expected the end tag of every element: it is cut short, write or copy it again",
        ),
        (
            "<osm><bounds minlat='0' minlon='0' maxlat='2' maxlon='1'/></osm>",
            "the bounds of the map reach from 0.00000° E 0.00000° N to 1.00000° E 2.00000° N: give `<bounds>` within 85° of latitude, and at most 100 km wide",
        ),
        (
            "<osm><node id='1' lat='9' lon='2'/></osm>",
            "the whole plan is 0 by 0 units wide, at (0, 0): no person fits in; if these are degrees, project them to metres",
        ),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
    let full = way(10, &[1, 3, 9, 7, 1], &[("building", "yes")]);
    let full = map(&full).replace("bounds", "remark");
    assert!(message(&full).starts_with("the plan has no ground to walk on"));
}

/// Wire format of protocol buffers.
mod wire {
    pub fn number(mut number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number > 127 {
            bytes.push(number as u8 & 127 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    pub fn signed(value: i64) -> u64 {
        (value << 1 ^ value >> 63) as u64
    }

    pub fn single(field: u64, value: u64) -> Vec<u8> {
        [number(field << 3), number(value)].concat()
    }

    pub fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
        [number(field << 3 | 2), number(value.len() as u64), value.to_vec()].concat()
    }

    pub fn numbers(field: u64, values: &[u64]) -> Vec<u8> {
        bytes(field, &values.iter().flat_map(|&value| number(value)).collect::<Vec<_>>())
    }

    pub fn deltas(field: u64, values: &[i64]) -> Vec<u8> {
        let before = std::iter::once(0).chain(values.iter().copied());
        numbers(field, &values.iter().zip(before).map(|(value, before)| signed(value - before)).collect::<Vec<_>>())
    }

    /// A block with its header, stored or in stored blocks of zlib.
    pub fn block(kind: &[u8], data: &[u8], is_zlib: bool) -> Vec<u8> {
        let blob =
            if is_zlib { [single(2, data.len() as u64), bytes(3, &zlib(data))].concat() } else { bytes(1, data) };
        let header = [bytes(1, kind), single(3, blob.len() as u64)].concat();
        [(header.len() as u32).to_be_bytes().to_vec(), header, blob].concat()
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        let size = u16::try_from(data.len()).unwrap();
        let (mut a, mut b) = (1_u32, 0_u32);
        for &byte in data {
            a = (a + u32::from(byte)) % 65_521;
            b = (b + a) % 65_521;
        }
        let sum = (b << 16 | a).to_be_bytes();
        [&[0x78, 0x01, 1][..], &size.to_le_bytes(), &(!size).to_le_bytes(), data, &sum].concat()
    }
}

/// The map of all tests with a wall with a gate, a street and a building in two pieces, as PBF.
fn pbf(is_zlib: bool) -> Vec<u8> {
    use wire::{block, bytes, deltas, numbers, signed, single};
    let nano = |degrees: f64| signed((degrees * 1e9).round() as i64);
    let bounds = [(1, 24.0), (2, 24.003), (3, 60.002), (4, 60.0)].map(|(field, at)| single(field, nano(at))).concat();
    let header = [bytes(1, &bounds), bytes(4, b"OsmSchema-V0.6"), bytes(4, b"DenseNodes")].concat();
    let texts: [&[u8]; 9] =
        [b"", b"barrier", b"gate", b"wall", b"highway", b"service", b"type", b"multipolygon", b"building"];
    let table: Vec<u8> = texts.iter().flat_map(|text| bytes(1, text)).collect();
    let units = |degrees: f64| (degrees * 1e7).round() as i64;
    let ids: Vec<i64> = (1..=8).collect();
    let [lat, lon] = [|at: &LonLat| at.lat, |at: &LonLat| at.lon]
        .map(|axis| nodes()[..8].iter().map(|at| units(axis(at))).collect::<Vec<_>>());
    let tags = numbers(10, &[0, 0, 0, 0, 1, 2, 0, 0, 0, 0]);
    let dense = [deltas(1, &ids), deltas(8, &lat), deltas(9, &lon), tags].concat();
    let ninth = nodes()[8];
    let node =
        [single(1, signed(9)), single(8, signed(units(ninth.lat))), single(9, signed(units(ninth.lon)))].concat();
    let way = |id, keys: &[u64], values: &[u64], nodes: &[i64]| {
        bytes(3, &[single(1, id), numbers(2, keys), numbers(3, values), deltas(8, nodes)].concat())
    };
    let ways = [
        way(10, &[1], &[3], &[4, 5, 6]),
        way(11, &[4], &[5], &[2, 5, 8]),
        way(12, &[], &[], &[1, 2, 5]),
        way(13, &[], &[], &[1, 4, 5]),
    ];
    let members = [numbers(8, &[0, 0]), deltas(9, &[12, 13]), numbers(10, &[1, 1])].concat();
    let relation = [single(1, 30), numbers(2, &[6, 8]), numbers(3, &[7, 5]), members].concat();
    let groups = [bytes(2, &dense), bytes(1, &node), ways.concat(), bytes(4, &relation)];
    let data = [bytes(1, &table), groups.map(|group| bytes(2, &group)).concat(), single(17, 100)].concat();
    [block(b"OSMHeader", &header, is_zlib), block(b"Remark", b"?", false), block(b"OSMData", &data, is_zlib)].concat()
}

#[test]
fn pbf_gives_the_plan_of_the_same_xml() {
    let text = map(&(way(10, &[4, 5, 6], &[("barrier", "wall")])
        + &way(11, &[2, 5, 8], &[("highway", "service")])
        + &way(12, &[1, 2, 5], &[])
        + &way(13, &[1, 4, 5], &[])
        + &relation(30, &[12, 13], &[("type", "multipolygon"), ("building", "service")])))
    .replace(
        "<node id='5' lat='60.001' lon='24.0015'/>",
        "<node id='5' lat='60.001' lon='24.0015'><tag k='barrier' v='gate'/></node>",
    );
    let xml = read_plan(text.as_bytes(), PlanFormat::Osm).unwrap();
    assert!(area(&xml.walk) < whole() - 1000.0 && !xml.drive.is_empty());
    for is_zlib in [false, true] {
        let found = read_plan(&pbf(is_zlib), PlanFormat::OsmPbf).unwrap();
        assert_eq!((found.walk.len(), found.drive.len()), (xml.walk.len(), xml.drive.len()));
        assert!((area(&found.walk) - area(&xml.walk)).abs() < 1e-3);
        assert!((area(&found.drive) - area(&xml.drive)).abs() < 1e-3);
        assert_eq!(found.warnings, xml.warnings);
    }
}

#[test]
fn faults_of_pbf_name_their_byte() {
    let message = |bytes: &[u8]| read_plan(bytes, PlanFormat::OsmPbf).unwrap_err().to_string();
    let whole = pbf(false);
    assert_eq!(
        message(&whole[..whole.len() - 1]),
        format!(
            "byte {}: the file promises {} bytes but holds {0}: it is cut short, write or copy it again",
            whole.len() - 1,
            whole.len()
        )
    );
    assert_eq!(
        message(b"PK\x03\x04 and more"),
        "byte 0: found `1347093252`, expected at most 65536, the size of a block header of OpenStreetMap PBF"
    );
    let feature = wire::block(b"OSMHeader", &wire::bytes(4, b"HistoricalInformation"), false);
    assert!(message(&feature).contains("the feature `HistoricalInformation` cannot be read: extract a plain map"));
    let data = wire::bytes(2, &wire::bytes(3, &[wire::numbers(2, &[7]), wire::numbers(3, &[8])].concat()));
    let texts = message(&wire::block(b"OSMData", &data, false));
    let expected = "needs 8 texts of the table, but there are 0: export the model again";
    assert!(texts.starts_with("`block at byte 15`, byte 4: ") && texts.ends_with(expected), "{texts}");
    let lzma = wire::bytes(4, b"?");
    let header = [wire::bytes(1, b"OSMData"), wire::single(3, lzma.len() as u64)].concat();
    let packed = [(header.len() as u32).to_be_bytes().to_vec(), header, lzma].concat();
    assert!(message(&packed).contains("a compression besides zlib cannot be read: write the file with zlib"));
    assert!(
        message(&wire::block(b"OSMData", &[15], false)).contains("found `7`, expected a field of kind 0, 1, 2 or 5")
    );
}

#[test]
fn truncated_and_damaged_maps_do_not_panic() {
    let text =
        map(&(way(10, &[1, 2, 5, 4, 1], &[("building", "yes")]) + &way(11, &[4, 5, 6], &[("highway", "service")])));
    for end in 0..text.len() {
        assert!(read_plan(&text.as_bytes()[..end], PlanFormat::Osm).is_err(), "{}", &text[..end]);
    }
    for is_zlib in [false, true] {
        let whole = pbf(is_zlib);
        for end in 0..whole.len() {
            // A file that ends between blocks is a map without items.
            let _ = read_plan(&whole[..end], PlanFormat::OsmPbf);
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, whole[at].wrapping_add(1)] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let _ = read_plan(&damaged, PlanFormat::OsmPbf);
            }
        }
    }
}
