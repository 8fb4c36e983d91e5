// The commands of WebDriver (https://www.w3.org/TR/webdriver2/) that a page of the journey needs.

import { setTimeout as sleep } from 'node:timers/promises'

export interface WebDriver {
  navigate(url: string): Promise<void>
  movePointer(selector: string): Promise<void>
  click(selector: string): Promise<void>
  sendKeys(selector: string, text: string): Promise<void>
  /** Runs the body of a function. */
  execute(script: string): Promise<unknown>
  /** Ends the session and its browser. */
  end(): Promise<void>
}

/** The name under which a response holds the id of an element (section 12). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
const START_MS = 20_000
const COMMAND_MS = 30_000

/** Creates a session, as soon as the driver accepts connections. */
export async function connectWebDriver(driverUrl: string, capabilities: object): Promise<WebDriver> {
  await ready(driverUrl)
  const created = await command(driverUrl, 'POST', '/session', { capabilities: { alwaysMatch: capabilities } })
  const session = `${driverUrl}/session/${memberOf(created, 'sessionId')}`
  const post = (path: string, body: object = {}) => command(session, 'POST', path, body)
  const find = async (selector: string) =>
    memberOf(await post('/element', { using: 'css selector', value: selector }), ELEMENT)
  return {
    async navigate(url) {
      await post('/url', { url })
    },
    async movePointer(selector) {
      const move = { type: 'pointerMove', duration: 0, x: 0, y: 0, origin: { [ELEMENT]: await find(selector) } }
      await post('/actions', {
        actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [move] }],
      })
    },
    async click(selector) {
      await post(`/element/${await find(selector)}/click`)
    },
    async sendKeys(selector, text) {
      await post(`/element/${await find(selector)}/value`, { text })
    },
    execute: (script) => post('/execute/sync', { script, args: [] }),
    async end() {
      await command(session, 'DELETE', '')
    },
  }
}

async function ready(driverUrl: string): Promise<void> {
  const deadline = performance.now() + START_MS
  for (;;) {
    try {
      await command(driverUrl, 'GET', '/status')
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(20)
    }
  }
}

async function command(url: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    signal: AbortSignal.timeout(COMMAND_MS),
  })
  const { value } = (await response.json()) as { value: unknown }
  if (response.ok) return value
  throw new Error(`${method} ${path}: ${memberOf(value, 'error')}: ${memberOf(value, 'message')}`)
}

function memberOf(value: unknown, name: string): string {
  return String((Object(value) as Record<string, unknown>)[name])
}
