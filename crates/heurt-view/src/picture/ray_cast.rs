//! Picture by ray casting, shaded and edged as pictures of surfaces.
//!
//! In: a camera, a size in pixels, a function that casts a ray. Out: an [`Image`] with title, scale bar and axes.
//! Method: a pixel has four samples, two in each direction, and the first is cast. If the eight pixels around it show
//! the same, it is the colour of the pixel. If not, all four are cast. A sample is an edge if its right or lower
//! neighbour has another colour, is missing, or has a normal that differs by more than [`CREASE`]. Bands of rows are
//! cast in parallel.
//! Guarantees: the same picture on every machine and for any number of threads, if the function is.
//! Not guaranteed: what is narrower than a pixel in both directions.
//! Cost: a ray per pixel, up to eight more per pixel next to an edge, and two rows of pixels more for each band.

use super::image::Image;
use super::raster::background;
use super::shading::Lights;
use super::{Caption, SAMPLES, overlay};
use crate::palette::{Colour, meaning_colour};
use heurt_geometry::{Camera, Meaning, Vec2, Vec3, ViewRay};
use rayon::prelude::*;

/// Rows of pixels in a band.
const BAND: usize = 32;
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
    let sample = |[column, row]: [usize; 2]| {
        let at = Vec2::new(column as f64 + 0.5, row as f64 + 0.5);
        camera.ray_of_pixel(at, samples).and_then(|ray| cast(&ray))
    };
    let mut pixels = vec![0; 3 * width * height];
    pixels.par_chunks_mut(3 * width * BAND).enumerate().for_each(|(band, pixels)| {
        let mut samples = SampleGrid::new((SAMPLES * BAND * band).saturating_sub(SAMPLES), columns + 1, &sample);
        for (number, pixels) in pixels.chunks_mut(3 * width).enumerate() {
            let row = BAND * band + number;
            let behind = background(row, height);
            for (column, pixel) in pixels.chunks_exact_mut(3).enumerate() {
                pixel.copy_from_slice(&samples.pixel(column, row, behind, lights));
            }
            on_row();
        }
    });
    let mut image = Image::of_pixels(width, height, pixels);
    overlay::draw(&mut image, camera, caption);
    image
}

/// The samples of a band, cast as they are needed.
struct SampleGrid<'c> {
    /// The first row of samples.
    first: usize,
    columns: usize,
    cells: Vec<Cell>,
    cast: &'c dyn Fn([usize; 2]) -> Option<CastPoint>,
}

/// A sample that may be cast yet.
#[derive(Debug, Clone, Copy)]
enum Cell {
    Unknown,
    Cast(Option<CastPoint>),
}

impl<'c> SampleGrid<'c> {
    /// Makes the grid of a band and of a row of pixels above and below it.
    fn new(first: usize, columns: usize, cast: &'c dyn Fn([usize; 2]) -> Option<CastPoint>) -> Self {
        Self { first, columns, cells: vec![Cell::Unknown; columns * SAMPLES * (BAND + 2)], cast }
    }

    /// Returns a sample.
    fn sample(&mut self, column: usize, row: usize) -> Option<CastPoint> {
        let cell = &mut self.cells[(row - self.first) * self.columns + column];
        match *cell {
            Cell::Cast(point) => point,
            Cell::Unknown => {
                let point = (self.cast)([column, row]);
                *cell = Cell::Cast(point);
                point
            }
        }
    }

    /// Computes the colour of a pixel.
    fn pixel(&mut self, column: usize, row: usize, behind: Colour, lights: Lights) -> Colour {
        let [left, top] = [SAMPLES * column, SAMPLES * row];
        let first = self.sample(left, top);
        if self.is_like_all_around(column, row, &first) {
            return colour_of(&first, [&first; 2], behind, lights);
        }
        let mut sums = [0u32; 3];
        for (down, right) in (0..SAMPLES).flat_map(|down| (0..SAMPLES).map(move |right| (down, right))) {
            let [x, y] = [left + right, top + down];
            let [sample, next, below] = [self.sample(x, y), self.sample(x + 1, y), self.sample(x, y + 1)];
            let colour = colour_of(&sample, [&next, &below], behind, lights);
            sums.iter_mut().zip(colour).for_each(|(sum, part)| *sum += u32::from(part));
        }
        let count = (SAMPLES * SAMPLES) as u32;
        sums.map(|sum| ((sum + count / 2) / count) as u8)
    }

    /// Reports whether the first samples of the pixels around a pixel show the same as its own.
    fn is_like_all_around(&mut self, column: usize, row: usize, first: &Option<CastPoint>) -> bool {
        let around = |at: usize| at.saturating_sub(1)..=at + 1;
        around(row)
            .all(|row| around(column).all(|column| !is_edge(first, &self.sample(SAMPLES * column, SAMPLES * row))))
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Direction, frame_bounds};
    use heurt_geometry::Aabb;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const SIZE: [usize; 2] = [190, 140];

    /// A cube of half extent 1.
    fn cube(ray: &ViewRay) -> Option<CastPoint> {
        let (mut from, mut to, mut normal) = (f64::NEG_INFINITY, f64::INFINITY, Vec3::ZERO);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let (at, slope) = (axis.dot(ray.origin), axis.dot(ray.direction));
            let [near, far] = [(-slope.signum() - at) / slope, (slope.signum() - at) / slope];
            if near > from {
                (from, normal) = (near, -axis * slope.signum());
            }
            to = to.min(far);
        }
        (from <= to).then_some(CastPoint { normal, colour: [200, 120, 60] })
    }

    /// A ball of radius 1.
    fn ball(ray: &ViewRay) -> Option<CastPoint> {
        let direction = ray.direction.normalize();
        let closest = ray.origin - direction * ray.origin.dot(direction);
        let depth_sq = 1.0 - closest.length_squared();
        let normal = closest - direction * depth_sq.max(0.0).sqrt();
        (depth_sq >= 0.0).then_some(CastPoint { normal, colour: [90, 160, 220] })
    }

    /// Draws a picture from all samples.
    fn from_all_samples(camera: &Camera, cast: &dyn Fn(&ViewRay) -> Option<CastPoint>) -> Vec<Colour> {
        let [width, height] = SIZE;
        let lights = Lights::new(camera.view.right(), camera.view.up(), camera.view.forward());
        let size = Vec2::new((SAMPLES * width) as f64, (SAMPLES * height) as f64);
        let sample = |x: usize, y: usize| {
            let at = Vec2::new(x as f64 + 0.5, y as f64 + 0.5);
            camera.ray_of_pixel(at, size).and_then(|ray| cast(&ray))
        };
        let pixel = |column: usize, row: usize| {
            let mut sums = [2u32; 3];
            for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (x, y) = (SAMPLES * column + x, SAMPLES * row + y);
                let neighbours = [&sample(x + 1, y), &sample(x, y + 1)];
                let colour = colour_of(&sample(x, y), neighbours, background(row, height), lights);
                sums.iter_mut().zip(colour).for_each(|(sum, part)| *sum += u32::from(part));
            }
            sums.map(|sum| (sum / 4) as u8)
        };
        (0..height).flat_map(|row| (0..width).map(move |column| (column, row))).map(|(x, y)| pixel(x, y)).collect()
    }

    #[test]
    fn few_rays_draw_what_all_samples_show() {
        let bounds = Aabb { min: -Vec3::ONE, max: Vec3::ONE };
        let aspect = SIZE[0] as f64 / SIZE[1] as f64;
        let camera = frame_bounds(&bounds, Direction::Isometric, Vec3::Z, aspect).expect("a box has a camera");
        let casts: [fn(&ViewRay) -> Option<CastPoint>; 2] = [cube, ball];
        // One sample is 0.35 pixels from the middle of its pixel. The ball is some 40 pixels in radius, and where all
        // pixels around one show it, its normal has a cosine of at least 0.27 to the ray: there the normal turns by at
        // most 0.033, which is 7 of 220 shades.
        for (cast, tolerance) in casts.into_iter().zip([0, 7]) {
            let count = AtomicUsize::new(0);
            let counted = |ray: &ViewRay| {
                count.fetch_add(1, Ordering::Relaxed);
                cast(ray)
            };
            // A picture of this size has no words, axes or scale bar.
            let image = cast_picture(&camera, SIZE, &Caption::default(), &counted, &|| ());
            let expected = from_all_samples(&camera, &cast);
            for (number, expected) in expected.iter().enumerate() {
                let (x, y) = (number % SIZE[0], number / SIZE[0]);
                let found = image.pixel(x, y);
                let off = found.iter().zip(expected).map(|(a, b)| a.abs_diff(*b)).max();
                assert!(off <= Some(tolerance), "{found:?} instead of {expected:?} at {x}, {y}");
            }
            let rays = count.into_inner();
            assert!(rays < 2 * SIZE[0] * SIZE[1], "{rays} rays");
        }
    }
}
