import { expect, it } from 'vitest'
import { readCpuLimit } from './cpu-limit.ts'

const MACHINE = { cores: 8, available: 6 }

it.each([
  ['no control groups', {}, 6],
  ['no limit', { '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, 6],
  ['one processor', { '/sys/fs/cgroup/cpu.max': '100000 100000\n' }, 1],
  ['one and a half', { '/sys/fs/cgroup/cpu.max': '150000 100000\n' }, 2],
  ['a tenth', { '/sys/fs/cgroup/cpu.max': '10000 100000\n' }, 1],
  ['more than the machine has', { '/sys/fs/cgroup/cpu.max': '1600000 100000\n' }, 8],
  [
    'two of version 1',
    { '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '200000\n', '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n' },
    2,
  ],
  [
    'no limit of version 1',
    { '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n', '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n' },
    6,
  ],
  ['a file of another form', { '/sys/fs/cgroup/cpu.max': '' }, 6],
])('O3 reads the limit of the container, rounded up: %s', (_name, files: Record<string, string>, expected) => {
  expect(readCpuLimit((path) => files[path], MACHINE)).toBe(expected)
})
