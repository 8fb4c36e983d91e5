// What getServerSideProps knows of the client and does with headers, through HTTP (X7).

import { expect, test } from 'vitest'
import { testSite } from '../testing/site.ts'
import { rendererForTests } from '../testing/start-renderer.ts'

const under = rendererForTests()

test('X7 G5 getServerSideProps reads the client from req.socket, and appends cookies', async () => {
  testSite.data.client = ({ req, res }) => {
    res.setHeader('Set-Cookie', 'a=1')
    res.appendHeader('Set-Cookie', 'b=2')
    res.end(JSON.stringify([req, res.headersSent]))
    return { props: {} }
  }
  const headers = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https', cookie: 'c=3' }
  const response = await under.renderer.request('/data/client?q=1', { headers })
  const socket = { remoteAddress: '192.0.2.7', encrypted: true }
  const request = { method: 'GET', url: '/data/client?q=1', headers, cookies: { c: '3' }, socket }
  expect(JSON.parse(response.body)).toEqual([
    expect.objectContaining({ ...request, headers: expect.objectContaining(headers) }),
    false,
  ])
  expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2'])
})
