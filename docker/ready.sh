#!/usr/bin/env bash
# The health check of every service's container: requests /readyz at the inner port (O4) and prints why the service is
# not ready. The image has no curl, and starting Node every ten seconds would cost more than many pages.

exec 3<>"/dev/tcp/127.0.0.1/${INNER_PORT:-9090}" || exit 1
printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3
IFS= read -r -d '' -t 4 response <&3
[[ $response == 'HTTP/1.1 200 '* ]] && exit 0
printf '%s\n' "${response#*$'\r\n\r\n'}" >&2
exit 1
