// The order in which records are dropped that are over a budget (A5, store.ts); redis-scripts.ts says the same in Lua.

import { type Budgets, type DropReason, type Holder, MOST_DROPPED, type RecordPart } from './store.ts'

export interface Ledger {
  /** What the holder's client, its address, and the whole store hold now, in bytes. */
  held(holder: Holder): Budgets
  /** The address that holds most. */
  largestAddress(): string | undefined
  /**
   * Drops the oldest finished body of the client or address; if there is none and rows may be dropped, its oldest finished
   * row. Undefined when there is nothing to drop.
   */
  drop(scope: keyof Holder, name: string, mayDropRows: boolean): RecordPart | undefined
}

export interface MakeRoomOptions {
  holder: Holder
  /** What was just added. */
  part: RecordPart
  budgets: Budgets
  onDropped: (part: RecordPart, reason: DropReason) => void
}

/** Drops until all budgets are kept; returns the budget that cannot be kept, undefined when all are. */
export function makeRoom(
  ledger: Ledger,
  { holder, part, budgets, onDropped }: MakeRoomOptions,
): DropReason | undefined {
  const forRow = part === 'row'
  const dropOne = (over: DropReason): RecordPart | undefined => {
    if (over !== 'total') return ledger.drop(over, holder[over], forRow)
    // SECURITY: the address that holds most loses, so that a flood displaces its own records and no other client's.
    const largest = ledger.largestAddress() ?? holder.address
    const dropped = ledger.drop('address', largest, forRow || largest !== holder.address)
    return dropped ?? ledger.drop('address', holder.address, forRow)
  }
  for (let count = 0; count < MOST_DROPPED; count++) {
    const held = ledger.held(holder)
    const over = (['client', 'address', 'total'] as const).find((reason) => held[reason] > budgets[reason])
    if (over === undefined) return undefined
    const dropped = dropOne(over)
    if (dropped === undefined) return over
    onDropped(dropped, over)
  }
  // More was dropped than added: the rest follows with the next submissions.
  return undefined
}
