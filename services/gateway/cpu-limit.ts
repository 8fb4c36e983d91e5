// How many processors this process may use: of the machine, of its affinity, and of the limit of its container.

import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'

/** A quota and its period in microseconds: of control groups of version 2, and of version 1. */
const QUOTA_FILES = [
  ['/sys/fs/cgroup/cpu.max'],
  ['/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '/sys/fs/cgroup/cpu/cpu.cfs_period_us'],
]

/** The text of a file; undefined where there is none. */
type ReadText = (path: string) => string | undefined

/**
 * Whole processors, at least 1. `availableParallelism` rounds the limit of a container down, so that one of 1.5 processors
 * would use one of them.
 */
export function readCpuLimit(
  read: ReadText = readText,
  machine = { cores: cpus().length, available: availableParallelism() },
) {
  for (const files of QUOTA_FILES) {
    const [quota = 0, period = 0] = files.flatMap((path) => (read(path) ?? '').trim().split(' ')).map(Number)
    // `max`, and -1 in version 1: no limit.
    if (quota > 0 && period > 0) return Math.max(1, Math.min(Math.ceil(quota / period), machine.cores))
  }
  return Math.max(1, machine.available)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Another system, or a kernel without this version.
    return undefined
  }
}
