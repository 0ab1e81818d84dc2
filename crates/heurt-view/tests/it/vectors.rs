//! Encoders of meshes and frames against the vectors that the page's decoder is tested with, and a round trip of a
//! world through a decoder of its own.

use heurt_geometry::{Aabb, DrawSink, Meaning, Pose, Vec3};
use heurt_shape::Convex;
use heurt_view::Surface;
use heurt_view::wire::{
    DrawnItems, FRAME_ENDED, FRAME_OF_HISTORY, FRAME_PLAYING, FrameHeader, FrameWriter, mesh_bytes, report_mesh,
    set_frame_header, write_bodies, write_contacts, write_energy, write_faces, write_poses, write_stages,
};
use heurt_world::{Body, Energy, Mass, Response, Settings, World};
use serde_json::Value;

fn vectors(name: &str) -> Vec<Value> {
    let path = format!("{}/../../viewer/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the vectors are in the repository");
    let list: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    list.into_iter().filter(|vector| vector.get("expected").is_some()).collect()
}

fn bytes_of(vector: &Value) -> Vec<u8> {
    let hex = vector["hex"].as_str().expect("hex");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn points(value: &Value) -> Vec<Vec3> {
    numbers(value).chunks(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect()
}

fn surface(expected: &Value) -> Surface {
    let indices = |key: &str| numbers(&expected[key]).into_iter().map(|index| index as u32).collect::<Vec<_>>();
    Surface {
        vertices: points(&expected["vertices"]),
        triangles: indices("triangles").chunks(3).map(|c| [c[0], c[1], c[2]]).collect(),
        edges: indices("edges").chunks(2).map(|c| [c[0], c[1]]).collect(),
    }
}

/// The sections of a frame by tag: number of entries and bytes.
fn sections(frame: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
    let word = |at: usize| u32::from_le_bytes(frame[at..at + 4].try_into().unwrap());
    let (mut at, mut found) = (40, Vec::new());
    for _ in 0..word(36) {
        let (count, length) = (word(at + 4), word(at + 8) as usize);
        let tag = String::from_utf8(frame[at..at + 4].to_vec()).unwrap();
        found.push((tag, count, frame[at + 16..at + 16 + length].to_vec()));
        at += 16 + length;
    }
    assert_eq!(at, frame.len(), "nothing follows the last section");
    found
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn meshes_have_the_bytes_of_the_vectors() {
    let vectors = vectors("meshes");
    assert!(vectors.len() >= 2);
    for vector in vectors {
        assert_eq!(mesh_bytes(&surface(&vector["expected"])), bytes_of(&vector), "{}", vector["name"]);
    }
}

#[test]
fn report_meshes_decode_to_half_a_step_of_the_box() {
    let mesh = Surface {
        vertices: vec![Vec3::new(-0.1, 2.0, 30.0), Vec3::new(0.2, 4.0, 30.0), Vec3::new(-0.04, 6.0, 30.0)],
        triangles: vec![[0, 1, 2]],
        edges: vec![[0, 1], [1, 2]],
    };
    let text = report_mesh(&mesh);
    let bytes = decode_base64(&text);
    assert_eq!(&bytes[..4], b"HMQ1");
    assert_eq!(bytes.len(), 4 + 12 + 24 + 20 + 8 + 8, "each block is a multiple of 4");
    let corner = floats(&bytes[16..40]);
    for (number, vertex) in mesh.vertices.iter().enumerate() {
        for axis in 0..3 {
            let at = 40 + 6 * number + 2 * axis;
            let share = f64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])) / 65535.0;
            let decoded = f64::from(corner[axis]) + f64::from(corner[axis + 3]) * share;
            assert!((decoded - vertex[axis]).abs() <= f64::from(corner[axis + 3]) / 131_070.0 + 1e-6);
        }
    }
    assert_eq!(decode_base64(&report_mesh(&Surface::default())).len(), 40, "an empty mesh has a header only");
}

fn decode_base64(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => u32::from(letter - b'A'),
        b'a'..=b'z' => u32::from(letter - b'a') + 26,
        b'0'..=b'9' => u32::from(letter - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|letter| *letter != b'=').collect();
    let groups = letters.chunks(4).flat_map(|group| {
        let bits = group.iter().fold(0, |bits, letter| bits << 6 | value(*letter)) << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    });
    groups.collect()
}

#[test]
fn sections_have_the_bytes_of_the_vectors() {
    let vectors = vectors("frames");
    let vector = vectors.iter().find(|vector| vector["name"] == "every section").expect("the vector");
    let (expected, wanted) = (&vector["expected"], bytes_of(vector));
    let header = FrameHeader {
        flags: FRAME_PLAYING | FRAME_ENDED | FRAME_OF_HISTORY,
        step: expected["step"].as_u64().unwrap(),
        time: expected["time"].as_f64().unwrap(),
        newest: expected["newest"].as_u64().unwrap(),
        rate: expected["rate"].as_f64().unwrap() as f32,
    };
    let mut frame = FrameWriter::new(&FrameHeader::default());
    let poses: Vec<Pose> = numbers(&expected["POSE"])
        .chunks(7)
        .map(|c| {
            let norm = c[3..].iter().map(|part| part * part).sum::<f64>().sqrt();
            let rotation = [c[3] / norm, c[4] / norm, c[5] / norm, c[6] / norm];
            Pose::from_quaternion(rotation, Vec3::new(c[0], c[1], c[2])).unwrap()
        })
        .collect();
    write_poses(&mut frame, poses.iter());
    write_faces(&mut frame, &[(1, corners(&expected["TRIS"][0]["corners"]))]);
    let mut items = DrawnItems::new(4);
    let line = points(&expected["LINE"][0]["ends"]);
    items.draw_line([line[0], line[1]], Meaning::Normal);
    let bounds = points(&expected["BOXS"][0]["corners"]);
    items.draw_box(&Aabb { min: bounds[0], max: bounds[1] }, Meaning::Volume(5));
    items.draw_point(points(&expected["PNTS"][0]["point"])[0], Meaning::Fault);
    items.draw_triangle(corners(&expected["FACE"][0]["corners"]), Meaning::Separation);
    // No room is left for these.
    let left_out = expected["LEFT"].as_u64().unwrap();
    (0..left_out).for_each(|_| items.draw_point(Vec3::ZERO, Meaning::Note));
    items.write(&mut frame);
    let seconds: Vec<f64> = numbers(&expected["TIME"]).into_iter().map(|spent| spent * 1e-3).collect();
    write_stages(&mut frame, &seconds);
    let energy = numbers(&expected["ENER"]);
    write_energy(&mut frame, Energy { kinetic: energy[0], potential: energy[1] });
    let mut written = frame.finish();
    set_frame_header(&mut written, &header);
    assert_eq!(written[..36], wanted[..36], "the header without its number of sections");
    let wanted = sections(&wanted);
    let mut compared = 0;
    for (tag, count, bytes) in sections(&written).into_iter().filter(|(tag, ..)| tag != "STAT") {
        let (_, wanted_count, wanted_bytes) = wanted.iter().find(|(known, ..)| *known == tag).expect("the tag");
        assert_eq!(count, *wanted_count, "{tag}");
        if tag == "POSE" {
            // A rotation passes through a matrix.
            let pairs = floats(&bytes).into_iter().zip(floats(wanted_bytes));
            pairs.for_each(|(found, wanted)| assert!((found - wanted).abs() < 1e-6, "{found} {wanted}"));
        } else {
            assert_eq!(bytes, *wanted_bytes, "{tag}");
        }
        compared += 1;
    }
    assert_eq!(compared, 9, "all sections but those of a world");
}

fn corners(value: &Value) -> [Vec3; 3] {
    points(value).try_into().expect("three corners")
}

#[test]
fn a_world_is_written_with_its_states_and_contacts() {
    let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
    let floor = Body::fixed(Convex::half_space(Vec3::Z, 0.0).unwrap(), Pose::IDENTITY);
    world.insert(floor).unwrap();
    let cube = Convex::cuboid(Vec3::splat(0.5)).unwrap();
    let mass = Mass::of_total(&cube.clone().into(), 2.0).unwrap();
    let gone = world.insert(Body::dynamic(cube.clone(), Pose::IDENTITY, mass)).unwrap();
    world.insert(Body::dynamic(cube, Pose::from_translation(Vec3::Z * 0.5).unwrap(), mass)).unwrap();
    world.remove(gone).unwrap();
    for _ in 0..90 {
        world.step(1.0 / 60.0).unwrap();
    }
    let mut frame = FrameWriter::new(&FrameHeader::default());
    write_bodies(&mut frame, &world, &[2]);
    write_contacts(&mut frame, &world);
    let found = sections(&frame.finish());
    let (_, count, poses) = &found[0];
    assert_eq!((*count, poses.len()), (3, 3 * 28), "a removed body keeps its place");
    let pose = &floats(poses)[14..];
    assert!((pose[2] - 0.5).abs() < 1e-3 && pose[6] == 1.0, "{pose:?}");
    let (_, _, states) = &found[1];
    assert_eq!(states[..3], [2, 8, 1 | 2 | 4], "the floor touches, the second is gone, the cube sleeps and is held");
    let (tag, count, contacts) = &found[2];
    assert_eq!((tag.as_str(), contacts.len()), ("CONT", 48 * *count as usize));
    assert!(*count >= 4, "a face on the floor");
    let words = floats(contacts);
    assert_eq!(words[6..9], [0.0, 0.0, 1.0], "the normal points from the floor to the cube");
}

#[test]
fn more_items_than_the_limit_are_counted_and_left_out() {
    let mut items = DrawnItems::new(3);
    (0..10).for_each(|k| items.draw_point(Vec3::splat(f64::from(k)), Meaning::Note));
    items.draw_box(&Aabb::EMPTY, Meaning::BroadPhase);
    assert_eq!(items.left_out(), 7);
    let mut frame = FrameWriter::new(&FrameHeader::default());
    items.write(&mut frame);
    let found = sections(&frame.finish());
    let (tag, count, left_out) = &found[0];
    assert_eq!((tag.as_str(), *count, &left_out[..]), ("LEFT", 1, &7u32.to_le_bytes()[..]));
    assert_eq!((found.len(), found[1].1), (2, 3));
}
