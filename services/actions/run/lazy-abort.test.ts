import { expect, it } from 'vitest'
import { createLazyAbort } from './run.ts'

it('A7 aborts earlier and later signals with the first reason', () => {
  const early = createLazyAbort()
  const reasons: unknown[] = []
  early.signal.addEventListener('abort', () => reasons.push(early.signal.reason))
  early.abort('first')
  early.abort('second')
  expect(reasons).toEqual(['first'])

  const late = createLazyAbort()
  late.abort('gone')
  late.abort('again')
  expect([late.signal.aborted, late.signal.reason]).toEqual([true, 'gone'])
  expect(late.signal).toBe(late.signal)
  expect(createLazyAbort().signal.aborted).toBe(false)
})
