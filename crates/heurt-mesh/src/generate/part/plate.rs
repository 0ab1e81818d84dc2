//! Plate with a grid of holes, and L-shaped bracket with holes (S3 slides 11–13).
//!
//! In: dimensions in metres. Out: one closed mesh; each hole adds one to its genus.
//! Method: a rectangle with a hole is an annulus between its four corners and the hole; neighbouring rectangles share
//! their corners. Holes are regular polygons of `segments` sides inscribed in their circles.

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::error::Limits;
use crate::generate::solid::round::circle_points;
use crate::generate::surface::Surface;
use heurt_geometry::Vec3;

/// Makes a plate of `size` x, y, z, centred in x and y, from z = 0 up, with `holes` x × y round through holes, each in
/// the middle of its cell of the regular grid.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// let plate = generate::plate([0.2, 0.1, 0.005], [4, 2], 0.01, 16)?;
/// assert_eq!(measures(&plate).genus, Some(8), "a handle for each hole");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when a length is not positive, the hole does not fit its cell, for no hole, fewer than 3 segments,
/// or too many triangles.
pub fn plate(size: [f64; 3], holes: [u32; 2], hole_diameter: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("plate");
    for (parameter, value) in ["size x", "size y", "size z"].into_iter().zip(size) {
        limits.length(parameter, value)?;
    }
    limits.at_least("holes x", holes[0], 1)?;
    limits.at_least("holes y", holes[1], 1)?;
    limits.length("hole_diameter", hole_diameter)?;
    let cell = [size[0] / f64::from(holes[0]), size[1] / f64::from(holes[1])];
    limits.below("hole_diameter", hole_diameter, 0.0, ("the smaller side of its cell", cell[0].min(cell[1])))?;
    limits.at_least("segments", segments, 3)?;
    let [columns, rows] = holes.map(u64::from);
    let count = columns.saturating_mul(rows).saturating_mul(8 + 4 * u64::from(segments));
    limits.triangles(count.saturating_add(4 * (columns + rows)))?;

    let mut surface = Surface::default();
    let grid = |i: u32, side: usize| size[side] * (f64::from(i) / f64::from(holes[side]) - 0.5);
    let lattice = |z: f64| {
        let row = move |j: u32| (0..=holes[0]).map(move |i| Vec3::new(grid(i, 0), grid(j, 1), z));
        (0..=holes[1]).flat_map(row)
    };
    let [low, high] = [0.0, size[2]].map(|z| surface.ring(lattice(z)));
    let at = |i: u32, j: u32| (j * (holes[0] + 1) + i) as usize;
    for j in 0..holes[1] {
        for i in 0..holes[0] {
            let centre = [0, 1].map(|k| (grid([i, j][k], k) + grid([i, j][k] + 1, k)) / 2.0);
            let corners = [at(i + 1, j + 1), at(i, j + 1), at(i, j), at(i + 1, j)];
            drill(
                &mut surface,
                [&low, &high].map(|level| corners.map(|c| level[c])),
                [0.0, size[2]].map(|z| {
                    let shift = Vec3::new(centre[0], centre[1], 0.0);
                    circle_points(hole_diameter / 2.0, z, segments).map(move |point| point + shift)
                }),
            );
        }
    }
    let rim = plate_rim(holes, at);
    let [low_rim, high_rim] = [&low, &high].map(|level| rim.iter().map(|&c| level[c]).collect::<Vec<u32>>());
    surface.strip(&low_rim, &high_rim);
    surface.finish()
}

/// Returns the lattice points on the border, counter-clockwise.
fn plate_rim([columns, rows]: [u32; 2], at: impl Fn(u32, u32) -> usize) -> Vec<usize> {
    let south = (0..columns).map(|i| at(i, 0));
    let east = (0..rows).map(|j| at(columns, j));
    let north = (0..columns).map(|i| at(columns - i, rows));
    let west = (0..rows).map(|j| at(0, rows - j));
    south.chain(east).chain(north).chain(west).collect()
}

/// Fills two parallel rectangles around the ends of a hole, and the wall of the hole.
///
/// `corners` and `rings`: those of the low face, then of the high one, each counter-clockwise seen from the high side,
/// the first corner in the first quarter turn of the ring.
fn drill(surface: &mut Surface, corners: [[u32; 4]; 2], rings: [impl Iterator<Item = Vec3>; 2]) {
    let [low, high] = rings.map(|ring| surface.ring(ring));
    surface.annulus(&corners[1], &high);
    surface.strip(&high, &low);
    let corners: Vec<u32> = corners[0].iter().rev().copied().collect();
    let hole: Vec<u32> = low[..1].iter().chain(low[1..].iter().rev()).copied().collect();
    surface.annulus(&corners, &hole);
}

/// Makes an L-shaped bracket: a base plate 0 ≤ x ≤ `length`, 0 ≤ z ≤ `thickness`, and a wall 0 ≤ x ≤ `thickness`,
/// 0 ≤ z ≤ `height`, both |y| ≤ `width` / 2.
///
/// `base_hole` is the diameter of a round hole along z through the middle of the free part of the base, at
/// x = (`thickness` + `length`) / 2; `wall_hole` of one along x through the wall, at z = (`thickness` + `height`) / 2.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// let bracket = generate::bracket([0.1, 0.04, 0.08], 0.01, Some(0.01), None, 16)?;
/// assert_eq!(measures(&bracket).genus, Some(1), "one hole in its base");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when a length is not positive, the thickness not below length and height, a hole does not fit, or
/// for fewer than 3 or too many segments.
pub fn bracket(
    [length, width, height]: [f64; 3],
    thickness: f64,
    base_hole: Option<f64>,
    wall_hole: Option<f64>,
    segments: u32,
) -> Result<TriMesh, GenerateError> {
    bracket_limits([length, width, height], thickness, base_hole, wall_hole, segments)?;
    // The outline in the plane (x, z), counter-clockwise seen from -y.
    let outline =
        [(0.0, 0.0), (length, 0.0), (length, thickness), (thickness, thickness), (thickness, height), (0.0, height)];
    let mut surface = Surface::default();
    let [near, far] = [-width / 2.0, width / 2.0].map(|y| surface.ring(outline.map(|(x, z)| Vec3::new(x, y, z))));
    // Both ends are fans from the outer corner, which sees the whole L.
    for i in 1..outline.len() - 1 {
        surface.triangle(near[0], near[i], near[i + 1]);
        surface.triangle(far[0], far[i + 1], far[i]);
    }
    let side = |from: usize| {
        let to = (from + 1) % outline.len();
        [near[from], far[from], far[to], near[to]]
    };
    surface.quad(side(1));
    surface.quad(side(4));
    // Centred, in the frame (right, up) of a hole seen from its high side.
    let ring = |diameter: f64| circle_points(diameter / 2.0, 0.0, segments);
    match base_hole {
        Some(diameter) => {
            // Seen from above, with x to the right and y up, corners from the first quadrant on.
            let corners = [[far[1], far[0], near[0], near[1]], [far[2], far[3], near[3], near[2]]];
            let middle = (thickness + length) / 2.0;
            let at = |depth: f64| ring(diameter).map(move |p| Vec3::new(middle + p.x, p.y, depth));
            drill(&mut surface, corners, [at(0.0), at(thickness)]);
        }
        None => [0, 2].into_iter().for_each(|from| surface.quad(side(from))),
    }
    match wall_hole {
        Some(diameter) => {
            // Seen from +x, with y to the right and z up.
            let corners = [[far[5], near[5], near[0], far[0]], [far[4], near[4], near[3], far[3]]];
            let middle = (thickness + height) / 2.0;
            let at = |depth: f64| ring(diameter).map(move |p| Vec3::new(depth, p.x, middle + p.y));
            drill(&mut surface, corners, [at(0.0), at(thickness)]);
        }
        None => [3, 5].into_iter().for_each(|from| surface.quad(side(from))),
    }
    surface.finish()
}

fn bracket_limits(
    [length, width, height]: [f64; 3],
    thickness: f64,
    base_hole: Option<f64>,
    wall_hole: Option<f64>,
    segments: u32,
) -> Result<(), GenerateError> {
    let limits = Limits("bracket");
    for (parameter, value) in [("length", length), ("width", width), ("height", height), ("thickness", thickness)] {
        limits.length(parameter, value)?;
    }
    limits.below("thickness", thickness, 0.0, ("the smaller of length and height", length.min(height)))?;
    for (parameter, hole, free) in
        [("base_hole", base_hole, length - thickness), ("wall_hole", wall_hole, height - thickness)]
    {
        if let Some(diameter) = hole {
            limits.length(parameter, diameter)?;
            limits.below(parameter, diameter, 0.0, ("the free part of its plate", free.min(width)))?;
        }
    }
    limits.at_least("segments", segments, 3)?;
    limits.triangles(8 * u64::from(segments) + 28)
}
