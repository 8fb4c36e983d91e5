// Requests of a site with middleware whose builds differ (sites/written/guarded.ts), and what is wrong with a response: it
// failed, or it is none that the build which it names may give after its own middleware.

import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { postForm, type RawResponse, send } from '../../harness/http.ts'

export interface GuardedBuild {
  /** What everything of the build shows. */
  name: string
  /** The build id. */
  id: string
  isGuarding: boolean
}

export const PATHS = [
  '/',
  '/secret',
  '/me',
  '/form',
  '/api/hello',
  '/api/secret',
  '/note.txt',
  '/secret.txt',
  '/same.txt',
] as const

/** The build of a response: by its header, or by that of its middleware for a file, which has no other. */
export function buildOf({ headers }: RawResponse, builds: readonly GuardedBuild[]): GuardedBuild | undefined {
  const id = headers['portico-build']
  const guardedBy = headers['x-guarded-by']
  return builds.find((build) => (id === undefined ? build.name === guardedBy : build.id === id))
}

/** Undefined for a response that is right. */
export function faultOf(path: string, received: RawResponse, builds: readonly GuardedBuild[]): string | undefined {
  const { status, headers, text } = received
  const describe = (what: string) => `${path}: ${what} (${status} of ${headers['portico-build'] ?? '-'})`
  const isSecret = /^\/(?:api\/)?secret/.test(path)
  if (status === 401)
    return isSecret && builds.some(({ isGuarding }) => isGuarding) ? undefined : describe('refused without a reason')
  if (status !== 200) return describe('failed')
  const build = buildOf(received, builds)
  if (!build) return describe('of no build')
  if (isSecret && build.isGuarding) return describe(`${build.name} guards it`)
  if (headers['x-guarded-by'] !== build.name) return describe(`middleware of ${headers['x-guarded-by']} decided`)
  const named = [...text.matchAll(/\b(?:of|by) (one|two)\b/g)].map(([, name]) => name)
  if (path !== '/same.txt' && named.length === 0) return describe('shows no build')
  const other = named.find((name) => name !== build.name)
  return other === undefined ? undefined : describe(`shows ${other}`)
}

/** Receives each response. */
type Note = (path: string, received: RawResponse) => void

/** One request of each kind, one after the other. */
export async function visitAll(baseUrl: string, note: Note): Promise<void> {
  for (const path of PATHS) {
    const received = await send(baseUrl, path)
    note(path, received)
    if (received.status !== 200) continue
    if (path === '/form') note(path, await postForm({ baseUrl, path, fields: { word: 'sent' } }))
    const build = received.headers['portico-build']
    if (path === '/me') await readData(baseUrl, String(build), note)
  }
}

/** How many requests visitAll sends. */
export const VISITED = PATHS.length + 3

/** The other gateway may have no renderer of the build: the browser then loads the document (N5). */
async function readData(baseUrl: string, build: string, note: Note): Promise<void> {
  const data = await send(baseUrl, dataUrl('', build, '/me'))
  if (data.status === 404 && data.text.includes('foreign-build')) return
  if (data.status !== 200) note('/me', data)
}

/** The faults of one request of each kind. */
export async function faultsOfAll(baseUrl: string, builds: readonly GuardedBuild[]): Promise<string[]> {
  const faults: (string | undefined)[] = []
  await visitAll(baseUrl, (path, received) => faults.push(faultOf(path, received, builds)))
  return faults.filter((fault) => fault !== undefined)
}
