// The checker of the documentation finds what is wrong in blocks, at its line, and lets right ones pass.

import { expect, test } from 'vitest'
import { findFaults } from './check-blocks.ts'
import { readCodeBlocks } from './code-blocks.ts'
import { readCommands } from './shell.ts'

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
  ['npm start # a remark', [{ variables: [], words: ['npm', 'start'] }]],
  ['A=1 B="x y" npm run a', [{ variables: ['A=1', 'B=x y'], words: ['npm', 'run', 'a'] }]],
  ['A=$(openssl rand -hex 32)', [{ words: ['openssl', 'rand', '-hex', '32'] }, { variables: ['A=$_'], words: [] }]],
  ["a 'b c' | d -e > out.txt 2>&1 && f", [{ words: ['a', 'b c'] }, { words: ['d', '-e'] }, { words: ['f'] }]],
  [
    'a \\\n  b\nc',
    [
      { line: 0, words: ['a', 'b'] },
      { line: 2, words: ['c'] },
    ],
  ],
])('F1 the shell lines %j are read', (text, commands) => {
  expect(readCommands(text)).toMatchObject(commands)
})

test.each([
  ['unheard-of', 'x', '2 no rule checks the language "unheard-of"'],
  ['', 'x', '2 no rule checks the language ""'],
  ['sh', 'npm start\nnpm run unheard-of', '3 package.json has no script "unheard-of"'],
  ['sh', 'npm start -- --unheard-of', '2 services/stack/main.ts has no option --unheard-of'],
  ['sh', 'portico build', '2 portico is on the PATH of scripts of package.json only: npx --no portico'],
  ['sh', 'npx --no portico build --unheard-of', '2 web/build/cli.ts has no option --unheard-of'],
  ['sh', 'npm publish', '2 npm publish: no rule checks it'],
  [
    'sh',
    'npm exec create-portico mysite',
    '2 npm exec is known as: npm exec --no-audit --package ./create-portico-0.1.0.tgz -- create-portico <folder>',
  ],
  [
    'sh',
    'npx portico build',
    '2 npx portico requests portico from a registry where it is not installed: npx --no portico',
  ],
  ['sh', 'npx --no portico --help', '2 npm takes this --help as its own: npx --no portico'],
  ['sh', 'npx --no portico unheard-of', '2 portico has no command "unheard-of"'],
  ['sh', 'PROT=80 npm start', '2 PROT is neither a setting nor a variable of a compose file'],
  ['sh', 'npm run purge -- --unheard-of', '2 services/gateway/purge-cli.ts has no option --unheard-of'],
  ['sh', 'node services/unheard-of.ts', '2 services/unheard-of.ts does not exist'],
  ['sh', 'rm -rf /', '2 nothing checks the program "rm"'],
  ['sh', 'echo "', '2 is not a shell line that this check can read'],
  ['sh', 'docker compose -f unheard-of.yml up', '2 unheard-of.yml does not exist'],
  ['sh', 'docker compose up --scale thumbnails=2', '2 no compose file has a service "thumbnails"'],
  ['sh', 'docker compose --scale images=2', '2 docker compose without a command'],
  ['sh', 'docker compose logs -f web', '2 no compose file has a service "web"'],
  [
    'sh',
    'docker compose exec gateway node services/gateway/purge-cli.js --unheard-of x',
    '2 services/gateway/purge-cli.ts has no option --unheard-of',
  ],
  [
    'sh',
    'docker run --rm -v portico_unheard-of:/data debian tar c /data > x.tar',
    '2 docker-compose.yml has no volume that is called portico_unheard-of',
  ],
  ['sh', 'kubectl apply -k infra/unheard-of', '2 infra/unheard-of does not exist'],
  ['sh', 'cp unheard-of.txt .env', '2 unheard-of.txt does not exist'],
  ['sh', 'curl http://localhost:8080/unheard-of', '2 the sample site has no /unheard-of'],
  ['sh', 'curl http://localhost:9090/unheard-of', '2 no inner port serves /unheard-of'],
  ['sh', 'curl https://elsewhere.org/', '2 elsewhere.org is neither this machine nor a reserved name'],
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
    fence(
      'sh',
      'npm test -- --project unit\ndocker compose logs -f --tail 20 images\ndocker compose cp actions:/data backup',
    ),
    fence(
      'sh',
      'npm exec --no-audit --package ./create-portico-0.1.0.tgz -- create-portico mysite\nnpx --no portico purge',
    ),
    fence('sh', 'curl -s "http://localhost:8080/places/skarnvik?a=1" | tar t\ncurl http://localhost:9090/metrics'),
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
