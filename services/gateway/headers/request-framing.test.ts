import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { readFraming } from './framing.ts'

const framingOf = (headers: IncomingHttpHeaders, httpVersion = '1.1') =>
  readFraming({ headers, httpVersion } as IncomingMessage)

// The parser of node:http refuses most of these first, so that no request over HTTP shows this rule.
it.each<[what: string, headers: IncomingHttpHeaders, httpVersion?: string]>([
  ['two framings', { 'content-length': '3', 'transfer-encoding': 'chunked' }],
  ['two framings, one of them empty', { 'content-length': '0', 'transfer-encoding': 'chunked' }],
  ['another coding', { 'transfer-encoding': 'gzip' }],
  ['two codings', { 'transfer-encoding': 'gzip, chunked' }],
  ['chunks in HTTP/1.0', { 'transfer-encoding': 'chunked' }, '1.0'],
  ['two lengths', { 'content-length': '3, 3' }],
  ['a signed length', { 'content-length': '+3' }],
  ['a length above the safe integers', { 'content-length': '9007199254740992' }],
])('G8 does not pass on %s', (_what, headers, httpVersion) => {
  expect(framingOf(headers, httpVersion)).toBeUndefined()
})

it('G8 reads one framing', () => {
  expect(framingOf({})).toEqual({ kind: 'none' })
  expect(framingOf({ 'content-length': '0' })).toEqual({ kind: 'none' })
  expect(framingOf({ 'content-length': '3' })).toEqual({ kind: 'length', bytes: 3 })
  expect(framingOf({ 'transfer-encoding': 'Chunked' })).toEqual({ kind: 'chunked' })
})
