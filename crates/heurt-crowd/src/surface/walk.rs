//! Walks on curved ground: straightest geodesics from a point of a free face.
//!
//! In: a face, a point of it, a displacement in its plane, in metres. Out: the face and the point at its end, and a
//! vector that was carried along. Method: at an edge the displacement is turned round the edge into the plane of the
//! next face (Polthier, Schmies 1998). A walk does not leave a face by the edge through which it came, so that rounding
//! cannot send it back and forth.
//! Guarantees: walks end at walls. The same bits on every machine. Cost: O(faces on the path).

use super::SurfaceGround;
use heurt_geometry::Vec3;

/// No neighbour: a wall.
pub(super) const NO_EDGE: u32 = u32::MAX;

/// Faces that a walk may pass: bodies are far smaller than the ground.
const MOST_FACES: usize = 4096;

/// A point of a free face, and a vector in the plane of the face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Footing {
    pub face: u32,
    pub place: Vec3,
    pub carried: Vec3,
}

impl SurfaceGround {
    /// Walks by a displacement in the plane of a face; `None` if a wall ends the walk.
    pub(super) fn walk(&self, from: Footing, displacement: Vec3) -> Option<Footing> {
        let Footing { mut face, mut place, mut carried } = from;
        let (mut left, mut entry) = (displacement, usize::MAX);
        for _ in 0..MOST_FACES {
            let (corners, normal) = (self.corners[face as usize], self.normals[face as usize]);
            let (mut share, mut exit) = (1.0, usize::MAX);
            for k in (0..3).filter(|&k| k != entry) {
                let inward = normal.cross(corners[(k + 1) % 3] - corners[k]);
                let rate = inward.dot(left);
                if rate < 0.0 {
                    let until = inward.dot(place - corners[k]).max(0.0) / -rate;
                    if until < share {
                        (share, exit) = (until, k);
                    }
                }
            }
            place += left * share;
            if exit == usize::MAX {
                return Some(Footing { face, place, carried });
            }
            let twin = self.twins[3 * face as usize + exit];
            if twin == NO_EDGE {
                return None;
            }
            left *= 1.0 - share;
            let along = (corners[(exit + 1) % 3] - corners[exit]).normalize_or_zero();
            face = twin / 3;
            entry = twin as usize % 3;
            let turned = Turn { along, out: [along.cross(normal), along.cross(self.normals[face as usize])] };
            (left, carried) = (turned.apply(left), turned.apply(carried));
        }
        None
    }
}

/// A turn round an edge from one face into the next.
struct Turn {
    along: Vec3,
    /// Unit vectors across the edge, out of the first face and into the second.
    out: [Vec3; 2],
}

impl Turn {
    fn apply(&self, vector: Vec3) -> Vec3 {
        self.along * self.along.dot(vector) + self.out[1] * self.out[0].dot(vector)
    }
}
