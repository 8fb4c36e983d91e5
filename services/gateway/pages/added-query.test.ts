// The query that a rewrite has added to a page which is rendered once for all clients (X5).

import { DRAFT_COOKIE } from '@portico/shared/wire/cookies/draft-mode.ts'
import { parseAddedQuery } from '@portico/shared/wire/routing/added-query.ts'
import { expect, it } from 'vitest'
import { send } from '../testing/gateway-fixture.ts'
import { cachedGateway, MANIFEST, rendererOf } from './testing/cached-gateway.ts'

const manifest = {
  ...MANIFEST,
  semantics: { addedQuery: true },
  rewrites: [
    { source: '/shown/:id', destination: '/posts/:id?from=rewrite' },
    { source: '/mine', destination: '/me?from=rewrite' },
  ],
}
const ADDED = { from: 'rewrite' }
const DATA = '/_portico/data/build1'

/** The verdict of the cache, and the added query as a document and as page data have it. */
async function sent(port: number, path: string, headers = {}) {
  const response = await send(port, path, { headers })
  const [, ofDocument] = /, portico-query;desc="([^"]*)"$/.exec(String(response.headers['server-timing'])) ?? []
  const ofData = response.headers['portico-query']?.toString()
  const read = (text: string | undefined) => text && parseAddedQuery(text)
  return [response.headers['x-portico-cache'], read(ofDocument), read(ofData)]
}

it('X5 is in Server-Timing of a document and in a header of page data, whoever responds', async () => {
  const { port } = await cachedGateway(await rendererOf(), { manifest })
  expect(await sent(port, '/shown/a?own=1')).toEqual(['MISS', ADDED, undefined])
  expect(await sent(port, '/shown/a')).toEqual(['HIT', ADDED, undefined])
  expect(await sent(port, `${DATA}/shown/a.json`)).toEqual(['HIT', undefined, ADDED])
  // A draft passes through the proxy.
  const draft = { cookie: `${DRAFT_COOKIE}=1` }
  expect(await sent(port, '/shown/a', draft)).toEqual([undefined, ADDED, undefined])
  expect(await sent(port, `${DATA}/shown/a.json`, draft)).toEqual([undefined, undefined, ADDED])
})

it('X5 is in no response at the address of the page itself, and of no page that is rendered for each request', async () => {
  const { port } = await cachedGateway(await rendererOf(), { manifest })
  expect(await sent(port, '/shown/a')).toEqual(['MISS', ADDED, undefined])
  for (const path of ['/posts/a', `${DATA}/posts/a.json`])
    expect(await sent(port, path)).toEqual(['HIT', undefined, undefined])
  for (const path of ['/mine', `${DATA}/mine.json`])
    expect(await sent(port, path)).toEqual([undefined, undefined, undefined])
})
