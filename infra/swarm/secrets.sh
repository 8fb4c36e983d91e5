#!/bin/sh
# Creates the secrets of stack.yml that do not exist yet, each with a random value that is stored nowhere else.
#
#   sh infra/swarm/secrets.sh       before the first deployment
#   sh infra/swarm/secrets.sh 2     new passwords of Redis, for a deployment with REDIS_PASSWORDS=2
set -eu

passwords=${1:-1}
for name in portico_stack_token portico_action_keys portico_database \
  "portico_redis_replication_$passwords" \
  "portico_redis_gateway_$passwords" "portico_redis_renderer_$passwords" \
  "portico_redis_actions_$passwords" "portico_redis_images_$passwords"; do
  if docker secret inspect "$name" >/dev/null 2>&1; then continue; fi
  openssl rand -hex 32 | docker secret create "$name" - >/dev/null
  echo "$name: made"
done
