#!/bin/sh
# Replaces the build that a stack of infra/swarm/stack.yml runs by the one of the images of TAG: renderer and actions first, then
# the gateways, which become ready only with renderers and actions of their own build. REGISTRY is as for `docker stack deploy`.
#
#   TAG=2 sh infra/swarm/update.sh            the stack `portico`
#   TAG=2 sh infra/swarm/update.sh my-site    another one
set -eu

stack=${1:-portico}
: "${TAG:?TAG is not set: it names the images of the new build}"

for service in renderer actions images gateway; do
  docker service update --detach=false --quiet --with-registry-auth \
    --image "${REGISTRY-}portico-$service:$TAG" "${stack}_$service" >/dev/null
  # A service that was rolled back is not an error of the command.
  state=$(docker service inspect --format '{{if .UpdateStatus}}{{.UpdateStatus.State}}{{end}}' "${stack}_$service")
  case $state in
    '' | completed) echo "$service: replaced" ;;
    *)
      echo "$service: $state; look at: docker service ps --no-trunc ${stack}_$service" >&2
      exit 1
      ;;
  esac
done
