// The requests of action calls, over a fetch that records them.

import type { ActionResponse } from '@portico/shared/wire/action-wire.ts'
import { describe, expect, test, vi } from 'vitest'
import { formOf, recordActionCalls, type Sent, value } from '../testing/action-calls.ts'
import { submitAction } from './submit-action.ts'

const { sent, done, refused, deps } = recordActionCalls()

describe('request', () => {
  test('W3 plain arguments are sent as JSON to the page that makes the call, even if another page is shown', async () => {
    const call = submitAction('action-1', [1, { a: [null] }], deps)
    expect(sent[0]).toMatchObject({ url: '/shop/places/1?a=1', body: '{"args":[1,{"a":[null]}]}' })
    expect(sent[0]!.headers).toMatchObject({
      'portico-action': 'action-1',
      'portico-build': 'build-1',
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    sent[0]!.respond(value({ n: 3 }))
    expect(await call).toEqual({ n: 3 })
  })

  test('W3 form data is sent as multipart: a marker in the arguments, the fields unchanged, none of React’s', async () => {
    const file = new File(['bytes'], 'a.txt', { type: 'text/plain' })
    const form = formOf([
      ['name', 'first'],
      ['name', 'second'],
      ['picture', file],
      ['$ACTION_ID_x', ''],
      ['$ACTION_KEY', 'k'],
      ['$portico_key', 'k'],
      ['$own', 'kept'],
    ])
    const call = submitAction('action-1', ['bound', { before: true }, form], deps)
    const body = sent[0]!.body as FormData
    expect(body.get('$args')).toBe('["bound",{"before":true},{"$portico":"form"}]')
    expect([...body.keys()]).toEqual(['$args', 'name', 'name', 'picture', '$own'])
    expect(body.getAll('name')).toEqual(['first', 'second'])
    expect(await (body.get('picture') as File).text()).toBe('bytes')
    // The browser writes the boundary.
    expect(sent[0]!.headers['content-type']).toBeUndefined()
    sent[0]!.respond(value(null))
    await call
  })

  test('A5 a double click is one submission', async () => {
    const calls = [1, 2].map(() => submitAction('action-1', [formOf([['name', 'x']])], deps))
    expect(sent).toHaveLength(1)
    sent[0]!.respond(value('done'))
    expect(await Promise.all(calls)).toEqual(['done', 'done'])
    const later = submitAction('action-1', [formOf([['name', 'x']])], deps)
    expect(sent).toHaveLength(2)
    expect(sent[1]!.headers['idempotency-key']).not.toBe(sent[0]!.headers['idempotency-key'])
    sent[1]!.respond(value('again'))
    expect(await later).toBe('again')
  })

  test('A5 a double click is one submission if no file was chosen', async () => {
    const empty = (lastModified: number) => formOf([['picture', new File([], '', { lastModified })]])
    const first = submitAction('action-1', [empty(1)], deps)
    const second = submitAction('action-1', [empty(2)], deps)
    expect(sent).toHaveLength(1)
    sent[0]!.respond(value(1))
    expect([await first, await second]).toEqual([1, 1])
  })

  test('A5 other fields, another action, another file and other bound arguments are other submissions', async () => {
    const fileOf = (name: string) => new File(['x'], name, { lastModified: 1 })
    const calls = [
      submitAction('action-1', [formOf([['name', 'x']])], deps),
      submitAction('action-1', [formOf([['name', 'y']])], deps),
      submitAction('action-2', [formOf([['name', 'x']])], deps),
      submitAction('action-1', [formOf([['name', fileOf('a')]])], deps),
      submitAction('action-1', [formOf([['name', fileOf('b')]])], deps),
      submitAction('remove', [1, formOf([])], deps),
      submitAction('remove', [2, formOf([])], deps),
    ]
    expect(sent).toHaveLength(7)
    for (const { respond } of sent) respond(value(null))
    await Promise.all(calls)
  })

  test('A5 two calls without a form are two submissions', async () => {
    const calls = [1, 2].map(() => submitAction('action-1', [1], deps))
    expect(sent).toHaveLength(2)
    for (const { respond } of sent) respond(value(null))
    await Promise.all(calls)
  })

  test('A5 a broken connection is tried again with the same key, four times in all', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const call = submitAction('action-1', [1], deps).catch((error: Error) => error)
    for (const [index, pause] of [250, 500, 1000].entries()) {
      sent[index]!.fail()
      await vi.advanceTimersByTimeAsync(pause - 1)
      expect(sent).toHaveLength(index + 1)
      await vi.advanceTimersByTimeAsync(1)
      expect(sent).toHaveLength(index + 2)
    }
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    sent[3]!.fail()
    expect(await call).toBeInstanceOf(TypeError)
  })

  test('A5 a form without a response keeps its fields, and is the same submission when it is sent again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    vi.stubGlobal('navigator', { onLine: false })
    const submit = (text: string) => submitAction('action-1', [formOf([['text', text]])], deps)
    const call = submit('typed')
    for (let attempt = 0; attempt < 4; attempt++) {
      sent[attempt]!.fail()
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(await call).toMatchObject({ issues: [{ path: '' }], fields: { text: 'typed' } })
    expect(refused).toEqual([expect.stringContaining('offline')])
    const [again, other] = [submit('typed'), submit('edited')]
    const keys = sent.map(({ headers }) => headers['idempotency-key'])
    expect(keys[4]).toBe(keys[0])
    expect(keys[5]).not.toBe(keys[0])
    sent[4]!.respond({ error: { status: 502, title: 'Bad Gateway' } }, 502)
    expect(await again).toMatchObject({ fields: { text: 'typed' } })
    const third = submit('typed')
    expect(sent[6]!.headers['idempotency-key']).toBe(keys[0])
    for (const at of [6, 5]) sent[at]!.respond(value('done'))
    expect([await third, await other]).toEqual(['done', 'done'])
    // After the response the same contents are another submission.
    const fresh = submit('typed')
    expect(sent[7]!.headers['idempotency-key']).not.toBe(keys[0])
    sent[7]!.respond(value('done'))
    await fresh
  })

  test('A5 a form whose state is a missing response is the same submission when it is sent again', async () => {
    const submit = (state: unknown) =>
      submitAction('action-1', ['bound', state, formOf([['text', 'of a state']])], deps)
    const call = submit(undefined)
    sent[0]!.respond('<p>no JSON</p>', 502)
    const again = submit(await call)
    sent[1]!.respond(value('done'))
    expect(await again).toBe('done')
    expect(sent[1]!.headers['idempotency-key']).toBe(sent[0]!.headers['idempotency-key'])
    const argsOf = ({ body }: Sent) => (body as FormData).get('$args')
    expect(argsOf(sent[1]!)).toBe(argsOf(sent[0]!))
  })

  test.each([
    ['a login page of the network', '<h1>Sign in to the network</h1>', 200],
    ['a truncated body', '{"kind":"value","val', 200],
    ['the page of a proxy', '<h1>Blocked</h1>', 403],
    ['a body that the service never sends', 'null', 500],
  ])('A5 %s is not a response of the service: the form keeps its fields and its key', async (_what, text, status) => {
    const form = formOf([['text', `typed ${text}`]])
    const call = submitAction('action-1', [form], deps)
    sent[0]!.respond(text, status)
    expect(await call).toMatchObject({ issues: [{ path: '' }], fields: { text: `typed ${text}` } })
    expect(refused).toEqual([expect.stringContaining('still here')])
    const again = submitAction('action-1', [form], deps)
    sent[1]!.respond(value(1))
    expect(await again).toBe(1)
    expect(sent[1]!.headers['idempotency-key']).toBe(sent[0]!.headers['idempotency-key'])
  })

  test('A5 a form above the rate limit shows the reason, keeps its fields, and is the same submission later', async () => {
    const form = formOf([['text', 'typed too often']])
    const call = submitAction('action-1', [form], deps)
    sent[0]!.fail()
    await expect.poll(() => sent.length).toBe(2)
    const message = 'Too many requests; try again later.'
    sent[1]!.respond({ error: { status: 429, title: 'x', code: 'too-many-requests', message } }, 429)
    expect(await call).toMatchObject({ fields: { text: 'typed too often' } })
    expect(refused).toEqual([message])
    const again = submitAction('action-1', [form], deps)
    sent[2]!.respond(value(1))
    expect(await again).toBe(1)
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test('A5 no response causes another request, whatever its status', async () => {
    const call = submitAction('action-1', [1], deps)
    sent[0]!.respond({ error: { status: 503, title: 'x' } }, 503)
    await expect(call).rejects.toThrow('503')
    expect(sent).toHaveLength(1)
  })
})

describe('response', () => {
  async function resultOf(result: ActionResponse, args: unknown[] = [formOf([['text', 'typed']])]): Promise<unknown> {
    const call = submitAction('action-1', args, deps)
    sent[0]!.respond(result)
    return call
  }

  test('W4 A6 new page data is shown before the call resolves', async () => {
    const page = { kind: 'page', route: '/', params: {}, props: {} } as const
    expect(await resultOf({ kind: 'value', value: 7, page, revalidated: true })).toBe(7)
    expect(done).toEqual(['responded', 'data page'])
  })

  test('W4 a redirect is followed, and the state does not change', async () => {
    const state = { before: true }
    const result = { kind: 'redirect', location: '/shop/there', status: 303 } as const
    const call = submitAction('action-1', ['bound', state, formOf([])], deps)
    sent[0]!.respond(result)
    expect(await call).toBe(state)
    expect(done).toEqual(['responded', 'follow /shop/there'])
  })

  test.each([
    [{ kind: 'done', status: 303, location: '/shop/there' }, 'follow /shop/there'],
    [{ kind: 'done', status: 200 }, 'refresh'],
  ] as const)('W4 a repeat that is done (%j) shows the outcome, and the form is not refused', async (result, shown) => {
    const state = { before: true }
    const call = submitAction('action-1', [state, formOf([['text', 'typed']])], deps)
    sent[0]!.respond(result)
    expect(await call).toBe(state)
    expect([done, refused]).toEqual([['responded', shown], []])
  })

  test('W4 a repeat of a failed submission fails like the first', async () => {
    await expect(resultOf({ kind: 'done', status: 500 })).rejects.toThrow('500')
  })

  test('W4 not found shows the screen', async () => {
    await resultOf({ kind: 'not-found' })
    expect(done).toEqual(['responded', 'data not-found'])
  })

  test.each([401, 403] as const)('W4 a refusal with %i shows the error screen and keeps the state', async (status) => {
    const state = { before: true }
    const call = submitAction('action-1', [state, formOf([['text', 'typed']])], deps)
    sent[0]!.respond({ kind: 'refused' }, status)
    expect(await call).toBe(state)
    expect([done, refused]).toEqual([['responded', `refused ${status}`], []])
  })

  test('A3 issues are returned with the fields, without files, passwords and the framework’s fields', async () => {
    const issues = [{ path: 'text', message: 'Too long.' }]
    const form = formOf([
      ['text', 'typed'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['picture', new File(['x'], 'x')],
      ['password', 'secret'],
      ['$portico_key', 'k'],
    ])
    expect(await resultOf({ kind: 'invalid', issues }, [undefined, form])).toEqual({
      issues,
      fields: { text: 'typed', tags: ['a', 'b'] },
    })
  })

  test('A7 the message of a body above the limit is an issue of the whole form, which keeps its fields', async () => {
    const message = 'The content is too large: 2 MB. The limit is 1 MB.'
    const call = submitAction('action-1', [undefined, formOf([['text', 'typed']])], deps)
    const error = { status: 413, title: 'x', message, limit: 1_048_576, received: 2_097_152 }
    sent[0]!.respond({ error }, 413)
    expect(await call).toEqual({ issues: [{ path: '', message }], fields: { text: 'typed' } })
    expect(refused).toEqual([message])
  })

  test('A2 A9 an unknown action and an unknown result keep the fields', async () => {
    for (const kind of ['unknown-action', 'unknown'] as const) {
      sent.length = 0
      expect(await resultOf({ kind })).toMatchObject({ issues: [{ path: '' }], fields: { text: 'typed' } })
      expect(refused).toHaveLength(1)
      refused.length = 0
    }
  })

  test('P4 every response drops prefetched data, failures too', async () => {
    const call = submitAction('action-1', [1], deps)
    sent[0]!.respond('<p>no JSON</p>', 500)
    await expect(call).rejects.toThrow('500')
    expect(done).toEqual(['responded'])
  })
})
