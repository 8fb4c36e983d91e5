// Places for submissions that wait for the state store (A9, E7): bounded in number and bytes.

import { FIRST_READY_WAITERS, WAITING_BODIES_BYTES } from '@portico/shared/wire/constants.ts'

export interface WaitingRoom {
  /** Takes a place. The returned function, called once, leaves it. Undefined: no place is left. */
  enter(bytes: number): (() => void) | undefined
}

export function createWaitingRoom(most = FIRST_READY_WAITERS, mostBytes = WAITING_BODIES_BYTES): WaitingRoom {
  let count = 0
  let held = 0
  return {
    enter(bytes) {
      if (count >= most || held + bytes > mostBytes) return undefined
      count++
      held += bytes
      return () => {
        count--
        held -= bytes
      }
    },
  }
}
