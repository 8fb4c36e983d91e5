import { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { whenClosed } from './when-closed.ts'

test('G8 what waits for the end of a response is called once, in order, by one listener', () => {
  // The cast: a response reads the method and version of its request only.
  const response = new ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as never)
  const calls: number[] = []
  for (let call = 0; call < 20; call++) whenClosed(response, () => calls.push(call))
  expect(response.listenerCount('close')).toBe(1)
  response.emit('close')
  response.emit('close')
  expect(calls).toEqual([...calls.keys()])
  expect(calls).toHaveLength(20)
})
