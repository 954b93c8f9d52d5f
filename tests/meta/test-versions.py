# SPDX-License-Identifier: GPL-3.0-or-later
"""One version: what meson.build says is what NEWS, the packages and the recipes say; and recipes list what is there."""
import ast
import os
import re
import subprocess
import sys
import tempfile

import source

ROOT = source.ROOT
VERSION = re.search(r"^  version: '([\d.]+)'", (ROOT / "meson.build").read_text(), re.M)[1]
PLACES = {
    "NEWS": r"^([\d.]+) \(",
    "debian/changelog": r"^pddt \(([\d.]+)-\d",
    "packaging/pddt.spec": r"^Version: +([\d.]+)$",
    "packaging/spack/package.py": r"pddt-([\d.]+)\.tar",
    "packaging/modules/pddt.lua": r'whatis\("Version: ([\d.]+)"\)',
    "packaging/modules/pddt.tcl": r"^set prefix /opt/pddt/([\d.]+)$",
    "data/vscode/package.json": r'"version": "([\d.]+)"',
    "data/org.pddt.Pddt.metainfo.xml.in": r'<release version="([\d.]+)"',
}
PROGRAM_FILES = ("pddt-archive", "pddt-guard", "pddt-python.so", "pddt-queues", "pddt-start", "pddt-symbols", "pddtd", "pddt-window", "agent",
                 "examples", "libpddt-*.so", "mpi-types-*.so", "pddt_trace.abi3.so")


def find_other_versions():
    for name, pattern in PLACES.items():
        found = re.search(pattern, (ROOT / name).read_text(), re.M)
        if found is None or found[1] != VERSION:
            yield f"{name}: the version is {found and found[1]}, in meson.build {VERSION}"


def find_missing_files():
    """A program or library that meson installs is in both kinds of packages."""
    debian = " ".join(path.read_text() for path in (ROOT / "debian").glob("*.install"))
    spec = (ROOT / "packaging/pddt.spec").read_text()
    programs = set(re.findall(r"= executable\('([\w-]+)'(?:(?!\n\n|executable).)*?install: true",
                              (ROOT / "src/programs/meson.build").read_text(), re.S)) - {"pddt"}
    for name in sorted(programs - set(PROGRAM_FILES)):
        yield f"tests/meta/test-versions.py: does not know the program {name}"
    for name in PROGRAM_FILES:
        if f"libexec/pddt/{name}" not in debian:
            yield f"debian/*.install: lack {name}"
        if f"libexec/pddt/{name}" not in spec:
            yield f"packaging/pddt.spec: lacks {name}"


def read_easyconfig():
    """An easyconfig is Python that assigns values alone; these five must be there, and each source a text."""
    paths = list((ROOT / "packaging/easybuild").glob("*.eb"))
    for path in paths:
        names = {}
        exec(compile(path.read_text(), str(path), "exec"), names)  # pylint: disable=exec-used
        for name in ("name", "version", "homepage", "description", "toolchain", "moduleclass", "easyblock"):
            if name not in names:
                yield f"{source.name(path)}: lacks {name}"
        wanted = f"{names['name']}-{names['version']}-{names['toolchain']['name']}-{names['toolchain']['version']}.eb"
        if path.name != wanted or names["version"] != VERSION:
            yield f"{source.name(path)}: EasyBuild wants the name {wanted}, with {VERSION}"
        yield from (f"{source.name(path)}: {row} is no name and version" for row in
                    names["dependencies"] + names["builddependencies"]
                    if not (isinstance(row, tuple) and len(row) == 2 and all(isinstance(word, str) for word in row)))
    if not paths:
        yield "packaging/easybuild: no easyconfig"


def read_spack():
    """Spack's directives, with stand-ins for what spack.package offers: names, and features that meson_options.txt has."""
    path = ROOT / "packaging/spack/package.py"
    text = path.read_text().replace("from spack.package import *", "")
    said, options = [], re.findall(r"^option\('(\w+)', type: 'feature'", (ROOT / "meson_options.txt").read_text(), re.M)
    names = {word: (lambda *rest, _word=word, **more: said.append((_word, rest, more)))
             for word in ("license", "version", "variant", "depends_on", "requires")}
    names["MesonPackage"] = type("MesonPackage", (), {})
    exec(compile(ast.parse(text), str(path), "exec"), names)  # pylint: disable=exec-used
    variants = [rest[0] for word, rest, _ in said if word == "variant"]
    package = names["Pddt"]()
    package.spec = [f"+{name}" for name in variants[:1]]
    wanted = ["-Dtests=false"] + [f"-D{name}={'enabled' if name == variants[0] else 'disabled'}" for name in options]
    if sorted(package.meson_args()) != sorted(wanted):
        yield f"{source.name(path)}: meson_args gives {package.meson_args()}, wanted {wanted}"
    for word, rest, more in said:
        if word == "depends_on" and "when" in more and more["when"].lstrip("+") not in variants:
            yield f"{source.name(path)}: {rest[0]} depends on {more['when']}, which is no variant"


def name_packages(*packages, **system):
    """What ./run says of these packages on a system with such an os-release."""
    with tempfile.NamedTemporaryFile("w") as release:
        release.write("".join(f'{name}="{value}"\n' for name, value in system.items()))
        release.flush()
        return subprocess.run([ROOT / "data/name-packages", *packages], capture_output=True, text=True, check=True,
                              env=dict(os.environ, PDDT_OS_RELEASE=release.name)).stdout.strip()


def find_unnamed():
    """Packages that pddt is built from, and those whose absence meson tells of, have a name in each distribution."""
    rows = [row.split() for row in (ROOT / "data/packages-elsewhere.txt").read_text().splitlines() if not row.startswith("#")]
    known = {row[0] for row in rows}
    # what is only shown or run, or another one brings along
    wanted = {row.split()[0] for row in (ROOT / "data/packages.txt").read_text().splitlines() if row.endswith((" build", " run"))} - {
        "adwaita-icon-theme", "librsvg2-common", "openmpi-bin", "libotf2-trace-dev"}
    told = re.search(r"^foreach part : .*?^  wanted = ", (ROOT / "meson.build").read_text(), re.S | re.M)[0]
    for name in sorted((wanted | set(re.findall(r"'([\w.+-]+-dev)'", told))) - known):
        yield f"data/packages-elsewhere.txt: lacks {name}"
    yield from (f"data/packages-elsewhere.txt: {row}" for row in rows if len(row) != 4)
    for system, said in (({"ID": "debian"}, "apt install libvte-2.91-dev libopen-trace-format2-dev"),
                         ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "dnf install vte291-devel otf2-devel"),
                         ({"ID": "opensuse-leap", "ID_LIKE": "suse opensuse"},
                          "zypper install vte-devel libopen-trace-format2-dev (in Debian)"),
                         ({"ID": "arch"}, "pacman -S vte3 libopen-trace-format2-dev (in Debian)"),
                         ({"ID": "other"}, "by Debian's names libvte-2.91-dev libopen-trace-format2-dev")):
        found = name_packages("libvte-2.91-dev", "libopen-trace-format2-dev", **system)
        if found != said:
            yield f"data/name-packages: {system}: {found}"


problems = [*find_other_versions(), *find_missing_files(), *read_easyconfig(), *read_spack(), *find_unnamed()]
for name in ("pddt.tcl",):
    if subprocess.run(["sh", "-c", "command -v tclsh"], capture_output=True, check=False).returncode == 0:
        script = ('proc module-whatis {args} {}; proc conflict {args} {}; proc prepend-path {name path} {puts "$name $path"};'
                  f'source {ROOT}/packaging/modules/{name}; ModulesHelp')
        run = subprocess.run(["tclsh"], input=script, capture_output=True, text=True, check=False)
        if f"PATH /opt/pddt/{VERSION}/bin\n" not in run.stdout:
            problems.append(f"packaging/modules/{name}: {run.stdout}{run.stderr}")
print(*problems, sep="\n")
print(f"{len(problems)} found")
sys.exit(len(problems) > 0)
