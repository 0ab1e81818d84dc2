//! The parts of a world that a step with a response changes, and the search for contacts at its end.

use crate::body::Kind;
use crate::contact::BodyContact;
use crate::error::WorldError;
use crate::reader::Publisher;
use crate::response::ResponseState;
use crate::response::assignment::Assignment;
use crate::response::candidates::{approach_of, is_touching};
use crate::settings::{Settings, grown};
use crate::state::view::{AT_ONCE, WorldView};
use crate::step::deadline::StepOptions;
use crate::step::events::ContactSet;
use crate::step::narrow::{KnownContacts, NarrowPhase, PairMargin};
use crate::step::pair_limit::find_pairs;
use crate::step::pairs::{PairResults, PairTable};
use crate::step::step_plan::StepPlan;
use crate::step::swept::SweptTable;
use heurt_broad::{Move, Pair};
use rayon::prelude::*;

/// The parts of a world that a step with a response changes.
pub(crate) struct ResponseParts<'a> {
    pub settings: &'a Settings,
    pub view: &'a mut WorldView,
    pub pairs: &'a mut PairTable,
    pub contacts: &'a mut ContactSet,
    pub plan: &'a mut StepPlan,
    pub swept: &'a mut SweptTable,
    pub shares: &'a mut Vec<PairResults>,
    pub publisher: Option<&'a mut Publisher>,
    pub response: &'a mut ResponseState,
    /// The number of bodies.
    pub count: usize,
    /// Length of the step, in seconds.
    pub dt: f64,
    /// Pairs of bodies that an earlier attempt at this step found to meet within it: they are of one island.
    pub links: &'a [Pair],
    /// Whether an impact of bodies of two solvers ends the attempt.
    pub may_meet: bool,
    /// The clock of the step.
    pub options: &'a StepOptions<'a>,
    /// Seconds in which boxes were moved and pairs found, and in which contacts were found.
    pub spent: &'a mut [f64; 2],
}

/// Why a step, or an attempt at it, ended early.
pub(crate) enum StepFault {
    World(WorldError),
    /// A body that is solved exactly meets one that sleeps or that soft steps move.
    Met(Pair),
    /// The exact solver does not solve the island of the bodies at these places.
    Unsolved(Vec<u32>),
    /// The exact solves took more work than a step has, most of it for the bodies at these places.
    OverBudget(Vec<u32>),
}

impl From<WorldError> for StepFault {
    fn from(error: WorldError) -> Self {
        Self::World(error)
    }
}

/// Moves the boxes of all bodies that may move to their poses, with room for the motion of the next step.
pub(crate) fn refresh_boxes(parts: &mut ResponseParts<'_>) -> Result<(), WorldError> {
    let begun = parts.options.read_clock();
    let ResponseParts { settings, view, response, dt, .. } = parts;
    let count = view.bodies.slots().len() as u32;
    for from in (0..count).step_by(AT_ONCE) {
        let bodies = &view.bodies;
        let places = (from..count.min(from + AT_ONCE as u32)).into_par_iter().with_min_len(64);
        let moves: Vec<Move> = places
            .filter_map(|place| {
                let (_, body) = bodies.at(place).filter(|(_, body)| !matches!(body.kind, Kind::Static))?;
                if response.sleep.is_asleep(place as usize) {
                    return None;
                }
                let bounds = body.shape.bounds_at(&body.pose);
                let approach = approach_of(body, settings.gravity, *dt);
                // Half of the margin goes to each box, and each body comes nearer by its own approach.
                let margin = settings.margin_of(&bounds).max(2.0 * approach);
                Some(Move { id: place, bounds: grown(&bounds, margin) })
            })
            .collect();
        view.boxes.update(&moves)?;
    }
    parts.spent[0] += parts.options.read_clock() - begun;
    Ok(())
}

/// Finds the pairs of bodies whose boxes meet along motions of `dt` seconds that the plan keeps, and their swept
/// surfaces.
pub(crate) fn find_pairs_of_motions(parts: &mut ResponseParts<'_>, dt: f64) -> Result<(), WorldError> {
    let ResponseParts { settings, view, pairs, plan, swept, publisher, count, .. } = parts;
    find_pairs(view, *count, settings)?;
    swept.update_soft(view, settings, plan, dt);
    if let Some(publisher) = publisher {
        publisher.take_back_meshes(&mut view.bodies);
    }
    pairs.update(view.boxes.pairs());
    swept.update_rigid(&view.bodies, settings, pairs.states(), &plan.motions, dt);
    Ok(())
}

/// Finds the contacts of the bodies as they are placed, within the margin of the next step.
pub(crate) fn find_candidates(parts: &mut ResponseParts<'_>) -> Result<(), WorldError> {
    let begun = parts.options.read_clock();
    find_pairs(parts.view, parts.count, parts.settings)?;
    parts.pairs.update(parts.view.boxes.pairs());
    parts.spent[0] += parts.options.read_clock() - begun;
    search_candidates(parts, None);
    Ok(())
}

/// Finds the contacts of the pairs that are known; with `only`, of pairs that are solved exactly.
pub(crate) fn search_candidates(parts: &mut ResponseParts<'_>, only: Option<&Assignment>) {
    let begun = parts.options.read_clock();
    let ResponseParts { settings, view, pairs, contacts, shares, response, swept, dt, .. } = parts;
    let margin = PairMargin::Approach { least: settings.margin, gravity: settings.gravity, dt: *dt };
    let known = std::mem::take(&mut response.candidates.contacts);
    let known = Some(KnownContacts { sleep: &response.sleep, contacts: &known });
    let phase = NarrowPhase { view, settings, swept, moved: None, margin, joints: &response.joints, known, only };
    contacts.clear_results();
    phase.find_contacts(pairs.states_mut(), shares, &mut contacts.found);
    contacts.update_unproven(&view.bodies);
    let found = std::mem::take(&mut contacts.found.contacts);
    let is_reported = |touch: &&BodyContact| {
        touch.contact.as_ref().is_some_and(|contact| contact.separation <= settings.margin) || is_touching(view, touch)
    };
    contacts.found.contacts = found.iter().filter(is_reported).cloned().collect();
    contacts.found.points =
        contacts.found.contacts.iter().flat_map(|touch| &touch.contact).map(|contact| contact.points.len()).sum();
    response.candidates.contacts = found;
    (response.candidates.are_current, response.candidates.dt) = (true, *dt);
    parts.spent[1] += parts.options.read_clock() - begun;
}
