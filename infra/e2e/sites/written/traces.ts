// Overlays of the fixture for the tests of replicas: an action that leaves a trace of each of its runs, large
// responses, and two builds that differ.

import { buildApp, loadActionIds } from '../../harness/replicas.ts'
import { type SiteFiles, writeSite } from '../make-site.ts'
import { FIXTURE } from '../sites.ts'

/** More than the kernel's buffers of a connection hold. */
const LARGE_BYTES = 6 * 1024 * 1024

const ACTIONS = `'use server'
import { defineAction } from 'portico/server'
import { addNote } from '../lib/note-store.ts'

export const trace = defineAction({}, async (input) => {
  addNote('begun', String(input.name))
  await new Promise((resolve) => setTimeout(resolve, Number(input.waitMs) || 0))
  addNote('ended', String(input.name))
  return { name: String(input.name) }
})
`
const CALLER = `import { trace } from '../actions/traces.ts'

export default function Traces() {
  return <form action={trace}><input name="name" /><button type="submit">Leave</button></form>
}
`
const COUNTS = `import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ApiRequest, ApiResponse } from 'portico'

export default function handler(_request: ApiRequest, response: ApiResponse): void {
  const database = new DatabaseSync(join(process.env.DATA_DIR ?? '', 'fixture.sqlite'), { readOnly: true, timeout: 3000 })
  const select = database.prepare('SELECT text, COUNT(*) AS count FROM notes WHERE subject = ? GROUP BY text')
  const countTexts = (subject: string) => Object.fromEntries(select.all(subject).map(({ text, count }) => [text, count]))
  response.json({ begun: countTexts('begun'), ended: countTexts('ended') })
  database.close()
}
`
const LARGE = `import type { ApiRequest, ApiResponse } from 'portico'

const PIECE = 'large '.repeat(10_923)

export default async function handler(_request: ApiRequest, response: ApiResponse): Promise<void> {
  response.setHeader('Content-Type', 'application/octet-stream')
  for (let sent = 0; sent < ${LARGE_BYTES} && !response.destroyed; sent += PIECE.length)
    if (!response.write(PIECE)) await new Promise((go) => { response.once('drain', go); response.once('close', go) })
  response.end()
}
`

const TRACES: SiteFiles = {
  'actions/traces.ts': ACTIONS,
  'pages/traces.tsx': CALLER,
  'pages/api/trace-counts.ts': COUNTS,
  'pages/api/large.ts': LARGE,
  'public/large.bin': Buffer.alloc(LARGE_BYTES, 'large'),
}

/** Copies the fixture, with what the tests add. */
export function copySite(appDir: string, more: SiteFiles = {}): Promise<void> {
  return writeSite(appDir, { ...TRACES, ...more }, FIXTURE.appDir)
}

/** Copies and builds it. Resolves with the ids of its actions by name. */
export async function buildTracesSite(appDir: string, more: SiteFiles = {}): Promise<Map<string, string>> {
  await copySite(appDir, more)
  await buildApp(appDir)
  return loadActionIds(appDir)
}
