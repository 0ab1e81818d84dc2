#!/bin/sh
# The contact problem of one step, solved exactly and by springs.
# Usage: sh examples/contact_problem.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# Ten boxes on each other, in their first step.
"$heurt" run scenes/stack.toml --steps 1 --problem "$folder/stack.json" --quiet
"$heurt" run --solve "$folder/stack.json"
# Status 1 says that the residual is too large: springs push after bodies overlap.
"$heurt" run --solve "$folder/stack.json" --solver penalty || [ $? -eq 1 ]
