#!/usr/bin/python3
"""Imported robots against an independent reading of the same files:   derive.py MORTISE

Each model of models/ is converted to JSON by `mortise convert`, and read here a second time: XML by ElementTree, rotations as
matrices of numpy. Both must agree on the mass, centre of mass, inertia tensor and velocity of every body in world axes, on the
place and axis of every joint on both bodies, and on the points that close loops.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import numpy as np

MODELS = pathlib.Path(__file__).parent / "models"
LIMIT = 1e-12
worst = {"mass": 0.0, "centre": 0.0, "inertia": 0.0, "axis": 0.0, "anchor": 0.0, "velocity": 0.0}
checked = dict.fromkeys(worst, 0)


def note(kind, ours, theirs, what):
    error = float(np.max(np.abs(np.asarray(ours, float) - np.asarray(theirs, float))))
    worst[kind] = max(worst[kind], error)
    checked[kind] += 1
    if not error <= LIMIT:
        sys.exit(f"{what}: {kind} {ours} is not {theirs} (off by {error})")


def turn(axis, angle):
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


X, Y, Z = np.eye(3)


def rpy(text):
    r, p, y = numbers(text)
    return turn(Z, y) @ turn(Y, p) @ turn(X, r)


def quaternion(w, x, y, z):
    n = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def numbers(text):
    return [float(word) for word in text.split()]


# ---- what Mortise made of it


class Ours:
    def __init__(self, model):
        self.model = model
        self.bodies = {"ground": {"at": [0, 0, 0]}, **model["bodies"]}

    def rotation(self, value):
        if value is None:
            return np.eye(3)
        q = value["quaternion"]
        return quaternion(q["w"], q["x"], q["y"], q["z"])

    def pose(self, body):
        b = self.bodies[body]
        return np.array(b["at"], float), self.rotation(b.get("orientation"))

    def centre(self, body):
        p, R = self.pose(body)
        return p + R @ np.array(self.bodies[body].get("center", [0, 0, 0]), float)

    def inertia(self, body):
        b = self.bodies[body]
        i = b["inertia"]
        J = np.diag(i) if isinstance(i, list) else np.array(
            [[i["xx"], i["xy"], i["xz"]], [i["xy"], i["yy"], i["yz"]], [i["xz"], i["yz"], i["zz"]]])
        R = self.pose(body)[1] @ self.rotation(b.get("inertia_frame"))
        return R @ J @ R.T

    def point(self, body, local):
        p, R = self.pose(body)
        return p + R @ np.array(local, float)

    def joint(self, name):
        j = self.model["joints"][name]
        first, second = j["between"]
        ends = [self.point(first, j["points"][0]), self.point(second, j["points"][1])]
        axis = None
        if "axis" in j:
            assert j["in"] == "second"
            axis = self.pose(second)[1] @ np.array(j["axis"], float)
            axis /= np.linalg.norm(axis)
        return first, second, ends, axis


# ---- URDF, a second time


def urdf(path, ours, positions, merged=(), frames=(), free=None):
    root = ET.parse(path).getroot()
    joints = {j.find("child").get("link"): j for j in root.findall("joint")}
    value = {}

    def position(joint):
        name = joint.get("name")
        if name in positions:
            return positions[name]
        if joint.find("mimic") is not None:
            m = joint.find("mimic")
            leader = next(j for j in root.findall("joint") if j.get("name") == m.get("joint"))
            return float(m.get("multiplier", 1)) * position(leader) + float(m.get("offset", 0))
        limit = joint.find("limit")
        if joint.get("type") in ("revolute", "prismatic") and limit is not None and limit.get("lower"):
            return min(max(0.0, float(limit.get("lower"))), float(limit.get("upper")))
        return 0.0

    def origin(element):
        o = element.find("origin")
        if o is None:
            return np.zeros(3), np.eye(3)
        return np.array(numbers(o.get("xyz", "0 0 0"))), rpy(o.get("rpy", "0 0 0"))

    poses = {}

    def pose(link):
        if link in poses:
            return poses[link]
        if link not in joints:
            poses[link] = np.zeros(3), np.eye(3)
            return poses[link]
        j = joints[link]
        p, R = pose(j.find("parent").get("link"))
        dp, dR = origin(j)
        p, R = p + R @ dp, R @ dR
        axis = numbers(j.find("axis").get("xyz")) if j.find("axis") is not None else [1, 0, 0]
        axis = np.array(axis) / np.linalg.norm(axis)
        q = position(j)
        value[j.get("name")] = q
        if j.get("type") in ("revolute", "continuous"):
            R = R @ turn(axis, q)
        elif j.get("type") == "prismatic":
            p = p + R @ (axis * q)
        poses[link] = p, R
        return poses[link]

    masses = {}
    for link in root.findall("link"):
        p, R = pose(link.get("name"))
        inertial = link.find("inertial")
        if inertial is None:
            continue
        c, A = origin(inertial)
        i = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
        J = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
        masses[dict(merged).get(link.get("name"), link.get("name"))] = (
            float(inertial.find("mass").get("value")), p + R @ c, R @ A @ J @ A.T @ R.T)
    compare_masses(path.name, ours, masses)
    for link, j in joints.items():
        if j.get("type") in ("fixed", "floating"):
            continue
        name = j.get("name").replace(" ", "_")
        p, R = pose(j.find("parent").get("link"))
        dp, dR = origin(j)
        anchor, axis = p + R @ dp, R @ dR @ np.array(numbers(j.find("axis").get("xyz")))
        _, _, ends, our_axis = ours.joint(name)
        note("axis", our_axis, axis / np.linalg.norm(axis), f"{path.name}: {name}")
        note("anchor", ends[0], anchor, f"{path.name}: {name}, first body")
        q = value[j.get("name")]
        there = anchor + (axis / np.linalg.norm(axis) * q if j.get("type") == "prismatic" else 0)
        note("anchor", ends[1], there, f"{path.name}: {name}, second body")
    for body, frame, link in frames:
        f = ours.bodies[body]["frames"][frame]
        p, R = ours.pose(body)
        note("anchor", p + R @ np.array(f["at"]), pose(link)[0], f"{path.name}: frame {frame}")
        note("axis", R @ ours.rotation(f.get("orientation")), pose(link)[1], f"{path.name}: frame {frame}")


def compare_masses(file, ours, masses):
    bodies = {b for b in ours.bodies if b != "ground" and "carrier" not in b}
    if bodies != set(masses):
        sys.exit(f"{file}: bodies {sorted(bodies)} are not {sorted(masses)}")
    for body, (mass, centre, tensor) in masses.items():
        note("mass", ours.bodies[body]["mass"], mass, f"{file}: {body}")
        note("centre", ours.centre(body), centre, f"{file}: {body}")
        note("inertia", ours.inertia(body), tensor, f"{file}: {body}")


# ---- MJCF, a second time: hinges and slides move what hangs on them, in the order of the file


class Mjcf:
    def __init__(self, path, key=None):
        self.path, self.root = path, ET.parse(path).getroot()
        compiler = self.root.find("compiler")
        get = compiler.get if compiler is not None else lambda name, default=None: default
        self.unit = 1.0 if get("angle", "degree") == "radian" else math.pi / 180
        self.euler = get("eulerseq", "xyz")
        self.defaults = {}
        for d in self.root.findall("default"):
            self.read_default(d, {})
        self.masses, self.anchors, self.drawn, self.velocity = {}, {}, {}, {}
        k = self.root.find("keyframe/key")
        self.qpos = numbers(k.get("qpos")) if k is not None and k.get("qpos") else None
        self.qvel = numbers(k.get("qvel")) if k is not None and k.get("qvel") else None
        still = np.zeros(3)
        for body in self.root.find("worldbody").findall("body"):
            self.body(body, (still, np.eye(3)), (still, np.eye(3)), still, still, "main")

    def read_default(self, element, inherited):
        mine = {tag: dict(values) for tag, values in inherited.items()}
        for child in element:
            if child.tag != "default":
                mine.setdefault(child.tag, {}).update(child.attrib)
        self.defaults[element.get("class", "main")] = mine
        for child in element.findall("default"):
            self.read_default(child, mine)

    def get(self, element, group, name, default=None):
        group = element.get("class", group)
        return element.get(name, self.defaults.get(group, {}).get(element.tag, {}).get(name, default))

    def orientation(self, e):
        if e.get("quat"):
            return quaternion(*numbers(e.get("quat")))
        if e.get("axisangle"):
            x, y, z, a = numbers(e.get("axisangle"))
            return turn([x, y, z], a * self.unit)
        if e.get("euler"):
            R = np.eye(3)
            for axis, angle in zip(self.euler, numbers(e.get("euler"))):
                T = turn(np.eye(3)["xyz".index(axis.lower())], angle * self.unit)
                R = R @ T if axis.islower() else T @ R
            return R
        if e.get("xyaxes"):
            v = np.array(numbers(e.get("xyaxes")))
            x = v[:3] / np.linalg.norm(v[:3])
            y = v[3:] - x * (x @ v[3:])
            y /= np.linalg.norm(y)
            return np.column_stack([x, y, np.cross(x, y)])
        if e.get("zaxis"):
            z = np.array(numbers(e.get("zaxis")))
            z /= np.linalg.norm(z)
            axis = np.cross(Z, z)
            return turn(axis, math.acos(z[2])) if np.linalg.norm(axis) > 0 else np.eye(3)
        return np.eye(3)

    def take(self, values, count):
        return [values.pop(0) for _ in range(count)] if values is not None else None

    def body(self, e, now, drawn, v, w, group):
        group = e.get("childclass", group)
        name = e.get("name")
        dp, dR = np.array(numbers(e.get("pos", "0 0 0"))), self.orientation(e)
        before = now[0]
        now = now[0] + now[1] @ dp, now[1] @ dR
        drawn = drawn[0] + drawn[1] @ dp, drawn[1] @ dR
        v = v + np.cross(w, now[0] - before)
        for j in e:
            if j.tag == "freejoint" or (j.tag == "joint" and j.get("type") == "free"):
                q, u = self.take(self.qpos, 7), self.take(self.qvel, 6)
                if q:
                    now = np.array(q[:3]), quaternion(*q[3:])
                if u:
                    v, w = np.array(u[:3]), now[1] @ np.array(u[3:])
            elif j.tag == "joint":
                now, v, w = self.joint(j, now, drawn, v, w, group)
        self.drawn[name] = drawn
        self.velocity[name] = v, w
        self.mass(e, name, now, group)
        for child in e.findall("body"):
            self.body(child, now, drawn, v, w, group)

    def joint(self, j, now, drawn, v, w, group):
        p, R = now
        kind = self.get(j, group, "type", "hinge")
        at = np.array(numbers(self.get(j, group, "pos", "0 0 0")))
        axis = np.array(numbers(self.get(j, group, "axis", "0 0 1")))
        axis /= np.linalg.norm(axis)
        anchor, there = p + R @ at, R @ axis
        unit = self.unit if kind == "hinge" else 1
        reference = float(self.get(j, group, "ref", 0)) * unit
        if kind == "ball":
            q, u = self.take(self.qpos, 4), self.take(self.qvel, 3)
            T = quaternion(*q) if q else np.eye(3)
            R = R @ T
            p2 = anchor - R @ at
            spin = R @ np.array(u) if u else np.zeros(3)
            v = v + np.cross(w, p2 - p) + np.cross(spin, p2 - anchor)
            self.anchors[j.get("name")] = anchor, anchor, None
            return (p2, R), v, w + spin
        q, u = self.take(self.qpos, 1), self.take(self.qvel, 1)
        way = (q[0] if q else reference) - reference
        rate = u[0] if u else 0.0
        if kind == "slide":
            p2 = p + way * there
            v = v + np.cross(w, p2 - p) + rate * there
            self.anchors[j.get("name")] = anchor - reference * there, p2 + R @ at, there
            return (p2, R), v, w
        R = R @ turn(axis, way)
        p2 = anchor - R @ at
        v = v + np.cross(w, p2 - p) + np.cross(rate * there, p2 - anchor)
        self.anchors[j.get("name")] = anchor, anchor, there
        return (p2, R), v, w + rate * there

    def mass(self, e, name, now, group):
        p, R = now
        parts = []
        inertial = e.find("inertial")
        if inertial is not None:
            A = self.orientation(inertial)
            if inertial.get("fullinertia"):
                a, b, c, ab, ac, bc = numbers(inertial.get("fullinertia"))
                J = np.array([[a, ab, ac], [ab, b, bc], [ac, bc, c]])
            else:
                J = np.diag(numbers(inertial.get("diaginertia")))
            parts.append((float(inertial.get("mass")), np.array(numbers(inertial.get("pos"))), A @ J @ A.T))
        else:
            parts = [self.geom(g, group) for g in e.findall("geom")]
        if not parts:
            return
        m = sum(part[0] for part in parts)
        c = sum(part[0] * part[1] for part in parts) / m
        J = sum(part[2] + part[0] * ((d := part[1] - c) @ d * np.eye(3) - np.outer(d, d)) for part in parts)
        self.masses[name] = m, p + R @ c, R @ J @ R.T

    def geom(self, g, group):
        kind = self.get(g, group, "type", "sphere")
        size = numbers(self.get(g, group, "size"))
        pos, A = np.array(numbers(g.get("pos", "0 0 0"))), self.orientation(g)
        if g.get("fromto"):
            v = np.array(numbers(g.get("fromto")))
            a, b = v[:3], v[3:]
            pos, z = (a + b) / 2, (b - a) / np.linalg.norm(b - a)
            x = np.cross(z, X if abs(z[0]) < 0.9 else Y)
            x /= np.linalg.norm(x)
            A = np.column_stack([x, np.cross(z, x), z])
            size = [size[0], np.linalg.norm(b - a) / 2]
        # Inertia by integration of slices along z of a solid of revolution, or in closed form for boxes.
        if kind in ("box", "ellipsoid"):
            a, b, c = size
            volume, k = (8 * a * b * c, 3) if kind == "box" else (4 / 3 * math.pi * a * b * c, 5)
            unit = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / k
        else:
            r = size[0]
            h = size[1] if kind in ("capsule", "cylinder") else 0.0
            def radius2(z):
                if kind == "cylinder":
                    return r * r
                return r * r if abs(z) <= h else max(r * r - (abs(z) - h) ** 2, 0.0)
            top = h if kind == "cylinder" else h + r
            pieces = [(-top, -h), (-h, h), (h, top)] if kind != "cylinder" else [(-h, h)]
            nodes, weights = np.polynomial.legendre.leggauss(12)  # exact: slices are polynomials of z
            volume = across = along = 0.0
            for low, high in pieces:
                for x, weight in zip(nodes, weights):
                    z, dz = (low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * weight
                    area = math.pi * radius2(z)
                    volume += area * dz
                    along += area * radius2(z) / 2 * dz
                    across += (area * radius2(z) / 4 + area * z * z) * dz
            unit = np.diag([across, across, along]) / volume
        mass = self.get(g, group, "mass")
        m = float(mass) if mass is not None else float(self.get(g, group, "density", 1000)) * volume
        return m, pos, A @ (m * unit) @ A.T

    def compare(self, ours, rename=None):
        file = self.path.name
        called = lambda body: (rename or {}).get(body, body)
        compare_masses(file, ours, {called(body): mass for body, mass in self.masses.items()})
        for body, (v, w) in self.velocity.items():
            b = ours.bodies[called(body)]
            note("velocity", b.get("velocity", [0, 0, 0]), v, f"{file}: {body}")
            note("velocity", b.get("angular_velocity", [0, 0, 0]), w, f"{file}: {body}")
        for name, (first, second, axis) in self.anchors.items():
            name = name.replace(" ", "_")
            _, _, ends, our_axis = ours.joint(name)
            note("anchor", ends[0], first, f"{file}: {name}, first body")
            note("anchor", ends[1], second, f"{file}: {name}, second body")
            if axis is not None:
                note("axis", our_axis, axis, f"{file}: {name}")
        for c in self.root.findall("equality/connect"):
            first, second, _, _ = ours.joint(c.get("name"))
            assert (first, second) == (c.get("body1"), c.get("body2")), c.get("name")
            j = ours.model["joints"][c.get("name")]
            anchor = np.array(numbers(c.get("anchor")))
            note("anchor", j["points"][0], anchor, f"{file}: {c.get('name')}")
            p1, R1 = self.drawn[first]
            p2, R2 = self.drawn[second]
            note("anchor", j["points"][1], R2.T @ (p1 + R1 @ anchor - p2), f"{file}: {c.get('name')}")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        def convert(name, *options):
            out = pathlib.Path(folder) / (name + ".json")
            done = subprocess.run([program, "convert", MODELS / name, out, *options], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{name}: {done.stderr}")
            return Ours(json.loads(out.read_text()))

        urdf(MODELS / "pendulum.urdf", convert("pendulum.urdf"), {})
        urdf(MODELS / "arm.urdf", convert("arm.urdf"), {}, frames=[("hand", "tool0", "tool0")])
        loops = ("--loops", MODELS / "gripper-loops.yaml")
        urdf(MODELS / "gripper.urdf", convert("gripper.urdf", *loops),
             {"left": 0.3, "left_back": 0.3, "left_tip": -0.3, "right_back": -0.3, "right_tip": 0.3})
        urdf(MODELS / "gantry.urdf", convert("gantry.urdf"), {})
        urdf(MODELS / "quadruped.urdf", convert("quadruped.urdf", "--loops", MODELS / "quadruped-sidecar.yaml"), {},
             merged=[("trunk", "base")], frames=[("base", "trunk", "trunk"), ("base", "imu", "imu")])
        for name in ("four-bar.xml", "shapes.xml", "inertials.xml", "delta.xml"):
            Mjcf(MODELS / name).compare(convert(name))
        Mjcf(MODELS / "hopper.xml").compare(convert("hopper.xml"), {"dial": "dial_2"})
    print("ten robots: " + ", ".join(f"{checked[k]} of {k} to {worst[k]:.1e}" for k in worst))


main()
