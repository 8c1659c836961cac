# cmake -DWEB=… -DTHREE=… -DOUTPUT=… -P EmbedWeb.cmake
#
# Writes a C++ file with the files of the viewer's page as string literals. The modules of the page become one script,
# in the order of modules.txt: `import` lines go, `export` words go, and one function around all keeps the names to
# itself. The hashes are those that the content policy of a one-file page names.
file(STRINGS ${WEB}/modules.txt modules REGEX "^[a-z]")
set(app "(() => {\n\"use strict\";\n")
foreach(module IN LISTS modules)
  file(READ ${WEB}/${module} text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  string(APPEND app "${text}")
endforeach()
string(APPEND app "})();\n")
file(READ ${WEB}/index.html index)
file(READ ${WEB}/style.css style)
file(READ ${WEB}/icon.svg icon)
file(READ ${THREE}/three.min.js three)

set(out "// Made by cmake/EmbedWeb.cmake from src/mortise/view/web and third_party/three.\n")
string(APPEND out "#include \"mortise/view/web_assets.h\"\n\nnamespace mortise::view {\n\n")
string(APPEND out "const std::vector<WebAsset>& web_assets() {\n  static const std::vector<WebAsset> all{\n")
foreach(asset "index.html|text/html; charset=utf-8|index" "style.css|text/css; charset=utf-8|style"
    "app.js|text/javascript; charset=utf-8|app" "three.min.js|text/javascript; charset=utf-8|three"
    "icon.svg|image/svg+xml|icon")
  string(REGEX MATCH "^([^|]*)[|]([^|]*)[|]([^|]*)$" found "${asset}")
  set(name "${CMAKE_MATCH_1}")
  set(type "${CMAKE_MATCH_2}")
  set(variable ${CMAKE_MATCH_3})
  string(SHA256 hash "${${variable}}")
  string(APPEND out "      {\"${name}\", \"${type}\", R\"mortise(${${variable}})mortise\", \"${hash}\"},\n")
endforeach()
string(APPEND out "  };\n  return all;\n}\n\n}  // namespace mortise::view\n")
file(WRITE ${OUTPUT} "${out}")
