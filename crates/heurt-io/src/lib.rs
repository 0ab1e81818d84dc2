//! Mesh files: bytes in, named parts over shared meshes out, and back.
//!
//! In: the bytes of an OBJ, STL (ASCII, binary), PLY (ASCII, binary of both endiannesses), OFF, glTF, GLB, 3MF or
//! COLLADA file, or of a simulation mesh, whose surface is read. Out: a [`Model`]: meshes, and parts that place them;
//! or a [`ReadError`] with the line, the byte or the item, the value found there and the remedy. Contents that add
//! nothing to the surface are ignored and listed in [`Model::warnings`], unless the reader is strict. [`read_partial`]
//! continues after faulty parts. [`read_edges_obj`] reads edges. Writers: OBJ, STL, PLY, OFF, GLB, 3MF, DXF, SVG, VTU.
//! [`read_volume`] reads tetrahedra, pyramids, prisms and hexahedra from VTK, VTU, Gmsh and MEDIT files, text or
//! binary; cells of higher order by their corners. [`ForeignFormat`] knows formats that are not read, and lines that
//! convert their files. With the feature `plan`, `read_plan` reads floors and streets as polygons with holes, from WKT,
//! OpenStreetMap (XML, PBF) and SVG, and `read_scenario_zip` scenarios of JuPedSim. With the feature `trajectory`,
//! `read_trajectories` and `TrajectoryWriter` read and write the steps of crowds; the features `sqlite` and `parquet`
//! add these formats. Guarantees: no reader panics, recurses without bound, or allocates more than a fixed multiple of
//! its input (counts that a file declares are never trusted; pages of Parquet are the exception); triangles come in
//! file order, polygons triangulated in place, none dropped; decimal text is rounded once, to the nearest `f64`. The
//! same bytes give the same model. Not included: files and paths of models (the caller reads them), materials,
//! normals, colours, animations.
//!
//! The parsers are part of this crate for these reasons: `tobj` 4 and `stl_io` 0.11 report neither line nor offset, and
//! the latter treats a binary file that starts with `solid` as text. `ply-rs-bw` 4 pushes as many elements as an
//! element without properties declares, for any size of the input, and reports no byte offset. `gltf` 1.4 reads
//! transforms as `f32` and subtracts from the GLB length before it is checked. For volume meshes, `mshio` 0.4 reads
//! version 4.1 alone and panics on unknown contents. `vtkio` 0.7 is a release candidate that depends on an XML and a
//! parser library and reports no byte of an error. The crate `threemf` 0.8 unpacks members without a limit, follows no
//! relationship and reports no line. JSON (`serde_json`), XML (`quick-xml`), base64 (`base64`), Deflate (`miniz_oxide`)
//! and CRC-32 (`crc32fast`) come from crates.

mod edges;
mod error;
mod foreign_format;
mod format;
mod length;
mod length_unit;
mod model;
mod points;
mod read;
#[cfg(feature = "trajectory")]
mod trajectory;
mod up_axis;
mod volume_format;
mod warning;
mod write;

pub use edges::{EdgeSource, ObjEdges, read_edges_obj};
pub use error::{Place, ReadError};
pub use foreign_format::ForeignFormat;
pub use format::Format;
pub use length::{Length, LengthError};
pub use length_unit::LengthUnit;
pub use model::{Model, Part, PartFailure, PartialModel};
pub use points::read_points;
#[cfg(feature = "plan")]
pub use read::plan::{
    LonLat, Plan, PlanError, PlanFormat, PlanItem, PlanWarning, PlanWarningKind, RingName, ScenarioArea, ScenarioCount,
    ScenarioJourney, ScenarioPlan, ScenarioStart, parse_wkt_areas, parse_wkt_line, parse_wkt_points, read_plan,
    read_scenario_zip,
};
pub use read::volume::{read_volume, read_volume_noted};
pub use read::{ReadOptions, Resolve, read, read_partial, read_with};
#[cfg(feature = "trajectory")]
pub use trajectory::{
    TrajectoryFile, TrajectoryFormat, TrajectoryHeader, TrajectoryOptions, TrajectoryReadError, TrajectoryRow,
    TrajectoryStep, TrajectoryWriteError, TrajectoryWriter, read_trajectories, read_trajectory_file,
};
pub use up_axis::UpAxis;
pub use volume_format::VolumeFormat;
pub use warning::{Treatment, Warning};
pub use write::{
    CellArray, CellValues, Curve, GridCells, ViewAxis, WriteError, write, write_3mf, write_dxf_faces, write_dxf_facets,
    write_glb, write_gltf, write_obj, write_off, write_ply, write_polylines_dxf, write_polylines_obj,
    write_polylines_svg, write_stl, write_vtu, write_wireframe_dxf, write_wireframe_obj,
};
