// Lists without an order, for items that are added and removed with each request.

/**
 * Removes an item if the list contains it. For a list that changes with each request this replaces a Set: a Set moves
 * to a new table every few changes, each old table points to the next, and once V8 has moved one table to the old
 * generation everything in later tables survives, at 10 ms a collection.
 */
export function removeFrom<T>(list: T[], item: T): void {
  const at = list.indexOf(item)
  if (at < 0) return
  const last = list.pop()
  // The item was found, so the list has a last item: this item or its replacement.
  if (at < list.length) list[at] = last!
}
