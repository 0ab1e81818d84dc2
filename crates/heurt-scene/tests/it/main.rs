//! Scenes and requests from a program: files from memory, traces, records.

mod bodies;
mod crowd;
mod guideline;
mod map_requests;
mod problem;
mod space;
mod surface;

use heurt_scene::{
    ContactLog, DiskFiles, FileNote, QuerySession, RecordHeader, RecordStep, RecordTextError, Scene, SceneFiles,
    SceneNames, ShapeStore, TraceError, TraceOptions, parse_record, write_trace_line,
};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

const DROP: &str = r#"
    [[body]]
    name = "floor"
    kind = "static"
    shape = { type = "box", half = [2, 2, 0.1] }
    [[body]]
    name = "ball"
    shape = { type = "sphere", radius = 0.25 }
    pose = [0, 0, 1.5]
"#;

/// A square without one of its faces, and a list of what was read and noted.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<String>>>);

impl SceneFiles for Memory {
    fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        self.0.lock().expect("no panic").push(format!("read {}", path.display()));
        match path.to_str() {
            Some("square.obj") => Ok(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\nfoo 1\n".to_vec()),
            _ => Err(io::Error::new(io::ErrorKind::NotFound, "there is none")),
        }
    }

    fn note(&self, note: &FileNote) {
        self.0.lock().expect("no panic").push(format!("note {}", note.kind));
    }
}

#[test]
fn files_come_from_memory_once() {
    let memory = Memory::default();
    let mut session = QuerySession::new(memory.clone(), 1, None).expect("a thread");
    let line = r#"{"id": 1, "op": "measure", "a": {"type": "mesh", "path": "square.obj"}}"#;
    let answers = session.answer_lines(&[line, line, "{}"]);
    assert!(answers[0].ok && answers[0].json.contains(r#""area":1.0"#), "{}", answers[0].json);
    assert_eq!(answers[0], answers[1]);
    assert!(!answers[2].ok && answers[2].json.contains("op: missing"), "{}", answers[2].json);
    let missing = session.answer(&line.replace("square", "circle"));
    assert!(missing.contains("cannot read circle.obj: there is none"), "{missing}");
    let done = memory.0.lock().expect("no panic").clone();
    assert_eq!(done, ["read square.obj", "note skipped", "read circle.obj"]);
}

#[test]
fn a_body_without_a_name_is_not_traced() {
    let store = ShapeStore::new(DiskFiles, 1, None).expect("a thread");
    let scene = Scene::read(DROP, Path::new("."), &store).expect("a scene");
    let (mut world, mut names) = scene.build().expect("a world");
    let mut line = Vec::new();
    write_trace_line(&world, &names, &TraceOptions::default(), 0.0, &mut line).expect("a line");
    let line = String::from_utf8(line).expect("text");
    assert!(line.starts_with(r#"{"step":0,"time":0.0,"#) && line.ends_with("}\n"), "{line}");
    let another = world.bodies().nth(1).map(|(_, body)| body.clone()).expect("the ball");
    world.insert(another).expect("room");
    let write = |names: &SceneNames| write_trace_line(&world, names, &TraceOptions::default(), 0.0, &mut io::sink());
    assert!(matches!(write(&names), Err(TraceError::NoName { what: "body", number: 2 })));
    names.bodies.push("another".to_owned());
    assert!(write(&names).is_ok());
}

#[test]
fn contacts_begin_and_end() {
    let store = ShapeStore::new(DiskFiles, 1, None).expect("a thread");
    let (mut world, _) = Scene::read(DROP, Path::new("."), &store).expect("a scene").build().expect("a world");
    let mut contacts = ContactLog::default();
    let mut events = Vec::new();
    while world.time() < 0.6 {
        let begun = world.time();
        world.step(1.0 / 60.0).expect("a step");
        events.extend(contacts.step(&world, begun));
    }
    // It falls 1.15 m: sqrt(2 · 1.15 / 9.81) s.
    assert!((events[0].time - 0.4842).abs() < 1e-4 && events[0].is_begin && events[0].impulse > 0.0, "{events:?}");
    assert!(!events[1].is_begin && events[1].pair == events[0].pair);
    assert_eq!((events.len(), contacts.counts()), (2, [1, 1]));
}

#[test]
fn faulty_records_are_refused_with_their_line() {
    let header = &RecordHeader::new("", Path::new("/"), 0).to_line().expect("a line");
    assert_eq!(header, "{\"heurt_record\":1,\"scene\":\"\",\"folder\":\"/\",\"seed\":0}\n");
    let step = |step| RecordStep { step, hash: "0".to_owned(), control: Vec::new() }.to_line().expect("a line");
    assert_eq!(step(7), "{\"step\":7,\"hash\":\"0\"}\n");
    let refused = |text: &str| parse_record(text.as_bytes()).unwrap_err();
    assert_eq!(parse_record(b"\xff\n").unwrap_err(), RecordTextError::NoText);
    assert_eq!(refused("[world]\n"), RecordTextError::NoHeader);
    assert_eq!(refused(header), RecordTextError::Empty);
    assert_eq!(refused(&format!("{header}{}x\n", step(0))), RecordTextError::NoStep { line: 3 });
    let skipped = refused(&format!("{header}{}{}", step(0), step(2)));
    assert_eq!(skipped, RecordTextError::OutOfOrder { line: 3, found: 2, due: 1 });
    // The last line of a run that was killed.
    let (_, steps) = parse_record(format!("{header}{}{{\"st", step(0)).as_bytes()).expect("one state");
    assert_eq!(steps.len(), 1);
}
