//! Tests of crowds.

mod avoidance;
mod floors;
mod flow;
mod flow_shapes;
mod measure;
mod models;
mod paths;
mod scenarios;
mod social;
mod spacing;
