//! Weights of points in the faces of a surface, updated while the faces are refined and coarsened.
//!
//! In: the weights of a point in a triangle of the fan of a face, and the change of the face. Out: the weights of the
//! same point of the surface in another triangle.
//! Method: ours. A *sector* is the triangle F S S' of the centre of a face and an edge of its own level, without
//! vertices that finer neighbours have put on the edge. Refining divides sectors by lines. In a face that becomes
//! quads, these are F M and the line between F and S, on which the quad's centre is the middle. In a triangle that
//! becomes triangles, these are the lines between middles of edges, and the lines from the corners of a piece to its
//! centre. Weights in a part are sums and differences of weights in the whole. If vertices have been moved since, the
//! point moves with the surface.
//! Guarantees: weights are not negative and sum to 1 up to rounding; zero weights, which put a point on an edge, stay
//! exactly zero. Cost: O(edges of the face).

use crate::multires::{ImplicitMap, Multiresolution};
use crate::{CombinatorialMap, Dart};
use smallvec::SmallVec;

/// A dart of a face, and the weights of the centre of the face, its start and its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weighted {
    pub dart: Dart,
    pub weights: [f64; 3],
}

impl Weighted {
    fn new(dart: Dart, weights: [f64; 3]) -> Self {
        Self { dart, weights }
    }

    /// Scales weights so that they sum to 1 again, up to rounding.
    fn normal(self) -> Self {
        let weights = self.weights.map(|weight| weight.max(0.0));
        let sum: f64 = weights.iter().sum();
        Self { weights: weights.map(|weight| weight / sum), ..self }
    }
}

/// Converts weights in a triangle to weights in the sector that contains it.
pub(super) fn whole(map: &ImplicitMap<2>, at: Weighted) -> Weighted {
    let level = map.face_level(at.dart);
    let is_old = |dart: &Dart| map.dart_level(*dart) <= Some(level);
    let own = crate::map::round(at.dart, |dart| map.map().phi1_inv(dart)).find(is_old).unwrap_or(at.dart);
    let pieces = pieces(map, own, level);
    let Some(place) = pieces.iter().position(|piece| piece.0 == at.dart).filter(|_| pieces.len() > 1) else {
        return at;
    };
    let (_, [low, high]) = pieces[place];
    let [f, s, t] = at.weights;
    Weighted::new(own, [f, s * (1.0 - low) + t * (1.0 - high), s * low + t * high]).normal()
}

/// Converts weights in a sector to weights in the triangle that contains the point.
pub(super) fn part(map: &ImplicitMap<2>, at: Weighted) -> Weighted {
    let pieces = pieces(map, at.dart, map.face_level(at.dart));
    let [f, s, t] = at.weights;
    let sum = s + t;
    let found = pieces.iter().find(|(_, [_, high])| t <= high * sum).filter(|_| pieces.len() > 1);
    let Some(&(dart, [low, high])) = found else { return at };
    let length = high - low;
    Weighted::new(dart, [f, (high * sum - t) / length, (t - low * sum) / length]).normal()
}

/// Returns the darts along an edge that a face has at its level, and which part of the edge each is.
fn pieces(map: &ImplicitMap<2>, own: Dart, level: u8) -> SmallVec<[(Dart, [f64; 2]); 4]> {
    let mut darts: SmallVec<[Dart; 4]> = SmallVec::from_slice(&[own]);
    let after = crate::map::round(own, |dart| map.map().phi1(dart)).skip(1);
    darts.extend(after.take_while(|&dart| map.dart_level(dart) > Some(level)));
    let mut shares: SmallVec<[f64; 5]> = SmallVec::from_elem(0.0, darts.len() + 1);
    // Each vertex is the middle of its two neighbours that came in before it.
    let mut spans: SmallVec<[([usize; 2], [f64; 2]); 4]> = SmallVec::new();
    spans.push(([0, darts.len()], [0.0, 1.0]));
    while let Some(([first, last], [low, high])) = spans.pop() {
        (shares[first], shares[last]) = (low, high);
        if let Some(mid) = (first + 1..last).min_by_key(|&place| map.dart_level(darts[place])) {
            let middle = (low + high) * 0.5;
            spans.extend([([first, mid], [low, middle]), ([mid, last], [middle, high])]);
        }
    }
    darts.iter().enumerate().map(|(place, &dart)| (dart, [shares[place], shares[place + 1]])).collect()
}

/// Converts weights in a sector of a face that has been refined to weights in a sector of a piece, of `level`.
pub(super) fn descend(map: &ImplicitMap<2>, level: u8, at: Weighted) -> Weighted {
    let view = map.at(level);
    let (start, mid) = (at.dart, view.phi1(at.dart));
    let end = map.phi1_at(start, level - 1);
    let [f, s, t] = at.weights;
    if view.face_darts(start).count() == 3 {
        let [a, b, c] = [s + f / 3.0, t + f / 3.0, f / 3.0];
        return if a >= b + c {
            in_triangle(map, level, start, [a - b - c, 2.0 * b, 2.0 * c])
        } else if b >= a + c {
            in_triangle(map, level, end, [b - a - c, 2.0 * c, 2.0 * a])
        } else {
            // From the middle of the previous edge to the middle of this edge.
            in_triangle(map, level, view.phi2(mid), [c + a - b, a + b - c, b + c - a])
        };
    }
    let (near, m) = ((s - t).abs(), 2.0 * s.min(t));
    if s >= t {
        // The quad at the start: the triangle S M, or M F.
        if near >= f {
            Weighted::new(start, [2.0 * f, near - f, m])
        } else {
            Weighted::new(mid, [2.0 * near, m, f - near])
        }
    } else {
        // The quad at the end: M S', or F M.
        let last = view.phi1_inv(end);
        if near >= f {
            Weighted::new(last, [2.0 * f, m, near - f])
        } else {
            Weighted::new(view.phi1_inv(last), [2.0 * near, f - near, m])
        }
    }
    .normal()
}

/// Converts weights in a sector of a piece, of `level`, that is to be coarsened to weights in a sector of the coarser
/// face.
pub(super) fn ascend(map: &ImplicitMap<2>, level: u8, at: Weighted) -> Weighted {
    let view = map.at(level);
    let [f, x, y] = at.weights;
    let corners: SmallVec<[Dart; 4]> = view.face_darts(at.dart).collect();
    let old = corners.iter().position(|&dart| map.dart_level(dart) < Some(level));
    if corners.len() == 3 {
        let third = f / 3.0;
        let weights = [x + third, y + third, third];
        let Some(old) = old else {
            // The middle triangle, from the middle of the edge before the edge of `start`.
            let start = view.phi1_inv(view.phi2(at.dart));
            let [w, u, v] = weights;
            return in_triangle(map, level - 1, start, [(w + u) / 2.0, (u + v) / 2.0, (v + w) / 2.0]);
        };
        let [a, b, c] = [old, old + 1, old + 2].map(|place| weights[place % 3]);
        return in_triangle(map, level - 1, corners[old], [a + (b + c) / 2.0, b / 2.0, c / 2.0]);
    }
    let old = old.unwrap_or(0);
    let half = f / 2.0;
    // The edges of the quad from its old corner on are S M, M F, F M' and M' S: their weights go to F, to S and to M or
    // M'.
    let edge = (corners.len() - old) % corners.len();
    let [f, s, m] = match edge {
        0 => [half, x + half, y],
        1 => [half + y, half, x],
        2 => [half + x, half, y],
        _ => [half, y + half, x],
    };
    let is_after = edge < 2;
    if is_after {
        Weighted::new(corners[old], [f, s + m / 2.0, m / 2.0])
    } else {
        Weighted::new(map.phi1_inv_at(corners[old], level - 1), [f, m / 2.0, s + m / 2.0])
    }
    .normal()
}

/// Finds the sector of a triangle, of `level`, that contains a point, by its weights from the start of a dart on.
fn in_triangle(map: &ImplicitMap<2>, level: u8, dart: Dart, weights: [f64; 3]) -> Weighted {
    let least = (0..3).min_by(|&i, &j| weights[i].total_cmp(&weights[j])).unwrap_or(0);
    let own = map.at(level).face_darts(dart).nth((least + 1) % 3).unwrap_or(dart);
    let [low, s, t] = [least, least + 1, least + 2].map(|place| weights[place % 3]);
    Weighted::new(own, [3.0 * low, s - low, t - low]).normal()
}
