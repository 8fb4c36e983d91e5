// Lighthouse on the sample site as `npm start` serves it: six pages, on its phone and its desktop. Medians.
//
//   node infra/bench/browser/lighthouse.ts --help

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromiumPath } from '../../e2e/harness/chromium.ts'
import { startEmbedded } from '../../e2e/harness/embedded-stack.ts'
import { ended, makeFolder } from '../../e2e/harness/processes.ts'
import { ATLAS } from '../../e2e/sites/sites.ts'
import { median } from '../processes.ts'

const VERSION = '13.5.0'

/** The score that every page is to have. */
const TARGET = 97
const PAGES = ['/', '/places/skarnvik', '/docs', '/docs/write-a-page', '/search?q=harbour', '/lab']
const FORMS = ['phone', 'desktop'] as const
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const

const HELP = `node infra/bench/browser/lighthouse.ts [rounds] [--form phone|desktop] [--page /lab] [--url http://localhost:8080]

Lighthouse ${VERSION}, fetched by npx, on six pages of the sample site: medians of the scores (0 to 100) of performance,
accessibility, best practices and search engines, of the largest contentful paint (LCP), the total blocking time (TBT) and
the cumulative layout shift (CLS), and the bytes. Ends with 1 if a median of performance is below ${TARGET}.

LCP is simulated: Lighthouse computes it for a slow 4G network, mainly of the bytes that arrived before the paint. TBT is
measured, four times slower for the phone: other work of the machine makes it longer, and performance lower. /search
has 63 for search engines, because it asks them not to list it.

rounds: how often each page is loaded (default 5; about 12 s each). Needs Chromium on the PATH or at CHROMIUM_PATH.
--form: the phone or the desktop alone.  --page: one page alone.
--url:  a running sample site; without --url the benchmark starts one.`

interface Report {
  categories: Record<(typeof CATEGORIES)[number], { score: number | null }>
  audits: Record<string, { numericValue?: number }>
}

const { values, positionals } = parseArgs({
  options: {
    help: { type: 'boolean' },
    form: { type: 'string' },
    page: { type: 'string' },
    url: { type: 'string' },
  },
  allowPositionals: true,
})
const rounds = Number(positionals[0] ?? 5)
const forms = FORMS.filter((form) => values.form === undefined || values.form === form)
const pages = PAGES.filter((page) => values.page === undefined || values.page === page)
if (values.help) console.log(HELP)
else if (!Number.isInteger(rounds) || rounds < 1) fail(`rounds must be a whole number from 1, not ${positionals[0]}`)
else if (forms.length === 0) fail(`--form must be one of ${FORMS.join(', ')}, not ${values.form}`)
else if (pages.length === 0) fail(`--page must be one of ${PAGES.join(', ')}, not ${values.page}`)
else await measure()

async function measure(): Promise<void> {
  const stack = values.url === undefined ? await startEmbedded({ appDir: ATLAS.appDir }) : undefined
  const folder = await makeFolder('lighthouse')
  try {
    const origin = stack?.baseUrl ?? new URL(values.url ?? '').origin
    console.log(`Lighthouse ${VERSION}, medians of ${rounds}`)
    console.log(row('', ['perf.', 'access.', 'practices', 'search', 'LCP ms', 'TBT ms', 'CLS', 'KB']))
    for (const form of forms)
      for (const page of pages) {
        const reports: Report[] = []
        // The first load of a page has images resized.
        for (let round = -1; round < rounds; round++) {
          const report = await load(origin + page, form, join(folder.path, 'report.json'))
          if (round >= 0) reports.push(report)
        }
        print(`${form} ${page}`, reports)
      }
  } finally {
    await folder.remove()
    await stack?.stop()
  }
}

function print(name: string, reports: readonly Report[]): void {
  const scores = CATEGORIES.map((category) =>
    median(reports.map(({ categories }) => Math.round((categories[category].score ?? 0) * 100))),
  )
  const of = (audit: string) => median(reports.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN))
  if (!(scores[0]! >= TARGET)) process.exitCode = 1
  console.log(
    row(name, [
      ...scores.map(String),
      of('largest-contentful-paint').toFixed(0),
      of('total-blocking-time').toFixed(0),
      of('cumulative-layout-shift').toFixed(3),
      (of('total-byte-weight') / 1000).toFixed(0),
    ]),
  )
}

function row(name: string, columns: readonly string[]): string {
  return name.padEnd(28) + columns.map((column) => column.padStart(10)).join('')
}

/** One load in a browser of its own. */
async function load(url: string, form: (typeof FORMS)[number], output: string): Promise<Report> {
  const flags = [
    '--output=json',
    `--output-path=${output}`,
    '--quiet',
    '--no-enable-error-reporting',
    '--chrome-flags=--headless --no-sandbox',
  ]
  const child = spawn(
    'npx',
    ['--yes', `lighthouse@${VERSION}`, url, ...flags, ...(form === 'desktop' ? ['--preset=desktop'] : [])],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, CHROME_PATH: chromiumPath() } },
  )
  const { code } = await ended(child)
  if (code !== 0) throw new Error(`Lighthouse ended with ${code} for ${url}`)
  return JSON.parse(await readFile(output, 'utf8')) as Report
}

function fail(message: string): void {
  console.error(`${message}\n\n${HELP}`)
  process.exitCode = 1
}
