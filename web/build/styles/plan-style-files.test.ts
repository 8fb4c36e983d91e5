import { expect, test } from 'vitest'
import { planStyleFiles, type Sheet } from '../testing.ts'

interface Site {
  app?: string
  pages: Record<string, string>
  /** Sheets of code that is loaded at first use, and the pages that may load the code. */
  late?: Record<string, [sheets: string, pages: string]>
  sizes?: Record<string, number>
  first?: string
}

const words = (text: string) => text.split(' ').filter((word) => word !== '')

/** The files of each root: `a+b` is a file of two sheets. */
function planOf({ app = '', pages, late = {}, sizes = {}, first = '' }: Site): Record<string, string> {
  const plan = planStyleFiles(
    {
      start: new Map([['start', words(app)]]),
      pages: new Map(Object.entries(pages).map(([page, sheets]) => [page, words(sheets)])),
      late: new Map(
        Object.entries(late).map(([code, [sheets, users]]) => [
          code,
          { sheets: words(sheets), pages: new Set(words(users)) },
        ]),
      ),
    },
    (sheet): Sheet => ({ size: sizes[sheet] ?? 100, isFirst: words(first).includes(sheet) }),
  )
  return Object.fromEntries([...plan].map(([root, files]) => [root, files.map((file) => file.join('+')).join(' ')]))
}

const BIG = 9000

test.each<[string, Site, Record<string, string>]>([
  [
    'a page has those of _app, in the order of _app, and its own in one file',
    { app: 'reset shell theme', pages: { one: 'theme tokens reset own' } },
    { start: 'reset+shell+theme', one: 'tokens+own' },
  ],
  [
    'pages with the same sheets in another order have another file',
    { pages: { one: 'a b c', two: 'c b a' } },
    { start: '', one: 'a+b+c', two: 'c+b+a' },
  ],
  [
    'large sheets of several pages have a file of their own, in the order of each page',
    { pages: { one: 'big a', two: 'b big c', three: 'big' }, sizes: { big: BIG } },
    { start: '', one: 'big a', two: 'b big c', three: 'big' },
  ],
  [
    'large sheets that always follow each other share a file',
    { pages: { one: 'b1 b2 a', two: 'c b1 b2' }, sizes: { b1: BIG, b2: BIG } },
    { start: '', one: 'b1+b2 a', two: 'c b1+b2' },
  ],
  [
    'a large sheet of one page needs no file of its own',
    { pages: { one: 'a big b', two: 'a b' }, sizes: { big: BIG } },
    { start: '', one: 'a+big+b', two: 'a+b' },
  ],
  [
    'a file has no more copies than are worth a request',
    { pages: { one: 'a b c d', two: 'd c b a' }, sizes: { a: 3000, b: 3000, c: 3000, d: 3000 } },
    { start: '', one: 'a+b c+d', two: 'd+c b+a' },
  ],
  [
    'code that is loaded at first use leaves out what every page that may load it has',
    { app: 'reset', pages: { one: 'button own', two: 'button x' }, late: { dialog: ['reset button box', 'one two'] } },
    { start: 'reset', one: 'button+own', two: 'button+x', dialog: 'box' },
  ],
  [
    'a sheet that a page may have or not when code is loaded is in one file only',
    { pages: { one: 'a button own', two: 'x y' }, late: { dialog: ['button box', 'one two'] } },
    { start: '', one: 'a button own', two: 'x+y', dialog: 'button box' },
  ],
  [
    'code that no page loads has its sheets',
    { pages: { one: 'a' }, late: { dialog: ['a b', ''] } },
    { start: '', one: 'a', dialog: 'a b' },
  ],
  [
    'a sheet with an @import of another origin begins a file',
    { app: 'reset fonts theme', pages: { one: 'a fonts2 b' }, first: 'fonts fonts2' },
    { start: 'reset fonts+theme', one: 'a fonts2+b' },
  ],
])('F3 %s', (_, site, files) => {
  expect(planOf(site)).toEqual(files)
})

test('F3 the files of a page are its sheets in their order, each once, whatever other pages have', () => {
  // Each sequence of five of eight sheets from one of eight starts, in steps of 1, 3, 5 and 7: every order occurs.
  const lists = [1, 3, 5, 7].flatMap((step) =>
    Array.from({ length: 8 }, (_, from) =>
      Array.from({ length: 5 }, (__, at) => `s${(from + at * step) % 8}`).join(' '),
    ),
  )
  const sizes = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`s${n}`, n * 1500]))
  const pages = Object.fromEntries(lists.map((list, at) => [`page-${at}`, list]))
  const plan = planOf({ pages, sizes, late: { dialog: ['s1 s2', 'page-0 page-9'] }, first: 's7' })
  for (const [page, list] of Object.entries(pages)) expect(plan[page]!.split(/[ +]/).join(' '), page).toBe(list)
})
