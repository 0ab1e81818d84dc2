//! Rasteriser of triangles and lines with a depth buffer, in bands of rows.
//!
//! In: a [`Drawing`], a camera, a size in pixels. Out: an image without words.
//! Method: corners are placed and projected to samples, two to a pixel in each direction; triangles are clipped at the
//! near plane (Sutherland and Hodgman 1974) and drawn into bands of rows (`band`). Depths are linear on the screen in
//! both kinds of projection.
//! Guarantees: samples of a band are written in the order of the triangles, by one thread: any number of threads gives
//! the same image.
//! Cost: linear in the samples that triangles cover and in the rows that they reach.

use super::band::{BAND, Band};
use super::drawing::{Drawing, ShadedSurface};
use super::image::Image;
use super::label::draw_labels;
use super::shading::Lights;
use super::{Instance, SAMPLES};
use crate::palette::{Colour, meaning_colour};
use heurt_geometry::{Camera, Meaning, Vec2, Vec3, Visibility};
use rayon::prelude::*;

/// Width of feature edges, in samples.
const EDGE_WIDTH: f32 = 2.0;
/// Width of lines, in samples.
const LINE_WIDTH: f32 = 3.0;
/// Distance by which lines are drawn in front of their depth, as a share of the depth range.
pub(super) const LINE_BIAS: f32 = 1e-3;
/// The same for triangles that mark a surface: behind lines.
const MARK_BIAS: f32 = 5e-4;
/// Upper and lower colour of the background.
const BACKGROUND: [Colour; 2] = [[0xff, 0xff, 0xff], [0xe6, 0xeb, 0xf0]];
/// Radius of points, in pixels.
const POINT_RADIUS: f64 = 3.5;

/// A corner on the screen: x and y in samples, z from 0 at the near plane to 1 at the far plane, brightness.
pub(super) type Corner = [f32; 4];

/// A triangle on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScreenTriangle {
    pub(super) corners: [Corner; 3],
    pub(super) colour: Colour,
    /// The samples of a pixel that are drawn, as bits.
    pub(super) mask: u8,
    /// The last number of each corner is its opacity, and not its brightness: the colour is mixed with what is behind.
    pub(super) fades: bool,
}

/// A line on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScreenLine {
    pub(super) ends: [Corner; 2],
    pub(super) colour: Colour,
    pub(super) width: f32,
}

/// The frame of the screen.
struct Screen<'c> {
    camera: &'c Camera,
    /// In samples.
    size: [usize; 2],
    near: f64,
    lights: Lights,
}

/// Draws all items.
pub(super) fn draw(
    drawing: &Drawing,
    camera: &Camera,
    [width, height]: [usize; 2],
    on_row: &(dyn Fn() + Sync),
) -> Image {
    let size = [width * SAMPLES, height * SAMPLES];
    let view = &camera.view;
    let lights = Lights::new(view.right(), view.up(), view.forward());
    let screen = Screen { camera, size, near: camera.projection.depths()[0], lights };
    let (triangles, lines) = screen.project_all(drawing);
    let bands = size[1].div_ceil(BAND);
    let triangles_of = bin(bands, triangles.iter().map(|triangle| rows(&triangle.corners, 0.0)));
    let lines_of = bin(bands, lines.iter().map(|line| rows(&line.ends, line.width)));
    let mut pixels = vec![0; 3 * width * height];
    let rows_of_band = 3 * width * (BAND / SAMPLES);
    pixels.par_chunks_mut(rows_of_band).enumerate().for_each(|(number, pixels)| {
        let mut band = Band::new(number * BAND, size);
        for index in &triangles_of[number] {
            band.draw_triangle(&triangles[*index as usize]);
        }
        for index in &lines_of[number] {
            band.draw_line(&lines[*index as usize]);
        }
        band.resolve(pixels, width);
        pixels.chunks(3 * width).for_each(|_| on_row());
    });
    let mut image = Image::of_pixels(width, height, pixels);
    draw_marks(&mut image, drawing, camera);
    image
}

/// Draws what nothing hides: arrows, points and texts.
fn draw_marks(image: &mut Image, drawing: &Drawing, camera: &Camera) {
    let size = image.size().map(|side| side as f64);
    let size = Vec2::new(size[0], size[1]);
    let pixel = |point: Vec3| camera.pixel(point, size).map(|(pixel, _)| pixel.clamp(Vec2::splat(-1e4), size + 1e4));
    for (ends, colour) in &drawing.arrows {
        if let [Some(from), Some(to)] = ends.map(pixel) {
            image.line([from.to_array(), to.to_array()], 2.0, *colour);
        }
    }
    for (point, colour) in &drawing.marks {
        if let Some(at) = pixel(*point) {
            image.line([at.to_array(), at.to_array()], 2.0 * POINT_RADIUS + 2.0, [255, 255, 255]);
            image.line([at.to_array(), at.to_array()], 2.0 * POINT_RADIUS, *colour);
        }
    }
    for (point, text, colour) in &drawing.texts {
        if let Some(at) = pixel(*point) {
            image.text([at.x as i64 + 6, at.y as i64 - 8], text, super::image::LetterSize::Small, *colour);
        }
    }
    draw_labels(image, camera, &drawing.labels);
}

/// Returns the first and last row that corners reach, with a border.
fn rows(corners: &[Corner], border: f32) -> [f32; 2] {
    let least = corners.iter().map(|corner| corner[1]).fold(f32::INFINITY, f32::min);
    let most = corners.iter().map(|corner| corner[1]).fold(f32::NEG_INFINITY, f32::max);
    [least - border, most + border]
}

/// Lists the items of each band of rows.
fn bin(bands: usize, items: impl Iterator<Item = [f32; 2]>) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); bands];
    for ([first, last], index) in items.zip(0..) {
        if last < 0.0 || first >= (bands * BAND) as f32 {
            continue;
        }
        let (first, last) = (first.max(0.0) as usize / BAND, (last as usize / BAND).min(bands - 1));
        lists[first..=last].iter_mut().for_each(|list| list.push(index));
    }
    lists
}

impl Screen<'_> {
    /// Projects all items that may be visible.
    fn project_all(&self, drawing: &Drawing) -> (Vec<ScreenTriangle>, Vec<ScreenLine>) {
        let volume = self.camera.volume();
        let of_instances: Vec<(Vec<ScreenTriangle>, Vec<ScreenLine>)> = drawing
            .instances
            .par_iter()
            .map(|instance| {
                let Some(shaded) = drawing.surfaces.get(instance.surface) else { return Default::default() };
                let (centre, half) = (shaded.bounds.centre(), shaded.bounds.half_extents());
                let is_empty = shaded.bounds.is_empty();
                let pose = (!is_empty).then(|| instance.pose.shifted(*instance.pose.rotation() * centre));
                match pose {
                    Some(Ok(pose)) if volume.classify_oriented_box(&pose, half) != Visibility::Outside => {
                        self.project_instance(instance, shaded)
                    }
                    _ => Default::default(),
                }
            })
            .collect();
        // Floors are mixed with the background, so they come first.
        let (mut triangles, mut lines) = (self.project_floors(drawing), Vec::new());
        for (some_triangles, some_lines) in of_instances {
            triangles.extend(some_triangles);
            lines.extend(some_lines);
        }
        let first = triangles.len();
        for (corners, colour) in &drawing.triangles {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            let brightness = self.lights.brightness(normal);
            self.clip_triangle(corners.map(|corner| (corner, brightness)), *colour, u8::MAX, &mut triangles);
        }
        for (corners, colour) in &drawing.flat {
            self.clip_triangle(corners.map(|corner| (corner, 1.0)), *colour, u8::MAX, &mut triangles);
        }
        // Triangles that mark a surface lie in it, and are drawn over it.
        for triangle in &mut triangles[first..] {
            triangle.corners.iter_mut().for_each(|corner| corner[2] -= MARK_BIAS);
        }
        for (ends, colour) in &drawing.lines {
            lines.extend(self.clip_line(*ends, *colour, LINE_WIDTH));
        }
        (triangles, lines)
    }

    /// Projects floors, by rings whose opacity falls from full to none.
    fn project_floors(&self, drawing: &Drawing) -> Vec<ScreenTriangle> {
        let mut triangles = Vec::new();
        for floor in &drawing.floors {
            let brightness = self.lights.brightness(floor.normal);
            let colour = floor.colour.map(|part| (f64::from(part) * brightness).min(255.0) as u8);
            let first = triangles.len();
            floor.triangles(|corners| self.clip_triangle(corners, colour, u8::MAX, &mut triangles));
            triangles[first..].iter_mut().for_each(|triangle| triangle.fades = true);
        }
        triangles
    }

    fn project_instance(&self, instance: &Instance, shaded: &ShadedSurface) -> (Vec<ScreenTriangle>, Vec<ScreenLine>) {
        let surface = &shaded.surface;
        let placed: Vec<Vec3> = surface.vertices.iter().map(|vertex| instance.pose.place(*vertex)).collect();
        let rotation = *instance.pose.rotation();
        let mask = mask_of(instance.opacity);
        let mut triangles = Vec::with_capacity(surface.triangles.len());
        for (corners, normals) in surface.triangles.iter().zip(&shaded.normals.0) {
            let lit = [0, 1, 2].map(|k| (placed[corners[k] as usize], self.lights.brightness(rotation * normals[k])));
            self.clip_triangle(lit, instance.colour, mask, &mut triangles);
        }
        // Edges of translucent surfaces are faint as they are.
        let colour = match mask == u8::MAX {
            true => meaning_colour(Meaning::Edge),
            false => instance.colour.map(|part| (f64::from(part) * 0.8) as u8),
        };
        let edges = surface.edges.iter();
        let lines = edges.filter_map(|ends| self.clip_line(ends.map(|end| placed[end as usize]), colour, EDGE_WIDTH));
        (triangles, lines.collect())
    }

    /// Projects a triangle with the brightness of its corners, without what lies before the near plane.
    fn clip_triangle(&self, corners: [(Vec3, f64); 3], colour: Colour, mask: u8, triangles: &mut Vec<ScreenTriangle>) {
        let seen = corners.map(|(corner, brightness)| (self.camera.view.to_camera(corner), brightness));
        let depth = |corner: &(Vec3, f64)| -corner.0.z - self.near;
        let project = |corner: &(Vec3, f64)| self.corner(corner.0, corner.1);
        // A corner that is not finite is not visible.
        let visible = seen.iter().filter(|corner| depth(corner) >= 0.0).count();
        match visible {
            3 => {
                if let [Some(a), Some(b), Some(c)] = [project(&seen[0]), project(&seen[1]), project(&seen[2])] {
                    triangles.push(ScreenTriangle { corners: [a, b, c], colour, mask, fades: false });
                }
            }
            0 => {}
            _ => {
                let mut polygon: Vec<(Vec3, f64)> = Vec::with_capacity(4);
                for k in 0..3 {
                    let (from, to) = (seen[k], seen[(k + 1) % 3]);
                    let (d0, d1) = (depth(&from), depth(&to));
                    if d0 >= 0.0 {
                        polygon.push(from);
                    }
                    if (d0 >= 0.0) != (d1 >= 0.0) {
                        let share = d0 / (d0 - d1);
                        polygon.push((from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share));
                    }
                }
                let projected: Vec<Corner> = polygon.iter().filter_map(project).collect();
                for k in 2..projected.len() {
                    let corners = [projected[0], projected[k - 1], projected[k]];
                    triangles.push(ScreenTriangle { corners, colour, mask, fades: false });
                }
            }
        }
    }

    /// Projects the piece of a line behind the near plane.
    fn clip_line(&self, ends: [Vec3; 2], colour: Colour, width: f32) -> Option<ScreenLine> {
        let [mut a, mut b] = ends.map(|end| self.camera.view.to_camera(end));
        let (d0, d1) = (-a.z - self.near, -b.z - self.near);
        if !(d0 >= 0.0 || d1 >= 0.0) {
            return None;
        }
        if (d0 >= 0.0) != (d1 >= 0.0) {
            let middle = a + (b - a) * (d0 / (d0 - d1));
            if d0 < 0.0 { a = middle } else { b = middle }
        }
        Some(ScreenLine { ends: [self.corner(a, 1.0)?, self.corner(b, 1.0)?], colour, width })
    }

    /// Projects a point of the frame of the camera to samples.
    fn corner(&self, point: Vec3, brightness: f64) -> Option<Corner> {
        let ndc = self.camera.projection.project(point)?.ndc;
        let x = (ndc.x + 1.0) * 0.5 * self.size[0] as f64;
        let y = (1.0 - ndc.y) * 0.5 * self.size[1] as f64;
        let corner = [x as f32, y as f32, ndc.z as f32, brightness as f32];
        corner.iter().all(|part| part.is_finite()).then_some(corner)
    }
}

/// Returns the colour of the background in a row of pixels.
pub(super) fn background(row: usize, height: usize) -> Colour {
    let share = row as f64 / height as f64;
    std::array::from_fn(|k| {
        (f64::from(BACKGROUND[0][k]) * (1.0 - share) + f64::from(BACKGROUND[1][k]) * share).round() as u8
    })
}

/// Returns the samples of a pixel that a surface of this opacity covers: two opposite ones for a half.
fn mask_of(opacity: f64) -> u8 {
    match (opacity * 4.0).round() as i64 {
        ..=0 => 0,
        1 => 0b0001,
        2 => 0b1001,
        3 => 0b1011,
        _ => u8::MAX,
    }
}
