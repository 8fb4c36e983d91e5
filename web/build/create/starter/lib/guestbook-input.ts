// The schema of an entry: a Standard Schema. A schema of zod or valibot can replace it.

export const NAME_LIMIT = 60
export const MESSAGE_LIMIT = 400

export interface GuestbookInput {
  name: string
  message: string
}

type Result = { value: GuestbookInput } | { issues: { path: string[]; message: string }[] }

function validate(given: unknown): Result {
  // Form data arrives as an object; a field that was sent twice is a list.
  const fields: Record<string, unknown> = typeof given === 'object' && given !== null ? { ...given } : {}
  const read = (name: string) => (typeof fields[name] === 'string' ? fields[name].trim() : '')
  const value = { name: read('name'), message: read('message') }
  const issues = [
    ...check('name', value.name, NAME_LIMIT, 'Please write your name.'),
    ...check('message', value.message, MESSAGE_LIMIT, 'Please write a line or two.'),
  ]
  return issues.length > 0 ? { issues } : { value }
}

function check(field: string, text: string, limit: number, missing: string): { path: string[]; message: string }[] {
  if (text === '') return [{ path: [field], message: missing }]
  if (text.length > limit) return [{ path: [field], message: `At most ${limit} characters, please.` }]
  return []
}

interface GuestbookSchema {
  '~standard': {
    version: 1
    vendor: string
    validate: (given: unknown) => Result
    types?: { input: unknown; output: GuestbookInput }
  }
}

export const guestbookInput: GuestbookSchema = { '~standard': { version: 1, vendor: 'this site', validate } }
