#!/usr/bin/env python3
"""Counts a JUnit file of ctest: prints TESTS SKIPPED FAILED; --longest N lists the longest tests.

    scripts/count_tests.py build-gcc/tests.xml [--longest 25]

Exits with 1 where there is no program of tests/unit in it: then cmocka was missing.
"""
import sys
import xml.etree.ElementTree as ElementTree


def main():
    cases = list(ElementTree.parse(sys.argv[1]).getroot().iter("testcase"))
    if "--longest" in sys.argv:
        longest = int(sys.argv[sys.argv.index("--longest") + 1])
        for case in sorted(cases, key=lambda case: -float(case.get("time")))[:longest]:
            print(f"{float(case.get('time')):8.1f} s  {case.get('name')}")
        return 0
    skipped = sum(case.find("skipped") is not None for case in cases)
    failed = sum(case.find("failure") is not None for case in cases)
    print(len(cases), skipped, failed)
    if not any(case.get("name").startswith("test_") for case in cases):
        print("there are no unit tests: libcmocka-dev is missing", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
