//! Unique short names of a restricted alphabet for arbitrary texts.
//!
//! In: texts one by one. Out: for each distinct text a name of at most `max_length` ASCII characters: its letters, with
//! characters that are not allowed replaced by `_`, and a number if the name is taken. Names that differ in case only
//! count as equal, as in CAD programs. The same texts in the same order give the same names.
//! Cost: O(length · log(number)) a text; numbers continue per beginning, so that ten thousand equal beginnings take no
//! search.

use std::collections::{BTreeMap, BTreeSet};

/// Names given.
pub(super) struct UniqueNames {
    max_length: usize,
    is_allowed: fn(char) -> bool,
    /// The name of an empty text.
    empty: &'static str,
    names: BTreeMap<String, String>,
    /// Names in lower case.
    taken: BTreeSet<String>,
    /// The next number of a beginning.
    next: BTreeMap<String, u64>,
}

impl UniqueNames {
    /// Creates an empty list; `max_length` is at least 24, so that any number fits.
    pub(super) fn new(max_length: usize, is_allowed: fn(char) -> bool, empty: &'static str) -> Self {
        let (names, taken, next) = Default::default();
        Self { max_length, is_allowed, empty, names, taken, next }
    }

    /// Returns the name of a text: the same one for the same text.
    pub(super) fn name(&mut self, text: &str) -> &str {
        if !self.names.contains_key(text) {
            let name = self.fresh(text);
            self.taken.insert(name.to_ascii_lowercase());
            self.names.insert(text.to_owned(), name);
        }
        self.names.get(text).map_or(self.empty, String::as_str)
    }

    /// Returns a name that is not taken.
    fn fresh(&mut self, text: &str) -> String {
        let allowed = |letter: char| letter.is_ascii() && (self.is_allowed)(letter);
        let letters = text.trim().chars().map(|letter| if allowed(letter) { letter } else { '_' });
        let mut base: String = letters.take(self.max_length).collect();
        if base.is_empty() {
            base.push_str(self.empty);
        }
        if !self.taken.contains(&base.to_ascii_lowercase()) {
            return base;
        }
        let next = self.next.entry(base.to_ascii_lowercase()).or_insert(2);
        loop {
            let number = format!("_{next}");
            *next += 1;
            // Every letter is a byte.
            let name = format!("{}{number}", &base[..base.len().min(self.max_length - number.len())]);
            if !self.taken.contains(&name.to_ascii_lowercase()) {
                return name;
            }
        }
    }
}
