//! The transform of a COLLADA node: matrix, translate, rotate, scale, lookat and skew, composed in file order.
//!
//! In: a node. Out: a [`Frame`]. Method: `skew` as RenderMan's `RiSkew`, on which COLLADA builds: points move along the
//! second axis by tan(angle) times their coordinate along the first. `lookat` places an object as a camera: it looks
//! along its own −z from the first point to the second.
//! Guarantees: rotations by multiples of 90° are exact; sine, cosine and tangent come from `libm` and are the same
//! everywhere. Cost: O(transforms).

use super::document::{DaeDocument, Id};
use crate::ReadError;
use crate::read::placement::Frame;
use heurt_geometry::{Mat3, Vec3};

/// Composes the transforms of a node.
pub(super) fn of_node(document: &DaeDocument<'_>, node: Id) -> Result<Frame, ReadError> {
    let mut frame = Frame::IDENTITY;
    for element in document.children(node) {
        if let Some((linear, translation)) = one(document, element)? {
            let refused = |cause| ReadError::Pose { place: document.place(element), cause };
            let local = Frame::from_linear(linear, translation).map_err(refused)?;
            frame = if frame.is_identity() { local } else { frame.child(&local).map_err(refused)? };
        }
    }
    Ok(frame)
}

/// Reads one transform; `None` for other elements.
fn one(document: &DaeDocument<'_>, element: Id) -> Result<Option<(Mat3, Vec3)>, ReadError> {
    let shift = |linear| Some((linear, Vec3::ZERO));
    Ok(match document.name(element) {
        "matrix" => Some(matrix(document, element)?),
        "translate" => Some((Mat3::IDENTITY, Vec3::from_array(document.numbers(element)?))),
        "scale" => shift(Mat3::from_diagonal(Vec3::from_array(document.numbers(element)?))),
        "rotate" => {
            let [x, y, z, degrees] = document.numbers(element)?;
            if degrees == 0.0 {
                // Exporters write unused rotations without an axis.
                return Ok(None);
            }
            shift(rotation(axis(document, element, [x, y, z])?, degrees))
        }
        "skew" => {
            let [degrees, ax, ay, az, bx, by, bz] = document.numbers(element)?;
            let [along, toward] = [axis(document, element, [ax, ay, az])?, axis(document, element, [bx, by, bz])?];
            shift(skew(along, toward, degrees))
        }
        "lookat" => Some(look_at(document, element)?),
        _ => None,
    })
}

/// Reads rows of a 4 × 4 matrix.
fn matrix(document: &DaeDocument<'_>, element: Id) -> Result<(Mat3, Vec3), ReadError> {
    let m: [f64; 16] = document.numbers(element)?;
    if m[12..] != [0.0, 0.0, 0.0, 1.0] {
        let last = format!("{} {} {} {}", m[12], m[13], m[14], m[15]);
        return Err(ReadError::syntax(document.place(element), last.as_bytes(), "a last row of 0 0 0 1"));
    }
    let column = |at: usize| Vec3::new(m[at], m[at + 4], m[at + 8]);
    Ok((Mat3::from_cols(column(0), column(1), column(2)), column(3)))
}

/// Normalizes an axis.
fn axis(document: &DaeDocument<'_>, element: Id, axis: [f64; 3]) -> Result<Vec3, ReadError> {
    let axis = Vec3::from_array(axis);
    // Scaled first, so that squares neither overflow nor vanish.
    let size = axis.abs().max_element();
    if size == 0.0 {
        let found = document.text(element).as_bytes();
        return Err(ReadError::syntax(document.place(element), found, "an axis that is not zero"));
    }
    Ok((axis / size).normalize())
}

/// Returns sine and cosine of an angle in degrees; exact for multiples of 90°.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let degrees = degrees % 360.0;
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => libm::sincos(degrees.to_radians()),
    }
}

/// Rotates around a unit axis (Rodrigues' formula).
fn rotation(axis: Vec3, degrees: f64) -> Mat3 {
    let (sin, cos) = sin_cos(degrees);
    let (outer, sine) = (axis * (1.0 - cos), axis * sin);
    Mat3::from_cols(
        outer * axis.x + Vec3::new(cos, sine.z, -sine.y),
        outer * axis.y + Vec3::new(-sine.z, cos, sine.x),
        outer * axis.z + Vec3::new(sine.y, -sine.x, cos),
    )
}

/// Moves points along `toward` by tan(degrees) times their coordinate along `along`.
fn skew(along: Vec3, toward: Vec3, degrees: f64) -> Mat3 {
    let (sin, cos) = sin_cos(degrees);
    let shift = toward * (sin / cos);
    Mat3::from_cols(Vec3::X + shift * along.x, Vec3::Y + shift * along.y, Vec3::Z + shift * along.z)
}

/// Reads an eye, a point of interest and an up direction.
fn look_at(document: &DaeDocument<'_>, element: Id) -> Result<(Mat3, Vec3), ReadError> {
    let numbers: [f64; 9] = document.numbers(element)?;
    let [eye, interest, up] = [0, 3, 6].map(|at| Vec3::new(numbers[at], numbers[at + 1], numbers[at + 2]));
    let back = axis(document, element, (eye - interest).to_array())?;
    let right = axis(document, element, up.cross(back).to_array())?;
    Ok((Mat3::from_cols(right, back.cross(right), back), eye))
}
