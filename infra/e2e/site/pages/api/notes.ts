// GET /api/notes?subject=: notes and counters, for pages and tests to read.

import type { ApiRequest, ApiResponse } from 'portico'
import { listNotes, readCounter } from '../../lib/note-store.ts'

export default function handler(request: ApiRequest, response: ApiResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD')
    response.status(405).json({ error: { status: 405, title: 'Method Not Allowed' } })
    return
  }
  const { subject } = request.query
  response.setHeader('Cache-Control', 'no-store')
  response.status(200).json({
    notes: listNotes(typeof subject === 'string' ? subject : undefined),
    counters: { count: readCounter('count'), add: readCounter('add'), fail: readCounter('fail') },
  })
}
