// GET /api/status: what the stack is doing, once. 404 where the operator switched it off.

import type { ApiRequest, ApiResponse } from 'portico'
import { stackStatus } from 'portico/server'

export default async function handler(request: ApiRequest, response: ApiResponse): Promise<void> {
  response.setHeader('Cache-Control', 'no-store')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD')
    response.status(405).json({ error: { status: 405, title: 'Method Not Allowed' } })
    return
  }
  const status = await stackStatus()
  if (status) response.status(200).json(status)
  else response.status(404).json({ error: { status: 404, title: 'This page could not be found' } })
}
