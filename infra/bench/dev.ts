// The waiting times of an author with the development server: from the start of the command to the first page, from an
// edit to the change in Chromium; and the memory after many edits. A small app folder; one browser.
//
//   node infra/bench/dev.ts --help

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { hydrated, launchChromium } from '../e2e/harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../e2e/harness/embedded-stack.ts'
import { makeSite } from '../e2e/sites/make-site.ts'
import { SMALL } from '../e2e/sites/written/small.ts'
import { UTILITIES } from '../e2e/sites/written/utilities.ts'
import { readNumbers } from './command-line.ts'
import { median, processorMs } from './processes.ts'

const HELP = `node infra/bench/dev.ts [edits]      needs Chromium; about two minutes with the default of 200 edits
node infra/bench/dev.ts start        the starts alone, without Chromium`

const isStartOnly = process.argv[2] === 'start'
const EDITS = isStartOnly ? 0 : readNumbers(HELP, { edits: 200 }).edits
const ROUNDS = 15

/** An edit that an author makes, and where the page shows it. */
interface EditKind {
  what: string
  file: string
  /** The text that each round replaces by `textOf(round)`. */
  pattern: RegExp
  textOf: (round: number) => string
  /** The element whose text, or the computed value of whose property, is `wanted` then; by default the new text itself. */
  shown: { selector: string; property?: string }
  wanted?: (text: string) => string
}

const GREETING: EditKind = {
  what: 'component',
  file: 'components/greeting.tsx',
  pattern: /Hello [\w-]+/,
  textOf: (round) => `Hello n${round}`,
  shown: { selector: '#greeting' },
}
const STARTS = 7

/** Stylesheets depend on every source, as with Tailwind. */
const site = await makeSite({ ...SMALL, ...UTILITIES })
const start = async () => {
  const startedAt = performance.now()
  const stack = await startEmbedded({ appDir: site.dir, args: ['--dev'] })
  const readyMs = performance.now() - startedAt
  const page = await (await fetch(`${stack.baseUrl}/`)).text()
  if (!page.includes('Hello')) throw new Error('the first page is another one')
  return { stack, readyMs, firstPageMs: performance.now() - startedAt, cpuMs: stackMs(stack) }
}

/** The first start fills caches; the later starts are the usual ones. */
const cold = await start()
// Vite's cache is complete when it contains the packages that every page needs.
await until(() => existsSync(join(site.dir, '.portico/vite/deps/_metadata.json')))
await cold.stack.stop()
const starts: Awaited<ReturnType<typeof start>>[] = []
for (let count = 0; count < STARTS; count++) {
  starts.push(await start())
  if (count < STARTS - 1) await starts.at(-1)!.stack.stop()
}
const { stack } = starts.at(-1)!
const medianOf = (pick: (one: (typeof starts)[number]) => number) => Math.round(median(starts.map(pick)))
print('start to ready', `median ${medianOf(({ readyMs }) => readyMs)} ms of ${STARTS}`)
print(
  'start to the first page',
  `median ${medianOf(({ firstPageMs }) => firstPageMs)} ms of ${STARTS}, empty caches ${Math.round(cold.firstPageMs)} ms`,
)
print(
  'processor time until then',
  `median ${medianOf(({ cpuMs }) => cpuMs.all)} ms of all, ${medianOf(({ cpuMs }) => cpuMs.renderer)} ms of the renderer`,
)
if (isStartOnly) {
  await stack.stop()
  await site.remove()
  process.exit(0)
}

const browser = await launchChromium()
try {
  const page = await browser.newPage()
  const open = async (path: string) => {
    await page.goto(stack.baseUrl + path)
    await hydrated(page, '#count', 60_000)
  }
  await open('/')
  await measure(page, GREETING)
  await measure(page, {
    what: 'CSS module',
    file: 'pages/index.module.css',
    pattern: /rgb\(\d+, 2, 3\)/,
    textOf: (round) => `rgb(${round}, 2, 3)`,
    shown: { selector: 'main', property: 'color' },
  })
  await measure(page, {
    what: 'utility class',
    file: 'components/greeting.tsx',
    pattern: /pad-\d+/,
    textOf: (round) => `pad-${100 + round}`,
    shown: { selector: '#greeting', property: 'padding-top' },
    wanted: (text) => text.replace('pad-', '').concat('px'),
  })
  await open('/data')
  await measure(page, {
    what: 'server module',
    file: 'lib/text.ts',
    pattern: /text [\w-]+/,
    textOf: (round) => `text n${round}`,
    shown: { selector: '#text' },
  })
  await measure(page, {
    what: 'data function',
    file: 'pages/data.tsx',
    pattern: /word: '[\w-]+'/,
    textOf: (round) => `word: 'n${round}'`,
    shown: { selector: '#word' },
    wanted: (text) => text.slice("word: '".length, -1),
  })
  await open('/')
  await measureMemory(page, stack)
} finally {
  await browser.close()
  await stack.stop()
  await site.remove()
}

async function measure(page: Page, kind: EditKind): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await edit(page, kind, round))
  print(
    `edit of a ${kind.what} to visible`,
    `median ${Math.round(median(times))} ms, worst ${Math.round(Math.max(...times))} ms`,
  )
}

/** Writes the file and waits until the page shows the change; milliseconds. */
async function edit(page: Page, kind: EditKind, round: number): Promise<number> {
  const { file, pattern, textOf, shown, wanted = (text) => text } = kind
  const source = (await site.read(file)).replace(pattern, textOf(round))
  const expected = wanted(textOf(round))
  const visible = page.waitForFunction(
    ({ selector, property, text }) => {
      const element = document.querySelector(selector)
      if (!element) return false
      return (property ? getComputedStyle(element).getPropertyValue(property) : element.textContent) === text
    },
    { property: undefined, ...shown, text: expected },
    { polling: 'raf', timeout: 30_000 },
  )
  const startedAt = performance.now()
  await site.write(file, source)
  await visible.catch((cause: unknown) => {
    throw new Error(`"${expected}" is not shown after an edit of a ${kind.what}`, { cause })
  })
  return performance.now() - startedAt
}

async function measureMemory(page: Page, { serviceId }: EmbeddedStack): Promise<void> {
  const residentMb = () => {
    const status = readFileSync(`/proc/${serviceId('renderer')}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }
  const before = residentMb()
  for (let count = 0; count < EDITS; count++) {
    await edit(page, GREETING, ROUNDS + count)
    // The server renders every state, too.
    if (count % 5 === 0) await (await fetch(`${stack.baseUrl}/`)).text()
  }
  const after = residentMb()
  print(
    `renderer after ${EDITS} edits`,
    `${Math.round(after)} MB, before ${Math.round(before)} MB: ${(after / before).toFixed(2)}x`,
  )
}

/** Processor time of the stack and its services so far. */
function stackMs({ stackId, serviceId }: EmbeddedStack): { all: number; renderer: number } {
  const renderer = processorMs(serviceId('renderer'))
  const others = [stackId(), ...['gateway', 'images', 'actions'].map(serviceId)].map(processorMs)
  return { all: others.reduce((sum, one) => sum + one, renderer), renderer }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((done) => setTimeout(done, 100))
}

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(36)} ${figure}\n`)
}
