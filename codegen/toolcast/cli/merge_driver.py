"""`toolcast merge-driver`: what git runs to merge the files about all tools."""

from pathlib import Path, PurePosixPath

import click

from ..console import one_line, write_line
from ..git_process import git_program, run_git
from ..integrations.project_files import MERGE_SET_UP
from .options import examples


@click.command("merge-driver", epilog=examples(MERGE_SET_UP))
@click.argument("base", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("ours", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("theirs", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("path")
def command(base: Path, ours: Path, theirs: Path, path: str) -> int:
    """Merge a registry or a manifest of two branches.

    For git, which `toolcast init --add gitattributes` prepares. OURS becomes what a build of both branches
    writes at PATH, if they changed different tools. If not, git's own merge is left there with its conflicts,
    which `toolcast generate` settles once the specs are merged. The exit status is 1
    where conflicts are left.
    """
    from ..project.merge_outputs import NotMergedError, merge_file

    try:
        contents = [each.read_bytes() for each in (base, ours, theirs)]
        ours.write_bytes(merge_file(PurePosixPath(path).name, *contents))
    except NotMergedError as error:
        reason = str(error)
    except ImportError as error:
        reason = f"{error.name or error} is not installed: pip install 'toolcast[build]'"
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    else:
        return 0
    write_line(f"toolcast: {one_line(path)} is left to git's own merge: {one_line(reason)}", err=True)
    return _merge_lines(base, ours, theirs, path)


def _merge_lines(base: Path, ours: Path, theirs: Path, path: str) -> int:
    """Git's own merge; 1 if it leaves a conflict, which is told with the way out."""
    program = git_program()
    if program is not None:
        labels = ("-L", "ours", "-L", "base", "-L", "theirs")
        done = run_git(program, Path.cwd(), "merge-file", *labels, *map(str, (ours, base, theirs)))
        if done.status == 0:
            return 0
    hint = "merge the specs, run `toolcast generate`, then add the output folder"
    write_line(f"toolcast: conflict in {one_line(path)}: {hint}", err=True)
    return 1
