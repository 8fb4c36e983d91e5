// Holds one secret of the state store (O10): compares what this process knows with what is stored, writes back what is
// gone, and makes a secret where no service has one. Runs over any store and clock.

import { randomBytes } from 'node:crypto'
import type { Log } from '../observe/log.ts'
import { createUnknownLog, type Keyring } from './keyring.ts'
import { acceptedValues, formatSecrets, mergeSecrets, parseSecrets, type Secret } from './stored-secret.ts'

/** The place of one secret. */
export interface SecretPlace {
  /** As in messages. */
  name: string
  read(): Promise<string | null>
  write(text: string): Promise<unknown>
  /** Writes only where there is nothing. */
  create(text: string): Promise<unknown>
}

/** A keyring that has no secret before the first one is known. */
export interface HeldKeyring extends Omit<Keyring, 'current'> {
  /** Undefined while no secret is known. */
  current(): string | undefined
}

export interface Holder extends HeldKeyring {
  /** Compares once. Rejects with the fault of the store, or with that of a text that is no secret. */
  check(): Promise<void>
  /** Makes and stores the next rotation, whose number it returns. Rejects where no secret is known. */
  rotate(): Promise<number>
}

interface HolderDeps {
  secret: string
  place: SecretPlace
  /** Milliseconds since the epoch. */
  now: () => number
  log: Log
}

/** How long a process that finds no secret waits for one that has it: longer than the pause between two checks. */
const MISSING_WAIT_MS = 3000
/** How long after its rotation a secret signs: longer than the pause between two checks. */
export const ROTATION_DELAY_MS = 3000

export function createHolder({ secret, place, now, log }: HolderDeps): Holder {
  let secrets: readonly Secret[] = []
  let missingSince: number | undefined
  let accepted: readonly string[] = []

  const take = (stored: readonly Secret[]) => {
    const [before] = secrets
    secrets = mergeSecrets(secrets, stored, now())
    const [winner] = secrets
    if (before && winner && winner.value !== before.value)
      log.warn({ event: 'secret-replaced', secret, rotation: winner.rotation }, 'another secret of the stack counts')
  }
  const read = async (): Promise<Secret[]> => {
    const text = await place.read()
    if (text === null) return []
    const stored = parseSecrets(text)
    if (!stored)
      throw new Error(`${place.name} is no secret: delete it, and services that have the secret store it again`)
    return stored
  }
  const make = async () => {
    const made = { rotation: 0, createdAt: now(), value: newValue() }
    await place.create(formatSecrets([made]))
    take(await read())
    if (secrets.length === 0) throw new Error(`the state store did not keep ${place.name}`)
    if (secrets[0]?.value === made.value) log.info({ event: 'secret-made', secret }, 'secret made and stored')
  }
  const acceptedNow = () => {
    const present = acceptedValues(secrets, now())
    const isSame = present.length === accepted.length && present.every((value, at) => value === accepted[at])
    if (!isSame) accepted = present
    return accepted
  }

  return {
    current: () => acceptedNow()[0],
    accepted: acceptedNow,
    noteUnknown: createUnknownLog({ secret: place.name, log }),
    async check() {
      const stored = await read()
      take(stored)
      if (secrets.length === 0) {
        if (missingSince === undefined)
          log.info(
            { event: 'secret-missing', secret },
            'no secret in the state store: waiting for a service that has it',
          )
        missingSince ??= now()
        if (now() - missingSince >= MISSING_WAIT_MS) await make()
        return
      }
      missingSince = undefined
      const wanted = formatSecrets(secrets)
      if (stored.length > 0 && formatSecrets(mergeSecrets(stored, [], now())) === wanted) return
      await place.write(wanted)
      log.warn({ event: 'secret-written-back', secret }, 'the state store had lost a secret, which is stored again')
    },
    async rotate() {
      const [winner] = secrets
      if (!winner) throw missingError(place.name)
      const next = { rotation: winner.rotation + 1, createdAt: now() + ROTATION_DELAY_MS, value: newValue() }
      secrets = mergeSecrets(secrets, [next], now())
      await place.write(formatSecrets(secrets))
      return next.rotation
    },
  }
}

/** Names the place, and when it has a secret. */
export function missingError(name: string): Error {
  return new Error(`there is no ${name}: services store one when they start without a setting for it`)
}

function newValue(): string {
  return randomBytes(32).toString('base64url')
}
