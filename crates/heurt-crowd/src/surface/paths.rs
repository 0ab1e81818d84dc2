//! Paths of the groups of a scene: one set for any number of crowds.
//!
//! In: ground, groups. Out: [`SurfacePaths`], from which crowds are made that differ in their settings.
//! Method: a target of several groups has one field; a group whose radius closes gaps has fields of its own as well.
//! Cost: O(n^1.5) a target for n faces, once.

use super::fault::SurfaceFault;
use super::group::{SurfaceGroup, SurfaceSettings};
use super::route::{Target, fields_to};
use super::{SurfaceCrowd, SurfaceGround, places};
use heurt_geometry::Vec3;
use heurt_map::geodesic::GeodesicField;
use std::sync::Arc;

/// Groups and the shortest paths to all of their targets. They take most of the time in which a crowd is made, and are
/// the same for every seed.
///
/// ```
/// use heurt_crowd::SpeedLaw;
/// use heurt_crowd::surface::{SurfaceGround, SurfaceGroup, SurfacePaths, SurfaceSettings, SurfaceStart};
/// use heurt_geometry::Vec3;
/// use heurt_mesh::generate;
/// let ground = SurfaceGround::new(&generate::icosphere(8.0, 3)?, &[]).map_err(|faults| faults[0].clone())?;
/// let (start, pole) = (SurfaceStart::Anywhere(20), vec![Vec3::new(0.0, 0.0, 8.0)]);
/// let paths = SurfacePaths::new(&ground, vec![SurfaceGroup::through("a", start, 0.2, SpeedLaw::constant(1.3), pole)]);
/// let hashes = [1, 2, 1].map(|seed| {
///     let mut settings = SurfaceSettings::default();
///     settings.seed = seed;
///     paths.make_crowd(settings).0.state_hash()
/// });
/// assert!(hashes[0] == hashes[2] && hashes[0] != hashes[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SurfacePaths<'g> {
    pub(super) ground: &'g SurfaceGround,
    pub(super) groups: Arc<Vec<SurfaceGroup>>,
    /// Targets of each group in order, as numbers of fields.
    pub(super) targets: Vec<Vec<u32>>,
    /// The same for paths that are wide enough for the radius of the group, where these differ.
    pub(super) wide_targets: Vec<Vec<Option<u32>>>,
    pub(super) fields: Vec<Arc<GeodesicField<'g>>>,
    pub(super) target_places: Vec<Vec3>,
    /// By group: it has no fault.
    pub(super) is_sound: Vec<bool>,
    pub(super) faults: Vec<SurfaceFault>,
}

impl<'g> SurfacePaths<'g> {
    /// Computes the paths of groups; faults are found later, with those of places.
    pub fn new(ground: &'g SurfaceGround, groups: Vec<SurfaceGroup>) -> Self {
        let mut paths = Self {
            ground,
            targets: vec![Vec::new(); groups.len()],
            wide_targets: vec![Vec::new(); groups.len()],
            fields: Vec::new(),
            target_places: Vec::new(),
            is_sound: vec![false; groups.len()],
            faults: Vec::new(),
            groups: Arc::new(groups),
        };
        let targets = paths.list_targets();
        paths.find_fields(&targets);
        paths
    }

    /// Makes a crowd of the agents without faults; returns it with all faults and the number of agents left out.
    pub fn make_crowd(&self, settings: SurfaceSettings) -> (SurfaceCrowd<'g>, Vec<SurfaceFault>, usize) {
        SurfaceCrowd::on_paths(self.clone(), settings)
    }

    /// Lists the targets of all groups without faults, each once.
    fn list_targets(&mut self) -> Vec<Target> {
        let (ground, groups) = (self.ground, Arc::clone(&self.groups));
        let mut targets: Vec<Target> = Vec::new();
        let mut number_of = |target: Target| {
            let known = targets.iter().position(|known| *known == target);
            known.unwrap_or_else(|| {
                targets.push(target);
                targets.len() - 1
            }) as u32
        };
        for (number, group) in groups.iter().enumerate() {
            let mut found = places::faults_of(group);
            match places::targets_of(ground, group) {
                Ok(own) => {
                    self.targets[number] = own.iter().map(|&target| number_of(target)).collect();
                    let wide = |target: &Target| Target { wide: ground.wide_at(group.radius, target.face), ..*target };
                    let wide = own.iter().map(wide).map(|target| target.wide.map(|_| number_of(target)));
                    self.wide_targets[number] = wide.collect();
                }
                Err(bad) => found.extend(bad),
            }
            self.is_sound[number] = found.is_empty();
            self.faults.extend(found);
        }
        targets
    }

    /// Computes the paths to all targets; groups with a target whose paths are not found are not sound.
    fn find_fields(&mut self, targets: &[Target]) {
        let mut number_of = vec![0; targets.len()];
        for (number, field) in fields_to(self.ground, targets).into_iter().enumerate() {
            let error = match field {
                Ok(field) => {
                    number_of[number] = self.fields.len() as u32;
                    self.fields.push(Arc::new(field));
                    self.target_places.push(targets[number].place);
                    continue;
                }
                Err(error) => error,
            };
            for (place, group) in self.groups.iter().enumerate() {
                let own = self.targets[place].contains(&(number as u32));
                if own || self.wide_targets[place].contains(&Some(number as u32)) {
                    self.is_sound[place] = false;
                    let (group, target) = (group.name.clone(), targets[number].place);
                    self.faults.push(SurfaceFault::NoPaths { group, target, error: error.clone() });
                }
            }
        }
        let renumber = |target: &mut u32| *target = number_of[*target as usize];
        let wide = self.wide_targets.iter_mut().flatten().flatten();
        self.targets.iter_mut().flatten().chain(wide).for_each(renumber);
    }
}
