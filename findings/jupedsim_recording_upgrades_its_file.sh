#!/usr/bin/env bash
# jupedsim 1.4.2, Recording: opening a trajectory file of an older version for reading rewrites it.
# Guess before the run: a class that plays a recording opens its database for reading and leaves the file as it is.
# Seen: a version 1 file becomes a version 2 file by `Recording(path)` alone; the content hash changes, and a file that
# may not be written cannot be opened. Archives with checksums break by being looked at.
# For heurt's users: heurt reads versions 1 to 3 from a copy in memory and never writes to the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check jupedsim==1.4.2
"$folder/venv/bin/python" - "$folder" <<'PY'
import hashlib
import importlib.metadata
import pathlib
import sqlite3
import sys

from jupedsim.recording import Recording

print("jupedsim", importlib.metadata.version("jupedsim"))
file = pathlib.Path(sys.argv[1]) / "walk.sqlite"
# A file as version 1 has it: one geometry, no table of frames.
with sqlite3.connect(file) as database:
    database.execute(
        "CREATE TABLE trajectory_data (frame INTEGER NOT NULL, id INTEGER NOT NULL, pos_x REAL NOT NULL,"
        " pos_y REAL NOT NULL, ori_x REAL NOT NULL, ori_y REAL NOT NULL)"
    )
    database.execute("CREATE TABLE metadata(key TEXT NOT NULL UNIQUE PRIMARY KEY, value TEXT NOT NULL)")
    database.execute("CREATE TABLE geometry(wkt TEXT NOT NULL)")
    database.execute("INSERT INTO geometry VALUES ('POLYGON ((0 0, 9 0, 9 2, 0 2, 0 0))')")
    values = {"version": "1", "fps": "10", "xmin": "0", "xmax": "9", "ymin": "0", "ymax": "2"}
    database.executemany("INSERT INTO metadata VALUES (?, ?)", values.items())
    rows = [(frame, 1, 0.1 * frame, 1.0, 1.0, 0.0) for frame in range(10)]
    database.executemany("INSERT INTO trajectory_data VALUES (?, ?, ?, ?, ?, ?)", rows)
database.close()


def state():
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        version = database.execute("SELECT value FROM metadata WHERE key = 'version'").fetchone()[0]
    database.close()
    return version, hashlib.sha256(file.read_bytes()).hexdigest()[:12]


before = state()
recording = Recording(str(file))
frames = recording.num_frames
after = state()
print(f"before: version {before[0]}, {before[1]}; after opening ({frames} frames): version {after[0]}, {after[1]}")
assert before[0] == "1" and after[0] == "2" and before[1] != after[1]
print("Recording(path) raised the file to version 2 in place, and its bytes have changed.")
PY
