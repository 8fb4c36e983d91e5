// after() of portico/server in data functions: when it runs, with which context, and what stops it.

import { expect, test, vi } from 'vitest'
import { testSite } from '../testing/site.ts'
import { rendererForTests, startRenderer } from '../testing/start-renderer.ts'

const under = rendererForTests()
const { data, shared } = testSite

test('F1 after() of getServerSideProps runs when the response is sent, with the request of its client', async () => {
  const order: string[] = []
  data.counted = (_context, { after, cookies }) => {
    after(() => void order.push(`after for ${cookies().get('name')}`))
    order.push('data')
    return { props: {} }
  }
  const { status } = await under.renderer.request('/data/counted', { headers: { cookie: 'name=ada' } })
  expect(status).toBe(200)
  await expect.poll(() => order).toEqual(['data', 'after for ada'])
})

test('F1 after() runs when the page redirects, is not found, refuses or throws', async () => {
  let runs = 0
  for (const end of ['redirect', 'notFound', 'unauthorized', 'throw'] as const)
    data[end] = (_context, { after, ...imports }) => {
      after(() => void runs++)
      if (end === 'throw') throw new Error('secret')
      return end === 'redirect' ? imports.redirect('/about') : imports[end]()
    }
  for (const name of ['redirect', 'notFound', 'unauthorized', 'throw']) await under.renderer.request(`/data/${name}`)
  await expect.poll(() => runs).toBe(4)
})

test('F1 after() of getStaticProps runs once, when the entry is stored', async () => {
  const verdicts: unknown[] = []
  const entryOf = () => under.renderer.requestEntry('/shared/[name]', { params: { name: 'noted' } })
  let isStored: Promise<unknown> | undefined
  shared.noted = (_context, { after }) => {
    after(() => {
      isStored = entryOf().then(({ head }) => verdicts.push(head.verdict))
    })
    return { props: {} }
  }
  expect((await entryOf()).head.verdict).toBe('MISS')
  await entryOf()
  await expect.poll(() => isStored).toBeDefined()
  await isStored
  expect(verdicts).toEqual(['HIT'])
})

test('E4 an error of after() gives one log line with the digest and the page, and no other response', async () => {
  data.failing = (_context, { after }) => {
    after(async () => {
      throw new Error('the mail was not sent')
    })
    return { props: {} }
  }
  expect((await under.renderer.request('/data/failing')).status).toBe(200)
  const lines = () => under.renderer.errors.filter(({ name }) => name === '/data/[name]')
  await expect.poll(lines).toHaveLength(1)
  expect(lines()[0]).toMatchObject({
    error: { message: 'the mail was not sent' },
    digest: expect.stringMatching(/^[0-9a-f]{10}$/),
    msg: 'work behind a response failed',
  })
})

test('F1 cookies cannot be set in after()', async () => {
  let error: unknown
  data.late = (_context, { after, cookies }) => {
    after(() => {
      try {
        cookies().set('late', '1')
      } catch (thrown) {
        error = thrown
      }
    })
    return { props: {} }
  }
  expect((await under.renderer.request('/data/late')).headers['set-cookie']).toBeUndefined()
  await expect.poll(() => error).toBeDefined()
  expect(String(error)).toContain('cookie "late": the head of the response has been sent')
})

test('O5 a stop waits for work behind responses', async () => {
  const renderer = await startRenderer(under.site)
  const begun = vi.fn()
  const work = Promise.withResolvers<void>()
  data.slow = (_context, { after }) => {
    after(() => {
      begun()
      return work.promise
    })
    return { props: {} }
  }
  await renderer.request('/data/slow')
  await expect.poll(() => begun.mock.calls.length).toBe(1)
  let isStopped = false
  const stopped = renderer.stop().then(() => {
    isStopped = true
  })
  await new Promise((done) => setTimeout(done, 200))
  expect(isStopped).toBe(false)
  work.resolve()
  await stopped
  expect(renderer.lines.filter(({ event }) => event === 'after-cut')).toEqual([])
})
