//! Picture by ray casting: one ray for each sample, shaded and edged as pictures of surfaces.
//!
//! In: a camera, a size in pixels, a function that casts a ray. Out: an [`Image`] with title, scale bar and axes.
//! Method: a ray through the centre of each sample, two to a pixel in each direction; four samples make a pixel. A
//! sample is an edge if its right or lower neighbour has another colour, is missing, or has a normal that differs by
//! more than [`CREASE`]. Bands of rows are cast in parallel.
//! Guarantees: the same picture on every machine and for any number of threads, if the function is.
//! Cost: four rays per pixel, and a row and a column of samples more for each band.

use super::image::Image;
use super::raster::background;
use super::shading::Lights;
use super::{Caption, SAMPLES, overlay};
use crate::palette::{Colour, meaning_colour};
use heurt_geometry::{Camera, Meaning, Vec2, Vec3, ViewRay};
use rayon::prelude::*;

/// Rows of pixels in a band.
const BAND: usize = 16;
/// The cosine of the angle from which neighbouring normals make an edge: 30°.
const CREASE: f64 = 0.866;

/// A point of a surface that a ray meets first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CastPoint {
    /// The unit normal, on either side.
    pub normal: Vec3,
    /// The colour of the surface.
    pub colour: Colour,
}

/// Draws a picture by casting rays; `on_row` is called after each row of pixels, by any thread.
///
/// ```
/// use heurt_geometry::{Aabb, Vec3};
/// use heurt_view::picture::{Caption, CastPoint, Direction, cast_picture, frame_bounds};
/// let cube = Aabb { min: -Vec3::ONE, max: Vec3::ONE };
/// let camera = frame_bounds(&cube, Direction::Top, Vec3::Z, 1.0)?;
/// let floor = |_: &_| Some(CastPoint { normal: Vec3::Z, colour: [200, 120, 60] });
/// let image = cast_picture(&camera, [32, 32], &Caption::default(), &floor, &|| ());
/// let [red, green, blue] = image.pixel(16, 16);
/// assert!(red > green && green > blue);
/// # Ok::<(), heurt_geometry::ProjectionError>(())
/// ```
pub fn cast_picture(
    camera: &Camera,
    size: [usize; 2],
    caption: &Caption,
    cast: &(dyn Fn(&ViewRay) -> Option<CastPoint> + Sync),
    on_row: &(dyn Fn() + Sync),
) -> Image {
    let [width, height] = size.map(|side| side.clamp(1, Image::MAX_SIDE));
    let (columns, rows) = (width * SAMPLES, height * SAMPLES);
    let samples = Vec2::new(columns as f64, rows as f64);
    let lights = Lights::new(camera.view.right(), camera.view.up(), camera.view.forward());
    let row_of_samples = |row: usize| -> Vec<Option<CastPoint>> {
        let sample = |column: usize| {
            let at = Vec2::new(column as f64 + 0.5, row as f64 + 0.5);
            camera.ray_of_pixel(at, samples).and_then(|ray| cast(&ray))
        };
        (0..=columns).map(sample).collect()
    };
    let mut pixels = vec![0; 3 * width * height];
    pixels.par_chunks_mut(3 * width * BAND).enumerate().for_each(|(band, pixels)| {
        let mut below = row_of_samples(SAMPLES * BAND * band);
        for (number, pixels) in pixels.chunks_mut(3 * width).enumerate() {
            let row = BAND * band + number;
            let behind = background(row, height);
            let mut sums = vec![[0u32; 3]; width];
            for sample_row in 0..SAMPLES {
                let next = row_of_samples(SAMPLES * row + sample_row + 1);
                let upper = std::mem::replace(&mut below, next);
                for column in 0..columns {
                    let colour = colour_of(&upper[column], [&upper[column + 1], &below[column]], behind, lights);
                    let sum = &mut sums[column / SAMPLES];
                    sum.iter_mut().zip(colour).for_each(|(sum, part)| *sum += u32::from(part));
                }
            }
            for (pixel, sum) in pixels.chunks_exact_mut(3).zip(&sums) {
                let count = (SAMPLES * SAMPLES) as u32;
                pixel.iter_mut().zip(sum).for_each(|(part, sum)| *part = ((sum + count / 2) / count) as u8);
            }
            on_row();
        }
    });
    let mut image = Image::of_pixels(width, height, pixels);
    overlay::draw(&mut image, camera, caption);
    image
}

fn colour_of(
    sample: &Option<CastPoint>,
    neighbours: [&Option<CastPoint>; 2],
    behind: Colour,
    lights: Lights,
) -> Colour {
    if neighbours.into_iter().any(|neighbour| is_edge(sample, neighbour)) {
        return meaning_colour(Meaning::Edge);
    }
    let Some(point) = sample else { return behind };
    let brightness = lights.brightness(point.normal);
    point.colour.map(|part| (f64::from(part) * brightness).min(255.0) as u8)
}

fn is_edge(a: &Option<CastPoint>, b: &Option<CastPoint>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.colour != b.colour || a.normal.dot(b.normal) < CREASE,
        (None, None) => false,
        _ => true,
    }
}
