// `next/font` in a build: styles in place of calls.

import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRAMEWORK } from '../../../framework-files.ts'
import { createFolder, removeFolders } from '../../../testing/folders.ts'
import { replaceFonts } from '../../testing.ts'

let dir: string
beforeAll(async () => {
  dir = await createFolder({
    'fonts/a.woff2': '',
    'fonts/b.ttf': '',
    'node_modules/@fontsource-variable/inter/package.json': '{}',
    'node_modules/@fontsource-variable/inter/index.css': '',
    'node_modules/@fontsource/open-sans/package.json': '{}',
    'node_modules/@fontsource/open-sans/index.css': '',
    'node_modules/@fontsource/open-sans/700.css': '',
    'node_modules/@fontsource/open-sans/files/open-sans-latin-700-normal.woff2': '',
  })
  const inter = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
  // The letters of Inter that the sample site has measure as all of them.
  const file = join(FRAMEWORK, 'web/app/typefaces/inter.woff2')
  await mkdir(join(dir, inter, '..'), { recursive: true })
  await copyFile(file, join(dir, inter))
  await copyFile(file, join(dir, 'fonts/inter.woff2'))
})
afterAll(removeFolders)

async function replace(code: string) {
  const sheets: Record<string, string> = {}
  const notes: string[] = []
  const preloads: string[] = []
  const result = await replaceFonts(code, join(dir, 'pages/_app.tsx'), {
    appDir: dir,
    addSheet: (id, css) => {
      sheets[id] = css
    },
    note: (line) => void notes.push(line),
    preload: (file) => void preloads.push(file),
  })
  // The id of a font is a hash.
  const plain = (text: string) => text.replaceAll(/font-[0-9a-f]{12}/g, 'font-ID').replaceAll(dir, '')
  const names = Object.keys(sheets)
  return {
    names,
    code: result && plain(result.code),
    css: plain(Object.values(sheets).join('')),
    notes: notes.map(plain),
    preloads: preloads.map(plain),
  }
}

describe('X1 next/font', () => {
  test('files of the site are font faces, with classes for the font and its variable', async () => {
    const { code, css, notes, preloads } = await replace(`import localFont from 'next/font/local'
const font = localFont({ src: [{ path: '../fonts/a.woff2', weight: '400' }, { path: '../fonts/b.ttf', style: 'italic' }], variable: '--own', fallback: ['system-ui'] })
`)
    expect(code).toBe(`import "/pages/portico-font-ID.css"

const font = {"className":"font-ID-class","variable":"font-ID-variable","style":{"fontFamily":"'font-ID', system-ui"}}
`)
    expect(
      css,
    ).toBe(`@font-face { font-family: 'font-ID'; src: url("../fonts/a.woff2") format('woff2'); font-display: swap; font-weight: 400 }
@font-face { font-family: 'font-ID'; src: url("../fonts/b.ttf") format('truetype'); font-display: swap; font-style: italic }
.font-ID-class { font-family: 'font-ID', system-ui }
.font-ID-variable { --own: 'font-ID', system-ui }
`)
    expect(notes).toEqual([
      'pages/_app.tsx: src="../fonts/a.woff2" of next/font/local cannot be measured; no fallback font has its size',
    ])
    expect(preloads).toEqual(['/fonts/a.woff2', '/fonts/b.ttf'])
  })

  test('the fallback font of a file has its size, and options leave it out or choose another', async () => {
    const { code, css, notes, preloads } = await replace(`import localFont from 'next/font/local'
const one = localFont({ src: '../fonts/inter.woff2', preload: false })
const two = localFont({ src: [{ path: '../fonts/a.woff2', weight: '900' }, { path: '../fonts/inter.woff2', weight: '100 500' }], adjustFontFallback: 'Times New Roman' })
const three = localFont({ src: '../fonts/b.ttf', adjustFontFallback: false, preload: false })
`)
    const face = /@font-face \{ font-family: 'font-ID-fallback'[^}]*\}/g
    expect(css.match(face)).toEqual([
      "@font-face { font-family: 'font-ID-fallback'; src: local('Arial'); size-adjust: 107.12%; ascent-override: 90.44%; descent-override: 22.52%; line-gap-override: 0.00% }",
      "@font-face { font-family: 'font-ID-fallback'; src: local('Times New Roman'); size-adjust: 117.55%; ascent-override: 82.41%; descent-override: 20.52%; line-gap-override: 0.00% }",
    ])
    expect(code).toContain(`"fontFamily":"'font-ID', 'font-ID-fallback'"`)
    expect(css).toContain(".font-ID-class { font-family: 'font-ID' }")
    expect([notes, preloads]).toEqual([[], ['/fonts/a.woff2', '/fonts/inter.woff2']])
  })

  test('a font of Google has fallback fonts, and the build names it', async () => {
    const { code, css, notes } = await replace(`import { Roboto_Mono as Mono, Playfair } from 'next/font/google.js'
export const fonts = [Mono({ weight: '500', subsets: ['latin'] }), Playfair()]
`)
    expect(code).toContain(
      '"style":{"fontFamily":"\'Roboto Mono\', \'font-ID-fallback\', ui-monospace, monospace","fontWeight":500}',
    )
    expect(css).toContain("{ font-family: 'font-ID-fallback'; src: local('Courier New'); size-adjust: 100.00%;")
    // The table has no metrics of this font.
    expect(css).toContain(".font-ID-class { font-family: 'Playfair', ui-serif, serif }")
    expect(notes).toHaveLength(2)
    expect(notes.join()).toContain(
      'pages/_app.tsx: the font "Roboto Mono" of next/font/google is not fetched; the text has fallback fonts. Install @fontsource-variable/roboto-mono',
    )
  })

  test('a font of Google that a package of the site has is that of the package', async () => {
    const { code, css, notes, preloads } = await replace(`import { Inter, Open_Sans } from 'next/font/google'
const all = [Inter({ subsets: ['latin'] }), Open_Sans({ weight: ['700'], subsets: ['latin'], preload: false, adjustFontFallback: false })]
`)
    expect(code).toContain('import "@fontsource-variable/inter/index.css"')
    expect(code).toContain('import "@fontsource/open-sans/700.css"')
    expect(code).toContain("'Inter Variable', 'font-ID-fallback', system-ui, sans-serif")
    expect(code).toContain("'Open Sans', system-ui, sans-serif")
    expect(css).toContain("src: local('Arial'); size-adjust: 107.12%")
    expect(notes).toEqual([])
    expect(preloads).toEqual(['/node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'])
  })

  test('two fonts have two stylesheets, and equal sources have equal names', async () => {
    const code = "import { Inter } from 'next/font/google'\nconst a = Inter()\nconst b = Inter({ weight: '700' })\n"
    const { names } = await replace(code)
    expect(new Set(names).size).toBe(2)
    expect((await replace(code)).names).toEqual(names)
  })

  test.each([
    [
      "import local from 'next/font/local'\nconst options = {}\nlocal(options)",
      '_app.tsx:3:1: local(…) of next/font/local must',
    ],
    [
      "import local from 'next/font/local'\nlocal({ src: './gone.woff2' })",
      '_app.tsx:2:1: src="./gone.woff2": there is no such file',
    ],
    [
      "import * as google from 'next/font/google'\nconst font = google.Inter()",
      '_app.tsx:1:8: google of next/font/google is used without a call; import each font by its name, and call it',
    ],
    [
      "import { Inter } from 'next/font/google'\nconst fonts = [Inter(), Inter]",
      '_app.tsx:1:10: Inter of next/font/google is used without a call',
    ],
  ])('%j is refused', async (code, message) => {
    await expect(replace(code)).rejects.toThrow(message)
  })

  test('types of fonts, and other things with the name of one, are left as they are', async () => {
    const code =
      "import { Inter, type Font } from 'next/font/google'\nconst a: Font = Inter()\nconst b = { Inter: a.Inter }\n"
    expect((await replace(code)).code).toContain('const b = { Inter: a.Inter }')
  })

  test('a module without fonts is left as it is', async () => {
    expect((await replace("// next/font/local\nimport Link from 'next/link'\n")).code).toBeUndefined()
  })
})
