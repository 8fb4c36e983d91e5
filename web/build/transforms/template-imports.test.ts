import { expect, test } from 'vitest'
import { findTemplates } from '../testing.ts'

const inApp = (start: string) => (start.startsWith('@/') ? `/site/${start.slice(2)}` : undefined)
const changed = (code: string) => {
  // The parser has other places for templates of TypeScript.
  const [script, typed] = ['js', 'ts'].map(
    (ending) => findTemplates(code, `/site/pages/a.${ending}`, { folderOf: inApp })?.code,
  )
  expect(typed).toBe(script)
  return script?.split('\nfunction')[0]
}
const ENDINGS = '{js,mjs,tsx,ts,jsx,json}'

test.each([
  [
    'import(`../messages/${a}/messages`)',
    `__portico_find(import.meta.glob(["../messages/*/messages.${ENDINGS}","../messages/*/messages/index.${ENDINGS}"]), \`../messages/\${a}/messages\`)`,
  ],
  ['import(`./${a}`)', `__portico_find(import.meta.glob(["./**/*.${ENDINGS}"]), \`./\${a}\`)`],
  [
    'import(`./texts/${a}_${b}`)',
    `__portico_find(import.meta.glob(["./texts/*_*.${ENDINGS}","./texts/*_*/**/*.${ENDINGS}"]), \`./texts/\${a}_\${b}\`)`,
  ],
  ['import(`@/texts/${a}`)', `__portico_find(import.meta.glob(["../texts/**/*.${ENDINGS}"]), \`../texts/\${a}\`)`],
  ['import(`./${a}.json`)', undefined],
  ['import(`${a}`)', undefined],
  ['import(`package/${a}`)', undefined],
  ['import(`./plain`)', undefined],
  ["import(`../${'README.md'}`)", 'import("../README.md")'],
])('F1 a template without an ending means modules with any: %s', (code, expected) => {
  expect(changed(code)).toBe(expected)
})

test('F1 a template finds files that loaders turn into modules', () => {
  const code = findTemplates('import(`./md/${a}`)', '/site/a.js', { more: ['md'] })?.code
  expect(code).toContain('import.meta.glob(["./md/**/*.{js,mjs,tsx,ts,jsx,json,md}"])')
})

test('F1 a template finds a module by each ending, and fails as in Next.js', async () => {
  const find = findTemplates('import(`./${a}`)', '/site/a.js')?.code.split('\n').slice(1).join('\n')
  const url = `data:text/javascript,${encodeURIComponent(`export default ${find}`)}`
  const { default: run } = (await import(/* @vite-ignore */ url)) as {
    default: (modules: Record<string, () => unknown>, name: string) => unknown
  }
  const modules = { './a.ts': () => 'a', './b/index.js': () => 'b', './c.json': () => 'c' }
  expect(['./a', './a.ts', './b', './c'].map((name) => run(modules, name))).toEqual(['a', 'a', 'b', 'c'])
  await expect(run(modules, './toString')).rejects.toMatchObject({
    code: 'MODULE_NOT_FOUND',
    message: "Cannot find module './toString'",
  })
})
