//! Section view: a drawing without what lies on one side of a plane, and with filled cut faces.
//!
//! In: a [`Drawing`], a [`SectionPlane`]. Out: the drawing cut open.
//! Method: triangles and feature edges of placed surfaces are clipped at the plane; the segments in which the plane
//! meets them bound the cut faces, which are filled in strips (`cap`). Lines are clipped, points and labels are kept or
//! not.
//! Guarantees: where two or more solids overlap, the cut face has a colour of its own.
//! Not guaranteed: cut faces are exact within a strip, 1/2048 of their extent. A surface with a hole in the plane has
//! no cut face in the strips of the hole.
//! Cost: linear in triangles; strips × segments that cross them for the cut faces.

mod cap;
mod clip;

use super::Drawing;
use super::drawing::ShadedSurface;
use crate::palette::{Colour, meaning_colour};
use clip::{clip_line, clip_surface};
use heurt_geometry::{Aabb, Meaning, Pose, Triangle, Vec3};

/// Brightness of cut faces, as a share of the colour of the part, in any light: they differ from its outer faces.
const CUT_SHADE: f64 = 0.85;

/// A plane that cuts a drawing open: what lies on the side of its normal is taken away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionPlane {
    normal: Vec3,
    offset: f64,
}

impl SectionPlane {
    /// Makes a plane of a normal of any length and the distance of the plane from the origin along it; `None` if the
    /// normal has no direction or a number is not finite.
    pub fn new(normal: Vec3, offset: f64) -> Option<Self> {
        let unit = normal.normalize_or_zero();
        (unit != Vec3::ZERO && offset.is_finite()).then_some(Self { normal: unit, offset })
    }

    /// Returns the plane that takes away the side of a viewer who looks along `forward`. A plane that the viewer sees
    /// edge-on stays as it is.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_view::picture::SectionPlane;
    /// let plane = SectionPlane::new(Vec3::Z, 2.0).unwrap();
    /// // From above, what is higher than 2 is taken away; from below, what is lower.
    /// assert!(plane.facing(-Vec3::Z).height(Vec3::Z * 3.0) > 0.0);
    /// assert!(plane.facing(Vec3::Z).height(Vec3::Z * 3.0) < 0.0);
    /// ```
    pub fn facing(self, forward: Vec3) -> Self {
        match self.normal.dot(forward) > 1e-9 {
            true => Self { normal: -self.normal, offset: -self.offset },
            false => self,
        }
    }

    /// Returns the signed distance of a point; what is above 0 is taken away.
    pub fn height(&self, point: Vec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// Returns the unit normal, towards what is taken away.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }
}

impl Drawing {
    /// Cuts the drawing open: nothing remains above the plane, and solids have cut faces in a darker shade of their
    /// colour. An overlap of solids has the colour that `overlap` returns for the numbers of two of them, in the order
    /// in which they were placed.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_mesh::generate;
    /// use heurt_view::picture::{Caption, Direction, Drawing, SectionPlane, draw_picture, frame_bounds};
    /// use heurt_view::{Surface, palette::CLASH};
    /// let mut drawing = Drawing::default();
    /// for radius in [2.0, 1.0] {
    ///     let ball = drawing.add_surface(Surface::of_mesh(&generate::icosphere(radius, 3)?));
    ///     drawing.add_instance(ball, Pose::IDENTITY, [150; 3]);
    /// }
    /// let camera = frame_bounds(&drawing.bounds(), Direction::Top, Vec3::Z, 1.0)?;
    /// let plane = SectionPlane::new(Vec3::Z, 0.0).unwrap();
    /// drawing.cut_open(&plane.facing(camera.view.forward()), &|_, _| CLASH);
    /// let [red, green, blue] = draw_picture(&drawing, &camera, [100, 100], &Caption::default()).pixel(50, 50);
    /// assert!(red > 2 * green && red > 2 * blue, "the inner ball lies in the outer one");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut_open(&mut self, plane: &SectionPlane, overlap: &dyn Fn(usize, usize) -> Colour) {
        let mut cut = cap::CutFaces::new(plane);
        let mut instances = Vec::with_capacity(self.instances.len());
        for (number, instance) in std::mem::take(&mut self.instances).into_iter().enumerate() {
            let Some(shaded) = self.surfaces.get(instance.surface) else { continue };
            let corners = shaded.bounds.corners().map(|corner| plane.height(instance.pose.place(corner)));
            let is_empty = shaded.bounds.is_empty();
            if is_empty || corners.iter().all(|height| *height > 0.0) {
                continue;
            }
            if corners.iter().all(|height| *height <= 0.0) {
                instances.push(instance);
                continue;
            }
            let (surface, segments) = clip_surface(&shaded.surface, &instance.pose, plane);
            let shade = instance.colour.map(|part| (f64::from(part) * CUT_SHADE) as u8);
            cut.add(number, shade, &segments);
            let outline = meaning_colour(Meaning::Edge);
            self.lines.extend(segments.into_iter().map(|ends| (ends, outline)));
            self.surfaces.push(ShadedSurface::new(surface));
            let surface = self.surfaces.len() - 1;
            instances.push(super::Instance { surface, pose: Pose::IDENTITY, ..instance });
        }
        self.instances = instances;
        self.cut_items(plane);
        cut.fill(overlap, self);
    }

    /// Cuts what is in the world frame.
    fn cut_items(&mut self, plane: &SectionPlane) {
        // The outlines of the cut faces lie in the plane, up to rounding.
        let size = self.bounds().half_extents().max_element();
        let rounding = if size.is_finite() { 1e-9 * size } else { 0.0 };
        let is_kept = |at: Vec3| plane.height(at) <= rounding;
        for list in [&mut self.lines, &mut self.arrows] {
            *list =
                list.iter().filter_map(|(ends, colour)| Some((clip_line(*ends, plane, rounding)?, *colour))).collect();
        }
        for list in [&mut self.triangles, &mut self.flat] {
            let pieces = |(corners, colour): &(Triangle, Colour)| {
                let colour = *colour;
                clip::clip_triangle(*corners, plane).into_iter().map(move |piece| (piece, colour))
            };
            *list = list.iter().flat_map(pieces).collect();
        }
        // Floors along the plane are kept or not; all other floors stay whole.
        self.floors.retain(|floor| is_kept(floor.centre) || floor.normal.dot(plane.normal).abs() < 0.99);
        self.marks.retain(|(at, _)| is_kept(*at));
        self.texts.retain(|(at, ..)| is_kept(*at));
        self.labels.retain(|label| is_kept(label.at));
    }
}

impl ShadedSurface {
    /// Computes normals and box of a surface.
    pub(in super::super) fn new(surface: crate::Surface) -> Self {
        let bounds = Aabb::from_points(surface.vertices.iter().copied());
        let normals = super::shading::corner_normals(&surface);
        Self { surface, normals, bounds }
    }
}
