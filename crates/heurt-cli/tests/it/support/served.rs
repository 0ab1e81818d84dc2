//! A program that serves the live page, and viewers of it.

use super::Workshop;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// Patience with the program: far above what it needs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A program that serves a scene.
pub struct Served {
    pub shop: Workshop,
    pub child: Child,
    pub port: u16,
}

impl Served {
    pub fn of(shop: Workshop, arguments: &[&str]) -> Self {
        let all = [&["run", "--view", "--port", "0", "-q"], arguments].concat();
        let mut child =
            shop.command(&all).stdout(Stdio::null()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.find_map(|line| line.ok().filter(|line| line.contains("http://"))).expect("an address");
        std::thread::spawn(move || lines.for_each(drop));
        let port = line.split("http://127.0.0.1:").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
        Self { shop, child, port: port.parse().unwrap() }
    }

    /// Sends a request and returns status and body.
    pub fn request(&self, path: &str, headers: &str) -> (u16, Vec<u8>) {
        let (status, _, body) = self.exchange("GET", path, headers);
        (status, body)
    }

    /// Sends a request of any method and returns status, headers and body.
    pub fn exchange(&self, method: &str, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: localhost:{}\r\n", self.port) };
        write!(stream, "{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, text, bytes[head + 4..].to_vec())
    }

    pub fn viewer(&self) -> Viewer {
        let (socket, _) = tungstenite::connect(format!("ws://127.0.0.1:{}/live", self.port)).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        Viewer(socket)
    }

    /// Interrupts the program as Ctrl-C does, and returns whether it ended with success.
    pub fn stop(&mut self) -> bool {
        Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        self.child.wait().unwrap().success()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A viewer of a page.
pub struct Viewer(pub WebSocket<MaybeTlsStream<TcpStream>>);

/// A frame: step, flags, newest step, and the sections.
pub struct Frame {
    pub step: u64,
    pub flags: u32,
    pub newest: u64,
    pub bytes: Vec<u8>,
}

impl Frame {
    pub fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }

    pub fn section(&self, tag: &[u8; 4]) -> Option<&[u8]> {
        let mut at = 40;
        for _ in 0..self.word(36) {
            let length = self.word(at + 8) as usize;
            if &self.bytes[at..at + 4] == tag {
                return Some(&self.bytes[at + 16..at + 16 + length]);
            }
            at += 16 + length;
        }
        None
    }

    /// The place of a body.
    pub fn place(&self, body: usize) -> [f32; 3] {
        let poses = self.section(b"POSE").expect("poses");
        [0, 4, 8].map(|at| f32::from_le_bytes(poses[28 * body + at..28 * body + at + 4].try_into().unwrap()))
    }
}

impl Viewer {
    pub fn send(&mut self, message: Value) {
        self.0.send(Message::Text(message.to_string().into())).unwrap();
    }

    /// Returns the next frame that fulfils a condition.
    pub fn frame(&mut self, condition: impl Fn(&Frame) -> bool) -> Frame {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Message::Binary(bytes) = self.0.read().unwrap() {
                let bytes = bytes.to_vec();
                assert_eq!(&bytes[..4], b"HFR1");
                let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
                let flags = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
                let frame = Frame { step: long(8), flags, newest: long(24), bytes };
                if condition(&frame) {
                    return frame;
                }
            }
        }
        panic!("no such frame came");
    }

    /// Returns the next text of a type.
    pub fn text(&mut self, kind: &str) -> Value {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Message::Text(text) = self.0.read().unwrap() {
                let value: Value = serde_json::from_str(text.as_str()).unwrap();
                if value["type"] == kind {
                    return value;
                }
            }
        }
        panic!("no text of type {kind} came");
    }

    pub fn refusal(&mut self, message: Value) -> String {
        self.send(message);
        self.text("error")["message"].as_str().unwrap().to_owned()
    }
}
