// actions/session.ts
'use server'

import { redirect } from 'portico'
import { defineAction } from 'portico/server'
import { takeTurn, visitorNetwork } from '../lib/limit.ts'
import { isMember } from '../lib/members.ts'
import { endAllSessions, endSession, requireMember, startSession } from '../lib/sessions.ts'

export interface Refused {
  message: string
  name: string
}

export const signIn = defineAction({ bodyLimitBytes: 16_384 }, async (input): Promise<Refused> => {
  const name = textOf(input.name)
  if (!mayTry(name)) return { name, message: 'Too many attempts. Try again in a quarter of an hour.' }
  if (!(await isMember(name, textOf(input.password)))) return { name, message: 'Name and password do not fit.' }
  startSession(name)
  redirect(sitePath(textOf(input.next)))
})

export async function signOut(): Promise<never> {
  endSession()
  redirect('/sign-in')
}

/** Guarded here as well as on its page: an action can be called without the page. */
export async function signOutEverywhere(): Promise<never> {
  endAllSessions(requireMember())
  redirect('/sign-in')
}

function mayTry(name: string): boolean {
  const isQuiet = takeTurn(`sign-in from ${visitorNetwork()}`, { times: 30, seconds: 900 })
  return takeTurn(`sign-in as ${name}`, { times: 5, seconds: 900 }) && isQuiet
}

/** A path of this site and nothing else: a link could lead members to a copy of it once they have signed in. */
function sitePath(next: string): string {
  return /^\/(?![/\\])/.test(next) ? next : '/account'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 1000) : ''
}
