// An encoder child that cannot start, as where libvips is missing.

process.exit(1)
