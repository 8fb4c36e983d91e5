import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { IMAGE_LIMIT_BYTES } from './postcard-input.ts'
import { postcardChoice, postcardSubmission } from './postcard-submission.ts'

const good = { place: 'lake-orrel', name: 'Ada', message: 'Wish you were real.' }
const submit = async (fields: unknown) => postcardSubmission['~standard'].validate(fields)
const png = () =>
  sharp({ create: { width: 4, height: 2, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
const fileOf = (bytes: Buffer, name: string, type: string) => new File([new Uint8Array(bytes)], name, { type })

describe('a postcard that is submitted', () => {
  it('A3 is taken without an image', async () => {
    expect(await submit(good)).toEqual({ value: good })
    expect(await submit({ ...good, picture: new File([], '') })).toEqual({ value: good })
  })

  it('A3 is stored without U+0000, which is no text of a browser', async () => {
    expect(await submit({ ...good, message: 'Wish you\0 were real.' })).toEqual({ value: good })
    expect((await submit({ ...good, name: '\0' })).issues?.map(({ path }) => path)).toEqual([['name']])
  })

  it('A3 takes the type of its image from the bytes, with any name and type', async () => {
    const picture = fileOf(await png(), 'a.exe', 'text/html')
    expect(await submit({ ...good, picture })).toMatchObject({
      value: { ...good, image: { width: 4, height: 2 } },
    })
  })

  it.each([
    ['a page that calls itself a picture', fileOf(Buffer.from('<script>'), 'a.png', 'image/png'), 'JPEG, PNG or WebP'],
    ['a file without bytes', fileOf(Buffer.alloc(0), 'a.png', 'image/png'), 'JPEG, PNG or WebP'],
    ['a file that is too large', fileOf(Buffer.alloc(IMAGE_LIMIT_BYTES + 1), 'a', ''), '5.1 MB; a postcard takes 5 MB'],
    ['text in place of a file', 'a.png', 'sent as a file'],
    ['two files', [fileOf(Buffer.alloc(1), 'a', ''), fileOf(Buffer.alloc(1), 'b', '')], 'one picture'],
  ])('A3 is rejected for %s, next to the field', async (_what, picture, text) => {
    const { issues } = await submit({ ...good, picture })
    expect(issues?.map(({ path }) => path)).toEqual([['picture']])
    expect(issues?.[0]?.message).toContain(text)
  })
})

it.each([
  [{ place: 'lake', id: '12' }, { value: { place: 'lake', id: 12 } }],
  [{ place: 'lake', id: '1e9' }, undefined],
  [{ place: 'lake', id: '0' }, undefined],
  [{ id: '1' }, undefined],
  [{ place: ['a', 'b'], id: '1' }, undefined],
  [null, undefined],
])('A3 reads which postcard %j names', async (fields, expected) => {
  const result = await postcardChoice['~standard'].validate(fields)
  if (expected) expect(result).toEqual(expected)
  else expect(result.issues).toHaveLength(1)
})
