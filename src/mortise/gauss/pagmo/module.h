// What libmortise and the module with pagmo2's searches know of each other.
#pragma once

#include "mortise/gauss/search.h"

namespace mortise::gauss {

inline constexpr const char* pagmo_module = "libmortise-pagmo.so";
inline constexpr const char* pagmo_version_symbol = "mortise_pagmo_version";
inline constexpr const char* pagmo_make_symbol = "mortise_pagmo_search";

using PagmoModuleVersion = const char* (*)();
using MakePagmoSearch = Search* (*)(bool cmaes, int n, int m, const GeneticSettings& settings);

}  // namespace mortise::gauss
