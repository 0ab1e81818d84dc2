//! What must hold for any bytes given to a reader of `heurt-io` or `heurt-solid`, and a driver that gives it many.
//!
//! [`check`] is the property: it serves the tests here and libFuzzer alike. [`campaign`] mutates the seeds of a format
//! for a number of inputs or of seconds, in the same order every time.

mod csg;
mod edges;
mod mutate;
mod patches;
mod plans;
mod rng;
mod seeds;
mod zip;

use heurt_io::{
    Format, Model, PartialModel, ReadError, ReadOptions, VolumeFormat, Warning, read_partial, read_volume, read_with,
    write,
};
use heurt_map::{Map3, Orient};
use mutate::mutated;
use peak_alloc::PeakAlloc;
use rng::Rng;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Of models.
    Model(Format),
    /// Of volume meshes.
    Volume(VolumeFormat),
    /// Of CSG trees.
    Csg(CsgFormat),
    /// Of the edges of OBJ files.
    Edges,
    /// Of surface patches in JSON.
    Patches,
    /// Of plans of floors and streets.
    Plan(PlanKind),
}

/// The formats of plans that are tried together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanKind {
    /// Well-known text.
    Wkt,
    /// OpenStreetMap, as XML and PBF.
    Osm,
}

impl From<PlanKind> for Target {
    fn from(plan: PlanKind) -> Self {
        Self::Plan(plan)
    }
}

/// A text format of CSG trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsgFormat {
    /// The `.csg` files of OpenSCAD.
    OpenScad,
    /// JSON.
    Json,
    /// TOML.
    Toml,
}

impl CsgFormat {
    fn name(self) -> &'static str {
        match self {
            Self::OpenScad => "openscad",
            Self::Json => "csg_json",
            Self::Toml => "csg_toml",
        }
    }
}

impl From<CsgFormat> for Target {
    fn from(format: CsgFormat) -> Self {
        Self::Csg(format)
    }
}

impl From<Format> for Target {
    fn from(format: Format) -> Self {
        Self::Model(format)
    }
}

impl From<VolumeFormat> for Target {
    fn from(format: VolumeFormat) -> Self {
        Self::Volume(format)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(format) => format.fmt(out),
            Self::Volume(format) => format.fmt(out),
            Self::Csg(format) => out.write_str(format.name()),
            Self::Edges => out.write_str("edges_obj"),
            Self::Patches => out.write_str("patches_json"),
            Self::Plan(PlanKind::Wkt) => out.write_str("plan_wkt"),
            Self::Plan(PlanKind::Osm) => out.write_str("plan_osm"),
        }
    }
}

impl Target {
    /// The folder of its seeds.
    fn folder(self) -> PathBuf {
        match self {
            Self::Model(Format::Volume(format)) => Self::Volume(format).folder(),
            Self::Model(format) => format.extension().into(),
            Self::Volume(format) => Path::new("volume").join(format.extension()),
            Self::Csg(format) => format.name().into(),
            Self::Edges | Self::Patches | Self::Plan(_) => self.to_string().into(),
        }
    }

    /// Memory that a reader may take in bytes: a fixed amount, and so much for each byte of input. glTF may unpack to a
    /// million vertices and corners and sixteen more a byte (data shared within the file), of 24 bytes, grown twice. VTU
    /// may unpack to a mebibyte and 64 times its size; coordinates of a byte become 24 times as large while lists grow.
    /// 3MF may unpack to a mebibyte and 200 times its size of XML, and place 128 vertices and corners a byte.
    /// A sphere of OpenSCAD has up to 131,072 vertices, whose hull takes a kibibyte each. Leaves of JSON have trees.
    fn memory_limit(self, bytes: usize) -> usize {
        match self {
            Self::Model(Format::Gltf | Format::Glb | Format::Dae) => (1 << 27) + (1 << 10) * bytes,
            Self::Csg(CsgFormat::OpenScad) => (1 << 29) + (1 << 14) * bytes,
            Self::Csg(_) => (1 << 20) + (1 << 11) * bytes,
            Self::Model(Format::ThreeMf) => (1 << 27) + (1 << 14) * bytes,
            Self::Model(Format::Volume(VolumeFormat::Vtu)) | Self::Volume(VolumeFormat::Vtu) => {
                (1 << 25) + (1 << 11) * bytes
            }
            // A list of one vertex index needs a vector; rows of patches do, too.
            Self::Edges | Self::Patches => (1 << 16) + (1 << 9) * bytes,
            // Lines become strips of 16 corners a point, and edges of plans are divided at their crossings.
            Self::Plan(_) => (1 << 27) + (1 << 14) * bytes,
            _ => (1 << 16) + (1 << 7) * bytes,
        }
    }
}

/// Time that an input of at most [`MAX_INPUT`] bytes may take, in a build with checks on a busy machine.
const TIME: Duration = Duration::from_secs(10);
/// The longest input that mutation makes, in bytes.
const MAX_INPUT: usize = 1 << 14;
/// Inputs that a campaign tries where no time is given.
const DEFAULT_INPUTS: u64 = 60_000;

/// Reads `bytes`, leniently and strictly, and checks what a reader promises: no panic, bounded memory and time, a model
/// that is valid, has bounded warnings, is the same for both where both accept it, and reads back from OBJ to the same
/// bits, a volume mesh whose cells have their vertices and make a valid map or none, or a tree that has bounds or none,
/// answers a point and reads back from JSON, edges that are distinct and read back from OBJ, or patches that read back
/// from JSON and whose mesh meets its tolerance; or an error of bounded length.
///
/// # Panics
/// When a promise is broken.
pub fn check(target: impl Into<Target>, bytes: &[u8]) {
    let _ = outcome(target.into(), bytes);
}

/// Does as [`check`]; returns the kind of answer: what was ignored and a number of parts or cells, or the kind of
/// error.
fn outcome(target: Target, bytes: &[u8]) -> String {
    match target {
        Target::Model(format) => outcome_of_model(format, bytes),
        Target::Volume(format) => outcome_of_volume(format, bytes),
        Target::Csg(format) => csg::outcome(format, bytes),
        Target::Edges => edges::outcome(bytes),
        Target::Patches => patches::outcome(bytes),
        Target::Plan(plan) => plans::outcome(plan, bytes),
    }
}

fn outcome_of_volume(format: VolumeFormat, bytes: &[u8]) -> String {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let answer = read_volume(bytes, format);
    check_costs(format.into(), bytes.len(), before, start);
    match answer {
        Ok(mesh) => {
            let count = mesh.vertices.len() as u32;
            assert!(mesh.vertices.iter().all(|vertex| vertex.is_finite()));
            assert!(mesh.cells.iter().all(|cell| cell.corners().iter().all(|&corner| corner < count)));
            if let Ok(built) = Map3::from_cells(mesh.vertices.len(), &mesh.cells, Orient::Turn) {
                assert!(built.map.validate().is_empty());
            }
            format!("{} cells", mesh.cells.len())
        }
        Err(error) => checked_kind(&error),
    }
}

/// The kind of an error, whose message is checked.
fn checked_kind(error: &ReadError) -> String {
    let message = error.to_string();
    assert!((10..600).contains(&message.len()), "a message of {} bytes", message.len());
    kind(error)
}

fn outcome_of_model(format: Format, bytes: &[u8]) -> String {
    let _ = Format::detect(bytes);
    let fetch = |_: &str| Some(vec![0; 64]);
    let options = ReadOptions::default().split_objects(bytes.len() % 2 == 1).resolve(&fetch);
    let lenient = read_measured(format, bytes, &options);
    let strict = read_measured(format, bytes, &options.strict(true));
    check_strict(bytes, &lenient, &strict);
    check_partial(format, bytes, &options, &lenient);
    match lenient {
        Ok(model) => {
            check_model(&model);
            let ignored: String = model.warnings.iter().map(|warning| format!("{}, ", warning.what)).collect();
            format!("{ignored}{} parts", model.parts.len())
        }
        Err(error) => checked_kind(&error),
    }
}

/// Reads `bytes` and checks what that took.
fn read_measured(format: Format, bytes: &[u8], options: &ReadOptions<'_>) -> Result<Model, ReadError> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let answer = read_with(bytes, format, options);
    check_costs(format.into(), bytes.len(), before, start);
    answer
}

/// Checks that a lenient reader accepts what a strict one accepts, as the same model. Names may differ by NUL bytes.
fn check_strict(bytes: &[u8], lenient: &Result<Model, ReadError>, strict: &Result<Model, ReadError>) {
    match strict {
        Ok(strict) => {
            assert!(strict.warnings.is_empty(), "a strict reader ignores nothing");
            let lenient = lenient.as_ref().expect("a lenient reader accepts what a strict one accepts");
            let mut bare = Model { warnings: Vec::new(), ..lenient.clone() };
            if bytes.contains(&0) && bare.parts.len() == strict.parts.len() {
                let names = bare.parts.iter_mut().zip(&strict.parts);
                names.for_each(|(bare, strict)| bare.name.clone_from(&strict.name));
            }
            assert!(bare == *strict, "a lenient reader gives the model of a strict one");
        }
        Err(error) => drop(checked_kind(error)),
    }
}

/// Checks what reading so many bytes took since `start`, when `before` bytes of memory were in use.
fn check_costs(target: Target, bytes: usize, before: usize, start: Instant) {
    let took = start.elapsed();
    let memory = MEMORY.peak_usage().saturating_sub(before);
    assert!(took < TIME, "{bytes} bytes take {took:?}");
    assert!(memory <= target.memory_limit(bytes), "{bytes} bytes take {memory} bytes");
}

/// Reads what can be read of `bytes`, and compares it with `whole`, the reading that fails with the first part.
fn check_partial(format: Format, bytes: &[u8], options: &ReadOptions<'_>, whole: &Result<Model, ReadError>) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let answer = read_partial(bytes, format, options);
    check_costs(format.into(), bytes.len(), before, start);
    match (answer, whole) {
        (Ok(PartialModel { model, failures }), Ok(whole)) => assert!(failures.is_empty() && model == *whole),
        (Ok(PartialModel { model, failures }), Err(_)) => {
            assert!(!failures.is_empty(), "a part is wrong, and it is said which");
            if !model.parts.is_empty() {
                check_model(&model);
            }
        }
        (Err(_), Ok(_)) => panic!("what can be read whole can be read"),
        (Err(_), Err(_)) => {}
    }
}

/// What an error says, without what depends on the bytes.
fn kind(error: &ReadError) -> String {
    match error {
        ReadError::Syntax { expected, .. } => expected.replace(|letter: char| letter.is_ascii_digit(), ""),
        ReadError::Unsupported { remedy, .. } => (*remedy).to_owned(),
        ReadError::Truncated { what, .. } | ReadError::OutOfRange { what, .. } => (*what).to_owned(),
        other => format!("{:?}", std::mem::discriminant(other)),
    }
}

/// Checks that there is a warning a kind, of bounded length.
fn check_warnings(warnings: &[Warning]) {
    let kinds: BTreeSet<&str> = warnings.iter().map(|warning| warning.what).collect();
    assert_eq!(kinds.len(), warnings.len(), "a warning a kind");
    for warning in warnings {
        let length = warning.to_string().len();
        assert!(warning.count > 0 && (10..4096).contains(&length), "a warning of {length} bytes");
    }
}

/// Checks that polygons are those of their mesh, and that a mesh of triangles has none.
fn check_polygons(model: &Model) {
    for (mesh, polygons) in model.meshes.iter().zip(&model.polygons) {
        let Some(polygons) = polygons else { continue };
        let count = mesh.vertices().len() as u32;
        let corners = || (0..polygons.len()).map(|polygon| polygons.corners(polygon));
        assert!(corners().any(|corners| corners.len() > 3), "a polygon that is no triangle");
        assert!(corners().flatten().all(|&corner| corner < count));
        assert_eq!(corners().map(|corners| corners.len() - 2).sum::<usize>(), mesh.triangles().len());
    }
}

fn check_model(model: &Model) {
    check_warnings(&model.warnings);
    check_polygons(model);
    let names: BTreeSet<&str> = model.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names.len(), model.parts.len(), "names are unique");
    assert!(model.polygons.len() <= model.meshes.len());
    for (mesh, polygons) in model.meshes.iter().zip(&model.polygons) {
        let count: usize =
            polygons.iter().map(|all| (0..all.len()).map(|one| all.triangles(one).len()).sum::<usize>()).sum();
        assert!(polygons.is_none() || count == mesh.triangles().len(), "every triangle has its polygon");
    }
    for mesh in &model.meshes {
        assert!(!mesh.triangles().is_empty());
        assert!(mesh.vertices().iter().all(|vertex| vertex.is_finite()));
        assert!(mesh.triangles().iter().flatten().all(|&corner| (corner as usize) < mesh.vertices().len()));
    }
    let mut text = Vec::new();
    if model.triangle_count() < 10_000 && write(model, Format::Obj, &mut text).is_ok() {
        let again = heurt_io::read(&text, Format::Obj).expect("what is written can be read");
        assert_eq!(Ok(&again.meshes[0]), model.flattened().as_ref(), "what is written reads back");
    }
    let mut packed = Vec::new();
    if model.triangle_count() < 1_000 && write(model, Format::ThreeMf, &mut packed).is_ok() {
        let again = heurt_io::read(&packed, Format::ThreeMf).expect("what is written can be read");
        assert_eq!((again.parts.len(), again.triangle_count()), (model.parts.len(), model.triangle_count()));
    }
}

/// Mutates the seeds of a reader and checks each input: 60,000 of them, or as many as `HEURT_FUZZ_SECONDS` allows.
/// Seeds that are made in code are also written to the folder `HEURT_FUZZ_SEEDS`, if it is given, for libFuzzer.
/// An input that breaks a promise is left in `artifacts/`. Inputs that get a new kind of answer are mutated further.
///
/// # Panics
/// When there is no seed, or a promise is broken.
pub fn campaign(target: impl Into<Target>) {
    let target = target.into();
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pool = seeds(&home.join("seeds").join(target.folder()));
    let generated = seeds::generated(target);
    if let Some(folder) = std::env::var_os("HEURT_FUZZ_SEEDS") {
        for (number, seed) in generated.iter().enumerate() {
            let name = format!("{target}_{number}");
            std::fs::write(Path::new(&folder).join(name), seed).expect("a seed can be written");
        }
    }
    pool.extend(generated);
    assert!(!pool.is_empty(), "there are seeds for {target}");
    let artifacts = home.join("artifacts").join(target.folder());
    let mut kinds: BTreeSet<String> = pool.iter().map(|seed| attempt(target, seed, &artifacts)).collect();
    let is_whole = |kind: &String| {
        ["parts", "cells", "nodes", "edges", "triangles", "areas"].iter().any(|whole| kind.ends_with(whole))
    };
    assert!(kinds.iter().any(is_whole), "a seed of {target} is whole");
    let seconds = std::env::var("HEURT_FUZZ_SECONDS").ok().map(|seconds| seconds.parse().expect("a number of seconds"));
    let (start, mut rng, mut tried) = (Instant::now(), Rng::new(2000), 0);
    while seconds.map_or(tried < DEFAULT_INPUTS, |limit| start.elapsed() < Duration::from_secs(limit)) {
        let input = mutated(target, &pool, &mut rng, MAX_INPUT);
        if kinds.insert(attempt(target, &input, &artifacts)) {
            pool.push(input);
        }
        tried += 1;
    }
    println!("{target}: {tried} inputs, {} kinds of answers", kinds.len());
}

/// The seeds of a folder, in the order of their names.
fn seeds(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a seed can be read")).collect()
}

/// Checks one input, and keeps it when it breaks a promise.
fn attempt(target: Target, input: &[u8], artifacts: &Path) -> String {
    std::panic::catch_unwind(|| outcome(target, input)).unwrap_or_else(|broken| {
        let name = input
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        let path = artifacts.join(format!("{name:016x}"));
        std::fs::create_dir_all(artifacts).and_then(|()| std::fs::write(&path, input)).expect("the input can be kept");
        eprintln!("kept the input as {}", path.display());
        std::panic::resume_unwind(broken)
    })
}
