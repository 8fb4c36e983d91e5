#!/bin/sh
# Copies what cannot be made again into a new folder: what the site keeps in /data, the state Redis, and the database of
# docker/compose.postgres.yml. COMPOSE_FILE names the compose files, as for every docker compose command.
#
#   sh docker/backup.sh FOLDER
#
# No action and no data function runs meanwhile, so that the copies have the same state and no file changes while it is read.
# Pages that the gateway keeps are served; others, and forms, wait.
set -eu

if [ $# -ne 1 ]; then echo "usage: sh $0 FOLDER" >&2; exit 2; fi
folder=${1%/}
if [ -e "$folder" ]; then echo "$folder exists: a backup needs a new folder" >&2; exit 1; fi
services=$(docker compose config --services)
has() { echo "$services" | grep -qx "$1"; }

# Secrets and data of users.
umask 077
mkdir -p "$(dirname "$folder")"
part=$(mktemp -d "$folder.XXXXXX")
give_up() {
  if [ -e "$folder" ]; then return; fi
  docker compose unpause actions renderer redis-state >/dev/null 2>&1 || true
  rm -rf "$part"
  echo 'no backup was made (see the lines above)' >&2
}
trap give_up EXIT
# HUP: a connection that is lost must not leave the services paused.
trap 'exit 1' HUP INT TERM

docker compose pause actions renderer redis-state
copy() { docker compose run --rm --no-deps --no-TTY "$1" tar -czf - -C /data . > "$part/$2"; }
copy actions site-data.tar.gz
copy redis-state redis-state.tar.gz
if has postgres; then
  docker compose exec --no-TTY postgres pg_dump --username site --format custom site > "$part/postgres.dump"
fi
docker compose unpause actions renderer redis-state
# What runs in the container does not learn that the disk of this machine is full.
gzip -t "$part/site-data.tar.gz" "$part/redis-state.tar.gz"
if has postgres; then
  docker compose exec --no-TTY postgres pg_restore --file /dev/null < "$part/postgres.dump"
fi
mv "$part" "$folder"
echo "$folder: $(ls "$folder" | tr '\n' ' ')"
