//! Damage to files: bytes, blocks, words, numbers at their limits, and the chunks of a GLB or members of a 3MF one at a
//! time.

use crate::rng::Rng;
use crate::{CsgFormat, PlanKind, Target, zip};
use heurt_io::{Format, VolumeFormat};

/// Words that text formats may hold, and numbers at the limits of types.
const WORDS: [&[u8]; 32] = [
    b"nan",
    b"-inf",
    b"1e999",
    b"5e-324",
    b"-0",
    b"0",
    b"1",
    b"-1",
    b"255",
    b"65536",
    b"2147483648",
    b"-2147483649",
    b"4294967295",
    b"18446744073709551615",
    b"9223372036854775807",
    b"0.1",
    b"1e308",
    b"\\\n",
    b"#",
    b"\n",
    b"\r",
    b" ",
    b"\"",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"null",
    b"1/2/3",
    b"\xff\xfe",
    b"\0",
];

/// Words of plans.
fn plan_words(plan: PlanKind) -> &'static [&'static [u8]] {
    match plan {
        PlanKind::Wkt => &[
            b"POLYGON ((0 0, 5 0, 5 5, 0 5, 0 0))",
            b"MULTIPOLYGON (",
            b"GEOMETRYCOLLECTION (",
            b"EMPTY",
            b"(0.1 0.1, 3 0.1, 0.1 3, 0.1 0.1)",
            b", ",
            b"((",
            b"))",
        ],
        PlanKind::Osm => &[
            b"<nd ref=\"1\"/>",
            b"<tag k=\"building\" v=\"yes\"/>",
            b"<tag k=\"area\" v=\"yes\"/>",
            b"<tag k=\"width\" v=\"100\"/>",
            b"<tag k=\"type\" v=\"multipolygon\"/>",
            b"<member type=\"way\" ref=\"12\" role=\"\"/>",
            b"building_passage",
            b"24.001",
        ],
    }
}

/// Words of a format for volume meshes.
fn volume_words(format: VolumeFormat) -> &'static [&'static [u8]] {
    match format {
        VolumeFormat::Vtk => &[
            b"POINTS 12 float\n",
            b"CELLS 5 31\n",
            b"CELL_TYPES 5\n",
            b"OFFSETS vtktypeint64\n",
            b"CONNECTIVITY vtktypeint32\n",
            b"METADATA\n",
            b"FIELD a 1\nb 1 1 double\n",
            b"ASCII",
            b"BINARY",
        ],
        VolumeFormat::Vtu => &[
            b"UInt64",
            b"UInt32",
            b"Int8",
            b"Float64",
            b"BigEndian",
            b"LittleEndian",
            b"compressor=\"vtkZLibDataCompressor\"",
            b"format=\"binary\"",
            b"format=\"appended\" offset=\"0\"",
            b"<DataArray Name=\"types\">",
            b"<AppendedData encoding=\"raw\">_",
            b"AAAA",
            b"====",
        ],
        VolumeFormat::Msh => &[b"4.1 1 8\n", b"2.2 1 8\n", b"2.2 0 8\n", b"$Nodes\n", b"$Elements\n", b"$EndNodes\n"],
        _ => {
            &[b"Vertices", b"Tetrahedra", b"Pyramids", b"Prisms", b"Dimension 3", b"End", b"\x01\0\0\0", b"\0\0\0\x01"]
        }
    }
}

/// Words of a format for CSG trees.
fn csg_words(format: CsgFormat) -> &'static [&'static [u8]] {
    match format {
        CsgFormat::OpenScad => &[
            b"union() {",
            b"difference() {",
            b"intersection() {",
            b"multmatrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -2], [0, 0, 0, 1]]) {",
            b"cube(size = [1, 2, 3], center = true);",
            b"sphere($fn = 12, r = 1);",
            b"cylinder(h = 1, r1 = 1, r2 = 0);",
            b"polyhedron(points = [[0, 0, 0]], faces = [[0, 1, 2]]);",
            b"$fn = 5,",
            b"undef",
            b"/*",
            b"*/",
            b"//",
            b"%",
            b"group();",
        ],
        CsgFormat::Json => &[
            b"{\"union\":[",
            b"{\"difference\":[",
            b"{\"intersection\":[",
            b"{\"complement\":",
            b"\"empty\"",
            b"\"everything\"",
            b"{\"type\":\"sphere\",\"radius\":1}",
            b"{\"type\":\"box\",\"half\":[1,2,3]}",
            b"\"margin\":0.5,",
            b"{\"at\":{\"translation\":[1,0,0]},\"of\":",
            b"\"rotation\":[0,0,0,1]",
            b"\"planes\":[[0,0,1,1]]",
            b"\"type\":\"hull\",\"points\":",
            b"\"type\":\"quadric\",",
        ],
        CsgFormat::Toml => &[
            b"[[union]]\n",
            b"[[difference]]\n",
            b"[complement]\n",
            b"[at]\n",
            b"[of]\n",
            b"type = \"sphere\"\n",
            b"radius = 1\n",
            b"half = [1, 2, 3]\n",
            b"a.b.c.d = 1\n",
            b"translation = [1, 0, 0]\n",
            b"{ type = \"point\" }",
            b"\"\"\"",
            b"1979-05-27",
        ],
    }
}

/// Words of OBJ files with edges.
const EDGE_WORDS: &[&[u8]] = &[
    b"v 0 0 1\n",
    b"l 1 2 3 1\n",
    b"l -1 -2\n",
    b"l 1/1 2/2\n",
    b" \\\n",
    b"f 1 2 3\n",
    b"# ",
    b"-0",
    b"1e-320",
    b"1e308",
];

/// Words of patches in JSON.
const PATCH_WORDS: &[&[u8]] = &[
    b"{\"patches\": [",
    b"{\"points\": [[[0,0,0],[0,1,0]],[[1,0,0],[1,1,0]]]},",
    b"\"degree\": [1, 2],",
    b"\"knots\": [[0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],",
    b"\"weights\": [[1, 1], [0.5, 0.5]],",
    b"[0, 0, 0],",
    b"1e60",
    b"1e-60",
    b"-1e308",
    b"0.7071067811865476",
];

/// Words of a format.
fn words(target: Target) -> &'static [&'static [u8]] {
    let format = match target {
        Target::Model(Format::Volume(format)) => return volume_words(format),
        Target::Model(format) => format,
        Target::Volume(format) => return volume_words(format),
        Target::Csg(format) => return csg_words(format),
        Target::Edges => return EDGE_WORDS,
        Target::Patches => return PATCH_WORDS,
        Target::Plan(plan) => return plan_words(plan),
    };
    match format {
        Format::Obj => &[
            b"v 0 0 1\n",
            b"f 1 2 3\n",
            b"f -1 -2 -3 -4\n",
            b"f 1 2\n",
            b"o a\n",
            b"g a\n",
            b"# C:\\\n",
            b"hello\n",
            b"vn",
            b"surf",
            b"l",
            b"1//1",
        ],
        Format::Stl => {
            &[b"solid", b"facet", b"outer loop", b"vertex", b"endloop", b"endfacet", b"endsolid", b"color", b"hello\n"]
        }
        Format::Ply => &[
            b"property list uchar int",
            b"property",
            b"list",
            b"double",
            b"float",
            b"char",
            b"uint",
            b"element",
            b"vertex_index",
            b"face",
            b"end_header\n",
            b"ascii",
            b"binary_big_endian",
            b"binary_little_endian",
        ],
        Format::Off => &[b"OFF", b"OFF4", b"COFF", b"NOFF", b"ST", b"BINARY", b"3 0 1 2\n", b"0 0 0\n"],
        Format::ThreeMf => &[
            b"<object id=\"2\">",
            b"</object>",
            b"<component objectid=\"1\"/>",
            b"<item objectid=\"2\"/>",
            b" transform=\"1 0 0 0 1 0 0 0 1 0 0 0\"",
            b" transform=\"-2 0 0 1 1 0 0 0 1e300 0 0 0\"",
            b" path=\"/3D/3dmodel.model\"",
            b" unit=\"foot\"",
            b" name=\"a\"",
            b" pid=\"1\"",
            b"<triangle v1=\"0\" v2=\"1\" v3=\"2\"/>",
            b"<vertex x=\"1\" y=\"2\" z=\"3\"/>",
            b"<!--",
            b"<![CDATA[",
            b"&amp;",
            b"PK\x03\x04",
            b"PK\x05\x06",
        ],
        Format::Dae => &[
            b"<node id=\"a\">",
            b"</node>",
            b"<instance_node url=\"#a\"/>",
            b"<instance_geometry url=\"#g\"/>",
            b"<scale>0 1e300 -1</scale>",
            b"<rotate>1 1 1 120</rotate>",
            b"<skew>90 1 0 0 1 0 0</skew>",
            b"<triangles>",
            b"<p>0 1 2</p>",
            b"<vcount>3</vcount>",
            b" offset=\"2\"",
            b" stride=\"0\"",
            b" count=\"99\"",
            b"<!--",
            b"<![CDATA[",
            b"&#48;",
        ],
        _ => &[
            b"\"mesh\":0,",
            b"\"children\":[0],",
            b"\"scale\":[1,2,3],",
            b"\"matrix\":",
            b"\"rotation\":[0,0,0,1],",
            b"\"byteStride\":",
            b"\"sparse\":",
            b"\"mode\":5,",
            b"\"bufferView\":0,",
            b"5121",
            b"5123",
            b"5125",
            b"5126",
            b"\"count\":",
            b"\"byteOffset\":",
            b"\"indices\":0,",
            b"SCALAR",
            b"VEC3",
            b"data:;base64,",
            b"\"name\":\"a\",",
            b"VEC4",
            b"ATTRIBUTES",
            b"TRIANGLES",
            b"INDICES",
            b"EXPONENTIAL",
            b"QUATERNION",
            b"OCTAHEDRAL",
            b"TRANSLATION",
            b"ROTATION",
            b"SCALE",
        ],
    }
}

/// A seed with one to eight damages, at most `limit` bytes long.
pub fn mutated(target: Target, pool: &[Vec<u8>], rng: &mut Rng, limit: usize) -> Vec<u8> {
    let mut bytes = pool[rng.below(pool.len())].clone();
    let other = &pool[rng.below(pool.len())];
    let most = rng.below(8);
    for _ in 0..=rng.below(most + 1) {
        if target == Target::Model(Format::Glb) && rng.below(4) > 0 {
            damage_chunk(&mut bytes, other, rng);
        } else if target == Target::Model(Format::ThreeMf) && rng.below(4) > 0 {
            damage_member(&mut bytes, other, rng);
        } else {
            damage(target, &mut bytes, other, rng);
        }
        bytes.truncate(limit);
    }
    bytes
}

/// Damages one chunk of a GLB and corrects the lengths, so that what lies behind them is reached.
fn damage_chunk(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let length =
        bytes.get(12..16).and_then(|length| length.first_chunk()).map_or(0, |length| u32::from_le_bytes(*length));
    let Some((json, rest)) = bytes.get(20..).and_then(|rest| rest.split_at_checked(length as usize)) else { return };
    let (mut json, mut binary) = (json.to_vec(), rest.get(8..).unwrap_or_default().to_vec());
    damage(Format::Gltf.into(), if rng.below(3) == 0 { &mut binary } else { &mut json }, other, rng);
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() + 8 + binary.len();
    bytes.clear();
    bytes.extend_from_slice(b"glTF\x02\0\0\0");
    bytes.extend_from_slice(&(total as u32).to_le_bytes());
    bytes.extend_from_slice(&(json.len() as u32).to_le_bytes());
    bytes.extend_from_slice(b"JSON");
    bytes.extend_from_slice(&json);
    bytes.extend_from_slice(&(binary.len() as u32).to_le_bytes());
    bytes.extend_from_slice(b"BIN\0");
    bytes.extend_from_slice(&binary);
}

/// Damages one member of an archive and packs it again, so that what is behind its CRC is reached.
fn damage_member(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let mut members = zip::unpack(bytes);
    if members.is_empty() {
        return;
    }
    let others = zip::unpack(other);
    let from = if others.is_empty() { other } else { &others[rng.below(others.len())].1 };
    let member = rng.below(members.len());
    damage(Format::ThreeMf.into(), &mut members[member].1, from, rng);
    *bytes = zip::pack(&members);
}

/// One damage at a random place.
fn damage(target: Target, bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.below(bytes.len() + 1);
    let longest = if rng.below(4) == 0 { bytes.len() } else { 16 };
    let span = rng.below(longest.min(bytes.len() - at) + 1);
    match rng.below(9) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..at + span)),
        2 => {
            let block = bytes[at..at + span].to_vec();
            let to = rng.below(bytes.len() + 1);
            bytes.splice(to..to, block);
        }
        3 => {
            let from = rng.below(other.len() + 1);
            let to = from + rng.below(other.len() - from + 1);
            bytes.splice(at..at + span, other[from..to].iter().copied());
        }
        4 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
        5 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = rng.number() as u8;
            }
        }
        6 => overwrite(bytes, at, rng),
        7 => {
            // A whole word or number becomes another.
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+_".contains(byte);
            let start = bytes[..at].iter().rposition(|byte| !is_word(byte)).map_or(0, |before| before + 1);
            let end = bytes[at..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |length| at + length);
            let word = if rng.below(2) == 0 { rng.pick(&WORDS) } else { rng.pick(words(target)) };
            bytes.splice(start..end, word.iter().copied());
        }
        _ => {
            let word = if rng.below(2) == 0 { rng.pick(&WORDS) } else { rng.pick(words(target)) };
            bytes.splice(at..at, word.iter().copied());
        }
    }
}

/// Writes a binary number at its limits.
fn overwrite(bytes: &mut [u8], at: usize, rng: &mut Rng) {
    let number = [0, 1, 2, 3, 127, 255, 1 << 15, 1 << 16, 1 << 31, u32::MAX as u64, u64::MAX, 0x7fc0_0000, 0x7f80_0000]
        [rng.below(13)];
    let size = [1, 2, 4, 8][rng.below(4)];
    let mut value = number.to_le_bytes();
    let value = &mut value[..size];
    if rng.below(2) == 0 {
        value.reverse();
    }
    for (byte, &new) in bytes[at..].iter_mut().zip(&*value) {
        *byte = new;
    }
}
