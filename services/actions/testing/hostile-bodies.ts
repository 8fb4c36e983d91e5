// Bodies that no browser sends, as the bytes of complete requests.

import type { Random } from '@portico/shared/kit/testing/random.ts'

interface Hostile {
  kind: string
  bytes: Buffer
  /** The connection ends before the body: no client waits for a response. */
  isCut?: boolean
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const MULTIPART_TYPE = 'multipart/form-data; boundary=B'
const POLLUTERS = ['__proto__', 'constructor', 'prototype']
/** The default limit of a body. */
const LIMIT_BYTES = 1_048_576

/** One request to the action `a`, whose input must be { text: string }; every request violates this rule. */
export function hostile(random: Random): Hostile {
  const kinds = [poison, deep, hugeArray, hugeNumber, badJson, badForm, badMultipart, tooManyParts, wrongLength, cut]
  return random.pick(kinds)(random)
}

const wrap = (random: Random, inner: string, levels: number) => {
  let text = inner
  for (let level = 0; level < levels; level++) text = random.next() < 0.5 ? `[${text}]` : `{"k${level}":${text}}`
  return text
}

function poison(random: Random): Hostile {
  const name = random.pick(POLLUTERS)
  const text = wrap(random, `{"${name}":{"admin":true,"text":"x"}}`, random.below(20))
  return { kind: 'poison', bytes: scripted(JSON_TYPE, `{"args":[${text}]}`) }
}

function deep(random: Random): Hostile {
  const text = wrap(random, '1', 33 + random.below(random.next() < 0.1 ? 20_000 : 200))
  return { kind: 'deep', bytes: scripted(JSON_TYPE, `{"args":[${text}]}`) }
}

function hugeArray(random: Random): Hostile {
  const item = random.pick(['0', '""', '{}', '[]', 'null', '{"text":1}'])
  const most = Math.floor((LIMIT_BYTES * 1.1) / (item.length + 1))
  const count = random.next() < 0.05 ? most : random.below(2000)
  return { kind: 'huge array', bytes: scripted(JSON_TYPE, `{"args":[[${new Array(count).fill(item).join(',')}]]}`) }
}

function hugeNumber(random: Random): Hostile {
  const digits = String(random.below(9) + 1).repeat(1 + random.below(random.next() < 0.1 ? 50_000 : 500))
  const number = random.pick([digits, `-${digits}`, `1e${digits}`, `0.${digits}`, `${digits}e-${digits.slice(0, 3)}`])
  return { kind: 'huge number', bytes: scripted(JSON_TYPE, `{"args":[{"text":${number}}]}`) }
}

function badJson(random: Random): Hostile {
  const whole = '{"args":[{"text":"abc"}],"bound":"x.y"}'
  const at = random.below(whole.length - 1)
  const text = random.pick([
    whole,
    whole.slice(0, at),
    `${whole.slice(0, at)}\u0000${whole.slice(at + 1)}`,
    `${whole}${whole}`,
    `\ufeff${whole}`,
    '{"args":"abc"}',
    '[]',
    'null',
    '',
  ])
  const body = random.next() < 0.2 ? Buffer.from([0xff, 0xfe, ...Buffer.from(text)]) : text
  return { kind: 'bad JSON', bytes: scripted(random.pick([JSON_TYPE, `${JSON_TYPE};charset=utf-16`]), body) }
}

function badForm(random: Random): Hostile {
  const field = random.pick([
    `${random.pick(POLLUTERS)}=1`,
    `${'n'.repeat(201 + random.below(500))}=1`,
    new Array(1001 + random.below(2000)).fill('a=1').join('&'),
    `a=${'x'.repeat(LIMIT_BYTES)}`,
    'nothing=of+the+kind',
    '$ACTION_REF_1=&$ACTION_1%3A0=%7B%22id%22%3A%22a%22%2C%22bound%22%3A%22x.y%22%7D',
    `$ACTION_REF_1=&$ACTION_1%3A0=${'['.repeat(random.below(3000))}`,
    '$ACTION_ID_toString=',
  ])
  // Half of them call the action without its text.
  const body = random.next() < 0.5 ? `$ACTION_ID_a=&${field}` : field
  return { kind: 'bad form', bytes: head({ 'content-type': FORM_TYPE }, body) }
}

const part = (name: string, value: string, more = '') =>
  `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`

function badMultipart(random: Random): Hostile {
  const body = random.pick([
    // Without arguments, with malformed arguments, with poisoned arguments.
    `${part('text', 'x')}--B--\r\n`,
    `${part('$args', '{"$portico":"form"}')}--B--\r\n`,
    `${part('$args', `[{"${random.pick(POLLUTERS)}":1}]`)}--B--\r\n`,
    `${part('$args', '['.repeat(2 + random.below(5000)))}--B--\r\n`,
    // Cut inside a header, inside a value, before the last boundary.
    `${part('$args', '[{"$portico":"form"}]')}${part('text', 'x').slice(0, random.below(40))}`,
    part('$args', '[{"$portico":"form"}]'),
    `--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n${part('$args', '[{"$portico":"form"}]')}--B--\r\n`,
    `${part(random.pick(POLLUTERS), 'x')}${part('$args', '[{"$portico":"form"}]')}--B--\r\n`,
    `${part('n'.repeat(201 + random.below(300)), 'x')}${part('$args', '[{"$portico":"form"}]')}--B--\r\n`,
    `--B\r\n${'X-Header: y\r\n'.repeat(3000)}\r\nx\r\n--B--\r\n`,
    '--C--\r\n',
    '',
  ])
  const type = random.pick([MULTIPART_TYPE, MULTIPART_TYPE, MULTIPART_TYPE, 'multipart/form-data', 'multipart/mixed'])
  return { kind: 'bad multipart', bytes: scripted(type, body) }
}

function tooManyParts(random: Random): Hostile {
  const file = () => part('f', 'x', '; filename="a.txt"')
  const parts =
    random.next() < 0.5 ? new Array(21 + random.below(30)).fill(file()) : new Array(1001).fill(part('a', ''))
  return {
    kind: 'too many parts',
    bytes: scripted(MULTIPART_TYPE, `${parts.join('')}${part('$args', '[{"$portico":"form"}]')}--B--\r\n`),
  }
}

function wrongLength(random: Random): Hostile {
  const body = '{"args":[{"text":"abc"}]}'
  const length = random.pick<number | string>([
    random.below(body.length),
    2 * LIMIT_BYTES,
    '-1',
    '1e3',
    '0x19',
    '25, 26',
  ])
  return { kind: 'wrong length', bytes: scripted(JSON_TYPE, body, { 'content-length': length }) }
}

function cut(random: Random): Hostile {
  const [type, body] = random.pick([
    [JSON_TYPE, '{"args":[{"text":"abc"}]}'],
    [MULTIPART_TYPE, `${part('$args', '[{"$portico":"form"}]')}${part('text', 'x')}--B--\r\n`],
  ] as const)
  const end = random.below(body.length)
  const how: Record<string, string> =
    random.next() < 0.5 ? { 'content-length': String(body.length) } : { 'transfer-encoding': 'chunked' }
  const sent = 'content-length' in how ? body.slice(0, end) : `${end.toString(16)}\r\n${body.slice(0, end)}`
  return { kind: 'cut', bytes: scripted(type, sent, how), isCut: true }
}

function scripted(type: string, body: string | Buffer, headers: Record<string, string | number> = {}): Buffer {
  const key = { 'portico-action': 'a', 'idempotency-key': 'k'.repeat(20) }
  return head({ 'content-type': type, ...key, ...headers }, body)
}

function head(headers: Record<string, string | number>, body: string | Buffer): Buffer {
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) }
  const all = { host: 'h', 'sec-fetch-site': 'same-origin', connection: 'close', ...length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)])
}
