// Modules of the site that cannot be loaded (O4).

import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { errorContentOf } from '../http/error-response.ts'
import { ModuleFault } from '../http/errors.ts'
import { createLog } from '../observe/log.ts'
import { createSiteModules, readinessFaults } from './site-modules.ts'

function observed(limitMs?: number) {
  const lines: Record<string, unknown>[] = []
  const log = createLog('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  })
  return { lines, log, modules: createSiteModules({ log, ...(limitMs !== undefined && { limitMs }) }) }
}

const failed = () => Promise.reject(new Error('no such table'))

describe('modules of the site', () => {
  it('O4 returns what loads, and reports one fault and one line for a file', async () => {
    const { lines, modules } = observed()
    expect(await modules.load('pages/a.tsx', async () => 7)).toBe(7)
    const faults = await Promise.all(
      [1, 2].map(() => modules.load('notes.ts', failed).catch((fault: unknown) => fault)),
    )
    expect(faults[0]).toBeInstanceOf(ModuleFault)
    expect(faults[1]).toBe(faults[0])
    const [fault] = modules.faults()
    expect(lines).toEqual([
      expect.objectContaining({
        event: 'broken-module',
        file: 'notes.ts',
        digest: fault!.digest,
        msg: 'notes.ts cannot be loaded: no such table',
        error: expect.objectContaining({ message: 'no such table', stack: expect.any(String) }),
      }),
    ])
    expect(readinessFaults(modules.faults())).toEqual([
      { file: 'notes.ts', cause: 'no such table', digest: fault!.digest },
    ])
  })

  it('O4 does not wait longer than the limit for a module that never finishes', async () => {
    const { modules } = observed(5)
    await expect(modules.load('notes.ts', () => new Promise(() => {}))).rejects.toThrow(
      'notes.ts cannot be loaded: it did not finish loading within 0.005 s',
    )
  })

  it('O4 loads modules one after the other, and passes one that waits', async () => {
    const { log } = observed()
    const modules = createSiteModules({ log, turnMs: 20 })
    const events: string[] = []
    const load = (file: string, ends: Promise<unknown>) =>
      modules.load(file, async () => {
        events.push(`${file} begins`)
        await ends
        events.push(`${file} ends`)
      })
    const { promise: end, resolve: endLast } = Promise.withResolvers<void>()
    void load('a', setImmediate())
    const last = load('b', end)
    await load('c', setImmediate())
    endLast()
    await last
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'c begins', 'c ends', 'b ends'])
  })

  it('O4 counts the requests for a module in one line a minute, without the stack', () => {
    const { lines, log } = observed()
    const fault = new ModuleFault('notes.ts', new Error('no'), 0)
    const noted = [1, 59_999, 60_000, 60_001, 120_000].map((now) => fault.noteRequest(log, now))
    expect(noted).toEqual([false, false, true, false, true])
    expect(lines.map(({ requests, error }) => [requests, error])).toEqual([
      [3, undefined],
      [2, undefined],
    ])
  })

  it('O4 gives a response the digest of the line and nothing of the cause', () => {
    const { lines, log } = observed()
    const fault = new ModuleFault('notes.ts', new Error('postgres://user:secret@db'))
    // The cast: the request is not read.
    expect(errorContentOf(fault, log, {} as never)).toEqual({ code: 'internal', digest: fault.digest })
    expect(lines).toEqual([])
  })
})
