// Members of the second site, written by the program in the documentation.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { FIXTURE } from './sites.ts'

export const PASSWORD = 'correct horse battery staple'

/** The value of MEMBERS: all have the same password. */
export function createMembers(...names: string[]): string {
  const program = join(FIXTURE.appDir, 'make-member.ts')
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, 'any', PASSWORD], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with code ${status}\n${stderr}`)
  const [, entry = ''] = stdout.trim().split(':')
  return names.map((name) => `${name}:${entry}`).join(',')
}
