//! Bodies that deform: cloth against itself, trees that are looked after, vertices that move a few at a time, and the updates of
//! oriented boxes that S2 §5 weighs.

mod cloth;
mod impacts;
mod partial;
mod policies;
mod updates;
mod upkeep;

use crate::Options;

/// Measures all of it, or those that `--case` names.
pub fn deform(options: &Options) {
    for (name, measure) in [
        ("cloth", cloth::measure as fn(&Options)),
        ("impacts", impacts::measure),
        ("partial", partial::measure),
        ("policies", policies::measure),
        ("upkeep", upkeep::measure),
        ("updates", updates::measure),
    ] {
        if options.cases.is_empty() || options.cases.iter().any(|case| case == name) {
            measure(options);
        }
    }
}
