import { expect, test } from 'vitest'
import { RUNTIME_FILES } from '../framework-files.ts'
import { styleLists } from '../testing.ts'

/** Lines `module: import import? …`; a question mark is for an import at first use. */
function listsOf(
  modules: Record<string, string>,
  chunks: Record<string, { of: string; entry?: string; imports?: string }>,
) {
  const importsOf = (id: string, isLate: boolean) =>
    (modules[id] ?? '')
      .split(' ')
      .filter((name) => name !== '' && name.endsWith('?') === isLate)
      .map((name) => name.replace('?', ''))
  const importersOf = (id: string, isLate: boolean) =>
    Object.keys(modules).filter((importer) => importsOf(importer, isLate).includes(id))
  const sheets = new Map(
    [
      ...Object.values(modules)
        .join(' ')
        .matchAll(/\w+\.css/g),
    ].map(([id]) => [id, 1]),
  )
  return styleLists(
    Object.fromEntries(
      Object.entries(chunks).map(([fileName, { of, entry, imports }]) => [
        fileName,
        {
          fileName,
          isEntry: entry !== undefined,
          facadeModuleId: entry ?? null,
          imports: imports?.split(' ') ?? [],
          modules: Object.fromEntries(of.split(' ').map((id) => [id, {}])),
        },
      ]),
    ),
    sheets,
    (id) => ({
      importedIds: importsOf(id, false),
      dynamicallyImportedIds: importsOf(id, true),
      importers: importersOf(id, false),
      dynamicImporters: importersOf(id, true),
    }),
  )
}

const START = RUNTIME_FILES.browserEntry

test('F3 sheets are in the order of imports, whatever chunk their modules are in', () => {
  const { start, pages } = listsOf(
    {
      [START]: 'app',
      app: 'reset.css shell theme.css',
      shell: 'shell.css',
      one: 'own.css card plain',
      card: 'card.css button',
      // A cycle.
      button: 'button.css card',
      two: 'button one.css card',
    },
    {
      'start.js': { of: `${START} app reset.css theme.css`, entry: START, imports: 'shared.js' },
      'shared.js': { of: 'shell shell.css' },
      'one.js': { of: 'one own.css', entry: 'one', imports: 'cards.js' },
      'two.js': { of: 'two one.css', entry: 'two', imports: 'cards.js shared.js' },
      'cards.js': { of: 'button button.css card card.css' },
    },
  )
  expect(start).toEqual(new Map([['start.js', ['reset.css', 'shell.css', 'theme.css']]]))
  expect(pages).toEqual(
    new Map([
      ['one.js', ['own.css', 'card.css', 'button.css']],
      ['two.js', ['button.css', 'card.css', 'one.css']],
    ]),
  )
})

test('F3 a sheet that tree shaking has removed from a page is not in its list', () => {
  const { pages } = listsOf(
    { one: 'barrel', two: 'barrel', barrel: 'a b', a: 'a.css', b: 'b.css' },
    {
      'one.js': { of: 'one a a.css', entry: 'one' },
      'two.js': { of: 'two b b.css', entry: 'two' },
    },
  )
  expect([...pages.values()]).toEqual([['a.css'], ['b.css']])
})

test('F3 code that is loaded at first use has its own list, with the pages that may load it', () => {
  const { pages, late } = listsOf(
    {
      [START]: 'app',
      app: 'menu?',
      menu: 'menu.css',
      one: 'one.css dialog?',
      two: 'two.css',
      dialog: 'button dialog.css help?',
      button: 'button.css',
      help: 'help.css',
    },
    {
      'start.js': { of: `${START} app`, entry: START },
      'one.js': { of: 'one one.css', entry: 'one' },
      'two.js': { of: 'two two.css', entry: 'two' },
      'dialog.js': { of: 'dialog dialog.css', imports: 'button.js' },
      'button.js': { of: 'button button.css' },
      'help.js': { of: 'help help.css' },
      'menu.js': { of: 'menu menu.css' },
    },
  )
  expect(pages.get('one.js')).toEqual(['one.css'])
  expect(late).toEqual(
    new Map([
      ['dialog.js', { sheets: ['button.css', 'dialog.css'], pages: new Set(['one.js']) }],
      ['help.js', { sheets: ['help.css'], pages: new Set(['one.js']) }],
      ['menu.js', { sheets: ['menu.css'], pages: new Set(['one.js', 'two.js']) }],
    ]),
  )
})
