#!/bin/sh
# Runs a command of development as whoever owns the mounted app folder: types, Vite's cache and the manifest of the
# moment are written there, and what is written must be his.
set -eu
owner=$(stat -c %u:%g "${APP_DIR:?}")
# Rootless engines and Docker Desktop show the owner as root, who needs no change.
if [ "$owner" = 0:0 ]; then exec "$@"; fi
HOME=/tmp exec setpriv --reuid "${owner%:*}" --regid "${owner#*:}" --clear-groups "$@"
