"""A page in the user's browser."""

import webbrowser

import click


def open_page(url: str) -> None:
    """Open a page in the browser: the one that BROWSER names, or the system's.

    Where there is none, as on a server, standard error says which address to open.

    Args:
        url: the address of the page.
    """
    if not webbrowser.open(url):
        click.echo(f"toolcast: no browser was found; open {url}, or set BROWSER to a browser", err=True)
