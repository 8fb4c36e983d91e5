// Where knip (`npm run check:exports`) begins: files that no import names. It runs twice. A pattern that ends in `!` is of the
// product and its tools, and holds for both runs; the others are of tests, which `knip --production` leaves out.

import { readFileSync } from 'node:fs'
import type { KnipConfig } from 'knip'
import { STARTED } from './infra/package/compile.ts'
import { COMMANDS } from './services/stack/commands.ts'
import { SERVICE_NAMES } from './services/stack/service-names.ts'
import { RUNTIME_FILES } from './web/build/framework-files.ts'
import { adapter } from './web/build/registered-adapter.ts'

const TESTS = '**/*.{test,integration,browser,containers,long,engines,conformance}.{ts,tsx}'
/** In the second run, what tests import of a part, and their tools: what these use is used. */
const TESTING = process.argv.includes('--production') ? ['**/{testing.ts,testing/**}!'] : []
const SOURCES = ['**/*.{ts,tsx,mjs}!', `!${TESTS}!`]
/** What Portico loads of a site by its name. */
const SITE = {
  entry: [
    '{pages,actions}/**/*.{ts,tsx,mdx}!',
    '{*.config,instrumentation*}.{ts,js,mjs}!',
    'public/**/*.js!',
    ...TESTING,
    TESTS,
  ],
  project: ['**/*.{ts,tsx,js,mjs,mdx,css}!', `!${TESTS}!`],
  // They are entries; their plugins would run them.
  vitest: false,
  prisma: false,
}

/** Loaded by their paths: commands, processes, and modules that generated code imports. */
const LOADED = [
  ...SERVICE_NAMES.map((name) => `services/${name}/main.ts`),
  ...Object.values(COMMANDS).map(({ file }) => `${file}.ts`),
  ...STARTED,
  'services/stack/portico-cli.ts',
  'services/stack/portico.mjs',
  'web/build/assets-cli.ts',
  'web/build/create/main.ts',
  'web/build/next/run/next-mdx.ts',
  'web/build/packages/import-by-node.ts',
  ...Object.values(RUNTIME_FILES),
  ...(adapter?.modules.files.values() ?? []),
  'web/runtime/browser/report-errors.ts',
  'web/runtime/server/create-middleware.ts',
  'web/runtime/server/share-framework.ts',
  'web/runtime/next/browser-initial-props.tsx',
  'web/runtime/next/browser/masked-places.ts',
  'web/runtime/next/default-screens.tsx',
  'web/runtime/next/frame.tsx',
  'web/runtime/next/page-data.ts',
  'web/runtime/next/report-vitals.tsx',
  'web/runtime/next/server-document.tsx',
  'web/runtime/next/server-frame.tsx',
  'web/runtime/next/server-initial-props.ts',
  'web/runtime/next/server/middleware.ts',
]

const benchmarks = readFileSync('package.json', 'utf8').match(/infra\/bench\/[\w/-]+\.ts/g) ?? []

function partOf(folder: string) {
  const own = LOADED.flatMap((file) => file.split(`${folder}/`)[1] ?? [])
  return { entry: [...own.map((file) => `${file}!`), ...TESTING, TESTS], project: SOURCES }
}

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [
        'infra/**/*-cli.ts!',
        'infra/package/pack.ts!',
        ...benchmarks.map((file) => `${file}!`),
        // Benchmarks of their own, and processes that benchmarks start.
        'infra/bench/{dev.ts,footprint.ts,next-start.ts,gateway/pipelining.ts,images/images-plain.ts,cluster/inner-ports.ts}!',
        ...TESTING,
        TESTS,
        // Loaded before a process of a test.
        'infra/e2e/faults/replicas/names.ts',
        'infra/conformance/apps/mocked-fonts.cjs',
        // The comparison with Next.js loads its suites by their folders.
        'infra/conformance/{reporter,tables,vitest.config}.ts',
        'infra/conformance/suites/*/suite.ts',
        'infra/e2e/screenshots.ts',
        'infra/test/reporter.mjs',
      ],
      // What tests alone run; the documentation's tables are written by a command in infra/checks/docs.
      project: [
        'infra/**/*.{ts,tsx,mjs,cjs}!',
        '!infra/{*.{ts,mjs},{conformance,e2e,test}/**,checks/{*.ts,kubernetes/**,docs/!(writ*)}}!',
        `!${TESTS}!`,
      ],
      ignoreDependencies: [
        // The root's version is the one that npm puts at the root (infra/checks/rules.test.ts).
        'cookie',
        'lru-cache',
        // Imported by code that infra/checks/kubernetes/types.ts writes.
        'kubernetes-types',
      ],
    },
    ...Object.fromEntries(
      ['actions', 'gateway', 'images', 'renderer', 'shared', 'stack'].map((name) => [
        `services/${name}`,
        partOf(`services/${name}`),
      ]),
    ),
    'web/app': SITE,
    'web/build': {
      ...partOf('web/build'),
      // Resolved by name: they take the place of modules of Node in browsers (next/plugins/browser-modules).
      ignoreDependencies: [
        /browserify|^(assert|buffer|domain-browser|events|process|punycode|querystring-es3)$/,
        /^(stream-http|string_decoder|url|util)$/,
      ],
    },
    'web/build/create/starter': SITE,
    'web/runtime': partOf('web/runtime'),
    'infra/bench/site': SITE,
    'infra/e2e/sites/fixture': { ...SITE, entry: [...SITE.entry, 'make-member.ts'] },
    'infra/conformance/own-sites/accounts': SITE,
    'infra/conformance/own-sites/auth-js': SITE,
    'infra/conformance/own-sites/libraries': SITE,
    'infra/conformance/own-sites/next': SITE,
  },
  ignore: [
    // A test generates the client of its database.
    'infra/conformance/apps/database/**',
    // The harness puts these sites together from folders.
    'infra/conformance/sites/**',
  ],
  ignoreIssues: {
    // As styled-jsx/css exports it.
    'web/runtime/next/styled-jsx-css.ts': ['duplicates'],
  },
  // infra/checks/imports.test.ts knows which packages a folder may import, and TypeScript whether a file exists; programs are
  // those of the machine.
  exclude: ['unlisted', 'unresolved', 'binaries'],
}

export default config
