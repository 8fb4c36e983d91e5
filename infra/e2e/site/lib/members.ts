// lib/members.ts
// Who may sign in: MEMBERS in the environment, `name:salt.hash` with commas between. Put your own accounts here.

import { type BinaryLike, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** What one guess costs an attacker and one sign-in costs you: 34 MB and a good part of a second. */
const COST: ScryptOptions = { N: 2 ** 15, p: 3, maxmem: 2 ** 26 }

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt)

export async function isMember(name: string, password: string): Promise<boolean> {
  const [salt = '', hash = ''] = findEntry(name).split('.')
  // Done for unknown names too: the time of an answer must not tell who is a member.
  const derived = await derive(password, Buffer.from(salt, 'base64url'), 32, COST)
  const kept = Buffer.from(hash, 'base64url')
  return kept.length === derived.length && timingSafeEqual(kept, derived)
}

function findEntry(name: string): string {
  const entries = (process.env.MEMBERS ?? '').split(',').map((entry) => entry.trim().split(':'))
  return entries.find(([member]) => member === name)?.[1] ?? ''
}
