//! Failures of a whole command or of one of its inputs, with cause and remedy, shown on standard error.

use crate::output::{colours_wanted, printable};
use heurt::assembly::{AssemblyError, IgnoreFault};
use heurt::broad::BroadPhaseError;
use heurt::geometry::PoseError;
use heurt::io::{ForeignFormat, LengthError, ReadError, TrajectoryWriteError, WriteError};
use heurt::mesh::generate::GenerateError;
use heurt::mesh::{DecomposeError, HullMeshError, MeshError, RepairError, SimplifyError};
use heurt::scene::{FileError, PrepareError, RecordTextError, TreeTextError, line_of};
use miette::Diagnostic;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Failures of a command, or of one of its inputs.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub(crate) enum Failure {
    #[error("cannot read {}", path.display())]
    #[diagnostic(help("check the name and the permissions"))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: not a mesh file that heurt knows", path.display())]
    #[diagnostic(help(
        "give an OBJ, STL, PLY, OFF, glTF, GLB, 3MF or DAE file, with that extension if it starts oddly"
    ))]
    UnknownFormat { path: PathBuf },
    #[error("{}: heurt does not read {format} files", path.display())]
    #[diagnostic(help("{}", conversion_help(*format, path)))]
    ForeignFormat { path: PathBuf, format: ForeignFormat },
    #[error("{option}: {source}")]
    NoLength { option: &'static str, source: LengthError },
    #[error("{}: the folder holds no mesh file", path.display())]
    #[diagnostic(help("{}{}", folder_help(foreign.as_deref()), or_recursive(*sub_folders)))]
    EmptyFolder {
        path: PathBuf,
        /// The first file of a format that is not read.
        foreign: Option<PathBuf>,
        /// Sub-folders that were not searched.
        sub_folders: usize,
    },
    #[error("{} cannot be used", path.display())]
    BadFile { path: PathBuf, source: ReadError },
    #[error("{}: part `{part}` cannot be used", path.display())]
    BadPart { path: PathBuf, part: String, source: Box<ReadError> },
    #[error("{}{} cannot be used", path.display(), part_in(part))]
    BadMesh { path: PathBuf, part: String, source: Box<PrepareError> },
    #[error("{}{} cannot be placed", path.display(), part_in(part))]
    #[diagnostic(help("choose another unit or scale, or move it nearer to the origin"))]
    BadPlacement { path: PathBuf, part: String, source: PoseError },
    #[error("{}{} has no decomposition", path.display(), part_in(part))]
    #[diagnostic(help("`heurt inspect {}` shows where it is open, `heurt repair` fills holes; `heurt decompose --help` has the options", path.display()))]
    Undecomposed { path: PathBuf, part: String, source: DecomposeError },
    #[error("{}{} cannot be repaired", path.display(), part_in(part))]
    #[diagnostic(help("`heurt repair --help` has the options"))]
    Unrepaired { path: PathBuf, part: String, source: RepairError },
    #[error("{}{} has no hull with a volume", path.display(), part_in(part))]
    #[diagnostic(help("`heurt inspect {}` shows the box of the points", path.display()))]
    NoHull { path: PathBuf, part: String, source: HullMeshError },
    #[error("{}{} cannot be simplified", path.display(), part_in(part))]
    #[diagnostic(help("`heurt simplify --help` has the options"))]
    Unsimplified { path: PathBuf, part: String, source: SimplifyError },
    #[error("{}: part `{part}` stands where no f64 reaches", path.display())]
    #[diagnostic(help("move it nearer to the origin: its placed coordinates must be finite"))]
    TooFar { path: PathBuf, part: String },
    #[error("{}{} measures more than an f64 holds", path.display(), part_in(part))]
    #[diagnostic(help("choose another unit of length: area, volume and inertia must stay below 1.8e308"))]
    Unmeasurable { path: PathBuf, part: String },
    #[error("`{option}` is no pose: {reason}")]
    #[diagnostic(help(
        "give x,y,z or x,y,z,qx,qy,qz,qw or JSON: [x,y,z], or {{\"translation\":[x,y,z]}} with one of \"rotation\":\
         [qx,qy,qz,qw], \"axis\" with \"angle\" or \"angle_deg\", \"rpy\" or \"rpy_deg\":[roll,pitch,yaw], or {{\"matrix\":[[3 rows of 4]]}}; or \
         @file that holds one of these"
    ))]
    NoPose { option: &'static str, reason: String },
    #[error("`{option}` is no pose")]
    #[diagnostic(help(
        "a pose is x,y,z in the unit of the report, then, if wanted, a quaternion qx,qy,qz,qw of norm 1"
    ))]
    BadPose { option: &'static str, source: PoseError },
    #[error("`--motion` is no path: {reason}")]
    #[diagnostic(help(
        "give x,y,z or JSON as {{\"to\":[x,y,z]}} or {{\"velocity\":[x,y,z],\"acceleration\":[x,y,z],\
         \"angular_velocity\":[x,y,z],\"pivot\":[x,y,z],\"duration\":s}} or a list of these, or @file that holds one"
    ))]
    NoMotion { reason: String },
    #[error("--solid winding and --motion do not go together: a path is tested against surfaces and closed solids")]
    #[diagnostic(help("close the parts with `heurt repair`, or test poses one by one with --pose"))]
    MotionOfWinding,
    #[error("--{option} {name}: no part has that name or matches that pattern")]
    #[diagnostic(help("the parts are {known}; in a pattern * is any text and ? any character"))]
    NoSuchPart { option: &'static str, name: String, known: String },
    #[error("--section: {reason}")]
    #[diagnostic(help("give the number of a row of `heurt check`, as x@1, or a place, as x=12.5mm"))]
    NoSection { reason: String },
    #[error("--{option} {name}: several parts end so")]
    #[diagnostic(help("give more of the path of one of {candidates}; or a pattern, as `*/{name}`, for all of them"))]
    AmbiguousPart { option: &'static str, name: String, candidates: String },
    #[error("{}: several parts end in `{name}`", path.display())]
    #[diagnostic(help("give more of the path of one of {known}; or a pattern, as `*/{name}`, for all of them"))]
    AmbiguousPartInFile { path: PathBuf, name: String, known: String },
    #[error("{}: no part matches `{name}`", path.display())]
    #[diagnostic(help("the parts of the file are {known}; in a pattern * is any text and ? any character"))]
    NoSuchPartInFile { path: PathBuf, name: String, known: String },
    #[error("{}, line {line}: {fault}", path.display())]
    #[diagnostic(help(
        "write a pair of names or patterns as `bolt*,nut*`, or one; a line that starts with # is a remark"
    ))]
    BadIgnoreLine { path: PathBuf, line: usize, fault: IgnoreFault },
    #[error("{}: not an earlier report: {reason}", path.display())]
    #[diagnostic(help("write one with `heurt check … --json > old.json`"))]
    BadBaseline { path: PathBuf, reason: String },
    #[error("{}{}: {reason}", path.display(), line.map_or(String::new(), |line| format!(", line {line}")))]
    #[diagnostic(help("`heurt check --help` shows an assembly file with every key"))]
    BadAssembly { path: PathBuf, line: Option<usize>, reason: String },
    #[error("there is one part only, `{part}`: nothing to compare it with")]
    #[diagnostic(help(
        "give a second file, a folder or an assembly; --split objects or --split bodies makes parts of one file"
    ))]
    OnePart { part: String },
    #[error("--motion moves parts, but none is named")]
    #[diagnostic(help("name them with --moving; the parts are {known}"))]
    NothingMoves { known: String },
    #[error("--pose-a and --pose-b place the first and the second of two inputs, but there are {count}")]
    #[diagnostic(help("name exactly two files, as in `heurt check a.obj b.obj --pose-b 0,0,1`"))]
    PoseWithoutPair { count: usize },
    #[error("there is nothing to check: no part could be read")]
    #[diagnostic(help("mend the files named above, or try `heurt` alone for the assembly built into the program"))]
    NothingToCheck,
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error("--{option} {given}: give {legal}")]
    #[diagnostic(help("`heurt {command} --help` has every option"))]
    BadNumber { command: &'static str, option: String, given: String, legal: String },
    #[error("{shape}: {count} triangles are more than {max}: give a smaller {options}")]
    TooManyTriangles { shape: &'static str, count: u64, max: u64, options: &'static str },
    #[error("the mesh is not valid")]
    Mesh(#[from] MeshError),
    #[error("--{option}: {reason}")]
    #[diagnostic(help("`heurt make --help` lists every shape, `heurt make SHAPE --help` its options"))]
    BadOption { option: &'static str, reason: &'static str },
    #[error("{} is there already, with other content", path.display())]
    #[diagnostic(help("choose another folder, or move the file away"))]
    ChangedFile { path: PathBuf },
    #[error("{} exists already, and it is written only where it is named", path.display())]
    #[diagnostic(help("name the file, as in -o {}", path.display()))]
    DefaultExists { path: PathBuf },
    #[error("{}: {} the extension `{extension}`", path.display(), lack_of_format(extension))]
    #[diagnostic(help("end the name with {formats}, or choose with --format"))]
    NoSuchExtension { path: PathBuf, extension: String, formats: &'static str },
    #[error("--{option} {}: it would be written over an input", path.display())]
    #[diagnostic(help("give --{option} another name"))]
    OutputIsInput { option: &'static str, path: PathBuf },
    #[error("more than {most} pairs of the {parts} parts may meet: their boxes overlap")]
    #[diagnostic(help(
        "parts may stand on each other by mistake: check their poses, or choose some with --of and --against"
    ))]
    TooManyPairs { parts: usize, most: usize },
    #[error("--{option} -: standard output has the report")]
    #[diagnostic(help("name a file in place of `-`"))]
    ExportToOutput { option: &'static str },
    #[error("--{first} and --{second} are one file, {}: one would be written over the other", path.display())]
    #[diagnostic(help("give each a name of its own"))]
    OneOutput { first: &'static str, second: &'static str, path: PathBuf },
    #[error("{}: curves are written as OBJ, DXF or SVG", path.display())]
    #[diagnostic(help("end the name with .obj, .dxf or .svg"))]
    NoCurveFormat { path: PathBuf },
    #[error("{}: edges are written as OBJ or DXF", path.display())]
    #[diagnostic(help("end the name with .obj or .dxf"))]
    NoEdgeFormat { path: PathBuf },
    #[error("cannot write {}", path.display())]
    #[diagnostic(help("check that the folder exists, that it may be written to, and that the disk is not full"))]
    Unwritable { path: PathBuf, source: WriteError },
    #[error("cannot write to standard output")]
    Output { source: io::Error },
    #[error("{}: not a tree file: {reason}", path.display())]
    #[diagnostic(help("write one with `heurt tune A B -o NEW.tree`"))]
    BadTreeFile { path: PathBuf, reason: TreeTextError },
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help(
        "name it as in cost.svg or cost.png; any browser shows such a picture and turns it into others"
    ))]
    NoPlotFormat { path: PathBuf, reason: &'static str },
    #[error("{}: nothing was measured that could be drawn; no picture is written", path.display())]
    #[diagnostic(help(
        "costs are drawn of parts whose surfaces meet when one comes to the other, and only of what takes any time"
    ))]
    NothingToDraw { path: PathBuf },
    #[error("{}, line {line}: {reason}", path.display())]
    #[diagnostic(help(
        "give one placement per line, as {{\"pose_a\":{{\"translation\":[x,y,z]}},\"pose_b\":{{\"translation\":[x,y,z],\"rotation\":[x,y,z,w]}}}}"
    ))]
    BadMotion { path: PathBuf, line: usize, reason: String },
    #[error("too few poses to compare trees: {found}")]
    #[diagnostic(help("give a file with at least 2 poses as --motion"))]
    TooFewPoses { found: usize },
    #[error(
        "the search found {found} poses at which the surfaces nearly touch or barely overlap, on {tried} approach paths{when}: too few to compare trees"
    )]
    #[diagnostic(help("give your own poses, at least 2, in a file as --motion"))]
    NoContact { found: usize, tried: u32, when: &'static str },
    #[error(
        "at each measured pose ({poses}) the spheres or boxes around the whole parts are disjoint: no tree was traversed, so none is faster than another"
    )]
    #[diagnostic(help("give poses at which the parts are near each other, in a file as --motion"))]
    NothingWalked { poses: usize },
    #[error("{}, line {line}: {reason}", path.display())]
    #[diagnostic(help("{help}"))]
    BadScene { path: PathBuf, line: usize, reason: String, help: &'static str },
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help(
        "write one with `heurt run SCENE.toml --record NEW.rec`; a scene itself is run without --replay"
    ))]
    BadRecord { path: PathBuf, reason: RecordTextError },
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help(
        "`heurt run SCENE.toml --problem NEW.json` writes a contact problem; docs/response.md has its keys"
    ))]
    BadProblem { path: PathBuf, reason: String },
    #[error("{}: a run with a `deadline` cannot be recorded: what is looked at depends on the clock, and no replay could be the same", path.display())]
    #[diagnostic(help("take `deadline` out of [world], or leave --record out"))]
    RecordedDeadline { path: PathBuf },
    #[error("{}: the name of its folder, {}, is no text, which a record is", path.display(), folder.display())]
    #[diagnostic(help("run the scene from a folder whose name is UTF-8, or leave --record out"))]
    RecordedFolder { path: PathBuf, folder: PathBuf },
    #[error("the world cannot go on after step {step}: {reason}")]
    Stopped { step: u64, reason: String },
    #[error("--{option}: this program was built without the page")]
    #[diagnostic(help("{help}"))]
    NoPage { option: &'static str, help: &'static str },
    #[cfg(feature = "view")]
    #[error("cannot serve the page at {address}, port {port}")]
    #[diagnostic(help("choose another one with --host and --port"))]
    NoServer { address: std::net::IpAddr, port: u16, source: io::Error },
    #[error("{}, line {line}: {reason}", path.display())]
    #[diagnostic(help(
        "a line is as {{\"step\":12,\"body\":\"hand\",\"pose\":{{\"translation\":[0,0,1]}}}} or {{\"step\":12,\"body\":\"ball\",\"force\":[0,0,9]}}"
    ))]
    BadControl { path: PathBuf, line: usize, reason: String },
    #[error("{}: reports are HTML files", path.display())]
    #[diagnostic(help("name it as in report.html"))]
    NoReportFormat { path: PathBuf },
    #[error("{}: ffmpeg cannot write the video: {reason}", path.display())]
    #[diagnostic(help("name a file that ends in .mp4, or a folder for the frames, as in frames/"))]
    Encoder { path: PathBuf, reason: String },
    #[error("--{option} works only with --view")]
    #[diagnostic(help("`heurt run scene.toml --view --{option} …` serves the page"))]
    OnlyWithView { option: &'static str },
    #[error("--{option} is for scenes of bodies, and this scene is of a crowd")]
    #[diagnostic(help("leave it out; --trajectories, --report and --picture write what happens to a crowd"))]
    NotForCrowds { option: &'static str },
    #[error("--outlines: agents that fly are balls and have no outlines")]
    #[diagnostic(help("leave it out; --trajectories writes where they are"))]
    NoOutlines,
    #[error("--layers {layer}: the agents of this scene have none")]
    #[diagnostic(help("leave it out; agents with outlines have edges ahead"))]
    NoLayer { layer: &'static str },
    #[error("--layers bubbles: the agents of this scene have no bubbles")]
    #[diagnostic(help("leave `bubbles` out, or choose `model = \"bubbles\"` in the scene"))]
    NoBubbles,
    #[error("no agent is called `{name}`")]
    #[diagnostic(help("give the number of an agent that is there at the start, from {} to {}", ends[0], ends[1]))]
    NoSuchAgent { name: String, ends: [u32; 2] },
    #[error("{}: trajectories are written as CSV, SQLite or Parquet", path.display())]
    #[diagnostic(help("end the name with .csv, .sqlite or .parquet"))]
    NoTrajectoryFormat { path: PathBuf },
    #[error("{}: {source}", path.display())]
    #[diagnostic(help("docs/crowds.md has the formats of trajectories"))]
    Trajectories { path: PathBuf, source: Box<TrajectoryWriteError> },
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help("`heurt crowd measure --help` has the formats of trajectories"))]
    BadTrajectories { path: PathBuf, reason: String },
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help("export the scenario again; `heurt crowd convert --help` has an example"))]
    BadScenario { path: PathBuf, reason: String },
    #[error("--{option} `{value}`: {reason}")]
    #[diagnostic(help("`heurt crowd measure --help` has examples"))]
    BadMeasureOption { option: &'static str, value: String, reason: String },
    #[error("no guideline has a test `{word}`")]
    #[diagnostic(help("give rimea, imo or iso, or a test as rimea-4; `heurt crowd validate --help` has examples"))]
    NoGuidelineTest { word: String },
    #[error("--{option} is for scenes of crowds, and this scene is of bodies")]
    #[diagnostic(help("leave it out; --trace, --events and --report write what happens to bodies"))]
    OnlyForCrowds { option: &'static str },
    #[error("--{option} works only with --picture or --video")]
    #[diagnostic(help("`heurt run scene.toml --picture end.png --{option} …` draws the last state"))]
    OnlyWithPicture { option: &'static str },
    #[error("--{option} is for files that are loaded, and {} is run", path.display())]
    #[diagnostic(help("leave it out: a scene has its own poses and units"))]
    OnlyWithParts { option: &'static str, path: PathBuf },
    #[error("{}: pictures are PNG files", path.display())]
    #[diagnostic(help("end the name with .png"))]
    NoPngName { path: PathBuf },
    #[error("{}: VTU files are named so", path.display())]
    #[diagnostic(help("end the name with .vtu"))]
    NoVtuName { path: PathBuf },
    #[error("{}: no map can be made of it", path.display())]
    #[diagnostic(help("{}", map_help(path, *is_volume)))]
    NoMap { path: PathBuf, is_volume: bool, source: heurt::map::BuildError },
    #[error("{}: the plan is no map", path.display())]
    #[diagnostic(help("give polygons with an inside, in metres; as WKT: POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0))"))]
    BadPlan { path: PathBuf, source: Box<heurt::scene::MapFileError> },
    #[error("{}the map cannot be used so", path.as_ref().map_or(String::new(), |path| format!("{}: ", path.display())))]
    #[diagnostic(help("`heurt map inspect` lists the cells, the border and faults of a map"))]
    MapWork { path: Option<PathBuf>, source: Box<heurt::map::placed::PlacedMapError> },
    #[error("--method neighbour-grid has no radius above 0 within which points are neighbours")]
    #[diagnostic(help("give one as --radius 2"))]
    GridWithoutRadius,
    #[error("the points have no neighbour grid")]
    #[diagnostic(help("give another --radius, or fewer points"))]
    NoProximity { source: heurt::broad::ProximityError },
    #[error("--{option} {x},{y}: the map is in space, and the point has no z")]
    #[diagnostic(help("give three coordinates, as --{option} {x},{y},0"))]
    FlatPoint { option: &'static str, x: f64, y: f64 },
    #[error("{}, line {line}: `{found}` is no point of this map", path.display())]
    #[diagnostic(help(
        "give one point a line, as 0.5,1,-2; two coordinates do for a map in a plane; or an OBJ, PLY or OFF file of points"
    ))]
    BadPoints { path: PathBuf, line: usize, found: String },
    #[error("a set operation needs at least two parts")]
    #[diagnostic(help("name two files, or an assembly of several parts"))]
    OneOperand,
    #[error("{part}: no solid")]
    NoSolid { part: String, source: Box<heurt::solid::SolidMeshError> },
    #[error("{a} and {b}: no result")]
    NoSetOperation { a: String, b: String, source: Box<heurt::solid::SetOperationError> },
    #[error("{}{}: {reason}", path.display(), line.map_or(String::new(), |line| format!(", line {line}")))]
    #[diagnostic(help("`heurt solid evaluate --help` shows the operations of a tree, and docs/cli.md its shapes"))]
    BadCsg { path: PathBuf, line: Option<usize>, reason: String },
    #[error("{}: no mesh", path.display())]
    NoCsgMesh { path: PathBuf, source: Box<heurt::solid::CsgMeshError> },
    #[error("{}: no surface patches", path.display())]
    BadPatches { path: PathBuf, source: Box<heurt::solid::PatchError> },
    #[error("{}: no solids of a wireframe", path.display())]
    BadWireframe { path: PathBuf, source: Box<heurt::solid::WireError> },
    #[error("{}: the edges {first} and {second} meet elsewhere than in a common vertex", path.display())]
    #[diagnostic(help("divide them there, make their near vertices one, or remove one edge"))]
    EdgesMeet { path: PathBuf, first: heurt::io::EdgeSource, second: heurt::io::EdgeSource },
    #[error("{}: vertex {number} is at {:?}", path.display(), position.to_array())]
    #[diagnostic(help("give finite coordinates up to 1e60"))]
    FarVertex { path: PathBuf, number: usize, position: heurt::geometry::Vec3 },
    #[error("no picture can be drawn")]
    #[diagnostic(help("choose another unit of length, or move the parts nearer to the origin"))]
    NoPicture { source: heurt::geometry::ProjectionError },
    #[error("no body is called `{name}`")]
    #[diagnostic(help("bodies are {known}"))]
    NoSuchBody { name: String, known: String },
    #[error(transparent)]
    Assembly(AssemblyError),
    #[error(transparent)]
    File(FileError),
    #[error(transparent)]
    BroadPhase(#[from] BroadPhaseError),
    #[error("cannot start {count} threads")]
    #[diagnostic(help("give a smaller --threads"))]
    Threads { count: usize, source: rayon::ThreadPoolBuildError },
}

impl Failure {
    /// Returns the first failure of several outputs, and reports all others; the last result if there is none.
    pub(crate) fn first_of<T>(
        earlier: impl IntoIterator<Item = Result<(), Self>>,
        last: Result<T, Self>,
    ) -> Result<T, Self> {
        let mut failures = earlier.into_iter().filter_map(Result::err);
        let Some(first) = failures.next() else { return last };
        failures.chain(last.err()).for_each(|failure| failure.report());
        Err(first)
    }

    pub(crate) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }

    pub(crate) fn output(source: io::Error) -> Self {
        Self::Output { source }
    }

    /// Reports whether an input, or a part of it, could not be used.
    pub(crate) fn is_of_input(&self) -> bool {
        !matches!(self, Self::OnePart { .. } | Self::BadIgnoreLine { .. })
    }

    /// Returns the file that caused the failure, if there is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Unreadable { path, .. }
            | Self::UnknownFormat { path }
            | Self::ForeignFormat { path, .. }
            | Self::EmptyFolder { path, .. }
            | Self::BadFile { path, .. }
            | Self::BadPart { path, .. }
            | Self::BadMesh { path, .. }
            | Self::BadPlacement { path, .. }
            | Self::NoSuchPartInFile { path, .. }
            | Self::AmbiguousPartInFile { path, .. }
            | Self::BadIgnoreLine { path, .. }
            | Self::BadBaseline { path, .. }
            | Self::BadAssembly { path, .. }
            | Self::BadCsg { path, .. }
            | Self::NoCsgMesh { path, .. }
            | Self::BadPatches { path, .. }
            | Self::BadWireframe { path, .. }
            | Self::EdgesMeet { path, .. }
            | Self::FarVertex { path, .. }
            | Self::Undecomposed { path, .. }
            | Self::Unrepaired { path, .. }
            | Self::NoHull { path, .. }
            | Self::Unsimplified { path, .. }
            | Self::TooFar { path, .. }
            | Self::Unmeasurable { path, .. }
            | Self::NoSuchExtension { path, .. }
            | Self::NoCurveFormat { path }
            | Self::OutputIsInput { path, .. }
            | Self::OneOutput { path, .. }
            | Self::BadTreeFile { path, .. }
            | Self::NoPlotFormat { path, .. }
            | Self::NoPngName { path }
            | Self::NoTrajectoryFormat { path }
            | Self::Trajectories { path, .. }
            | Self::BadTrajectories { path, .. }
            | Self::BadScenario { path, .. }
            | Self::OnlyWithParts { path, .. }
            | Self::NoVtuName { path }
            | Self::NoMap { path, .. }
            | Self::BadPlan { path, .. }
            | Self::BadPoints { path, .. }
            | Self::NothingToDraw { path }
            | Self::BadMotion { path, .. }
            | Self::BadScene { path, .. }
            | Self::BadRecord { path, .. }
            | Self::BadProblem { path, .. }
            | Self::RecordedDeadline { path }
            | Self::RecordedFolder { path, .. }
            | Self::Unwritable { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Returns the place in the file: a line, a byte, an item.
    pub(crate) fn place(&self) -> Option<String> {
        match self {
            Self::BadFile { source, .. } => source.place().map(ToString::to_string),
            Self::BadPart { part, source, .. } => Some(match source.place() {
                Some(place) => format!("part {part}, {place}"),
                None => format!("part {part}"),
            }),
            Self::TooFar { part, .. } => Some(format!("part {part}")),
            Self::Unmeasurable { part, .. }
            | Self::Undecomposed { part, .. }
            | Self::BadMesh { part, .. }
            | Self::BadPlacement { part, .. }
            | Self::Unrepaired { part, .. }
            | Self::NoHull { part, .. }
            | Self::Unsimplified { part, .. }
                if !part.is_empty() =>
            {
                Some(format!("part {part}"))
            }
            Self::BadIgnoreLine { line, .. } => Some(format!("line {line}")),
            Self::BadAssembly { line: Some(line), .. } | Self::BadCsg { line: Some(line), .. } => {
                Some(format!("line {line}"))
            }
            _ => None,
        }
    }

    /// Returns the message with its causes on one line, for JSON.
    pub(crate) fn line(&self) -> String {
        line_of(self)
    }

    /// Returns the remedy if it is not part of the message.
    pub(crate) fn remedy(&self) -> Option<String> {
        self.help().map(|help| help.to_string())
    }

    /// Shows the failure on standard error. A closed standard error is ignored.
    pub(crate) fn report(&self) {
        let is_terminal = io::stderr().is_terminal();
        let text = self.report_text(is_terminal, is_terminal && colours_wanted());
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Formats message, causes and remedy, a line each: programs read them, and `grep` finds whole messages. Every name
    /// in them is printable.
    fn report_text(&self, is_terminal: bool, is_coloured: bool) -> String {
        let [cross, branch, end] = if is_terminal { ["×", "├─▶", "╰─▶"] } else { ["x", "|->", "`->"] };
        let [red, cyan, plain] = if is_coloured { ["\x1b[31m", "\x1b[36m", "\x1b[0m"] } else { [""; 3] };
        let mut text = format!("  {red}{cross}{plain} {}\n", printable(&self.to_string()));
        let mut cause = std::error::Error::source(self);
        while let Some(inner) = cause {
            cause = inner.source();
            let line = if cause.is_some() { branch } else { end };
            text += &format!("{red}  {line}{plain} {}\n", printable(&inner.to_string()));
        }
        if let Some(remedy) = self.remedy() {
            let lines: Vec<String> = remedy.lines().map(printable).collect();
            text += &format!("{cyan}  help:{plain} {}\n", lines.join("\n        "));
        }
        text
    }
}

impl From<AssemblyError> for Failure {
    fn from(error: AssemblyError) -> Self {
        match error {
            AssemblyError::TooManyPairs { parts, most } => Self::TooManyPairs { parts, most },
            error => Self::Assembly(error),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Unreadable { path, source } => Self::Unreadable { path, source },
            FileError::Unusable { path, source } => Self::BadFile { path, source },
            FileError::NoTree { path, reason } => Self::BadTreeFile { path, reason },
            FileError::UnknownFormat { path } => Self::UnknownFormat { path },
            FileError::ForeignFormat { path, format } => Self::ForeignFormat { path, format },
            other => Self::File(other),
        }
    }
}

/// Describes the problem of an extension that no written file has.
fn lack_of_format(extension: &str) -> &'static str {
    match heurt::io::Format::from_extension(extension) {
        Some(_) => "heurt reads, but does not write files with",
        None => "no format has",
    }
}

/// Returns how a file of a format that is not read becomes a mesh file: a sentence, then shell lines.
fn conversion_help(format: ForeignFormat, path: &Path) -> String {
    // Other names would need quotes in the shell and in Python.
    let is_plain = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
    let name = path.to_str().filter(is_plain).map_or_else(|| "FILE".to_owned(), ToOwned::to_owned);
    let lines = format.conversion(&name).into_iter().map(|line| format!("\n  {line}"));
    let more = "\ndocs/from-another-program.md has more routes";
    format!("{}{}{more}", format.remedy(), lines.collect::<String>())
}

/// Returns the remedy for cells that are no map.
fn map_help(path: &Path, is_volume: bool) -> String {
    match is_volume {
        true => "mend the cells in the program that wrote them; cells are numbered from 0".to_owned(),
        false => format!(
            "`heurt repair {} -o NEW.obj` makes a surface of it; faces and vertices are numbered from 0",
            path.display()
        ),
    }
}

/// Returns the remedy for a folder without a mesh file.
fn folder_help(foreign: Option<&Path>) -> String {
    match foreign {
        Some(file) => format!("convert its files first: `heurt inspect {}` has the lines for it", file.display()),
        None => "put mesh files in it, or name the files".to_owned(),
    }
}

/// Returns the remedy for sub-folders that were not searched.
fn or_recursive(sub_folders: usize) -> &'static str {
    if sub_folders > 0 { "; --recursive searches the sub-folders, too" } else { "" }
}

/// Describes a part of a file in words; nothing if the file is one part without a name.
fn part_in(part: &str) -> String {
    if part.is_empty() { String::new() } else { format!(": part `{part}`") }
}
