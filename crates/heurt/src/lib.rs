//! heurt
