"""One module per subcommand. At import they load typer alone; the rest when they run."""
