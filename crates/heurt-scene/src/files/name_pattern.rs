//! Glob patterns over the names of parts: `*` matches any text, `?` one character, every other character itself.
//!
//! Method: one pass with a single backtrack point, the last `*`. Cost: O(pattern · name) at worst, no recursion.

/// A pattern as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    text: Vec<char>,
}

impl NamePattern {
    /// Makes the pattern of a text.
    pub fn new(text: &str) -> Self {
        Self { text: text.chars().collect() }
    }

    /// Reports whether the whole name matches.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name): (&[char], Vec<char>) = (&self.text, name.chars().collect());
        let (mut p, mut n) = (0, 0);
        // The backtrack point if the text after the last `*` does not match: that `*` takes one character more.
        let mut last_star: Option<(usize, usize)> = None;
        while n < name.len() {
            match pattern.get(p) {
                Some('*') => {
                    last_star = Some((p, n));
                    p += 1;
                }
                Some(&c) if c == '?' || c == name[n] => {
                    p += 1;
                    n += 1;
                }
                _ => {
                    let Some((star, start)) = last_star else { return false };
                    last_star = Some((star, start + 1));
                    (p, n) = (star + 1, start + 1);
                }
            }
        }
        pattern[p..].iter().all(|&c| c == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::NamePattern;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name, wanted) in [
            ("bolt", "bolt", true),
            ("bolt", "bolts", false),
            ("bolt*", "bolt M8#2", true),
            ("*M8*", "bolt M8#2", true),
            ("?olt", "bolt", true),
            ("?", "", false),
            ("*", "", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("*/rod*", "engine/left bank/rod 2", true),
            ("Müller?", "Müller1", true),
            ("", "", true),
        ] {
            assert_eq!(NamePattern::new(pattern).matches(name), wanted, "{pattern} on {name}");
        }
        let hostile = NamePattern::new(&"*a".repeat(200));
        assert!(!hostile.matches(&"a".repeat(150)));
    }
}
