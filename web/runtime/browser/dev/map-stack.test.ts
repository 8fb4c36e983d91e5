// Mapped stacks, and source maps compared with Node's own reader.

import { SourceMap as NodeSourceMap } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSourceMap } from '../testing.ts'
import { createMapStack } from './map-stack.ts'

const BASE = '/shop/_portico/dev/'
const SITE = 'http://site.test:8080'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function encodeNumber(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>= 5
    text += DIGITS[rest > 0 ? digit | 32 : digit]
  } while (rest > 0)
  return text
}

function inline(map: { mappings: string; source: string }): string {
  const json = JSON.stringify({
    version: 3,
    sources: ['index.tsx'],
    names: [],
    sourcesContent: [map.source],
    mappings: map.mappings,
  })
  return `code\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(json).toString('base64')}\n`
}

test('V2 reads source maps as Node does', () => {
  const segment = fc.record({
    step: fc.nat(300),
    line: fc.nat(2000),
    column: fc.nat(200),
    isMapped: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(fc.array(segment, { maxLength: 6 }), { maxLength: 8 }), (lines) => {
      let [line, column] = [0, 0]
      const mappings = lines
        .map((segments) =>
          segments
            .map((each) => {
              const step = encodeNumber(each.step + 1)
              if (!each.isMapped) return step
              const text = step + encodeNumber(0) + encodeNumber(each.line - line) + encodeNumber(each.column - column)
              ;[line, column] = [each.line, each.column]
              return text
            })
            .join(','),
        )
        .join(';')
      const map = parseSourceMap(inline({ mappings, source: 'ä' }))!
      const node = new NodeSourceMap({
        file: '',
        version: 3,
        sources: ['index.tsx'],
        sourcesContent: [],
        names: [],
        mappings,
        sourceRoot: '',
      })
      expect(map.source).toBe('ä')
      for (const [index, segments] of lines.entries()) {
        let at = 0
        for (const each of segments) {
          at += each.step + 1
          const entry = node.findEntry(index, at)
          const expected = 'originalLine' in entry && entry.originalSource !== undefined && each.isMapped
          expect(map.find(index + 1, at)).toEqual(
            expected ? { line: entry.originalLine + 1, column: entry.originalColumn } : undefined,
          )
        }
      }
    }),
  )
})

test('V2 reads no map from a module without a readable one', () => {
  expect(parseSourceMap('code')).toBeUndefined()
  expect(parseSourceMap('//# sourceMappingURL=data:application/json;base64,AAAA')).toBeUndefined()
  expect(parseSourceMap('//# sourceMappingURL=index.js.map')).toBeUndefined()
})

test('V2 maps a stack to the author’s files, with the frame of the first, and requests each module once', async () => {
  const requested: string[] = []
  const source = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'].join('\n')
  // The served line 1, from column 0, came from line 6, column 2.
  const mapStack = createMapStack(BASE, async (url) => {
    requested.push(url)
    return inline({ mappings: 'AAKE', source })
  })
  const mapped = await mapStack(
    [
      `    at renderWithHooks (${SITE}${BASE}@fs/repo/node_modules/.vite/deps/react-dom_client.js?v=1:9:9)`,
      `    at useMemo (${SITE}${BASE}.portico/vite/deps/react-DgVJeC5g.js?v=1:9:9)`,
      `    at Page (${SITE}${BASE}pages/index.tsx?t=1:1:8)`,
      `    at Page (${SITE}${BASE}pages/index.tsx?t=1:1:9)`,
      `    at Root (${SITE}${BASE}@fs/repo/web/runtime/browser/root.tsx:1:1)`,
    ].join('\n'),
  )
  expect(mapped.stack).toEqual([
    { name: 'renderWithHooks', file: 'react-dom/client', line: 9, column: 9 },
    { name: 'useMemo', file: 'react', line: 9, column: 9 },
    { name: 'Page', file: 'pages/index.tsx', line: 6, column: 3 },
    { name: 'Page', file: 'pages/index.tsx', line: 6, column: 3 },
    { name: 'Root', file: '/repo/web/runtime/browser/root.tsx', line: 6, column: 3 },
  ])
  expect(mapped.place).toMatchObject({ file: 'pages/index.tsx', line: 6, column: 3 })
  expect(mapped.place?.frame?.map(({ line, isFault }) => (isFault ? -line : line))).toEqual([2, 3, 4, 5, -6, 7, 8, 9])
  expect(requested).toHaveLength(2)
})

test('V2 finds the author’s line below more frames of a package than are shown', async () => {
  const mapStack = createMapStack(BASE, () => Promise.reject(new Error('gone')))
  const deep = Array.from({ length: 60 }, () => `    at visit (${SITE}${BASE}.portico/vite/deps/ajv.js?v=1:9:9)`)
  const { stack, place } = await mapStack([...deep, `    at Page (${SITE}${BASE}pages/index.tsx:3:4)`].join('\n'))
  expect(place).toEqual({ file: 'pages/index.tsx', line: 3, column: 4 })
  expect([stack.length, stack.at(-1)?.file]).toEqual([31, 'pages/index.tsx'])
})

test('V2 an error of a stub of server code is at the line that uses it', async () => {
  const mapStack = createMapStack(BASE, () => Promise.reject(new Error('gone')))
  const stub = `    at fail (${SITE}${BASE}@id/__x00__portico:server-code:03661179:1:28)`
  const { place } = await mapStack(`${stub}\n    at Part (${SITE}${BASE}components/part.tsx:3:4)`)
  expect(place).toMatchObject({ file: 'components/part.tsx', line: 3 })
})

test('V2 shows the served position of a module that is no longer served', async () => {
  const mapStack = createMapStack(BASE, () => Promise.reject(new Error('gone')))
  const mapped = await mapStack(`    at Page (${SITE}${BASE}pages/index.tsx:3:4)`)
  expect(mapped).toEqual({
    stack: [{ name: 'Page', file: 'pages/index.tsx', line: 3, column: 4 }],
    place: { file: 'pages/index.tsx', line: 3, column: 4 },
  })
})
