#!/usr/bin/env node
// The command `portico`, and the scripts of this repository's package.json: runs portico-cli on a Node that the stack
// supports. In the repository it first installs missing packages. Plain JavaScript, which Node 20 reads.

import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findNode, missingNodeText } from './find-node.mjs'

const here = dirname(realpathSync(fileURLToPath(import.meta.url)))
const root = join(here, '..', '..')
const isRepository = existsSync(join(here, 'portico-cli.ts'))
const args = process.argv.slice(2)
// Compiled code of sources and packages, cached between starts: half of a young process's work.
process.env.NODE_COMPILE_CACHE ||= join(root, 'node_modules/.cache/node')
// The site of an installed package is the working directory unless APP_DIR names another folder.
if (!isRepository) process.env.APP_DIR ||= process.cwd()

const node = isRepository ? (await import('./install-if-needed.mjs')).installIfNeeded(root) : findNode(root)
const cli = join(here, isRepository ? 'portico-cli.ts' : 'portico-cli.js')
if (node === undefined) {
  process.stderr.write(`portico: ${missingNodeText()}\n`)
  process.exitCode = 1
} else if (node === process.execPath) {
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE)
  process.argv = [node, cli, ...args]
  await import(pathToFileURL(cli).href)
} else runOn(node)

/** @param {string} program */
function runOn(program) {
  const child = spawn(program, [cli, ...args], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends it to both.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('error', (error) => {
    process.stderr.write(`portico: ${program} could not be run: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0)
  })
}
