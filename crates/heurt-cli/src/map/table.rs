//! Tables of two columns, and the words of maps in them.

use crate::check::{bold, new_table};
use crate::input::six_short_digits;
use crate::output::{Output, printable};
use comfy_table::Cell;
use heurt::geometry::Vec3;
use std::io::{self, Write};

/// Prints a table of two columns.
pub(super) fn print(header: [&str; 2], rows: Vec<(String, String)>, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    table.set_header(header.map(|text| bold(&printable(text))));
    for (name, value) in rows {
        table.add_row([Cell::new(name), Cell::new(printable(&value))]);
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// Prints a table of several columns.
pub(super) fn print_columns(titles: &[&str], rows: Vec<Vec<String>>, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    table.set_header(titles.iter().map(|title| bold(title)));
    for row in rows {
        table.add_row(row.iter().map(|text| Cell::new(printable(text))));
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// Formats a point.
pub(super) fn point(at: Vec3) -> String {
    (at + Vec3::ZERO).to_array().map(six_short_digits).join(", ")
}

/// Formats a list of numbers, shortened to `most`; JSON has all.
pub(super) fn listed(numbers: &[u32], most: usize) -> String {
    if numbers.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = numbers.iter().take(most).map(u32::to_string).collect();
    match numbers.len().saturating_sub(most) {
        0 => shown.join(" "),
        left => format!("{} … and {left} more", shown.join(" ")),
    }
}
