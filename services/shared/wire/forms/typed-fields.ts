// The texts of a form that a page shows again after the form was refused.

import { isProtocolField } from '../constants.ts'

/**
 * The texts of a form for `InvalidInput`, without files, passwords and fields of the protocol. A repeated field is a
 * list (A3).
 */
export function typedFields(
  entries: Iterable<readonly [name: string, value: unknown]>,
): Record<string, string | string[]> {
  const fields = new Map<string, unknown[]>()
  for (const [name, value] of entries) {
    // SECURITY: a password would be in the state of the page, in the HTML of the response and in hidden fields.
    if (isProtocolField(name) || /passw/i.test(name)) continue
    fields.set(name, [...(fields.get(name) ?? []), value])
  }
  const texts: [string, string | string[]][] = []
  for (const [name, values] of fields) {
    const typed = values.filter((value) => typeof value === 'string')
    if (typed.length > 0) texts.push([name, values.length === 1 ? typed[0]! : typed])
  }
  // SECURITY: fromEntries defines members, so the name `__proto__` sets no prototype.
  return Object.fromEntries(texts)
}
