"""The facts of files by their content, kept between runs in the user's cache directory."""
