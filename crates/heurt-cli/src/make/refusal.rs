//! Errors of generators, in the words of the command line.
//!
//! In: the requested shape, and the error, which gives a function of the library and its parameter. Out: a failure that
//! gives the option of the user.

use crate::Failure;
use crate::output::number;
use heurt::mesh::generate::GenerateError;

/// Returns the failure of making `shape`.
pub(super) fn of(shape: &'static str, error: GenerateError) -> Failure {
    match error {
        GenerateError::Parameter { parameter, value, legal, .. } => parameter_refused(shape, parameter, value, &legal),
        GenerateError::TooManyTriangles { generator, count, max } => {
            Failure::TooManyTriangles { shape, count, max, options: counted_by(shape, generator) }
        }
        other => Failure::Generate(other),
    }
}

fn parameter_refused(shape: &str, parameter: &'static str, value: f64, legal: &str) -> Failure {
    let (option, is_itself) = option_of(shape, parameter);
    // The library takes radians, the command degrees.
    let is_angle = option == "pressure-angle";
    let value = number(if is_angle { value.to_degrees() } else { value });
    let legal = match is_angle && legal.starts_with("a number") {
        true => "11.46 to 29.79 degrees (0.2 to 0.52 radians)".to_owned(),
        false => legal.replace('_', " "),
    };
    let given = match parameter.split_once(' ') {
        _ if !is_itself => format!("makes {} {value}", parameter.replace('_', " ")),
        Some((_, axis)) => format!("{axis} is {value}"),
        None => format!("is {value}"),
    };
    Failure::BadNumber { command: "make SHAPE", option, given, legal }
}

/// Returns the option from which a parameter comes, and whether it is that very number.
fn option_of(shape: &str, parameter: &'static str) -> (String, bool) {
    let is_segments = parameter.ends_with("segments");
    match (shape, parameter.split(' ').next().unwrap_or(parameter)) {
        ("torus knot", "tube_segments") => ("tube-segments".to_owned(), true),
        ("torus knot", "ring_radius") => ("r0".to_owned(), true),
        ("torus knot", "winding_radius") => ("r1".to_owned(), true),
        ("torus knot", "tube_radius") => ("tube".to_owned(), true),
        _ if is_segments => ("segments".to_owned(), parameter == "segments"),
        (_, "volume") => ("volume".to_owned(), true),
        ("cube", _) => ("radius".to_owned(), false),
        ("bolt", "shank_diameter") => ("diameter".to_owned(), true),
        ("bolt", "length") => ("length".to_owned(), true),
        ("bolt" | "nut" | "washer", _) => ("diameter".to_owned(), false),
        ("superellipsoid", "radius") => ("radii".to_owned(), true),
        ("bracket", "length" | "width" | "height") => ("size".to_owned(), false),
        ("gear", "bore_diameter") => ("bore".to_owned(), true),
        ("gear", "pressure_angle_rad") => ("pressure-angle".to_owned(), true),
        (_, "circumradius") => ("radius".to_owned(), true),
        (_, other) => (other.replace('_', "-"), true),
    }
}

/// Returns the options that define the number of triangles.
fn counted_by(shape: &str, generator: &str) -> &'static str {
    match (generator, shape) {
        ("subdivided", _) => "--subdivide",
        (_, "field") => "--triangles",
        (_, "icosphere") => "--levels",
        (_, "plate") => "--holes or --segments",
        (_, "torus knot") => "--segments or --tube-segments",
        (_, "gear") => "--teeth or --segments",
        (_, "wavy disc") => "--waves, --segments or --bands",
        _ => "--segments or --triangles",
    }
}
