//! Sites of the diagram in the plane: points and segments.
//!
//! In: coordinates in a local frame. Out: distances, feet of perpendiculars.
//! Method: a segment keeps its unit direction; its ends are sites of their own. Guarantees: finite for finite input.
//! Not guaranteed: distances are rounded, by at most a few ulps of the distance to the first end. Cost: O(1).

use heurt_geometry::Vec2;

/// A segment with the numbers of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wall {
    pub(super) ends: [u32; 2],
    pub(super) start: Vec2,
    pub(super) stop: Vec2,
    /// Unit direction from `start` to `stop`.
    pub(super) direction: Vec2,
    pub(super) length: f64,
}

/// A site in the local frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Site {
    Point(Vec2),
    Segment(Wall),
}

impl Wall {
    pub(super) fn new(ends: [u32; 2], start: Vec2, stop: Vec2) -> Self {
        let length = (stop - start).length();
        Self { ends, start, stop, direction: (stop - start) / length, length }
    }

    /// Unit normal, to the left of the direction.
    pub(super) fn normal(&self) -> Vec2 {
        self.direction.perp()
    }

    /// Signed distance from the line: positive on the left.
    pub(super) fn side(&self, point: Vec2) -> f64 {
        self.direction.perp_dot(point - self.nearer_end(point))
    }

    /// Place of the foot along the segment, from `start`.
    pub(super) fn along(&self, point: Vec2) -> f64 {
        self.direction.dot(point - self.start)
    }

    pub(super) fn has_end(&self, point: u32) -> bool {
        self.ends.contains(&point)
    }

    /// The end that both segments share.
    pub(super) fn shared_end(&self, other: &Wall) -> Option<u32> {
        self.ends.into_iter().find(|&end| other.has_end(end))
    }

    /// The coordinates of an end, and those of the opposite end.
    pub(super) fn ends_from(&self, end: u32) -> [Vec2; 2] {
        if self.ends[0] == end { [self.start, self.stop] } else { [self.stop, self.start] }
    }

    fn nearer_end(&self, point: Vec2) -> Vec2 {
        if (point - self.start).length_squared() <= (point - self.stop).length_squared() {
            self.start
        } else {
            self.stop
        }
    }

    /// Distance to the nearest point of the segment, ends included.
    pub(super) fn distance(&self, point: Vec2) -> f64 {
        (point - self.foot(point)).length()
    }

    /// The nearest point of the segment, ends included.
    pub(super) fn foot(&self, point: Vec2) -> Vec2 {
        let along = self.along(point);
        if along <= 0.0 {
            self.start
        } else if along >= self.length {
            self.stop
        } else {
            point - self.normal() * self.side(point)
        }
    }
}

impl Site {
    /// Distance to the nearest point of the site.
    pub(super) fn distance(&self, point: Vec2) -> f64 {
        match self {
            Site::Point(at) => (point - *at).length(),
            Site::Segment(wall) => wall.distance(point),
        }
    }

    /// Distance to the point, or to the line of the segment.
    pub(super) fn line_distance(&self, point: Vec2) -> f64 {
        match self {
            Site::Point(at) => (point - *at).length(),
            Site::Segment(wall) => wall.side(point).abs(),
        }
    }

    pub(super) fn foot(&self, point: Vec2) -> Vec2 {
        match self {
            Site::Point(at) => *at,
            Site::Segment(wall) => wall.foot(point),
        }
    }
}

/// Reports whether one site is a segment and the second is one of its ends.
pub(super) fn is_own_end(sites: &[Site], p: u32, q: u32) -> bool {
    let ends = |wall: u32, point: u32| match &sites[wall as usize] {
        Site::Segment(wall) => wall.has_end(point),
        Site::Point(_) => false,
    };
    ends(p, q) || ends(q, p)
}
