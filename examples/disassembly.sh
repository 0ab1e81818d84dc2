#!/bin/sh
# Does a part come out of an assembly, and if not, what does it meet, when and where?
# Usage: sh examples/disassembly.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

"$heurt" make demo -o "$folder/gearbox.glb"
# Straight up, 20 cm in a second: the pin comes out of its block; the bolt would hit the shaft above it.
for part in 'dowel pin' 'bolt M10 rear right'; do
    "$heurt" check "$folder/gearbox.glb" --moving "$part" --motion 0,0,0.2 || [ $? -eq 1 ]
done
# Two parts together, up and then turned about the axis through the first one's origin.
cat >"$folder/way.json" <<'WAY'
[ {"velocity": [0, 0, 0.1]},
  {"angular_velocity": [0, 0, 1.5708], "duration": 1} ]
WAY
"$heurt" check "$folder/gearbox.glb" --moving knob --moving 'grip ring' --motion "@$folder/way.json" || [ $? -eq 1 ]
