// GET /api/guestbook: the entries, the newest first.

import type { ApiRequest, ApiResponse } from 'portico'
import { listEntries } from '../../lib/guestbook.ts'

export default function handler(request: ApiRequest, response: ApiResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD')
    response.status(405).json({ error: { status: 405, title: 'Method Not Allowed' } })
    return
  }
  response.setHeader('Cache-Control', 'no-store')
  response.status(200).json({ entries: listEntries() })
}
