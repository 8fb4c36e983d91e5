// What the two shortcuts of the log save: lines that are buffered, and a date that is formatted once a second. Each is a
// line with the least gain that it must have; exit code 1 if a gain is gone, because then the shortcut should go.
//
//   node infra/bench/log.ts

import { spawnSync } from 'node:child_process'
import { createLog, createOutput } from '@portico/shared/kit/observe/log.ts'
import { pino } from 'pino'
import { median } from './processes.ts'

const LINES = 100_000
const ROUNDS = 5
const FIELDS = {
  method: 'GET',
  path: '/places/skarnvik',
  status: 200,
  ms: 1.2,
  requestId: '4f1d0c6b2a9e8d77',
  bytes: 12_345,
}
const unbuffered = { write: (line: string) => void process.stdout.write(line) }
const nowhere = { write() {} }
const LOGS = {
  buffered: () => createLog('gateway', 'info', createOutput()),
  unbuffered: () => createLog('gateway', 'info', unbuffered),
  'date once a second': () => createLog('gateway', 'info', nowhere),
  'date of each line': () =>
    pino(
      {
        base: { service: 'gateway' },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      nowhere,
    ),
}

const role = process.argv[2]
if (role !== undefined) writeLines(role as keyof typeof LOGS)
else {
  console.log(`node ${process.version}, ${LINES} lines a run, processor time, medians of ${ROUNDS}`)
  const gains = [compare('unbuffered', 'buffered', 1.3), compare('date of each line', 'date once a second', 1.1)]
  if (gains.includes(false)) process.exitCode = 1
}

/** Prints both costs, and whether the second is as many times lower as wanted. */
function compare(plain: keyof typeof LOGS, shortcut: keyof typeof LOGS, wanted: number): boolean {
  const [plainUs = 0, shortcutUs = 0] = [plain, shortcut].map(microsecondsPerLine)
  const gain = plainUs / shortcutUs
  const verdict = gain >= wanted ? '' : '  GONE'
  console.log(
    `${shortcut.padEnd(20)} ${shortcutUs.toFixed(2)} us, ${plain} ${plainUs.toFixed(2)} us: ${gain.toFixed(2)} times, wanted ${wanted}${verdict}`,
  )
  return gain >= wanted
}

/** In a process of its own, whose output a pipe takes as a container engine does. */
function microsecondsPerLine(name: keyof typeof LOGS): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const { stderr } = spawnSync(process.execPath, [import.meta.filename, name], { maxBuffer: 1 << 28 })
    return Number(stderr.toString().trim().split('\n').at(-1))
  })
  return median(rounds)
}

function writeLines(name: keyof typeof LOGS): void {
  const log = LOGS[name]()
  const before = process.cpuUsage()
  for (let line = 0; line < LINES; line++) log.info(FIELDS, 'request')
  const { user, system } = process.cpuUsage(before)
  process.stderr.write(`${(user + system) / LINES}\n`)
}
