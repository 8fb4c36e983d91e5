// Renders the pages of a finished build (X9). A process of the renderer's code does it and writes dist/prerendered: the
// build imports no service, and modules of a site change globals.

import { type ChildProcess, fork } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { isPerRequest, type Manifest, type PageEntry } from '@portico/shared/wire/build-output.ts'
import { SHARED_RENDER_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import {
  isPrerenderMessage,
  PRERENDERED_FOLDER,
  type PrerenderMessage,
} from '@portico/shared/wire/prerender/prerender-messages.ts'
import type { Rolldown } from 'vite'
import { BuildError } from './build-error.ts'
import { FRAMEWORK } from './framework-files.ts'
import { originalPlace } from './load/load.ts'
import { writeServicesManifest } from './manifest/manifest.ts'

const SCRIPT = join(FRAMEWORK, `services/renderer/prerender/main${extname(import.meta.filename)}`)
/** How long the process may send nothing beyond the time that a page has. */
const SILENCE_REST_MS = 46_000
/** Between two lines of the progress. */
const PROGRESS_MS = 3000
/** Listed paths of a page in the manifest. */
const LISTED_LIMIT = 5000
/** Lines about single pages. */
const MAX_LINES = 100
/** Pages that throw, after which the others are not rendered: what all of them need may be unavailable. */
const MAX_THROWN = 20

interface PrerenderOptions {
  manifest: Manifest
  /** The folder of the build, with its manifest. */
  outDir: string
  appDir: string
  progress: { step(text: string): void; line(text: string): void }
  strictPrerender: boolean
  /** The server bundle, with source maps. */
  server: Rolldown.RolldownOutput['output']
  /** Time for each page; default: that of the renderer. */
  pageLimitMs?: number | undefined
  silenceLimitMs?: number
  /** Default: that of the renderer. */
  script?: string
}

/**
 * Adds the pages to the build, and their hash to its manifest. Throws BuildError for pages that throw in an app of Next.js,
 * whose build they end, too, and in strict mode for each page without an entry.
 */
export async function prerender(options: PrerenderOptions): Promise<void> {
  const {
    manifest,
    outDir,
    appDir,
    progress,
    strictPrerender,
    server,
    pageLimitMs = SHARED_RENDER_TIMEOUT_MS,
    silenceLimitMs = pageLimitMs + SILENCE_REST_MS,
    script = SCRIPT,
  } = options
  if (manifest.pages.every(({ data }) => isPerRequest(data))) return
  progress.step('Rendering pages')
  const startedMs = performance.now()
  const left: string[] = []
  const thrown: string[] = []
  const bundle = { bundleDir: join(outDir, 'server'), output: server }
  let progressText: string | undefined
  const timer = setInterval(() => progressText !== undefined && progress.line(progressText), PROGRESS_MS)
  // Data functions read it.
  const { buildPhase, prerenderFaults } = manifest.semantics
  const phase = buildPhase && { NEXT_PHASE: 'phase-production-build' }
  const env = { ...process.env, ...phase, APP_DIR: appDir, NODE_ENV: 'production' }
  const args = options.pageLimitMs === undefined ? [outDir] : [outDir, String(options.pageLimitMs)]
  const end = await runProcess({ script, args, appDir, env, silenceLimitMs }, (message, stop) => {
    if (message.kind === 'left' && message.thrown && prerenderFaults) {
      const { file, params, stack } = message.thrown
      const page = [file, ...Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)].join(
        ', ',
      )
      const place = originalPlace(stack, bundle) ?? file
      thrown.push(`${place}: ${message.path} (${page}) throws during the build: ${message.reason}`)
      if (thrown.length >= MAX_THROWN) stop()
    } else if (message.kind === 'left') {
      left.push(`${message.path}: ${message.reason}`)
      if (!strictPrerender && left.length <= MAX_LINES) progress.line(`left to the first request: ${left.at(-1)}`)
    } else progressText = `${message.done} of ${message.total} pages`
  }).finally(() => clearInterval(timer))
  if (thrown.length > 0) throw new BuildError(thrown)
  // A module of the site has ended the process, or it cannot be loaded.
  if (prerenderFaults && end.kind === 'failed' && !end.isLate)
    throw new BuildError(`the pages cannot be rendered: ${end.reason}`)
  const more = left.length - MAX_LINES
  if (strictPrerender && (end.kind === 'failed' || left.length > 0)) {
    const lines = end.kind === 'failed' ? [end.reason] : left.slice(0, MAX_LINES)
    const rest = more > 0 ? [`${more} more pages`] : []
    throw new BuildError([...lines, ...rest].map((line) => `--strict-prerender: ${line}`))
  }
  if (more > 0) progress.line(`left to the first request: ${more} more pages`)
  if (end.kind === 'end') {
    manifest.prerendered = end.hash
    manifest.pages = withListed(manifest, end.listed, progress.line)
  }
  // In both cases: `npm start` builds again if the end of the build is long after its manifest.
  await writeServicesManifest(outDir, manifest)
  if (end.kind === 'failed') {
    await rm(join(outDir, PRERENDERED_FOLDER), { recursive: true, force: true })
    return progress.step(`No page was rendered, all are left to the first request: ${end.reason}`)
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  const others = left.length > 0 ? `, ${left.length} left to the first request` : ''
  progress.step(`Rendered ${end.rendered} ${end.rendered === 1 ? 'page' : 'pages'} in ${seconds} s${others}`)
}

/**
 * The pages with the paths that they list, where a path that is not listed may be that of a rewrite or of another page. More
 * paths than the limit stay with their page: every service has them in memory.
 */
function withListed(
  { semantics, pages, rewrites }: Manifest,
  listed: Record<string, string[]>,
  onLine: (text: string) => void,
): PageEntry[] {
  if (!semantics.unlistedPaths) return pages
  const hasRewrites = rewrites.some(({ phase }) => phase !== 'beforeFiles')
  const prefixOf = (pattern: string) => pattern.slice(0, pattern.indexOf('['))
  const dynamic = pages.map(({ pattern }) => pattern).filter((pattern) => pattern.includes('['))
  const hasOther = (pattern: string) =>
    dynamic.some((other) => other !== pattern && prefixOf(pattern).startsWith(prefixOf(other)))
  return pages.map((entry) => {
    const keys = listed[entry.pattern]
    if (!keys || !(hasRewrites || hasOther(entry.pattern))) return entry
    if (keys.length <= LISTED_LIMIT) return { ...entry, listed: keys }
    onLine(
      `${entry.pattern} lists more than ${LISTED_LIMIT} paths: its other paths are those of no rewrite and no other page`,
    )
    return entry
  })
}

type EndMessage = Extract<PrerenderMessage, { kind: 'end' | 'failed' }>
/** `isLate`: no page ended in time, as may be otherwise at the next build. */
type End = EndMessage & { isLate?: true }

/** Resolves when the process has exited. */
function runProcess(
  {
    script,
    args,
    appDir,
    env,
    silenceLimitMs,
  }: Required<Pick<PrerenderOptions, 'appDir' | 'script' | 'silenceLimitMs'>> & {
    args: string[]
    env: NodeJS.ProcessEnv
  },
  onMessage: (message: Exclude<PrerenderMessage, EndMessage>, stop: () => void) => void,
): Promise<End> {
  const child = fork(script, args, { cwd: appDir, env, execArgv: [] })
  return new Promise((resolve, reject) => {
    let end: End | undefined
    const restart = startSilenceLimit(child, silenceLimitMs, () => {
      end ??= { kind: 'failed', reason: `no page was finished within ${silenceLimitMs / 1000} s`, isLate: true }
    })
    child.on('error', reject)
    child.on('message', (message) => {
      // Code of the site may send messages, too.
      if (!isPrerenderMessage(message)) return
      restart()
      if (message.kind === 'end' || message.kind === 'failed') end = message
      else onMessage(message, () => child.kill('SIGKILL'))
    })
    // Unlike the exit, it comes after the last message.
    child.on('close', (code, signal) =>
      resolve(end ?? { kind: 'failed', reason: `the process ended early (${signal ?? `exit code ${code}`})` }),
    )
  })
}

/** Kills a process that sends nothing for the time. Returns a function that starts the time again. */
function startSilenceLimit(child: ChildProcess, limitMs: number, onLimit: () => void): () => void {
  const timer = setTimeout(() => {
    onLimit()
    child.kill('SIGKILL')
  }, limitMs)
  child.on('close', () => clearTimeout(timer))
  return () => void timer.refresh()
}
