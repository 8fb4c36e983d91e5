// The input of the postcard actions as hand-written Standard Schemas. Only actions import this file, which reads
// images.

import { type InputResult, type PostcardInput, parsePostcardInput } from './postcard-input.ts'
import { type PostcardImage, readImage } from './read-image.ts'

interface PostcardSubmission extends Omit<PostcardInput, 'picture'> {
  image?: PostcardImage
}

interface PostcardChoice {
  place: string
  id: number
}

/** The schema for `defineAction({ input })`; `types` is never set and exists for the type of the handler's input. */
interface Schema<Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => InputResult<Output> | Promise<InputResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output }
  }
}

/** A submitted postcard; the bytes decide the type of its image. */
export const postcardSubmission = schemaOf(readSubmission)

/** One postcard of a place, by its number. */
export const postcardChoice = schemaOf(parseChoice)

async function readSubmission(value: unknown): Promise<InputResult<PostcardSubmission>> {
  const input = parsePostcardInput(withoutNul(value))
  if (input.issues) return input
  const { picture: file, ...card } = input.value
  if (!file) return { value: card }
  const read = await readImage(Buffer.from(await file.arrayBuffer()))
  if ('refusal' in read) return { issues: [{ path: ['picture'], message: read.refusal }] }
  return { value: { ...card, image: read.image } }
}

/** No form of a browser has the character U+0000 in a text, and PostgreSQL stores none. */
function withoutNul(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const clean = (field: unknown) => (typeof field === 'string' ? field.replaceAll('\0', '') : field)
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, clean(field)]))
}

function parseChoice(value: unknown): InputResult<PostcardChoice> {
  const { place, id } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  if (typeof place === 'string' && typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id))
    return { value: { place, id: Number(id) } }
  return { issues: [{ path: [], message: 'This names no postcard.' }] }
}

function schemaOf<Output>(validate: Schema<Output>['~standard']['validate']): Schema<Output> {
  return { '~standard': { version: 1, vendor: 'atlas', validate } }
}
