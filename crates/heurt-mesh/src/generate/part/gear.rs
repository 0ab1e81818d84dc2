//! Spur gear with involute flanks (S3 slides 11–13).
//!
//! In: number of teeth, module and thickness in metres, pressure angle in radians. Out: a closed mesh of genus 1.
//! Method: the usual full-depth tooth: pitch radius m z / 2, addendum m, dedendum 1.25 m; flanks are involutes of the
//! base circle (radius rb = pitch radius · cos(pressure angle)). At the radius r the flank has the polar angle s(r) =
//! s₀ + inv α − inv(acos(rb / r)) from the middle of its tooth, inv x = tan x − x. Below the base circle there is no
//! involute: the flank goes straight to a foot at a quarter of the distance to the middle of the gap.
//! Guarantees: polar angles grow strictly along the outline, so it is star-shaped and the faces towards the round bore
//! have no fold. Not guaranteed: undercut and fillets; a pinion of few teeth may bind with a large wheel.

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::error::Limits;
use crate::generate::solid::round::ratio;
use crate::generate::surface::{Station, lofted};
use heurt_geometry::Vec3;
use std::f64::consts::{FRAC_PI_2, PI};

/// Limit of steps: beyond it a flank's first step from the base circle no longer turns by a representable angle.
const MAX_STEPS: u32 = 10_000;
/// Limit of teeth, more than on any gear: neighbouring angles of the outline stay distinct.
const MAX_TEETH: u32 = 10_000;

/// Makes a spur gear around the z axis from z = 0 to `thickness`, the middle of a tooth on the +x axis.
///
/// Two gears of one `module` and `pressure_angle_rad` mesh at the distance `module` · (z₁ + z₂) / 2. Each tooth is
/// thinner than half a pitch by `backlash`, along the pitch circle. Each flank, tip and root has `segments` steps: 32 ·
/// `segments` · `teeth` triangles.
///
/// ```
/// use heurt_mesh::generate;
/// // 20 teeth of module 2 mm: 40 mm between the axes of two of them.
/// let gear = generate::gear(20, 0.002, 20f64.to_radians(), 0.0001, 0.01, 0.008, 4)?;
/// assert!((gear.bounds().max.x - 0.022).abs() < 1e-9, "the tip circle: (20 + 2) · 1 mm");
/// assert_eq!(gear.triangles().len(), 32 * 4 * 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when a length is not positive, `teeth` not in [6, 10000], `pressure_angle_rad` not in [0.2, 0.52],
/// `backlash` not in [0, module / 4], the bore not narrower than the root circle, the tooth ends in a point below its
/// tip circle, or `segments` not in [2, 10000].
pub fn gear(
    teeth: u32,
    module: f64,
    pressure_angle_rad: f64,
    backlash: f64,
    thickness: f64,
    bore_diameter: f64,
    segments: u32,
) -> Result<TriMesh, GenerateError> {
    let limits = Limits("gear");
    limits.length("module", module)?;
    limits.length("thickness", thickness)?;
    limits.length("bore_diameter", bore_diameter)?;
    limits.within("teeth", teeth.into(), 6.0, MAX_TEETH.into())?;
    limits.within("pressure_angle_rad", pressure_angle_rad, 0.2, 0.52)?;
    limits.within("backlash", backlash, 0.0, module / 4.0)?;
    limits.within("segments", segments.into(), 2.0, MAX_STEPS.into())?;
    let tooth = Tooth::new(teeth, module, pressure_angle_rad, backlash);
    limits.below("bore_diameter", bore_diameter, 0.0, ("the root circle's diameter", 2.0 * tooth.root))?;
    ratio(limits, ("bore_diameter", bore_diameter), ("module", module))?;
    if tooth.half_angle(tooth.tip) <= 0.0 {
        let legal = "a smaller angle or more teeth: this tooth ends in a point below its tip circle";
        return Err(limits.refuse("pressure_angle_rad", pressure_angle_rad, legal));
    }
    limits.triangles(32 * u64::from(segments) * u64::from(teeth))?;

    let one = tooth.outline(segments);
    let pitch = 2.0 * PI / f64::from(teeth);
    let outline: Vec<[f64; 3]> = (0..teeth)
        .flat_map(|k| one.iter().map(move |&(radius, angle)| (radius, angle + pitch * f64::from(k))))
        .map(|(radius, angle)| [radius, libm::cos(angle), libm::sin(angle)])
        .collect();
    let rim = |z: f64| Station::Ring(outline.iter().map(|&[r, cos, sin]| Vec3::new(r * cos, r * sin, z)).collect());
    let bore = bore_diameter / 2.0;
    let wall =
        |z: f64| Station::Ring(outline.iter().map(|&[_, cos, sin]| Vec3::new(bore * cos, bore * sin, z)).collect());
    lofted([rim(0.0), rim(thickness), wall(thickness), wall(0.0)], true)
}

/// The circles of a gear and the shape of one tooth.
struct Tooth {
    root: f64,
    base: f64,
    tip: f64,
    /// Half the angle of the tooth at the intersection of its flanks with the base circle.
    half_angle_at_base: f64,
    half_pitch: f64,
}

impl Tooth {
    fn new(teeth: u32, module: f64, pressure_angle_rad: f64, backlash: f64) -> Self {
        let pitch_radius = module * f64::from(teeth) / 2.0;
        let half_thickness = (FRAC_PI_2 * module - backlash) / 2.0;
        Self {
            root: pitch_radius - 1.25 * module,
            base: pitch_radius * libm::cos(pressure_angle_rad),
            tip: pitch_radius + module,
            half_angle_at_base: half_thickness / pitch_radius + involute(pressure_angle_rad),
            half_pitch: PI / f64::from(teeth),
        }
    }

    /// Computes half the angle of the tooth at `radius`, not below the base circle.
    fn half_angle(&self, radius: f64) -> f64 {
        self.half_angle_at_base - involute(libm::acos((self.base / radius).min(1.0)))
    }

    /// Computes the outline from the middle of one gap to just before the middle of the next, as (radius, angle), with
    /// the tooth's middle at angle 0.
    fn outline(&self, segments: u32) -> Vec<(f64, f64)> {
        let mut flank = Vec::with_capacity(segments as usize + 1);
        let mut steps = segments;
        if self.root < self.base {
            let foot = 0.75 * self.half_angle_at_base + 0.25 * self.half_pitch;
            flank.push((self.root, foot));
            steps -= 1;
        }
        let start = self.root.max(self.base);
        for i in 0..=steps {
            let radius = start + (self.tip - start) * (f64::from(i) / f64::from(steps));
            flank.push((radius, self.half_angle(radius)));
        }
        let arc = |radius: f64, from: f64, to: f64| {
            (1..segments).map(move |i| (radius, from + (to - from) * (f64::from(i) / f64::from(segments))))
        };
        let [foot, top] = [flank[0].1, flank[flank.len() - 1].1];
        let rising = flank.iter().map(|&(radius, angle)| (radius, -angle));
        let falling = flank.iter().rev().copied();
        let tip = arc(self.tip, -top, top);
        let root = arc(self.root, foot, 2.0 * self.half_pitch - foot);
        rising.chain(tip).chain(falling).chain(root).collect()
    }
}

/// Computes the involute function tan x − x.
fn involute(angle: f64) -> f64 {
    libm::tan(angle) - angle
}
