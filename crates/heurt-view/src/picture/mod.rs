//! Pictures of surfaces, lines and points by a software rasteriser: no window, no graphics card.
//!
//! In: a [`Drawing`] and a camera. Out: an [`Image`] with title, scale bar and axes; its bytes as PNG.
//! Method: triangles are clipped at the near plane, binned into bands of rows and drawn with a depth buffer at twice
//! the resolution in each direction (`raster`); four samples make a pixel. Bands are drawn in parallel.
//! Guarantees: the same picture on every machine and for any number of threads; letters are those of a built-in font.
//! Not guaranteed: translucent surfaces are drawn in four steps of opacity.

mod band;
mod drawing;
mod floor;
mod framing;
mod image;
mod label;
mod overlay;
mod raster;
mod ray_cast;
mod section;
mod shading;
mod span;

pub use drawing::{Drawing, Instance};
pub use floor::Floor;
pub use framing::{Direction, frame_bounds, frame_within};
pub use image::Image;
pub use overlay::{Caption, LegendEntry};
pub use ray_cast::{CastPoint, cast_picture};
pub use section::SectionPlane;

use heurt_geometry::Camera;

/// Samples along each side of a pixel.
const SAMPLES: usize = 2;

/// Draws a picture of the given size in pixels; an empty size is drawn as one pixel.
///
/// ```
/// use heurt_geometry::{Aabb, Pose, Vec3};
/// use heurt_mesh::generate;
/// use heurt_view::picture::{Caption, Direction, Drawing, draw_picture, frame_bounds};
/// use heurt_view::Surface;
/// let mut drawing = Drawing::default();
/// let ball = drawing.add_surface(Surface::of_mesh(&generate::icosphere(1.0, 3)?));
/// drawing.add_instance(ball, Pose::IDENTITY, [200, 120, 60]);
/// let camera = frame_bounds(&drawing.bounds(), Direction::Isometric, Vec3::Z, 1.5)?;
/// let image = draw_picture(&drawing, &camera, [300, 200], &Caption { title: "ball".into(), ..Caption::default() });
/// let [red, green, blue] = image.pixel(150, 100);
/// assert!(red > green && green > blue, "the ball is in the middle");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn draw_picture(drawing: &Drawing, camera: &Camera, size: [usize; 2], caption: &Caption) -> Image {
    draw_picture_with(drawing, camera, size, caption, &|| ())
}

/// Draws a picture as [`draw_picture`]; `on_row` is called for each row of pixels, by any thread.
///
/// ```
/// use heurt_geometry::{Aabb, Vec3};
/// use heurt_view::picture::{Caption, Direction, Drawing, draw_picture_with, frame_bounds};
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let camera = frame_bounds(&Aabb::EMPTY, Direction::Top, Vec3::Z, 1.0)?;
/// let rows = AtomicUsize::new(0);
/// let count = || _ = rows.fetch_add(1, Ordering::Relaxed);
/// draw_picture_with(&Drawing::default(), &camera, [50, 50], &Caption::default(), &count);
/// assert_eq!(rows.into_inner(), 50);
/// # Ok::<(), heurt_geometry::ProjectionError>(())
/// ```
pub fn draw_picture_with(
    drawing: &Drawing,
    camera: &Camera,
    size: [usize; 2],
    caption: &Caption,
    on_row: &(dyn Fn() + Sync),
) -> Image {
    let size = size.map(|side| side.clamp(1, Image::MAX_SIDE));
    let mut image = raster::draw(drawing, camera, size, on_row);
    overlay::draw(&mut image, camera, caption);
    image
}
