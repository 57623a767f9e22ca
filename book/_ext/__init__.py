"""The Sphinx extensions that make the page; `_config.yml` lists them in the order they load in."""
