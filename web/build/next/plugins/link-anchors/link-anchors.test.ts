import { expect, test } from 'vitest'
import { anchorsInLinks } from './link-anchors.ts'

const found = (jsx: string, imported = "import Link from 'next/link'") =>
  anchorsInLinks(`${imported}\nexport const a = (\n  ${jsx}\n)`, '/app/a.tsx', 'a.tsx')

test.each([
  '<Link href="/"><a>a</a></Link>',
  '<Link href="/">\n    <a className="b">a</a>\n    {/* c */}\n  </Link>',
  '<Link href="/" legacyBehavior={false}>{<a>a</a>}</Link>',
])('X2 names a link with an <a> as its child, with its place: %j', (jsx) => {
  expect(found(jsx)).toEqual([
    expect.stringMatching(/^a\.tsx:3:3: <Link> with an <a> .*; remove the <a>, or add legac/),
  ])
})

test('X2 names a link by the name that the module has for it', () => {
  const jsx = '<nav><To href="/"><a>a</a></To></nav>'
  expect(found(jsx, "import To from 'next/link'")).toHaveLength(1)
  expect(found(jsx, "import { default as To } from 'next/link.js'")).toHaveLength(1)
  expect(found(jsx, "const To = require('next/link')")).toHaveLength(1)
  expect(found(jsx, "const To = require('next/link').default")).toHaveLength(1)
  expect(found(jsx, "const a = 1, { default: To } = require('next/link')")).toHaveLength(1)
  expect(found(jsx, "const { To } = require('next/link')")).toEqual([])
})

test.each([
  '<Link href="/">a</Link>',
  '<Link href="/" legacyBehavior><a>a</a></Link>',
  '<Link href="/" legacyBehavior={old}><a>a</a></Link>',
  '<Link {...old}><a>a</a></Link>',
  '<Link href="/"><a>a</a> b</Link>',
  '<Link href="/"><b><a>a</a></b></Link>',
  '<Other href="/"><a>a</a></Other>',
])('X2 names no link for which development throws no error, or that is decided at run time: %j', (jsx) => {
  expect(found(jsx)).toEqual([])
})
