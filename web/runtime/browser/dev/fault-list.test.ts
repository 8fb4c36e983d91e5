// The store of faults and warnings: what opens the overlay, and what keeps it closed.

import { expect, test } from 'vitest'
import { createFaults, type Fault } from './fault-list.ts'

const FAULT: Fault = { source: 'build', message: 'Unexpected token', file: 'pages/index.tsx', line: 3, stack: [] }

test('V2 opens the overlay again for a new fault, not for the same one', () => {
  const faults = createFaults(() => {})
  faults.add(FAULT)
  faults.dismiss()
  faults.add({ ...FAULT, digest: '0123456789' })
  expect(faults.state()).toMatchObject({ isDismissed: true, faults: [{ digest: '0123456789' }] })
  faults.add({ ...FAULT, line: 4 })
  expect(faults.state()).toMatchObject({ isDismissed: false, faults: [{ line: 3 }, { line: 4 }] })
})

test('V2 removes a cleared fault and keeps the others', () => {
  const counts: number[] = []
  const faults = createFaults((state) => counts.push(state.faults.length))
  faults.add(FAULT)
  faults.add({ ...FAULT, source: 'data' })
  faults.clear(({ source }) => source === 'build')
  faults.clear(({ source }) => source === 'build')
  expect(faults.state().faults.map(({ source }) => source)).toEqual(['data'])
  expect(counts).toEqual([1, 2, 1])
})

test('V2 shows a fault that was cleared and occurs again', () => {
  const faults = createFaults(() => {})
  faults.add(FAULT)
  faults.dismiss()
  faults.clear(() => true)
  faults.add(FAULT)
  expect(faults.state().isDismissed).toBe(false)
})

test('V2 keeps the latest twenty of many faults', () => {
  const faults = createFaults(() => {})
  for (let line = 1; line <= 100; line++) faults.add({ ...FAULT, line })
  expect(faults.state().faults.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, index) => 81 + index))
})

test('V2 replaces the warnings of one group, and reports only what changes', () => {
  let changes = 0
  const faults = createFaults(() => changes++)
  faults.setWarnings('server', [{ text: 'slow' }])
  faults.setWarnings('images', [{ text: 'no alt' }])
  faults.setWarnings('images', [{ text: 'no alt' }])
  expect(faults.state().warnings).toEqual([{ text: 'slow' }, { text: 'no alt' }])
  expect(changes).toBe(2)
  faults.setWarnings('images', [])
  faults.setWarnings('server', [])
  expect(faults.state().warnings).toEqual([])
})

test('V2 an error whose place is read while its code is replaced is not shown', async () => {
  const faults = createFaults(() => {})
  const { promise, resolve } = Promise.withResolvers<Fault>()
  const added = faults.addOfCode(promise)
  faults.add({ ...FAULT, source: 'hydration' })
  faults.add(FAULT)
  faults.replaceCode()
  resolve({ ...FAULT, source: 'browser' })
  await added
  expect(faults.state().faults).toEqual([FAULT])
  await faults.addOfCode(Promise.resolve({ ...FAULT, source: 'browser' }))
  expect(faults.state().faults.map(({ source }) => source)).toEqual(['build', 'browser'])
})
