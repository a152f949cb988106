// The package manager requires a source. Package.swift explains what the target is for.
