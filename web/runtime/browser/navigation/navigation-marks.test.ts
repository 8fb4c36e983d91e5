import { afterEach, expect, test } from 'vitest'
import { createEvents } from '../tab.ts'
import { markNavigations } from '../testing.ts'

afterEach(() => performance.clearMarks())

test('N2 marks start and commit of the last navigation in the timeline, and keeps no earlier marks', () => {
  const events = createEvents()
  markNavigations(events)
  for (const url of ['/first', '/second']) {
    events.emit('routeChangeStart', url, { shallow: false })
    events.emit('routeChangeComplete', url, { shallow: false })
  }
  const marks = performance.getEntriesByType('mark') as PerformanceMark[]
  expect(marks.map(({ name, detail }) => [name, detail])).toEqual([
    ['portico:navigation-start', { url: '/second' }],
    ['portico:navigation-commit', { url: '/second' }],
  ])
})
