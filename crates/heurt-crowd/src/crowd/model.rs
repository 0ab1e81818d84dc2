//! Models of steering by name, as scenes have them.

use crate::steer::{
    Anticipation, Boids, Bubbles, CollisionFreeSpeed, Heuristics, LeastEffort, Orca, RuleBase, SocialForce,
    SteeringPolicy, VelocityObstacles,
};

/// A model of steering by name.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SteeringModel {
    /// Forces by the time to a collision.
    Anticipation(Anticipation),
    /// Separation, alignment, cohesion.
    Boids(Boids),
    /// Bubbles that push each other off.
    Bubbles(Bubbles),
    /// A direction away from neighbours, a speed by the gap ahead.
    CollisionFreeSpeed(CollisionFreeSpeed),
    /// The direction of the least detour.
    Heuristics(Heuristics),
    /// The velocity of least energy.
    LeastEffort(LeastEffort),
    /// Half-planes of velocities.
    Orca(Orca),
    /// A base of rules.
    Rules(RuleBase),
    /// Reciprocal velocity obstacles.
    Rvo(VelocityObstacles),
    /// Exponential forces.
    SocialForce(SocialForce),
    /// Velocity obstacles.
    Vo(VelocityObstacles),
}

impl SteeringModel {
    /// Names of all models, as scenes have them.
    pub const NAMES: [&'static str; 11] = [
        "anticipation",
        "boids",
        "bubbles",
        "collision-free-speed",
        "heuristics",
        "least-effort",
        "orca",
        "rules",
        "rvo",
        "social-force",
        "vo",
    ];

    /// Finds a model with its usual parameters.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "anticipation" => Some(Self::Anticipation(Anticipation::default())),
            "boids" => Some(Self::Boids(Boids::default())),
            "bubbles" => Some(Self::Bubbles(Bubbles::default())),
            "collision-free-speed" => Some(Self::CollisionFreeSpeed(CollisionFreeSpeed::default())),
            "heuristics" => Some(Self::Heuristics(Heuristics::default())),
            "least-effort" => Some(Self::LeastEffort(LeastEffort::default())),
            "orca" => Some(Self::Orca(Orca::default())),
            "rules" => Some(Self::Rules(RuleBase::default())),
            "rvo" => Some(Self::Rvo(VelocityObstacles::reciprocal())),
            "social-force" => Some(Self::SocialForce(SocialForce::default())),
            "vo" => Some(Self::Vo(VelocityObstacles::plain())),
            _ => None,
        }
    }

    /// Returns the policy that chooses velocities.
    pub fn policy(&self) -> &dyn SteeringPolicy {
        match self {
            Self::Anticipation(model) => model,
            Self::Boids(model) => model,
            Self::Bubbles(model) => model,
            Self::CollisionFreeSpeed(model) => model,
            Self::Heuristics(model) => model,
            Self::LeastEffort(model) => model,
            Self::Orca(model) => model,
            Self::Rules(model) => model,
            Self::SocialForce(model) => model,
            Self::Rvo(model) | Self::Vo(model) => model,
        }
    }
}
