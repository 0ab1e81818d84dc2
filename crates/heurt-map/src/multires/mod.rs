//! Multiresolution: maps whose cells are refined and coarsened one by one, and that can be read at every level.
//!
//! In: a map, a dart of the cell to change. Out: the cells that took its place; φ at any level.
//! Method: S4 §3.2. Level 0 is the initial map; a cell of level k that is refined gives cells of level k + 1. The map
//! *at level k* is the map after all refinement beyond k is undone: parts without refinement have coarser cells. Darts
//! only ever come in with a level, so that the darts of level k are among those of level k + 1.
//! [`ImplicitMap`] keeps the links of the finest level only, and finds the coarser levels by labels (§3.2.2); its
//! schemes are primal: old vertices stay, and no edge is added at them. [`ExplicitMap`] keeps the links of every level
//! (§3.2.1) and takes any scheme: [`dual`] and [`sqrt3`] are here for comparison.
//! Guarantees: changes check first, and alter nothing when they fail; same calls, same darts; every level is a map
//! without faults for `validate`. Cost: at the finest level the cost of a plain map; at level k, φ costs the darts of
//! the finest level along the edge.

mod balance;
mod coarsen;
mod cut;
mod error;
mod explicit;
mod implicit;
mod level;
mod refine2;
mod refine3;
mod schemes;
mod shape;
mod submap;

pub use error::{LevelFault, MultiresError};
pub use explicit::ExplicitMap;
pub use implicit::{Coarsened, ImplicitMap, ImplicitMap2, ImplicitMap3, NewVertex, Refined, Scheme};
pub use level::{Level, Multiresolution};
pub use schemes::{dual, sqrt3};
