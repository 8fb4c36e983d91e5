#!/bin/sh
# Builds the app folder $1 inside the image and writes the output for the services to /out.
set -eu
site=$1
# Output of builds and data of a stack on the host are never used.
rm -rf "$site/dist" "$site/node_modules" "$site/.data"

# The site's own packages. Those of web/app are in this repository's lock file and already installed, docs among them.
if [ -f "$site/package.json" ] && ! cmp -s "$site/package.json" web/app/package.json; then
  if [ -f "$site/package-lock.json" ]; then (cd "$site" && npm ci --omit=dev)
  else (cd "$site" && npm install --omit=dev --no-package-lock)
  fi
fi

APP_DIR=$site node web/build/cli.ts

mkdir -p /out
mv "$site/dist" /out/dist
# Packages that are not part of the bundles (serverExternalPackages).
if [ -f "$site/package.json" ]; then cp "$site/package.json" /out/; fi
if [ -d "$site/node_modules" ]; then mv "$site/node_modules" /out/node_modules; fi
