import { type Plugin, parseSync } from 'vite'
import { afterEach, describe, expect, it } from 'vitest'
import { BuildError } from '../build-error.ts'
import { hasUseServer, readAppFolder } from '../folder/folder.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { useServerReferences } from '../testing.ts'
import { readActionExports, readActions } from './action-exports.ts'

const read = (code: string, file = 'actions/notes.ts') => readActionExports(`'use server'\n${code}`, file)
const names = (code: string) => read(code).map(({ name }) => name)

describe('exports', () => {
  it.each([
    ['export async function save() {}', ['save']],
    ['export const save = async () => {}', ['save']],
    ['export const save = async function () {}, drop = async () => {}', ['save', 'drop']],
    ['export default async function save() {}', ['default']],
    ['export default async () => {}', ['default']],
    ['export default defineAction({}, async () => {})', ['default']],
    ['export const save = defineAction({ input }, async () => {})', ['save']],
    ['export const save = limited(async () => {})', ['save']],
    ['export const save = (async () => {}) satisfies Action', ['save']],
    ['export const save = defineAction({}, run) as Action', ['save']],
    ['async function save() {}\nexport { save, save as store }', ['save', 'store']],
    ["export { save, other as drop } from './more.ts'", ['save', 'drop']],
    ["import { save } from './more.ts'\nexport { save }", ['save']],
    ['async function save() {}\nexport default save', ['default']],
    ['export async function save(a: string): Promise<void>\nexport async function save(a: unknown) {}', ['save']],
    ['export type Input = { a: string }\nexport interface Other {}\nexport type { A } from "./a.ts"', []],
    ["export type * from './types.ts'", []],
    ["export { type A, save } from './more.ts'", ['save']],
    ['function helper() {}\nconst size = 3', []],
  ])('A1 %s gives %j', (code, wanted) => {
    expect(names(code)).toEqual(wanted)
  })

  it.each([
    ['export function save() {}', '"save" is not one'],
    ['export const save = () => {}', '"save" is not one'],
    ['export async function* save() {}', '"save" is not one'],
    ['export const limit = 3', '"limit" is not one'],
    ["export const name = 'x'", '"name" is not one'],
    ['export const list = []', '"list" is not one'],
    ['export const schema = { a: 1 }', '"schema" is not one'],
    ['export class Save {}', '"Save" is not one'],
    ['export default class {}', '"default" is not one'],
    ['export default function () {}', '"default" is not one'],
    ['export default { save: async () => {} }', '"default" is not one'],
    ['export enum Level { Low }', '"Level" is not one'],
    ['const limit = 3\nexport { limit }', '"limit" is not one'],
    ['function save() {}\nexport default save', '"default" is not one'],
    ['const limit = 3\nexport const other = limit as number', '"other" is not one'],
    ['export const { save } = make()', '"save" must be exported by name'],
    ['export const [save] = make()', '"save" must be exported by name'],
    ["export * from './more.ts'", '"export *" is not allowed'],
    ["export * as more from './more.ts'", '"export *" is not allowed'],
  ])('A1 %s is refused, naming file and line', (code, message) => {
    expect(() => read(code)).toThrow(BuildError)
    expect(() => read(code)).toThrow(message)
    expect(() => read(code)).toThrow(/^actions\/notes\.ts:[23]:\d+: .*; see docs\/actions\.md#a-module-of-actions$/)
  })
})

describe('ids', () => {
  const idOf = (code: string, file?: string) => read(code, file)[0]!.id

  it('A2 an id is a hash of module path and export name only', () => {
    const id = idOf('export async function save() {}')
    // A fixed value: an id that changes with a version of the framework would break every open page.
    expect(id).toBe('0ea272b3b0f236b11508')
    expect(idOf('const x = 1\nexport const save = defineAction({ input: x }, async () => x)')).toBe(id)
    expect(idOf('export async function save() {}', 'actions/notes.js')).toBe(id)
    expect(idOf('export async function save() {}', 'actions/other.ts')).not.toBe(id)
    expect(idOf('export async function store() {}')).not.toBe(id)
  })

  it.each([
    "export const save = defineAction({ id: 'save-note.v1', input }, async () => {})",
    "export const save = defineAction({ 'id': 'save-note.v1' }, async () => {}) as Action",
    "const save = defineAction({ id: 'save-note.v1' }, async () => {})\nexport { save }",
    "export default defineAction({ id: 'save-note.v1' }, async () => {})",
    "const save = defineAction({ id: 'save-note.v1' }, async () => {})\nexport default save",
  ])('A2 %s has the id that it declares', (code) => {
    expect(idOf(code)).toBe('save-note.v1')
  })

  it.each(["'__proto__'", "''", "'a b'", "'a\\nb'", "'ä'", `'${'x'.repeat(65)}'`, 'ID', '`save`', '7'])(
    'A2 the id %s is refused',
    (id) => {
      expect(() => idOf(`export const save = defineAction({ id: ${id} }, async () => {})`)).toThrow(
        'actions/notes.ts:2:36: the id of the action "save" must be a string',
      )
    },
  )
})

describe('app folder', () => {
  afterEach(removeFolders)
  const folderOf = async (files: Record<string, string>) =>
    readAppFolder(await createFolder({ 'pages/index.tsx': 'export default () => null', ...files }))

  it('A1 modules may be in any folder', async () => {
    const action = "'use server'\nexport async function save() {}"
    const folder = await folderOf({
      'actions/a.ts': action,
      'components/form/save.js': action,
      'lib/save.mts': action,
      'pages/save.tsx': `// first\n"use strict"\n${action}`,
      'lib/text.ts': 'export const text = "\'use server\'"',
    })
    expect(folder.actionModules).toEqual(['actions/a.ts', 'components/form/save.js', 'lib/save.mts', 'pages/save.tsx'])
    expect((await readActions(folder)).map(({ file, name }) => `${file}#${name}`)).toHaveLength(4)
  })

  it('A2 two actions with the same id are refused, naming both files', async () => {
    const action = (name: string) => `'use server'\nexport const ${name} = defineAction({ id: 'one' }, async () => {})`
    const folder = await folderOf({ 'actions/a.ts': action('first'), 'actions/b.ts': action('second') })
    await expect(readActions(folder)).rejects.toThrow(
      'actions/b.ts and actions/a.ts: the id "one" is given twice, to the actions "second" and "first"',
    )
  })

  it.each([
    ["export async function save() {\n  'use server'\n}"],
    ["export default () => <form action={async () => { 'use server' }} />"],
    ["import x from './x.ts'\n'use server'\nexport async function save() {}"],
  ])('A1 the directive anywhere but at the top of a file is refused: %s', async (code) => {
    await expect(folderOf({ 'components/form.tsx': code })).rejects.toThrow(
      /^components\/form\.tsx:[12]:\d+: 'use server' must be the first statement of the file/,
    )
  })
})

describe('references', () => {
  const plugin = useServerReferences('/app', '/framework/reference.ts') as Plugin & {
    transform: (code: string, id: string) => { code: string } | undefined
  }

  it('A1 a reference module contains only ids', () => {
    const code = `'use server'
      import { readFile } from 'node:fs/promises'
      const SECRET = 'sesame'
      export async function save() { return readFile(SECRET) }
      async function drop() {}
      export { drop as delete, drop as 'a b' }
      export default defineAction({ id: 'own' }, save)`
    const result = plugin.transform(code, '/app/actions/notes.ts?v=1')!.code
    expect(result).not.toMatch(/sesame|node:|readFile/)
    expect(parseSync('/app/actions/notes.ts', result).errors).toEqual([])
    expect(result).toContain('createActionReference("own")')
    for (const name of ['save', 'delete', 'a b', 'default']) expect(result).toContain(`as ${JSON.stringify(name)} }`)
  })

  it('A5 the browser and the manifest know the actions with repeat: allow', () => {
    const code =
      "'use server'\nexport const add = defineAction({ repeat: 'allow' }, run)\nexport const save = defineAction({}, run)"
    const [add, save] = readActionExports(code, 'actions/notes.ts')
    expect([add?.repeat, save && 'repeat' in save]).toEqual(['allow', false])
    const result = plugin.transform(code, '/app/actions/notes.ts')!.code
    expect(result).toContain(`createActionReference("${add?.id}", true)`)
    expect(result).toContain(`createActionReference("${save?.id}")`)
  })

  it.each([
    ["'always'", 'repeat="always"'],
    ['true', 'repeat=true'],
    ['null', 'repeat=null'],
    ['REPEAT', 'repeat=an expression'],
  ])('A5 repeat: %s is refused with field, value and rule', (text, named) => {
    expect(() => read(`export const add = defineAction({ repeat: ${text} }, run)`)).toThrow(
      `add: ${named} is not allowed; allowed is repeat: 'allow', a literal in the argument of defineAction`,
    )
  })

  it.each([
    ['/app/lib/plain.ts', 'export async function save() {}'],
    ['/app/page.css', "'use server'"],
    ['/app-two/actions.ts', "'use server'\nexport async function save() {}"],
    ['/elsewhere/actions.ts', "'use server'\nexport async function save() {}"],
  ])('A1 %s is unchanged', (id, code) => {
    expect(plugin.transform(code, id)).toBeUndefined()
  })

  it.each(['.mts', '.mjs', '.cts', '.cjs'])('A1 a module named *%s becomes references', (ending) => {
    const code = "'use server'\nexport async function save() { return 'SECRET' }"
    expect(plugin.transform(code, `/app/lib/save${ending}`)?.code).not.toContain('SECRET')
  })

  it('A1 text and comments are not directives', () => {
    expect(hasUseServer('"use server"\nexport {}', 'a.ts')).toBe(true)
    expect(hasUseServer("const a = 'use server'", 'a.ts')).toBe(false)
    expect(hasUseServer("// 'use server'\nexport {}", 'a.ts')).toBe(false)
  })
})
