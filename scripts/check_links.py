#!/usr/bin/env python3
"""Every relative link of every page leads to a file, and every #anchor to a heading of that page; lines of text have at
most 100 columns (tables and code may have more, and pages of measurements).

    scripts/check_links.py [FOLDER]     the root of the tree by default

Pages are the tracked and new *.md files. Anchors are made of headings as GitHub makes them. Prints PAGE:LINE and the
link for each that leads nowhere; exits with 1 if there is one.
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
    print(f"{links} links, {dead} lead nowhere; {wide} lines are too long")
    return 1 if dead or wide or not links else 0


if __name__ == "__main__":
    sys.exit(main())
