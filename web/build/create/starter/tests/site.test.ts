// The built site as a browser without JavaScript gets it: `portico start` on a free port.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** The first start builds the site. */
const START_TIMEOUT_MS = 180_000

let stack: ChildProcess
let address: string

beforeAll(async () => {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '0' }
  stack = spawn('node_modules/.bin/portico', ['start', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  address = await addressOf(stack)
}, START_TIMEOUT_MS)

afterAll(async () => {
  if (stack.kill()) await once(stack, 'exit')
}, START_TIMEOUT_MS)

/** The address in the log of the stack, when the site is ready. */
function addressOf({ stdout }: ChildProcess): Promise<string> {
  const lines = createInterface({ input: stdout! })
  const log: string[] = []
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line)
      const { service, event, address } = line.startsWith('{') ? JSON.parse(line) : {}
      if (service === 'stack' && event === 'ready') resolve(address)
    })
    lines.on('close', () => reject(new Error(`portico start ended:\n${log.join('\n')}`)))
  })
}

async function htmlOf(path: string): Promise<string> {
  const response = await fetch(address + path)
  expect(response.status).toBe(200)
  return response.text()
}

function textOf(attribute = ''): string {
  return attribute.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

test('the first page has its image', async () => {
  const [, source] = /<img [^>]*src="([^"]*)"/.exec(await htmlOf('/')) ?? []
  const { status, headers } = await fetch(new URL(textOf(source), address))
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image\//)])
})

test('the guestbook can be signed', async () => {
  const form = new FormData()
  const hidden = /<input type="hidden" name="([^"]*)"(?: value="([^"]*)")?/g
  for (const [, name, value] of (await htmlOf('/guestbook')).matchAll(hidden)) form.set(textOf(name), textOf(value))
  form.set('name', 'Ida')
  form.set('message', 'Written by a test')
  const headers = { origin: address }
  const response = await fetch(`${address}/guestbook`, { method: 'POST', body: form, headers })
  expect(await response.text()).toContain('Thank you, Ida.')
  expect(await htmlOf('/guestbook')).toContain('Written by a test')
})
