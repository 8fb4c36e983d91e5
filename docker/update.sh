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

# The replicas of a service that run now.
running() { docker compose ps --quiet "$1"; }

for service in $services; do
  if [ -z "$(running "$service")" ]; then
    echo "$service does not run: start the stack with docker compose up" >&2
    exit 1
  fi
done

# docker compose reports an unpublished port as 0.
is_published=$(docker compose port gateway 8080 2>/dev/null | grep -c ':[1-9]' || true)
if [ "$is_published" -gt 0 ]; then
  cat >&2 <<'END'
The port of the gateway is published. Docker gives a port of the machine to one container at a time, so a second gateway cannot
take the port over: the old gateway stops before the new one starts, and connections are refused for some seconds. The other
services have no such pause. Behind docker/compose.https.yml Caddy holds the port, and no connection is refused: see "Updating"
of "Running with compose" in the documentation.
END
fi

# A store that runs with another configuration than the compose files have, such as users, limits or image. This script
# replaces none: a store has one replica, and its data outlives it in a volume.
for store in redis-state redis-cache; do
  replica=$(running "$store")
  if [ -z "$replica" ]; then continue; fi
  wanted=$(docker compose config --hash "$store" | cut -d ' ' -f 2)
  is=$(docker inspect --format '{{index .Config.Labels "com.docker.compose.config-hash"}}' "$replica")
  if [ "$is" = "$wanted" ]; then continue; fi
  cat >&2 <<END
$store runs with another configuration than the compose files have now (its users, limits or image). This command does not
replace it, and the new replicas may need the new one. Interrupt this command, replace it, and run this command again:
  docker compose up --detach --no-deps --wait $store
Its volume keeps the data. Meanwhile pages are served; without redis-state submissions are refused, without redis-cache images
are encoded again.
END
done

# Before anything is tagged: a failed build must not replace the build for `back`.
if [ "${1-}" != back ]; then docker compose build; fi
for service in $services; do
  replica=$(running "$service" | head -n 1)
  name=$(docker inspect --format '{{.Config.Image}}' "$replica")
  if [ "${1-}" = back ]; then docker image tag "$name:previous" "$name"
  else docker image tag "$(docker inspect --format '{{.Image}}' "$replica")" "$name:previous"
  fi
done

give_up() {
  echo "$1 (see the log lines above)." >&2
  echo "Fix the cause and run this command again, or go back to the previous build: sh $0 back" >&2
  exit 1
}

# An interrupted `docker stop` leaves no old replica either: the next update would double the replicas.
remove() {
  # shellcheck disable=SC2086 # one id a line
  docker stop $1 >/dev/null || true
  # shellcheck disable=SC2086
  docker rm --force $1 >/dev/null
}

# Starts as many new replicas of a service as run now, next to them.
start_new() {
  old=$(running "$1") || return 1
  count=$(echo "$old" | wc -l)
  if docker compose up --detach --no-deps --no-build --no-recreate --wait --scale "$1=$((count * 2))" "$1"; then return 0; fi
  # Otherwise the next update would treat them as replicas of the running site.
  for replica in $(docker compose ps --all --quiet "$1"); do
    if echo "$old" | grep -q "$replica"; then continue; fi
    docker logs --tail 5 "$replica" >&2
    docker rm --force "$replica" >/dev/null
  done
  return 1
}

replace() {
  start_new "$1" || return 1
  remove "$old"
  echo "$1: $count replaced"
}

replace_gateway() {
  if [ "$is_published" -eq 0 ]; then replace gateway; return; fi
  if docker compose up --detach --no-deps --no-build --force-recreate --wait gateway; then return 0; fi
  docker compose logs --no-log-prefix --tail 5 gateway >&2
  return 1
}

# What runs is interrupted with this script, and fails: each step then leaves old or new replicas, never both.
interrupted=''
trap 'interrupted=yes' HUP INT TERM

kept='did not become ready and were removed; the old replicas keep running'

# The new replicas of a service that has both, by the ids of the old ones.
remove_new() {
  for replica in $(running "$1"); do
    if echo "$2" | grep -q "$replica"; then continue; fi
    remove "$replica"
  done
}

# Renderers and actions of both builds run while the gateway is replaced: each request is responded to by one build, and a new
# gateway becomes ready only with both services of its own build.
start_new renderer || give_up "the new replicas of renderer $kept"
old_renderers=$old
renderers=$count
if [ -n "$interrupted" ] || ! start_new actions; then
  remove_new renderer "$old_renderers"
  give_up "the new replicas of actions $kept"
fi
old_actions=$old
actions=$count
if [ -n "$interrupted" ] || ! replace_gateway; then
  remove_new renderer "$old_renderers"
  remove_new actions "$old_actions"
  if [ "$is_published" -gt 0 ]; then give_up 'the new gateway did not become ready'; fi
  give_up "the new replicas of gateway $kept"
fi
remove "$old_renderers"
echo "renderer: $renderers replaced"
remove "$old_actions"
echo "actions: $actions replaced"
if [ -n "$interrupted" ]; then give_up 'interrupted before images was replaced'; fi
replace images || give_up "the new replicas of images $kept"
