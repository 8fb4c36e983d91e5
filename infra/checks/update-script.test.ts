import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './sources.ts'

/** A `docker` that records its arguments, runs one replica of each service, and fails to build. */
const DOCKER = `#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in
  'compose ps --quiet '*) echo replica ;;
  'inspect '*) echo image ;;
  'compose build') exit 17 ;;
esac
`

test('O5 a build that fails leaves the images that docker/update.sh can go back to', () => {
  const folder = mkdtempSync(join(tmpdir(), 'update-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'docker'), DOCKER)
  chmodSync(join(folder, 'docker'), 0o755)
  const calls = join(folder, 'calls')
  const env = { PATH: `${folder}:/usr/bin:/bin`, CALLS: calls }
  const { status } = spawnSync('sh', [join(root, 'docker/update.sh')], { env })
  expect(status).toBe(17)
  const commands = readFileSync(calls, 'utf8').trim().split('\n')
  expect(commands.at(-1)).toBe('compose build')
  expect(commands.filter((call) => call.startsWith('image tag'))).toEqual([])
})
