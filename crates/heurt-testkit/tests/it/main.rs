//! Tests of heurt-testkit, a topic a module.

mod ccd_corpus;
mod convex_oracle;
mod dependency_order;
mod house_words;
mod oracle;
mod query_layers;
mod room_size;
mod sources;
mod translation_oracle;
mod type_names;
