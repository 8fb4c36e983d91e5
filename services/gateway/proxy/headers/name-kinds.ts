// What kind of header a name is, remembered by its spelling: every request and response needs the kind of each header.

/** SECURITY: clients choose names, so the number of remembered names is limited. */
const KEPT_NAMES = 500

/** Wraps a function of a header's name, so that it runs once for each spelling. */
export function rememberKinds<T>(kindOf: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    const kept = known.get(name)
    if (kept !== undefined) return kept
    const kind = kindOf(name)
    if (known.size < KEPT_NAMES) known.set(name, kind)
    return kind
  }
}
