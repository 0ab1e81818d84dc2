//! Masses of dynamic bodies: from `density`, from `mass`, or from `mass` and `inertia`.

use crate::describe::display::number;
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use heurt_geometry::{Mat3, Vec3};
use heurt_shape::Shape;
use heurt_world::{Mass, MassFault};

/// Fields that define a mass: density, mass, rows of the inertia.
pub(super) type Masses = (Option<f64>, Option<f64>, Option<Vec<[f64; 3]>>);

pub(super) fn read_masses(fields: &mut Fields) -> Result<Masses, FieldError> {
    let density = fields.optional("density", fields::positive)?;
    let mass = fields.optional("mass", fields::positive)?;
    let rows = fields.optional("inertia", |path, value| fields::list(path, value, fields::numbers::<3>))?;
    Ok((density, mass, rows))
}

/// Computes the mass from `density`, from `mass`, or from `mass` and `inertia`.
pub(super) fn compute_mass((density, mass, rows): Masses, path: &str, shape: &Shape) -> Result<Mass, FieldError> {
    let field = |name: &str| format!("{path}.{name}");
    let (name, value, made) = match (density, mass, rows.as_deref()) {
        (Some(density), None, None) => ("density", number(density), Mass::of_density(shape, density)),
        (None, Some(mass), None) => ("mass", number(mass), Mass::of_total(shape, mass)),
        (None, Some(mass), Some(rows @ &[x, y, z])) => {
            let inertia = Mat3::from_cols(x.into(), y.into(), z.into());
            // The centre of a shape without volume is the origin of its frame.
            let centre = Mass::of_total(shape, mass).map_or(Vec3::ZERO, |of_shape| of_shape.centre);
            ("inertia", format!("{rows:?}"), Mass::new(mass, centre, inertia))
        }
        (None, None, None) => ("density", "1000, as no mass is given,".to_owned(), Mass::of_density(shape, 1000.0)),
        (Some(density), Some(_), _) => {
            return Err(FieldError::refused(&field("density"), number(density), "give density or mass, not both"));
        }
        (_, _, rows) => {
            let value = format!("{:?}", rows.unwrap_or_default());
            let cause = "give 3 rows of 3 numbers, and mass (not density) with them";
            return Err(FieldError::refused(&field("inertia"), value, cause));
        }
    };
    // A shape that has an inertia at 1 kg and at 1 kg/m³ is not the cause of a missing inertia.
    let is_shape_fit = || Mass::of_total(shape, 1.0).and(Mass::of_density(shape, 1.0)).is_ok();
    let is_given = density.or(mass).is_some();
    made.map_err(|error| match error {
        MassFault::Size if !(is_given && is_shape_fit()) => FieldError::refused(&field("shape"), "it", error),
        _ => FieldError::refused(&field(name), value, error),
    })
}
