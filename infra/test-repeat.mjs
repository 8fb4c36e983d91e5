// `npm run test:repeat -- <file> [times]`: runs test files many times, each time by a new vitest, and counts the runs in
// which each test failed. Plain JavaScript, as infra/test.mjs.

import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIfNeeded } from '../services/stack/install-if-needed.mjs'
import { testEnvironment } from './test/programs.mjs'
import { runVitest } from './test/run-vitest.mjs'

const HELP = `Runs test files again and again, to find races.

  npm run test:repeat -- <file> [<file> …] [times] [--load] [-t <name>]

  <file>   part of the path of a test file
  times    how often; 10 unless given
  --load   four processes that calculate without end run at the same time
  -t       only the tests whose name matches
  --stop   ends at the first run that fails, and prints its output
`
const BUSY_LOOPS = 4

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { files, times, isLoaded, isStopping, name } = readArguments(process.argv.slice(2))
const node = installIfNeeded(root)
const env = testEnvironment(root)
const args = ['--project=!long', '--passWithNoTests=false', ...files, ...(name ? ['-t', name] : [])]

const loops = isLoaded ? Array.from({ length: BUSY_LOOPS }, () => spawn(node, ['-e', 'for (;;);'])) : []
process.on('exit', () => {
  for (const loop of loops) loop.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/** Runs in which a test failed, and what it said the first time. */
const failed = new Map()
const seconds = []
let bad = 0
for (let run = 1; run <= times; run++) {
  const started = Date.now()
  const result = await runVitest({ root, node, env, args, isShown: false })
  const { counts, failures } = result
  seconds.push((Date.now() - started) / 1000)
  if (result.files.length === 0)
    stop(`no test file was run: "${files.join(' ')}" must be part of a path\n${result.output}`)
  if (counts.failed > 0) bad++
  for (const { name: test, message } of failures) {
    const earlier = failed.get(test) ?? { runs: 0, message }
    failed.set(test, { ...earlier, runs: earlier.runs + 1 })
  }
  console.log(
    `${String(run).padStart(4)} of ${times}  ${seconds.at(-1).toFixed(1).padStart(6)} s  ${counts.passed} passed, ${counts.failed} failed`,
  )
  if (isStopping && counts.failed > 0) {
    console.log(result.output)
    break
  }
}
for (const [test, { runs, message }] of failed)
  console.log(
    `\nFailed ${runs} of ${seconds.length} times: ${test}\n    ${message.split('\n').slice(0, 6).join('\n    ')}`,
  )
const sorted = seconds.toSorted((one, other) => one - other)
console.log(
  `\n${files.join(' ')}${isLoaded ? ' under load' : ''}: ${seconds.length - bad} of ${seconds.length} runs passed, median ${sorted[sorted.length >> 1].toFixed(1)} s`,
)
process.exit(bad === 0 ? 0 : 1)

function readArguments(given) {
  if (given.includes('--help')) {
    console.log(HELP)
    process.exit(0)
  }
  const read = { files: [], times: 10, isLoaded: false, isStopping: false, name: undefined }
  for (let at = 0; at < given.length; at++) {
    const arg = given[at]
    if (arg === '--load') read.isLoaded = true
    else if (arg === '--stop') read.isStopping = true
    else if (arg === '-t') read.name = given[++at]
    else if (/^\d+$/.test(arg)) read.times = Number(arg)
    else if (arg.startsWith('-')) stop(`the option ${arg} is unknown\n\n${HELP}`)
    else read.files.push(arg)
  }
  if (read.files.length === 0) stop(`a file is missing\n\n${HELP}`)
  if (read.times < 1) stop(`times=${read.times} is not allowed; it must be at least 1`)
  return read
}

function stop(message) {
  console.error(message)
  process.exit(2)
}
