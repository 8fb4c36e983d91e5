// What a visitor may write on a postcard, as a Standard Schema made by hand. Runs in the browser too (the optimistic
// card) and knows nothing of the store.

export const NAME_LIMIT = 60
export const MESSAGE_LIMIT = 500

export interface PostcardInput {
  place: string
  name: string
  message: string
}

interface InputIssue {
  message: string
  path: string[]
}

type InputResult = { value: PostcardInput; issues?: undefined } | { issues: InputIssue[] }

/** Reads a submitted postcard: trims, joins line endings to `\n`, counts characters as readers see them. */
export function parsePostcardInput(value: unknown): InputResult {
  const fields: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {}
  const read = (name: string) => {
    const field = fields[name]
    // A field sent twice arrives as a list, a file as an object: neither is text.
    return typeof field === 'string' ? field.replace(/\r\n?/g, '\n').trim() : ''
  }
  const input = { place: read('place'), name: read('name').replace(/\s+/g, ' '), message: read('message') }
  const issues: InputIssue[] = []
  const check = (name: keyof PostcardInput, limit: number, missing: string, tooLong: string) => {
    const length = [...input[name]].length
    if (length === 0) issues.push({ path: [name], message: missing })
    else if (length > limit) issues.push({ path: [name], message: `${tooLong} It has ${length}.` })
  }
  check('place', 80, 'The postcard does not say which place it is about.', 'This is no place of the atlas.')
  check('name', NAME_LIMIT, 'Please sign your postcard.', `A name has at most ${NAME_LIMIT} characters.`)
  check('message', MESSAGE_LIMIT, 'Please write a few words.', `A postcard has room for ${MESSAGE_LIMIT} characters.`)
  return issues.length > 0 ? { issues } : { value: input }
}

/** The same as a Standard Schema, for `defineAction({ input })`. */
export const postcardInput: {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => InputResult
    /** Never filled: tells `defineAction` what its handler receives. */
    readonly types?: { readonly input: unknown; readonly output: PostcardInput }
  }
} = { '~standard': { version: 1, vendor: 'atlas', validate: parsePostcardInput } }
