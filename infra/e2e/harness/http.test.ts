// The suite's parser of forms: its faults would look like faults of the site.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { postForm, readForm, send } from './http.ts'

const PAGE = `<form action="/search"><input name="q"></form>
<form action="" encType="multipart/form-data" method="POST"><input type="hidden" name="$ACTION_ID_a1"/>
<input type="hidden" name="$x:0" value="{&quot;a&quot;:1}"/><input id="name" name="name" required="" value="old"/></form>`

async function withServer(
  respond: (request: IncomingMessage, body: string) => string,
  run: (url: string) => Promise<void>,
) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => response.setHeader('set-cookie', 'visitor=1; Path=/').end(respond(request, body)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).finally(() => server.close())
}

describe('forms as a browser without JavaScript posts them', () => {
  test('A1 the form that posts is found, with its hidden fields unescaped', () => {
    expect(readForm(PAGE)).toEqual({
      action: '',
      enctype: 'multipart/form-data',
      hidden: [
        ['$ACTION_ID_a1', ''],
        ['$x:0', '{"a":1}'],
      ],
    })
    expect(() => readForm('<form><input name="q"></form>')).toThrow('no form that posts')
  })

  test('A1 hidden and typed fields are posted to the page itself, from the same origin, with its cookies', async () => {
    const posts: string[] = []
    await withServer(
      (request, body) => {
        if (request.method !== 'POST') return PAGE
        const { origin, cookie } = request.headers
        posts.push(`${request.url} ${origin} ${cookie}`, body)
        return 'thanks'
      },
      async (url) => {
        const response = await postForm({ baseUrl: url, path: '/page?a=b', fields: { name: 'Ida' } })
        expect(response.text).toBe('thanks')
        expect(posts[0]).toBe(`/page?a=b ${url} visitor=1`)
        expect(posts[1]).toContain('name="$x:0"\r\n\r\n{"a":1}\r\n')
        expect(posts[1]).toContain('name="name"\r\n\r\nIda\r\n')
      },
    )
  })

  test('R6 a target is sent as it is written', async () => {
    await withServer(
      (request) => request.url ?? '',
      async (url) => {
        for (const target of ['//a', '/./a', '/\\a', '/%zz']) expect((await send(url, target)).text).toBe(target)
      },
    )
  })
})
