// The command line of purges, without a process.

import { expect, it } from 'vitest'
import { readPurgeOptions } from './read-purge-options.ts'

const pages = (body: object, ...names: string[]) => ({
  body: { paths: [], tags: [], everything: false, ...body },
  names,
})
const ALL_IMAGES = { name: 'images', body: { everything: true } }

it.each([
  [
    ['--path', '/a', '--page-tag', 'x', '--path', '/b'],
    { pages: pages({ paths: ['/a', '/b'], tags: ['x'] }, 'path /a', 'path /b', 'page-tag x'), images: [] },
  ],
  [['--pages'], { pages: pages({ everything: true }, 'pages'), images: [] }],
  [['--images'], { pages: undefined, images: [ALL_IMAGES] }],
  [['--everything'], { pages: pages({ everything: true }, 'pages'), images: [ALL_IMAGES] }],
  [
    ['--tag', 't', '--source', 'https://host.example/x.jpg', '--prefix', '/p/'],
    {
      pages: undefined,
      images: [
        { name: 'source https://host.example/x.jpg', body: { source: 'https://host.example/x.jpg' } },
        { name: 'prefix /p/', body: { prefix: '/p/' } },
        { name: 'tag t', body: { tag: 't' } },
      ],
    },
  ],
  [['--everything', '--help'], { help: true }],
])('C6 I9 reads %j', (args, plan) => {
  expect(readPurgeOptions(args)).toEqual(plan)
})

const address = 'must begin with one "/", or be an absolute http or https URL'
it.each([
  [['--path', 'news'], '--path="news" must begin with one "/" and have no "?" or "#" (write %3F, %23)'],
  [['--page-tag', ''], '--page-tag="" must be a text of 1 to 2048 characters'],
  [['--source', '../x.jpg'], `--source="../x.jpg" ${address}`],
  [['--source', '//host/x.jpg'], `--source="//host/x.jpg" ${address}`],
  [['--images', '--prefix', 'ftp://host/'], `--prefix="ftp://host/" ${address}`],
])('C6 I9 refuses %j by option, value and rule', (args, fault) => {
  expect(readPurgeOptions(args)).toEqual({ fault })
})

it('C6 I9 refuses an empty command line with the options, and options that the command does not have', () => {
  expect(readPurgeOptions([])).toEqual({ fault: expect.stringContaining('--path, --page-tag, --pages, --source') })
  expect(() => readPurgeOptions(['--all'])).toThrow('--all')
  expect(() => readPurgeOptions(['/a'])).toThrow('/a')
  expect(() => readPurgeOptions(['--path'])).toThrow('--path')
})
