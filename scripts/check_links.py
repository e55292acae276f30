#!/usr/bin/env python3
"""Every relative link of every page leads to a file, and every #anchor to a heading of that page; lines of text have at
most 100 columns (tables and code may have more, and pages of measurements). Names pt_... in README.md, docs/ and
bindings/ are in the public headers; "All functions" of docs/api.md has those of the stable one, each of them once.

    scripts/check_links.py [FOLDER]     the root of the tree by default

Pages are the tracked and new *.md files. Anchors are made of headings as GitHub makes them. Prints PAGE:LINE and the
link, line or name for each that is wrong; exits with 1 if there is one.
"""
import pathlib
import re
import subprocess
import sys

WIDTH = 100
MEASURED = {"bench", "experiments"}  # folders whose pages are wide
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def pages(root):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=root,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    names = listed.stdout.split("\n") if listed.returncode == 0 else map(str, root.glob("**/*.md"))
    return sorted({root / name for name in names if name and (root / name).is_file()})


def lines_of(page):
    """(line number, text) outside of code blocks, without code spans."""
    fenced, above, code = False, "", False
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        code = line.startswith("    ") and (code or not above.strip())
        above = line
        if not fenced and not code:
            yield number, line


def anchors(page):
    """The anchor of each heading: lower case, punctuation left out, blanks to dashes; repeated ones are numbered."""
    found = {}
    for _, line in lines_of(page):
        heading = re.match(r"#+ (.*)", line)
        if not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        if count:
            found[f"{name}-{count}"] = 1
    return set(found)


def words_of(headers):
    """Names in the code of headers, not in their comments."""
    return {name for header in headers
            for name in re.findall(r"\bpt_\w+", re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL))}


def named(root):
    """(page, line number, name) for each name of ours; with * at its end it stands for all that begin so."""
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted((root / "bindings").glob("**/*.*"))]:
        for number, line in enumerate(page.read_text(errors="replace").split("\n") if page.is_file() else [], 1):
            if page.name == "api-changes.md" and line.startswith("|"):
                line = " | ".join(line.split(" | ")[1:])  # the old names are gone
            for name in re.findall(r"\bpt_\w+\*?", line):
                yield page, number, name


def names_wrong(root):
    """Prints names that the headers have not, and functions that are not in the list of all; returns how many."""
    wrong = 0
    include = root / "include/polytomy"
    public = words_of(include.glob("*.h"))
    internal = words_of((root / "src").glob("**/*.h"))  # docs/architecture.md is about these
    for page, number, name in named(root):
        known = public | internal if page.name == "architecture.md" else public
        if not (any(k.startswith(name[:-1]) for k in known) if name.endswith("*") else name in known):
            wrong += 1
            print(f"{page.relative_to(root)}:{number}: {name}: the public headers have no such name")
    code = re.sub(r"/\*.*?\*/", "", (include / "polytomy.h").read_text(), flags=re.DOTALL)
    functions = [match[1] for match in re.finditer(r"^PT_API [^;(]*?\b(pt_\w+)\(", code, re.MULTILINE)]
    table = (root / "docs/api.md").read_text().partition("## All functions\n")[2]
    listed = re.findall(r"`(pt_\w+)`", table)
    for name in sorted(set(functions) | set(listed)):
        if functions.count(name) != 1 or listed.count(name) != 1:
            wrong += 1
            print(f"docs/api.md: All functions: {name}: {listed.count(name)} times, {functions.count(name)} in polytomy.h")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    of, links, dead, wide = {}, 0, 0, 0
    for page in pages(root):
        for number, line in lines_of(page):
            if len(line) > WIDTH and not line.startswith("|") and page.relative_to(root).parts[0] not in MEASURED:
                wide += 1
                print(f"{page.relative_to(root)}:{number}: {len(line)} columns; at most {WIDTH}")
        text = "\n".join(f"{line}\0{number}" for number, line in lines_of(page))
        text = re.sub(r"`[^`\n]*`", "", text)
        for match in LINK.finditer(re.sub(r"\0\d+\n(?=\S)", " ", text)):
            target, _, anchor = match[1].partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            file = (page.parent / target).resolve() if target else page
            if not file.exists():
                reason = "there is no such file"
            elif anchor and anchor not in of.setdefault(file, anchors(file)):
                reason = "there is no such heading"
            else:
                continue
            dead += 1
            where = next((n for n, line in lines_of(page) if match[1] in line), 1)
            print(f"{page.relative_to(root)}:{where}: {match[1]}: {reason}")
    names = names_wrong(root) if (root / "include/polytomy/polytomy.h").is_file() else 0
    print(f"{links} links, {dead} lead nowhere; {wide} lines are too long; {names} names are wrong")
    return 1 if dead or wide or names or not links else 0


if __name__ == "__main__":
    sys.exit(main())
