// after() of portico/server in actions and API handlers: when it runs, and what it may change.

import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { redirect } from '@portico/shared/wire/errors/control-flow.ts'
import { expect, it } from 'vitest'
import { callAction, createKey } from './testing/requests.ts'
import { currentContext, useActions } from './testing/start-actions.ts'
import { apiModule } from './testing/start-api.ts'

const start = useActions()
type Own = Pick<RequestContext, 'signal' | 'revalidations'>

/** As after() of the runtime. */
function after(work: (own: Own) => unknown): void {
  const context = currentContext()
  context.after!(context.name, work)
}

it('F1 runs once when the response of an action is sent, whatever the outcome is', async () => {
  const runs: string[] = []
  const { url } = await start({
    actions: {
      save: () => {
        after(() => void runs.push('save'))
        return 1
      },
      move: () => {
        after(() => void runs.push('move'))
        return redirect('/there')
      },
    },
  })
  const key = createKey()
  for (let n = 0; n < 2; n++) await callAction(url, 'save', ['x'], { key })
  await callAction(url, 'move', [])
  await expect.poll(() => runs).toEqual(['save', 'move'])
})

it('F1 waits for the end of an action whose client has left', async () => {
  const order: string[] = []
  const begun = Promise.withResolvers<void>()
  const work = Promise.withResolvers<void>()
  const { url } = await start({
    actions: {
      slow: async () => {
        after(() => void order.push('after'))
        begun.resolve()
        await work.promise
        order.push('action')
      },
    },
  })
  const leaving = new AbortController()
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'portico-action': 'slow' }
  const call = fetch(url, { method: 'POST', headers, body: '{"args":[]}', signal: leaving.signal })
  await begun.promise
  leaving.abort()
  await expect(call).rejects.toThrow()
  work.resolve()
  await expect.poll(() => order).toEqual(['action', 'after'])
})

it('D6 publishes what it revalidates, without a request that ends with the response', async () => {
  const seen: Own[] = []
  const { url, renderer } = await start({
    api: {
      '/api/x': apiModule((_request, response) => {
        after((own) => {
          seen.push(own)
          own.revalidations?.paths.add('/about')
        })
        response.status(200).json({})
      }),
    },
  })
  await fetch(`${url}/api/x`)
  await expect.poll(() => renderer.invalidations).toMatchObject([{ paths: ['/about'] }])
  expect(seen[0]?.signal.aborted).toBe(false)
})

it('E4 logs an error with a digest and the name of the handler', async () => {
  const { url, lines } = await start({
    api: {
      '/api/x': apiModule((_request, response) => {
        after(() => Promise.reject(new Error('no mail')))
        response.status(204).end()
      }),
    },
  })
  await fetch(`${url}/api/x`)
  const errors = () => lines.filter(({ level }) => level === 'error')
  await expect
    .poll(errors)
    .toMatchObject([{ name: '/api/x', error: { message: 'no mail' }, digest: expect.any(String) }])
})
