//! Paths of a disc along the Voronoi diagram of points and segments.
//!
//! In: the diagram, two places, a radius. Out: the shortest path along the diagram on which the disc touches no site,
//! or the path of the largest disc.
//! Method: S0 figure 1.8; retraction (Ó'Dúnlaing and Yap 1985). Both ends move to the diagram, away from their nearest
//! site. Dijkstra's algorithm then runs over the arcs that admit the disc. The largest disc: first the path whose least
//! clearance is largest, rounded; then the largest radius in `f64` that is still admitted, by bisection.
//! Guarantees: a gap of width g admits discs of radius at most g / 2, exactly (see the module above). If a disc can go
//! from one place to the second, a path is found: retraction never reduces clearance. The same input, the same path.
//! Not guaranteed: the shortest path in the plane; this one keeps to the middle. In the open, outside all outlines, the
//! middle is far away: there paths are up to some hundred extents long. Clearance at the two places is rounded.
//! Cost: O(n log n) a path; the largest disc takes 30 to 60 searches of O(n).

use super::SegmentVoronoi;
use super::arcs::Arc;
use super::curve::ArcCurve;
use super::exact::Gap;
use super::path::DiscPath;
use super::retract::ArcPlace;
use heurt_geometry::Vec2;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The share of a radius by which a vertex may be less clear. A vertex is no gap: between two places of clearance r the
/// path is least clear in a gap, which is compared exactly.
const VERTEX_SLACK: f64 = 1e-9;
/// The width of the bisection for the largest radius, as a share: above the rounding of a gap of 1e-6 extents.
const WIDEST_SPAN: f64 = 1e-9;

/// Plans the path of a disc, centre from `from` to `to`. Returns none if the disc does not fit, and if a place is on a
/// site, outside the [`domain`](SegmentVoronoi::domain) or not finite, or the radius is negative or not finite.
pub fn plan_disc(diagram: &SegmentVoronoi, from: Vec2, to: Vec2, radius: f64) -> Option<DiscPath> {
    Journey::new(diagram, from, to)?.plan(radius)
}

/// Finds the largest disc that can move from one place to another, and its shortest path along the diagram. The radius
/// is in metres. Returns none as [`plan_disc`], and if no disc fits.
pub fn widest_path(diagram: &SegmentVoronoi, from: Vec2, to: Vec2) -> Option<(f64, DiscPath)> {
    let journey = Journey::new(diagram, from, to)?;
    let widest = journey.bottleneck()?;
    let mut low = widest;
    let mut step = WIDEST_SPAN;
    while !journey.connects(low) {
        if step > 1e-3 {
            return None;
        }
        low = widest * (1.0 - step);
        step *= 10.0;
    }
    let high = (widest * (1.0 + WIDEST_SPAN)).max(low.next_up());
    let (mut low, mut high) = (low.to_bits(), high.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if journey.connects(f64::from_bits(middle)) { low = middle } else { high = middle }
    }
    let radius = f64::from_bits(low);
    Some((radius, journey.plan(radius)?))
}

/// Two places on the diagram, with the points that moved to them, in the local frame.
struct Journey<'d> {
    diagram: &'d SegmentVoronoi,
    ends: [Vec2; 2],
    places: [ArcPlace; 2],
    clearance: f64,
}

/// A step of a path: an arc, to one of its vertices.
#[derive(Debug, Clone, Copy)]
struct Step {
    arc: u32,
    from: Option<u32>,
}

impl<'d> Journey<'d> {
    fn new(diagram: &'d SegmentVoronoi, from: Vec2, to: Vec2) -> Option<Self> {
        let [low, high] = diagram.domain();
        let is_inside = |point: Vec2| point.cmpge(low).all() && point.cmple(high).all();
        if !(is_inside(from) && is_inside(to)) {
            return None;
        }
        let ends = [from, to].map(|point| point - diagram.centre);
        let near = ends.map(|point| diagram.nearest_local(point));
        let clearance = near[0].1.min(near[1].1);
        if clearance <= 0.0 {
            return None;
        }
        let places = [diagram.retract(ends[0], near[0].0)?, diagram.retract(ends[1], near[1].0)?];
        Some(Self { diagram, ends, places, clearance })
    }

    fn arc(&self, number: u32) -> &'d Arc {
        &self.diagram.arcs[number as usize]
    }

    /// Least clearance of the part of an arc between two parameters that have the clearances given; none without a
    /// gap in it.
    fn gap_between(&self, arc: &Arc, from: f64, to: f64) -> Option<Gap> {
        let gap = arc.gap?;
        let middle = match arc.curve {
            ArcCurve::Parabola { .. } => 0.0,
            ArcCurve::Line { .. } => match gap {
                Gap::Points([p, q]) => arc.curve.parameter_near(p + 0.5 * (q - p)),
                // Parallel segments: the gap is as wide everywhere.
                Gap::Line(..) => from,
            },
        };
        (middle >= from.min(to) && middle <= from.max(to)).then_some(gap)
    }

    fn clearance_of(&self, vertex: u32) -> f64 {
        self.diagram.vertices[vertex as usize].clearance
    }

    fn vertex_admits(&self, vertex: u32, radius: f64) -> bool {
        self.clearance_of(vertex) >= radius * (1.0 - VERTEX_SLACK)
    }

    fn arc_admits(&self, arc: &Arc, radius: f64) -> bool {
        let at_ends = arc.ends.into_iter().all(|end| self.vertex_admits(end, radius));
        at_ends && arc.gap.is_none_or(|gap| gap.admits(2.0 * radius))
    }

    /// Reports whether the disc can move from a place to an end of its arc.
    fn place_admits(&self, place: &ArcPlace, end: usize, radius: f64) -> bool {
        let arc = self.arc(place.arc);
        let gap = self.gap_between(arc, place.parameter, arc.curve.range()[end]);
        self.vertex_admits(arc.ends[end], radius) && gap.is_none_or(|gap| gap.admits(2.0 * radius))
    }

    /// Reports whether both places are on one arc and the disc can move between them.
    fn direct_admits(&self, radius: f64) -> bool {
        let [first, last] = &self.places;
        let gap = || self.gap_between(self.arc(first.arc), first.parameter, last.parameter);
        first.arc == last.arc && gap().is_none_or(|gap| gap.admits(2.0 * radius))
    }

    /// The arcs at a vertex on which discs move, each with its second vertex.
    fn neighbours(&self, vertex: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.diagram.arcs_at[vertex as usize].into_iter().filter(|&arc| arc != u32::MAX).filter_map(move |number| {
            let arc = self.arc(number);
            let other = if arc.ends[0] == vertex { arc.ends[1] } else { arc.ends[0] };
            (!arc.is_own).then_some((number, other))
        })
    }

    /// The vertices that a place leads to, each with the length of the piece.
    fn exits(&self, which: usize, radius: f64) -> Vec<(u32, f64)> {
        let place = self.places[which];
        let arc = self.arc(place.arc);
        let piece = |end: usize| arc.curve.part(place.parameter, arc.curve.range()[end]).length();
        let admitted = (0..2).filter(|&end| self.place_admits(&place, end, radius));
        admitted.map(|end| (arc.ends[end], piece(end))).collect()
    }

    /// Reports whether a disc can go from one end to the second.
    fn connects(&self, radius: f64) -> bool {
        if self.clearance < radius {
            return false;
        }
        if self.direct_admits(radius) {
            return true;
        }
        let mut seen = vec![false; self.diagram.vertices.len()];
        let goals: Vec<u32> = self.exits(1, radius).into_iter().map(|(vertex, _)| vertex).collect();
        let mut open: Vec<u32> = self.exits(0, radius).into_iter().map(|(vertex, _)| vertex).collect();
        while let Some(vertex) = open.pop() {
            if std::mem::replace(&mut seen[vertex as usize], true) {
                continue;
            }
            if goals.contains(&vertex) {
                return true;
            }
            let admitted = self.neighbours(vertex).filter(|&(arc, _)| self.arc_admits(self.arc(arc), radius));
            open.extend(admitted.map(|(_, other)| other).filter(|&other| !seen[other as usize]));
        }
        false
    }

    /// The largest least clearance of all paths, rounded.
    fn bottleneck(&self) -> Option<f64> {
        let limit = |place: &ArcPlace, end: usize| {
            let arc = self.arc(place.arc);
            self.place_limit(place, arc.curve.range()[end]).min(self.clearance_of(arc.ends[end]))
        };
        let [first, last] = &self.places;
        let mut best = f64::NEG_INFINITY;
        if first.arc == last.arc {
            best = self.clearance.min(self.place_limit(first, last.parameter));
        }
        let mut known = vec![f64::NEG_INFINITY; self.diagram.vertices.len()];
        let mut open = BinaryHeap::new();
        for end in 0..2 {
            open.push((limit(first, end).min(self.clearance).to_bits(), self.arc(first.arc).ends[end]));
        }
        while let Some((bits, vertex)) = open.pop() {
            let width = f64::from_bits(bits);
            if known[vertex as usize] >= width {
                continue;
            }
            known[vertex as usize] = width;
            let wider = |(arc, other): (u32, u32)| {
                let reached = width.min(self.arc(arc).least);
                (known[other as usize] < reached).then_some((reached.to_bits(), other))
            };
            open.extend(self.neighbours(vertex).filter_map(wider));
        }
        for end in 0..2 {
            best = best.max(known[self.arc(last.arc).ends[end] as usize].min(limit(last, end)));
        }
        (best > 0.0).then_some(best)
    }

    fn plan(&self, radius: f64) -> Option<DiscPath> {
        if !(radius >= 0.0 && radius.is_finite() && self.clearance >= radius) {
            return None;
        }
        let [first, last] = &self.places;
        let direct = self.direct_admits(radius).then(|| {
            let curve = self.arc(first.arc).curve.part(first.parameter, last.parameter);
            (curve.length(), curve)
        });
        let mut total = vec![f64::INFINITY; self.diagram.vertices.len()];
        let mut came = vec![Step { arc: first.arc, from: None }; self.diagram.vertices.len()];
        let mut open = BinaryHeap::new();
        for (vertex, length) in self.exits(0, radius) {
            if length < total[vertex as usize] {
                total[vertex as usize] = length;
                open.push(Reverse((length.to_bits(), vertex)));
            }
        }
        while let Some(Reverse((bits, vertex))) = open.pop() {
            if total[vertex as usize].to_bits() != bits {
                continue;
            }
            for (number, other) in self.neighbours(vertex) {
                let length = f64::from_bits(bits) + self.arc(number).curve.length();
                if length < total[other as usize] && self.arc_admits(self.arc(number), radius) {
                    total[other as usize] = length;
                    came[other as usize] = Step { arc: number, from: Some(vertex) };
                    open.push(Reverse((length.to_bits(), other)));
                }
            }
        }
        let reached = self.exits(1, radius).into_iter().map(|(vertex, piece)| (total[vertex as usize] + piece, vertex));
        let goal = reached.filter(|(length, _)| length.is_finite()).min_by(|a, b| a.0.total_cmp(&b.0));
        match (direct, goal) {
            (Some((length, curve)), goal) if goal.is_none_or(|(other, _)| length <= other) => {
                let least = self.place_limit(first, last.parameter);
                Some(self.path(vec![curve], least))
            }
            (_, Some((_, vertex))) => Some(self.trace(vertex, &came)),
            _ => None,
        }
    }

    /// Reads the arcs from the first place to a vertex, and on to the last place.
    fn trace(&self, goal: u32, came: &[Step]) -> DiscPath {
        let [first, last] = &self.places;
        let end_at = |arc: &Arc, vertex: u32| arc.curve.range()[usize::from(arc.ends[0] != vertex)];
        let end = end_at(self.arc(last.arc), goal);
        let mut curves = vec![self.arc(last.arc).curve.part(end, last.parameter)];
        let mut least = self.place_limit(last, end).min(self.clearance_of(goal));
        let mut vertex = goal;
        while let Step { arc, from: Some(from) } = came[vertex as usize] {
            let arc = self.arc(arc);
            curves.push(if arc.ends[0] == from { arc.curve } else { arc.curve.reversed() });
            least = least.min(arc.least);
            vertex = from;
        }
        let end = end_at(self.arc(first.arc), vertex);
        curves.push(self.arc(first.arc).curve.part(first.parameter, end));
        curves.reverse();
        self.path(curves, least.min(self.place_limit(first, end)).min(self.clearance_of(vertex)))
    }

    /// Half the gap between a place and a parameter of its arc; infinite without a gap.
    fn place_limit(&self, place: &ArcPlace, to: f64) -> f64 {
        let gap = self.gap_between(self.arc(place.arc), place.parameter, to);
        gap.map_or(f64::INFINITY, |gap| 0.5 * gap.width()[0])
    }

    fn path(&self, curves: Vec<ArcCurve>, least: f64) -> DiscPath {
        let line = |from: Vec2, to: Vec2| ArcCurve::Line { ends: [from, to] };
        let [first, last] = &self.places;
        let start = std::iter::once(line(self.ends[0], first.at));
        let all = start.chain(curves).chain(std::iter::once(line(last.at, self.ends[1])));
        let pieces = all.map(|curve| curve.translated(self.diagram.centre)).collect();
        DiscPath::new(pieces, self.clearance.min(least))
    }
}
