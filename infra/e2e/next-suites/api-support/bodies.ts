// The body of a request, as a handler receives it.

import { expect } from 'vitest'
import type { Behaviour } from '../harness/behaviour.ts'

const AT = '/api/api-support'
const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends a body to a handler that responds with JSON. */
function receives(number: number, does: string, sent: Sent, expected: unknown): Behaviour {
  return {
    id: `api-support-${number}`,
    does,
    via: 'http',
    async run(site) {
      const { handler = 'echo', type = JSON_TYPE, body = null } = sent
      const response = await site.fetch(`${AT}/${handler}`, { method: 'POST', headers: { 'content-type': type }, body })
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual(expected)
    },
  }
}

interface Sent {
  handler?: string
  type?: string
  body?: string | null
}

/** As JSON longer than 1 MB, the usual limit. */
const LONG = 'l'.repeat(1_200_000)

export const bodies: readonly Behaviour[] = [
  receives(12, 'parses JSON', { body: '[{"to":"Ines"}]' }, [{ to: 'Ines' }]),
  receives(13, 'makes an object of JSON without content', {}, {}),
  {
    id: 'api-support-18',
    does: 'refuses JSON with a syntax error',
    via: 'http',
    async run(site) {
      const init = { method: 'POST', headers: { 'content-type': JSON_TYPE }, body: '{"to":Ines"}' }
      expect((await site.fetch(`${AT}/echo`, init)).status).toBe(400)
    },
  },
  {
    id: 'api-support-19',
    does: 'refuses a body longer than 1 MB',
    via: 'http',
    async run(site) {
      const init = { method: 'POST', headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(LONG) }
      expect((await site.fetch(`${AT}/echo`, init)).status).toBe(413)
    },
  },
  receives(
    20,
    'accepts a longer body where the handler sets a larger limit',
    { handler: 'echo-large', body: JSON.stringify(LONG) },
    { letters: LONG.length },
  ),
  receives(
    22,
    'parses the fields of a form, whatever the case of its type',
    { type: 'application/x-www-Form-urlencoded', body: 'to=Ines&by=air%20mail' },
    { to: 'Ines', by: 'air mail' },
  ),
  receives(
    23,
    'leaves the body to a handler that turns the parser off',
    { handler: 'echo-raw', body: '[{"to":"Ines"}]' },
    { isParsed: false, text: '[{"to":"Ines"}]' },
  ),
  receives(
    24,
    'parses the body for a handler that turns the parser on',
    { handler: 'echo-parsed', body: '["Ines"]' },
    { first: 'Ines' },
  ),
]
