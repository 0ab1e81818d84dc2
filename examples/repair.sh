#!/bin/sh
# Breaks a gear in three ways and repairs it: what was done is printed, and the volume is that of the gear.
# Usage: sh examples/repair.sh [path of heurt]
set -eu
heurt=${1:-target/release/heurt}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

"$heurt" make gear --teeth 12 -o "$folder/gear.obj"
# Without its last twelve triangles, with one triangle reversed, and with one repeated.
awk '/^f / { faces[++count] = $0; next } { print }
    END {
        for (k = 1; k <= count - 12; k++) {
            split(faces[k], word, " ")
            if (k == 7) print "f", word[2], word[4], word[3]; else print faces[k]
            if (k == 30) print faces[k]
        }
    }' "$folder/gear.obj" >"$folder/broken.obj"
"$heurt" repair "$folder/broken.obj" -o "$folder/mended.obj"
"$heurt" inspect "$folder/mended.obj" --strict >/dev/null
# Fewer triangles, none farther off than a hundredth of a millimetre; then the hull.
"$heurt" simplify "$folder/mended.obj" -o "$folder/few.obj" --deviation 1e-5
"$heurt" hull "$folder/few.obj"
