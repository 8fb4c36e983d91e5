#!/bin/sh
# Builds the app folder $1 with the packed Portico inside the image, and collects for each service what it runs in $2.
set -eu
site=$1
# Output of builds and data of a stack on the host are never used.
rm -rf "$site/dist" "$site/node_modules" "$site/.data"

# The site's own packages, with those of development: Tailwind, Sass and TypeScript are needed to build. Those of web/app
# are in this repository's lock file and already installed, docs among them.
if [ -f "$site/package.json" ] && ! cmp -s "$site/package.json" web/app/package.json; then
  if [ -f "$site/package-lock.json" ]; then (cd "$site" && npm ci)
  else (cd "$site" && npm install)
  fi
fi

export APP_DIR="$site"
portico=node_modules/portico/services/stack/portico.mjs
node "$portico" build
node "$portico" containers --output "$2"
