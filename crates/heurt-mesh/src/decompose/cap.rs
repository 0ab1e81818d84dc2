//! Cap triangulation: triangles that close the loops along which a part was cut.
//!
//! In: closed walks of vertices, and their positions in the plane of the cut: outer borders counter-clockwise, holes
//! clockwise. Out: oriented triangles whose border is the walks.
//! Method: holes are joined to the border around them by bridges, which are traversed in both directions; ears are cut
//! off (Meisters 1975).
//! Guarantees: the border is exact for any positions, because each ear replaces two edges by one, and a bridge cancels;
//! this holds even for walks that cross themselves. Only the choice of ears and bridges depends on rounded positions.
//! For simple walks the triangles stay within them as a rule.
//! Cost: O(n²) up to a bound; longer walks are thinned first.

use heurt_geometry::Vec2;

/// Limit of vertices of a walk: longer walks are thinned.
const LONGEST: usize = 2048;
/// Limit of points tested for one walk; beyond it ears are cut without a test.
const PATIENCE: usize = 1 << 25;
/// The number of nearest vertices tried as the second end of a bridge.
const BRIDGES: usize = 24;

/// Computes triangles whose border is `loops`.
pub(super) fn cap(loops: Vec<Vec<u32>>, seen: impl Fn(u32) -> Vec2) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    let (mut borders, mut holes) = (Vec::new(), Vec::new());
    for mut walk in loops {
        thin(&mut walk, &seen, &mut triangles);
        let area = area(&walk, &seen);
        if area < 0.0 { holes.push((area, walk)) } else { borders.push((area, walk)) }
    }
    borders.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut orphans = Vec::new();
    // Holes are processed smallest first: a bridge to a hole must not cross another hole, which by then is part of
    // the border.
    holes.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, hole) in holes {
        let probe = seen(hole[0]);
        match borders.iter_mut().find(|(_, border)| winds_round(border, &seen, probe)) {
            Some((_, border)) => bridge(border, hole, &seen),
            None => orphans.push(hole),
        }
    }
    for (_, border) in borders {
        cut_ears(border, &seen, &mut triangles);
    }
    for mut hole in orphans {
        // No border is around it: the solid is inside out there.
        hole.reverse();
        let first = triangles.len();
        cut_ears(hole, &seen, &mut triangles);
        triangles[first..].iter_mut().for_each(|corners| corners.swap(1, 2));
    }
    triangles
}

/// Computes twice the signed area.
fn area(walk: &[u32], seen: &impl Fn(u32) -> Vec2) -> f64 {
    let origin = seen(walk[0]);
    let pairs = walk.iter().zip(walk.iter().cycle().skip(1));
    pairs.map(|(&a, &b)| (seen(a) - origin).perp_dot(seen(b) - origin)).sum()
}

/// Returns a positive number if the three points turn left.
fn turn(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Removes every second vertex of a long walk as an ear, until it is short.
fn thin(walk: &mut Vec<u32>, seen: &impl Fn(u32) -> Vec2, triangles: &mut Vec<[u32; 3]>) {
    while walk.len() > LONGEST {
        // The flattest ears are cut first, so that little area is cut off.
        let size = |k: usize| turn(seen(walk[k - 1]), seen(walk[k]), seen(walk[(k + 1) % walk.len()])).abs();
        let mut order: Vec<(f64, usize)> = (1..walk.len()).step_by(2).map(|k| (size(k), k)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.truncate(walk.len() / 4);
        let mut goes = vec![false; walk.len()];
        for (_, k) in order {
            goes[k] = true;
            push([walk[k - 1], walk[k], walk[(k + 1) % walk.len()]], triangles);
        }
        let mut kept = goes.iter();
        walk.retain(|_| !kept.next().copied().unwrap_or(false));
    }
}

/// Adds a triangle unless two of its corners are equal: such a triangle cancels.
fn push(corners: [u32; 3], triangles: &mut Vec<[u32; 3]>) {
    let [a, b, c] = corners;
    if a != b && b != c && c != a {
        triangles.push(corners);
    }
}

/// Reports whether the walk winds around `point`.
fn winds_round(walk: &[u32], seen: &impl Fn(u32) -> Vec2, point: Vec2) -> bool {
    let mut winding = 0;
    for (&a, &b) in walk.iter().zip(walk.iter().cycle().skip(1)) {
        let (a, b) = (seen(a), seen(b));
        if a.y <= point.y && b.y > point.y && turn(a, b, point) > 0.0 {
            winding += 1;
        } else if b.y <= point.y && a.y > point.y && turn(a, b, point) < 0.0 {
            winding -= 1;
        }
    }
    winding != 0
}

/// Inserts `hole` into `border`, there and back along a segment that crosses neither, up to rounding.
fn bridge(border: &mut Vec<u32>, hole: Vec<u32>, seen: &impl Fn(u32) -> Vec2) {
    let highest = |k: &usize| seen(hole[*k]).x;
    let from = (0..hole.len()).max_by(|i, j| highest(i).total_cmp(&highest(j))).unwrap_or(0);
    let start = seen(hole[from]);
    let distance = |k: &usize| (seen(border[*k]) - start).length_squared();
    let mut order: Vec<usize> = (0..border.len()).collect();
    order.sort_by(|i, j| distance(i).total_cmp(&distance(j)).then(i.cmp(j)));
    let is_free = |&k: &usize| {
        let end = seen(border[k]);
        let crosses = |walk: &[u32]| {
            let sides = walk.iter().zip(walk.iter().cycle().skip(1));
            let mut places = sides.map(|(&a, &b)| (seen(a), seen(b)));
            places.any(|(a, b)| {
                let along = turn(start, end, a) * turn(start, end, b);
                let across = turn(a, b, start) * turn(a, b, end);
                along < 0.0 && across < 0.0
            })
        };
        // The bridge must leave into the wedge of the border there.
        let (before, after) =
            (seen(border[(k + border.len() - 1) % border.len()]), seen(border[(k + 1) % border.len()]));
        let (left, right) = (turn(before, end, start) > 0.0, turn(end, after, start) > 0.0);
        let inward = if turn(before, end, after) > 0.0 { left && right } else { left || right };
        inward && !crosses(border) && !crosses(&hole)
    };
    let to = order.iter().copied().take(BRIDGES).find(is_free).unwrap_or(order[0]);
    let round = (0..=hole.len()).map(|k| hole[(from + k) % hole.len()]);
    let there_and_back: Vec<u32> = round.chain([border[to]]).collect();
    border.splice(to + 1..to + 1, there_and_back);
}

/// Cuts ears off `walk` until nothing is left of it.
fn cut_ears(walk: Vec<u32>, seen: &impl Fn(u32) -> Vec2, triangles: &mut Vec<[u32; 3]>) {
    let places: Vec<Vec2> = walk.iter().map(|&vertex| seen(vertex)).collect();
    let count = walk.len();
    let mut next: Vec<usize> = (1..count).chain([0]).collect();
    let mut before: Vec<usize> = [count - 1].into_iter().chain(0..count - 1).collect();
    let (mut at, mut left, mut tried, mut looked) = (0, count, 0, 0);
    // Each iteration cuts an ear or advances; after a whole lap, or beyond the limit of tests, any ear is cut.
    while left > 2 {
        let (p, q) = (before[at], next[at]);
        let corner = [places[p], places[at], places[q]];
        let give_in = tried > left || looked > PATIENCE;
        if give_in || is_ear(&walk, &places, &next, [p, at, q], corner, &mut looked) {
            push([walk[p], walk[at], walk[q]], triangles);
            (next[p], before[q]) = (q, p);
            (left, tried) = (left - 1, 0);
            // The neighbour is skipped: fans of needles would grow.
            at = next[q];
        } else {
            tried += 1;
            at = q;
        }
    }
}

/// Reports whether the corner turns left and no other vertex lies in its triangle.
fn is_ear(
    walk: &[u32],
    places: &[Vec2],
    next: &[usize],
    [p, at, q]: [usize; 3],
    [a, b, c]: [Vec2; 3],
    looked: &mut usize,
) -> bool {
    let area = turn(a, b, c);
    if area <= 0.0 {
        // A straight corner is an ear without area; a spike is not an ear.
        return area == 0.0 && (a - b).dot(c - b) < 0.0;
    }
    let mut k = next[q];
    while k != p {
        *looked += 1;
        let d = places[k];
        let is_other = ![walk[p], walk[at], walk[q]].contains(&walk[k]);
        if is_other && turn(a, b, d) >= 0.0 && turn(b, c, d) >= 0.0 && turn(c, a, d) >= 0.0 {
            return false;
        }
        k = next[k];
    }
    true
}
