//! Scenes, shapes and requests as text: TOML and JSON in, worlds and answers out.
//!
//! [`QuerySession`] answers the requests of `heurt query`, line by line. [`Scene`] reads the scenes of `heurt run` and
//! makes a world of them. [`ContactLog`] has the contacts of a run, [`write_trace_line`] a line for each step, and
//! [`parse_record`] reads a run that was recorded. [`parse_problem`] reads a contact problem to be solved.
//! [`guideline`] has the tests of guidelines for evacuations.
//! [`describe`] has the readers of fields, poses and shapes of both, for texts of other kinds. Files that a text names
//! are read through [`SceneFiles`].
//!
//! In: text. Out: answers as text, worlds, or an error that names line, field, value and remedy.
//! Guarantees: no text panics or is read without a bound on its nesting; the same text and files give the same bytes,
//! for any number of threads, `micros` of statistics and budgets in microseconds aside.
//!
//! ```
//! use heurt_scene::{DiskFiles, Scene, ShapeStore};
//! use std::path::Path;
//!
//! let text = r#"
//!     [world]
//!     step = 0.01
//!     [[body]]
//!     name = "floor"
//!     kind = "static"
//!     shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
//!     [[body]]
//!     name = "ball"
//!     shape = { type = "sphere", radius = 0.5 }
//!     pose = [0, 0, 1]
//! "#;
//! let store = ShapeStore::new(DiskFiles, 1, None)?;
//! let scene = Scene::read(text, Path::new("."), &store)?;
//! let step = scene.step;
//! let (mut world, names) = scene.build()?;
//! for _ in 0..100 {
//!     world.step(step)?;
//! }
//! let (_, ball) = world.bodies().nth(1).expect("two bodies");
//! assert_eq!(names.bodies, ["floor", "ball"]);
//! assert!((ball.pose.translation().z - 0.5).abs() < 0.01, "it lies on the floor");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod crowd;
pub mod describe;
mod files;
mod problem;
mod query;
mod run;
mod scene;

pub use crowd::guideline::{
    self, GasMixture, Guideline, GuidelineOutcome, GuidelineResult, GuidelineSettings, GuidelineTest, guideline_files,
    smoke_pace,
};
pub use crowd::{
    CrowdReportJson, CrowdRunFacts, CrowdScene, OUTLINE_HEADER, ScenarioScene, SpaceScene, SurfaceScene, SurveyFault,
    SurveyPlace, outline_rows, read_scenario_scene, scene_of_scenario, space_trajectory_header, space_trajectory_step,
    surface_outline_rows, surface_trajectory_header, surface_trajectory_step, survey_file, trajectories_in_plan,
    trajectory_header, trajectory_step,
};
pub use describe::ShapeStore;
pub use files::{
    Buffers, DiskFiles, FileError, FileNote, LONGEST_TREE, MapFile, MapFileError, NameFault, NameIndex, NamePattern,
    Preparation, PrepareError, ReadSettings, SceneFiles, TreeTextError, foreign_format_of, format_of, line_of, open,
    parse_file, parse_map, parse_tree, prepare, read_map, read_model, read_tree, read_up_to, require_file, tree_text,
};
pub use problem::{ProblemTextError, parse_problem, problem_text};
pub use query::{AnswerLine, CountJson, FaultJson, QuerySession};
pub use run::{
    ContactEvent, ContactInterval, ContactLog, PairId, RecordHeader, RecordStep, RecordTextError, TraceError,
    TraceOptions, hash_text, parse_record, write_trace_line,
};
pub use scene::{Scene, SceneNames};
