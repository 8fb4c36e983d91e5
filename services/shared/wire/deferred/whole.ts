// The query parameter that requests a document with all of its deferred parts (W12).

export const WHOLE_PARAMETER = 'portico-whole'

/** The query without the parameter. `search` is empty or begins with `?`. */
export function withoutWhole(search: string): string {
  return search.replace(/([?&])portico-whole=1(&|$)/, (_all, before: string, after: string) => after && before)
}
