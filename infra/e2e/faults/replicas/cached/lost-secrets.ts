// The state Redis loses all keys, and services start again (O10): what was signed before is sent to every gateway and renderer.

import { expect } from 'vitest'
import { readForm, send } from '../../../harness/http.ts'
import type { Member } from '../fleet.ts'
import { expectCurrent } from './readers.ts'
import type { CachedStage, Reading } from './stage.ts'

/** One site, whatever the address of the gateway: sessions belong to an origin. */
const HOST = 'site.test'
const FROM_SITE = { host: HOST, origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }

const urlOf = ({ address, port }: Member) => `http://${address}:${port}`

/** What was signed before the loss. */
export interface Signed {
  /** A page with a form. */
  html: string
  /** The cookie of its session. */
  cookie: string
  /** Pages that the gateways keep. */
  names: readonly string[]
}

/** What became of it. */
export interface Asked {
  /** The word that each renderer reads from the session of before. */
  kept: (string | undefined)[]
  /** The responses to forms and to a guarded page, by each gateway. */
  statuses: { what: string; status: number }[]
  /** What pages show after a revalidation through each gateway. */
  readings: Reading[]
  /** Lines of the logs about signatures and about replicas that refused. */
  reported: string[]
}

const read = (from: Member, cookie = '') => send(urlOf(from), '/kept', { headers: { host: HOST, cookie } })

function post(from: Member, type: string, body: string, headers: Record<string, string> = {}) {
  const length = String(Buffer.byteLength(body))
  const sent = { ...FROM_SITE, 'content-type': type, 'content-length': length, ...headers }
  return send(urlOf(from), '/kept', { method: 'POST', headers: sent, body })
}

/** Without JavaScript, as the page was rendered. */
function postPlain(from: Member, html: string) {
  return post(from, 'application/x-www-form-urlencoded', new URLSearchParams(readForm(html).hidden).toString())
}

/** With JavaScript. */
function postScripted(from: Member, html: string, action: string) {
  const [, reference = '{}'] = readForm(html).hidden.find(([name]) => /^\$ACTION_.*:0$/.test(name)) ?? []
  const { bound } = JSON.parse(reference) as { bound: string }
  return post(from, 'application/json', JSON.stringify({ args: [], bound }), { 'portico-action': action })
}

export async function sign(stage: CachedStage): Promise<Signed> {
  const [gateway] = stage.gateways
  const html = (await read(gateway)).text
  const { headers } = await postPlain(gateway, html)
  const cookie = [headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ')
  const names = ['lost-secrets-0', 'lost-secrets-1']
  await stage.warm(names)
  return { html, cookie, names }
}

/** Sends what was signed before, and what is signed now, to every gateway and renderer. */
export async function askAll(stage: CachedStage, { html, cookie, names }: Signed): Promise<Asked> {
  const { fleet, actionIds } = stage
  const [gateways, renderers] = [fleet.members('gateway'), fleet.members('renderer')]
  const kept: (string | undefined)[] = []
  for (const from of renderers) kept.push(/<output>([^<]*)/.exec((await read(from, cookie)).text)?.[1])
  const later = (await read(renderers.at(-1)!)).text
  const statuses: { what: string; status: number }[] = []
  const readings: Reading[] = []
  for (const from of gateways)
    for (const [what, sent] of [
      ['plain form', postPlain(from, html)],
      ['form', postScripted(from, html, actionIds.keep)],
      ['later plain form', postPlain(from, later)],
      ['later form', postScripted(from, later, actionIds.keep)],
      ['guarded page', send(urlOf(from), '/guarded')],
    ] as const)
      statuses.push({ what, status: (await sent).status })
  for (const through of gateways) {
    await Promise.all(names.map((name) => stage.raise(name, { through })))
    readings.push(...(await Promise.all(names.flatMap((name) => gateways.map((from) => stage.read(name, from))))))
  }
  // Not a process that was late on a busy machine: it reads the marks itself.
  const reported = [...gateways, ...renderers, ...fleet.members('actions')].flatMap(
    (member) => member.output().match(/"event":"unknown-key".*|.*the process responded .*/g) ?? [],
  )
  return { kept, statuses, readings, reported }
}

/** Nothing failed. */
export function expectNothingLost({ kept, statuses, readings, reported }: Asked): void {
  expect(kept).toEqual(kept.map(() => 'a bound word'))
  expect(statuses.filter(({ status }) => status !== 200 && status !== 303)).toEqual([])
  expectCurrent(readings)
  expect(reported).toEqual([])
}

/** The keys are gone while a renderer and the actions service are down, and a third gateway starts with them. */
export async function loseSecrets(stage: CachedStage): Promise<Asked> {
  const { fleet, redis } = stage
  const signed = await sign(stage)
  const dead = [fleet.members('renderer')[0]!, fleet.members('actions')[0]!]
  await Promise.all(dead.map(fleet.kill))
  await Promise.all(dead.map(fleet.forget))
  await redis.flush()
  const [gateway] = await Promise.all((['gateway', 'renderer', 'actions'] as const).map(stage.startMore))
  const asked = await askAll(stage, signed)
  await fleet.stop(gateway!)
  return asked
}
