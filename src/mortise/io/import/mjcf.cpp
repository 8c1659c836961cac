// MJCF, the files of MuJoCo: bodies in a tree, joints inside them, loops by <equality>; degrees unless told otherwise.
#include <fmt/format.h>

#include "mortise/io/import/mjcf_parts.h"

namespace mortise::io {

namespace {

using model::Map;

const std::vector<SkipReason> mjcf_reasons{
    {"/geom", "shapes give masses where there is no <inertial>; they are not drawn, and do not touch"},
    {"/camera", "of pictures"},
    {"/light", "of pictures"},
    {"mujoco/asset", "meshes and textures are not imported"},
    {"mujoco/visual", "of pictures"},
    {"mujoco/statistic", "of pictures"},
    {"mujoco/contact", "contacts are modelled as events (mortise list events)"},
    {"mujoco/sensor", "every named quantity can be read: mortise list quantities"},
    {"mujoco/size", "sizes are found by themselves"},
    {"mujoco/custom", "data of the user"},
    {"mujoco/extension", "plugins of another program"},
    {"mujoco/deformable", "flexible bodies are not imported"},
    {"/composite", "composites are not expanded: save the compiled model"},
    {"/flexcomp", "flexible bodies are not imported"},
    {"/replicate", "not expanded: save the compiled model"},
    {"/attach", "not expanded: save the compiled model"},
    {"keyframe/key", "the first one is used"},
    {"tendon/spatial", "only fixed tendons are imported"},
    {"equality/tendon", "couplings of tendons are not imported"},
    {"equality/flex", "flexible bodies are not imported"},
    {"compiler@settotalmass", "masses are taken as they stand"},
    {"compiler@boundmass", "masses are taken as they stand"},
    {"compiler@boundinertia", "masses are taken as they stand"},
    {"compiler@balanceinertia", "masses are taken as they stand"},
    {"compiler@inertiagrouprange", "all shapes count"},
    {"compiler@meshdir", "meshes are not imported"},
    {"compiler@texturedir", "meshes and textures are not imported"},
    {"actuator/muscle", "motor, position, velocity and general of hinges, slides and fixed tendons are imported"},
    {"actuator/cylinder", "motor, position, velocity and general of hinges, slides and fixed tendons are imported"},
    {"actuator/damper", "motor, position, velocity and general of hinges, slides and fixed tendons are imported"},
    {"actuator/intvelocity", "motor, position, velocity and general of hinges, slides and fixed tendons are imported"},
    {"actuator/adhesion", "motor, position, velocity and general of hinges, slides and fixed tendons are imported"},
    {"actuator/general", "general of fixed gain, without dynamics, of hinges, slides and fixed tendons is imported"},
    {"actuator/motor", "of hinges, slides and fixed tendons only"},
    {"actuator/position", "of hinges, slides and fixed tendons only"},
    {"actuator/velocity", "of hinges, slides and fixed tendons only"},
    {"joint@armature", "the inertia of a rotor: add it to the body, or as a body of its own"},
    {"joint@springdamper", "write stiffness and damping"},
    {"joint@margin", "stops act where they are"},
    {"@solref", "constraints are exact"},
    {"@solimp", "constraints are exact"},
    {"@solreflimit", "constraints are exact"},
    {"@solimplimit", "constraints are exact"},
    {"@solreffriction", "constraints are exact"},
    {"@solimpfriction", "constraints are exact"},
    {"weld@torquescale", "constraints are exact"},
    {"option/flag", "of another solver"},
    {"option@integrator", "of another solver: analysis: integrator"},
    {"option@solver", "of another solver"},
    {"option@cone", "of another solver"},
    {"option@iterations", "of another solver"},
    {"option@tolerance", "of another solver: analysis: tolerance"},
    {"@rgba", "of pictures"},
    {"@material", "of pictures"},
    {"@group", "of pictures"},
    {"@contype", "of contacts, which are modelled as events"},
    {"@conaffinity", "of contacts, which are modelled as events"},
    {"@condim", "of contacts, which are modelled as events"},
    {"geom@friction", "of contacts, which are modelled as events"},
    {"geom@margin", "of contacts, which are modelled as events"},
    {"site@size", "of pictures"},
    {"site@type", "of pictures"},
    {"body@mocap", "held where it is drawn"},
};
const std::vector<std::string> mjcf_words{
    "compiler",  "option",  "default",      "worldbody",  "equality", "tendon",      "actuator",   "keyframe",
    "body",      "joint",   "freejoint",    "geom",       "inertial", "site",        "frame",      "connect",
    "weld",      "fixed",   "motor",        "position",   "velocity", "general",     "key",        "name",
    "pos",       "quat",    "euler",        "axis",       "range",    "limited",     "damping",    "stiffness",
    "springref", "ref",     "frictionloss", "armature",   "mass",     "density",     "size",       "fromto",
    "type",      "gravity", "timestep",     "childclass", "class",    "anchor",      "body1",      "body2",
    "joint1",    "joint2",  "polycoef",     "relpose",    "gear",     "kp",          "kv",         "ctrlrange",
    "qpos",      "qvel",    "ctrl",         "angle",      "eulerseq", "diaginertia", "fullinertia"};

void write_points(const MjcfRobot& robot, Draft& draft) {
  for (const MjcfRobot::NamedPoint& site : robot.points) {
    const LinkBody owner = robot.robot.body(site.link);
    const Pose pose = owner.pose * site.pose;
    if (owner.body == "ground") {
      draft.note("M720", fmt::format("not used: site '{}' of the world", site.name), site.place,
                 "the ground has no named points");
      continue;
    }
    const std::string name = draft.point_name(owner.body, site.name, site.place);
    if (is_identity(pose.q))
      draft.add_inside("bodies", owner.body, "points", name, vector_value(pose.p), site.place);
    else
      draft.add_inside("bodies", owner.body, "frames", name,
                       Map{{"at", vector_value(pose.p)}, {"orientation", orientation_value(pose.q)}}, site.place);
  }
}

}  // namespace

void read_mjcf(const XmlElement& root, const Sidecar& sidecar, Draft& draft) {
  if (const XmlElement* include = root.child("include"))
    fail_model("M703", "included files are not read", include->place, "save the model as one file");
  const MjcfCompiler compiler = read_compiler(root);
  MjcfDefaults defaults;
  defaults.read(root);
  Eigen::Vector3d gravity{0, 0, -9.81};
  const XmlElement* timed = nullptr;
  double timestep = 0;
  for (const XmlElement* option : root.all("option")) {
    gravity = vector_or(*option, "gravity", gravity);
    if (option->peek("timestep")) {
      timed = option;
      timestep = number_or(*option, "timestep", 0);
      if (!(timestep > 0)) fail_model("M704", "a timestep is above zero", option->place);
    }
  }
  const XmlAttribute* name = root.attribute("model");
  write_head(draft, name ? name->value : "", gravity, root.place);
  MjcfRobot robot = MjcfTree(root, defaults, compiler, draft).read();
  const MjcfKey key = read_keyframe(root, robot);
  robot.robot.write(draft);
  write_points(robot, draft);
  write_equalities(root, defaults, robot, draft);
  write_tendons_and_actuators(root, defaults, compiler, robot, key, sidecar.limits && !robot.robot.massless(), draft);
  write_analysis(draft, robot.robot, root.place);
  if (timed) {
    draft.set("output", Map{{"every", timestep}}, timed->place);
    draft.note("M721",
               fmt::format("timestep {} is the time between frames: steps are chosen by the tolerance", timestep),
               timed->place);
  }
  list_unused(root, mjcf_reasons, mjcf_words, draft.notes());
}

}  // namespace mortise::io
