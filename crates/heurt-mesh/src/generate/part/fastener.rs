//! Bolt, nut and washer (S3 slides 11–13: families of parametrised parts).
//!
//! In: dimensions in metres; axis z. Out: closed meshes; the bolt has genus 0, nut and washer have genus 1.
//! Method: hexagons have six corners and flat faces, holes and shanks are regular polygons of `segments` sides
//! inscribed in their circles; a hexagonal face with a hole is an annulus of triangles.
//! Not guaranteed: threads (bore and shank are smooth), rounded hexagon corners. [`crate::generate::subdivided`]
//! refines the faces.

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::error::Limits;
use crate::generate::solid::round::{circle_points, ratio};
use crate::generate::surface::{Station, Surface, lofted};
use heurt_geometry::Vec3;

/// Makes a bolt with a hexagonal head: the head is on z = 0 and is `head_height` high, the shank goes down to z =
/// −`length` and ends in a chamfer of 45° and width `chamfer`.
///
/// # Errors
/// [`GenerateError`] when a length is not positive, the shank is not thinner than the head, the chamfer not smaller
/// than the shank's radius and length, or for fewer than 3 or too many segments.
pub fn bolt(
    across_flats: f64,
    head_height: f64,
    shank_diameter: f64,
    length: f64,
    chamfer: f64,
    segments: u32,
) -> Result<TriMesh, GenerateError> {
    let limits = Limits("bolt");
    hexagon_limits(limits, across_flats, ("head_height", head_height), segments)?;
    limits.length("shank_diameter", shank_diameter)?;
    limits.length("length", length)?;
    limits.length("chamfer", chamfer)?;
    limits.below("shank_diameter", shank_diameter, 0.0, ("across_flats", across_flats))?;
    limits.below("chamfer", chamfer, 0.0, ("half of shank_diameter", shank_diameter / 2.0))?;
    limits.below("chamfer", chamfer, 0.0, ("length", length))?;
    ratio(limits, ("chamfer", chamfer), ("length", length))?;
    ratio(limits, ("chamfer", chamfer), ("shank_diameter", shank_diameter))?;
    limits.triangles(6 * u64::from(segments) + 24)?;

    let radius = shank_diameter / 2.0;
    let mut surface = Surface::default();
    let tip = surface.vertex(Vec3::new(0.0, 0.0, -length));
    let end = surface.ring(circle_points(radius - chamfer, -length, segments));
    let chamfered = surface.ring(circle_points(radius, chamfer - length, segments));
    let neck = surface.ring(circle_points(radius, 0.0, segments));
    surface.fan_from(tip, &end);
    surface.strip(&end, &chamfered);
    surface.strip(&chamfered, &neck);
    let [under, top] = [0.0, head_height].map(|z| surface.ring(hexagon(across_flats, z)));
    annulus_below(&mut surface, &under, &neck);
    surface.strip(&under, &top);
    let centre = surface.vertex(Vec3::new(0.0, 0.0, head_height));
    surface.fan_to(&top, centre);
    surface.finish()
}

/// Makes a hexagonal nut from z = 0 to `height` with a round bore.
///
/// # Errors
/// [`GenerateError`] when a length is not positive, the bore not narrower than the nut, or for fewer than 3 or too many
/// segments.
pub fn nut(across_flats: f64, height: f64, bore_diameter: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("nut");
    hexagon_limits(limits, across_flats, ("height", height), segments)?;
    limits.length("bore_diameter", bore_diameter)?;
    limits.below("bore_diameter", bore_diameter, 0.0, ("across_flats", across_flats))?;
    limits.triangles(4 * u64::from(segments) + 24)?;
    let mut surface = Surface::default();
    let [low, high] = [0.0, height].map(|z| surface.ring(hexagon(across_flats, z)));
    let [bore_low, bore_high] = [0.0, height].map(|z| surface.ring(circle_points(bore_diameter / 2.0, z, segments)));
    surface.strip(&low, &high);
    surface.annulus(&high, &bore_high);
    surface.strip(&bore_high, &bore_low);
    annulus_below(&mut surface, &low, &bore_low);
    surface.finish()
}

/// Makes a washer (or any tube) from z = 0 to `thickness`: 8 · `segments` triangles.
///
/// ```
/// use heurt_mesh::generate;
/// let washer = generate::washer(0.016, 0.0084, 0.0016, 32)?;
/// assert_eq!(washer.triangles().len(), 8 * 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when a length is not positive, the hole not narrower than the rim, or for fewer than 3 or too many
/// segments.
pub fn washer(
    outer_diameter: f64,
    inner_diameter: f64,
    thickness: f64,
    segments: u32,
) -> Result<TriMesh, GenerateError> {
    let limits = Limits("washer");
    limits.length("outer_diameter", outer_diameter)?;
    limits.length("inner_diameter", inner_diameter)?;
    limits.length("thickness", thickness)?;
    limits.below("inner_diameter", inner_diameter, 0.0, ("outer_diameter", outer_diameter))?;
    limits.at_least("segments", segments, 3)?;
    limits.triangles(8 * u64::from(segments))?;
    let [outer, inner] = [outer_diameter / 2.0, inner_diameter / 2.0];
    let rings = [(outer, 0.0), (outer, thickness), (inner, thickness), (inner, 0.0)];
    lofted(rings.map(|(radius, z)| Station::Ring(circle_points(radius, z, segments).collect())), true)
}

/// Makes a bolt of usual proportions (near ISO 4017) from its thread `diameter` and `length`.
///
/// ```
/// use heurt_mesh::generate;
/// let m8 = generate::metric_bolt(0.008, 0.03, 24)?;
/// assert_eq!(m8.bounds().min.z, -0.03);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`bolt`].
pub fn metric_bolt(diameter: f64, length: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    bolt(1.625 * diameter, 0.65 * diameter, diameter, length, 0.1 * diameter, segments)
}

/// Makes a nut of usual proportions (near ISO 4032) for the thread `diameter`, its bore 2.5% wider than the thread.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// assert_eq!(measures(&generate::metric_nut(0.008, 24)?).genus, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`nut`].
pub fn metric_nut(diameter: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    nut(1.625 * diameter, 0.85 * diameter, 1.025 * diameter, segments)
}

/// Makes a washer of usual proportions (near ISO 7089) for the thread `diameter`, its hole 5% wider than the thread.
///
/// # Errors
/// As [`washer`].
pub fn metric_washer(diameter: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    washer(2.0 * diameter, 1.05 * diameter, 0.2 * diameter, segments)
}

fn hexagon_limits(
    limits: Limits,
    across_flats: f64,
    height: (&'static str, f64),
    segments: u32,
) -> Result<(), GenerateError> {
    limits.length("across_flats", across_flats)?;
    limits.length(height.0, height.1)?;
    limits.at_least("segments", segments, 3)
}

/// Returns a hexagon with flats at x = ±`across_flats` / 2; corner k lies in the k-th sixth of a turn.
fn hexagon(across_flats: f64, z: f64) -> [Vec3; 6] {
    let apothem = across_flats / 2.0;
    let half_side = apothem / 3f64.sqrt();
    [
        Vec3::new(apothem, half_side, z),
        Vec3::new(0.0, 2.0 * half_side, z),
        Vec3::new(-apothem, half_side, z),
        Vec3::new(-apothem, -half_side, z),
        Vec3::new(0.0, -2.0 * half_side, z),
        Vec3::new(apothem, -half_side, z),
    ]
}

/// Fills a face that is oriented downward: mirrored in the x axis, both loops run in reverse and still start in the
/// sectors that [`Surface::annulus`] requires.
fn annulus_below(surface: &mut Surface, outer: &[u32], hole: &[u32]) {
    let outer: Vec<u32> = outer.iter().rev().copied().collect();
    let hole: Vec<u32> = hole[..1].iter().chain(hole[1..].iter().rev()).copied().collect();
    surface.annulus(&outer, &hole);
}
