// The name that an author probably meant: a known name that differs by few letters.

/**
 * The known name that differs from `name` by one letter, or by two in names of six letters and more; case does not count. A name
 * of one or two letters is near to none.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const written = name.toLowerCase()
  let least = written.length < 3 ? 0 : written.length < 6 ? 1 : 2
  let nearest: string | undefined
  for (const candidate of known) {
    if (candidate === name || Math.abs(candidate.length - name.length) > least) continue
    const far = distance(candidate.toLowerCase(), written)
    if (far > least || (far === least && nearest !== undefined)) continue
    least = far
    nearest = candidate
  }
  return nearest
}

/** For the end of a message: `; did you mean redirects?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

/** Levenshtein distance, row by row. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)))
    row = next
  }
  return row[right.length]!
}
