//! Lays bodies on the ground.
//!
//! In: rigs, a place and a heading, motions of the first section. Out: sections with their corners, or the
//! obstacle. Cost: O(corners and faces within the body).

use super::super::SurfaceGround;
use super::super::walk::Footing;
use super::{BodySection, SurfaceRig};
use crate::form::find_crossing;
use heurt_geometry::{Vec2, Vec3};

/// The least cosine between the normals of the origin and of a corner: 45°. Then the normals of two bodies that touch
/// are within 90° of each other, and the ground of both is seen from outside along their mean.
pub(super) const LEAST_COSINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Why a body cannot be at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LayFault {
    /// A wall is between its origin and a corner.
    Wall,
    /// The ground bends too much under it: a corner, and the angle in radians.
    Bend(Vec3, f64),
    /// A corner is further from the origin than bodies may be stretched, or its edges cross.
    Shape,
}

impl BodySection {
    /// Returns the origin with the heading.
    fn footing(&self) -> Footing {
        Footing { face: self.face, place: self.origin, carried: self.heading }
    }

    /// Returns a displacement in its frame as a vector.
    fn vector(&self, [x, y]: [f64; 2]) -> Vec3 {
        let [forward, left] = self.axes();
        forward * x + left * y
    }
}

impl SurfaceGround {
    /// Lays a section whose heading is carried by its footing.
    fn lay(&self, at: Footing, shape: Vec<Vec2>, circle: f64) -> Result<BodySection, LayFault> {
        let normal = self.normal_of(at.face);
        let flat = at.carried - normal * normal.dot(at.carried);
        let heading = flat.normalize_or_zero();
        let corners = Vec::with_capacity(shape.len());
        let mut section = BodySection { face: at.face, origin: at.place, normal, heading, shape, corners, circle };
        for place in 0..section.shape.len() {
            let corner = section.shape[place];
            if corner.length() > circle * (1.0 + 1e-9) {
                return Err(LayFault::Shape);
            }
            let end = self.walk(section.footing(), section.vector(corner.to_array())).ok_or(LayFault::Wall)?;
            let cosine = normal.dot(self.normal_of(end.face));
            if cosine < LEAST_COSINE {
                return Err(LayFault::Bend(end.place, libm::acos(cosine.clamp(-1.0, 1.0))));
            }
            section.corners.push(end.place);
        }
        Ok(section)
    }

    /// Lays a straight body whose heading is carried by its footing.
    pub(super) fn lay_straight(&self, rig: &SurfaceRig, at: Footing) -> Result<Vec<BodySection>, LayFault> {
        let mut sections: Vec<BodySection> = Vec::with_capacity(rig.circles.len());
        for (section, &circle) in rig.rig.sections.iter().zip(&rig.circles) {
            let from = match (sections.last(), sections.len()) {
                (Some(before), count) => self.rear_of(before, rig.rig.sections[count - 1].rear_hinge)?,
                (None, _) => at,
            };
            sections.push(self.lay(from, section.corners.clone(), circle)?);
        }
        Ok(sections)
    }

    /// Finds the rear hinge of a section, with its heading.
    fn rear_of(&self, section: &BodySection, hinge: Vec2) -> Result<Footing, LayFault> {
        self.walk(section.footing(), section.vector(hinge.to_array())).ok_or(LayFault::Wall)
    }

    /// Lays a body after its first section has moved by a displacement in the plane of its face, turned to the left by
    /// an angle in radians and taken a shape; all further sections follow.
    pub(super) fn lay_moved(
        &self,
        rig: &SurfaceRig,
        before: &[BodySection],
        (shift, turn): (Vec3, f64),
        shape: Vec<Vec2>,
    ) -> Result<Vec<BodySection>, LayFault> {
        let first = &before[0];
        if rig.rig.matching.is_some() && find_crossing(&shape).is_some() {
            return Err(LayFault::Shape);
        }
        let mut at = self.walk(first.footing(), shift).ok_or(LayFault::Wall)?;
        let left = self.normal_of(at.face).cross(at.carried);
        at.carried = at.carried * libm::cos(turn) + left * libm::sin(turn);
        let mut sections = vec![self.lay(at, shape, first.circle)?];
        for (k, section) in before.iter().enumerate().skip(1) {
            let mut hinge = self.rear_of(&sections[k - 1], rig.rig.sections[k - 1].rear_hinge)?;
            let rear = self.rear_of(section, Vec2::new(-rig.rig.sections[k].length, 0.0))?;
            // The rear moves towards the hinge.
            let normal = self.normal_of(hinge.face);
            let ahead = hinge.place - rear.place;
            hinge.carried = (ahead - normal * normal.dot(ahead)).try_normalize().unwrap_or(hinge.carried);
            sections.push(self.lay(hinge, section.shape.clone(), section.circle)?);
        }
        Ok(sections)
    }
}
