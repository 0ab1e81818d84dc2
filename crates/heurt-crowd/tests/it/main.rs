//! Tests of crowds.

mod floors;
mod measure;
mod models;
mod paths;
mod scenarios;
