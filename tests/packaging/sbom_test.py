#!/usr/bin/env python3
"""The list of what Mortise is made of (`make sbom`):   sbom_test.py BUILD_FOLDER

Every library that is loaded and every file that the repository carries of others is in it, with the right hash, and two
lists of one build are the same bytes."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
faults = []


def expect(claim, words):
    if not claim:
        faults.append(words)


def made(folder, name):
    path = pathlib.Path(folder) / name
    run = subprocess.run([ROOT / "scripts/sbom", "--build", build, "-o", path], check=False)
    if run.returncode:
        sys.exit(run.returncode)
    return path.read_text(encoding="utf-8")


def flat(components):
    for component in components:
        yield component
        yield from flat(component.get("components", []))


with tempfile.TemporaryDirectory() as folder:
    text = made(folder, "one.json")
    expect(text == made(folder, "two.json"), "two lists of one build differ")
bill = json.loads(text)
expect((bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5"), "not CycloneDX 1.5")
every = list(flat(bill["components"]))
refs = [component["bom-ref"] for component in every]
expect(len(refs) == len(set(refs)), "a reference stands twice")
expect(all(component["name"] and component["type"] in ("library", "file") for component in every), "a nameless component")
expect(all(c.get("version") and c.get("purl") for c in bill["components"]), "a component without version or purl")
edges = {d["ref"]: d.get("dependsOn", []) for d in bill["dependencies"]}
expect(sorted(edges["mortise"]) == sorted(c["bom-ref"] for c in bill["components"]), "dependencies and components differ")

hashes = {c["name"]: c["hashes"][0]["content"] for c in flat(bill["components"] + [bill["metadata"]["component"]])
          if c["type"] == "file"}
listed = subprocess.run(["ldd", build / "lib/libmortise.so"], check=True, capture_output=True, text=True).stdout
libraries = [pathlib.Path(path).resolve() for path in re.findall(r"=> (/\S+)", listed)]
carried = [path for path in (ROOT / "third_party").rglob("*.js") if ".min." in path.name]
for path in libraries + carried + [(build / "lib/libmortise.so").resolve()]:
    name = "libmortise.so" if path.name.startswith("libmortise.so") else path.name
    expect(hashes.get(name) == hashlib.sha256(path.read_bytes()).hexdigest(), f"{path} is missing or has another hash")
expect(len(libraries) >= 5, "ldd names no libraries")
print("\n".join(faults) or f"{len(bill['components'])} components, {len(hashes)} files with their hashes")
sys.exit(1 if faults else 0)
