//! Views of crowds of any kind: their place, the parts of their agents, layers.
//!
//! In: a crowd on floors, on curved ground, or in space. Out: a drawing, or what a page needs, in metres.
//! Method: an agent is drawn as parts, a disc or a ball or the sections of its body. Parts of one form share a surface;
//! the colour of a part is its place on a scale of speeds. Cost: O(agents + cells).

use super::{CrowdLayer, speed_colour};
use crate::Surface;
use crate::palette::Colour;
use crate::picture::Drawing;
use crate::wire::AgentPlace;
use heurt_geometry::{Aabb, DrawSink, Mat3, Pose, Vec2, Vec3};
use std::collections::BTreeMap;

/// Something of the place of a crowd that does not move.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenery {
    /// Its name, as `floor`.
    pub name: &'static str,
    /// In the world frame.
    pub surface: Surface,
    /// Its colour.
    pub colour: Colour,
    /// Everybody knows what it is, so that legends leave it out.
    pub is_plain: bool,
}

/// The scale of speeds by which agents are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeedScale {
    /// The name of the speed.
    pub label: &'static str,
    /// Names of its lower end, its middle and its upper end.
    pub names: [&'static str; 3],
}

/// The form of a part of an agent.
#[derive(Debug, Clone, PartialEq)]
pub enum PartForm {
    /// A disc on a floor, of a radius in metres.
    Disc(f64),
    /// A ball of a radius in metres.
    Ball(f64),
    /// A section of a body that keeps its shape: the same for all agents of a group.
    Section,
    /// A section that bends or deforms: its vertices now, in metres, from the place of the part.
    Bent(Vec<Vec3>),
}

/// An agent that is drawn, or a section of its body.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentPart {
    /// The number of the agent.
    pub agent: u32,
    /// The number of its group.
    pub group: u32,
    /// The number of the section; 0 for discs and balls.
    pub section: u32,
    /// Its form.
    pub form: PartForm,
    /// Its place, and its speed on the scale.
    pub place: AgentPlace,
    /// The velocity of the agent, in m/s.
    pub velocity: Vec3,
    /// The own speed of the agent, in m/s.
    pub own_speed: f64,
}

/// Parts that share a surface: by group and section, by the bits of a radius, or alone.
type SurfaceKey = (u8, u64, u32);

impl AgentPart {
    /// Returns the key of its surface: parts with equal keys have equal surfaces.
    pub fn surface_key(&self) -> SurfaceKey {
        match self.form {
            PartForm::Disc(radius) => (0, radius.to_bits(), 0),
            PartForm::Ball(radius) => (1, radius.to_bits(), 0),
            PartForm::Section => (2, self.group.into(), self.section),
            PartForm::Bent(_) => (3, self.agent.into(), self.section),
        }
    }

    fn pose(&self) -> Option<Pose> {
        let AgentPlace { at, heading, .. } = self.place;
        let [x, y] = [heading, heading.perp()].map(|axis| axis.extend(0.0));
        Pose::from_matrix(Mat3::from_cols(x, y, Vec3::Z), at).ok()
    }
}

/// A view of a crowd of some kind: it knows the place at the start, and shows any later state.
pub trait AgentView<C> {
    /// Returns the box of all that is shown.
    fn bounds(&self) -> Aabb;

    /// Returns what does not move.
    fn scenery(&self, crowd: &C) -> Vec<Scenery>;

    /// Returns the scale of the speeds of parts.
    fn speeds(&self) -> SpeedScale;

    /// Returns the names of the groups.
    fn names<'c>(&self, crowd: &'c C) -> &'c [String];

    /// Returns the simulated time, in seconds.
    fn time(&self, crowd: &C) -> f64;

    /// Returns how many agents have reached their last goal and left.
    fn arrived(&self, crowd: &C) -> usize;

    /// Finds an agent that is present by its number, alone or after the name of its group and a blank.
    fn find_agent(&self, crowd: &C, name: &str) -> Option<u32>;

    /// Returns the parts of the agents that are present, by number and section.
    fn parts(&self, crowd: &C) -> Vec<AgentPart>;

    /// Returns the surface of a part from its place, headed along x.
    fn surface_of(&self, crowd: &C, part: &AgentPart) -> Surface;

    /// Returns the layers that are shown unless others are chosen; none by default.
    fn usual_layers(&self) -> &[CrowdLayer] {
        &[]
    }

    /// Reports whether a layer has something to show in this crowd.
    fn has_layer(&self, crowd: &C, layer: CrowdLayer) -> bool;

    /// Draws a layer; paths and neighbourhoods are those of the agents in `chosen`, by their numbers.
    fn draw_layer(&self, crowd: &C, layer: CrowdLayer, chosen: &[u32], sink: &mut dyn DrawSink);

    /// Draws lines of the place that pictures have without any layer; none by default.
    fn draw_lines(&self, _crowd: &C, _layers: &[CrowdLayer], _drawing: &mut Drawing) {}

    /// Draws a crowd as it is with layers; paths and neighbourhoods are those of the agents in `chosen`.
    fn draw(&self, crowd: &C, layers: &[CrowdLayer], chosen: &[u32]) -> Drawing {
        let mut drawing = Drawing::default();
        for Scenery { surface, colour, .. } in self.scenery(crowd) {
            let surface = drawing.add_surface(surface);
            drawing.add_instance(surface, Pose::IDENTITY, colour);
        }
        let mut surfaces: BTreeMap<SurfaceKey, usize> = BTreeMap::new();
        for part in self.parts(crowd) {
            let Some(pose) = part.pose() else { continue };
            let known = surfaces.entry(part.surface_key());
            let surface = *known.or_insert_with(|| drawing.add_surface(self.surface_of(crowd, &part)));
            drawing.add_instance(surface, pose, speed_colour(part.place.speed));
        }
        layers.iter().for_each(|&layer| self.draw_layer(crowd, layer, chosen, &mut drawing));
        self.draw_lines(crowd, layers, &mut drawing);
        drawing
    }
}

/// The heading of parts that do not turn.
pub(super) const NO_TURN: Vec2 = Vec2::X;
