//! Video of a run: a picture for each thirtieth of a second, as frames in a folder, or through ffmpeg.
//!
//! In: a world or a crowd after each step. Out: `frame_00000.png` and on in a folder, or a video file if ffmpeg is
//! installed; without it the frames are written to a folder of the video's name. Frames of an earlier, longer run are
//! removed from the folder once the video is complete.
//! Method: the camera shows all bodies as they are placed at the start, and moves back as bodies leave that box; it
//! does not follow a body far away. A frame shows the last state before its time.

use crate::Failure;
use crate::check::counted;
use crate::picture::{PictureArguments, write_png};
use heurt::geometry::{Aabb, Camera};
use heurt::view::picture::{Caption, Drawing, Image, draw_picture};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Frames a second.
const RATE: f64 = 30.0;
/// Rounding error of the time of a state, in frames.
const ROUNDING: f64 = 1e-6;
/// Most frames of a video: an hour.
const MAX_FRAMES: u64 = 108_000;

/// Growth of the box that the camera shows, on each side, as a multiple of its largest extent at the start.
const LARGEST_GROWTH: f64 = 2.0;

/// A state that a video shows.
pub(super) trait Filmed {
    /// Returns the simulated time, in seconds.
    fn time(&self) -> f64;
    /// Returns the box of all that is shown.
    fn bounds(&self) -> Aabb;
    /// Returns the camera that shows a box on a picture of this size, or what the video follows.
    ///
    /// # Errors
    /// [`Failure::NoPicture`].
    fn camera(&self, shown: &Aabb, options: &PictureArguments, size: [usize; 2]) -> Result<Camera, Failure>;
    /// Draws the state.
    fn draw(&self) -> (Drawing, Caption);
}

/// The receiver of the frames.
enum FrameTarget {
    /// A folder of PNG files.
    Folder(PathBuf),
    /// A process that encodes the pixels it reads, into a file that gets its name once it is complete.
    Encoder {
        process: Child,
        /// The text of its standard error, read as it comes: a full pipe would stop the encoder.
        words: Option<JoinHandle<String>>,
        unfinished: PathBuf,
        path: PathBuf,
    },
}

/// Writer of a video.
pub(super) struct Video {
    target: FrameTarget,
    /// The box that the camera shows: it only grows.
    shown: Aabb,
    /// The largest box that the camera shows.
    limit: Aabb,
    options: PictureArguments,
    size: [usize; 2],
    /// Seconds of a step.
    step: f64,
    frames: u64,
    /// The picture of the last state, for frames before the next one.
    last: Option<Image>,
}

impl Video {
    /// Begins a video of a run at its start, with steps of `step` seconds.
    pub(super) fn create(
        path: &Path,
        filmed: &impl Filmed,
        step: f64,
        arguments: &PictureArguments,
    ) -> Result<Self, Failure> {
        // Encoders of common formats need even sides.
        let size = arguments.size().map(|side| side & !1);
        let shown = filmed.bounds();
        filmed.camera(&shown, arguments, size)?;
        let growth = LARGEST_GROWTH * (shown.max - shown.min).max_element();
        let limit = Aabb { min: shown.min - growth, max: shown.max + growth };
        let (target, options) = (target_of(path, size)?, arguments.clone());
        Ok(Self { target, shown, limit, options, size, step, frames: 0, last: None })
    }

    /// Draws a state with a camera that shows all of it.
    fn draw(&mut self, filmed: &impl Filmed) -> Result<Image, Failure> {
        let bounds = filmed.bounds();
        let visible = Aabb { min: bounds.min.max(self.limit.min), max: bounds.max.min(self.limit.max) };
        if !visible.is_empty() {
            self.shown = self.shown.union(visible);
        }
        let camera = filmed.camera(&self.shown, &self.options, self.size)?;
        let (drawing, caption) = filmed.draw();
        Ok(draw_picture(&drawing, &camera, self.size, &caption))
    }

    /// Adds the frames that are due at the time of a state.
    pub(super) fn step(&mut self, filmed: &impl Filmed, stop: &AtomicBool) -> Result<(), Failure> {
        let now = filmed.time() * RATE;
        // Frames between two states show the earlier one.
        while (self.frames as f64) < now - ROUNDING && self.frames <= MAX_FRAMES && !stop.load(Ordering::Relaxed) {
            let Some(last) = self.last.take() else { break };
            self.write_frame(&last)?;
            self.last = Some(last);
        }
        if self.frames > MAX_FRAMES {
            return Ok(());
        }
        // A state that no frame shows is not drawn.
        if (self.frames as f64) < now + self.step * RATE - ROUNDING {
            self.last = Some(self.draw(filmed)?);
        }
        if self.frames as f64 <= now + ROUNDING
            && let Some(last) = self.last.take()
        {
            self.write_frame(&last)?;
            self.last = Some(last);
        }
        Ok(())
    }

    fn write_frame(&mut self, image: &Image) -> Result<(), Failure> {
        if self.frames == MAX_FRAMES {
            eprintln!("note: the video ends after {MAX_FRAMES} frames, an hour");
        }
        let number = self.frames;
        self.frames += 1;
        if number >= MAX_FRAMES {
            return Ok(());
        }
        let target = &mut self.target;
        match target {
            FrameTarget::Folder(folder) => write_png(&folder.join(frame_name(number)), image),
            FrameTarget::Encoder { process, .. } => {
                let written = process.stdin.as_mut().map_or(Ok(()), |pipe| pipe.write_all(image.bytes()));
                // The encoder ended, and reports why.
                if written.is_err() { target.finish() } else { Ok(()) }
            }
        }
    }

    /// Ends the video.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        if let FrameTarget::Folder(folder) = &self.target {
            return remove_frames(folder, self.frames.min(MAX_FRAMES));
        }
        self.target.finish()
    }
}

/// Returns the name of the file of a frame.
fn frame_name(number: u64) -> String {
    format!("frame_{number:05}.png")
}

/// Removes the frames of an earlier run from a number on: they are no part of the video. Other files stay.
fn remove_frames(folder: &Path, from: u64) -> Result<(), Failure> {
    let mut count = 0;
    for entry in std::fs::read_dir(folder).map_err(|source| unwritable(folder, source))?.flatten() {
        let name = entry.file_name();
        let digits = name.to_str().and_then(|name| name.strip_prefix("frame_")?.strip_suffix(".png"));
        let number = digits.and_then(|digits| digits.parse().ok()).filter(|number| name == *frame_name(*number));
        if number.is_some_and(|number| number >= from) {
            std::fs::remove_file(entry.path()).map_err(|source| unwritable(&entry.path(), source))?;
            count += 1;
        }
    }
    if count > 0 {
        let frames = counted(count, "frame", "frames");
        eprintln!("note: {frames} of an earlier run removed from {}", folder.display());
    }
    Ok(())
}

impl FrameTarget {
    /// Ends the encoder, and gives the file its name if it is complete.
    fn finish(&mut self) -> Result<(), Failure> {
        let Self::Encoder { process, words, unfinished, path } = self else { return Ok(()) };
        drop(process.stdin.take());
        let words = words.take().and_then(|words| words.join().ok()).unwrap_or_default();
        let status = process.wait().map_err(|source| unwritable(path, source))?;
        if status.success() {
            return std::fs::rename(unfinished, &*path).map_err(|source| unwritable(path, source));
        }
        let reason = words.lines().last().unwrap_or("no reason given").to_owned();
        Err(Failure::Encoder { path: path.clone(), reason })
    }
}

impl Drop for FrameTarget {
    /// A video that was not finished leaves no file.
    fn drop(&mut self) {
        if let Self::Encoder { process, unfinished, .. } = self {
            drop(process.stdin.take());
            let _ = process.wait();
            let _ = std::fs::remove_file(unfinished);
        }
    }
}

/// Returns the name of a video until it is complete: hidden, next to it, of the same format.
fn unfinished_name(path: &Path) -> PathBuf {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    path.with_file_name(format!(".heurt-{}-{name}", std::process::id()))
}

/// Reports whether a path names a folder of frames.
pub(super) fn is_folder(path: &Path) -> bool {
    let ends_with_slash = path.as_os_str().to_string_lossy().ends_with(['/', '\\']);
    ends_with_slash || path.is_dir() || path.extension().is_none()
}

fn target_of(path: &Path, size: [usize; 2]) -> Result<FrameTarget, Failure> {
    if is_folder(path) {
        return folder(path);
    }
    let unfinished = unfinished_name(path);
    let arguments = ["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"];
    let mut command = Command::new("ffmpeg");
    // Ctrl-C reaches the run only, which ends the video.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let process = command
        .args(arguments)
        .args(["-s", &format!("{}x{}", size[0], size[1]), "-r", &RATE.to_string(), "-i", "-", "-pix_fmt", "yuv420p"])
        .arg(file_url(&unfinished))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    match process {
        Ok(mut process) => {
            let words = process.stderr.take().map(|mut pipe| {
                std::thread::spawn(move || {
                    let mut words = String::new();
                    // A part of the text is still a reason.
                    let _ = pipe.read_to_string(&mut words);
                    words
                })
            });
            Ok(FrameTarget::Encoder { process, words, unfinished, path: path.to_owned() })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let frames = path.with_extension("");
            eprintln!("note: ffmpeg is not installed: the frames are written to the folder {}", frames.display());
            folder(&frames)
        }
        Err(source) => Err(unwritable(path, source)),
    }
}

/// Returns a name that ffmpeg takes as a file with any letters.
fn file_url(path: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(path);
    name
}

fn folder(path: &Path) -> Result<FrameTarget, Failure> {
    std::fs::create_dir_all(path).map_err(|source| unwritable(path, source))?;
    Ok(FrameTarget::Folder(path.to_owned()))
}

fn unwritable(path: &Path, source: std::io::Error) -> Failure {
    Failure::Unwritable { path: path.to_owned(), source: source.into() }
}
