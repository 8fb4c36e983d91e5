// The store of faults and warnings: what brings the overlay up, what keeps it away.

import { expect, test } from 'vitest'
import { createFaults, type Fault } from './faults.ts'

const FAULT: Fault = { source: 'build', message: 'Unexpected token', file: 'pages/index.tsx', line: 3, stack: [] }

test('V2 brings the overlay back for a new fault, and not for the same one again', () => {
  const faults = createFaults(() => {})
  faults.add(FAULT)
  faults.dismiss()
  faults.add({ ...FAULT, digest: '0123456789' })
  expect(faults.state()).toMatchObject({ isDismissed: true, faults: [{ digest: '0123456789' }] })
  faults.add({ ...FAULT, line: 4 })
  expect(faults.state()).toMatchObject({ isDismissed: false, faults: [{ line: 3 }, { line: 4 }] })
})

test('V2 takes a mended fault away and keeps the others', () => {
  const told: number[] = []
  const faults = createFaults((state) => told.push(state.faults.length))
  faults.add(FAULT)
  faults.add({ ...FAULT, source: 'data' })
  faults.mend(({ source }) => source === 'build')
  faults.mend(({ source }) => source === 'build')
  expect(faults.state().faults.map(({ source }) => source)).toEqual(['data'])
  expect(told).toEqual([1, 2, 1])
})

test('V2 shows the fault that was mended and made again', () => {
  const faults = createFaults(() => {})
  faults.add(FAULT)
  faults.dismiss()
  faults.mend(() => true)
  faults.add(FAULT)
  expect(faults.state().isDismissed).toBe(false)
})

test('V2 keeps the latest twenty of many faults', () => {
  const faults = createFaults(() => {})
  for (let line = 1; line <= 100; line++) faults.add({ ...FAULT, line })
  expect(faults.state().faults.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, index) => 81 + index))
})

test('V2 tells a warning once and replaces those of one group', () => {
  let told = 0
  const faults = createFaults(() => told++)
  faults.warn({ text: 'slow' })
  faults.warn({ text: 'slow' })
  faults.setWarnings('pictures', [{ text: 'no alt' }])
  faults.setWarnings('pictures', [{ text: 'no alt' }])
  expect(faults.state().warnings).toEqual([{ text: 'slow' }, { text: 'no alt' }])
  expect(told).toBe(2)
  faults.setWarnings('pictures', [])
  faults.clearWarnings()
  expect(faults.state().warnings).toEqual([])
})
