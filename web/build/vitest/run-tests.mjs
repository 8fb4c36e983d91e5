// Runs the tests of the app folder in the working directory with the vitest of this repository: `.portico/test.mjs` of the
// folder imports this file. Plain JavaScript for the Node of the machine; the tests run on the Node of this repository.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const pathOf = (name) => fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url))
const args = [
  '--import',
  new URL('resolve-portico.mjs', import.meta.url).href,
  pathOf('vitest/vitest.mjs'),
  'run',
  // Node imports the config, so that resolve-portico.mjs applies to it.
  '--configLoader',
  'native',
  ...process.argv.slice(2),
]
const child = spawn(pathOf('.bin/node'), args, { stdio: 'inherit' })
child.on('error', (error) => {
  process.stderr.write(`The tests cannot be run: ${error.message}. Run npm install in Portico's folder first.\n`)
  process.exitCode = 1
})
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
