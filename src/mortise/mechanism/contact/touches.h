// Pairs of shapes, one function each; the first shape is that of the lower kind (shape.h). They append to the manifold.
#pragma once

#include "mortise/mechanism/contact/shape.h"

namespace mortise::mechanism {

// Two balls, as which sphere against sphere and all that capsules do can be seen.
void touch_balls(const Eigen::Vector3d& a, double radius_a, const Eigen::Vector3d& b, double radius_b, int feature,
                 double reach, Manifold& out);
void touch_ball_plane(const Eigen::Vector3d& centre, double radius, const PlacedShape& plane, int feature, double reach,
                      Manifold& out);
void touch_ball_box(const Eigen::Vector3d& centre, double radius, const PlacedShape& box, int feature, double reach,
                    Manifold& out);

void touch_sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out);
void touch_capsules(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out);
void touch_capsule_box(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out);
void touch_box_plane(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out);
void touch_boxes(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out);
void touch_flat_boxes(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out);

// The parameters in [−h, h] of the nearest points of two segments c ± h d; of parallel ones, in the middle of where
// they overlap.
void nearest_on_segments(const Eigen::Vector3d& ca, const Eigen::Vector3d& da, double ha, const Eigen::Vector3d& cb,
                         const Eigen::Vector3d& db, double hb, double& s, double& t);

}  // namespace mortise::mechanism
