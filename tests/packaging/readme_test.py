#!/usr/bin/env python3
"""The C++ in README.md is that of examples/cpp/model_in_code.cpp, which is compiled and run."""
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    source = (ROOT / "examples/cpp/model_in_code.cpp").read_text()
    code = source.partition("// [readme]\n")[2].partition("  // [/readme]")[0]
    expected = textwrap.indent(textwrap.dedent(code), "    ").rstrip()
    if not code or expected not in (ROOT / "README.md").read_text():
        print("README.md, section 'From C++', should hold these lines:\n\n" + expected)
        return 1
    print(f"README.md holds the {len(expected.splitlines())} lines of the example")
    return 0


sys.exit(main())
