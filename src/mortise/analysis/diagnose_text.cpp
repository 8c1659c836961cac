// The diagnosis as people read it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mortise/analysis/diagnose.h"

namespace mortise::analysis {

using mechanism::Mechanism;

namespace {

std::string counted(long count, const char* singular, const char* plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string amount(const Mechanism& m, int row, double value, Level level) {
  const auto unit = m.pattern().rows[index(row)].unit;
  const bool angular = unit == gauss::RowUnit::angle || unit == gauss::RowUnit::angular_speed;
  const char* suffix = level == Level::position ? "" : level == Level::velocity ? "/s" : "/s²";
  return angular ? fmt::format("{:.4g} deg{}", std::abs(value) * 180 / M_PI, suffix)
                 : fmt::format("{:.4g} mm{}", std::abs(value) * 1000, suffix);
}

std::string kinds(const RedundantGroup& g) {
  std::vector<std::string> parts;
  const auto add = [&](int count, const char* what) {
    if (count > 0)
      parts.push_back(parts.empty() && count == static_cast<int>(g.redundancies.size())
                          ? std::string(what)
                          : fmt::format("{} {}", count, what));
  };
  add(g.structural, "structural");
  add(g.dimensions, "by dimensions");
  add(g.pose, "of this pose");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string relaxation_text(const Mechanism& m, const Relaxation& r) {
  const mechanism::Constraint& c = m.constraints()[index(r.joint)];
  const std::string& type = m.model().items[index(c.ref.item)].part->type;
  if (r.to == "nothing") return fmt::format("leave out '{}'", m.name(c.ref));
  return fmt::format("replace {} '{}' by {}", type, m.name(c.ref), r.to);
}

std::string component_list(const std::vector<JointReaction::Component>& components, bool unique) {
  std::vector<std::string> names;
  for (const auto& c : components)
    if (c.unique == unique) names.push_back(c.name);
  return fmt::format("{}", fmt::join(names, " "));
}

// Lines under a heading.
class Lines {
 public:
  explicit Lines(std::string& text) : text_(text) {}
  void heading(const char* word) { heading_ = word; }
  void line(const std::string& words) {
    text_ += fmt::format("{:<11} {}\n", heading_, words);
    heading_ = "";
  }

 private:
  std::string& text_;
  const char* heading_ = "";
};

void describe_mobility(const Diagnosis& d, Lines& out) {
  out.heading("Mobility");
  std::string first = counted(d.degrees_of_freedom, "degree of freedom", "degrees of freedom");
  const int gruebler = d.count.coordinates - d.rank.rows;
  if (gruebler == d.degrees_of_freedom)
    first += "  (as Grübler counts)";
  else
    first +=
        fmt::format("  (Grübler counts {}: {} redundant)", gruebler, counted(d.rank.redundant(), "row is", "rows are"));
  out.line(first);
  if (d.count.rows != d.rank.rows)
    out.line(counted(d.count.rows - d.rank.rows, "row is", "rows are") + " off (active: false)");
  for (std::size_t k = 0; k < std::min<std::size_t>(d.motions.size(), 8); ++k)
    out.line(fmt::format("motion {}: {}", k + 1, d.motions[k].words));
  if (d.degrees_of_freedom > 8 && !d.motions.empty()) out.line(fmt::format("and {} more", d.degrees_of_freedom - 8));
}

void describe_redundancy(const Mechanism& m, const Diagnosis& d, Lines& out) {
  out.heading("Redundant");
  if (d.redundancies.empty()) {
    out.line("nothing: every row counts");
    return;
  }
  int structural = 0, dimensions = 0, pose = 0, unknown = 0;
  for (const RedundantGroup& g : d.groups)
    structural += g.structural, dimensions += g.dimensions, pose += g.pose, unknown += g.unknown;
  std::vector<std::string> all;
  if (structural) all.push_back(fmt::format("{} structural (whatever the dimensions)", structural));
  if (dimensions) all.push_back(fmt::format("{} by dimensions (along the whole motion)", dimensions));
  if (pose) all.push_back(fmt::format("{} of this pose only", pose));
  std::string first = counted(static_cast<long>(d.redundancies.size()), "row", "rows");
  if (all.size() == 1 && unknown == 0)
    first += ", " + all[0].substr(all[0].find(' ') + 1);
  else if (!all.empty())
    first += fmt::format(": {}", fmt::join(all, ", "));
  if (unknown && d.poses == 0 && d.conflicts.empty())
    first += fmt::format("; of {} no other pose was reached", unknown);
  out.line(first);
  const std::size_t most = 6;
  for (std::size_t k = 0; k < std::min(most, d.groups.size()); ++k) {
    const RedundantGroup& g = d.groups[k];
    std::vector<std::string> named;
    for (const int r : g.redundancies) named.push_back(m.row_name(d.redundancies[index(r)].row));
    const std::string kind = kinds(g);
    if (g.joints.size() == 1 && d.redundancies[index(g.redundancies[0])].rows.size() == 1) {
      out.line(fmt::format("{} vanishes at this pose", named[0]));
      continue;
    }
    out.line(fmt::format("{} of {}{}", counted(static_cast<long>(named.size()), "row", "rows"),
                         joint_names(m, g.joints), kind.empty() ? "" : ": " + kind));
    const std::size_t shown = std::min<std::size_t>(named.size(), 8);
    out.line(fmt::format("  {} {} from the others{}",
                         fmt::join(named.begin(), named.begin() + static_cast<long>(shown), ", "),
                         named.size() == 1 ? "follows" : "follow",
                         named.size() > shown ? fmt::format(" (and {} more)", named.size() - shown) : ""));
    if (!g.relaxations.empty()) {
      std::vector<std::string> ways;
      for (const Relaxation& r : g.relaxations) ways.push_back(relaxation_text(m, r));
      const std::size_t more = ways.size() > 4 ? ways.size() - 3 : 0;
      ways.resize(ways.size() - more);
      out.line(fmt::format("  to make it isostatic, one of these: {}{}", fmt::join(ways, "; "),
                           more ? fmt::format("; or {} more", more) : ""));
    } else if (!g.together.empty()) {
      std::vector<std::string> ways;
      for (const Relaxation& r : g.together) ways.push_back(relaxation_text(m, r));
      out.line(fmt::format("  to make it isostatic, all of these: {}", fmt::join(ways, "; ")));
    }
  }
  if (d.groups.size() > most)
    out.line(fmt::format("and {} more groups of joints  (--json lists all)", d.groups.size() - most));
}

void describe_reactions(const Mechanism& m, const Diagnosis& d, const std::string& rule, Lines& out) {
  if (d.reactions.empty()) return;
  out.heading("Reactions");
  const std::size_t others = m.constraints().size() - d.reactions.size();
  if (others) out.line(fmt::format("unique      at {}", counted(static_cast<long>(others), "joint", "joints")));
  const std::size_t most = 8;
  for (std::size_t k = 0; k < std::min(most, d.reactions.size()); ++k) {
    const JointReaction& r = d.reactions[k];
    const std::string loose = component_list(r.components, false), firm = component_list(r.components, true);
    out.line(fmt::format("not unique  {}: {}{}  (joint axes)", m.name(m.constraints()[index(r.joint)].ref), loose,
                         firm.empty() ? "" : fmt::format("; unique: {}", firm)));
  }
  if (d.reactions.size() > most) out.line(fmt::format("            and at {} more joints", d.reactions.size() - most));
  for (std::size_t k = 0; k < std::min<std::size_t>(d.sums.size(), 4); ++k)
    out.line(fmt::format("unique      {} of {} together", component_list(d.sums[k].components, true),
                         joint_names(m, d.sums[k].joints)));
  std::string shown = fmt::format("shown: {}", rule);
  if (rule == "minimum-norm")
    shown += fmt::format(", torques by the characteristic length of {:.4g} m", d.characteristic_length);
  if (rule != "stiffness-weighted")
    shown += "; with joint stiffnesses, reactions: stiffness-weighted gives the elastic share";
  out.line(shown);
}

void list_conflicts(const Mechanism& m, const Diagnosis& d, Lines& out) {
  if (d.conflicts.empty()) return;
  out.heading("Conflict");
  for (std::size_t k = 0; k < std::min<std::size_t>(d.conflicts.size(), 5); ++k) {
    const Conflict& c = d.conflicts[k];
    out.line(fmt::format("these cannot hold together{}: {}",
                         c.level == Level::position ? "" : fmt::format(" ({} level)", name(c.level)),
                         joint_names(m, c.joints)));
    const auto at = static_cast<std::size_t>(c.easiest);
    out.line(fmt::format("  drop or change any one of them; smallest repair: {} by {}", m.row_name(c.rows[at]),
                         amount(m, c.rows[at], c.repairs[c.easiest], c.level)));
  }
  if (d.conflicts.size() > 5) out.line(fmt::format("and {} more sets", d.conflicts.size() - 5));
}

}  // namespace

std::string joint_names(const Mechanism& m, const std::vector<int>& joints, std::size_t most) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(most, joints.size()); ++k)
    names.push_back(m.name(m.constraints()[index(joints[k])].ref));
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (joints.size() > most) text += fmt::format(" and {} more", joints.size() - most);
  return text;
}

const char* name(RedundancyKind kind) {
  switch (kind) {
    case RedundancyKind::pose:
      return "pose";
    case RedundancyKind::dimensions:
      return "by dimensions";
    case RedundancyKind::structural:
      return "structural";
    default:
      return "unknown";
  }
}

const char* name(Level level) {
  return level == Level::position ? "position" : level == Level::velocity ? "velocity" : "acceleration";
}

std::string describe(const Mechanism& m, const Diagnosis& d, const std::string& rule) {
  std::string text;
  Lines out(text);
  if (!d.conflicts.empty()) {
    list_conflicts(m, d, out);
    text += "\n";
  }
  describe_mobility(d, out);
  text += "\n";
  describe_redundancy(m, d, out);
  out.heading("Rank");
  std::string rank_text = fmt::format("{} of {} rows", d.rank.rank, d.rank.rows);
  if (d.rank.redundant())
    rank_text += fmt::format(", gap {}  (smallest kept {:.2g}, largest dropped {:.0e})",
                             std::isfinite(d.rank.gap()) ? fmt::format("{:.0e}", d.rank.gap()) : "exact",
                             d.rank.smallest_kept, d.rank.largest_dropped);
  else
    rank_text += fmt::format("  (smallest pivot {:.2g} of the largest)", d.rank.smallest_kept);
  out.line(rank_text);
  if (!d.near_joints.empty())
    out.line(fmt::format("near a singular pose: rows of {} are nearly dependent", joint_names(m, d.near_joints)));
  if (!d.reactions.empty()) {
    text += "\n";
    describe_reactions(m, d, rule, out);
  }
  for (const std::string& warning : d.warnings) {
    out.heading("Warning");
    out.line(warning);
  }
  return text;
}

std::string describe_conflicts(const Mechanism& m, const Diagnosis& d) {
  std::string text;
  Lines out(text);
  list_conflicts(m, d, out);
  return text;
}

std::string describe_briefly(const Mechanism& m, const Diagnosis& d) {
  std::string text =
      fmt::format("mobility    {} · rank {} of {} rows",
                  counted(d.degrees_of_freedom, "degree of freedom", "degrees of freedom"), d.rank.rank, d.rank.rows);
  if (d.rank.redundant()) {
    std::vector<int> joints;
    for (const RedundantGroup& g : d.groups) joints.insert(joints.end(), g.joints.begin(), g.joints.end());
    std::sort(joints.begin(), joints.end());
    joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
    text += fmt::format(", {} redundant: {}", d.rank.redundant(), joint_names(m, joints, 6));
  }
  text += "\n";
  for (const std::string& warning : d.warnings) text += "warning     " + warning + "\n";
  return text;
}

}  // namespace mortise::analysis
