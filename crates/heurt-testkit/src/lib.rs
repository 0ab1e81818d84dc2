//! heurt-testkit
