"""`python -m footfall` is the command line."""

from footfall.cli import main

if __name__ == "__main__":
    main()
