#!/bin/sh
# Runs a development command as the owner of the mounted app folder: the command writes types, Vite's cache and the
# current manifest into the folder, and these files must belong to its owner.
set -eu
owner=$(stat -c %u:%g "${APP_DIR:?}")
# Rootless engines and Docker Desktop show the owner as root: no change of user is needed.
if [ "$owner" = 0:0 ]; then exec "$@"; fi
HOME=/tmp exec setpriv --reuid "${owner%:*}" --regid "${owner#*:}" --clear-groups "$@"
