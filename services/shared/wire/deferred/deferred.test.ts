// The encoder against the decoder: every JSON value and every promise arrives as it was sent.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { controlFlowOf } from '../errors/control-flow.ts'
import { createDeferredReader } from './decode.ts'
import { encodeDeferred, replacePromises } from './encode.ts'
import { type DeferredLine, formatFailureLine, formatValueLine } from './lines.ts'

const RUNS = 300

/** Sends props with promises as the wire does: the encoded props, then a line for each promise. */
async function send(props: unknown) {
  const numbers = new Map<object, number>()
  const numberOf = (promise: object) => {
    const n = numbers.get(promise) ?? numbers.size
    numbers.set(promise, n)
    return n
  }
  const first = encodeDeferred(props, numberOf) ?? 'null'
  const lines: string[] = []
  // The map grows while values that contain promises are encoded.
  for (const [promise, n] of numbers) {
    const line = Promise.resolve(promise).then(
      (value) => formatValueLine(n, encodeDeferred(value, numberOf)),
      (error: { digest: string }) => formatFailureLine(n, error),
    )
    lines.push(await line)
  }
  return { first, lines }
}

async function receive({ first, lines }: { first: string; lines: string[] }): Promise<unknown> {
  const reader = createDeferredReader()
  const props = reader.read(JSON.parse(first))
  for (const line of lines) reader.settle(JSON.parse(line))
  reader.end()
  return settleAll(props)
}

/** The value with each promise replaced by what it resolves to. */
async function settleAll(value: unknown): Promise<unknown> {
  if (value instanceof Promise) return { resolved: await settleAll(await value) }
  if (Array.isArray(value)) return Promise.all(value.map(settleAll))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(async ([name, member]) => [name, await settleAll(member)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

const NAMES = fc.constantFrom('$deferred', '$$deferred', '$$$deferred', '__proto__', 'then', 'a', '', 'constructor')
const TREES = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.array(fc.tuple(NAMES, tie('tree')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    tie('tree').map((value) => Promise.resolve(value)),
  ),
})).tree

describe('deferred data', () => {
  it('W2 a promise is a placeholder, and a line follows with its value', async () => {
    const props = { name: 'Oak', reviews: Promise.resolve([{ id: 1 }]), more: [Promise.resolve()] }
    expect(await send(props)).toEqual({
      first: '{"name":"Oak","reviews":{"$deferred":0},"more":[{"$deferred":1}]}',
      lines: ['{"n":0,"value":[{"id":1}]}', '{"n":1}'],
    })
  })

  it('W2 author data with the member of placeholders is escaped, and arrives as it was', async () => {
    const props = {
      $deferred: 0,
      inside: [{ $deferred: { $$deferred: 1, $$$deferred: 2 } }],
      late: Promise.resolve({ $deferred: 7 }),
    }
    const { first } = await send(props)
    expect(first).toContain('{"$deferred":[{"$deferred":0,')
    expect(await receive(await send(props))).toEqual({ ...props, late: { resolved: { $deferred: 7 } } })
  })

  it('W2 every value with promises in any place arrives as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(TREES, async (tree) => {
        expect(await receive(await send(tree))).toEqual(normal(await settleAll(tree)))
      }),
      { numRuns: RUNS },
    )
  })

  it('W2 no lines, whatever they are, leave a promise open', async () => {
    const lines = fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record({ n: fc.nat(2), value: TREES }),
        fc.record({ n: fc.nat(2), error: fc.jsonValue() }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(lines, async (received) => {
        const reader = createDeferredReader()
        const promises = reader.read([{ $deferred: 0 }, { $deferred: 1 }, { $deferred: 2 }]) as Promise<unknown>[]
        try {
          for (const line of received) reader.settle(line as DeferredLine)
        } catch {
          // As the callers do: the lines end at a line that cannot be read.
        }
        reader.end()
        await Promise.allSettled(promises)
      }),
      { numRuns: RUNS },
    )
  })

  it('D3 E4 a rejection arrives as control flow or with the digest of its log line', async () => {
    const reader = createDeferredReader()
    const props = reader.read([{ $deferred: 0 }, { $deferred: 1 }, { $deferred: 2 }]) as Promise<unknown>[]
    reader.settle({ n: 0, error: { digest: '0123456789' } })
    reader.settle({ n: 1, error: { kind: 'not-found' } })
    reader.settle({ n: 2, error: { kind: 'redirect', location: '/x', status: 303 } })
    const errors = await Promise.all(props.map((promise) => promise.catch((error: unknown) => error)))
    expect(errors[0]).toMatchObject({ digest: '0123456789' })
    expect(errors.slice(1).map(controlFlowOf)).toMatchObject([
      { kind: 'not-found' },
      { kind: 'redirect', location: '/x' },
    ])
  })

  it('W2 the end of the lines is an error in each promise that is still open', async () => {
    const reader = createDeferredReader()
    const [first, second] = reader.read([{ $deferred: 0 }, { $deferred: 1 }]) as Promise<unknown>[]
    reader.settle({ n: 0, value: 'here' })
    reader.end()
    reader.settle({ n: 1, value: 'too late' })
    expect(await first).toBe('here')
    await expect(second).rejects.toThrow('Deferred data failed')
  })

  it('D7 replaces promises without a change of the author’s objects', () => {
    const shared = Object.freeze({ list: Object.freeze([Promise.resolve(1), { plain: true }]) })
    const day = new Date(0)
    const cyclic: { self?: unknown; late: Promise<number> } = { late: Promise.resolve(1) }
    cyclic.self = cyclic
    const replaced = replacePromises({ shared, again: shared, day }, () => 'late') as Record<
      string,
      { list: unknown[] }
    >
    expect(replaced).toEqual({
      shared: { list: ['late', { plain: true }] },
      again: { list: ['late', { plain: true }] },
      day,
    })
    expect(replaced.again).toBe(replaced.shared)
    expect(replaced.shared!.list[1]).toBe(shared.list[1])
    expect(replacePromises(shared.list[1], () => 'late')).toBe(shared.list[1])
    expect(() => JSON.stringify(replacePromises(cyclic, () => 'late'))).toThrow(/circular/)
    const loop: unknown[] = []
    loop.push(loop)
    expect(replacePromises(loop, () => 'late')).toBe(loop)
    const many = { list: Array.from({ length: 3000 }, () => ({})), late: Promise.resolve() }
    expect(replacePromises(many, () => 'late')).toMatchObject({ late: 'late' })
  })
})

/** As JSON gives it back: without undefined members and without -0. */
function normal(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
