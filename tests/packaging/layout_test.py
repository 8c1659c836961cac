#!/usr/bin/env python3
"""Includes point up the table of rooms (scripts/rooms.txt), never down."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "mortise"
EVERYWHERE = {"error.h", "linalg/types.h"}


def read_table(path):
    rooms, foreign = {}, []
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, rest = line.partition(":")
        if name.startswith("@"):
            foreign.append((name[1:].strip(), rest.split()))
        else:
            rooms[name.strip()] = rest.split()
    return rooms, foreign


def reach(rooms, room):
    """The room, the rooms it names, and what those may include; single files do not carry further."""
    seen, todo = {room}, [room]
    while todo:
        for name in rooms[todo.pop()]:
            if name not in seen:
                seen.add(name)
                if "/" not in name:
                    todo.append(name)
    return seen


def main():
    rooms, foreign = read_table(ROOT / "scripts" / "rooms.txt")
    complaints, count = [], 0
    for file in sorted(p for p in SOURCE.rglob("*") if p.suffix in {".h", ".cpp"}):
        place = file.relative_to(SOURCE)
        room = place.parts[0] if len(place.parts) > 1 or place.name in rooms else None
        if room and room not in rooms:
            complaints.append(f"{file.relative_to(ROOT)}: room '{room}' is not in scripts/rooms.txt")
            continue
        allowed = reach(rooms, room) if room else set()
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line)
            if not found:
                continue
            header, count = found.group(1), count + 1
            where = f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
            if header.startswith("mortise/"):
                inner = header.removeprefix("mortise/")
                if "/" not in inner or inner in EVERYWHERE or inner in allowed or inner.split("/")[0] in allowed:
                    continue
                named = ", ".join(sorted(allowed - {room})) or "no other room"
                complaints.append(f"{where}\n    {room or 'a file outside of the rooms'} may include {named}")
            elif line.lstrip().startswith("#") and '"' in line:
                complaints.append(f"{where}\n    write the path from src/: \"mortise/room/file.h\"")
            else:
                for prefix, folders in foreign:
                    inside = any(place.as_posix().startswith(folder + "/") for folder in folders)
                    if header.startswith(prefix) and not inside:
                        complaints.append(f"{where}\n    only {', '.join(folders)} may include {prefix}")
    print("\n".join(complaints) or f"{count} includes, all of them point up")
    return 1 if complaints else 0


sys.exit(main())
