#!/bin/sh
# Replaces the running build by a new one, or by the previous one (`back`): each service gets new replicas next to its old
# replicas, which stop when the new ones are ready. COMPOSE_FILE names the compose files, as for every docker compose command.
#
#   sh docker/update.sh         builds, and replaces every replica
#   sh docker/update.sh back    replaces them by the build before the last update
set -eu

services='gateway actions images renderer'
case ${1-} in
  '' | back) ;;
  *) echo "usage: sh $0 [back]" >&2; exit 2 ;;
esac

for service in $services; do
  if [ -z "$(docker compose ps --quiet "$service")" ]; then
    echo "$service does not run: start the stack with docker compose up" >&2
    exit 1
  fi
done
# Before anything is tagged: a failed build must not replace the build for `back`.
if [ "${1-}" != back ]; then docker compose build; fi
for service in $services; do
  running=$(docker compose ps --quiet "$service" | head -n 1)
  name=$(docker inspect --format '{{.Config.Image}}' "$running")
  if [ "${1-}" = back ]; then docker image tag "$name:previous" "$name"
  else docker image tag "$(docker inspect --format '{{.Image}}' "$running")" "$name:previous"
  fi
done

give_up() {
  echo "$1 (see the log lines above)." >&2
  echo "Fix the cause and run this command again, or go back to the previous build: sh $0 back" >&2
  exit 1
}

for service in $services; do
  # docker compose reports an unpublished port as 0.
  if [ "$service" = gateway ] && docker compose port gateway 8080 2>/dev/null | grep -q ':[1-9]'; then
    # Only one replica can have the published port: the gateway is unavailable between stop and start.
    docker compose up --detach --no-deps --no-build --force-recreate --wait gateway || {
      docker compose logs --no-log-prefix --tail 5 gateway >&2
      give_up 'the new gateway did not become ready'
    }
    continue
  fi
  old=$(docker compose ps --quiet "$service")
  count=$(echo "$old" | wc -l)
  if ! docker compose up --detach --no-deps --no-build --no-recreate --wait --scale "$service=$((count * 2))" "$service"; then
    # Otherwise the next update would treat them as replicas of the running site.
    for replica in $(docker compose ps --all --quiet "$service"); do
      if echo "$old" | grep -q "$replica"; then continue; fi
      docker logs --tail 5 "$replica" >&2
      docker rm --force "$replica" >/dev/null
    done
    give_up "the new replicas of $service did not become ready and were removed; the old replicas keep running"
  fi
  # shellcheck disable=SC2086 # one id a line
  docker stop $old >/dev/null
  # shellcheck disable=SC2086
  docker rm $old >/dev/null
  echo "$service: $count replaced"
done
