//! Tests of crowds.

mod avoidance;
mod measure;
mod models;
mod paths;
mod scenarios;
