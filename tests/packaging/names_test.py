#!/usr/bin/env python3
"""Sources are compiled in batches (MORTISE_UNITY), so the anonymous namespaces of a room are one: a name that two of its
files give to different things would at best not compile, at worst pick the other file's overload."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Not compiled in batches (src/CMakeLists.txt, tests/CMakeLists.txt); PrintTo is an overload for each of its types.
ALONE = {"tests/formula"}
ALONE_FILES = re.compile(r"/integrate/rk\w*\.cpp$")
OVERLOADS = {"PrintTo"}

TYPE = re.compile(r"(?:struct|class|enum class|enum) (\w+)(?: final)?(?: *:.*)? *\{")
FUNCTION = re.compile(r"(?:\[\[\w+\]\] )?(?:inline |static |constexpr )*[A-Za-z_][\w:<>,&*\s\[\]]*?[ &*](\w+)\(")
CONSTANT = re.compile(r"(?:inline |static )*(?:constexpr|const) [\w:<>,&*\s]*?[ &*](\w+)(?:\[\w*\])*(?: =|\{)")


def names(path):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', path.read_text(encoding="utf-8"), flags=re.S)
    inside = False
    for line in text.splitlines():
        if line.startswith("namespace {"):
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif inside and not line.startswith(("TEST", "INSTANTIATE", "using ", "template", "#", "return")):
            found = TYPE.match(line) or FUNCTION.match(line) or CONSTANT.match(line)
            if found:
                yield found.group(1)


owners = collections.defaultdict(set)
for top in ("src/mortise", "bindings/python", "tests"):
    for path in sorted((ROOT / top).rglob("*.cpp")):
        file = path.relative_to(ROOT).as_posix()
        room = "/".join(file.split("/")[: top.count("/") + 2])
        if room in ALONE or ALONE_FILES.search(file):
            continue
        if top == "tests":  # an executable a label
            room += re.search(r"(_test|_full|_study|)\.cpp$", file).group(1)
        for name in names(path):
            owners[room, name].add(file)

shared = {key: files for key, files in owners.items() if len(files) > 1 and key[1] not in OVERLOADS}
for (room, name), files in sorted(shared.items()):
    print(f"{room}: '{name}' is a name of {', '.join(sorted(files))}: share it in a header, or rename it")
print(f"{len(owners)} names in anonymous namespaces, {len(shared)} of them used twice in a room")
sys.exit(1 if shared else 0)
