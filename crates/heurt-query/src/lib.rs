//! heurt-query
