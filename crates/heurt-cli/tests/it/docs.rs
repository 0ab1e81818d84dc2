//! The commands of the documentation run as they are written, and give the output that stands beside them.
//!
//! Each page runs in an empty folder, from top to bottom.
//! - A block marked `sh` runs command by command. Each command must end with status 0 or 1.
//! - A block marked `text` whose first line begins with `$ ` is a session. Each command must print the lines below it; times at the
//!   end of lines are masked. It must end with status 0 or 1, unless its output begins with an error that the page shows on
//!   purpose: `  x ` (an error of `heurt`) or `error: ` (an error of its arguments). A pipe has the status of its last command.
//! - Other blocks do not run. Commands that need other programs belong into a block marked `shell`.
//!
//! `HEURT_UPDATE_DOCS=1 cargo test -p heurt-cli --test it docs::` writes the present outputs into the pages: read the
//! difference.
//! A wrong status fails the test in that mode, too.
//!
//! One more test reads the help of each subcommand and requires an example of each option in `docs/cli.md`.

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

/// The result of a page.
#[derive(Default)]
struct Page {
    /// The page with the present outputs.
    text: String,
    /// Commands that printed something else than the page shows.
    differences: Vec<String>,
    /// Commands that ended with a wrong status.
    faults: Vec<String>,
}

/// Returns whether a session may end with this status.
fn is_allowed(status: Option<i32>, output: &str) -> bool {
    matches!(status, Some(0 | 1))
        || status == Some(2) && ["  x ", "error: "].iter().any(|start| output.starts_with(start))
}

/// Runs a page.
fn run_page(text: &str) -> Page {
    let shell = Shell::new();
    let Page { text: mut page, mut differences, mut faults } = Page::default();
    for Block { before, kind, lines } in blocks(text) {
        page.push_str(&before);
        let Some(kind) = kind else { continue };
        writeln!(page, "```{kind}").expect("written");
        if is_session(kind, &lines) {
            for (command, said) in sessions(&lines) {
                let (status, output) = shell.run(&command);
                if !is_allowed(status, &output) {
                    faults.push(format!("status {status:?} of\n$ {command}\n{output}"));
                }
                let is_as_shown = is_same(&output, &said);
                let shown = if is_as_shown { said } else { output.trim_end().to_owned() };
                if !is_as_shown {
                    differences.push(format!("$ {command}\n{shown}"));
                }
                writeln!(page, "$ {command}").expect("written");
                shown.lines().for_each(|line| writeln!(page, "{line}").expect("written"));
            }
        } else {
            lines.iter().for_each(|line| writeln!(page, "{line}").expect("written"));
            for command in if kind == "sh" { commands(&lines) } else { Vec::new() } {
                let (status, output) = shell.run(&command);
                if !matches!(status, Some(0 | 1)) {
                    faults.push(format!("status {status:?} of\n{command}\n{output}"));
                }
            }
        }
        writeln!(page, "```").expect("written");
    }
    Page { text: page, differences, faults }
}

/// A block of a page, and the text before it.
struct Block<'a> {
    before: String,
    /// The word after the opening fence; none after the last block.
    kind: Option<&'a str>,
    lines: Vec<&'a str>,
}

/// The blocks of a page that begin with a kind.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut before) = (Vec::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match line.strip_prefix("```").filter(|kind| !kind.is_empty()) {
            Some(kind) => {
                let lines = lines.by_ref().take_while(|line| *line != "```").collect();
                blocks.push(Block { before: std::mem::take(&mut before), kind: Some(kind), lines });
            }
            None => writeln!(before, "{line}").expect("written"),
        }
    }
    blocks.push(Block { before, kind: None, lines: Vec::new() });
    blocks
}

/// Returns whether a block is commands after `$ ` with their outputs.
fn is_session(kind: &str, lines: &[&str]) -> bool {
    kind == "text" && lines.first().is_some_and(|first| first.starts_with("$ "))
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

fn check(name: &str) {
    let path = root().join(name);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let Page { text, differences, mut faults } = run_page(&text);
    if std::env::var_os("HEURT_UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).expect("written");
    } else {
        faults.extend(differences);
    }
    assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n\n"));
}

/// A list in a help text: the indented lines below its title.
fn listed<'a>(help: &'a str, title: &str) -> impl Iterator<Item = &'a str> {
    let below = help.lines().skip_while(move |line| *line != title).skip(1).collect::<Vec<_>>();
    below.into_iter().take_while(|line| line.is_empty() || line.starts_with(' '))
}

/// The subcommands that a help text lists, without `help`.
fn subcommands(help: &str) -> Vec<&str> {
    let names =
        listed(help, "Commands:").filter_map(|line| line.strip_prefix("  ").filter(|name| !name.starts_with(' ')));
    names.filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty() && *name != "help").collect()
}

/// The options that a help text lists, without `--help`, each with its short form: `["-q", "--quiet"]`.
fn options(help: &str) -> Vec<Vec<&str>> {
    // Descriptions stand further right than options.
    let titles = ["Options:", "Picture:", "Live page:"];
    let lines = titles.iter().flat_map(|title| listed(help, title));
    let lines = lines.filter(|line| line.len() - line.trim_start().len() <= 6);
    let words = lines.map(|line| line.split([' ', ',']).filter(|word| word.starts_with('-')));
    let options = words.map(|words| words.take(2).collect::<Vec<_>>()).filter(|forms| !forms.is_empty());
    options.filter(|forms| !forms.contains(&"--help")).collect()
}

/// The commands `heurt …` that a page runs, as words after `heurt`, each up to the next command of the shell.
fn calls(text: &str) -> Vec<Vec<String>> {
    let mut calls = Vec::new();
    for Block { kind, lines, .. } in blocks(text) {
        let shell_commands = match kind {
            // A block for other programs is an example, too: of a command that serves until it is stopped.
            Some("sh" | "shell") => commands(&lines),
            Some(kind) if is_session(kind, &lines) => {
                sessions(&lines).into_iter().map(|(command, _)| command).collect()
            }
            _ => continue,
        };
        for line in shell_commands {
            for call in line.lines().next().unwrap_or_default().split([';', '|', '&', '>']) {
                let mut words = call.split_whitespace().map(str::to_owned);
                if words.next().is_some_and(|word| word == "heurt") {
                    calls.push(words.collect());
                }
            }
        }
    }
    calls
}

/// The options of a subcommand without an example among these calls; those of its parents are left out.
fn without_example(
    shell: &Shell,
    name: &[&str],
    inherited: &[Vec<&str>],
    calls: &[Vec<String>],
    found: &mut Vec<String>,
) {
    let (status, help) = shell.run(&format!("heurt {} --help", name.join(" ")));
    assert_eq!(status, Some(0), "heurt {} --help", name.join(" "));
    let own = options(&help).into_iter().filter(|option| !inherited.contains(option)).collect::<Vec<_>>();
    for forms in &own {
        let is_example = |call: &&Vec<String>| {
            call.len() >= name.len()
                && call.iter().zip(name).all(|(word, known)| word == known)
                && call.iter().any(|word| forms.iter().any(|form| word == form))
        };
        if !calls.iter().any(|call| is_example(&call)) {
            found.push(format!("heurt {} {}", name.join(" "), forms.join(", ")));
        }
    }
    for subcommand in subcommands(&help) {
        let inherited = [inherited, &own].concat();
        without_example(shell, &[name, &[subcommand]].concat(), &inherited, calls, found);
    }
}

#[test]
fn the_page_of_the_command_has_an_example_of_each_option() {
    let text = std::fs::read_to_string(root().join("docs/cli.md")).expect("the page is there");
    let shell = Shell::new();
    let (_, help) = shell.run("heurt check --help");
    assert!(options(&help).len() > 20, "the options of a help text are found:\n{help}");
    let mut found = Vec::new();
    without_example(&shell, &[], &[], &calls(&text), &mut found);
    assert!(found.is_empty(), "docs/cli.md has no example of\n{}", found.join("\n"));
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
    for guide in ["my-assembly", "my-printed-part", "my-robot", "from-another-program"] {
        check(&format!("docs/{guide}.md"));
    }
}

#[test]
fn the_page_of_repair_is_true() {
    check("docs/repair.md");
}

#[test]
fn the_pages_of_formats_and_scenes_are_true() {
    check("docs/formats.md");
    check("docs/scenes.md");
    check("docs/viewing.md");
}
