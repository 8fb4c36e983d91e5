// A submission runs once, through the service's port (A5): double clicks, resends, other clients.
// Forms without a key are in submissions-keyless.test.ts.

import { describe, expect, it } from 'vitest'
import { callAction, createKey, postForm } from '../testing/requests.ts'
import { currentContext, defined, useActions } from '../testing/start-actions.ts'

const start = useActions()

/** An action that takes a moment and counts its runs. */
function slowCounter() {
  const counter = { runs: 0 }
  const action = async () => {
    const n = ++counter.runs
    currentContext().setCookies.push(`run=${n}`)
    await new Promise((done) => setTimeout(done, 60))
    return n
  }
  return { counter, action }
}

function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
}

const FIELDS: [string, string][] = [
  ['$ACTION_ID_add', ''],
  ['name', 'x'],
]

describe('a double submission', () => {
  it('A5 runs once with JavaScript, also for a client without any cookie', async () => {
    const { counter, action } = slowCounter()
    const { url } = await start({ actions: { add: action } })
    const key = createKey()
    const responses = await Promise.all(Array.from({ length: 8 }, () => callAction(url, 'add', [1], { key })))
    for (const response of responses) {
      expect(await response.json()).toMatchObject({ kind: 'value', value: 1 })
      expect(response.headers.getSetCookie()).toContain('run=1')
    }
    expect(counter.runs).toBe(1)
  })

  it('A5 with the cookie of the first response belongs to the same client', async () => {
    const { counter, action } = slowCounter()
    const { url } = await start({ actions: { add: action } })
    const key = createKey()
    const first = await callAction(url, 'add', [1], { key })
    const clientCookie = first.headers.getSetCookie().find((text) => text.startsWith('portico-visitor='))
    expect(clientCookie).toMatch(/^portico-visitor=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
    const again = await callAction(url, 'add', [1], { key, headers: { cookie: cookieOf(first) } })
    expect(await again.json()).toMatchObject({ value: 1 })
    expect(again.headers.getSetCookie().join()).not.toContain('portico-visitor')
    expect(counter.runs).toBe(1)
  })

  it('A5 does not give the response to another client that knows the key', async () => {
    const { counter, action } = slowCounter()
    const { url } = await start({ actions: { add: action } })
    const key = createKey()
    const sessions = ['session=a', 'session=b', 'portico-visitor=cccccccccccccccccccccc', undefined]
    const values = []
    for (const cookie of sessions) {
      const response = await callAction(url, 'add', [1], { key, headers: cookie === undefined ? {} : { cookie } })
      values.push(((await response.json()) as { value: unknown }).value)
    }
    expect([values, counter.runs]).toEqual([[1, 2, 3, 4], 4])
  })

  it('A5 responds 422 to the same key with another body', async () => {
    const { counter, action } = slowCounter()
    const { url } = await start({ actions: { add: action } })
    const key = createKey()
    await callAction(url, 'add', [1], { key })
    const other = await callAction(url, 'add', [2], { key })
    expect([other.status, await other.json()]).toMatchObject([422, { kind: 'invalid', issues: [{ path: '' }] }])
    expect(counter.runs).toBe(1)
  })

  it('A5 runs once without JavaScript by the rendered key, and again when a field was changed', async () => {
    const { counter, action } = slowCounter()
    const { url } = await start({ actions: { add: action } })
    const fields: [string, string][] = [...FIELDS, ['$portico_key', createKey()]]
    const twice = await Promise.all([postForm(url, fields), postForm(url, fields)])
    expect(twice.map(({ status }) => status)).toEqual([303, 303])
    expect(counter.runs).toBe(1)
    const headers = { cookie: cookieOf(twice[0]) }
    await postForm(url, fields, { headers })
    expect(counter.runs).toBe(1)
    await postForm(url, [...fields, ['more', '1']], { headers })
    expect(counter.runs).toBe(2)
  })

  it('A5 treats equal multipart forms with different boundaries as one submission', async () => {
    let runs = 0
    const { url } = await start({ actions: { add: () => ++runs } })
    const key = createKey()
    const send = (content: string) => {
      const body = new FormData()
      body.append('$args', '[{"$portico":"form"}]')
      body.append('file', new File([content], 'a.txt'))
      const headers = { 'sec-fetch-site': 'same-origin', 'portico-action': 'add', 'idempotency-key': key }
      return fetch(url, { method: 'POST', headers, body })
    }
    expect([(await send('a')).status, (await send('a')).status, runs]).toEqual([200, 200, 1])
    expect([(await send('b')).status, runs]).toEqual([422, 1])
  })

  it('A5 allows refused input to be sent again with the same key', async () => {
    let isAccepted = false
    const validate = (value: unknown) => (isAccepted ? { value } : { issues: [{ message: 'no' }] })
    const input = { '~standard': { version: 1 as const, vendor: 'test', validate } }
    const { url } = await start({ actions: { add: defined({ input }, () => 'done') } })
    const key = createKey()
    expect((await callAction(url, 'add', [{}], { key })).status).toBe(422)
    isAccepted = true
    expect((await callAction(url, 'add', [{}], { key })).status).toBe(200)
  })

  it('A5 repeats an exception with its digest and does not run again', async () => {
    let runs = 0
    const { url } = await start({
      actions: {
        fail: () => {
          runs++
          throw new Error('no')
        },
      },
    })
    const key = createKey()
    const [first, second] = [await callAction(url, 'fail', [], { key }), await callAction(url, 'fail', [], { key })]
    expect([first.status, second.status, runs]).toEqual([500, 500, 1])
    expect(await second.json()).toEqual(await first.json())
  })

  it.each([
    [64 * 1024 - 300, false],
    [64 * 1024, true],
  ])('A5 keeps a response of %i bytes for repeats, larger ones by their status', async (size, isOmitted) => {
    const { url } = await start({ actions: { big: () => 'x'.repeat(size) } })
    const key = createKey()
    const headers = { 'portico-fresh': 'none' }
    const first = (await (await callAction(url, 'big', [], { key, headers })).json()) as { value: string }
    expect(first.value).toHaveLength(size)
    const repeated = await callAction(url, 'big', [], { key, headers })
    const expected = isOmitted ? { omitted: true } : { value: 'x'.repeat(size) }
    expect([repeated.status, await repeated.json()]).toEqual([200, { kind: 'value', revalidated: false, ...expected }])
  })

  it('A5 publishes the invalidations of a submission once', async () => {
    const { url, renderer } = await start({
      actions: { save: () => void currentContext().revalidations?.tags.add('t') },
    })
    const key = createKey()
    await callAction(url, 'save', [], { key })
    const again = await callAction(url, 'save', [], { key })
    expect(await again.json()).toMatchObject({ revalidated: true })
    expect(renderer.invalidations).toHaveLength(1)
    const { epoch, generation } = renderer.invalidations[0] ?? {}
    expect(renderer.renders.map(({ body }) => body)).toMatchObject([
      { epoch, generation },
      { epoch, generation },
    ])
  })
})
