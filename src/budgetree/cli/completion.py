"""`budgetree completion`: what a shell needs to complete commands, options and data sets."""

from __future__ import annotations

import click

from budgetree.cli.endings import ending

HOW = {
    "bash": 'eval "$(budgetree completion bash)"  in ~/.bashrc',
    "zsh": 'eval "$(budgetree completion zsh)"  in ~/.zshrc',
    "fish": "budgetree completion fish > ~/.config/fish/completions/budgetree.fish",
}
ENDING = ending("budgetree completion bash", page="guide/install")


@click.command(epilog="\b\n" + "\n".join(HOW.values()) + "\n\n" + ENDING)
@click.argument("shell", type=click.Choice(list(HOW)))
def completion(shell: str) -> None:
    """Print the script that completes `budgetree` in your shell."""
    from click.shell_completion import get_completion_class

    from budgetree.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None  # the choices are those that click knows
    click.echo(kind(cli, {}, "budgetree", "_BUDGETREE_COMPLETE").source())
