//! The arguments of `heurt check`.

use crate::threads;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt check bolt.stl block.stl                        two parts where they stand
  heurt check bolt.stl block.stl --pose-a 0,0,0.01      the bolt one centimetre higher
  heurt check a.obj b.obj --pose-b 0,0,1,0,0,0.6,0.8    moved and turned (quaternion x,y,z,w)
  heurt check a.obj b.obj --pose-b @pose.json           as in a file: {\"translation\":[…],\"rotation\":[…]}
  heurt check gearbox.glb                               all pairs of parts of an assembly
  heurt check parts/ --csv > clashes.csv                all meshes of a folder
  heurt check *.stl --ignore-touching --contours clash.dxf
  heurt check drill.stl block.stl --motion 0,0,-0.02    what does the drill meet, and when?
  heurt check gearbox.glb --moving 'dowel pin' --motion 0,0,0.2   does it come out?

What is found:
  clash      surfaces meet, and pass through each other or bound insides that overlap
  inside     no surfaces meet, but one part lies inside the other, which is closed and so solid
  touching   surfaces meet, and nothing of one part was found to lie in the other

With --motion, parts are followed on their way: when each first meets another (never told late), and where. Parts that
meet as they stand are told with the time at which they were first found apart; what they meet after that is told, too.
A way is x,y,z (metres, in a second) or a leg or a list of legs, in JSON or as @file, one after the other:
  {\"velocity\":[x,y,z],\"angular_velocity\":[x,y,z],\"pivot\":[x,y,z],\"duration\":s}
in m/s, rad/s and seconds, in the frame of the assembly; the pivot is on the axis as the leg begins and moves with the
velocity; where none is given it is the origin of the first moved part.

Exit status: 0 no interference, 1 interference, 2 bad input (what could be read is still checked and reported).";

/// Checks which parts interfere, and where.
///
/// Give two mesh files, many, a folder of them, or an assembly (GLB, glTF); every pair of parts is checked. OBJ, STL, PLY
/// and OFF files are one part each, every mesh node of a glTF scene is one. Coordinates are taken as metres.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct CheckArguments {
    /// Mesh files, assemblies or folders of mesh files.
    #[arg(required = true, value_name = "FILE_OR_FOLDER")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Places the first of two inputs: x,y,z or x,y,z,qx,qy,qz,qw or JSON or @file.
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pub(crate) pose_a: Option<String>,
    /// Places the second of two inputs.
    #[arg(long, value_name = "POSE", allow_hyphen_values = true)]
    pub(crate) pose_b: Option<String>,
    /// Walks the tree that `heurt tune` found fastest; the report is the same.
    #[arg(long, value_name = "FILE")]
    pub(crate) tree: Option<PathBuf>,
    /// Moves parts along this way: x,y,z in metres, or JSON, or @file.
    #[arg(long, value_name = "WAY", allow_hyphen_values = true, conflicts_with_all = ["contours", "tree"])]
    pub(crate) motion: Option<String>,
    /// Names a part that moves; give it again for more, which move together. Of two inputs, the first moves if none is named.
    #[arg(long, value_name = "PART", requires = "motion")]
    pub(crate) moving: Vec<String>,
    /// Leaves out pairs that only touch: nothing of one part lies in the other.
    #[arg(long)]
    pub(crate) ignore_touching: bool,
    /// Writes the curves in which surfaces meet, as .obj or .dxf.
    #[arg(long, value_name = "FILE")]
    pub(crate) contours: Option<PathBuf>,
    /// Prints JSON: parts, interferences, failures, counts.
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
    /// Works on this many threads; 0 is one for each core. The report is the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    pub(crate) threads: Option<u16>,
    /// Prints no table and no progress: the exit status tells.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
