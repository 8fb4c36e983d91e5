// React's own words, as its development build of 19.3 says them; infra/e2e sees them come from a real page.

import { expect, test } from 'vitest'
import { differenceOfConsole, differenceOfError } from './hydration.ts'

const HEAD = "Hydration failed because the server rendered text didn't match the client. As a result …\n\n"
const DIFF = `

  <Root first={{route:"/", ...}}>
    <main>
      <p>
+       12:00:01
-       12:00:00
`

test('V2 reads both texts of a hydration difference', () => {
  expect(differenceOfError(`${HEAD}https://react.dev/link/hydration-mismatch${DIFF}`)).toEqual({
    server: '12:00:00',
    browser: '12:00:01',
    tree: DIFF.replace(/^\n+|\n$/g, ''),
  })
})

test('V2 reads attributes that differ from what React writes to the console', () => {
  const difference = differenceOfConsole([
    "A tree hydrated but some attributes of the server rendered HTML didn't match the client properties. %s%s",
    'https://react.dev/link/hydration-mismatch',
    '\n\n  <p\n+   className="b"\n-   className="a"\n  >\n',
  ])
  expect(difference).toMatchObject({ server: 'className="a"', browser: 'className="b"' })
})

test('V2 takes other errors and lines of the console for what they are', () => {
  expect(differenceOfError('boom')).toBeUndefined()
  expect(differenceOfConsole(['boom', 'A tree hydrated but some attributes'])).toBeUndefined()
  expect(differenceOfConsole([new Error('A tree hydrated but some attributes')])).toBeUndefined()
  expect(differenceOfConsole([])).toBeUndefined()
})
