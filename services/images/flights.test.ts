import { expect, test } from 'vitest'
import { createFlights, type FlightContext } from './flights.ts'

const never = () => new AbortController().signal

function deferred<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}

test('I6 does identical work once for all who ask meanwhile', async () => {
  const flights = createFlights<number>()
  const work = deferred<number>()
  let runs = 0
  const ask = () =>
    flights.join('k', { signal: never(), class: 'viewer' }, () => {
      runs++
      return work.promise
    })
  const asked = Promise.all([ask(), ask(), ask()])
  work.resolve(7)
  expect(await asked).toEqual([7, 7, 7])
  expect(runs).toBe(1)
  expect(flights.size).toBe(0)
})

test('I6 hands a fault to everyone and starts anew afterwards', async () => {
  const flights = createFlights<number>()
  const options = { signal: never(), class: 'viewer' } as const
  const both = [0, 1].map(() => flights.join('k', options, () => Promise.reject(new Error('broken'))))
  for (const one of both) await expect(one).rejects.toThrow('broken')
  expect(await flights.join('k', options, async () => 1)).toBe(1)
})

test('I7 a visitor who leaves does not disturb the others', async () => {
  const flights = createFlights<number>()
  const work = deferred<number>()
  const leaver = new AbortController()
  let context: FlightContext | undefined
  const run = (flight: FlightContext) => {
    context = flight
    return work.promise
  }
  const left = flights.join('k', { signal: leaver.signal, class: 'viewer' }, run)
  const stayed = flights.join('k', { signal: never(), class: 'viewer' }, run)
  leaver.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(context?.signal.aborted).toBe(false)
  work.resolve(5)
  expect(await stayed).toBe(5)
})

test('I7 aborts the work when the last visitor has left, and nobody joins it any more', async () => {
  const flights = createFlights<number>()
  const leavers = [new AbortController(), new AbortController()]
  let aborted = false
  const run = ({ signal }: FlightContext) =>
    new Promise<number>((_, failed) => {
      signal.addEventListener('abort', () => {
        aborted = true
        failed(signal.reason)
      })
    })
  const asked = leavers.map(({ signal }) => flights.join('k', { signal, class: 'viewer' }, run))
  for (const leaver of leavers) leaver.abort(new Error('gone'))
  for (const one of asked) await expect(one).rejects.toThrow('gone')
  expect(aborted).toBe(true)
  expect(await flights.join('k', { signal: never(), class: 'viewer' }, async () => 2)).toBe(2)
})

test('I7 a viewer who joins a refresh makes it urgent', async () => {
  const flights = createFlights<number>()
  const work = deferred<number>()
  let context: FlightContext | undefined
  const run = (flight: FlightContext) => {
    context = flight
    return work.promise
  }
  const first = flights.join('k', { signal: never(), class: 'refresh' }, run)
  expect(context?.urgency.class).toBe('refresh')
  const second = flights.join('k', { signal: never(), class: 'viewer' }, run)
  expect(context?.urgency.class).toBe('viewer')
  work.resolve(1)
  await Promise.all([first, second])
})

test('I6 I7 committed work is finished though every waiter has left, and newcomers join it', async () => {
  const flights = createFlights<number>()
  const work = deferred<number>()
  const leaver = new AbortController()
  let context: FlightContext | undefined
  const run = (flight: FlightContext) => {
    context = flight
    flight.commit()
    return work.promise
  }
  const left = flights.join('k', { signal: leaver.signal, class: 'viewer' }, run)
  leaver.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(context?.signal.aborted).toBe(false)
  const joined = flights.join('k', { signal: never(), class: 'viewer' }, () => Promise.resolve(0))
  work.resolve(5)
  expect(await joined).toBe(5)
  expect(flights.size).toBe(0)
})
