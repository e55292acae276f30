#!/usr/bin/env python3
"""Rules of the tree that no compiler knows. Prints each breach as file:line: text; exits 1 on any.

  - A folder of src/ includes only from itself and from folders above it in ORDER.
  - cli/ and examples/ include only the public header (and cli/ its own headers).
  - File names of C sources and headers are unique in the tree.
  - Banned functions are not called; the library does not print, exit or allocate by itself.
  - Only src/base/team_openmp.c knows OpenMP.
  - Texts of src/ name parameters between backquotes, `ridge` or `calibrate=no`, and only those: a C
    or Python program has no --options. The tool translates (cli/cli_words.c).
  - Lines have at most 100 columns (clang-format leaves comments alone).
  - A folder of src/ with more than FEW sources has a README.md that names them all, by stem or by a
    pattern (`smo_loops*`); what src/registry/ lists is named there. What these pages, src/README.md
    and docs/architecture.md name is in the tree.
"""
import collections
import fnmatch
import pathlib
import re
import subprocess
import sys

# docs/architecture.md has the reasons; a folder may know those before it.
ORDER = ["registry", "base", "report", "params", "store", "data", "linalg", "kernels", "losses", "solvers",
         "trees", "codes", "learners", "decoders", "metrics", "theory", "machine", "validate",
         "machines", "select", "model", "exchange", "about"]

BANNED = {
    "strcpy": "pt_text or snprintf", "strcat": "pt_text or snprintf", "sprintf": "snprintf",
    "vsprintf": "vsnprintf", "strtok": "a scanner of its own", "gets": "fgets",
    "atoi": "a checked parser", "atol": "a checked parser", "atof": "a checked parser",
}
LIBRARY_BANNED = {
    "printf": "a message callback", "fprintf": "a message callback", "puts": "a message callback",
    "perror": "pt_error", "exit": "pt_status", "_exit": "pt_status", "abort": "pt_status",
    "malloc": "base/alloc.h", "calloc": "base/alloc.h", "realloc": "base/alloc.h",
    "strdup": "base/alloc.h", "strndup": "base/alloc.h", "rand": "base/random.h",
}
MAY_ALLOCATE = {"src/base/alloc.c"}
MAY_PRAGMA = {"src/base/team_openmp.c"}

MAY_SAY = {"--batch"}  # an option of mysql

COLUMNS = 100
FEW = 8

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
PRAGMA = re.compile(r"^\s*#\s*pragma\s+omp\b|\b_Pragma\s*\(")
CALL = re.compile(r"(?<![\w.>])([a-z_]+)\s*\(")
TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


LITERAL = r'"(?:\\.|[^"\\\n])*"'
RUN = re.compile(rf"{LITERAL}(?:\s*(?:PRI\w+|PT_SHOWN)?\s*{LITERAL})*")
OPTION = re.compile(r"(?<![\w-])--[A-Za-z%][\w-]*")
NAMED = re.compile(r"`([^`]*)`?")


def parameters(root):
    table = (root / "src/params/params.def").read_text()
    return set(re.findall(r'^PT_PARAM\(\w+, "([^"]+)"', table, re.M)) | {"%s"}


def wording_breaches(path, root, known):
    """What texts of the library say of options and parameters."""
    def blank(match):
        return match.group() if match.group()[0] in "\"'" else re.sub(r"[^\n]", " ", match.group())
    text = TOKEN.sub(blank, (root / path).read_text())
    for run in RUN.finditer(text):
        number = text.count("\n", 0, run.start()) + 1
        said = "".join(part[1:-1] for part in re.findall(LITERAL, run.group()))
        for option in OPTION.findall(said):
            if option not in MAY_SAY:
                yield number, f"{option} is an option of the tool; name the parameter: `{option[2:]}`"
        for name in NAMED.findall(said):
            if name.split("=")[0] not in known:
                yield number, f"`{name}` is no parameter; backquotes are for their names"


def without_comments_and_strings(text):
    """The text with comments and string contents blanked, line numbers kept; includes survive."""
    def blank(match):
        token = match.group()
        if token[0] == '"' and text.rfind("#", text.rfind("\n", 0, match.start()) + 1,
                                          match.start()) >= 0:
            return token  # an #include's name
        return re.sub(r"[^\n]", " ", token)
    return TOKEN.sub(blank, text)


def include_breach(path, name, root):
    """Why `path` may not include `name`, or None."""
    parts = path.parts
    if name in ("polytomy/polytomy.h", "polytomy/experimental.h"):
        return None
    if parts[0] in ("cli", "examples"):
        if parts[0] == "cli" and (root / "cli" / name).is_file():
            return None
        return f'{parts[0]}/ may include only the public header, not "{name}"'
    if parts[0] != "src":
        return None
    folder = parts[1]
    other = name.split("/")[0] if "/" in name else folder
    if other not in ORDER:
        return f'"{name}" is in no folder of src/ that is listed in ORDER'
    if ORDER.index(other) > ORDER.index(folder):
        return f'src/{folder}/ may not know src/{other}/, which is below it'
    if not (root / "src" / name).is_file() and not (root / path.parent / name).is_file():
        return f'"{name}" is not in the tree'
    return None


def breaches_of(path, root):
    source = (root / path).read_text(errors="replace")
    for number, line in enumerate(source.split("\n"), 1):
        if len(line) > COLUMNS:
            yield number, f"{len(line)} columns; at most {COLUMNS}"
    text = without_comments_and_strings(source)
    in_library = path.parts[0] == "src"
    if in_library and path.parts[1] not in ORDER:
        yield 1, f"src/{path.parts[1]}/ is not a folder of the design"
        return
    for number, line in enumerate(text.split("\n"), 1):
        include = INCLUDE.match(line)
        if include:
            reason = include_breach(path, include.group(1), root)
            if reason:
                yield number, reason
        if PRAGMA.match(line) and path.as_posix() not in MAY_PRAGMA:
            yield number, "OpenMP is used only in src/base/team_openmp.c; call pt_parallel_for"
        for name in CALL.findall(line):
            if name in BANNED:
                yield number, f"{name} is banned; use {BANNED[name]}"
            elif in_library and name in LIBRARY_BANNED and path.as_posix() not in MAY_ALLOCATE:
                yield number, f"{name} is banned in the library; use {LIBRARY_BANNED[name]}"


# ---- what the pages name ------------------------------------------------------------------------

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
QUOTED = re.compile(r"`([^`\s]+)`")
STEM = re.compile(r"`([a-z0-9_*]+)`")
STEM_OF_LIST = re.compile(r"`([a-z0-9_*]+)`(?=:)")
FILE = re.compile(r"[\w./-]+\.(?:c|h|cpp|def|map|md|py|sh|txt|cmake|bib)")
FOLDER = re.compile(r"[\w.-]+(?:/[\w.-]+)*/|(?:src|cli|tests|docs|scripts|include)/[\w./-]+")


def listed_stems(root):
    """machine_onelsm and so on: files that a line of src/registry/ names already."""
    for table in (root / "src" / "registry").glob("*.def"):
        for entry in re.findall(r"^PT_ENTRY\((\w+)", table.read_text(), re.M):
            yield f"{table.stem.removesuffix('s')}_{entry}"


def stems_of(line):
    """Names of a line that can only be stems of files: before the first colon of a list, before any
    colon of it, or with an underscore."""
    names = {name for name in STEM.findall(line) if "_" in name or "*" in name}
    if line.startswith("- "):
        names |= set(STEM.findall(line.split(":")[0])) | set(STEM_OF_LIST.findall(line))
    return names


def missing_of(page, root, tree):
    """What a page names and the tree, all its files and folders, does not have."""
    names_of_tree = {path.name for path in tree}
    stems_of_tree = {path.stem for path in tree if path.suffix in (".c", ".h")}
    near = (root, root / "src", root / page.parent)
    for number, line in enumerate((root / page).read_text().split("\n"), 1):
        for link in LINK.findall(line):
            if "://" not in link and not (root / page.parent / link).exists():
                yield number, f"{link} is not in the tree"
        for name in QUOTED.findall(line):
            if not (FILE.fullmatch(name) or FOLDER.fullmatch(name)) or name.startswith("build"):
                continue
            whole = "/" in name.rstrip("/")
            if not any((folder / name).exists() for folder in near) and (
                    whole or name.rstrip("/") not in names_of_tree):
                yield number, f"{name} is not in the tree"
        if page.parts[0] == "src":
            for stem in stems_of(line):
                if not fnmatch.filter(stems_of_tree, stem):
                    yield number, f"there is no {stem}.c or {stem}.h"


def page_breaches(paths, root):
    """(page, line, reason) of every README.md in src/ and of docs/architecture.md."""
    shelves = collections.defaultdict(set)
    for path in paths:
        if path.parts[0] == "src":
            shelves[path.parent].add(path)
    listed = set(listed_stems(root))
    for folder, sources in sorted(shelves.items()):
        page = folder / "README.md"
        if len(sources) <= FEW:
            continue
        if not (root / page).is_file():
            yield page, 1, f"{len(sources)} sources and no README.md that names them"
            continue
        named = STEM.findall((root / page).read_text())
        for stem in sorted({path.stem for path in sources} - listed):
            if not any(fnmatch.fnmatchcase(stem, name) for name in named):
                yield page, 1, f"{stem} is not named; say what one learns there"
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                           cwd=root, capture_output=True, text=True, check=True).stdout
    tree = {pathlib.Path(name) for name in names.split("\n") if name and (root / name).exists()}
    tree |= {parent for path in tree for parent in path.parents}
    pages = [path for path in tree if path.parts[:1] == ("src",) and path.name == "README.md"]
    for page in sorted(pages) + [pathlib.Path("docs/architecture.md")]:
        for number, reason in missing_of(page, root, tree):
            yield page, number, reason


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.c",
                            "*.h"], cwd=root, capture_output=True, text=True, check=True).stdout
    paths = [pathlib.Path(name) for name in names.split("\n") if name and (root / name).is_file()]
    count = 0

    homes = collections.defaultdict(list)
    for path in paths:
        homes[path.name].append(path.as_posix())
    for name, places in sorted(homes.items()):
        if len(places) > 1:
            print(f"{places[1]}:1: the name {name} is taken by {places[0]}; names are unique")
            count += 1

    for path in paths:
        for number, reason in breaches_of(path, root):
            print(f"{path.as_posix()}:{number}: {reason}")
            count += 1
    known = parameters(root)
    tables = [path.relative_to(root) for path in (root / "src").rglob("*.def")]
    for path in [path for path in paths if path.parts[0] == "src"] + tables:
        for number, reason in wording_breaches(path, root, known):
            print(f"{path.as_posix()}:{number}: {reason}")
            count += 1
    for page, number, reason in page_breaches(paths, root):
        print(f"{page.as_posix()}:{number}: {reason}")
        count += 1
    print(f"{len(paths)} files, {count} breaches")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
