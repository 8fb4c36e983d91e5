// Postcards of the sample site over HTTP, as a browser without JavaScript sends them: images as files, and cards that
// only their writer takes down.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { describe, expect, test } from 'vitest'
import { root } from '../../../checks/sources.ts'
import { cookiesOf, readForm, send } from '../../harness/http.ts'

const PLACE = '/places/hallow-ness'
const MEGABYTE = 1024 * 1024

const unique = () => `card-${Math.random().toString(36).slice(2, 10)}`

/** A photograph as telephones store it: rotated by 90 degrees, with its location. */
function photograph(): Buffer {
  const sample = readFileSync(join(root, 'infra/e2e/sites/fixture/public/pictures/sample.jpg'))
  // Exif with two entries: orientation 6 (the right side is up), and a text.
  const entries = '0002' + '0112000300000001' + '00060000' + '010f000200000010' + '00000026' + '00000000'
  const tiff = Buffer.from(`4d4d002a00000008${entries}`, 'hex')
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), tiff, Buffer.from('Hidden Street 7\0')])
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  return Buffer.concat([sample.subarray(0, 2), head, exif, sample.subarray(2)])
}

/** Width and height in the header of a lossy WebP (RFC 9649 section 2.5). */
const sizeOf = (webp: Buffer) => [webp.readUInt16LE(26) & 0x3fff, webp.readUInt16LE(28) & 0x3fff]

/** A client with the cookies that the site gave. */
function createClient(baseUrl: string) {
  let cookie: string | undefined
  const headers = () => (cookie === undefined ? {} : { cookie })
  const get = () => send(baseUrl, PLACE, { headers: headers() })
  const hiddenOf = async (formWith: string) => readForm((await get()).text, formWith).hidden
  const postFields = async (fields: [string, string | File][]) => {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    const encoded = new Response(form)
    const response = await send(baseUrl, PLACE, {
      method: 'POST',
      headers: {
        origin: new URL(baseUrl).origin,
        'sec-fetch-site': 'same-origin',
        'content-type': encoded.headers.get('content-type') ?? '',
        ...headers(),
      },
      body: Buffer.from(await encoded.arrayBuffer()),
    })
    const given = cookiesOf(response).cookie
    if (given) cookie = cookie ? `${cookie}; ${given}` : given
    return response
  }
  const sendCard = async (message: string, image?: Buffer) => {
    const fields: [string, string | File][] = [...(await hiddenOf('Send the postcard')), ['name', 'Ida']]
    fields.push(['message', message])
    // Name and type are wrong on purpose: the bytes decide.
    if (image) fields.push(['picture', new File([new Uint8Array(image)], 'a.html', { type: 'text/html' })])
    return postFields(fields)
  }
  /** Presses the first button with this text. */
  const press = async (text: string) => postFields(await hiddenOf(text))
  /** In the markup: page data contains a card that can still be hung up again. */
  const sees = async (text: string) => (await get()).text.includes(`>${text}<`)
  return { get, hiddenOf, postFields, sendCard, press, sees }
}

/** Registers the tests; the sample site must run at the address. */
export function describePostcards(where: string, baseUrl: () => string): void {
  const imageOf = (html: string) => /url=(%2Fapi%2Fpictures%2F[0-9a-f]{32}\.webp)/.exec(html)?.[1]

  describe(`postcards ${where}`, () => {
    test('A1 A7 I1 take an image as a file and show it through the images service, upright and without its location', async () => {
      const client = createClient(baseUrl())
      expect((await client.sendCard(unique(), photograph())).status).toBe(303)
      const source = decodeURIComponent(imageOf((await client.get()).text) ?? '')
      const original = await send(baseUrl(), source)
      expect(original.status).toBe(200)
      expect(original.headers).toMatchObject({
        'content-type': 'image/webp',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'public, max-age=31536000, s-maxage=3600, immutable',
        'content-length': String(original.body.length),
      })
      expect(original.body.includes('Hidden Street')).toBe(false)
      const small = await send(baseUrl(), imageUrl('', source, 384, 75), { headers: { accept: 'image/webp' } })
      expect(small.status, small.text.slice(0, 200)).toBe(200)
      expect(small.body.toString('latin1', 8, 16)).toBe('WEBPVP8 ')
      // 1600 x 1000, rotated.
      expect(sizeOf(small.body)).toEqual([384, 614])
    })

    test('A8 respond with 304 to the ETag of an image, HEAD without a body, and 405 and 404 for the rest', async () => {
      const client = createClient(baseUrl())
      await client.sendCard(unique(), photograph())
      const source = decodeURIComponent(imageOf((await client.get()).text) ?? '')
      const { headers } = await send(baseUrl(), source, { method: 'HEAD' })
      expect(Number(headers['content-length'])).toBeGreaterThan(100)
      const again = await send(baseUrl(), source, { headers: { 'if-none-match': String(headers.etag) } })
      expect([again.status, again.body.length]).toEqual([304, 0])
      expect((await send(baseUrl(), source, { method: 'DELETE', headers: { origin: baseUrl() } })).status).toBe(405)
      for (const path of [
        '/api/pictures/x.webp',
        '/api/pictures/..%2fatlas.sqlite',
        `/api/pictures/${'0'.repeat(32)}.webp`,
      ])
        expect([path, (await send(baseUrl(), path)).status]).toEqual([path, 404])
    })

    test('I4 let the images service request no other API handler', async () => {
      for (const path of ['/api/places', '/api/places/skarnvik/postcards', '/%61pi/pictures/a.jpg'])
        expect([path, (await send(baseUrl(), imageUrl('', path, 384, 75))).status]).toEqual([path, 400])
    })

    test('A3 reject a file that is no image next to the field, and keep the words', async () => {
      const client = createClient(baseUrl())
      const message = unique()
      const response = await client.sendCard(message, Buffer.from('<script>alert(1)</script>'))
      expect(response.status).toBe(422)
      expect(response.text).toContain('please choose a JPEG, PNG or WebP file')
      expect(response.text).toContain(message)
      expect(response.text).toContain('value="Ida"')
      expect(await client.sees(message)).toBe(false)
    })

    test('A7 reject an image that is too large next to the field, and a body beyond the limit with 413', async () => {
      const client = createClient(baseUrl())
      const message = unique()
      const large = await client.sendCard(message, Buffer.alloc(6 * MEGABYTE))
      expect(large.status).toBe(422)
      expect(large.text).toContain('This picture has 6 MB; a postcard takes 5 MB at most.')
      expect(large.text).toContain(message)
      expect((await client.sendCard(message, Buffer.alloc(11 * MEGABYTE))).status).toBe(413)
      expect(await client.sees(message)).toBe(false)
    })

    test('A1 are taken down by their writer alone, who can undo it', async () => {
      const writer = createClient(baseUrl())
      const other = createClient(baseUrl())
      const message = unique()
      await writer.sendCard(message)
      await other.sendCard(unique())
      expect(await other.sees(message)).toBe(true)
      // Newest first, and each client has buttons on own cards only: the writer's form names the writer's card.
      const mine = (await writer.hiddenOf('Take it down')).find(([name]) => name === 'id')
      const theirs = await other.hiddenOf('Take it down')
      expect(theirs.find(([name]) => name === 'id')).not.toEqual(mine)

      // Another client names the writer's card: nothing happens.
      const forged = theirs.map(([name, value]): [string, string] => [name, name === 'id' ? (mine?.[1] ?? '') : value])
      expect((await other.postFields(forged)).status).toBe(303)
      expect(await other.sees(message)).toBe(true)

      const removal = await writer.press('Take it down')
      expect([removal.status, removal.headers.location]).toEqual([303, `${PLACE}#postcards`])
      expect([await writer.sees(message), await other.sees(message)]).toEqual([false, false])
      expect(await writer.sees('Your postcard was taken down.')).toBe(true)
      expect(await other.sees('Your postcard was taken down.')).toBe(false)
      expect((await writer.press('Undo')).status).toBe(303)
      expect([await writer.sees(message), await other.sees(message)]).toEqual([true, true])
    })
  })
}
