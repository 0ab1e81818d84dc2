//! The axis that points up in a file, as its format defines or the file declares it.

use heurt_geometry::{Mat3, Vec3};
use std::fmt;

/// An axis that points up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UpAxis {
    /// x points up, and −y to the right.
    X,
    /// y points up, and x to the right, as in glTF.
    Y,
    /// z points up, and x to the right.
    Z,
}

impl UpAxis {
    /// Returns the rotation that turns coordinates with this axis up into coordinates with `target` up, as COLLADA
    /// defines the three frames. Its entries are −1, 0 and 1, so that no coordinate is rounded.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_io::UpAxis;
    /// assert_eq!(UpAxis::Y.rotation_to(UpAxis::Z) * Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, -3.0, 2.0));
    /// ```
    pub fn rotation_to(self, target: Self) -> Mat3 {
        target.frame() * self.frame().transpose()
    }

    /// Returns the directions right, up and to the viewer as columns.
    fn frame(self) -> Mat3 {
        match self {
            Self::X => Mat3::from_cols(-Vec3::Y, Vec3::X, Vec3::Z),
            Self::Y => Mat3::from_cols(Vec3::X, Vec3::Y, Vec3::Z),
            Self::Z => Mat3::from_cols(Vec3::X, Vec3::Z, -Vec3::Y),
        }
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::X => "X",
            Self::Y => "Y",
            Self::Z => "Z",
        })
    }
}
