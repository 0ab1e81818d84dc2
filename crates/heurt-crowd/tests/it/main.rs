//! Tests of crowds.

mod avoidance;
mod cells;
mod exits;
mod floors;
mod flow;
mod flow_shapes;
mod measure;
mod models;
mod outlines;
mod paths;
mod replan;
mod scenarios;
mod social;
mod space;
mod spacing;
mod surface;
mod surface_bodies;
