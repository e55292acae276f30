#!/usr/bin/env python3
"""scikit-learn's check_estimator on the proof in bindings/python.

    POLYTOMY_LIBRARY=build/libpolytomy.so tests/bindings/check_estimator.py [NAME[:param=value]]...

A line for each: how many checks it passes. Ends with 1 if one fails, 77 without scikit-learn."""
import os
import sys
import time
import unittest
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../bindings/python"))
try:
    import sklearn
    from sklearn.utils.estimator_checks import check_estimator
except ImportError:
    print("there is no scikit-learn")
    sys.exit(77)
import polytomy_proof as polytomy

NAMES = ["onelsm", "spoc", "all-pairs", "constraint", "softmax"]


def checks(estimator):
    """Name, 'passed', 'failed' or 'skipped', and what was raised, of each check."""
    if polytomy.new:
        for r in check_estimator(estimator, on_skip=None, on_fail=None):
            yield r["check_name"], r["status"], r["exception"]
        return
    for subject, check in check_estimator(estimator, generate_only=True):
        name = getattr(check, "func", check).__name__
        try:
            check(subject)
            yield name, "passed", None
        except unittest.SkipTest as skipped:
            yield name, "skipped", skipped
        except Exception as raised:
            yield name, "failed", raised


def value_of(text):
    try:
        return float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        return text


def main():
    failures = 0
    warnings.simplefilter("ignore")
    print(f"scikit-learn {sklearn.__version__}, polytomy {polytomy.__version__}")
    for wish in sys.argv[1:] or NAMES:
        name, _, settings = wish.partition(":")
        given = dict(s.split("=") for s in settings.split(",") if s)
        estimator = polytomy.CLASSES[name](**{k: value_of(v) for k, v in given.items()})
        begin, count, failed = time.time(), {"passed": 0, "failed": 0, "skipped": 0}, []
        for check, status, raised in checks(estimator):
            count[status] = count.get(status, 0) + 1
            if status == "failed":
                failed.append(f"    {check}: {type(raised).__name__}: {str(raised).strip()[:300]}")
            if status == "skipped" and os.environ.get("SHOW_SKIPPED"):
                failed.append(f"    {check} skipped: {raised}")
        tried = sum(count.values()) - count["skipped"]
        print(f"{wish:24} {count['passed']} of {tried} passed, {count['skipped']} skipped, "
              f"{time.time() - begin:.1f} s", *failed, sep="\n" if failed else "", flush=True)
        failures += len(failed)
    return 1 if failures else 0


sys.exit(main())
