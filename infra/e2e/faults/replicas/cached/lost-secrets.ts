// The state Redis loses all keys, and one replica of each service that has secrets starts again before the others have
// noticed: what was signed before is sent to every gateway and renderer.

import { readForm, send } from '../../../harness/http.ts'
import type { Member } from '../fleet.ts'
import type { CachedStage, Reading } from './stage.ts'

/** One site, whatever the address of the gateway: sessions belong to an origin. */
const HOST = 'site.test'
const FROM_SITE = { host: HOST, origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }

const urlOf = ({ address, port }: Member) => `http://${address}:${port}`

/**
 * Resolves with the word that each renderer reads from the session of before, with the statuses of forms and guarded pages,
 * with pages after revalidations, and with what the log says about signatures and replicas that refused.
 */
export async function loseSecrets(stage: CachedStage) {
  const { fleet, redis, gateways, actionIds } = stage
  const [one, two] = gateways
  const read = (from: Member, cookie = '') => send(urlOf(from), '/kept', { headers: { host: HOST, cookie } })
  const post = async (from: Member, type: string, body: string, headers: Record<string, string> = {}) => {
    const length = String(Buffer.byteLength(body))
    const sent = { ...FROM_SITE, 'content-type': type, 'content-length': length, ...headers }
    return send(urlOf(from), '/kept', { method: 'POST', headers: sent, body })
  }
  /** Without JavaScript, as the page was rendered. */
  const postPlain = (from: Member, html: string) =>
    post(from, 'application/x-www-form-urlencoded', new URLSearchParams(readForm(html).hidden).toString())
  /** With JavaScript. */
  const postScripted = (from: Member, html: string) => {
    const [, reference = '{}'] = readForm(html).hidden.find(([name]) => /^\$ACTION_.*:0$/.test(name)) ?? []
    const { bound } = JSON.parse(reference) as { bound: string }
    const body = JSON.stringify({ args: [], bound })
    return post(from, 'application/json', body, { 'portico-action': actionIds.keep })
  }

  const [before, signed] = [(await read(one)).text, await postPlain(one, (await read(one)).text)]
  const cookie = [signed.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ')
  const names = ['lost-secrets-0', 'lost-secrets-1']
  await stage.warm(names)
  const [renderer, actions] = [fleet.members('renderer')[0]!, fleet.members('actions')[0]!]
  await Promise.all([fleet.kill(renderer), fleet.kill(actions)])
  await Promise.all([fleet.forget(renderer), fleet.forget(actions)])
  await redis.flush()
  const [fresh, gateway] = await Promise.all([
    stage.startRenderer(),
    stage.startMore('gateway'),
    stage.startMore('actions'),
  ])
  const kept: (string | undefined)[] = []
  for (const from of fleet.members('renderer')) kept.push(/<output>([^<]*)/.exec((await read(from, cookie)).text)?.[1])
  const after = (await read(fresh)).text
  const statuses: { what: string; status: number }[] = []
  const readings: Reading[] = []
  for (const from of [one, two, gateway])
    for (const [what, sent] of [
      ['plain form', postPlain(from, before)],
      ['form', postScripted(from, before)],
      ['later plain form', postPlain(from, after)],
      ['later form', postScripted(from, after)],
      ['guarded page', send(urlOf(from), '/guarded')],
    ] as const)
      statuses.push({ what, status: (await sent).status })
  for (const through of [one, two, gateway]) {
    await Promise.all(names.map((name) => stage.raise(name, { through })))
    readings.push(
      ...(await Promise.all(names.flatMap((name) => [one, two, gateway].map((from) => stage.read(name, from))))),
    )
  }
  const reported = [...fleet.members('gateway'), ...fleet.members('renderer'), ...fleet.members('actions')].flatMap(
    (member) => member.output().match(/"event":"unknown-key".*|.*replica not invalidated.*/g) ?? [],
  )
  await fleet.stop(gateway)
  return { kept, statuses, readings, reported }
}
