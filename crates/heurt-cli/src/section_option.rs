//! `--section`: the plane that cuts a picture open.
//!
//! In: `x`, `x=12.5mm`, `1,0,1=3`, or `x@2` in a check. Out: a [`SectionPlane`]. The side of the viewer is taken away.

use crate::Failure;
use crate::length_option::LengthArgument;
use crate::picture::PictureArguments;
use crate::units::Units;
use heurt::geometry::{Aabb, Vec3};
use heurt::view::palette::{CLASH, Colour};
use heurt::view::picture::{Drawing, SectionPlane};
use std::str::FromStr;

/// A plane as the option gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SectionArgument {
    normal: Vec3,
    place: SectionPlace,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum SectionPlace {
    /// Through the middle of everything.
    Middle,
    /// At a distance from the origin along the normal.
    At(LengthArgument),
    /// Through the place of a finding, by its number in the table.
    Finding(usize),
}

impl FromStr for SectionArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let at = |place: &str| match place.trim().parse::<LengthArgument>() {
            Ok(length) if length.0.value.is_finite() => Ok(SectionPlace::At(length)),
            Ok(_) => Err("the place of the plane is not finite".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let finding = |number: &str| match number.trim().parse::<usize>() {
            Ok(number) if number > 0 => Ok(SectionPlace::Finding(number)),
            _ => Err(format!("`{number}` is no row of the table: give a number from 1")),
        };
        let (normal, place) = match (text.split_once('='), text.split_once('@')) {
            (Some((normal, place)), _) => (normal, at(place)?),
            (None, Some((normal, number))) => (normal, finding(number)?),
            (None, None) => (text, SectionPlace::Middle),
        };
        let normal =
            normal_of(normal.trim()).ok_or("give x, y or z, or a normal as 1,0,1; then =LENGTH, as x=12.5mm")?;
        Ok(Self { normal, place })
    }
}

fn normal_of(text: &str) -> Option<Vec3> {
    match text {
        "x" | "X" => return Some(Vec3::X),
        "y" | "Y" => return Some(Vec3::Y),
        "z" | "Z" => return Some(Vec3::Z),
        _ => {}
    }
    let numbers: Vec<f64> = text.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    let [x, y, z] = *numbers else { return None };
    let normal = Vec3::new(x, y, z);
    (normal.is_finite() && normal.normalize_or_zero() != Vec3::ZERO).then_some(normal)
}

impl SectionArgument {
    /// Returns the plane for a picture of a box; `finding` has the places of findings by their number from 1.
    fn plane(
        &self,
        units: Units,
        bounds: &Aabb,
        finding: &dyn Fn(usize) -> Option<Vec3>,
    ) -> Result<SectionPlane, Failure> {
        let normal = self.normal.normalize();
        let offset = match self.place {
            SectionPlace::Middle if bounds.is_empty() => 0.0,
            SectionPlace::Middle => normal.dot(bounds.centre()),
            SectionPlace::At(length) => length.in_units("--section", units)?,
            SectionPlace::Finding(number) => {
                let refuse = || Failure::NoSection { reason: format!("there is no row {number} to cut through") };
                normal.dot(finding(number).ok_or_else(refuse)?)
            }
        };
        let refuse = || Failure::NoSection { reason: "the plane is beyond the range of numbers".to_owned() };
        SectionPlane::new(normal, offset).ok_or_else(refuse)
    }
}

/// Cuts a drawing open as the arguments want it, if they do; overlaps have the colour of clashes.
pub(crate) fn cut_open(
    drawing: &mut Drawing,
    arguments: &PictureArguments,
    (bounds, up): (&Aabb, Vec3),
    units: Units,
) -> Result<(), Failure> {
    cut_findings_open(drawing, arguments, (bounds, up), units, (&|_| None, &|_, _| CLASH))
}

/// The places of findings by their number from 1, and the colours of the overlaps of two items.
type CutFindings<'f> = (&'f dyn Fn(usize) -> Option<Vec3>, &'f dyn Fn(usize, usize) -> Colour);

/// Cuts a drawing with findings open as the arguments want it, if they do.
pub(crate) fn cut_findings_open(
    drawing: &mut Drawing,
    arguments: &PictureArguments,
    (bounds, up): (&Aabb, Vec3),
    units: Units,
    (place, colour): CutFindings<'_>,
) -> Result<(), Failure> {
    let Some(section) = arguments.section else { return Ok(()) };
    let forward = arguments.camera(bounds, up, arguments.size())?.view.forward();
    let plane = section.plane(units, bounds, place)?;
    drawing.cut_open(&plane.facing(forward), colour);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_read_in_each_form() {
        let read = |text: &str| text.parse::<SectionArgument>();
        assert_eq!(read("x").unwrap(), SectionArgument { normal: Vec3::X, place: SectionPlace::Middle });
        assert_eq!(read("z@3").unwrap(), SectionArgument { normal: Vec3::Z, place: SectionPlace::Finding(3) });
        let slanted = read("1, 0,1=-2.5mm").unwrap();
        assert_eq!(slanted.normal, Vec3::new(1.0, 0.0, 1.0));
        assert!(matches!(slanted.place, SectionPlace::At(length) if length.0.value == -2.5));
        for wrong in ["", "w", "x=", "x=nan", "x@0", "x@-1", "0,0,0", "1,2=3", "x=3parsec"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
