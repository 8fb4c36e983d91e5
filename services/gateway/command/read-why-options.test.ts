// The command line of the why command, without a process.

import { expect, it } from 'vitest'
import { readWhyOptions } from './read-why-options.ts'

const GET = { method: 'GET', url: '/a', headers: {}, client: '127.0.0.1', run: false }
const read = (...args: string[]) => readWhyOptions(args)
const ID = '3f2a91c07be4d518'

it.each<[string[], object]>([
  [['/a'], {}],
  [['/a?q=1#part'], { url: '/a?q=1' }],
  [['/places/Å b'], { url: '/places/%C3%85%20b' }],
  [['//other.example/a'], { url: '//other.example/a' }],
  [['https://www.example.org/a?q#part'], { url: '/a?q', headers: { host: 'www.example.org' } }],
  [['http://localhost:3000'], { url: '/', headers: { host: 'localhost:3000' } }],
  [
    ['--method', 'post', '/a', '--client', '2001:db8::7', '--run'],
    { method: 'POST', client: '2001:db8::7', run: true },
  ],
  [
    ['/a', '--cookie', 'a=1; b=2', '--cookie', 'c=3', '--header', 'Cookie: d=4'],
    { headers: { cookie: 'd=4; a=1; b=2; c=3' } },
  ],
  [
    ['/a', '--header', 'Accept: text/html', '--header', 'accept:*/*', '--header', 'Host: b.example', '--header', 'x:'],
    { headers: { host: 'b.example', accept: 'text/html, */*', x: '' } },
  ],
])('O9 reads %j', (args, question) => {
  expect(read(...args)).toEqual({ kind: 'request', question: { ...GET, ...question }, asJson: false })
})

it.each([[ID], ['0'.repeat(32)], ['5f0c1e9a7b']])('O9 reads %s as the id of a request that has happened', (id) => {
  expect(read(id)).toEqual({ kind: 'logs', name: id, logs: undefined, asJson: false })
  expect(read('--json', '--logs', 'x.log', id.toUpperCase())).toEqual({
    kind: 'logs',
    name: id,
    logs: 'x.log',
    asJson: true,
  })
})

it.each([
  [[], 'nothing to explain: give a path, a URL or the id of a request'],
  [['/a', '/b'], '"/b" is one too many: give one path, URL or id'],
  [['places'], '"places" must be a path that begins with "/", an http or https URL, or an id: '],
  [['ftp://host/'], '"ftp://host/" must be a path'],
  [['http://'], '"http://" must be a path'],
  [['/a', '--method', 'GE T'], '--method="GE T" must be a method of HTTP, such as GET or POST'],
  [['/a', '--client', 'localhost'], '--client="localhost" must be an IPv4 or IPv6 address'],
  [['/a', '--header', 'accept'], '--header="accept" must be "name: value", as in "accept-language: fr"'],
  [['/a', '--header', 'a b: c'], '--header="a b: c" must be "name: value"'],
  [['/a', '--header', 'a: b\nc: d'], '--header="a: b\\nc: d" must be "name: value"'],
  [['/a', '--cookie', 'a'], '--cookie="a" must be "name=value", with "; " between several'],
  [['/a', '--cookie', 'a=\r\n'], '--cookie="a=\\r\\n" must be "name=value"'],
  [['/a', '--logs', 'x.log'], '--logs="x.log" needs the id of a request: "/a" is none'],
  [[ID, '--run'], `--run is of a request that is not sent yet, and "${ID}" is the id of one that was`],
])('O9 refuses %j by option, value and rule', (args, fault) => {
  expect(read(...args)).toEqual({ kind: 'fault', fault: expect.stringContaining(fault) })
})

it('O9 has a help, and refuses options that the command does not have', () => {
  expect(read('--help')).toEqual({ kind: 'help' })
  expect(() => read('/a', '--all')).toThrow('--all')
  expect(() => read('/a', '--method')).toThrow('--method')
})
