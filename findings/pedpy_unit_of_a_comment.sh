#!/usr/bin/env bash
# pedpy 1.5.1, load_trajectory_from_txt: the unit of a file is any text like it in a comment; the last line wins.
# Guess before the run: `x/mm` raises an error, since the function knows m and cm only; a comment `recorded in March`
# changes nothing beside `x/cm`.
# Seen: `x/mm` is read as metres, a factor of 1000, since it begins with `x/m`. `in March` counts as `in m`, so that a
# file whose columns say `x/cm` before that comment is read as metres, a factor of 100. No warning. A frame rate is
# found likewise: the first number of the line, so that `# camera 2 framerate 25` is 2 frames a second.
# For heurt's users: heurt reads the unit from the names of columns or from the option --unit, and refuses two units.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pedpy==1.5.1
"$folder/venv/bin/python" - "$folder" <<'PY'
import importlib.metadata
import pathlib
import sys

import pedpy

print("pedpy", importlib.metadata.version("pedpy"))
rows = "".join(f"1 {frame} {100 + 10 * frame} 200 170\n" for frame in range(30))


def read(header):
    file = pathlib.Path(sys.argv[1]) / "walk.txt"
    file.write_text(header + rows)
    loaded = pedpy.load_trajectory_from_txt(trajectory_file=file)
    return float(loaded.data.x.iloc[0]), loaded.frame_rate


columns = "# id frame x/{0} y/{0} z/{0}\n"
for name, header, seen in (
    ("x/m", "# framerate: 25\n" + columns.format("m"), (100.0, 25.0)),
    ("x/cm", "# framerate: 25\n" + columns.format("cm"), (1.0, 25.0)),
    ("x/mm", "# framerate: 25\n" + columns.format("mm"), (100.0, 25.0)),
    ("x/cm, then a comment `recorded in March`", "# framerate: 25\n" + columns.format("cm") + "# recorded in March\n", (100.0, 25.0)),
    ("x/cm, and `camera 2 framerate 25`", "# camera 2 framerate 25\n" + columns.format("cm"), (1.0, 2.0)),
):
    first, rate = read(header)
    print(f"{name}: 100 is read as {first} m, {rate} frames a second")
    assert (first, rate) == seen, (name, first, rate)
print("A file in mm, and one in cm with a comment on March, are read as metres without a warning.")
PY
