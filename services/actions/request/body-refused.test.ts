// What becomes of the connection when a body was refused: the response must reach a client that is still sending (A7).

import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { rawHead } from '../testing/requests.ts'
import { defined, startActions } from '../testing/start-actions.ts'

const LIMIT = 2000
/** More than the buffers of a socket hold, so that the client is still sending when the response is sent. */
const BODY = 'x'.repeat(4 * 1024 * 1024)
const HEADERS = {
  'portico-action': 'small',
  'content-type': 'application/json',
  'content-length': BODY.length,
  connection: 'keep-alive',
}

test('A7 reads the rest of a refused body and accepts the next request of the connection', async () => {
  const service = await startActions({ actions: { small: defined({ bodyLimitBytes: LIMIT }, () => undefined) } })
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  let received = ''
  let reset: Error | undefined
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  socket.on('error', (error) => {
    reset = error
  })
  socket.write(rawHead('/', HEADERS))
  await expect.poll(() => received).toContain('413')
  // The client has not noticed the refusal yet.
  socket.write(BODY)
  socket.write(rawHead('/', { ...HEADERS, 'content-length': 2 }))
  socket.write('{}')
  await expect.poll(() => received.match(/HTTP\/1\.1 \d+/g)).toHaveLength(2)
  expect(reset).toBeUndefined()
  socket.destroy()
  await service.stop()
})
