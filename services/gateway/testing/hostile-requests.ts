// For tests: requests composed of odd methods, targets, versions, header lines, framings and bodies. Most parts of a request
// are in order, so that most requests pass the first checks. `ID` is replaced by a word that no other request contains.

import fc from 'fast-check'

export interface HostileConnection {
  /** Requests as they are written one after the other. */
  requests: string[]
  /** Lengths of the pieces in which the bytes are written; the rest is the last piece. */
  pieces: number[]
}

const often = <T>(usual: readonly T[], odd: readonly T[], share = 30) =>
  fc.oneof({ weight: share, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })

const SMUGGLED = 'GET /api/ID-smuggled HTTP/1.1\r\nHost: a\r\nX-Pad: '

const method = often(
  ['GET', 'GET', 'POST', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'PATCH', 'PROPFIND', 'QUERY'],
  ['TRACE', 'CONNECT', 'BREW', 'get', 'PRI', 'G ET', '', 'GET\t', 'PURGE', '\r\nGET'],
)
const target = often(
  [
    ...['/api/ID', '/api/ID', '/api/ID', '/api/ID?a=%2F&b', '/api/ID?a=%2F&b', '/api/x/../ID'],
    ...['/page/ID', '/_portico/data/build1/ID.json', '/_portico/image?url=ID'],
  ],
  [
    '//api/ID',
    '/api/ID/',
    '/api/ID%00',
    '/api/ID%zz',
    '/api/ID#x',
    '/api/ID x',
    '/api/ID\xff',
    '/api/ID\\x',
    'http://evil.example/api/ID',
    'api/ID',
    '*',
    '/_portico/static/ID.js',
    '/api/ID\r\nX-Second: line',
  ],
)
const version = often(
  ['HTTP/1.1'],
  ['HTTP/1.0', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', ''],
)
const host = often(
  ['Host: a', 'host:\ta.example:80 '],
  ['Host: a\r\nHost: b', 'X-No: host', 'Host: a/b', 'Host : a', 'Host:'],
)

const tokens = [
  ...['close', 'keep-alive', 'upgrade', 'te', 'trailer', 'proxy-connection', 'http2-settings', 'x-absent', '', ' \t'],
  ...['content-length', 'transfer-encoding', 'host', 'cookie', 'x-a', 'x-forwarded-for', 'x-request-id', 'connection'],
  ...[
    'Content-LENGTH',
    'content-length;',
    '\x0bcontent-length',
    '"content-length"',
    'traceparent',
    'portico-internal-a',
  ],
]
/** Tokens in front are harmless, and chosen more often. */
const connection = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...tokens.slice(0, 10)) },
      { weight: 1, arbitrary: fc.constantFrom(...tokens) },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((options) => `Connection: ${options.join(', ')}`)

const header = fc.oneof(
  { weight: 4, arbitrary: connection },
  {
    weight: 16,
    arbitrary: fc.constantFrom(
      ...['Cookie: a=1', 'X-A: b', 'X-A:', 'Accept: */*', 'Upgrade: websocket', 'Upgrade: h2c\r\nHTTP2-Settings: AAMA'],
      ...['TE: trailers', 'Trailer: x-t', 'Expect: 100-continue', 'X-Forwarded-For: 1.2.3.4', 'Forwarded: for=1.2.3.4'],
      ...[
        'Portico-Internal-Route: /x',
        'Proxy-Connection: keep-alive',
        'Keep-Alive: timeout=5',
        'X-Request-Id: forged',
      ],
      ...['Content-Type: application/x-www-form-urlencoded', 'Portico-Action: a', 'X-B: \xe9\xff', '__proto__: a'],
      ...[
        'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'If-None-Match: "a"',
        'Range: bytes=0-1',
      ],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['X-Fold: a\r\n b', 'X-Fold: a\r\n\tContent-Length: 5', 'X-Cr: a\rContent-Length: 5', 'X-Lf: a\nX-B: c'],
      ...[
        'X-Zero: a\0b',
        'X Space: a',
        'X-Space : a',
        'no colon',
        ': no name',
        'Expect: other',
        'Content\x00-Length: 5',
      ],
      ...['Content_Length: 5', 'Transfer_Encoding: chunked', 'X-Lf: a\n\nGET /api/ID-smuggled HTTP/1.1', 'Te\x85: a'],
    ),
  },
)

const content = fc.oneof(
  fc.constantFrom(
    '',
    'a=1',
    'x'.repeat(300),
    '0\r\n\r\n',
    '\r\n',
    '\r\n\r\n',
    `${SMUGGLED}\r\n\r\n`,
    'x'.repeat(70_000),
  ),
  fc.string({ unit: fc.constantFrom('a', '\r\n', '0', ' ', ':', '\xff', '5\r\n'), maxLength: 20 }),
)

const hex = (length: number) => length.toString(16)
const chunked = (text: string, at: number) => {
  const [front, back] = [text.slice(0, at), text.slice(at)]
  return [front, back].filter((part) => part !== '').map((part) => `${hex(part.length)}\r\n${part}\r\n`)
}

/** Header lines and the bytes behind the head. */
const body: fc.Arbitrary<[lines: string[], bytes: string]> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<[string[], string]>([[], '']) },
  { weight: 8, arbitrary: content.map((text): [string[], string] => [[`Content-Length: ${text.length}`], text]) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        content,
        fc.nat(40),
        often(['0\r\n\r\n'], ['0;x=y\r\n\r\n', '00\r\nX-T: 1\r\n\r\n', '0\r\nContent-Length: 5\r\n\r\n']),
      )
      .map(([text, at, end]): [string[], string] => [['Transfer-Encoding: chunked'], chunked(text, at).join('') + end]),
  },
  {
    // A framing that says something else than the bytes, or two things.
    weight: 1,
    arbitrary: fc
      .tuple(
        content,
        fc.constantFrom(
          ...[
            'Content-Length: 5',
            'Content-Length: 0',
            'Content-Length: 99',
            'Content-Length: +1',
            'Content-Length: 1, 1',
          ],
          ...['Content-Length: 0x1', 'Content-Length: ', 'Content-Length: 1e1', 'Content-Length: 18446744073709551617'],
          ...['Content-Length: 3\r\nContent-Length: 3', 'Content-Length: 3\r\nTransfer-Encoding: chunked'],
          ...[
            'Transfer-Encoding: chunked\r\nContent-Length: 3',
            'Transfer-Encoding: identity',
            'Transfer-Encoding: gzip',
          ],
          ...['Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, gzip', 'Transfer-Encoding: xchunked'],
          ...[
            'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
            'Transfer-Encoding:\x0bchunked',
            'Transfer-Encoding:',
          ],
          ...[
            'Transfer-Encoding:\r\n chunked',
            'Transfer-Encoding : chunked',
            'Content-Length : 5',
            'Transfer-Encoding: CHUNKED',
          ],
        ),
        fc.boolean(),
      )
      .map(([text, line, asChunks]): [string[], string] => [
        [line],
        asChunks ? `${chunked(text, 7).join('')}0\r\n\r\n` : text,
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        ...[
          'zz\r\nabc\r\n0\r\n\r\n',
          '-1\r\nabc\r\n',
          '3\nabc\n0\n\n',
          '3\r\nabcd\r\n0\r\n\r\n',
          '3 \r\nabc\r\n0\r\n\r\n',
          '0x3\r\nabc\r\n',
        ],
        ...[
          'fffffffffffffffff\r\nabc',
          '3;\nGET /api/ID-smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
          '3\r\nabc0\r\n\r\n',
          '0\r\nX : a\r\n\r\n',
        ],
        ...[
          '0\n\n',
          '3\r\nabc\r\n0\r\n\rX',
          '3\r\nabc\r\n0\r\nX-T: a\nb\r\n\r\n',
          ' 3\r\nabc\r\n0\r\n\r\n',
          '3;a="\r\nabc\r\n0\r\n\r\n',
        ],
      )
      .map((bytes): [string[], string] => [['Transfer-Encoding: chunked'], bytes]),
  },
)

const request = fc
  .record({ method, target, version, host, headers: fc.array(header, { maxLength: 4 }), body, at: fc.nat(5) })
  .map(({ method, target, version, host, headers, body: [lines, bytes], at }) => {
    const all = [host, ...headers]
    // Framing in front of, between and behind the other headers.
    all.splice(at, 0, ...lines)
    return `${method} ${target} ${version}\r\n${all.join('\r\n')}\r\n\r\n${bytes}`
  })

/** One connection of a client. */
export const hostileConnection: fc.Arbitrary<HostileConnection> = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 3 }),
  pieces: fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 3 }),
})
