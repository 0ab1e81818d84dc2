//! The language of comments, checked: words that plain technical English does without, and sentences that do not begin
//! with their subject.
//!
//! In: comments of the sources. Out: the comments with such words, with the line in which they begin.
//! Method: a comment is split into words; words in backticks are code and do not count.

use crate::sources::{crates, sources};

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

/// A block of consecutive comment lines, without code in backticks and without the code of examples.
struct Comment {
    /// Of its first line, from 1.
    line: usize,
    prose: String,
}

fn comments(text: &str) -> Vec<Comment> {
    let (mut found, mut open, mut is_code) = (Vec::<Comment>::new(), false, false);
    for (line, text) in (1..).zip(text.lines()) {
        let Some(comment) = text.trim_start().strip_prefix("//") else {
            (open, is_code) = (false, false);
            continue;
        };
        if !std::mem::replace(&mut open, true) {
            found.push(Comment { line, prose: String::new() });
        }
        let comment = comment.trim_start_matches(['/', '!']).trim();
        if comment.starts_with("```") {
            is_code = !is_code;
        } else if let (false, Some(last)) = (is_code, found.last_mut()) {
            last.prose.push_str(&comment.split('`').step_by(2).collect::<Vec<_>>().join("`"));
            last.prose.push(' ');
        }
    }
    found
}

/// The words and sentence starts of a comment that are to be replaced.
fn faults(prose: &str) -> Vec<String> {
    let plain: String = prose.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
    let plain = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
    let words = WORDS.iter().filter(|word| plain.contains(&format!(" {word} "))).map(|word| format!("`{word}`"));
    let sentences = prose.split(['.', ':', '!', '?']).map(str::trim_start);
    let begins =
        |sentence: &str, start: &str| sentence.strip_prefix(start).is_some_and(|rest| rest.starts_with([' ', ',']));
    let starts = sentences.filter_map(|sentence| STARTS.into_iter().find(|start| begins(sentence, start)));
    words.chain(starts.map(|start| format!("a sentence that begins with `{start}`"))).collect()
}

/// The faults of a file, each with its line.
fn file_faults(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for Comment { line, prose } in comments(text) {
        found.extend(faults(&prose).into_iter().map(|fault| (line, fault)));
    }
    let is_wide = |line: &str| line.trim_start().starts_with("//") && line.chars().count() > MAX_WIDTH;
    let wide = (1..).zip(text.lines()).filter(|&(_, line)| is_wide(line));
    found.extend(wide.map(|(line, _)| (line, format!("more than {MAX_WIDTH} columns"))));
    found
}

#[test]
fn comments_use_the_words_of_the_field() {
    let mut found = Vec::new();
    for (name, folder) in crates() {
        for source in sources(&folder) {
            let faults = file_faults(&source.text);
            found.extend(faults.iter().map(|(line, fault)| format!("{name}: {}:{line}: {fault}", source.path)));
        }
    }
    assert!(found.is_empty(), "use the plain words of CONTRIBUTING.md:\n{}", found.join("\n"));
}

#[test]
fn words_starts_and_wide_lines_are_found() {
    let text = "/// Of two, the one is told `about`. Where it stands.\nlet way = 1; // no\n/// ```\n/// let told = 1;\n/// ```";
    let faults = file_faults(text);
    assert!(faults.iter().all(|&(line, _)| line == 1), "{faults:?}");
    assert_eq!(faults.len(), 5, "{faults:?}");
    assert_eq!(file_faults(&format!("\n// {}", "x".repeat(118))), [(2, "more than 120 columns".to_owned())]);
}
