//! Arcs and vertices of the diagram, as data.
//!
//! In: the dual graph of all sites. Out: vertices, arcs with curve, sites and least clearance; the arcs of each cell.
//! Method: the clearance along an arc has one minimum. It lies in the middle of the gap between the two sites if the
//! arc contains this place, else at an end. The gap is kept, so that discs are compared with it exactly.
//! Guarantees: as the module above. Cost: O(n).

use super::SegmentVoronoi;
use super::curve::ArcCurve;
use super::exact::{Gap, are_parallel};
use super::graph::DualGraph;
use super::input::Input;
use super::site::{Site, is_own_end};
use super::vertex::ClearVertex;
use heurt_geometry::Vec2;

/// A site, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlaneSite {
    /// A point, or an end of segments.
    Point(Vec2),
    /// A segment without its ends, which are sites of their own.
    Segment([Vec2; 2]),
}

/// A vertex of the diagram: a point at equal distance from three sites.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArcVertex {
    /// The position, in metres, rounded.
    pub position: Vec2,
    /// Distance from the three sites, in metres, rounded.
    pub clearance: f64,
    /// The three sites, counter-clockwise; none for the frame that cuts arcs without end.
    pub sites: [Option<u32>; 3],
}

/// An arc of the diagram: points at equal distance from two sites.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoronoiArc {
    /// Its two sites.
    pub sites: [u32; 2],
    /// Its two vertices; both may have the same position.
    pub ends: [u32; 2],
    /// Its points, in metres.
    pub curve: ArcCurve,
    /// The least distance from its sites along it, in metres, rounded.
    pub least_clearance: f64,
    /// True for the perpendicular between a segment and its own end. Such arcs bound cells, and no disc moves on them.
    pub is_perpendicular: bool,
}

/// An arc in the local frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    pub(super) sites: [u32; 2],
    pub(super) ends: [u32; 2],
    pub(super) curve: ArcCurve,
    pub(super) least: f64,
    /// The gap between its sites, if the arc contains its middle.
    pub(super) gap: Option<Gap>,
    pub(super) is_own: bool,
}

/// Distance from the middle of a gap up to which an arc contains it: a share of half the gap, and of the extent. The
/// clearance differs by half the square of the share, less than its rounding.
const NEAR_GAP: [f64; 2] = [1e-9, 1e-14];

impl SegmentVoronoi {
    /// Reads the graph. Sites are numbered: points, segments, frame.
    pub(super) fn read(input: Input, graph: &DualGraph, order: &[u32]) -> Self {
        let (points, segments) = (input.points.len(), input.segments.len());
        let number = |site: u32| match (site as usize).checked_sub(points) {
            None => site,
            Some(frame) if frame < 3 => (points + segments + frame) as u32,
            Some(inserted) => points as u32 + order[inserted - 3],
        };
        let mut sites = vec![Site::Point(Vec2::ZERO); graph.sites.len()];
        for (site, &value) in (0..).zip(&graph.sites) {
            sites[number(site) as usize] = value;
        }
        let count = graph.vertices.len() as u32;
        let kept = |triangle: u32| if triangle > graph.outer { triangle - 1 } else { triangle };
        let triangles = (0..count).filter(|&triangle| triangle != graph.outer);
        let corners = triangles.clone().map(|triangle| graph.corners(triangle).map(number)).collect();
        let vertices = triangles.map(|triangle| graph.vertices[triangle as usize]).collect();
        let mut diagram = Self {
            centre: input.centre,
            bounds: input.bounds,
            size: input.size,
            sites,
            point_count: points,
            site_of_point: input.site_of_point,
            site_of_segment: input.site_of_segment,
            vertices,
            corners,
            arcs_at: vec![[u32::MAX; 3]; count as usize - 1],
            arcs: Vec::new(),
            cell_begin: Vec::new(),
            cell_arcs: Vec::new(),
        };
        for h in 0..3 * count {
            let back = graph.twin[h as usize];
            if h > back || [h / 3, back / 3].contains(&graph.outer) {
                continue;
            }
            let arc = diagram.arc(graph.arc_sites(h).map(number), [h, back].map(|half_edge| kept(half_edge / 3)));
            for half_edge in [h, back] {
                diagram.arcs_at[kept(half_edge / 3) as usize][(half_edge % 3) as usize] = diagram.arcs.len() as u32;
            }
            diagram.arcs.push(arc);
        }
        diagram.list_cells();
        diagram
    }

    fn arc(&self, sites: [u32; 2], ends: [u32; 2]) -> Arc {
        let vertices = ends.map(|end| self.vertices[end as usize]);
        let curve = ArcCurve::between(&self.sites, sites, vertices.map(|vertex| vertex.at));
        let is_own = is_own_end(&self.sites, sites[0], sites[1]);
        let gap = if is_own { None } else { self.gap(sites, &curve) };
        let at_ends = vertices[0].clearance.min(vertices[1].clearance);
        let least = match (gap, sites.map(|site| &self.sites[site as usize])) {
            (Some(gap), _) => at_ends.min(0.5 * gap.width()[0]),
            (None, [Site::Point(at), Site::Segment(_)] | [Site::Segment(_), Site::Point(at)]) if is_own => {
                at_ends.min((curve.at(curve.parameter_near(*at)) - *at).length())
            }
            _ => at_ends,
        };
        Arc { sites, ends, curve, least, gap, is_own }
    }

    /// Finds the gap between two sites if an arc contains its middle.
    fn gap(&self, sites: [u32; 2], curve: &ArcCurve) -> Option<Gap> {
        let (gap, middle) = match sites.map(|site| &self.sites[site as usize]) {
            [Site::Point(p), Site::Point(q)] => (Gap::Points([*p, *q]), *p + 0.5 * (*q - *p)),
            [Site::Point(p), Site::Segment(wall)] | [Site::Segment(wall), Site::Point(p)] => {
                let ArcCurve::Parabola { .. } = curve else { return None };
                (Gap::Line(*p, [wall.start, wall.stop]), curve.at(0.0))
            }
            [Site::Segment(first), Site::Segment(second)] => {
                let is_gap = first.shared_end(second).is_none()
                    && are_parallel([first.start, first.stop], [second.start, second.stop]);
                return is_gap.then_some(Gap::Line(first.start, [second.start, second.stop]));
            }
        };
        let near = NEAR_GAP[0] * 0.5 * gap.width()[0] + NEAR_GAP[1] * self.size;
        ((curve.at(curve.parameter_near(middle)) - middle).length() <= near).then_some(gap)
    }

    fn list_cells(&mut self) {
        self.cell_begin = vec![0; self.sites.len() + 1];
        for site in self.arcs.iter().flat_map(|arc| arc.sites) {
            self.cell_begin[site as usize + 1] += 1;
        }
        for site in 0..self.sites.len() {
            self.cell_begin[site + 1] += self.cell_begin[site];
        }
        let mut free = self.cell_begin.clone();
        self.cell_arcs = vec![0; 2 * self.arcs.len()];
        for (number, arc) in (0u32..).zip(&self.arcs) {
            for site in arc.sites {
                self.cell_arcs[free[site as usize] as usize] = number;
                free[site as usize] += 1;
            }
        }
    }

    pub(super) fn arcs_of(&self, site: u32) -> &[u32] {
        let [begin, end] = [site, site + 1].map(|place| self.cell_begin[place as usize] as usize);
        &self.cell_arcs[begin..end]
    }

    /// Returns the number of sites: points at different places, then segments.
    pub fn site_count(&self) -> usize {
        self.sites.len() - 3
    }

    /// Returns a site, in metres; none for an unknown number.
    pub fn site(&self, site: u32) -> Option<PlaneSite> {
        let known = self.sites.get(site as usize).filter(|_| (site as usize) < self.site_count())?;
        Some(match known {
            Site::Point(at) => PlaneSite::Point(*at + self.centre),
            Site::Segment(wall) => PlaneSite::Segment([wall.start, wall.stop].map(|end| end + self.centre)),
        })
    }

    /// Returns the site of a given point, by its number.
    pub fn site_of_point(&self, point: usize) -> Option<u32> {
        self.site_of_point.get(point).copied()
    }

    /// Returns the site of a given segment, by its number: a point if its ends agree.
    pub fn site_of_segment(&self, segment: usize) -> Option<u32> {
        self.site_of_segment.get(segment).copied()
    }

    /// Returns the vertices. An arc names its ends by their numbers here.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = ArcVertex> + '_ {
        let real = |site: u32| Some(site).filter(|&site| (site as usize) < self.site_count());
        self.vertices.iter().zip(&self.corners).map(move |(&ClearVertex { at, clearance }, corners)| ArcVertex {
            position: at + self.centre,
            clearance,
            sites: corners.map(real),
        })
    }

    /// Returns the arcs between all sites. Arcs without end are cut by the frame.
    pub fn arcs(&self) -> impl Iterator<Item = VoronoiArc> + '_ {
        let count = self.site_count() as u32;
        let real = self.arcs.iter().filter(move |arc| arc.sites.iter().all(|&site| site < count));
        real.map(|arc| VoronoiArc {
            sites: arc.sites,
            ends: arc.ends,
            curve: arc.curve.translated(self.centre),
            least_clearance: arc.least,
            is_perpendicular: arc.is_own,
        })
    }

    /// Returns the lower and the upper corner of the box in which the diagram is complete, in metres: the box around
    /// the sites, enlarged on each side by its diagonal.
    pub fn domain(&self) -> [Vec2; 2] {
        let margin = Vec2::splat(self.size);
        [self.bounds[0] - margin + self.centre, self.bounds[1] + margin + self.centre]
    }

    /// Finds the site nearest to a point and its distance, in metres; the least number of equals. Cost: O(n).
    pub fn nearest_site(&self, point: Vec2) -> (u32, f64) {
        self.nearest_local(point - self.centre)
    }

    pub(super) fn nearest_local(&self, point: Vec2) -> (u32, f64) {
        let mut best = (0, f64::INFINITY);
        for (number, site) in (0u32..).zip(&self.sites[..self.site_count()]) {
            let distance = site.distance(point);
            if distance < best.1 {
                best = (number, distance);
            }
        }
        best
    }

    /// Returns the number of points at different places: segments have numbers from there on.
    pub fn point_count(&self) -> usize {
        self.point_count
    }
}
