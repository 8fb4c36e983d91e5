// Lists whose order does not matter, of what comes and goes with each request.

/**
 * Takes an item out, if it is there. For a list that changes with each request this stands in the place of a Set: a Set
 * moves to a fresh table every few changes, each table left behind points to the next, and once V8 has moved one of them
 * to the old generation everything that was in later ones survives with it, at 10 ms a collection.
 */
export function removeFrom<T>(list: T[], item: T): void {
  const at = list.indexOf(item)
  if (at < 0) return
  const last = list.pop()
  // Found, so there was a last one; it was the item itself or takes its place.
  if (at < list.length) list[at] = last!
}
