// The checker of the documentation finds what is wrong in blocks, at its line, and lets right ones pass.

import { expect, test } from 'vitest'
import { findFaults } from './check-blocks.ts'
import { readCodeBlocks } from './code-blocks.ts'

const faultsOf = async (text: string) =>
  (await findFaults(readCodeBlocks(text, 'page.md'))).map(({ line, rule }) => `${line} ${rule}`)
const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`

test('F1 blocks and commands are found with their lines, behind front matter too', () => {
  const text = `---\ntitle: A\norder: 1\n---\n\nRun \`npm start\` and \`not this\`.\n\n- ${fence('ts part', '  const a = 1').replaceAll('\n', '\n  ')}`
  expect(readCodeBlocks(text, 'page.md')).toMatchObject([
    { line: 6, language: 'sh', text: 'npm start' },
    { line: 9, language: 'ts', words: ['part'], text: '  const a = 1\n' },
  ])
})

test.each([
  ['unheard-of', 'x', '2 no rule checks the language "unheard-of"'],
  ['', 'x', '2 no rule checks the language ""'],
  ['sh', 'npm start\nnpm run unheard-of', '3 package.json has no script "unheard-of"'],
  ['sh', 'npx --no portico unheard-of', '2 portico has no command "unheard-of"'],
  ['sh', 'npx portico build', '2 npx portico asks a registry: npx --no portico'],
  ['sh', 'docker compose -f docker/unheard-of.yml up', '2 docker/unheard-of.yml does not exist'],
  ['env', 'PORT=80\nPROT=80', '3 PROT is neither a setting nor a variable of a compose file'],
  ['json package.json', '{ "nmae": "x" }', '2 package.json has no "nmae"'],
  ['yaml compose.override.yml', 'services: { web: { mem_limit: 1g } }', '2 no compose file has a service "web"'],
  ['ini from=unheard-of.ini', 'x', '2 unheard-of.ini does not exist'],
  ['json from=package.json', '"unheard-of": 1', '2 differs from package.json'],
])('F1 a wrong block is found: %s %j', async (language, text, fault) => {
  expect(await faultsOf(fence(language, text))).toEqual([fault])
})

test.each([
  ['json', '{ "a": }'],
  ['yaml', 'a: [1'],
  ['css', '.a { color: red; } }'],
  ['http', 'nothing'],
])('F1 a block that is not %s is found', async (language, text) => {
  expect(await faultsOf(fence(language, text))).toHaveLength(1)
})

test('F1 right blocks pass', async () => {
  const blocks = [
    fence('sh', 'npm test -- --project unit\nnpx --no portico purge\nnode infra/test.mjs'),
    fence('sh', 'docker compose exec gateway node services/gateway/purge-cli.js x'),
    fence('env', '# a remark\nPORT=80'),
    fence('json tsconfig.json', '{ "extends": "./.portico/tsconfig.json" }'),
    fence('yaml', 'a: 1'),
    fence('yaml compose.override.yml', 'services: { images: { cpus: 2 }, proxy: { image: caddy } }'),
    fence('css', '::view-transition-group(*) { animation: none }'),
    fence('json from=package.json', '"private": true,'),
    fence('text', 'pages/   routes'),
  ]
  expect(await faultsOf(blocks.join('\n'))).toEqual([])
})

test('F1 R7 modules are compiled as one app folder a page, with the sample site behind it', async () => {
  const blocks = [
    fence('ts', '// lib/one.ts\nexport const one: number = 1'),
    fence(
      'ts',
      "// lib/two.ts\nimport { one } from './one.ts'\nimport { formatRoman } from './format.ts'\nexport const two = formatRoman(one)",
    ),
    fence(
      'tsx',
      '// pages/new.tsx\nimport { Link } from \'portico\'\nexport default function New() {\n  return <Link href="/new">new</Link>\n}',
    ),
    fence(
      'tsx',
      '// pages/old.tsx\nimport { Link } from \'portico\'\nexport default function Old() {\n  return <Link href="/newer">new</Link>\n}',
    ),
    fence(
      'ts',
      "// lib/wrong.ts\nimport { missing } from './missing.ts'\nexport const text: string = 1 // error: a number\nexport const right = missing // error: none",
    ),
    fence('ts', 'export const nameless = 1'),
    fence('ts', '// lib/one.ts\nexport const again = 1'),
    fence(
      'ts',
      "// portico.config.ts\nimport { defineConfig } from 'portico/config'\nexport default defineConfig({ basePath: 'shop' })",
    ),
  ]
  const faults = await faultsOf(blocks.join(''))
  expect(faults.map((fault) => fault.slice(0, 60))).toEqual([
    expect.stringMatching(/^22 TS2820/),
    expect.stringMatching(/^27 TS2307/),
    '29 is marked as an error and compiles',
    '32 the first line must name a file: // pages/index.tsx',
    '35 two blocks of this page are lib/one.ts',
    expect.stringMatching(/^39 the build rejects it: portico\.config\.ts/),
  ])
}, 120_000)
