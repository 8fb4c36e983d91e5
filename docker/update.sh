#!/bin/sh
# Puts a new build in place, or the one before it (`back`): each service gets new replicas beside its old ones, which
# stop when the new ones are ready. Which compose files are meant says COMPOSE_FILE, as for every docker compose command.
#
#   sh docker/update.sh         builds, and replaces every replica
#   sh docker/update.sh back    replaces them by what ran before the last update
set -eu

services='gateway actions images renderer'
case ${1-} in
  '' | back) ;;
  *) echo 'usage: sh docker/update.sh [back]' >&2; exit 2 ;;
esac

for service in $services; do
  if [ -z "$(docker compose ps --quiet "$service")" ]; then
    echo "$service does not run: start the stack with docker compose up" >&2
    exit 1
  fi
done
# Before anything is tagged: a build that fails must not take the place of what one can go back to.
if [ "${1-}" != back ]; then docker compose build; fi
for service in $services; do
  running=$(docker compose ps --quiet "$service" | head -n 1)
  name=$(docker inspect --format '{{.Config.Image}}' "$running")
  if [ "${1-}" = back ]; then docker image tag "$name:previous" "$name"
  else docker image tag "$(docker inspect --format '{{.Image}}' "$running")" "$name:previous"
  fi
done

give_up() {
  echo "$1. What was said last stands above." >&2
  echo 'Mend the cause and run this again, or take back what is new already: sh docker/update.sh back' >&2
  exit 1
}

for service in $services; do
  # Unpublished, it is told as port 0.
  if [ "$service" = gateway ] && docker compose port gateway 8080 2>/dev/null | grep -q ':[1-9]'; then
    # Its port is published, and only one replica can have it: it is away for the moment between stop and start.
    docker compose up --detach --no-deps --no-build --force-recreate --wait gateway || {
      docker compose logs --no-log-prefix --tail 5 gateway >&2
      give_up 'the new gateway did not become ready'
    }
    continue
  fi
  old=$(docker compose ps --quiet "$service")
  count=$(echo "$old" | wc -l)
  if ! docker compose up --detach --no-deps --no-build --no-recreate --wait --scale "$service=$((count * 2))" "$service"; then
    # Left alone, they would be taken for replicas of the running site the next time.
    for replica in $(docker compose ps --all --quiet "$service"); do
      if echo "$old" | grep -q "$replica"; then continue; fi
      docker logs --tail 5 "$replica" >&2
      docker rm --force "$replica" >/dev/null
    done
    give_up "the new replicas of $service did not become ready and were removed; the old ones go on"
  fi
  # shellcheck disable=SC2086 # one id a line
  docker stop $old >/dev/null
  # shellcheck disable=SC2086
  docker rm $old >/dev/null
  echo "$service: $count replaced"
done
