//! Flow zones: parts of the ground on which persons are a flow, not bodies.

use super::Ground;
use heurt_geometry::FloorArea;

impl Ground {
    /// Makes persons in these areas a flow: they walk along their paths at the speed of Weidmann's diagram and neither
    /// see nor push each other. Each connected part that the areas have on the floor is a flow of its own. The first
    /// of zones over each other counts.
    ///
    /// ```
    /// use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start};
    /// use heurt_geometry::{PlanArea, Vec2};
    /// let area = |x0: f64, x1: f64| PlanArea::rectangle(Vec2::new(x0, 0.0), Vec2::new(x1, 4.0));
    /// let people = AgentGroup {
    ///     name: "people".to_owned(),
    ///     start: Start::within([area(0.0, 10.0)], 40),
    ///     speed: SpeedLaw::constant(1.34),
    ///     goals: Goals::through([[area(29.0, 30.0)]]),
    ///     ..AgentGroup::default()
    /// };
    /// let ground = Ground::new([area(0.0, 30.0)])?.with_flow([area(0.0, 20.0)]);
    /// let mut crowd = Crowd::new(ground, CrowdSettings::default(), vec![people]).map_err(|faults| faults[0].clone())?;
    /// assert!(crowd.agents().all(|person| person.is_in_flow));
    /// while !crowd.is_empty() && crowd.time() < 120.0 {
    ///     crowd.step(0.05);
    /// }
    /// assert_eq!((crowd.report().arrived, crowd.report().overlapping_pairs), (40, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_flow<F: Into<FloorArea>>(mut self, areas: impl IntoIterator<Item = F>) -> Self {
        self.add_flow(areas);
        self
    }

    /// Makes persons in these areas a flow, as [`with_flow`](Self::with_flow).
    pub fn add_flow<F: Into<FloorArea>>(&mut self, areas: impl IntoIterator<Item = F>) {
        self.flow_zones.push(areas.into_iter().map(Into::into).collect());
    }

    pub(crate) fn flow_zones(&self) -> &[Vec<FloorArea>] {
        &self.flow_zones
    }
}
