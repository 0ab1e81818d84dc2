//! Views of single agents: their path, their cell, the cells around it.

use super::outline::OutlineBody;
use super::{Crowd, CrowdSettings};
use heurt_geometry::{Vec2, Vec3};

/// Finds an agent by its number, alone or after the name of its group and a blank; `group_of` returns the group of an
/// agent that is present.
pub(crate) fn find_agent(name: &str, groups: &[String], group_of: impl Fn(u32) -> Option<u32>) -> Option<u32> {
    let number = name.rsplit(' ').next().unwrap_or_default();
    let id: u32 = number.parse().ok().filter(|id: &u32| id.to_string() == number)?;
    let group = groups.get(group_of(id)? as usize)?;
    (name == number || name.strip_suffix(number)?.strip_suffix(' ')? == group).then_some(id)
}

impl Crowd {
    /// Returns the settings.
    pub fn settings(&self) -> &CrowdSettings {
        &self.settings
    }

    /// Returns how many agents have left by their last goal.
    pub fn arrived(&self) -> usize {
        self.measures.arrived()
    }

    /// Finds an agent that is present by its number, alone or after the name of its group and a blank.
    pub fn find_agent(&self, name: &str) -> Option<u32> {
        let is_present = |&id: &u32| self.is_present(id);
        find_agent(name, &self.names, |id| Some(id).filter(is_present).map(|id| self.agents[id as usize].group))
    }

    /// Lists the bends of the path of an agent to its next goal, and its end; empty for an agent that rests, has left
    /// or does not exist. An agent that tries other directions in a jam leaves this path.
    ///
    /// ```
    /// use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start};
    /// use heurt_geometry::{PlanArea, Vec2, Vec3};
    /// let hall = PlanArea::rectangle(Vec2::ZERO, Vec2::new(10.0, 4.0));
    /// let exit = PlanArea::rectangle(Vec2::new(9.0, 0.0), Vec2::new(10.0, 4.0));
    /// let guest = AgentGroup {
    ///     name: "guest".to_owned(),
    ///     start: Start::at([Vec2::new(2.0, 2.0)]),
    ///     speed: SpeedLaw::constant(1.33),
    ///     goals: Goals::through([[exit]]),
    ///     ..AgentGroup::default()
    /// };
    /// let crowd = Crowd::new(Ground::new([hall])?, CrowdSettings::default(), vec![guest])
    ///     .map_err(|faults| faults[0].clone())?;
    /// assert_eq!(crowd.path_of(0), [Vec3::new(9.0, 2.0, 0.0)]);
    /// assert_eq!(["guest 0", "0", "1"].map(|name| crowd.find_agent(name)), [Some(0), Some(0), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn path_of(&self, id: u32) -> Vec<Vec3> {
        let Some(agent) = self.agents.get(id as usize).filter(|_| self.is_present(id)) else { return Vec::new() };
        if !agent.detour.path.is_empty() {
            return agent.detour.path.clone();
        }
        let (group, own) = (agent.group as usize, agent.own_goal.as_deref());
        self.routes.path(group, agent.goal as usize, own, agent.exit.exit(), agent.place())
    }

    /// Returns the corners of the sections of an agent with an outline, counter-clockwise in plan, the first section in
    /// front; none for a disc, and for an agent that left before the last step or does not exist.
    pub fn sections_of(&self, id: u32) -> impl Iterator<Item = &[Vec2]> + '_ {
        let has_just_left = self.left.binary_search(&id).is_ok();
        self.body_of(id).filter(|body| body.is_present || has_just_left).into_iter().flat_map(OutlineBody::sections)
    }

    /// Returns the numbers of the floors of the sections of an agent with an outline; none for a disc.
    pub fn section_floors_of(&self, id: u32) -> &[u32] {
        self.body_of(id).map(|body| body.floors.as_slice()).unwrap_or_default()
    }

    /// Returns the body of an agent, also of one that has left.
    fn body_of(&self, id: u32) -> Option<&OutlineBody> {
        self.outlines.bodies.get(self.agents.get(id as usize)?.body as usize)
    }

    /// Returns the place and the unit vector forward of each section of an agent with an outline: the origin of the
    /// first section, the front hinges of its followers; none for a disc.
    pub fn section_frames_of(&self, id: u32) -> impl Iterator<Item = [Vec2; 2]> + '_ {
        let body = self.body_of(id).filter(|body| body.is_present);
        body.into_iter().flat_map(|body| body.rig.frames(&body.pose))
    }

    /// Reports whether the outline of an agent deforms: its corners move in the frame of its section.
    pub fn is_deforming(&self, id: u32) -> bool {
        self.body_of(id).is_some_and(|body| body.rig.matching.is_some())
    }

    /// Returns the edges ahead of an agent with an outline: from its body to the tip of its velocity.
    pub fn edges_ahead_of(&self, id: u32) -> impl Iterator<Item = [Vec2; 2]> + '_ {
        let body = self.body_of(id).filter(|body| body.is_present);
        body.into_iter().flat_map(OutlineBody::edges_ahead)
    }

    /// Returns the cell of an agent; `None` if it has left or does not exist.
    pub fn cell_of(&self, id: u32) -> Option<u32> {
        let agent = self.agents.get(id as usize).filter(|_| self.is_present(id))?;
        self.environment.cell_of(agent.point).ok()
    }

    fn is_present(&self, id: u32) -> bool {
        self.present.binary_search(&id).is_ok()
    }
}
