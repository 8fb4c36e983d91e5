// Stylesheets that compose classes of others, with the package sass that this folder installs.

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { composedStyles } from '@portico/build/styles/styles.ts'
import { createFolder, removeFolders } from '@portico/build/testing/folders.ts'
import { build, type Plugin } from 'vite'
import { afterEach, expect, test } from 'vitest'

const SASS = join(import.meta.dirname, '../node_modules/sass')

afterEach(removeFolders)

/** The stylesheet of a build whose only module imports `page.module.scss`. */
async function sheetOf(files: Record<string, string>): Promise<string> {
  const root = await createFolder(files)
  return buildSheet(root, composedStyles())
}

async function buildSheet(root: string, plugin: Plugin, sheet = './page.module.scss'): Promise<string> {
  await mkdir(join(root, 'node_modules'), { recursive: true })
  await symlink(SASS, join(root, 'node_modules/sass')).catch(() => {})
  await writeFile(join(root, 'entry.js'), `import styles from '${sheet}'\nconsole.log(styles)`)
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    css: { modules: { generateScopedName: (name) => `own-${name}` } },
    plugins: [plugin],
    build: { write: false, rolldownOptions: { input: join(root, 'entry.js') }, cssMinify: 'lightningcss' },
  })
  // The cast: a build that does not watch, of one output.
  const { output } = built as Extract<typeof built, { output: unknown }>
  const written = output.find(({ fileName }) => fileName.endsWith('.css'))
  return written?.type === 'asset' ? String(written.source) : ''
}

test('X6 a class is composed of classes that Sass compiles, in the order of the declarations', async () => {
  const css = await sheetOf({
    'page.module.scss': ".page { composes: a from './parts/a.module.scss'; composes: b from './b.module.css'; top: 0 }",
    'parts/a.module.scss': "@use 'values'; .a { composes: c from '../c.module.scss'; left: values.$left }",
    'parts/_values.scss': '$left: 1px;',
    'b.module.css': '.b { left: 2px }',
    'c.module.scss': '$c: 3px; .c { left: $c }',
  })
  expect(css.trim()).toBe('.own-c{left:3px}.own-a{left:1px}.own-b{left:2px}.own-page{top:0}')
})

test('V1 what a sheet composes, and what that is compiled from, is watched with it', async () => {
  const root = await createFolder({
    'page.module.scss': ".page { composes: a from './a.module.scss' }",
    'a.module.scss': "@use 'values'; .a { composes: b from './b.module.css'; left: values.$left }",
    '_values.scss': '$left: 1px;',
    'b.module.css': '.b { left: 2px }',
  })
  const watched: string[] = []
  const plugin = composedStyles()
  // The cast: the hook has a filter, and reads this member of its context only.
  const { handler } = plugin.transform as unknown as { handler: (this: object, code: string, id: string) => void }
  await buildSheet(root, plugin)
  handler.call({ addWatchFile: (file: string) => void watched.push(file) }, '', join(root, 'page.module.scss'))
  for (const name of ['a.module.scss', '_values.scss', 'b.module.css']) expect(watched).toContain(join(root, name))
})

test('V1 sheets that compose each other the other way after an edit are no circle', async () => {
  const plain = '.a { left: 2px }'
  const composing = (other: string) => `.a { composes: a from '${other}'; top: 0 }`
  const root = await createFolder({ 'page.module.scss': composing('./b.module.css'), 'b.module.css': plain })
  const plugin = composedStyles()
  await buildSheet(root, plugin)
  await writeFile(join(root, 'page.module.scss'), plain)
  await writeFile(join(root, 'b.module.css'), composing('./page.module.scss'))
  expect(await buildSheet(root, plugin, './b.module.css')).toContain('left:2px')
})

test('X6 a composed sheet in another folder leads to its own images', async () => {
  const css = await sheetOf({
    'page.module.scss': ".page { composes: a from './parts/a.module.scss' }",
    'parts/a.module.scss': ".a { background: url(sun.svg), url('./sun.svg'), url('data:text/plain,x'), url(#part) }",
    'parts/sun.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  })
  expect(css.match(/data:image\/svg/g)).toHaveLength(2)
  expect(css).toContain('url(data:text/plain,x)')
  expect(css).toContain('url(#part)')
})

test('X6 a sheet that does not exist is named with the sheet that composes it', async () => {
  const files = { 'page.module.scss': ".page { composes: a from './gone.module.scss' }" }
  await expect(sheetOf(files)).rejects.toThrow(
    'page.module.scss: cannot find "./gone.module.scss", of which it composes a class',
  )
})

test.each([
  ['./b.module.css', './page.module.scss', 'b.module.css: composes a class of "./page.module.scss"'],
  ['./page.module.scss', './b.module.css', 'page.module.scss: composes a class of "./page.module.scss"'],
])('X6 sheets that compose each other are refused: %s', async (ofPage, ofOther, message) => {
  const files = {
    'page.module.scss': `.a { composes: a from '${ofPage}' }`,
    'b.module.css': `.a { composes: a from '${ofOther}' }`,
  }
  await expect(sheetOf(files)).rejects.toThrow(`${message}, which composes one of it`)
})
