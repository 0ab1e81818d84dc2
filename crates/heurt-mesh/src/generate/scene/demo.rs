//! Demonstration assembly, which `heurt` checks without arguments: two shafts with gears on brackets on a base plate.
//!
//! Out: an [`Assembly`] with millimetre-like dimensions in metres, z up. The faults, which its interferences list: the
//! rows of holes in the base plate have a distance of 51.7 mm, but the gears need 52 mm. The pair without backlash
//! clashes; the pair with 0.25 mm on each tooth is still free. One bolt is an M10 in a 9 mm hole and clashes with
//! bracket and plate. A dowel pin is wholly inside a block without a hole. A washer lies flat on the plate: they touch,
//! bit for bit in one plane, also after a file of `f32` vertices. All other pairs have a small gap.

use super::assembly::{Assembly, Relation};
use crate::generate::{
    GenerateError, bracket, cuboid, cylinder, gear, metric_bolt, metric_nut, metric_washer, plate, superellipsoid,
    torus,
};
use heurt_geometry::{Mat3, Pose, Vec3};
use std::f64::consts::{FRAC_PI_2, PI};

/// One millimetre, in metres.
const MM: f64 = 1e-3;
/// Distance of the two shafts: the rows of holes of the plate.
const ROW: f64 = 51.7 * MM;
/// Distance of neighbouring columns of holes.
const COLUMN: f64 = 60.0 * MM;
/// Thickness of the base plate; its top lies at this height. An `f32` holds it, so that what lies on the plate does so
/// in formats of `f32`, too.
const PLATE: f64 = 0.012_f32 as f64;
/// Gap between parts that lie on each other, in metres.
const AIR: f64 = 0.02 * MM;
/// Length, width, height and thickness of a bracket.
const BRACKET: [f64; 3] = [60.0 * MM, 50.0 * MM, 80.0 * MM];
const BRACKET_THICKNESS: f64 = 8.0 * MM;
/// Height of the shafts above the plate's lower face.
const SHAFT_HEIGHT: f64 = PLATE + AIR + (BRACKET_THICKNESS + BRACKET[2]) / 2.0;
/// The steps of a circle, a number that the holes' clearances allow for.
const SEGMENTS: u32 = 48;
/// Twenty degrees.
const PRESSURE_ANGLE: f64 = PI / 9.0;

/// Makes the demonstration assembly: 26 parts over 14 meshes, five interferences.
///
/// ```
/// use heurt_mesh::generate;
/// let gearbox = generate::demo_assembly()?;
/// assert!(gearbox.triangles() > 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None in fact: all dimensions are legal. The type is the error type of the generators that it calls.
pub fn demo_assembly() -> Result<Assembly, GenerateError> {
    let mut assembly = Assembly::empty();
    let size = [4.0 * COLUMN, 3.0 * ROW, PLATE];
    let mesh = assembly.mesh(plate(size, [4, 3], 9.0 * MM, SEGMENTS)?);
    let base = assembly.part("base plate", mesh, Pose::IDENTITY);
    let brackets = add_brackets(&mut assembly)?;
    add_bolts(&mut assembly, base, brackets[3])?;
    add_shafts(&mut assembly)?;
    add_gears(&mut assembly)?;
    add_loose_parts(&mut assembly)?;
    assembly.interferences.sort_unstable();
    Ok(assembly)
}

/// Adds four brackets; each has its base hole over a hole of the plate, its wall hole around a shaft.
fn add_brackets(assembly: &mut Assembly) -> Result<[usize; 4], GenerateError> {
    let mesh = assembly.mesh(bracket(BRACKET, BRACKET_THICKNESS, Some(9.0 * MM), Some(20.0 * MM), SEGMENTS)?);
    let reach = COLUMN / 2.0 + (BRACKET_THICKNESS + BRACKET[0]) / 2.0;
    let half_turn = Mat3::from_cols(Vec3::NEG_X, Vec3::NEG_Y, Vec3::Z);
    let sites =
        [("front left", -1.0, 0.0), ("front right", 1.0, 0.0), ("rear left", -1.0, ROW), ("rear right", 1.0, ROW)];
    Ok(sites.map(|(name, side, y)| {
        let rotation = if side < 0.0 { Mat3::IDENTITY } else { half_turn };
        let pose = placed(rotation, Vec3::new(side * reach, y, PLATE + AIR));
        assembly.part(format!("bracket {name}"), mesh, pose)
    }))
}

/// Adds three M8 bolts with washer and nut through bracket and plate, and one M10, too thick for the hole.
fn add_bolts(assembly: &mut Assembly, base: usize, last_bracket: usize) -> Result<(), GenerateError> {
    let bolt = assembly.mesh(metric_bolt(8.0 * MM, 32.0 * MM, SEGMENTS)?);
    let washer = assembly.mesh(metric_washer(8.0 * MM, SEGMENTS)?);
    let nut = assembly.mesh(metric_nut(8.0 * MM, SEGMENTS)?);
    let thick = assembly.mesh(metric_bolt(10.0 * MM, 30.0 * MM, SEGMENTS)?);
    let top = PLATE + BRACKET_THICKNESS + 2.0 * AIR;
    let half = COLUMN / 2.0;
    for (name, x, y) in [("front left", -half, 0.0), ("front right", half, 0.0), ("rear left", -half, ROW)] {
        let at = |z: f64| moved(Vec3::new(x, y, z));
        assembly.part(format!("washer M8 {name}"), washer, at(top));
        assembly.part(format!("bolt M8 {name}"), bolt, at(top + 1.6 * MM + AIR));
        assembly.part(format!("nut M8 {name}"), nut, at(-6.8 * MM - AIR));
    }
    let wrong = assembly.part("bolt M10 rear right", thick, moved(Vec3::new(half, ROW, top)));
    assembly.interfere(base, wrong, Relation::Crossing);
    assembly.interfere(last_bracket, wrong, Relation::Crossing);
    let column = Vec3::new(-1.5 * COLUMN, -ROW, PLATE);
    let flat = assembly.part("washer M8 on plate", washer, moved(column));
    assembly.interfere(base, flat, Relation::Touching);
    Ok(())
}

/// Adds two shafts of 19.8 mm in holes of 20 mm.
fn add_shafts(assembly: &mut Assembly) -> Result<(), GenerateError> {
    let shaft = assembly.mesh(cylinder(9.9 * MM, 90.0 * MM, SEGMENTS)?);
    for (name, y) in [("shaft front", 0.0), ("shaft rear", ROW)] {
        assembly.part(name, shaft, placed(z_to_x(), Vec3::new(0.0, y, SHAFT_HEIGHT)));
    }
    Ok(())
}

/// Adds a pair of 30 and 22 teeth without backlash, which clashes, and a pair of 26 teeth each with backlash, which
/// does not.
fn add_gears(assembly: &mut Assembly) -> Result<(), GenerateError> {
    let make = |teeth, backlash| gear(teeth, 2.0 * MM, PRESSURE_ANGLE, backlash, 12.0 * MM, 20.0 * MM, 4);
    let wheel = assembly.mesh(make(30, 0.0)?);
    let pinion = assembly.mesh(make(22, 0.0)?);
    let free = assembly.mesh(make(26, 0.25 * MM)?);
    // Seen along the shafts, +y is a gear's own angle of 90 degrees: a tooth of the front gear points there, into a gap
    // of the rear one.
    let front = |x: f64| turned(FRAC_PI_2, Vec3::new(x, 0.0, SHAFT_HEIGHT));
    let rear = |x: f64, teeth: f64| turned(PI / teeth - FRAC_PI_2, Vec3::new(x, ROW, SHAFT_HEIGHT));
    let one = assembly.part("wheel 30 teeth", wheel, front(-14.0 * MM));
    let other = assembly.part("pinion 22 teeth", pinion, rear(-14.0 * MM, 22.0));
    assembly.interfere(one, other, Relation::Crossing);
    assembly.part("gear 26 teeth front", free, front(2.0 * MM));
    assembly.part("gear 26 teeth rear", free, rear(2.0 * MM, 26.0));
    Ok(())
}

/// Adds a block with a pin inside, a ring around a shaft, a knob in the air.
fn add_loose_parts(assembly: &mut Assembly) -> Result<(), GenerateError> {
    let block = assembly.mesh(cuboid([12.0 * MM, 12.0 * MM, 15.0 * MM])?);
    let pin = assembly.mesh(cylinder(4.0 * MM, 10.0 * MM, SEGMENTS)?);
    let centre = Vec3::new(1.5 * COLUMN, -ROW, PLATE + AIR + 15.0 * MM);
    let outer = assembly.part("block", block, moved(centre));
    let inner = assembly.part("dowel pin", pin, moved(centre));
    assembly.interfere(outer, inner, Relation::Contained { inner });
    let ring = assembly.mesh(torus(16.0 * MM, 4.0 * MM, SEGMENTS, 24)?);
    assembly.part("grip ring", ring, placed(z_to_x(), Vec3::new(80.0 * MM, 0.0, SHAFT_HEIGHT)));
    let knob = assembly.mesh(superellipsoid([12.0 * MM, 12.0 * MM, 8.0 * MM], 0.4, 0.4, SEGMENTS)?);
    assembly.part("knob", knob, moved(Vec3::new(-COLUMN, -ROW, 40.0 * MM)));
    Ok(())
}

/// Returns the rotation that lays an axis z along x, with exact entries.
fn z_to_x() -> Mat3 {
    Mat3::from_cols(Vec3::NEG_Z, Vec3::Y, Vec3::X)
}

/// Returns a gear's pose: rotated by `angle` around its own axis, which is laid along x.
fn turned(angle: f64, translation: Vec3) -> Pose {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let about_z = Mat3::from_cols(Vec3::new(cos, sin, 0.0), Vec3::new(-sin, cos, 0.0), Vec3::Z);
    placed(z_to_x() * about_z, translation)
}

fn moved(translation: Vec3) -> Pose {
    Pose::from_translation(translation).expect("the demonstration's translations are finite")
}

fn placed(rotation: Mat3, translation: Vec3) -> Pose {
    Pose::from_matrix(rotation, translation).expect("the demonstration's rotations are orthonormal")
}
