// Messages of React's development build, version 19.3; infra/e2e checks that a real page still reports differences.

import { expect, test } from 'vitest'
import { attributesOf, differenceOfConsole, differenceOfError } from '../testing.ts'

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

test('V2 reads differing attributes from React’s console message', () => {
  const difference = differenceOfConsole([
    "A tree hydrated but some attributes of the server rendered HTML didn't match the client properties. %s%s",
    'https://react.dev/link/hydration-mismatch',
    '\n\n  <p\n+   className="b"\n-   className="a"\n  >\n',
  ])
  expect(difference).toMatchObject({ server: 'className="a"', browser: 'className="b"' })
  const more = {
    server: 'title="a"\nstyle={{color: "red"}}\nid="x"',
    browser: 'title="b"\nid="x"\nwords = of text',
    tree: '',
  }
  expect(attributesOf(more)).toEqual(['title', 'style'])
})

test('V2 finds no difference in other errors and console messages', () => {
  expect(differenceOfError('boom')).toBeUndefined()
  expect(differenceOfConsole(['boom', 'A tree hydrated but some attributes'])).toBeUndefined()
  expect(differenceOfConsole([new Error('A tree hydrated but some attributes')])).toBeUndefined()
  expect(differenceOfConsole([])).toBeUndefined()
})
