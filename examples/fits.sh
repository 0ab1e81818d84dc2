#!/bin/sh
# Pins in holes of a plate, tessellated each in its own way: which fit, and which is too thick?
# Usage: sh examples/fits.sh [path of heurt]
set -eu
heurt=${1:-heurt}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A hole of 10 mm with 40 facets, pins of 33 and 40 facets turned against it.
"$heurt" make plate --size 0.08,0.04,0.01 --holes 2,1 --hole-diameter 0.01 --segments 40 -o "$folder/plate.obj"
"$heurt" make cylinder --radius 0.005 --half-height 0.015 --segments 33 -o "$folder/fits.obj"
"$heurt" make cylinder --radius 0.0052 --half-height 0.015 --segments 40 -o "$folder/thick.obj"
cat >"$folder/fits.toml" <<'TOML'
unit = "m"
[[part]]
file = "plate.obj"
[[part]]
file = "fits.obj"
pose = [-0.02, 0, 0.01]
[[part]]
file = "thick.obj"
pose = [0.02, 0, 0.01]
TOML

echo "All pairs: the pin that fits passes through the facets of its hole by less than their error (~)."
"$heurt" check "$folder/fits.toml" --unit mm --exit-zero

echo "No deeper than 0.1 mm left out: the pin that is 0.2 mm too thick remains."
status=0
"$heurt" check "$folder/fits.toml" --unit mm --tolerance 0.1 --quiet || status=$?
[ "$status" -eq 1 ]

echo "No deeper than 0.3 mm left out: nothing remains."
"$heurt" check "$folder/fits.toml" --unit mm --tolerance 0.3
