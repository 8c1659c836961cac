# Texts that the program carries along: mortise_embed(TARGET NAME FILE...) adds a source with
#   namespace mortise::cli { const std::vector<EmbeddedText>& NAME(); }       (cli/embedded.h)
# to the target, one entry a file, its name without folder and ending. Raw strings hold at most 16 kB each, so longer
# files are cut into pieces that the compiler joins.
function(mortise_embed target name)
  set(body "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(key ${file} NAME_WE)
    file(READ ${file} text)
    string(LENGTH "${text}" length)
    set(pieces "")
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${text}" ${at} 12000 piece)
      string(APPEND pieces "R\"~text~(${piece})~text~\"\n")
      math(EXPR at "${at} + 12000")
    endwhile()
    string(APPEND body "{\"${key}\", ${pieces}},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Written by cmake/EmbedTexts.cmake.
#include \"mortise/cli/embedded.h\"

namespace mortise::cli {

const std::vector<EmbeddedText>& @name@() {
  static const std::vector<EmbeddedText> all{
@body@  };
  return all;
}

}  // namespace mortise::cli
")
  target_sources(${target} PRIVATE ${source})
endfunction()
