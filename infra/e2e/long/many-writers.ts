// Clients that send postcards of the sample site, steadily, while something is killed; and what is kept in the end.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../checks/sources.ts'
import { cookiesOf, type RawResponse, readForm, send } from '../harness/http.ts'

const PLACES = ['ostrel', 'asurai', 'moyun', 'skarnvik', 'hallow-ness', 'revonmaa']
/** Less than a place keeps in half a minute. */
const LANES = 6
const PAUSE_MS = 40
/** One of so many cards has an image. */
const IMAGE_EVERY = 10
const sample = () => readFileSync(join(root, 'infra/e2e/sites/fixture/public/pictures/sample.jpg'))

interface Sent {
  message: string
  /** 0 without a response. */
  status: number
  /** Since the writers started. */
  endedMs: number
}

interface Writers {
  sent: readonly Sent[]
  stop(): Promise<void>
}

/** Starts clients, each of which sends one card after the other. */
export async function startWriters(baseUrl: string): Promise<Writers> {
  const sent: Sent[] = []
  const started = performance.now()
  let isOver = false
  const lanes = await Promise.all(Array.from({ length: LANES }, (_, n) => createWriter(baseUrl, PLACES[n] ?? '')))
  const run = async (write: (message: string, image?: Buffer) => Promise<RawResponse>) => {
    for (let n = 0; !isOver; n++) {
      const message = `card ${randomBytes(6).toString('hex')}`
      const image = n % IMAGE_EVERY === 0 ? sample() : undefined
      const status = await write(message, image).then(
        (response) => response.status,
        () => 0,
      )
      sent.push({ message, status, endedMs: performance.now() - started })
      await new Promise((done) => setTimeout(done, PAUSE_MS))
    }
  }
  const done = Promise.all(lanes.map(run))
  return {
    sent,
    async stop() {
      isOver = true
      await done
    },
  }
}

/** A client without JavaScript that has loaded the page of a place once. */
async function createWriter(baseUrl: string, place: string) {
  const path = `/places/${place}`
  const page = await send(baseUrl, path)
  const { hidden } = readForm(page.text, 'Send the postcard')
  let cookies = cookiesOf(page).cookie ?? ''
  return async (message: string, image?: Buffer): Promise<RawResponse> => {
    const form = new FormData()
    for (const [name, value] of [...hidden, ['name', 'Ida'], ['message', message]] as const) form.append(name, value)
    if (image) form.append('picture', new File([new Uint8Array(image)], 'a.jpg', { type: 'image/jpeg' }))
    const encoded = new Response(form)
    const headers = {
      ...{ origin: new URL(baseUrl).origin, 'sec-fetch-site': 'same-origin', connection: 'close' },
      'content-type': encoded.headers.get('content-type') ?? '',
      ...(cookies && { cookie: cookies }),
    }
    const body = Buffer.from(await encoded.arrayBuffer())
    const response = await send(baseUrl, path, { method: 'POST', headers, body })
    // Each card sets some cookies again: the last value of a name counts.
    const jar = new Map(
      [cookies, cookiesOf(response).cookie ?? ''].flatMap((line) => line.split('; ').filter(Boolean)).map(toPair),
    )
    cookies = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    return response
  }
}

function toPair(text: string): [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

interface Kept {
  accepted: number
  rows: number
  /** Cards with 303 that are not kept exactly once. */
  lost: string[]
  /** Cards that are kept more than once. */
  twice: string[]
  /** Cards that are kept although their client got an error: of a replica that was killed before its response. */
  unreported: number
  /** Other statuses, and how often. */
  refused: Record<number, number>
  /** When the last error ended, in ms since the writers started; 0 without one. */
  lastErrorMs: number
}

/** Compares what clients were sent with the messages of all rows. */
export function compare(sent: readonly Sent[], messages: readonly string[]): Kept {
  const counts = new Map<string, number>()
  for (const message of messages) counts.set(message, (counts.get(message) ?? 0) + 1)
  const accepted = sent.filter(({ status }) => status === 303)
  const errors = sent.filter(({ status }) => status !== 303)
  const refused: Record<number, number> = {}
  for (const { status } of errors) refused[status] = (refused[status] ?? 0) + 1
  return {
    accepted: accepted.length,
    rows: messages.length,
    lost: accepted.filter(({ message }) => counts.get(message) !== 1).map(({ message }) => message),
    twice: [...counts].filter(([, count]) => count > 1).map(([message]) => message),
    unreported: errors.filter(({ message }) => counts.has(message)).length,
    refused,
    lastErrorMs: Math.round(Math.max(0, ...errors.map(({ endedMs }) => endedMs))),
  }
}

/** Paths of the images that the racks show, and how many requests for them were not responded with 200. */
export async function requestImages(baseUrl: string, times: number): Promise<{ images: number; failed: number }> {
  const found = new Set<string>()
  for (const place of PLACES) {
    const { postcards } = JSON.parse((await send(baseUrl, `/api/places/${place}/postcards`)).text) as {
      postcards: { picture: { src: string } | null }[]
    }
    for (const { picture } of postcards) if (picture) found.add(picture.src)
  }
  let failed = 0
  for (const path of found) for (let n = 0; n < times; n++) if ((await send(baseUrl, path)).status !== 200) failed++
  return { images: found.size, failed }
}
