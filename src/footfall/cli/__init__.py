"""The command line: one file per command, imported only when that command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from footfall.core import registry
from footfall.core.errors import FootfallError, one_line

BAD_INPUT = 2  # exit code: nothing came of it
# Commands of the lab, a package of its own; it offers them as entry points of this group.
LAB_GROUP = "footfall.commands"
LAB = {
    "bench": "Measure speed and memory on this machine, as ratios where it can be",
    "compare": "Compare two ways to drive a live character: transition graph and motion matching, on one script",
    "study": "Run an experiment that measures footfall: figures against limits, tables and pictures",
    "tune": "Find the entry classifier's parameters: those with which figures from random states walk farthest",
}


class LazyGroup(click.Group):
    """Commands are the files of this package, named by their first docstring lines, and those of the lab."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*registry.members(__name__), *LAB])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        if name in LAB:
            return _lab_command(name)
        return registry.member(__name__, name, "command").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from difflib import get_close_matches

        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "; 'footfall --help' lists them"
            raise click.UsageError(f"no command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        known = {name: member.summary.rstrip(".") for name, member in registry.members(__name__).items()} | LAB
        rows = [(name, known[name]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _lab_command(name: str) -> click.Command:
    """A command of the lab, or the sentence that says how to get it."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=LAB_GROUP, name=name):
        command: click.Command = entry.load()
        return command
    raise click.ClickException(f"'footfall {name}' is in footfall's lab: pip install ./lab in a checkout of footfall")


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="footfall")
@click.pass_context
def group(ctx: click.Context) -> None:
    """footfall makes new character motion out of motion clips.

    Start with:  footfall demo
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def every_command() -> dict[str, click.Command]:
    """All commands by what is typed for them, those of groups such as "graph build" each by itself."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= {f"{name} {key}": part for key, part in command.commands.items()}
        else:
            found[name] = command
    return found


def main(args: Sequence[str] | None = None) -> None:
    """Entry point: every expected error is one line on stderr and exit code 2; no tracebacks."""
    from footfall.cli._terminal import give_up_output, plain_output, told_in_a_line

    try:
        with plain_output(), told_in_a_line():
            code = group.main(args=args, prog_name="footfall", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt) as error:
        if isinstance(error.__cause__, EOFError):  # click takes any for Ctrl-D; no command asks for anything
            raise error.__cause__ from None
        _stop("stopped", 130)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "footfall"
        _stop(f"{error.format_message()} (see: {command} --help)", BAD_INPUT)
    except click.ClickException as error:
        _stop(error.format_message(), BAD_INPUT)
    except FootfallError as error:
        _stop(str(error), BAD_INPUT)
    except BrokenPipeError:  # the reader of our output went away, as `| head` does
        give_up_output()
        sys.exit(0)
    except OSError as error:  # what footfall itself writes has errors of its own: this is the output
        give_up_output()
        _stop(f"the output could not be written: {error.strerror or error}", BAD_INPUT)
    except MemoryError:
        _stop("there is not enough memory for this; use shorter clips, or fewer at a time", BAD_INPUT)
    sys.exit(code if isinstance(code, int) else 0)


def _stop(message: str, code: int) -> None:
    click.echo(f"footfall: {one_line(message)}", err=True)
    sys.exit(code)
