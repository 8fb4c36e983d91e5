import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { thrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevErrorReader } from './dev-errors.ts'

let appDir: string
beforeAll(async () => {
  appDir = await mkdtemp(join(tmpdir(), 'dev-errors-'))
  await writeFile(join(appDir, 'index.tsx'), 'one\ntwo\nthree\n')
})
afterAll(() => rm(appDir, { recursive: true }))

const read = (stack: string[], message = 'boom') =>
  createDevErrorReader(appDir).read(
    thrownError('render', Object.assign(new Error(message), { stack: [`Error: ${message}`, ...stack].join('\n') })),
  )

test('V2 shows the first place in the app folder, the lines around it, and the stack without inner frames', async () => {
  const error = await read([
    `    at renderToString (/repo/node_modules/react-dom/server.js:9:9)`,
    `    at Module.getServerSideProps (${pathToFileURL(join(appDir, 'index.tsx'))}:2:5)`,
    `    at async __vite_ssr_import_0__.run (${join(appDir, 'lib/run.ts')}:4:3)`,
    '    at evaluate (/repo/node_modules/vite/dist/node/module-runner.js:1:1)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
  ])
  expect(error).toMatchObject({ source: 'data', message: 'boom', file: 'index.tsx', line: 2, column: 5 })
  expect(error.frame?.map(({ text, isFault }) => (isFault ? `> ${text}` : text))).toEqual(['one', '> two', 'three', ''])
  expect(error.stack).toEqual([
    { name: 'renderToString', file: 'react-dom', line: 9, column: 9 },
    { name: 'getServerSideProps', file: 'index.tsx', line: 2, column: 5 },
    { name: 'run', file: 'lib/run.ts', line: 4, column: 3 },
  ])
})

test('V2 shows a message of the bundler without its stack and its drawing', async () => {
  const { message } = await read([], 'Cannot read\n    at parse (/repo/vite.js:1:1)\n   ╭─[ index.tsx:1:1 ]\n')
  expect(message).toBe('Cannot read')
})

test('V2 shows a rule about whole files at the first of them, without the stack of the framework', async () => {
  const error = await read(
    ['    at refusePair (/repo/route-conflicts.ts:84:9)'],
    'index.tsx and a.tsx: two pages for one path',
  )
  expect(error).toMatchObject({ message: 'index.tsx and a.tsx: two pages for one path', file: 'index.tsx', stack: [] })
  expect(await read([], 'gone.tsx: a rule')).not.toHaveProperty('file')
})

test('V2 an error of a handler is for those who call it, also where its module cannot be read', async () => {
  const text = `Cannot find package 'left-pad' imported from ${join(appDir, 'index.tsx')}`
  const thrown = { ...thrownError('api', new Error(text)), source: 'api' as const }
  expect(await createDevErrorReader(appDir).read(thrown)).toMatchObject({ source: 'api', file: 'index.tsx' })
})
