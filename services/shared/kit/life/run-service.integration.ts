// The main.ts of each service as a process: rejected settings.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { describe, expect, it } from 'vitest'
import { BAD_SETTINGS_CODE } from '../config/config.ts'

async function run(service: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../..', service, 'main.ts')], {
    env: { ...bareEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  const [code] = await once(child, 'close')
  return {
    code,
    errors,
    lines: output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

describe.each(['gateway', 'renderer', 'images', 'actions'])('the %s', (service) => {
  it('W5 exits on a bad LOG_LEVEL as on other rejected settings: one line per fault with name, value and rule', async () => {
    const { code, errors, lines } = await run(service, { LOG_LEVEL: 'loud', PORT: 'eighty' })
    expect([code, errors]).toEqual([BAD_SETTINGS_CODE, ''])
    const fault = (msg: string) => ({ level: 'fatal', time: expect.any(String), service, event: 'bad-setting', msg })
    expect(lines).toEqual([
      fault(expect.stringMatching(/^PORT="eighty": must be /)),
      fault('LOG_LEVEL="loud": must be one of trace, debug, info, warn, error, silent'),
    ])
  })
})
