import { expect, test } from 'vitest'
import { createSharedWork, type WorkPiece } from './shared-work.ts'

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

test('I6 does identical work once for all requests that arrive meanwhile', async () => {
  const sharedWork = createSharedWork<number>()
  const work = deferred<number>()
  let runs = 0
  const join = () =>
    sharedWork.join('k', { signal: never(), class: 'viewer' }, () => {
      runs++
      return work.promise
    })
  const joined = Promise.all([join(), join(), join()])
  work.resolve(7)
  expect(await joined).toEqual([7, 7, 7])
  expect(runs).toBe(1)
  expect(sharedWork.has('k')).toBe(false)
})

test('I6 rejects all waiters after a fault, and starts the work again for the next request', async () => {
  const sharedWork = createSharedWork<number>()
  const options = { signal: never(), class: 'viewer' } as const
  const both = [0, 1].map(() => sharedWork.join('k', options, () => Promise.reject(new Error('broken'))))
  for (const one of both) await expect(one).rejects.toThrow('broken')
  expect(await sharedWork.join('k', options, async () => 1)).toBe(1)
})

test('I7 a client that closes its connection does not affect the others', async () => {
  const sharedWork = createSharedWork<number>()
  const work = deferred<number>()
  const leaver = new AbortController()
  let context: WorkPiece | undefined
  const run = (piece: WorkPiece) => {
    context = piece
    return work.promise
  }
  const left = sharedWork.join('k', { signal: leaver.signal, class: 'viewer' }, run)
  const stayed = sharedWork.join('k', { signal: never(), class: 'viewer' }, run)
  leaver.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(context?.signal.aborted).toBe(false)
  work.resolve(5)
  expect(await stayed).toBe(5)
})

test('I7 aborts the work when the last client has left, and no request joins the aborted work', async () => {
  const sharedWork = createSharedWork<number>()
  const leavers = [new AbortController(), new AbortController()]
  let aborted = false
  const run = ({ signal }: WorkPiece) =>
    new Promise<number>((_, failed) => {
      signal.addEventListener('abort', () => {
        aborted = true
        failed(signal.reason)
      })
    })
  const waiting = leavers.map(({ signal }) => sharedWork.join('k', { signal, class: 'viewer' }, run))
  for (const leaver of leavers) leaver.abort(new Error('gone'))
  for (const one of waiting) await expect(one).rejects.toThrow('gone')
  expect(aborted).toBe(true)
  expect(await sharedWork.join('k', { signal: never(), class: 'viewer' }, async () => 2)).toBe(2)
})

test('I7 a viewer who joins a refresh makes the refresh urgent', async () => {
  const sharedWork = createSharedWork<number>()
  const work = deferred<number>()
  let context: WorkPiece | undefined
  const run = (piece: WorkPiece) => {
    context = piece
    return work.promise
  }
  const first = sharedWork.join('k', { signal: never(), class: 'refresh' }, run)
  expect(context?.urgency.class).toBe('refresh')
  const second = sharedWork.join('k', { signal: never(), class: 'viewer' }, run)
  expect(context?.urgency.class).toBe('viewer')
  work.resolve(1)
  await Promise.all([first, second])
})

test('I6 I7 committed work runs to its end after every waiter has left, and later requests join it', async () => {
  const sharedWork = createSharedWork<number>()
  const work = deferred<number>()
  const leaver = new AbortController()
  let context: WorkPiece | undefined
  const run = (piece: WorkPiece) => {
    context = piece
    const { commit } = piece
    commit()
    return work.promise
  }
  const left = sharedWork.join('k', { signal: leaver.signal, class: 'viewer' }, run)
  leaver.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(context?.signal.aborted).toBe(false)
  const joined = sharedWork.join('k', { signal: never(), class: 'viewer' }, () => Promise.resolve(0))
  work.resolve(5)
  expect(await joined).toBe(5)
  expect(sharedWork.has('k')).toBe(false)
})
