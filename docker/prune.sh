#!/bin/sh
# Usage: prune.sh FOLDER. Removes what a deployed app never loads: optional peer dependencies, query compilers of other
# databases, sources, types, source maps of dependencies, and styles of fonts. Then starts each entry point without an environment: it must stop
# because of the environment, not of a missing module.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
cd "$1"
rm -rf src test tools pnpm-lock.yaml
node "$tools/remove-unused.mjs"
(
  cd node_modules/.pnpm
  rm -rf @types+*
  find . -path '*/@prisma/client/runtime/*' \( -name 'query_compiler_*' ! -name '*postgresql*' -o -name '*edge*' \) -delete
  find . -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
  find . -path './@tollgate+*' -prune -o -type f -name '*.map' -exec rm {} +
  find . -path '*/@fontsource-variable/*' -type f ! -name '*-wght-normal.woff2' ! -name '*.json' ! -name LICENSE -delete
  for package in @tollgate+*/node_modules/@tollgate/*; do
    test -L "$package" || (cd "$package" && rm -rf src test tools)
  done
)
for entry in main worker setup keys; do
  test -f "dist/$entry.js" || continue
  output=$(env -i PATH="$PATH" node "dist/$entry.js" 2>&1) && { echo "dist/$entry.js starts without an environment" >&2; exit 1; }
  case $output in
    *MODULE_NOT_FOUND* | *"Cannot find"*) echo "$output" >&2; exit 1 ;;
  esac
done
