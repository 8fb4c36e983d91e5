#!/usr/bin/env bash
# The health check of every service's container: asks the inner port whether it is ready (O4), and tells why it is not.
# There is no curl in the image, and a start of Node every ten seconds would cost more than many pages do.

exec 3<>"/dev/tcp/127.0.0.1/${INNER_PORT:-9090}" || exit 1
printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3
IFS= read -r -d '' -t 4 answer <&3
[[ $answer == 'HTTP/1.1 200 '* ]] && exit 0
printf '%s\n' "${answer#*$'\r\n\r\n'}" >&2
exit 1
