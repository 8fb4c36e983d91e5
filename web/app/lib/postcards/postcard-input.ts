// The rules for the fields of a postcard. Runs in the browser too (the optimistic card), without the store;
// postcard-submission.ts checks the bytes of an image.

export const NAME_LIMIT = 60
export const MESSAGE_LIMIT = 500
/** The size of most photos of a telephone; the field reports larger ones. */
export const IMAGE_LIMIT_BYTES = 5 * 1024 * 1024

export interface PostcardInput {
  place: string
  name: string
  message: string
  picture?: File
}

interface InputIssue {
  message: string
  path: string[]
}

export type InputResult<Value> = { value: Value; issues?: undefined } | { issues: InputIssue[] }

/** Reads a submitted postcard: trims, joins line endings to `\n`, counts characters as readers see them. */
export function parsePostcardInput(value: unknown): InputResult<PostcardInput> {
  const fields: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {}
  const read = (name: string) => {
    const field = fields[name]
    // A repeated field arrives as a list, a file as an object: neither is text.
    return typeof field === 'string' ? field.replace(/\r\n?/g, '\n').trim() : ''
  }
  const input: PostcardInput = {
    place: read('place'),
    name: read('name').replace(/\s+/g, ' '),
    message: read('message'),
  }
  const issues: InputIssue[] = []
  const check = (name: 'place' | 'name' | 'message', limit: number, missing: string, tooLong: string) => {
    const length = [...input[name]].length
    if (length === 0) issues.push({ path: [name], message: missing })
    else if (length > limit) issues.push({ path: [name], message: `${tooLong} It has ${length}.` })
  }
  check('place', 80, 'The postcard does not say which place it is about.', 'This is no place of the atlas.')
  check('name', NAME_LIMIT, 'Please sign your postcard.', `A name has at most ${NAME_LIMIT} characters.`)
  check('message', MESSAGE_LIMIT, 'Please write a few words.', `A postcard has room for ${MESSAGE_LIMIT} characters.`)
  const picture = readFile(fields.picture)
  const refusal = picture === 'none' ? NO_FILE : picture && imageSizeIssue(picture.size)
  if (refusal) issues.push({ path: ['picture'], message: refusal })
  else if (picture && picture !== 'none') input.picture = picture
  return issues.length > 0 ? { issues } : { value: input }
}

const NO_FILE = 'A postcard has room for one picture, sent as a file.'

/** An empty file input is a file without bytes in a browser, and nothing at all in an action. */
function readFile(field: unknown): File | 'none' | undefined {
  if (field === undefined || field === '') return undefined
  if (!(field instanceof File)) return 'none'
  return field.size === 0 && field.name === '' ? undefined : field
}

/** Why an image of this size is rejected; undefined when it is accepted. */
export function imageSizeIssue(bytes: number): string | undefined {
  if (bytes <= IMAGE_LIMIT_BYTES) return undefined
  return `This picture has ${megabytes(bytes)} MB; a postcard takes ${megabytes(IMAGE_LIMIT_BYTES)} MB at most.`
}

/** Rounded up, so that no rejected image seems to be within the limit. */
function megabytes(bytes: number): string {
  return String(Math.ceil((bytes / 1024 / 1024) * 10) / 10)
}
