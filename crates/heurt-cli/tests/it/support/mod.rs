//! Running the built program in a folder of its own.

#[cfg(all(unix, feature = "view"))]
pub mod served;

use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A temporary folder, and the program run in it.
pub struct Workshop {
    folder: tempfile::TempDir,
}

/// What the program said.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Workshop {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file; the name may hold folders.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, content).expect("written");
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heurt"));
        command.current_dir(self.path()).args(arguments).env_remove("NO_COLOR");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).stdin(Stdio::null()).output().expect("it runs"))
    }

    /// Runs with `input` on standard input.
    pub fn feed(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdin = child.stdin.take().expect("piped");
        let input = input.as_ref().to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let run = Run::of(child.wait_with_output().expect("it ends"));
        writer.join().expect("joined").expect("all was read");
        run
    }

    /// Asks one question with `heurt query`; the exit status must go with the answer.
    pub fn run_query(&self, request: &Value) -> Value {
        let run = self.feed(&["query"], format!("{request}\n"));
        let mut answers = run.lines();
        assert_eq!(answers.len(), 1, "{}", run.err);
        let answer = answers.remove(0);
        assert_eq!(run.code, Some(if answer["ok"] == true { 0 } else { 1 }), "{answer}");
        answer
    }

    /// Makes a mesh with the program itself.
    pub fn make(&self, arguments: &[&str]) {
        let run = self.run(&[&["make"], arguments].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
    }
}

impl Run {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.err))
    }

    pub fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// A cube with corners at ±1/2, as OBJ.
pub const CUBE: &str = "\
v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 0.5 -0.5
v -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\nv 0.5 0.5 0.5\nv -0.5 0.5 0.5
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// What one request is answered with, where a cube lies beside it.
pub fn run_query(request: &Value) -> Value {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    shop.run_query(request)
}

/// That cube.
pub fn cube() -> Value {
    json!({"type": "mesh", "path": "cube.obj"})
}

pub fn triangle(points: Value) -> Value {
    json!({"type": "triangle", "points": points})
}

/// Width and height of a picture that is a PNG file to its end.
pub fn png_size(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).expect("written");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xae\x42\x60\x82"));
    let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    (number(16), number(20))
}
