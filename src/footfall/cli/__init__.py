"""The command line: one file per command, imported only when that command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from footfall.core import registry
from footfall.core.errors import FootfallError

BAD_INPUT = 2  # exit code: nothing came of it


class LazyGroup(click.Group):
    """Commands are the files of this package; their one-line help is the file's first docstring line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(registry.members(__name__))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
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
        known = registry.members(__name__)
        rows = [(name, known[name].summary.rstrip(".")) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


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


def main(args: Sequence[str] | None = None) -> None:
    """Entry point: every expected error is one line on stderr and exit code 2; no tracebacks."""
    try:
        code = group.main(args=args, prog_name="footfall", standalone_mode=False)
    except click.exceptions.Abort:
        _stop("stopped", 130)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "footfall"
        _stop(f"{error.format_message()} (see: {command} --help)", BAD_INPUT)
    except click.ClickException as error:
        _stop(error.format_message(), BAD_INPUT)
    except FootfallError as error:
        _stop(str(error), BAD_INPUT)
    except BrokenPipeError:  # the reader of our output went away, as `| head` does
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        _stop("stopped", 130)
    sys.exit(code if isinstance(code, int) else 0)


def _stop(message: str, code: int) -> None:
    click.echo(f"footfall: {' '.join(message.split())}", err=True)
    sys.exit(code)
