//! Tests of heurt-rigid, a topic a module.

mod common;
mod contact_state;
mod flight;
mod hostile;
mod impacts;
mod islands;
mod joint_bounds;
mod joint_forces;
mod joint_motion;
mod joint_projection;
mod joint_rig;
mod joint_rows;
mod lcp;
mod penalty;
mod problem;
mod resting;
mod soft_energy;
mod soft_joints;
mod soft_joints_contract;
mod soft_step;
mod soft_step_contract;
mod soft_step_scene;
mod stated_problem;
