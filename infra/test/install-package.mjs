// Packs Portico and installs the package into a temporary folder, for `npm test -- --package`. Plain JavaScript, as
// infra/test.mjs.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the folder, whose `tmp` is for the sites of the suite: they find `portico` in node_modules, as sites of
 * authors do. Throws with the output of what failed.
 * @param {string} root folder of the repository
 * @param {string} node
 * @returns {string}
 */
export function installPackage(root, node) {
  run(node, ['infra/package/pack.ts'], root)
  const packages = join(root, 'dist', 'packages')
  const tarball = readdirSync(packages).find((name) => /^portico-.*\.tgz$/.test(name)) ?? ''
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'portico-package-')))
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'tmp'))
  const manifest = { private: true, dependencies: { portico: `file:${join(packages, tarball)}` } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], folder)
  return folder
}

function run(program, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed\n${error?.message ?? ''}${stdout}${stderr}`)
}
