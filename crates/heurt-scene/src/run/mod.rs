//! A run of a scene for programs: the contacts as intervals, a JSON line for each step, records.

mod contact_log;
mod record;
mod trace;

pub use contact_log::{ContactEvent, ContactInterval, ContactLog, PairId};
pub use record::{RecordHeader, RecordStep, RecordTextError, hash_text, parse_record};
pub use trace::{TraceError, TraceOptions, write_trace_line};
