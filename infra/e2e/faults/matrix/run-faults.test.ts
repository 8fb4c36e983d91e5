import { expect, it } from 'vitest'
import { submissionFaults, type Visit } from '../replicas/traffic.ts'
import { faultTable } from './fault-table.ts'
import { summarize } from './run-faults.ts'

const visit = (at: number, ms: number, more: Partial<Visit> = {}): Visit => ({
  kind: 'page',
  at,
  ms,
  result: 'ok',
  name: '',
  detail: '',
  ...more,
})

it('G2 the fault table counts what failed, what no gateway can repeat, and the pause', () => {
  const visits = [
    visit(0, 900),
    visit(900, 2100, { kind: 'streamed', result: 'cut' }),
    visit(990, 50, { kind: 'action', result: 'status 502' }),
    visit(1100, 1200),
    visit(1200, 20, { kind: 'image', result: 'status 503' }),
    visit(1300, 3000, { kind: 'streamed' }),
    visit(1400, 20, { kind: 'action', result: 'status 503' }),
    visit(5000, 20),
  ]
  expect(summarize(visits, { faultAt: 1000, service: 'actions' })).toEqual({
    sent: 8,
    failed: 2,
    interrupted: 2,
    longestMs: 1200,
    recoveryMs: 1300,
    failures: { 'image status 503': 1, 'action status 503': 1 },
  })
  expect(summarize(visits, { faultAt: 1000, service: 'renderer' })).toMatchObject({ failed: 3, interrupted: 1 })
})

it('A7 the fault table is not made when a submission ran twice, or had a response and did not run', () => {
  const action = (name: string, result = 'ok') => visit(0, 20, { kind: 'action', name, result })
  const visits = [action('a'), action('b', 'status 503'), action('c', 'reset')]
  const counts = (of: Record<string, number>) => new Map(Object.entries(of))
  expect(submissionFaults(visits, { begun: counts({ a: 1, c: 1 }), ended: counts({ a: 1 }) })).toEqual([])
  expect(submissionFaults(visits, { begun: counts({ a: 1, b: 2 }), ended: counts({ b: 2 }) })).toEqual([
    'submission a has a response and did not run to its end',
    'submission b ran 2 times',
  ])
  expect(submissionFaults([visit(0, 20)], { begun: counts({}), ended: counts({}) })).toEqual(['no submission was sent'])
})

it('G2 the documentation shows containers where they were run', () => {
  const base = {
    fault: 'kill',
    service: 'renderer',
    sent: 9,
    failed: 0,
    interrupted: 1,
    longestMs: 1234,
    recoveryMs: 432,
  } as const
  const rows = [
    { ...base, mode: 'processes', replicas: 1, failures: {} },
    { ...base, mode: 'containers', replicas: 2, failures: {} },
    { ...base, mode: 'containers', replicas: 1, failures: {} },
  ] as const
  const table = faultTable({ date: '', machine: '', perSecond: 25, rows: [...rows] })
  expect(table.trim().split('\n').slice(2)).toEqual([
    '| kill, 2 renderer | 0 of 9 | 1 | 1.2 s | 0.4 s |',
    '| kill, 1 renderer | 0 of 9 | 1 | 1.2 s | 0.4 s |',
  ])
})
