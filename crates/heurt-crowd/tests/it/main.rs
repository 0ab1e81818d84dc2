//! Tests of crowds.

mod avoidance;
mod floors;
mod measure;
mod models;
mod paths;
mod scenarios;
mod social;
mod spacing;
