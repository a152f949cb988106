// The package manager requires a folder of headers.
