//! Tests of heurt-geometry, a topic a module.

mod camera;
mod convex_polygon;
mod hull;
mod interop;
mod motion;
mod passage;
mod pose;
mod predicates;
mod section;
mod triangles;
