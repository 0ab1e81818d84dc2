//! The language of comments, checked: counts of words that plain technical English does without, which only fall.
//!
//! In: comments of the sources, and `house_words.txt` with the counts of each crate. Out: counts that rose, or that fell and are
//! not stored yet. `HEURT_UPDATE_WORDS=1 cargo test -p heurt-testkit --test house_words` stores the counts of now.
//! Method: a comment is split into words; words in backticks are code and do not count.

mod sources;

use sources::{crates, sources};
use std::fmt::Write;
use std::path::Path;

/// Words and phrases, each with the plain term that replaces it in CONTRIBUTING.md.
const WORDS: [&str; 46] = [
    "tell",
    "tells",
    "told",
    "say",
    "says",
    "said",
    "ask",
    "asks",
    "asked",
    "question",
    "questions",
    "way",
    "ways",
    "apart",
    "about",
    "so many",
    "so far",
    "so deep",
    "that of",
    "those that",
    "of those",
    "the one",
    "the other",
    "the others",
    "stand",
    "stands",
    "look at",
    "looked at",
    "look for",
    "looked for",
    "go through",
    "gone through",
    "put aside",
    "hand over",
    "beside",
    "likewise",
    "anew",
    "sooner",
    "surely",
    "but for",
    "upon",
    "whatever",
    "farthest",
    "lest",
    "nobody",
    "whom",
];

/// Words that begin no sentence: the subject comes first.
const STARTS: [&str; 6] = ["Of", "Where", "What", "Who", "Those", "As much"];

/// The widest line of a comment: `max_width` of `rustfmt.toml`, which rustfmt does not apply to comments.
const MAX_WIDTH: usize = 120;

/// What is counted in a crate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    words: usize,
    starts: usize,
    wide: usize,
}

/// The comments of a file, without code in backticks and without the code of examples.
fn comments(text: &str) -> String {
    let (mut prose, mut is_code) = (String::new(), false);
    for line in text.lines() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            prose.push_str(".\n");
            continue;
        };
        let comment = comment.trim_start_matches(['/', '!']).trim();
        if comment.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let outside = comment.split('`').step_by(2).collect::<Vec<_>>().join("`");
            prose.push_str(&outside);
            prose.push(' ');
        }
    }
    prose
}

fn count(text: &str) -> Counts {
    let prose = comments(text);
    let plain: String = prose.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
    let plain = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
    let words = WORDS.iter().map(|word| plain.matches(&format!(" {word} ")).count()).sum();
    let sentences = prose.split(['.', ':', '!', '?']).map(str::trim_start);
    let begins = |sentence: &str| {
        STARTS.iter().any(|start| sentence.strip_prefix(start).is_some_and(|rest| rest.starts_with([' ', ','])))
    };
    let starts = sentences.filter(|sentence| begins(sentence)).count();
    let is_wide = |line: &&str| line.trim_start().starts_with("//") && line.chars().count() > MAX_WIDTH;
    Counts { words, starts, wide: text.lines().filter(is_wide).count() }
}

/// The counts of all crates, a line each.
fn counts() -> String {
    let mut lines = String::from("# crate: words, sentence starts, wide lines\n");
    for (name, folder) in crates() {
        let mut sum = Counts::default();
        for source in sources(&folder) {
            let Counts { words, starts, wide } = count(&source.text);
            sum = Counts { words: sum.words + words, starts: sum.starts + starts, wide: sum.wide + wide };
        }
        writeln!(lines, "{name}: {}, {}, {}", sum.words, sum.starts, sum.wide).expect("written");
    }
    lines
}

#[test]
fn the_counts_only_fall() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/house_words.txt");
    let now = counts();
    if std::env::var_os("HEURT_UPDATE_WORDS").is_some() {
        std::fs::write(&path, &now).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("the counts are stored");
    let numbers = |line: &str| -> Vec<usize> {
        line.split(&[':', ','][..]).skip(1).filter_map(|number| number.trim().parse().ok()).collect()
    };
    assert_eq!(stored.lines().count(), now.lines().count(), "each crate has a line: {now}");
    for (stored, now) in stored.lines().zip(now.lines()) {
        let rose = numbers(now).iter().zip(numbers(stored)).any(|(&now, stored)| now > stored);
        assert!(!rose, "stored {stored}; now {now}: use the plain words of CONTRIBUTING.md");
        assert_eq!(stored, now, "fewer than before: HEURT_UPDATE_WORDS=1 stores the new counts");
    }
}

#[test]
fn words_starts_and_wide_lines_are_counted() {
    let text = "/// Of two, the one is told `about`. Where it stands.\nlet way = 1; // no\n/// ```\n/// let told = 1;\n/// ```";
    assert_eq!(count(text), Counts { words: 3, starts: 2, wide: 0 });
    assert_eq!(count(&format!("// {}", "x".repeat(118))).wide, 1);
}
