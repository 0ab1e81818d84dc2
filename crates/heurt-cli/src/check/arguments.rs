//! The arguments of `heurt check`.

use super::picture::ClashPictureArguments;
use crate::length_option::{LengthArgument, length_of_at_least_0};
use crate::reading::{ReadArguments, Split, WeldArgument};
use crate::threads;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  heurt check bolt.stl block.stl                        two parts where they are
  heurt check bolt.stl block.stl --pose-a 0,0,10 --unit mm   the bolt one centimetre higher, lengths in mm
  heurt check a.obj b.obj --pose-b 0,0,1,0,0,0.6,0.8    moved and rotated (quaternion x,y,z,w)
  heurt check parts/ --pose 'bolt*'='{\"translation\":[0,0,5],\"rpy_deg\":[0,90,0]}'
  heurt check gearbox.glb                               all pairs of parts of an assembly
  heurt check assembly.toml                             files with poses, scales, units and copies (see below)
  heurt check parts/ --recursive --csv > clashes.csv    all meshes of a folder and its sub-folders
  heurt check parts/ --clearance 0.5 --tolerance 0.01   near pairs, too; no clashes up to a depth of 0.01
  heurt check car.glb --of 'engine/*' --against 'body/*'   one set against another
  heurt check car.glb --ignore threads.txt --baseline old.json   known pairs left out; what is new since then?
  heurt check *.stl --ignore-touching --contours clash.dxf --clashes clash.glb
  heurt check drill.stl block.stl --motion 0,0,-0.02    what does the drill meet, and when?
  heurt check gearbox.glb --moving 'dowel pin' --motion 0,0,0.2   does it come out?

A length is a number in the unit of the table, or a number with its unit: 0.5mm, 2in, 1e-3m, 3cm, 1ft, 20um; so are x, y
and z of a pose and of a straight --motion. It is refused if no file declares a unit and neither --unit nor --file-unit names one.

Kinds:
  clash      surfaces meet, and pass through each other or bound insides that overlap
  inside     no surfaces meet, but one part lies inside the other, which is closed and so solid
  touching   surfaces meet, and nothing of one part was found to lie in the other
  duplicate  both parts fill the same space, exactly or nearly: one was inserted twice
  near       (with --clearance) no point in common, and nearer than the clearance

depth is local: how deep the surface of one part lies in the other, at most; of both parts the smaller one. A pin 0.2 mm
too thick in its hole has 0.2 mm. Both bounds are proved; a row that shows only an upper bound (≤) is sorted by it. Moving
b as far, and in the direction, as the next column shows separates the two parts, which is proved, too.

Round parts that fit exactly overlap as meshes, since each is tessellated in its own way. A depth marked ~ is within that
error, estimated from the angles between facets, or twice --chord-tolerance: the true surfaces may only touch.
--tolerance leaves out what is proved to be no deeper.

An assembly file (TOML; JSON with the same keys):
  unit = \"mm\"                # of poses and spacings, and of files that declare none; optional
  [[part]]
  file = \"bolt.stl\"          # paths begin from the folder of the assembly file
  name = \"bolt\"              # optional
  pose = { translation = [0, 0, 10], rpy_deg = [0, 90, 0] }   # or rotation = [x,y,z,w], axis with angle or angle_deg, rpy; or matrix
  scale = [1, -1, 1]         # optional: a number or one along each axis; negative mirrors
  unit = \"in\"                # optional: the unit of this file
  part = \"engine/*\"          # optional: these parts of the file only
  count = 4                  # optional, with spacing = [x, y, z]

A list for --ignore has a pair of patterns a line, as `bolt*,nut*`, or one pattern; a line that starts with # is a remark. In patterns * is any
text and ? any character.

With --motion, parts are followed along a path: when each first meets another (never reported late), and where. Parts that
meet at the start are reported with the time at which they separate; what they meet after that is reported, too.
A path is x,y,z (in the unit of length, in a second) or a segment or a list of segments, in JSON or as @file:
  {\"velocity\":[x,y,z],\"acceleration\":[x,y,z],\"angular_velocity\":[x,y,z],\"pivot\":[x,y,z],\"duration\":s}
  {\"to\":[x,y,z],\"duration\":s}
in lengths, rad and seconds, in the frame of the assembly; the pivot is on the axis as the segment begins and moves with the
velocity; where none is given it is the origin of the first moved part. `to` is a waypoint of that origin.

Exit status: 0 no interference, 1 interference (with --baseline: a new or changed one), 2 bad input, or one part alone (what
could be read is still checked and reported). --exit-zero makes 1 a 0.";

/// Checks which parts interfere, how deep, and where.
///
/// Give two mesh files, many, folders, an assembly (GLB, glTF, 3MF) or an assembly file (TOML, JSON); every pair of
/// parts is checked. The deepest interference comes first.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) assembly: AssemblyArguments,
    /// Decides what is inside an open part: not at all, or by the generalised winding number at 1/2, which is not
    /// exact.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SolidArgument::Closed)]
    pub(crate) solid: SolidArgument,
    /// Walks the tree that `heurt tune` found fastest; the report is the same.
    #[arg(long, value_name = "FILE")]
    pub(crate) tree: Option<PathBuf>,
    /// Reports pairs nearer than this, too, with their gap and nearest points.
    #[arg(long, value_name = "LENGTH", value_parser = length_of_at_least_0, allow_hyphen_values = true,
        conflicts_with = "motion")]
    pub(crate) clearance: Option<LengthArgument>,
    /// Leaves out interferences that are proved to be no deeper than this.
    #[arg(long, visible_alias = "min-depth", value_name = "LENGTH", value_parser = length_of_at_least_0, allow_hyphen_values = true,
        conflicts_with_all = ["motion", "no_depth"])]
    pub(crate) tolerance: Option<LengthArgument>,
    /// States how far the facets of a part are from its true surface, instead of an estimate from the angles between
    /// them: depths and gaps within the error of both parts are marked.
    #[arg(long, value_name = "LENGTH", value_parser = length_of_at_least_0, allow_hyphen_values = true,
        conflicts_with_all = ["motion", "no_depth"])]
    pub(crate) chord_tolerance: Option<LengthArgument>,
    /// Leaves out interferences that share less than this volume, in the cube of the unit of length; computes volumes.
    #[arg(long, value_name = "VOLUME", value_parser = volume, conflicts_with = "motion")]
    pub(crate) min_volume: Option<f64>,
    /// Computes no depths: the list is in the order of the parts.
    #[arg(long, conflicts_with = "motion")]
    pub(crate) no_depth: bool,
    /// Checks only pairs with one part of this name or pattern; repeat it for more.
    #[arg(long, value_name = "PATTERN", conflicts_with = "motion")]
    pub(crate) of: Vec<String>,
    /// Checks only pairs whose second part has this name or matches this pattern; repeat it for more.
    #[arg(long, value_name = "PATTERN", requires = "of")]
    pub(crate) against: Vec<String>,
    /// Leaves out the pairs that this file lists: threads, press fits.
    #[arg(long, value_name = "FILE", conflicts_with = "motion")]
    pub(crate) ignore: Option<PathBuf>,
    /// Compares with an earlier report (of --json): what is new, changed, gone?
    #[arg(long, value_name = "FILE.json", conflicts_with = "motion")]
    pub(crate) baseline: Option<PathBuf>,
    /// Moves parts along this path: x,y,z, or JSON, or @file.
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, conflicts_with_all = ["contours", "tree"])]
    pub(crate) motion: Option<String>,
    /// Names a part that moves, or a pattern of parts; repeat it for more, which move together. The default is the
    /// first of two inputs.
    #[arg(long, value_name = "PART", requires = "motion")]
    pub(crate) moving: Vec<String>,
    /// Leaves out pairs that only touch: no piece of one part lies inside its partner.
    #[arg(long)]
    pub(crate) ignore_touching: bool,
    /// Writes the curves in which surfaces meet, as .obj, .dxf or .svg: a layer or group for each pair.
    #[arg(long, value_name = "FILE")]
    pub(crate) contours: Option<PathBuf>,
    /// Writes single points in which surfaces touch into the contours, too.
    #[arg(long, requires = "contours")]
    pub(crate) contour_points: bool,
    /// Writes the parts that interfere to .glb or any other mesh format, coloured by kind where the format has colours;
    /// with --motion, the moved parts where they first meet another part.
    #[arg(long, value_name = "FILE")]
    pub(crate) clashes: Option<PathBuf>,
    /// Computes the solid that the parts of each interference share: its volume and its extent.
    #[arg(long, conflicts_with = "motion")]
    pub(crate) volumes: bool,
    /// Writes these solids to .glb or any other mesh format; computes them, too.
    #[arg(long, value_name = "FILE", conflicts_with = "motion")]
    pub(crate) solids: Option<PathBuf>,
    /// Writes a report as one HTML file, which opens in a browser from disk: the parts in 3D, the findings, the faults.
    #[arg(long, value_name = "FILE.html", conflicts_with = "motion")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) picture: ClashPictureArguments,
    /// Prints JSON: parts, interferences, failures, warnings, counts.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Prints CSV, a line for each interference.
    #[arg(long)]
    pub(crate) csv: bool,
    /// Lists at most this many interferences in the table.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Lists all interferences in the table.
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all_pairs: bool,
    /// Ends with status 0 also where parts interfere; bad input is still 2.
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Works on this many threads; 0 is one for each core. The report is the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    pub(crate) threads: Option<u16>,
    /// Prints no table and no progress: the exit status reports.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The parts and their places, which all commands that load an assembly share.
#[derive(Debug, Args)]
pub(crate) struct AssemblyArguments {
    /// Mesh files, assemblies, assembly files or folders of mesh files.
    #[arg(required = true, value_name = "FILE_OR_FOLDER")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Places the first of two inputs: x,y,z or x,y,z,qx,qy,qz,qw or JSON or @file.
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pub(crate) pose_a: Option<String>,
    /// Places the second of two inputs.
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pub(crate) pose_b: Option<String>,
    /// Moves the parts of a name or pattern; repeat it for more.
    #[arg(long = "pose", value_name = "NAME=POSE")]
    pub(crate) poses: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
    /// Refuses files that hold anything unknown, instead of skipping it with a warning.
    #[arg(long)]
    pub(crate) strict: bool,
}

impl AssemblyArguments {
    /// Returns the first option that was given, if one was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let reading = &self.reading;
        let given = [
            ("pose-a", self.pose_a.is_some()),
            ("pose-b", self.pose_b.is_some()),
            ("pose", !self.poses.is_empty()),
            ("unit", reading.unit.is_some()),
            ("file-unit", reading.file_unit.is_some()),
            ("weld", reading.weld != WeldArgument::Auto),
            ("split", reading.split != Split::File),
            ("recursive", reading.recursive),
            ("strict", self.strict),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

/// How shapes are built from the meshes of an assembly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuildOptions<'a> {
    pub(crate) solid: SolidArgument,
    /// The file of a tree.
    pub(crate) tree: Option<&'a Path>,
    /// No progress is shown.
    pub(crate) quiet: bool,
}

impl CheckArguments {
    /// Returns how shapes are built.
    pub(crate) fn build_options(&self) -> BuildOptions<'_> {
        BuildOptions { solid: self.solid, tree: self.tree.as_deref(), quiet: self.quiet }
    }

    /// Returns how many interferences a table lists at most.
    pub(crate) fn rows(&self) -> usize {
        if self.all_pairs { usize::MAX } else { self.limit }
    }
}

/// The rule by which a part is a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolidArgument {
    /// A closed surface, decided exactly.
    Closed,
    /// Also an open one: inside is where its generalised winding number is at least 1/2.
    Winding,
}

/// Reads a volume of at least 0.
fn volume(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(volume) if volume >= 0.0 && volume.is_finite() => Ok(volume),
        _ => Err("give a finite volume of at least 0".to_owned()),
    }
}
