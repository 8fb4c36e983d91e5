// `next/font` in a build: styles in place of calls.

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../../testing/folders.ts'
import { replaceFonts } from './next-fonts.ts'

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
  })
})
afterAll(removeFolders)

function replace(code: string) {
  const sheets: Record<string, string> = {}
  const notes: string[] = []
  const result = replaceFonts(code, join(dir, 'pages/_app.tsx'), {
    appDir: dir,
    addSheet: (id, css) => {
      sheets[id] = css
    },
    note: (line) => void notes.push(line),
  })
  // The id of a font is a hash.
  const plain = (text: string) => text.replaceAll(/font-[0-9a-f]{12}/g, 'font-ID').replaceAll(dir, '')
  const names = Object.keys(sheets)
  return {
    names,
    code: result && plain(result.code),
    css: plain(Object.values(sheets).join('')),
    notes: notes.map(plain),
  }
}

describe('X1 next/font', () => {
  test('files of the site are font faces, with classes for the font and its variable', () => {
    const { code, css } = replace(`import localFont from 'next/font/local'
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
  })

  test('a font of Google has fallback fonts, and the build names it', () => {
    const { code, css, notes } = replace(`import { Roboto_Mono as Mono, Playfair } from 'next/font/google.js'
export const fonts = [Mono({ weight: '500', subsets: ['latin'] }), Playfair()]
`)
    expect(code).toContain('"style":{"fontFamily":"\'Roboto Mono\', ui-monospace, monospace","fontWeight":500}')
    expect(css).toContain(".font-ID-class { font-family: 'Playfair', ui-serif, serif }")
    expect(notes).toHaveLength(2)
    expect(notes.join()).toContain(
      'pages/_app.tsx: the font "Roboto Mono" of next/font/google is not fetched; the text has fallback fonts. Install @fontsource-variable/roboto-mono',
    )
  })

  test('a font of Google that a package of the site has is that of the package', () => {
    const { code, notes } = replace(`import { Inter, Open_Sans } from 'next/font/google'
const all = [Inter({ subsets: ['latin'] }), Open_Sans({ weight: ['700'] })]
`)
    expect(code).toContain('import "@fontsource-variable/inter/index.css"')
    expect(code).toContain('import "@fontsource/open-sans/700.css"')
    expect(code).toContain("'Inter Variable', system-ui, sans-serif")
    expect(notes).toEqual([])
  })

  test('two fonts have two stylesheets, and equal sources have equal names', () => {
    const code = "import { Inter } from 'next/font/google'\nconst a = Inter()\nconst b = Inter({ weight: '700' })\n"
    const { names } = replace(code)
    expect(new Set(names).size).toBe(2)
    expect(replace(code).names).toEqual(names)
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
  ])('%j is refused', (code, message) => {
    expect(() => replace(code)).toThrow(message)
  })

  test('types of fonts, and other things with the name of one, are left as they are', () => {
    const code =
      "import { Inter, type Font } from 'next/font/google'\nconst a: Font = Inter()\nconst b = { Inter: a.Inter }\n"
    expect(replace(code).code).toContain('const b = { Inter: a.Inter }')
  })

  test('a module without fonts is left as it is', () => {
    expect(replace("// next/font/local\nimport Link from 'next/link'\n").code).toBeUndefined()
  })
})
