// mortise video: as many pictures as were asked for, that move; and what it says where a program is missing.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "cli/result_files.h"

namespace mortise::test {
namespace {

std::string short_run(const Folder& folder) {
  const Ended run =
      execute(program(), {"run", example("five-bar"), "-o", folder / "out.h5", "--set", "analysis.until=1"});
  EXPECT_EQ(run.code, 0) << shown(run);
  return folder / "out.h5";
}

bool there(const std::string& name) { return execute("/bin/sh", {"-c", "command -v " + name}).code == 0; }

TEST(Video, SaysWhatIsMissing) {
  const Folder folder;
  const std::string path = short_run(folder);
  ProcessOptions poor;
  poor.setting = {{"PATH", folder.path()}};
  const Ended no_ffmpeg = execute(program(), {"video", path, "-o", folder / "out.mp4"}, poor);
  EXPECT_EQ(no_ffmpeg.code, 6);
  EXPECT_NE(no_ffmpeg.err.find("needs ffmpeg to be encoded, which is not installed (Debian: apt install ffmpeg)"),
            std::string::npos)
      << no_ffmpeg.err;
  const std::string fake = folder.write("ffmpeg", "#!/bin/sh\nexit 1\n");
  fs::permissions(fake, fs::perms::owner_all);
  const Ended no_browser = execute(program(), {"video", path, "-o", folder / "out.mp4"}, poor);
  EXPECT_EQ(no_browser.code, 6);
  EXPECT_NE(no_browser.err.find("needs Chromium to draw, which is not installed"), std::string::npos) << no_browser.err;
  const Ended ending = execute(program(), {"video", path, "-o", folder / "out.avi"});
  EXPECT_EQ(ending.code, 6);
  EXPECT_NE(ending.err.find(".mp4 or .gif"), std::string::npos) << ending.err;
  for (const char* size : {"1280", "1280x", "1281x720", "10x10", "1280x720x3", "99999x100"})
    EXPECT_EQ(execute(program(), {"video", path, "-o", folder / "out.mp4", "--size", size}).code, 2) << size;
  EXPECT_FALSE(fs::exists(folder / "out.mp4"));
}

TEST(Video, HoldsTheMotion) {
  if (!there("chromium") || !there("ffmpeg")) GTEST_SKIP() << "needs chromium and ffmpeg (scripts/install-deps viewer)";
  const Folder folder;
  const std::string path = short_run(folder);
  for (const std::string ending : {"mp4", "gif"}) {
    const std::string out = folder / ("out." + ending);
    std::vector<std::string> words{"video", path, "-o", out, "--fps", "4", "--seconds", "1", "--size", "320x240"};
    if (ending == "gif") words.insert(words.end(), {"--show", "reactions,traces", "--dark"});
    const Ended end = execute(program(), words);
    ASSERT_EQ(end.code, 0) << shown(end);
    EXPECT_NE(end.out.find("4 pictures, 1 s for 1 s of motion"), std::string::npos) << end.out;
    const Ended told = execute("/bin/sh", {"-c",
                                           "ffprobe -v error -count_frames -show_entries "
                                           "stream=width,height,nb_read_frames,r_frame_rate -of csv=p=0 " +
                                               out});
    EXPECT_EQ(told.out, "320,240,4/1,4\n") << shown(told);
    // Every picture differs from the one before.
    const Ended hashes =
        execute("/bin/sh", {"-c", "ffmpeg -v error -i " + out + " -pix_fmt rgb24 -f framehash -hash md5 -"});
    std::istringstream lines(hashes.out);
    std::string line, last;
    int pictures = 0;
    while (std::getline(lines, line)) {
      if (line.empty() || line[0] == '#') continue;
      const std::string hash = line.substr(line.rfind(',') + 1);
      EXPECT_NE(hash, last) << ending << " " << pictures;
      last = hash;
      ++pictures;
    }
    EXPECT_EQ(pictures, 4);
  }
  // Nothing is left behind.
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_TRUE(entry.path().filename() == "out.h5" || entry.path().stem() == "out") << entry.path();
}

}  // namespace
}  // namespace mortise::test
