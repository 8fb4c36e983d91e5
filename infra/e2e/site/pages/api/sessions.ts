// pages/api/sessions.ts
import type { ApiRequest, ApiResponse } from 'portico'
import { countSessions, findMember } from '../../lib/sessions.ts'

export default function handler(_request: ApiRequest, response: ApiResponse): void {
  const member = findMember()
  if (member === undefined) response.status(401).json({ error: { status: 401, title: 'Sign in first' } })
  else response.status(200).json({ member, count: countSessions(member) })
}
