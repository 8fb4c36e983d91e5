import { expect, test } from 'vitest'
import { afterExit, NO_EXITS, SettingsRefusedError } from './restart-policy.ts'

type Exit = Parameters<typeof afterExit>[1]
type Restart = ReturnType<typeof afterExit>

const KILLED: Exit = { name: 'images', code: null, signal: 'SIGKILL', ranMs: 1000, wasReady: true }

/** The results of exits one after the other. */
function resultsOf(exits: Exit[]): Restart[] {
  let state = NO_EXITS
  return exits.map((exit) => {
    const restart = afterExit(state, exit)
    if (restart.kind === 'restart') state = restart.state
    return restart
  })
}

const pauses = (exits: Exit[]) =>
  resultsOf(exits).map((restart) => (restart.kind === 'restart' ? restart.pauseMs : restart.error.message))

test('O1 a service that was ready starts again after pauses that double up to 10 s', () => {
  expect(pauses(Array(8).fill(KILLED))).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
  expect(resultsOf([KILLED])).toMatchObject([{ message: 'images was ended by SIGKILL; starting it again in 250 ms' }])
})

test('O1 a service that ran for more than 30 s starts again with the shortest pause', () => {
  const steady = { ...KILLED, ranMs: 30_001 }
  expect(pauses([KILLED, KILLED, { ...KILLED, ranMs: 30_000 }, steady, KILLED])).toEqual([250, 500, 1000, 250, 500])
})

test('O1 the stack gives up at the third exit before the service is ready', () => {
  const failed: Exit = { ...KILLED, code: 3, signal: null, wasReady: false }
  const message = 'images ended with code 3 before it was ready, 3 times; see its own message above'
  expect(pauses([failed, failed, failed])).toEqual([250, 500, message])
})

test('O1 the stack gives up on rejected settings, unless the service was ready before', () => {
  const rejected: Exit = { ...KILLED, code: 78, signal: null, wasReady: false }
  expect(resultsOf([rejected])).toEqual([{ kind: 'give-up', error: expect.any(SettingsRefusedError) }])
  expect(pauses([{ ...rejected, wasReady: true }])).toEqual([250])
})
