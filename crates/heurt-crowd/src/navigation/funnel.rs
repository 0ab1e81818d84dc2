//! Funnel: the shortest path through a corridor of triangles.
//!
//! In: a start, the sides that the path crosses, an end. Out: the bends and the end.
//! Method: the funnel of all straight paths from the last bend narrows from side to side; where a side lies beyond it,
//! the path bends (Chazelle 1982, Lee and Preparata 1984). After a bend it begins again behind it.
//! Guarantees: signs are exact (`orient2d`). Cost: O(sides) in practice, O(sides · bends) at worst.

use heurt_geometry::{Sign, Vec2, Vec3, orient2d};

/// Finds the shortest path through a corridor: its bends and its end. Portals have their right end first.
pub(super) fn shortest_in(from: Vec2, portals: &[[Vec3; 2]], end: Vec3) -> Vec<Vec3> {
    let mut path = Vec::new();
    let mut apex = from;
    // The portal after the apex, and the ends of the funnel with the portals that they are of.
    let mut first = 0;
    loop {
        let mut funnel: [Option<(Vec3, usize)>; 2] = [None, None];
        let mut bend = None;
        'corridor: for place in first..=portals.len() {
            let portal = portals.get(place).copied().unwrap_or([end; 2]);
            for (side, outer) in [(0, Sign::Negative), (1, Sign::Positive)] {
                let (point, other) = (portal[side], funnel[1 - side]);
                let turn = |corner: Vec3| orient2d(apex, corner.truncate(), point.truncate());
                let widens = |(corner, _): (Vec3, usize)| corner.truncate() != apex && turn(corner) == outer;
                if funnel[side].is_some_and(widens) {
                    continue;
                }
                // Beyond the opposite side of the funnel, the path bends round the end of that side.
                bend = other.filter(|&(corner, _)| corner.truncate() != apex && turn(corner) == outer.flipped());
                if bend.is_some() {
                    break 'corridor;
                }
                funnel[side] = Some((point, place));
            }
        }
        let Some((corner, at)) = bend else { break };
        path.push(corner);
        apex = corner.truncate();
        first = at + 1;
    }
    path.push(end);
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::SplitMix64;

    fn length(from: Vec2, path: &[Vec3]) -> f64 {
        let all: Vec<Vec2> = std::iter::once(from).chain(path.iter().map(|bend| bend.truncate())).collect();
        all.windows(2).map(|leg| leg[0].distance(leg[1])).sum()
    }

    /// The shortest path over all ends of portals, each leg through all portals in between.
    fn brute_force(from: Vec2, portals: &[[Vec3; 2]], end: Vec3) -> f64 {
        let mut nodes = vec![(0, from)];
        for (k, portal) in portals.iter().enumerate() {
            nodes.extend(portal.map(|corner| (k + 1, corner.truncate())));
        }
        nodes.push((portals.len() + 1, end.truncate()));
        let mut least = vec![f64::INFINITY; nodes.len()];
        least[0] = 0.0;
        for i in 0..nodes.len() {
            for j in i + 1..nodes.len() {
                let ((first, a), (last, b)) = (nodes[i], nodes[j]);
                let passes = |[right, left]: &[Vec3; 2]| {
                    orient2d(a, b, right.truncate()) != Sign::Positive
                        && orient2d(a, b, left.truncate()) != Sign::Negative
                };
                if last > first && portals[first..last - 1].iter().all(passes) {
                    least[j] = least[j].min(least[i] + a.distance(b));
                }
            }
        }
        least[nodes.len() - 1]
    }

    #[test]
    fn paths_are_as_short_as_brute_force_finds_them() {
        let (mut random, mut bends) = (SplitMix64::new(7), 0);
        for round in 0..2_000 {
            // Upright portals from left to right; coordinates of a coarse lattice make corners on lines.
            let coarse = round % 2 == 0;
            let mut draw = |low: f64, high: f64| {
                let x = random.between(low, high);
                if coarse { x.round() } else { x }
            };
            let count = 1 + round % 9;
            let portals: Vec<[Vec3; 2]> = (0..count)
                .map(|k| {
                    let (x, right) = (1.0 + f64::from(k), draw(-4.0, 4.0));
                    let left = right + draw(0.0, 3.0) + 1.0;
                    [Vec3::new(x, right, 0.0), Vec3::new(x, left, 0.0)]
                })
                .collect();
            let from = Vec2::new(0.0, draw(-4.0, 4.0));
            let end = match round % 5 {
                0 => portals[count as usize - 1][0],
                _ => Vec3::new(f64::from(count) + 1.0, draw(-4.0, 4.0), 0.0),
            };
            let path = shortest_in(from, &portals, end);
            let (found, wanted) = (length(from, &path), brute_force(from, &portals, end));
            assert!((found - wanted).abs() < 1e-9 * wanted, "{found} against {wanted}: {from} {portals:?} {end}");
            bends += path.len() - 1;
        }
        assert!(bends > 2_000, "{bends} bends");
    }

    #[test]
    fn portals_through_one_corner_are_a_fan() {
        let corner = Vec3::ZERO;
        let around = |turn: f64| Vec3::new(turn.cos(), turn.sin(), 0.0);
        // Clockwise round the corner, by three quarters of a turn.
        let portals: Vec<[Vec3; 2]> = (1..8).map(|k| [corner, around(-0.6 * f64::from(k))]).collect();
        let path = shortest_in(Vec2::new(0.5, 0.1), &portals, around(-5.0) * 0.5);
        assert_eq!(path, [corner, around(-5.0) * 0.5]);
    }
}
