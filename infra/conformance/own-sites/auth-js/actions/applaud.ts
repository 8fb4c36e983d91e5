// actions/applaud.ts
'use server'
import { requireMember } from '../lib/auth.ts'

export async function applaud() {
  const { name } = await requireMember()
  return { kind: 'applauded', by: name } as const
}
