// An encoder child that cannot start, as on a machine without libvips.

process.exit(1)
