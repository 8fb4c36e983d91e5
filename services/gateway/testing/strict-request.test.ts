// The tests of the gateway trust this parser: it must reject what lenient parsers repair.

import { expect, it } from 'vitest'
import { parseStrictRequest } from './strict-request.ts'

const HEAD = 'POST /x HTTP/1.1\r\nhost: a\r\nconnection: keep-alive\r\n'

it.each([
  ['no body', `${HEAD}\r\n`, 'none', '', ''],
  ['a length', `${HEAD}content-length: 3\r\n\r\nabcGET`, 'length', 'abc', 'GET'],
  ['chunks', `${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET`, 'chunked', 'abc', 'GET'],
])('G8 reads a request with %s to its end', (_name, bytes, framing, body, rest) => {
  expect(parseStrictRequest(bytes)).toMatchObject({ kind: 'request', request: { framing, body }, rest })
  expect(parseStrictRequest(bytes.slice(0, -rest.length - 1))).toEqual({ kind: 'unfinished' })
})

it.each([
  ['two framings', `${HEAD}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n`],
  ['a length twice', `${HEAD}content-length: 3\r\ncontent-length: 3\r\n\r\n`],
  ['zeros in front of a length', `${HEAD}content-length: 03\r\n\r\nabc`],
  ['another coding', `${HEAD}transfer-encoding: gzip, chunked\r\n\r\n`],
  ['a chunk extension', `${HEAD}transfer-encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n`],
  ['a trailer', `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\nx-a: 1\r\n\r\n`],
  ['a chunk that is too long', `${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n`],
  ['a bare line feed', 'POST /x HTTP/1.1\nhost: a\n\n'],
  ['a folded line', `${HEAD}x-a: b\r\n c\r\n\r\n`],
  ['a space before the colon', `${HEAD}x-a : b\r\n\r\n`],
  ['no host', 'GET /x HTTP/1.1\r\n\r\n'],
  ['another version', 'GET /x HTTP/1.0\r\nhost: a\r\n\r\n'],
  ['an absolute target', 'GET http://a/x HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['a header for one connection', `${HEAD}te: trailers\r\n\r\n`],
  ['an option of the client', 'GET /x HTTP/1.1\r\nhost: a\r\nconnection: keep-alive, cookie\r\n\r\n'],
])('G8 refuses %s', (_name, bytes) => {
  expect(parseStrictRequest(bytes)).toMatchObject({ kind: 'malformed' })
})
