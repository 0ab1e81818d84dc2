//! Groups of agents: first places, speeds, goals.

use crate::AgentForm;
use heurt_geometry::{FloorArea, SplitMix64, Vec2, Vec3};

/// Agents of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentGroup {
    /// The name, for reports.
    pub name: String,
    /// Their places at first.
    pub start: Start,
    /// Radius of each, in metres; of agents with outlines the clearance of their paths, half of their width.
    pub radius: f64,
    /// Their form on the ground.
    pub form: AgentForm,
    /// Their speeds, in m/s.
    pub speed: SpeedLaw,
    /// The share of its speed that each has on its path to each set of goals, in their order; empty for 1 on all paths.
    pub paces: Vec<f64>,
    /// Their goals.
    pub goals: Goals,
    /// Parts of the floors that their paths keep to, as roads are for cars; empty for all. Agents that were pushed off
    /// them, or begin there, go to the nearest part first.
    pub ways: Vec<FloorArea>,
    /// How long they wait before they start, in seconds.
    pub reaction: SpeedLaw,
    /// Their bonds to each other and to exits.
    pub social: SocialTraits,
}

impl Default for AgentGroup {
    /// Persons of radius 0.2 m with the speeds of Weidmann (1993), nowhere, without goals.
    fn default() -> Self {
        Self {
            name: String::new(),
            start: Start::Places(Vec::new()),
            radius: 0.2,
            form: AgentForm::Disc,
            speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
            paces: Vec::new(),
            goals: Goals::None,
            ways: Vec::new(),
            reaction: SpeedLaw::constant(0.0),
            social: SocialTraits::default(),
        }
    }
}

impl AgentGroup {
    /// Returns how many agents there are.
    pub fn count(&self) -> usize {
        match &self.start {
            Start::Areas(_, count) => *count,
            Start::Places(places) => places.len(),
        }
    }
}

/// Bonds of the agents of a group to each other and to exits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SocialTraits {
    /// Agents with the same word, of any group, take the same exits, walk at the pace of the slowest and wait for those
    /// behind.
    pub together: Option<String>,
    /// The numbers of the areas of their last goal that they know, from 0; empty if they know all.
    pub knows: Vec<u32>,
    /// How much they follow others, from 0 to 1: an exit to which a share s of the persons within 10 m are bound counts
    /// as if an agent were out there after 1 − s · `follow` of the time. Exits that others walk to become known.
    pub follow: f64,
}

impl SocialTraits {
    /// Reports whether exits are chosen by more than the distance.
    pub(super) fn choose_exits(&self) -> bool {
        self.together.is_some() || !self.knows.is_empty() || self.follow > 0.0
    }
}

/// First places of agents.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// This many, at random places of the areas, clear of walls and of each other.
    Areas(Vec<FloorArea>, usize),
    /// One at each place of the plan, on the floor at most half of [`HEADROOM`](crate::HEADROOM) above or below it.
    Places(Vec<Vec3>),
}

impl Start {
    /// This many, at random places of areas: plan areas at height 0, or areas with heights.
    pub fn within(areas: impl IntoIterator<Item: Into<FloorArea>>, count: usize) -> Self {
        Self::Areas(areas.into_iter().map(Into::into).collect(), count)
    }

    /// One at each place of the plan, at height 0.
    pub fn at(places: impl IntoIterator<Item = Vec2>) -> Self {
        Self::Places(places.into_iter().map(|place| place.extend(0.0)).collect())
    }
}

/// Goals of agents.
#[derive(Debug, Clone, PartialEq)]
pub enum Goals {
    /// Nowhere: they rest where they are.
    None,
    /// To one set of areas after another; any area of a set will do. At the last they leave.
    Areas(Vec<Vec<FloorArea>>),
    /// To one set of areas after another, and from the last to the first again: they never leave. They begin after
    /// the set whose first area has its middle nearest to them.
    Rounds(Vec<Vec<FloorArea>>),
    /// To a number of these sets of areas, drawn at random for each agent, no two in a row the same. At the last of
    /// them it leaves.
    Tour(Vec<Vec<FloorArea>>, usize),
    /// To the mirror image of their place in the centre of the group.
    Antipode,
}

impl Goals {
    /// To one set of areas after another: plan areas at height 0, or areas with heights.
    pub fn through<S: IntoIterator<Item: Into<FloorArea>>>(goals: impl IntoIterator<Item = S>) -> Self {
        Self::Areas(goals.into_iter().map(|areas| areas.into_iter().map(Into::into).collect()).collect())
    }

    /// Returns the sets of areas; none for antipodes.
    pub fn areas(&self) -> &[Vec<FloorArea>] {
        match self {
            Self::Areas(goals) | Self::Rounds(goals) | Self::Tour(goals, _) => goals,
            Self::None | Self::Antipode => &[],
        }
    }

    /// Draws the sets that an agent goes to after the first one, the last of them first; only tours have any.
    pub(super) fn draw_tour(&self, first: u32, random: &mut SplitMix64) -> Vec<u32> {
        let Self::Tour(goals, count) = self else { return Vec::new() };
        let (mut tour, mut last) = (Vec::new(), first);
        for _ in 1..*count {
            // Any set but the last one.
            let others = goals.len().saturating_sub(1);
            let drawn = (random.unit() * others as f64) as u32;
            last = if others == 0 {
                last
            } else if drawn >= last {
                drawn + 1
            } else {
                drawn
            };
            tour.push(last);
        }
        tour.reverse();
        tour
    }

    /// Returns the number of the first set for an agent at a place; of tours it is drawn by the place.
    pub(super) fn first(&self, place: Vec2) -> u32 {
        if let Self::Tour(goals, _) = self {
            // Bodies face their first goal before any other number is drawn.
            let bits = place.x.to_bits() ^ place.y.to_bits().rotate_left(32);
            return (SplitMix64::new(bits).unit() * goals.len() as f64) as u32;
        }
        let Self::Rounds(goals) = self else { return 0 };
        let distance = |areas: &[FloorArea]| {
            areas.first().map_or(f64::INFINITY, |floor| floor.area.centroid().distance_squared(place))
        };
        let nearest = (0..goals.len()).min_by(|&a, &b| distance(&goals[a]).total_cmp(&distance(&goals[b])));
        nearest.map_or(0, |nearest| ((nearest + 1) % goals.len()) as u32)
    }
}

/// A normal law, drawn again outside of its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedLaw {
    /// Mean value.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
    /// Least value.
    pub least: f64,
    /// Largest value.
    pub most: f64,
}

impl SpeedLaw {
    /// Returns the law that has one value.
    pub fn constant(value: f64) -> Self {
        Self { mean: value, deviation: 0.0, least: value, most: value }
    }

    /// Draws a value. After a thousand values outside the bounds it is a value between them, all equally probable.
    pub fn draw(&self, random: &mut SplitMix64) -> f64 {
        if self.deviation <= 0.0 {
            return self.mean.clamp(self.least, self.most);
        }
        for _ in 0..1000 {
            // Box and Muller (1958); 1 − u is never 0.
            let radius = (-2.0 * libm::log(1.0 - random.unit())).sqrt();
            let value = self.mean + self.deviation * radius * libm::cos(std::f64::consts::TAU * random.unit());
            if value >= self.least && value <= self.most {
                return value;
            }
        }
        random.between(self.least, self.most)
    }
}
