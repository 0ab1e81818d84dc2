//! Index of names that are paths, as `assembly/arm/rod_1`: finds what a user means by a name or a pattern.
//!
//! Method: a text is a whole name; or a pattern of whole names; or the end of exactly one name, after a `/`; or a
//! pattern of such ends.
//! Cost: a plain text is looked up; O(names) for a pattern.

use super::NamePattern;
use std::collections::BTreeMap;
use thiserror::Error;

/// Names by their whole and by their last component.
#[derive(Debug, Clone, Default)]
pub struct NameIndex<'n> {
    names: Vec<&'n str>,
    by_name: BTreeMap<&'n str, Vec<usize>>,
    by_last: BTreeMap<&'n str, Vec<usize>>,
}

/// Faults of a name or a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NameFault {
    /// No name is meant.
    #[error("no name matches")]
    NoMatch,
    /// The ends of several names match a text without a wildcard.
    #[error("more than one name ends so: {}", candidates.join(", "))]
    Ambiguous {
        /// The names.
        candidates: Vec<String>,
    },
}

impl<'n> NameIndex<'n> {
    /// Lists names, which may repeat.
    pub fn new(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut index = Self { names: names.into_iter().collect(), ..Self::default() };
        for (number, name) in index.names.iter().enumerate() {
            index.by_name.entry(name).or_default().push(number);
            index.by_last.entry(last_component(name)).or_default().push(number);
        }
        index
    }

    /// Returns the numbers of the names that a text means, in order; at least one.
    ///
    /// ```
    /// use heurt_scene::{NameFault, NameIndex};
    /// let index = NameIndex::new(["arm/rod_1", "arm/rod_2", "leg/rod_1", "plate"]);
    /// assert_eq!(index.find("arm/rod_1"), Ok(vec![0]));
    /// assert_eq!(index.find("arm/*"), Ok(vec![0, 1]));
    /// // The end of a name is enough if no other name has it; patterns may have many.
    /// assert_eq!(index.find("rod_2"), Ok(vec![1]));
    /// assert_eq!(index.find("rod_*"), Ok(vec![0, 1, 2]));
    /// let candidates = vec!["arm/rod_1".to_owned(), "leg/rod_1".to_owned()];
    /// assert_eq!(index.find("rod_1"), Err(NameFault::Ambiguous { candidates }));
    /// assert_eq!(index.find("late"), Err(NameFault::NoMatch));
    /// ```
    ///
    /// # Errors
    /// [`NameFault::NoMatch`]; [`NameFault::Ambiguous`] for a text without a wildcard that ends several names.
    pub fn find(&self, text: &str) -> Result<Vec<usize>, NameFault> {
        if let Some(numbers) = self.by_name.get(text) {
            return Ok(numbers.clone());
        }
        if text.contains(['*', '?']) {
            let whole = self.matching(text);
            let found = if whole.is_empty() { self.matching(&format!("*/{text}")) } else { whole };
            return if found.is_empty() { Err(NameFault::NoMatch) } else { Ok(found) };
        }
        let same_last = self.by_last.get(last_component(text)).map_or(&[][..], |numbers| numbers);
        let is_end = |number: &&usize| self.names[**number].strip_suffix(text).is_some_and(|rest| rest.ends_with('/'));
        let found: Vec<usize> = same_last.iter().filter(is_end).copied().collect();
        let Some(first) = found.first() else { return Err(NameFault::NoMatch) };
        match found.iter().all(|number| self.names[*number] == self.names[*first]) {
            true => Ok(found),
            false => {
                let mut candidates: Vec<String> = found.iter().map(|number| self.names[*number].to_owned()).collect();
                candidates.dedup();
                Err(NameFault::Ambiguous { candidates })
            }
        }
    }

    fn matching(&self, pattern: &str) -> Vec<usize> {
        let pattern = NamePattern::new(pattern);
        (0..self.names.len()).filter(|&number| pattern.matches(self.names[number])).collect()
    }
}

fn last_component(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_several_components_and_repeated_names_are_found() {
        let index = NameIndex::new(["x/arm/rod", "y/arm/rod", "y/leg/rod", "z/pin", "z/pin", "", "a/"]);
        assert_eq!(index.find("leg/rod"), Ok(vec![2]));
        assert_eq!(index.find("x/arm/rod"), Ok(vec![0]));
        assert_eq!(index.find("pin"), Ok(vec![3, 4]), "two parts of one name");
        assert!(matches!(index.find("arm/rod"), Err(NameFault::Ambiguous { candidates }) if candidates.len() == 2));
        assert_eq!(index.find("rm/rod"), Err(NameFault::NoMatch), "a component is whole");
        assert_eq!(index.find(""), Ok(vec![5]));
        assert_eq!(index.find("/"), Err(NameFault::NoMatch));
        assert_eq!(index.find("r?d"), Ok(vec![0, 1, 2]));
    }
}
