//! Npm and Node, run with a limit of time.
//!
//! - In: a folder with `package.json`, `package-lock.json` and `build.mjs`. Out: `dist` in the folder.
//! - Guarantees: both together end within the limit; output goes to a log; no package runs a script as it is installed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

/// Time for installing 18 packages, 60 MB, and for building: 5 s of two cores with a fast network.
const LIMIT: Duration = Duration::from_secs(180);

/// Oldest version of Node that vite runs on: major, minor.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// Pause between two looks at a running program.
const PAUSE: Duration = Duration::from_millis(20);

/// Options of `npm ci`: what the build needs, and an answer soon where there is no network.
const INSTALL: [&str; 9] = [
    "ci",
    "--omit=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-timeout=30000",
];

/// The two programs, and the limit of time for both together.
pub(crate) struct Npm {
    pub(crate) npm: PathBuf,
    pub(crate) node: PathBuf,
    pub(crate) limit: Duration,
}

impl Npm {
    /// The programs of these names in the folders of `PATH`.
    pub(crate) fn installed() -> Self {
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        Self { npm: npm.into(), node: "node".into(), limit: LIMIT }
    }

    /// Checks that both programs are there, and that Node is new enough.
    ///
    /// # Errors
    ///
    /// A program that is missing or too old, in words.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (program, name) in [(&self.node, "Node"), (&self.npm, "npm")] {
            let answer = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
            let version = match answer {
                Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
                Ok(output) => return Err(format!("{name} does not run: {}", output.status)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(format!("{name} is not installed"));
                }
                Err(error) => return Err(format!("{name} does not run: {error}")),
            };
            if name == "Node" && !is_new_enough(&version) {
                let (major, minor) = OLDEST_NODE;
                return Err(format!("Node {version} is older than {major}.{minor}"));
            }
        }
        Ok(())
    }

    /// Installs the packages of the folder, then builds the page in it.
    ///
    /// # Errors
    ///
    /// The program that failed or did not end, and what it wrote, in words.
    pub(crate) fn build(&self, folder: &Path, log: &Path) -> Result<(), String> {
        let until = Instant::now() + self.limit;
        let mut install = Command::new(&self.npm);
        install.args(INSTALL);
        if env::var_os("CARGO_NET_OFFLINE").is_some_and(|value| value == "true") {
            install.arg("--offline");
        }
        let mut build = Command::new(&self.node);
        build.arg("build.mjs");
        for (command, name) in [(&mut install, "`npm ci`"), (&mut build, "`node build.mjs`")] {
            match run(command.current_dir(folder), log, until) {
                Ok(Some(status)) if status.success() => {}
                Ok(Some(status)) => return Err(format!("{name} failed: {}", reason(log, status))),
                Ok(None) => {
                    let seconds = self.limit.as_secs_f64();
                    return Err(format!("{name} did not end within {seconds} s and was ended ({})", log.display()));
                }
                Err(error) => return Err(format!("{name} does not run: {error}")),
            }
        }
        Ok(())
    }
}

/// Decides whether a version such as `v20.20.2` is new enough; an unknown form is not.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.').map(|part| part.parse::<u32>().ok());
    matches!((numbers.next(), numbers.next()), (Some(Some(major)), Some(Some(minor))) if (major, minor) >= OLDEST_NODE)
}

/// Runs a program, its output in a new log; `None` if it had to be ended.
fn run(command: &mut Command, log: &Path, until: Instant) -> io::Result<Option<ExitStatus>> {
    let output = File::create(log)?;
    let mut child = command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output).spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= until {
            end(&mut child)?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// Ends a program; on Windows, where `npm.cmd` starts another program, that one, too.
fn end(child: &mut Child) -> io::Result<()> {
    if cfg!(windows) {
        Command::new("taskkill").args(["/T", "/F", "/PID", &child.id().to_string()]).output()?;
    }
    child.kill()?;
    child.wait().map(|_| ())
}

/// Returns the line of the log that explains a failure: the first one with an error, otherwise the last one.
fn reason(log: &Path, status: ExitStatus) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.to_ascii_lowercase().contains("error");
    let line = lines().find(is_error).or_else(|| lines().next_back());
    line.map_or_else(|| status.to_string(), |line| format!("{line} ({})", log.display()))
}
