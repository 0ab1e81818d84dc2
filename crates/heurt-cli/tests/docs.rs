//! The commands of the documentation run as they are written, and give the output that stands beside them.
//!
//! Each page runs in a folder of its own, from top to bottom: blocks marked `sh` are run, and must succeed or report an interference;
//! of blocks marked `text` that begin with `$ heurt`, each command must print what follows it. Times are masked.
//! `HEURT_UPDATE_DOCS=1 cargo test -p heurt-cli --test docs` writes the outputs of now into the pages: read the difference.

#![cfg(unix)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder in which `heurt` is the built program.
struct Shell {
    folder: tempfile::TempDir,
    path: String,
}

impl Shell {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bin = folder.path().join(".bin");
        std::fs::create_dir(&bin).expect("made");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_heurt"), bin.join("heurt")).expect("linked");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        Self { folder, path }
    }

    /// Runs a script; standard error comes first, as failures do.
    fn run(&self, script: &str) -> (Option<i32>, String) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(self.folder.path()).env("PATH", &self.path).env("NO_COLOR", "1");
        let output = command.stdin(Stdio::null()).output().expect("it runs");
        let text = [output.stderr, output.stdout].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
        (output.status.code(), text)
    }
}

/// A line without the time at its end.
fn masked(line: &str) -> String {
    match line.rsplit_once(" · ") {
        Some((rest, time)) if time.ends_with(" ms") || time.ends_with(" s") => format!("{rest} · …"),
        _ => line.trim_end().to_owned(),
    }
}

fn is_same(a: &str, b: &str) -> bool {
    let lines = |text: &str| text.trim_end().lines().map(masked).collect::<Vec<_>>();
    lines(a) == lines(b)
}

/// Runs a page; gives it back with the outputs of now, and the faults.
fn run_page(text: &str) -> (String, Vec<String>) {
    let shell = Shell::new();
    let (mut page, mut faults) = (String::with_capacity(text.len()), Vec::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        writeln!(page, "{line}").expect("written");
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let mut block = Vec::new();
        for line in lines.by_ref().take_while(|line| *line != "```") {
            block.push(line);
        }
        match (kind, block.first()) {
            ("sh", _) => {
                let script = block.join("\n");
                for command in commands(&block) {
                    let (code, output) = shell.run(&command);
                    if !matches!(code, Some(0 | 1)) {
                        faults.push(format!("status {code:?} of\n{command}\n{output}"));
                    }
                }
                writeln!(page, "{script}").expect("written");
            }
            ("text", Some(first)) if first.starts_with("$ ") => {
                for (command, said) in sessions(&block) {
                    let (_, output) = shell.run(&command);
                    let shown = if is_same(&output, &said) { said } else { output.trim_end().to_owned() };
                    if !is_same(&shown, &said_or_empty(&block, &command)) {
                        faults.push(format!("$ {command}\n{shown}"));
                    }
                    writeln!(page, "$ {command}\n{shown}").expect("written");
                }
            }
            _ => block.iter().for_each(|line| writeln!(page, "{line}").expect("written")),
        }
        writeln!(page, "```").expect("written");
    }
    (page, faults)
}

/// The commands of a script: lines, those of a here-document with the line that begins it.
fn commands(block: &[&str]) -> Vec<String> {
    let (mut commands, mut end): (Vec<String>, Option<String>) = (Vec::new(), None);
    for line in block {
        match (&end, commands.last_mut()) {
            (Some(word), Some(command)) => {
                command.push('\n');
                command.push_str(line);
                if *line == word {
                    end = None;
                }
            }
            _ => {
                end = line.split_once("<<'").and_then(|(_, rest)| rest.split('\'').next()).map(str::to_owned);
                commands.push((*line).to_owned());
            }
        }
    }
    commands.retain(|command| !command.trim().is_empty());
    commands
}

/// Commands after `$ ` and what follows each.
fn sessions(block: &[&str]) -> Vec<(String, String)> {
    let mut sessions: Vec<(String, String)> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), sessions.last_mut()) {
            (Some(command), _) => sessions.push((command.to_owned(), String::new())),
            (None, Some((_, said))) => {
                if !said.is_empty() {
                    said.push('\n');
                }
                said.push_str(line);
            }
            (None, None) => {}
        }
    }
    sessions
}

fn said_or_empty(block: &[&str], command: &str) -> String {
    sessions(block).into_iter().find(|(known, _)| known == command).map(|(_, said)| said).unwrap_or_default()
}

fn check(name: &str) {
    let path = root().join(name);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let (page, faults) = run_page(&text);
    if std::env::var_os("HEURT_UPDATE_DOCS").is_some() {
        std::fs::write(&path, page).expect("written");
    } else {
        assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n\n"));
    }
}

#[test]
fn the_readme_runs_as_it_is_written() {
    check("README.md");
}

#[test]
fn the_page_of_the_command_is_true() {
    check("docs/cli.md");
}

#[test]
fn the_guides_are_true() {
    for guide in ["my-assembly", "my-printed-part", "my-robot"] {
        check(&format!("docs/{guide}.md"));
    }
}

#[test]
fn the_page_of_repair_is_true() {
    check("docs/repair.md");
}
