//! Picture of a tree by ray casting: depth and normal of the first hit of each pixel.
//!
//! In: a prepared tree, a camera, the size of a picture. Out: [`CsgPicture`].
//! Method: S3 slides 17 and 22: one ray through the centre of each pixel, classified against the tree.
//! Guarantees: the same bits on every machine; rows do not depend on each other.
//! Cost: one ray per pixel.

use super::CsgQuery;
use heurt_geometry::{Camera, Vec2, Vec3};
use heurt_query::Ray;

/// Buffers of a picture, row by row from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct CsgPicture {
    /// The number of pixels of a row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The distance from the start of the ray in metres; infinite where the ray misses.
    pub depth: Vec<f64>,
    /// The unit normal towards the eye; zero where the ray misses.
    pub normals: Vec<Vec3>,
    /// The leaf that is seen, as a position among the nodes; `u32::MAX` where there is none.
    pub leaves: Vec<u32>,
}

impl CsgQuery {
    /// Casts a ray through the centre of each pixel.
    ///
    /// ```
    /// use heurt_geometry::{Camera, Projection, Vec3, View};
    /// use heurt_shape::Convex;
    /// use heurt_solid::{Csg, CsgQuery};
    /// let view = View::look_at(Vec3::Z * 5.0, Vec3::ZERO, Vec3::Y)?;
    /// let projection = Projection::orthographic(4.0, 1.0, [0.1, 10.0])?;
    /// let ball = CsgQuery::new(&Csg::shape(Convex::sphere(1.0)?));
    /// let picture = ball.picture(&Camera { view, projection }, [9, 9]);
    /// let middle = 4 * 9 + 4;
    /// assert!(picture.normals[middle].abs_diff_eq(Vec3::Z, 1e-12));
    /// assert_eq!(picture.depth[0], f64::INFINITY);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn picture(&self, camera: &Camera, [width, height]: [u32; 2]) -> CsgPicture {
        let size = Vec2::new(f64::from(width), f64::from(height));
        let count = width as usize * height as usize;
        let mut picture = CsgPicture {
            width,
            height,
            depth: vec![f64::INFINITY; count],
            normals: vec![Vec3::ZERO; count],
            leaves: vec![u32::MAX; count],
        };
        for index in 0..count {
            let (column, row) = (index % width as usize, index / width as usize);
            let pixel = Vec2::new(column as f64 + 0.5, row as f64 + 0.5);
            let ray = camera
                .ray_of_pixel(pixel, size)
                .and_then(|ray| Ray::new(ray.origin, ray.direction, f64::INFINITY).ok());
            if let Some((ray, hit)) = ray.and_then(|ray| Some((ray, self.first_hit(&ray)?))) {
                picture.depth[index] = hit.t * ray.direction.length();
                picture.normals[index] = hit.normal;
                picture.leaves[index] = hit.leaf.unwrap_or(u32::MAX);
            }
        }
        picture
    }
}
