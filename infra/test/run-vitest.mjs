// Runs vitest once and returns what its reporter wrote. Plain JavaScript, as infra/test.mjs.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * @typedef {object} Result
 * @property {{ passed: number, failed: number, skipped: number }} counts a vitest that ends without a report has failed once
 * @property {{ name: string, testMs: number, loadMs: number }[]} files milliseconds of the tests of a file, and of loading it
 * @property {{ name: string, message: string }[]} failures
 * @property {string} output empty where it was shown
 */

/**
 * @param {object} options
 * @param {string} options.root folder of the repository
 * @param {string} options.node
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string[]} options.args of `vitest run`
 * @param {boolean} options.isShown whether the output appears as it is written
 * @returns {Promise<Result>}
 */
export async function runVitest({ root, node, env, args, isShown }) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', `--reporter=${join(root, 'infra/test/reporter.mjs')}`]
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const { status, output } = await runProgram(node, [vitest, 'run', ...reporters, ...args], {
    cwd: root,
    env: { ...env, PORTICO_TEST_REPORT: report },
    isShown,
  })
  const { counts, files, failures } = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : { counts: { passed: 0, failed: 0, skipped: 0 }, files: [], failures: [] }
  rmSync(folder, { recursive: true, force: true })
  if (status !== 0 && counts.failed === 0) {
    counts.failed++
    failures.push({ name: `vitest ${args.join(' ')}`, message: `vitest ended with code ${status}` })
  }
  return { counts, files, failures, output }
}

/**
 * Runs a program to its end; its output is shown as it is written, or returned.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, isShown: boolean }} options
 * @returns {Promise<{ status: number | null, output: string }>}
 */
export function runProgram(program, args, { cwd, env, isShown }) {
  const child = spawn(program, args, { cwd, env, stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ status: 1, output: String(error) }))
    child.once('close', (status) => resolve({ status, output }))
  })
}
