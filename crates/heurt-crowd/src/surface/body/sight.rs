//! Sight of bodies on curved ground: what bodies see and could touch, and what discs see of bodies.
//!
//! In: a body, or a disc and a section. Out: touches of edges, neighbours and walls for a model, overlaps.
//! Method: all that is near a section is projected into the plane of its frame. A body chooses as on floors: like a
//! disc without a radius to which all others are shifted by the offset of its nearest edge point. It sees walls, other
//! bodies, and persons at rest; persons that walk avoid it. A disc sees the nearest edge point of a section. Sections
//! are found by circles round their origins, from cell to cell.
//! Guarantees: both of a pair that could overlap at the end of the step find each other. Cost: O(edges near an edge).

use super::super::SurfaceCrowd;
use super::super::route::{Bearing, turn};
use super::super::sight::{CURVATURE_MARGIN, SurfaceSight, Touched, keep_nearest_walls};
use super::overlap::nearest_in_space;
use super::{BodySection, BodyWish, NEAR, Side, SurfaceBody, WayOut, depth_at_wall, depth_of_pair, do_overlap};
use crate::crowd::measures::Overlaps;
use crate::crowd::outline::{AT_REST, CLEARANCE, EdgePush, EdgeTouch, Obstacle, PUSH_REACH, drive};
use crate::form::{box_gap, nearest_points};
use crate::ground::nearest_on;
use crate::space::VelocityHalfSpace;
use crate::space::model::SpaceView;
use crate::space::sight::Seen;
use crate::steer::WALL_SIGHT;
use heurt_geometry::{Vec2, Vec3};
use heurt_map::registration::EntityId;

/// A pair that could overlap at the end of a step: an own section and a section of another agent, 0 for discs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::surface) struct SectionTouch {
    pub own: u32,
    pub other: u32,
    pub section: u32,
}

/// Edges and balls that the first section of a body could touch in a step, in the plane of its frame.
#[derive(Debug, Default)]
pub(in crate::surface) struct BodyTouches {
    pub touches: Vec<EdgeTouch>,
    pub pushes: Vec<EdgePush>,
    /// Corners and edges of the section.
    pub corners: Vec<Vec2>,
}

/// Distances of a section within which others are of use, in metres.
#[derive(Debug, Clone, Copy)]
struct Reaches {
    /// Touched in this step.
    touch: f64,
    /// Seen by the model.
    sight: f64,
}

impl Reaches {
    fn longest(&self) -> f64 {
        self.touch.max(self.sight).max(PUSH_REACH)
    }
}

/// Projects a place into the plane of a frame.
fn project(section: &BodySection, place: Vec3) -> Vec2 {
    let [forward, left] = section.axes();
    let offset = place - section.origin;
    Vec2::new(forward.dot(offset), left.dot(offset))
}

fn nearer(a: &Option<EdgeTouch>, b: &EdgeTouch) -> bool {
    a.as_ref().is_none_or(|known| b.gap < known.gap)
}

impl SurfaceCrowd<'_> {
    /// Returns the body of an agent; `None` for a disc.
    pub(in crate::surface) fn body_of(&self, id: u32) -> Option<&SurfaceBody> {
        self.agents[id as usize].body.map(|body| &self.bodies[body as usize])
    }

    /// Returns the largest distance in metres that a part of an agent goes in a step: the tips of a body also turn.
    pub(in crate::surface) fn most_of(&self, id: u32, step: f64) -> f64 {
        let most = self.seen[id as usize].limit.min(self.longest_move / step) * step;
        if self.agents[id as usize].body.is_some() { 2.0 * most } else { most }
    }

    /// Returns a disc, or a section of a body, as it is now.
    pub(in crate::surface) fn side_of(&self, id: u32, section: u32) -> Side<'_> {
        match self.body_of(id) {
            Some(body) => Side::Section(&body.sections[section as usize]),
            None => {
                let agent = &self.agents[id as usize];
                let normal = self.ground.normal_of(agent.face);
                Side::Disc { place: agent.position, normal, radius: agent.radius }
            }
        }
    }

    /// Lets a body choose a motion, and returns it with the velocity that it would have alone; adds its overlaps.
    pub(in crate::surface) fn choose_for_body(
        &self,
        id: u32,
        bearing: &Bearing,
        step: f64,
        sight: &mut SurfaceSight,
        overlaps: &mut Overlaps,
    ) -> Option<(BodyWish, Vec3)> {
        let body = self.body_of(id)?;
        let (own, head) = (self.seen[id as usize], &body.sections[0]);
        let limit = own.limit.min(self.longest_move / step);
        self.look_round(id, step, sight, overlaps);
        let preferred = self.preferred(id, bearing, step);
        let SurfaceSight { near, walls, around, .. } = sight;
        let view = SpaceView { own: Seen { radius: CLEARANCE, ..own }, preferred, limit, step, near, walls };
        let chosen = self.models[own.group as usize].choose(&view);
        let chosen = Vec2::from_array(head.axes().map(|axis| axis.dot(chosen)));
        let rig = &body.rig.rig;
        let wish = drive(Vec2::X, chosen, (limit, rig.reach, rig.is_chain()), step);
        Some((BodyWish::within(body, wish, around, (limit, step)), preferred))
    }

    /// Finds what a body sees and could touch; adds its overlaps with discs, walls, and bodies of larger numbers.
    pub(in crate::surface) fn look_round(&self, id: u32, step: f64, sight: &mut SurfaceSight, overlaps: &mut Overlaps) {
        sight.near.clear();
        sight.walls.clear();
        sight.touched.clear();
        sight.around.touches.clear();
        sight.around.pushes.clear();
        let Some(body) = self.body_of(id) else { return };
        sight.around.corners.clear();
        let head = &body.sections[0];
        sight.around.corners.extend(head.corners.iter().map(|&corner| project(head, corner)));
        for own in 0..body.sections.len() as u32 {
            self.look_round_section((id, own), body, step, sight, overlaps);
        }
    }

    fn look_round_section(
        &self,
        (id, own): (u32, u32),
        body: &SurfaceBody,
        step: f64,
        sight: &mut SurfaceSight,
        overlaps: &mut Overlaps,
    ) {
        let section = &body.sections[own as usize];
        let model = &self.models[self.agents[id as usize].group as usize];
        let most = self.most_of(id, step);
        let SurfaceSight { visit, near, walls, touched, around, .. } = sight;
        let see = |radius: f64| model.reach(CLEARANCE + radius);
        let longest = |radius: f64, most_of_others: f64| radius + (most + most_of_others).max(see(radius));
        let discs = longest(self.largest.radius, self.largest.limit.min(self.longest_move / step) * step);
        let bodies = longest(self.largest_body.0, 2.0 * self.largest_body.1.min(self.longest_move / step) * step);
        let add = |entity: EntityId, _: f64| {
            let (other, number) = self.owner_of[entity.0 as usize];
            if other == id {
                return;
            }
            let sides = [Side::Section(section), self.side_of(other, number)];
            let reaches = Reaches { touch: most + self.most_of(other, step), sight: see(0.0) };
            let gap = sides[0].gap_of_circles(&sides[1]);
            if gap <= reaches.touch {
                touched.push(SectionTouch { own, other, section: number });
            }
            let is_first = id < other;
            let is_counted = is_first || self.body_of(other).is_none();
            if is_counted && gap < 0.0 {
                let ordered = if is_first { [&sides[0], &sides[1]] } else { [&sides[1], &sides[0]] };
                if do_overlap(ordered[0], ordered[1]) {
                    let size = self.size_of(id).min(self.size_of(other)).max(f64::MIN_POSITIVE);
                    overlaps.add_pair([id.min(other), id.max(other)], depth_of_pair(ordered[0], ordered[1]) / size);
                }
            }
            if own == 0 && gap <= reaches.longest() {
                near.extend(self.see_beside(section, &sides[1], (other, is_first), reaches, around));
            }
        };
        let point = body.points[own as usize].1;
        // The point is registered, and the radius is a number: this cannot fail.
        let _ = self.environment.for_each_within(point, section.circle + discs.max(bodies) + 2.0 * NEAR, visit, add);
        for wall in self.walls.near(section.face) {
            let depth = depth_at_wall(section, wall);
            if depth > 0.0 {
                overlaps.add_wall(depth / body.rig.rig.size);
            }
            if own == 0 {
                walls.extend(see_wall(section, wall, most, around));
            }
        }
        keep_nearest_walls(walls);
    }

    /// Returns the largest extent of an agent, in metres.
    pub(in crate::surface) fn size_of(&self, id: u32) -> f64 {
        self.body_of(id).map_or(2.0 * self.agents[id as usize].radius, |body| body.rig.rig.size)
    }

    /// Notes what the first section of a body could touch of a disc or a section; returns it as a model sees it.
    fn see_beside(
        &self,
        section: &BodySection,
        side: &Side<'_>,
        (other, is_first): (u32, bool),
        reaches: Reaches,
        around: &mut BodyTouches,
    ) -> Option<Seen> {
        let seen = self.seen[other as usize];
        let mut nearest: Option<EdgeTouch> = None;
        let count = around.corners.len();
        for edge in 0..count as u32 {
            let ends = [around.corners[edge as usize], around.corners[(edge as usize + 1) % count]];
            match side {
                Side::Disc { place, radius, .. } => {
                    let centre = project(section, *place);
                    let touch = EdgeTouch::disc(edge, ends, (other, centre, *radius), reaches.longest());
                    around.touches.extend(touch.filter(|touch| touch.gap <= reaches.touch));
                    nearest = touch.filter(|touch| nearer(&nearest, touch)).or(nearest);
                }
                Side::Section(theirs) => {
                    for (number, chord) in (0u32..).zip(theirs.edges()) {
                        let chord = chord.map(|end| project(section, end));
                        if box_gap(ends, chord) > reaches.longest() {
                            continue;
                        }
                        let obstacle = (Obstacle::Edge { body: other, edge: number }, chord);
                        let touch = EdgeTouch::segment(edge, ends, obstacle, is_first, reaches.longest());
                        around.touches.extend(touch.filter(|touch| touch.gap <= reaches.touch));
                        if let Some(touch) = touch.filter(|touch| touch.gap < PUSH_REACH) {
                            let [point, _] = nearest_points(ends, chord);
                            around.pushes.push(push_at(&touch, ends, point));
                        }
                        nearest = touch.filter(|touch| nearer(&nearest, touch)).or(nearest);
                    }
                }
            }
        }
        let touch = nearest.filter(|touch| touch.gap <= reaches.sight)?;
        let is_disc = matches!(side, Side::Disc { .. });
        if is_disc && seen.velocity.length_squared() >= AT_REST * AT_REST {
            return None;
        }
        let radius = if is_disc { seen.radius } else { 0.0 };
        let [forward, left] = section.axes();
        let away = forward * touch.normal.x + left * touch.normal.y;
        let velocity = turn(seen.velocity, self.ground.normal_of(self.agents[other as usize].face), section.normal);
        Some(Seen { position: section.origin - away * (touch.gap.max(0.0) + radius), velocity, radius, ..seen })
    }

    /// Computes the distance in metres within which a disc sees or touches origins of sections. Bodies are found by
    /// circles, and seen by the gaps to their edges.
    pub(in crate::surface) fn reach_to_bodies(&self, own: &Seen, step: f64) -> f64 {
        let (circle, limit) = self.largest_body;
        let most_of = |limit: f64| limit.min(self.longest_move / step) * step;
        let sight = self.models[own.group as usize].reach(own.radius);
        own.radius + circle.max(self.longest_ahead) + sight.max(most_of(own.limit) + 2.0 * most_of(limit)) + NEAR
    }

    /// Notes what a disc sees of a section, that it could touch it, and half-spaces of velocities for the edges.
    pub(in crate::surface) fn see_section(
        &self,
        (id, own, normal): (u32, &Seen, Vec3),
        (other, number): (u32, u32),
        step: f64,
        (touched, near, spaces): (&mut Touched, &mut Vec<Seen>, &mut Vec<VelocityHalfSpace>),
        way_out: &mut WayOut,
    ) {
        let Some(body) = self.body_of(other) else { return };
        if number == 0 {
            let reach = self.models[own.group as usize].reach(own.radius);
            near.extend(self.see_ahead((own, normal), (other, body), reach, way_out));
        }
        let most = self.most_of(id, step) + self.most_of(other, step);
        if self.side_of(id, 0).gap_of_circles(&self.side_of(other, number)) <= most {
            touched.push(SectionTouch { own: 0, other, section: number });
        }
        let section = &body.sections[number as usize];
        let mut nearest: Option<(f64, Vec3, usize)> = None;
        for (edge, ends) in section.edges().enumerate() {
            let point = nearest_in_space(ends, own.position);
            let offset = own.position - point;
            let distance = offset.length();
            let flat = offset - normal * normal.dot(offset);
            let Some(away) = flat.try_normalize() else { continue };
            let gap = distance - own.radius;
            if gap <= most {
                let free = (gap - CURVATURE_MARGIN * (own.radius + body.rig.rig.size)).max(0.0);
                spaces.push(VelocityHalfSpace { normal: away, least: -0.5 * free / step });
            }
            if nearest.is_none_or(|(least, ..)| distance < least) {
                nearest = Some((distance, away, edge));
            }
        }
        let Some((distance, away, edge)) = nearest else { return };
        let velocities = &body.velocities[number as usize];
        let velocity = 0.5 * (velocities[edge] + velocities[(edge + 1) % velocities.len()]);
        let velocity = turn(velocity - section.normal * section.normal.dot(velocity), section.normal, normal);
        let seen = self.seen[other as usize];
        near.push(Seen { position: own.position - away * distance, velocity, radius: 0.0, ..seen });
    }
}

/// Notes what the first section of a body could touch of a wall; returns the direction from it, and the gap.
fn see_wall(section: &BodySection, wall: [Vec3; 2], most: f64, around: &mut BodyTouches) -> Option<(Vec3, f64)> {
    let reach = most.max(WALL_SIGHT).max(PUSH_REACH);
    if nearest_in_space(wall, section.origin).distance(section.origin) > section.circle + reach {
        return None;
    }
    let chord = wall.map(|end| project(section, end));
    let (count, mut nearest) = (around.corners.len(), None);
    for edge in 0..count as u32 {
        let ends = [around.corners[edge as usize], around.corners[(edge as usize + 1) % count]];
        if box_gap(ends, chord) > reach {
            continue;
        }
        let Some(touch) = EdgeTouch::segment(edge, ends, (Obstacle::Wall, chord), true, reach) else { continue };
        if touch.gap <= most {
            around.touches.push(touch);
        }
        if touch.gap < PUSH_REACH {
            let [point, _] = nearest_points(ends, chord);
            around.pushes.push(push_at(&touch, ends, point));
        }
        if nearer(&nearest, &touch) {
            nearest = Some(touch);
        }
    }
    let [forward, left] = section.axes();
    nearest.map(|touch| (forward * touch.normal.x + left * touch.normal.y, touch.gap))
}

fn push_at(touch: &EdgeTouch, ends: [Vec2; 2], point: Vec2) -> EdgePush {
    let share = ends[0].distance(nearest_on(ends, point)) / ends[0].distance(ends[1]);
    let share = if share.is_finite() { share.min(1.0) } else { 0.0 };
    EdgePush { edge: touch.edge, normal: touch.normal, gap: touch.gap, share }
}
