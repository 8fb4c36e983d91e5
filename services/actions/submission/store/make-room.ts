// The order in which records over a budget are dropped (A5, store.ts); redis-scripts.ts has the same rules in Lua.

import { type Budgets, type DropReason, type Holder, MOST_DROPPED, type RecordPart } from './store.ts'

export interface Ledger {
  /** Bytes held by the holder's client, by its address, and by the whole store. */
  held(holder: Holder): Budgets
  /** The address that holds most. */
  largestAddress(): string | undefined
  /**
   * Drops the oldest finished body of the client or address; without a body, and if rows may be dropped, its oldest
   * finished row. Undefined when there is nothing to drop.
   */
  drop(scope: keyof Holder, name: string, mayDropRows: boolean): RecordPart | undefined
}

interface MakeRoomOptions {
  holder: Holder
  /** The part that was just added. */
  part: RecordPart
  budgets: Budgets
  onDropped: (part: RecordPart, reason: DropReason) => void
}

/** Drops records until no budget is exceeded; returns a budget that remains exceeded, else undefined. */
export function makeRoom(
  ledger: Ledger,
  { holder, part, budgets, onDropped }: MakeRoomOptions,
): DropReason | undefined {
  const forRow = part === 'row'
  const dropOne = (over: DropReason): RecordPart | undefined => {
    if (over !== 'total') return ledger.drop(over, holder[over], forRow)
    // SECURITY: drops records of the address that holds most, so that a flood displaces only its own records.
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
  // More was dropped than added: the next submissions drop the rest.
  return undefined
}
