#!/bin/sh
# Builds the app folder $1 inside the image and leaves in /out what services need of it.
set -eu
site=$1
# Left by builds on the host: never taken for ours.
rm -rf "$site/dist" "$site/node_modules"

# Packages of the site's own, unless they are those of this repository's lock file (web/app).
if [ -f "$site/package.json" ] && ! cmp -s "$site/package.json" web/app/package.json; then
  if [ -f "$site/package-lock.json" ]; then (cd "$site" && npm ci --omit=dev)
  else (cd "$site" && npm install --omit=dev --no-package-lock)
  fi
fi

APP_DIR=$site node web/build/cli.ts

mkdir -p /out
mv "$site/dist" /out/dist
# Packages that the bundles leave out (serverExternalPackages) are found beside them.
if [ -f "$site/package.json" ]; then cp "$site/package.json" /out/; fi
if [ -d "$site/node_modules" ]; then mv "$site/node_modules" /out/node_modules; fi
