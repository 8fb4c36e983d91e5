// What a note of a thing may be; a Standard Schema made by hand.

export interface NoteInput {
  thing: string
  text: string
}

type Result = { value: NoteInput } | { issues: { message: string; path: string[] }[] }

function validate(value: unknown): Result {
  const { thing, text } = (value ?? {}) as Partial<Record<keyof NoteInput, unknown>>
  if (typeof thing !== 'string') return { issues: [{ path: ['thing'], message: 'No thing.' }] }
  if (typeof text !== 'string' || text.trim() === '')
    return { issues: [{ path: ['text'], message: 'Write something.' }] }
  if (text.length > 20) return { issues: [{ path: ['text'], message: 'At most 20 characters.' }] }
  return { value: { thing, text: text.trim() } }
}

export const noteInput: {
  '~standard': {
    version: 1
    vendor: string
    validate: typeof validate
    types?: { input: unknown; output: NoteInput }
  }
} = { '~standard': { version: 1, vendor: 'fixture', validate } }
