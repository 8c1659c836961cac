#!/usr/bin/python3
"""Files for ParaView, read back without Mortise:   read_back.py MORTISE EXAMPLES

A run is exported; then the VTKHDF file is read with h5py as its specification says (offsets by step), the XDMF by its hyperslabs,
each VTP by its base64 arrays. All three must hold the same numbers, and these must be those of the CSV export: centres of bodies
whose origin is their centre, forces at joints.
"""
import base64
import csv
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import h5py
import numpy as np

program, examples = sys.argv[1], pathlib.Path(sys.argv[2])


def require(claim, what):
    if not claim:
        sys.exit(what)


def decode(element):
    kinds = {"Float64": "<f8", "Int64": "<i8", "Int32": "<i4"}
    raw = base64.b64decode(element.text)
    size = int(np.frombuffer(raw[:8], "<u8")[0])
    require(len(raw) == 8 + size, "the length before the numbers is theirs")
    values = np.frombuffer(raw[8:], kinds[element.get("type")])
    width = int(element.get("NumberOfComponents"))
    return values.reshape(-1, width) if width > 1 else values


def check(example, dimension, folder):
    run = folder / f"{example}.h5"
    subprocess.run([program, "run", examples / f"{example}.yaml", "--set", "analysis.until=0.2", "--set", "output.every=0.05",
                    "-o", run], check=True, capture_output=True)
    subprocess.run([program, "export", run, "--paraview", folder / "out"], check=True, capture_output=True)
    table = subprocess.run([program, "export", run, "--csv"], check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(table.splitlines()))
    base = folder / "out" / example
    with h5py.File(f"{base}.vtkhdf") as file:
        root = file["VTKHDF"]
        require(root.attrs["Type"] == b"UnstructuredGrid" and list(root.attrs["Version"]) == [2, 0], "type and version")
        steps = root["Steps"]
        require(steps.attrs["NSteps"] == len(rows), "a step a frame")
        names = [name.decode() for name in file["bodies"]], [name.decode() for name in file["joints"]]
        kind, item = root["PointData/kind"][:], root["PointData/item"][:]
        offsets, connectivity = root["Offsets"][:], root["Connectivity"][:]
        require(len(offsets) == root["NumberOfCells"][0] + 1 and offsets[-1] == len(connectivity), "cells end where they end")
        require(set(np.diff(offsets)) <= {1, 2} and list(np.diff(offsets) == 1) == list(root["Types"][:] == 1), "types of cells")
        require(connectivity.max() < root["NumberOfPoints"][0], "cells are of points that exist")
        frames = []
        for k, row in enumerate(rows):
            require(steps["Values"][k] == float(row["t"]), "times are those of the frames")
            begin, count = steps["PointOffsets"][k], root["NumberOfPoints"][steps["PartOffsets"][k]]
            frame = {"points": root["Points"][begin:begin + count]}
            for name in ("velocity", "force", "torque"):
                at = steps[f"PointDataOffsets/{name}"][k]
                frame[name] = root[f"PointData/{name}"][at:at + count]
            frames.append(frame)
            seen = set()
            for p in range(count):
                body = names[0][item[p]] if kind[p] == 0 else ""
                if kind[p] == 0 and body not in seen:  # the first point of a body is its centre of mass
                    seen.add(body)
                    for axis, letter in enumerate("xyz"[:dimension]):
                        require(abs(frame["points"][p, axis] - float(row[f"{body}.{letter}"])) < 1e-12, f"{body}.{letter}")
                        require(abs(frame["velocity"][p, axis] - float(row[f"{body}.v{letter}"])) < 1e-12, f"{body}.v{letter}")
                if kind[p] == 1:
                    for axis, letter in enumerate("xyz"[:dimension]):
                        require(frame["force"][p, axis] == float(row[f"{names[1][item[p]]}.reaction.f{letter}"]), "reactions")
        mixed = file["xdmf_topology"][:]
        grids = ET.parse(f"{base}.xdmf").getroot().findall("Domain/Grid/Grid")
        require(len(grids) == len(rows), "a grid a frame")
        for grid, frame, row in zip(grids, frames, rows):
            require(float(grid.find("Time").get("Value")) == float(row["t"]), "times of XDMF")
            require(int(grid.find("Topology/DataItem").get("Dimensions")) == len(mixed), "length of the topology")
            for path, name in (("Geometry", "points"), ("Attribute[@Name='velocity']", "velocity"), ("Attribute[@Name='force']", "force")):
                slab, source = grid.find(f"{path}/DataItem").findall("DataItem")
                start, stride, count = np.array(slab.text.split(), int).reshape(3, 2)
                where = source.text.split(":")
                require(where[0] == f"{example}.vtkhdf" and list(stride) == [1, 1], "the file it refers to")
                data = file[where[1]]
                require(list(map(int, source.get("Dimensions").split())) == list(data.shape), "the size it states")
                require(np.array_equal(data[start[0]:start[0] + count[0]], frame[name]), f"XDMF: {name}")
    # The mixed list: type, number of points, points.
    at = cells = 0
    while at < len(mixed):
        require(mixed[at] in (1, 2) and mixed[at] == mixed[at + 1], "polyvertices and polylines")
        require(np.array_equal(mixed[at + 2:at + 2 + mixed[at + 1]], connectivity[offsets[cells]:offsets[cells + 1]]), "cells of XDMF")
        at, cells = at + 2 + mixed[at + 1], cells + 1
    require(cells == len(offsets) - 1, "all cells")
    sets = ET.parse(f"{base}.pvd").getroot().findall("Collection/DataSet")
    require(len(sets) == len(rows), "a file a frame")
    for entry, frame in zip(sets, frames):
        piece = ET.parse(folder / "out" / entry.get("file")).getroot().find("PolyData/Piece")
        require(np.array_equal(decode(piece.find("Points/DataArray")), frame["points"]), "VTP: points")
        for name in ("velocity", "force", "torque"):
            require(np.array_equal(decode(piece.find(f"PointData/DataArray[@Name='{name}']")), frame[name]), f"VTP: {name}")
        count = int(piece.get("NumberOfVerts")) + int(piece.get("NumberOfLines"))
        require(count == len(offsets) - 1 and len(decode(piece.find("CellData/DataArray"))) == count, "VTP: cells")
    print(f"{example}: {len(rows)} frames of {len(frames[0]['points'])} points and {cells} cells are the same in all files")


with tempfile.TemporaryDirectory() as folder:
    check("five-bar", 2, pathlib.Path(folder))
    check("bricard", 3, pathlib.Path(folder))
