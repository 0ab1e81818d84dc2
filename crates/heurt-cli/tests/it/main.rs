//! Tests of heurt-cli, a topic a module.

mod bad_input;
mod bench_world;
mod check;
mod check_assembly;
mod check_select;
mod control;
mod corpus;
mod crowd;
mod crowd_space;
mod crowd_surface;
mod decompose;
mod deform;
#[cfg(unix)]
mod docs;
mod golden_pictures;
mod hostile;
mod hull;
#[cfg(all(unix, feature = "view"))]
mod live;
#[cfg(all(unix, feature = "view"))]
mod live_crowd;
mod map;
mod other_files;
mod output;
#[cfg(unix)]
mod page_build;
mod pictures;
mod printing;
mod query;
mod query_distances;
mod query_matrix;
mod query_named;
mod query_shapes;
mod query_solids;
mod query_trees;
mod repair;
mod response_scenes;
mod run;
mod run_contacts;
mod run_problem;
mod run_response;
mod schemas;
mod simplify;
mod solid;
mod solid_trees;
mod support;
mod targets;
mod tune;
