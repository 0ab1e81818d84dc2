//! The server of the live page: requests, frames, messages of viewers, refusals, several viewers, the end of a run.

use crate::support::Workshop;
use crate::support::served::{Frame, PATIENCE, Served};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;
use tungstenite::Message;
use tungstenite::stream::MaybeTlsStream;

const SCENE: &str = r#"
[world]
step = 0.01
seconds = 1.0
response = "soft-step"

[[body]]
name = "floor"
kind = "static"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }

[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.5 }
pose = { translation = [0, 0, 3] }
mass = 2

[[body]]
name = "hand"
kind = "kinematic"
shape = { type = "mesh", path = "box.obj" }
pose = { translation = [4, 0, 1] }
"#;

/// Serves the scene.
fn start(arguments: &[&str]) -> Served {
    let shop = Workshop::new();
    shop.make(&["box", "--half", "0.5,0.5,0.5", "-o", "box.obj"]);
    shop.file("s.toml", SCENE);
    Served::of(shop, &[&["s.toml"], arguments].concat())
}

#[test]
fn requests_get_the_scene_and_nothing_else() {
    let served = start(&[]);
    let (status, body) = served.request("/scene.json", "");
    let scene: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, &scene["protocol"], &scene["mode"]), (200, &json!(1), &json!("run")));
    assert_eq!(scene["bodies"][1]["name"], "ball");
    assert_eq!(scene["bodies"][1]["mass"], json!(2.0));
    assert_eq!((&scene["up"], &scene["read_only"]), (&json!([0.0, 0.0, 1.0]), &json!(false)));
    assert!(scene["layers"].as_array().unwrap().iter().any(|layer| layer["name"] == "trees"), "a body is a mesh");
    let meshes = scene["meshes"].as_u64().unwrap();
    assert_eq!(meshes, 3);
    for number in 0..meshes {
        let (status, bytes) = served.request(&format!("/mesh/{number}"), "");
        assert_eq!((status, &bytes[..4]), (200, &b"HMS1"[..]));
    }
    for path in ["/mesh/3", "/mesh/-1", "/mesh/99999999999999999999", "/nothing", "/../../etc/passwd", "/mesh/../../x"]
    {
        let (status, _) = served.request(path, "");
        assert_eq!(status, 404, "{path}");
    }
    let port = served.port;
    let foreign = [
        "Host: evil.example\r\n".to_owned(),
        format!("Host: evil.example:{port}\r\n"),
        "Origin: http://evil.example\r\n".to_owned(),
        "Origin: null\r\n".to_owned(),
        format!("Origin: https://localhost:{port}\r\n"),
        format!("Host: 192.168.0.1:{port}\r\n"),
    ];
    for headers in foreign {
        assert_eq!(served.request("/scene.json", &headers).0, 403, "{headers}");
        assert_eq!(served.request("/live", &headers).0, 403, "{headers}");
    }
    assert_eq!(served.request("/scene.json", &format!("Origin: http://localhost:{port}\r\n")).0, 200);
}

#[test]
fn a_viewer_plays_steps_and_seeks() {
    let served = start(&[]);
    let mut viewer = served.viewer();
    viewer.frame(|frame| frame.flags & 1 == 1 && frame.step > 0);
    viewer.send(json!({"do": "pause"}));
    let paused = viewer.frame(|frame| frame.flags & 1 == 0);
    viewer.send(json!({"do": "step", "count": 5}));
    let stepped = viewer.frame(|frame| frame.step == paused.step + 5);
    assert_eq!(stepped.flags & 1, 0, "it stays paused");
    // Forward and back: the history shows the same state.
    viewer.send(json!({"do": "seek", "step": stepped.step + 50}));
    let later = viewer.frame(|frame| frame.step == stepped.step + 50);
    viewer.send(json!({"do": "seek", "step": stepped.step}));
    let back = viewer.frame(|frame| frame.flags & 4 == 4);
    assert_eq!((back.step, back.newest), (stepped.step, later.step));
    assert_eq!(back.place(1), stepped.place(1));
    assert_ne!(later.place(1), stepped.place(1), "the ball falls");
    viewer.send(json!({"do": "rate", "value": 0.5}));
    viewer.send(json!({"do": "play"}));
    viewer.frame(|frame| frame.flags & 5 == 1 && frame.step > later.step);
}

#[test]
fn layers_are_sent_while_a_viewer_shows_them() {
    let served = start(&[]);
    let mut viewer = served.viewer();
    viewer.send(json!({"do": "seek", "step": 150}));
    viewer.send(json!({"do": "layers", "on": ["contacts", "trees", "boxes", "broad-phase"], "level": 1}));
    let frame = viewer.frame(|frame| frame.step >= 150 && frame.section(b"CONT").is_some());
    assert_eq!(frame.section(b"CONT").unwrap().len() % 48, 0);
    assert!(frame.section(b"LINE").is_some_and(|lines| !lines.is_empty()), "the tree of the box");
    assert!(frame.section(b"BOXS").is_some_and(|boxes| boxes.len() >= 2 * 28), "the ball and the hand");
    assert_eq!(frame.section(b"TIME").unwrap().len() % 4, 0);
    viewer.send(json!({"do": "layers", "on": []}));
    viewer.frame(|frame| frame.section(b"CONT").is_none() && frame.section(b"BOXS").is_none());
}

#[test]
fn the_path_of_a_falling_ball_and_a_joint_are_layers() {
    let shop = Workshop::new();
    let joint = "[[joint]]\nkind = \"hinge\"\na = \"bar\"\nanchor = [3, 0, 3]\naxis = [0, 1, 0]\n";
    let bar = "[[body]]\nname = \"bar\"\nshape = { type = \"box\", half = [1, 0.1, 0.1] }\nmass = 1\n\
               pose = { translation = [4, 0, 3] }\n";
    let scene = &SCENE[..SCENE.find("[[body]]\nname = \"hand\"").unwrap()];
    shop.file("s.toml", [scene, bar, joint].concat());
    let served = Served::of(shop, &["s.toml"]);
    let mut viewer = served.viewer();
    viewer.send(json!({"do": "pause"}));
    viewer.send(json!({"do": "layers", "on": ["swept", "joints"]}));
    viewer.send(json!({"do": "step", "count": 1}));
    let meanings = |section: &[u8], size: usize| -> Vec<u32> {
        section.chunks(size).map(|item| u32::from_le_bytes(item[size - 4..].try_into().unwrap())).collect()
    };
    let frame = viewer.frame(|frame| frame.section(b"BOXS").is_some());
    assert_eq!(meanings(frame.section(b"BOXS").unwrap(), 28), [10, 10], "the ball and the bar");
    let lines = meanings(frame.section(b"LINE").unwrap(), 28);
    assert_eq!(lines.iter().filter(|meaning| **meaning == 10).count(), 2, "{lines:?}");
    // From the centre to the anchor, along the error of the joint, and along its axis.
    assert_eq!(lines.iter().filter(|meaning| **meaning == 14).count(), 3, "{lines:?}");
}

#[test]
fn a_viewer_holds_a_ball_and_moves_a_hand_and_the_replay_is_equal() {
    let mut served = start(&["--record", "r.rec"]);
    let mut viewer = served.viewer();
    viewer.send(json!({"do": "pause"}));
    viewer.frame(|frame| frame.flags & 1 == 0);
    viewer.send(json!({"do": "grab", "body": 1, "at": [0, 0, 3], "target": [0, 0, 6]}));
    viewer.send(json!({"body": "hand", "pose": {"translation": [4, 1, 1]}}));
    viewer.send(json!({"do": "step", "count": 200}));
    let held = viewer.frame(|frame| frame.step >= 200);
    // The spring of 4 Hz sags by g / ω² = 15.5 mm.
    assert!((held.place(1)[2] - 6.0).abs() < 0.05, "{:?}", held.place(1));
    assert_eq!(held.place(2), [4.0, 1.0, 1.0]);
    assert_eq!(held.section(b"STAT").unwrap()[1] & 4, 4, "held");
    viewer.send(json!({"do": "drag", "target": [1, 0, 6]}));
    viewer.send(json!({"do": "step", "count": 200}));
    let dragged = viewer.frame(|frame| frame.step >= held.step + 200);
    assert!((dragged.place(1)[0] - 1.0).abs() < 0.05, "{:?}", dragged.place(1));
    viewer.send(json!({"do": "inspect", "body": 1}));
    let state = viewer.text("body");
    assert_eq!((&state["body"], &state["asleep"]), (&json!(1), &json!(false)));
    viewer.send(json!({"do": "release"}));
    viewer.send(json!({"do": "step", "count": 50}));
    let fallen = viewer.frame(|frame| frame.step >= dragged.step + 50);
    assert!(fallen.place(1)[2] < 5.5, "it falls");
    assert!(served.stop());
    let replay = served.shop.run(&["run", "--replay", "r.rec"]);
    assert_eq!(replay.code, Some(0), "{}{}", replay.out, replay.err);
}

#[test]
fn malformed_messages_are_answered_and_the_run_goes_on() {
    let served = start(&[]);
    let mut viewer = served.viewer();
    let wrong = [
        json!({"do": "frobnicate"}),
        json!({"do": 7}),
        json!({"do": "seek"}),
        json!({"do": "seek", "step": -1}),
        json!({"do": "rate", "value": 0}),
        json!({"do": "step", "count": 1_000_000_000}),
        json!({"do": "grab", "body": 99, "at": [0, 0, 0]}),
        json!({"do": "grab", "body": 0, "at": [0, 0, 0]}),
        json!({"do": "grab", "body": 1, "at": [0, 0]}),
        json!({"do": "drag", "target": [0, 0, 0]}),
        json!({"do": "inspect", "body": "ball"}),
        json!({"do": "layers", "on": ["octopus"]}),
        json!({"do": "layers", "on": vec!["boxes"; 65]}),
        json!({"do": "layers"}),
        json!({"body": "nobody", "force": [0, 0, 1]}),
        json!({"body": "ball", "pose": {"translation": [0, 0, 1]}}),
        json!({"body": "hand", "pose": {"rotation": [0, 0, 0, 0]}}),
        json!({"body": "ball", "force": "up"}),
        json!([]),
        json!(null),
    ];
    for message in wrong {
        let reason = viewer.refusal(message.clone());
        assert!(!reason.is_empty(), "{message}");
    }
    viewer.0.send(Message::Text("{".into())).unwrap();
    assert!(viewer.text("error")["message"].as_str().unwrap().contains("JSON"));
    viewer.0.send(Message::Text("{\"body\":\"ball\",\"force\":[0,0,1e999]}".into())).unwrap();
    viewer.text("error");
    viewer.0.send(Message::Text("[".repeat(50_000).into())).unwrap();
    viewer.text("error");
    // One that is too long ends its connection, and no other.
    let mut long = served.viewer();
    long.0.send(Message::Text("[".repeat(5_000_000).into())).unwrap_or_default();
    let began = Instant::now();
    while long.0.read().is_ok() {
        assert!(began.elapsed() < PATIENCE, "it is still served");
    }
    viewer.0.send(Message::Binary(vec![1, 2, 3].into())).unwrap();
    viewer.text("error");
    let now = viewer.frame(|_| true).step;
    viewer.frame(|frame| frame.step > now);
}

#[test]
fn read_only_viewers_watch_and_change_nothing() {
    let served = start(&["--read-only"]);
    let mut viewer = served.viewer();
    for message in [
        json!({"do": "pause"}),
        json!({"do": "seek", "step": 1}),
        json!({"do": "grab", "body": 1, "at": [0, 0, 3]}),
        json!({"body": "ball", "force": [0, 0, 1]}),
    ] {
        assert!(viewer.refusal(message.clone()).contains("read-only"), "{message}");
    }
    viewer.send(json!({"do": "inspect", "body": 1}));
    viewer.text("body");
    viewer.send(json!({"do": "layers", "on": ["boxes"]}));
    viewer.frame(|frame| frame.section(b"BOXS").is_some());
}

#[test]
fn a_replay_is_sought_and_not_changed() {
    let shop = Workshop::new();
    shop.make(&["box", "--half", "0.5,0.5,0.5", "-o", "box.obj"]);
    shop.file("s.toml", SCENE);
    assert_eq!(shop.run(&["run", "s.toml", "--record", "r.rec", "--steps", "50", "-q"]).code, Some(0));
    let mut served = Served::of(shop, &["--replay", "r.rec"]);
    let mut viewer = served.viewer();
    assert!(viewer.refusal(json!({"body": "ball", "force": [0, 0, 1]})).contains("record"));
    assert!(viewer.refusal(json!({"do": "grab", "body": 1, "at": [0, 0, 3]})).contains("record"));
    viewer.send(json!({"do": "seek", "step": 50}));
    viewer.frame(|frame| frame.step == 50);
    viewer.send(json!({"do": "seek", "step": 7}));
    viewer.frame(|frame| frame.step == 7 && frame.flags & 4 == 4);
    assert!(served.stop(), "the same in all states");
}

#[test]
fn a_viewer_that_vanishes_does_not_stop_another_one() {
    let served = start(&[]);
    let mut stays = served.viewer();
    {
        let mut vanishes = served.viewer();
        vanishes.send(json!({"do": "grab", "body": 1, "at": [0, 0, 3], "target": [0, 0, 50]}));
        vanishes.frame(|frame| frame.section(b"STAT").is_some_and(|states| states[1] & 4 == 4));
        if let MaybeTlsStream::Plain(stream) = vanishes.0.get_ref() {
            stream.shutdown(std::net::Shutdown::Both).unwrap();
        }
    }
    stays.frame(|frame| frame.section(b"STAT").is_some_and(|states| states[1] & 4 == 4));
    let released =
        stays.frame(|frame| frame.section(b"STAT").is_some_and(|states| states[1] & 4 == 0) && frame.step > 0);
    stays.frame(|frame| frame.step > released.step);
}

#[test]
fn a_run_ends_with_its_steps_and_with_ctrl_c_its_report_is_whole() {
    let mut served = start(&["--steps", "20", "--report", "r.json"]);
    let mut viewer = served.viewer();
    viewer.text("end");
    let last = viewer.frame(|frame| frame.flags & 2 == 2);
    assert_eq!((last.step, last.flags & 1), (20, 0));
    let mut late = served.viewer();
    late.text("end");
    assert!(late.refusal(json!({"do": "seek", "step": 21})).contains("ended"));
    assert!(served.stop());
    let report = std::fs::read_to_string(served.shop.path().join("r.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["steps"], json!(20));
}

#[test]
fn a_viewer_moves_the_vertices_of_a_soft_body() {
    let shop = Workshop::new();
    shop.make(&["box", "--half", "0.5,0.5,0.5", "-o", "box.obj"]);
    shop.file(
        "s.toml",
        format!(
            "{SCENE}\n[[body]]\nname = \"jelly\"\nkind = \"soft\"\nshape = {{ type = \"mesh\", path = \"box.obj\" }}\n"
        ),
    );
    let mut served = Served::of(shop, &["s.toml", "--record", "r.rec"]);
    let mut viewer = served.viewer();
    let place_of = |frame: &Frame| {
        let bytes = frame.section(b"VERT").expect("moved vertices");
        assert_eq!(u32::from_le_bytes(bytes[..4].try_into().unwrap()), 3, "the jelly");
        [8, 12, 16].map(|at| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()))
    };
    let rest = place_of(&viewer.frame(|frame| frame.step > 1));
    let moved = rest.map(|x| f64::from(x) * 1.5);
    viewer.send(json!({"body": "jelly", "moved": [0], "vertices": [moved]}));
    viewer.frame(|frame| place_of(frame).map(f64::from) == moved);
    assert!(viewer.refusal(json!({"body": "jelly", "vertices": [moved]})).contains("1 places are given for"));
    assert!(viewer.refusal(json!({"body": "ball", "vertices": [moved]})).contains("not soft"));
    // Millions of vertices do not pile up while the run is paused.
    viewer.send(json!({"do": "pause"}));
    let many = json!({"body": "jelly", "moved": vec![0; 50_000], "vertices": vec![moved; 50_000]});
    (0..25).for_each(|_| viewer.send(many.clone()));
    assert!(viewer.text("error")["message"].as_str().unwrap().contains("waiting"));
    assert!(served.stop());
    assert_eq!(served.shop.run(&["run", "--replay", "r.rec", "-q"]).code, Some(0));
}

#[test]
fn methods_and_protocols_are_answered_as_http_says() {
    let served = start(&[]);
    let (status, headers, body) = served.exchange("GET", "/scene.json", "");
    assert_eq!(status, 200);
    let length = format!("content-length: {}", body.len());
    for header in ["content-type: application/json", "x-content-type-options: nosniff", "cache-control: no-store"] {
        assert!(headers.contains(header), "{headers}");
    }
    assert!(headers.contains("content-security-policy: default-src 'self';") && headers.contains(&length), "{headers}");
    let (status, headers, body) = served.exchange("HEAD", "/scene.json", "");
    assert!(status == 200 && body.is_empty() && headers.contains(&length), "{headers}");
    let (status, headers, _) = served.exchange("POST", "/scene.json", "");
    assert!(status == 405 && headers.contains("allow: get, head"), "{headers}");
    assert_eq!(served.exchange("POST", "/nothing", "").0, 404);
    let (status, headers, _) = served.exchange("POST", "/live", "");
    assert!(status == 405 && headers.contains("allow: get\r\n"), "{headers}");
    let old = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: eA==\r\n";
    for headers in ["", old] {
        let (status, answer, _) = served.exchange("GET", "/live", headers);
        assert!(status == 426 && answer.contains("sec-websocket-version: 13"), "{answer}");
        assert!(answer.contains("upgrade: websocket"), "{answer}");
    }
}

/// A WebSocket of bytes.
struct RawViewer(TcpStream);

impl RawViewer {
    fn new(served: &Served) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        write!(stream, "GET /live HTTP/1.1\r\nHost: localhost:{}\r\n{upgrade}{key}\r\n", served.port).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 101") && head.contains("s3pplmbitxaq9kygzzhzrbk+xoo="), "{head}");
        Self(stream)
    }

    /// Sends a frame under a mask of zeros; `first` is its first byte.
    fn send(&mut self, first: u8, payload: &[u8]) {
        let mut frame = vec![first, 0x80 | u8::try_from(payload.len()).unwrap(), 0, 0, 0, 0];
        frame.extend_from_slice(payload);
        self.0.write_all(&frame).unwrap();
    }

    /// Reads a frame: its first byte and its payload; `None` at the end of the connection.
    fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).ok()?;
        let mut long = [0; 8];
        match head[1] {
            126 => self.0.read_exact(&mut long[6..]).ok()?,
            127 => self.0.read_exact(&mut long).ok()?,
            short => long[7] = short,
        }
        let mut payload = vec![0; usize::try_from(u64::from_be_bytes(long)).unwrap()];
        self.0.read_exact(&mut payload).ok()?;
        Some((head[0], payload))
    }

    /// Reads to the end of the connection; returns the frames that are no frames of the run.
    fn answers(mut self) -> Vec<(u8, Vec<u8>)> {
        std::iter::from_fn(|| self.next()).filter(|(first, _)| *first != 0x82).collect()
    }
}

#[test]
fn frames_are_answered_as_the_standard_of_web_sockets_says() {
    let served = start(&[]);
    // A ping, then the end.
    let mut viewer = RawViewer::new(&served);
    viewer.send(0x89, b"here");
    viewer.send(0x88, &[0x03, 0xE8]);
    let answers = viewer.answers();
    assert!(answers.contains(&(0x8A, b"here".to_vec())), "{answers:?}");
    assert!(answers.contains(&(0x88, vec![0x03, 0xE8])), "{answers:?}");
    // A text in two parts is one message.
    let mut viewer = RawViewer::new(&served);
    viewer.send(0x01, br#"{"type":"#);
    viewer.send(0x80, br#""nothing"}"#);
    let is_answer = |(first, text): &(u8, Vec<u8>)| *first == 0x81 && String::from_utf8_lossy(text).contains("error");
    assert!(std::iter::from_fn(|| viewer.next()).any(|frame| is_answer(&frame)));
    // A text that is not UTF-8, and a frame without a mask, end the connection.
    let mut viewer = RawViewer::new(&served);
    viewer.send(0x81, &[0xFF]);
    viewer.answers();
    let mut viewer = RawViewer::new(&served);
    viewer.0.write_all(&[0x81, 2, b'{', b'}']).unwrap();
    viewer.answers();
    // All others are served.
    let mut viewer = RawViewer::new(&served);
    viewer.send(0x88, &[0x03, 0xE8]);
    assert!(!viewer.answers().is_empty());
}
