#!/bin/sh
# Covers a gear by convex pieces, coarsely and finely, and checks that they meet what the gear meets.
# Usage: sh examples/decompose.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

"$heurt" make gear --teeth 12 -o "$folder/gear.obj"
"$heurt" decompose "$folder/gear.obj" --tolerance 0.05 -o "$folder/coarse.obj"
"$heurt" decompose "$folder/gear.obj" --tolerance 0.02 -o "$folder/fine.obj"
# Neighbours overlap by a hair, so the pieces interfere with the gear: status 1.
"$heurt" check "$folder/gear.obj" "$folder/fine.obj" --quiet || [ $? -eq 1 ]
