//! Bodies by place: slots, free places, and generations, which distinguish the bodies of one place.
//!
//! In: a body, checked by [`check_body`]. Out: its [`BodyId`], valid until the body is removed.
//! Guarantees: an id is never valid again once its body was removed, also not after a snapshot was restored.

use crate::body::{Body, BodyId, Kind};
use crate::error::WorldError;
use crate::settings::{Settings, check_at_least_zero, check_finite, check_translation, grown};
use heurt_broad::Pair;
use heurt_geometry::{Aabb, Vec3};
use heurt_shape::Shape;

/// A place of a body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    pub generation: u32,
    pub body: Option<Body>,
}

/// Bodies by place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bodies {
    slots: Vec<Slot>,
}

impl Bodies {
    /// Returns a body; `None` if it is not there.
    pub(crate) fn get(&self, id: BodyId) -> Option<&Body> {
        let slot = self.slots.get(id.index()).filter(|slot| slot.generation == id.generation)?;
        slot.body.as_ref()
    }

    /// Returns a body to be changed; `None` if it is not there.
    pub(crate) fn get_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        let slot = self.slots.get_mut(id.index()).filter(|slot| slot.generation == id.generation)?;
        slot.body.as_mut()
    }

    /// Lists all bodies, by their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        (0..self.slots.len() as u32).filter_map(|index| self.at(index))
    }

    /// Returns the body at a place that is taken.
    pub(crate) fn at(&self, index: u32) -> Option<(BodyId, &Body)> {
        let slot = self.slots.get(index as usize)?;
        slot.body.as_ref().map(|body| (BodyId { index, generation: slot.generation }, body))
    }

    /// Returns the ids of two bodies by their places; `None` if one is not there.
    pub(crate) fn ids(&self, pair: Pair) -> Option<[BodyId; 2]> {
        Some([self.at(pair.a)?.0, self.at(pair.b)?.0])
    }

    /// Returns all places, free ones included.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns all places, to be changed.
    pub(crate) fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// Adds free places up to a count, or removes the last places.
    pub(crate) fn resize(&mut self, count: usize) {
        self.slots.resize_with(count, Slot::default);
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }
}

/// The places that are free to be used again, the next one last.
#[derive(Debug, Clone, Default)]
pub(crate) struct FreePlaces {
    places: Vec<u32>,
    /// The ids from before the last snapshot that was restored are of lower generations.
    least_generation: u32,
}

impl FreePlaces {
    /// Returns the number of places that are free.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the place of the next body: a free one, or one after all others.
    pub(crate) fn next(&self, bodies: &Bodies) -> u32 {
        self.places.last().copied().unwrap_or(bodies.slots.len() as u32)
    }

    /// Puts a body in the next place.
    pub(crate) fn insert(&mut self, bodies: &mut Bodies, body: Body) -> BodyId {
        let index = self.next(bodies);
        if self.places.pop().is_none() {
            let slots = &mut bodies.slots;
            if slots.len() == slots.capacity() {
                // Slots are large: room for a thirty-second more, not for as many again.
                slots.reserve_exact(16 + slots.len() / 32);
            }
            slots.push(Slot::default());
        }
        let slot = &mut bodies.slots[index as usize];
        slot.body = Some(body);
        BodyId { index, generation: slot.generation }
    }

    /// Removes the body of a place, which becomes free.
    pub(crate) fn remove(&mut self, bodies: &mut Bodies, index: u32) -> Option<Body> {
        let slot = &mut bodies.slots[index as usize];
        slot.generation = slot.generation.wrapping_add(1).max(self.least_generation);
        self.places.push(index);
        slot.body.take()
    }

    /// Makes `earlier` follow `now`, with its free places: ids of bodies that `now` has and `earlier` has not become
    /// void.
    pub(crate) fn restore(&mut self, mut places: Vec<u32>, mut earlier: Bodies, now: &Bodies) -> Bodies {
        for (index, now) in now.slots.iter().enumerate() {
            match earlier.slots.get_mut(index) {
                Some(Slot { body: Some(_), .. }) => {}
                // A place that was free may have had a body since.
                Some(slot) => slot.generation = slot.generation.max(now.generation.wrapping_add(1)),
                None => {
                    earlier.slots.push(Slot { generation: now.generation.wrapping_add(1), body: None });
                    places.insert(0, index as u32);
                }
            }
        }
        let generations = now.slots.iter().map(|slot| slot.generation.wrapping_add(1));
        self.least_generation = generations.fold(self.least_generation, u32::max);
        self.places = places;
        earlier
    }

    /// Copies the free places.
    pub(crate) fn places(&self) -> Vec<u32> {
        self.places.clone()
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>()
    }
}

/// Computes the box of a body with half the margin.
pub(crate) fn bounds_of_body(body: &Body, margin: f64) -> Aabb {
    grown(&body.shape.bounds_at(&body.pose), margin)
}

/// The box of a body as it is placed, with the margin of the settings.
pub(crate) fn box_of_body(body: &Body, settings: &Settings) -> Aabb {
    let bounds = body.shape.bounds_at(&body.pose);
    grown(&bounds, settings.margin_of(&bounds))
}

/// Refuses bodies with numbers out of range.
pub(crate) fn check_body(body: &Body) -> Result<(), WorldError> {
    check_finite("velocity", body.velocity)?;
    check_finite("angular_velocity", body.angular_velocity)?;
    check_finite("surface_velocity", body.belt())?;
    check_translation(&body.pose)?;
    check_at_least_zero("friction", body.friction)?;
    if !(0.0..=1.0).contains(&body.restitution) {
        return Err(WorldError::Number {
            field: "restitution",
            value: body.restitution,
            legal: "a number from 0 to 1",
        });
    }
    if let Kind::Dynamic(mass) = &body.kind {
        mass.check()?;
    }
    if let Kind::Soft(deformation) = &body.kind {
        let Shape::Mesh(mesh) = &body.shape else { return Err(WorldError::NotSoft) };
        if deformation.len() != mesh.mesh().vertices().len() {
            return Err(WorldError::NotSoft);
        }
        let Some([amplitude, period]) = deformation.wave_numbers() else { return Ok(()) };
        check_finite("amplitude", Vec3::splat(amplitude))?;
        if !(period > 0.0 && period.is_finite()) {
            return Err(WorldError::Number { field: "period", value: period, legal: "a finite time above 0" });
        }
    }
    Ok(())
}
