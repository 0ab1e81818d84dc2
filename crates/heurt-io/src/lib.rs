//! heurt-io
