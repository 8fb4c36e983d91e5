import { expect, test } from 'vitest'
import { orderStyles } from '../testing.ts'

test.each([
  [
    'those of _app, of the page, and of code that came later',
    { ids: 'late b app a', app: 'app', page: 'a b', others: 'a b' },
    { order: 'app a b late', hidden: '' },
  ],
  [
    'those of other pages do not apply',
    { ids: 'app a b old', app: 'app', page: 'b a', others: 'a b old a' },
    { order: 'app b a old', hidden: 'old' },
  ],
  [
    'a sheet of _app keeps its place where a page imports it again',
    { ids: 'reset theme own', app: 'reset theme', page: 'theme own reset', others: 'theme own reset' },
    { order: 'reset theme own', hidden: '' },
  ],
  [
    'a sheet that the browser does not have yet is left out',
    { ids: 'app', app: 'app', page: 'a', others: 'a' },
    { order: 'app', hidden: '' },
  ],
])('V1 N7 %s', (_, { ids, ...known }, { order, hidden }) => {
  const words = (text: string) => text.split(' ').filter((word) => word !== '')
  const { app, page, others } = known
  expect(orderStyles(words(ids), { app: words(app), page: words(page), others: words(others) })).toEqual({
    order: words(order),
    hidden: words(hidden),
  })
})
