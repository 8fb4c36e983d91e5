#!/bin/sh
# Puts a backup of docker/backup.sh in the place of all data, on this machine or on another one with the same sources.
# The stack is stopped and started. COMPOSE_FILE names the compose files, as for every docker compose command.
#
#   sh docker/restore.sh FOLDER
set -eu

if [ $# -ne 1 ]; then echo "usage: sh $0 FOLDER" >&2; exit 2; fi
folder=${1%/}
services=$(docker compose config --services)
has() { echo "$services" | grep -qx "$1"; }

# Nothing is deleted before the whole backup was seen.
for name in site-data redis-state; do gzip -t "$folder/$name.tar.gz"; done
if has postgres && [ ! -s "$folder/postgres.dump" ]; then
  echo "$folder/postgres.dump is missing: the backup was made without docker/compose.postgres.yml" >&2
  exit 1
fi
if ! has postgres && [ -e "$folder/postgres.dump" ]; then
  echo "$folder/postgres.dump needs the service postgres: add docker/compose.postgres.yml to COMPOSE_FILE" >&2
  exit 1
fi

state='no data was changed: docker compose up --detach starts the stack again'
give_up() {
  if [ $? -ne 0 ]; then echo "the backup was not restored (see the lines above); $state" >&2; fi
}
trap give_up EXIT
trap 'exit 1' HUP INT TERM

docker compose down
if has postgres; then
  docker compose up --detach --wait postgres
  in_postgres() { docker compose exec --no-TTY postgres "$@"; }
  # Into another database first: a dump that cannot be read leaves the present data as it is.
  in_postgres dropdb --username site --if-exists --force restored
  in_postgres createdb --username site restored
  in_postgres pg_restore --username site --exit-on-error --dbname restored < "$folder/postgres.dump"
  state='some data is missing: run this command again'
  in_postgres dropdb --username site --if-exists --force site
  in_postgres psql --username site --dbname postgres --quiet --command 'ALTER DATABASE restored RENAME TO site'
fi
state='some data is missing: run this command again'
put() {
  docker compose run --rm --no-deps --no-TTY "$1" sh -c 'find /data -mindepth 1 -delete && tar -xzf - -C /data' < "$folder/$2"
}
put actions site-data.tar.gz
put redis-state redis-state.tar.gz
docker compose up --detach --wait
