//! The Voronoi diagram of points and segments, and paths of a disc, against distances to all sites.

mod diagram;
mod hostile;
mod plan;

use heurt_geometry::{PlanArea, Vec2, orient2d};
use heurt_map::segment_voronoi::{PlaneSite, SegmentVoronoi};
use heurt_testkit::number::random::Random;

fn point(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

/// Distance to a site by its definition.
fn distance(site: &PlaneSite, x: Vec2) -> f64 {
    match site {
        PlaneSite::Point(p) => (x - *p).length(),
        PlaneSite::Segment([a, b]) => {
            let along = *b - *a;
            let share = ((x - *a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (x - (*a + along * share)).length()
        }
    }
}

fn sites(diagram: &SegmentVoronoi) -> Vec<PlaneSite> {
    (0..diagram.site_count() as u32).map(|site| diagram.site(site).unwrap()).collect()
}

/// Distance to the nearest of all sites.
fn clearance(sites: &[PlaneSite], x: Vec2) -> f64 {
    sites.iter().map(|site| distance(site, x)).fold(f64::INFINITY, f64::min)
}

fn is_within([low, high]: [Vec2; 2], x: Vec2) -> bool {
    x.cmpge(low).all() && x.cmple(high).all()
}

/// Checks vertices and arcs within the domain by brute force. Returns the worst error as a share of the extent.
fn worst_error(diagram: &SegmentVoronoi) -> f64 {
    let (sites, domain) = (sites(diagram), diagram.domain());
    let mut worst = 0.0f64;
    let mut check = |x: Vec2, near: &[u32], least: f64| {
        if is_within(domain, x) {
            let nearest = clearance(&sites, x);
            for &site in near {
                worst = worst.max((distance(&sites[site as usize], x) - nearest).abs());
            }
            worst = worst.max(least - nearest);
        }
    };
    let vertices: Vec<_> = diagram.vertices().collect();
    for vertex in &vertices {
        let near: Vec<u32> = vertex.sites.iter().flatten().copied().collect();
        assert!(near.len() == 3 || !is_within(domain, vertex.position));
        check(vertex.position, &near, vertex.clearance);
    }
    for arc in diagram.arcs() {
        let [first, last] = arc.curve.range();
        for step in 0..=6 {
            check(arc.curve.at(first + (last - first) * f64::from(step) / 6.0), &arc.sites, arc.least_clearance);
        }
        for (end, vertex) in arc.curve.ends().into_iter().zip(arc.ends) {
            let at = vertices[vertex as usize].position;
            if is_within(domain, at) && (end - at).length() > 1e-7 * ((domain[1] - domain[0]).length() + at.length()) {
                return f64::INFINITY;
            }
        }
    }
    worst / (domain[1] - domain[0]).length()
}

fn crosses([a, b]: [Vec2; 2], [c, d]: [Vec2; 2]) -> bool {
    orient2d(a, b, c) != orient2d(a, b, d) && orient2d(c, d, a) != orient2d(c, d, b)
}

/// Segments at random in the unit square that do not cross.
fn soup(random: &mut Random, count: usize, longest: f64) -> Vec<[Vec2; 2]> {
    let mut kept: Vec<[Vec2; 2]> = Vec::new();
    for _ in 0..20 * count {
        let a = point(random.unit(), random.unit());
        let offset = random.vector(longest);
        let segment = [a, a + point(offset.x, offset.y)];
        if kept.len() < count && kept.iter().all(|&other| !crosses(segment, other)) {
            kept.push(segment);
        }
    }
    kept
}

/// A star-shaped ring around a centre.
fn ring(random: &mut Random, centre: Vec2, radius: [f64; 2], corners: usize) -> Vec<Vec2> {
    let corner = |k: usize| {
        let (sin, cos) = (k as f64 / corners as f64 * std::f64::consts::TAU).sin_cos();
        centre + point(cos, sin) * random.between(radius[0], radius[1])
    };
    (0..corners).map(corner).collect()
}

/// A room of extent 2 with holes at random.
fn room(random: &mut Random) -> PlanArea {
    let outline = ring(random, Vec2::ZERO, [0.75, 1.0], 17);
    let mut holes = Vec::new();
    for k in 0..25 {
        let centre = point(f64::from(k % 5) - 2.0, f64::from(k / 5) - 2.0) * 0.25;
        if random.one_in(2) && centre.length() < 0.55 {
            let corners = random.whole(3, 7) as usize;
            holes.push(ring(random, centre, [0.03, 0.12], corners));
        }
    }
    PlanArea { outline, holes }
}

/// A floor of 12 m × 6 m, divided by two walls with a gap each, in the middle of the wall. Corners go through `place`.
fn floor(gaps: [f64; 2], place: impl Fn(f64, f64) -> Vec2) -> Vec<[Vec2; 2]> {
    let outline = [[0.0, 0.0], [4.0, 0.0], [8.0, 0.0], [12.0, 0.0], [12.0, 6.0], [8.0, 6.0], [4.0, 6.0], [0.0, 6.0]];
    let corner = |k: usize| place(outline[k % 8][0], outline[k % 8][1]);
    let mut walls: Vec<[Vec2; 2]> = (0..8).map(|k| [corner(k), corner(k + 1)]).collect();
    for (x, gap) in [4.0, 8.0].into_iter().zip(gaps) {
        walls.push([place(x, 0.0), place(x, 3.0 - 0.5 * gap)]);
        walls.push([place(x, 3.0 + 0.5 * gap), place(x, 6.0)]);
    }
    walls
}
