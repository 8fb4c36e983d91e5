import { join } from 'node:path'
import { build } from 'vite'
import { afterEach, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { composedStyles } from './composed-styles.ts'

afterEach(removeFolders)

/** The stylesheet of a build whose only module imports `page.module.scss`. */
async function sheetOf(files: Record<string, string>): Promise<string> {
  const root = await createFolder({
    'entry.js': "import styles from './page.module.scss'\nconsole.log(styles)",
    ...files,
  })
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    css: { modules: { generateScopedName: (name) => `own-${name}` } },
    plugins: [composedStyles()],
    build: { write: false, rolldownOptions: { input: join(root, 'entry.js') }, cssMinify: 'lightningcss' },
  })
  // The cast: a build that does not watch, of one output.
  const { output } = built as Extract<typeof built, { output: unknown }>
  const sheet = output.find(({ fileName }) => fileName.endsWith('.css'))
  return sheet?.type === 'asset' ? String(sheet.source) : ''
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
