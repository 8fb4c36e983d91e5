// Loads every module of a finished build once, as its services do when they start, and makes the template of its document
// (O4).
// Guarantees: what fails is reported at its place in the sources; a document that throws fails the build, because no page is
// rendered without it; code of the site runs in the process of load-process.ts, never in that of the build.
// Leaves pages to prerender.ts.

import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { explainNativeFault } from '@portico/shared/wire/errors/native-fault.ts'
import { parseStackFrames, type StackFrame } from '@portico/shared/wire/errors/stack-frames.ts'
import type { Rolldown } from 'vite'
import { BuildError } from '../build-error.ts'
import type { AppFolder } from '../folder/folder.ts'
import { withFrame } from '../readable-error.ts'
import { isOfSite } from '../source-maps/source-maps.ts'
import { FRAME, type LoadMessage } from './load-message.ts'

interface Bundle {
  bundleDir: string
  /** With source maps. */
  output: Rolldown.RolldownOutput['output']
}

// Finds the place in the author's sources at which code of a bundle threw.

/** `pages/_document.tsx:3:9` for the innermost frame in a file of the app folder; undefined if there is none. */
export function originalPlace(stack: string, bundle: Bundle): string | undefined {
  for (const frame of parseStackFrames(stack)) {
    const place = placeOf(frame, bundle)
    if (place) return place
  }
  return undefined
}

function placeOf({ location, line, column }: StackFrame, { bundleDir, output }: Bundle): string | undefined {
  if (!location.startsWith('file:')) return undefined
  const file = fileURLToPath(location)
  const chunk = output.find(({ type, fileName }) => type === 'chunk' && join(bundleDir, fileName) === file)
  if (chunk?.type !== 'chunk' || !chunk.map) return undefined
  // The cast: Node and the bundler have different types for one format.
  const origin = new SourceMap(chunk.map as unknown as SourceMapPayload).findOrigin(line, column)
  if (!('fileName' in origin) || !isOfSite(origin.fileName)) return undefined
  return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
}

/** Loading takes less than a second, also for large sites; a module may wait for a network that a build does not have. */
const TIME_LIMIT_MS = 30_000
/** Between two lines of the progress. */
const PROGRESS_MS = 3000
/** Faults with their lines of code. */
const MAX_SHOWN = 20
const MAX_UNSET = 5

interface BuiltModules {
  /** The folder of the build, with its manifest. */
  outDir: string
  manifest: Pick<Manifest, 'semantics'>
  folder: Pick<AppFolder, 'dir' | 'document' | 'app'>
  /** The output of both bundles, with source maps. */
  outputs: Record<'server' | 'actions', Rolldown.RolldownOutput['output']>
  progress: { step(text: string): void; line(text: string): void }
  /** Default: a timer. Returns a function that stops it. */
  startLimit?: (limitMs: number, onLimit: () => void) => () => void
}

/**
 * Reports each module that cannot be loaded with its cause; the build goes on, because the running site may have what the
 * module needs, and responds 500 only to what needs the module. Throws BuildError for a document that throws, unless it has
 * read a name of the environment that may have a value when the renderer starts.
 */
export async function checkModules(built: BuiltModules): Promise<void> {
  const { folder, progress } = built
  progress.step('Loading modules')
  const faults = await loadAll(built)
  for (const fault of faults.slice(0, MAX_SHOWN)) {
    const { file, isThrown, isUnsure } = fault
    const isDocument = file === FRAME && folder.document !== undefined && folder.document !== ''
    if (isDocument && isThrown && !isUnsure) throw new BuildError(textOf(fault, folder))
    for (const line of withFrame(textOf(fault, folder), folder.dir).split('\n')) progress.line(line)
  }
  if (faults.length === 0) return
  const more = faults.length > MAX_SHOWN ? `, ${faults.length - MAX_SHOWN} of them not shown` : ''
  progress.step(
    `${faults.length} ${faults.length === 1 ? 'module' : 'modules'} cannot be loaded${more}: if the services cannot load them either, requests for them are 500, and those of middleware 503`,
  )
}

interface LoadFault {
  /** Empty: the frame of all pages. */
  file: string
  place?: string | undefined
  reason: string
  isThrown: boolean
  /** The cause may be a value of the environment that the build lacks. */
  isUnsure: boolean
}

function textOf({ file, place, reason, isUnsure }: LoadFault, { document, app }: BuiltModules['folder']): string {
  const name = place ?? (file === FRAME ? document || app || '_app' : file)
  return `${name}: ${isUnsure && file === FRAME ? 'not checked: it ' : ''}${reason}`
}

async function loadAll(built: BuiltModules): Promise<LoadFault[]> {
  const faults: LoadFault[] = []
  let current = FRAME
  let loaded = -1
  const timer = setInterval(
    () => built.progress.line(`${Math.max(0, loaded)} modules, now ${current || 'document'}`),
    PROGRESS_MS,
  )
  const end = await runProcess(built, (message) => {
    switch (message.kind) {
      case 'loading':
        current = message.file
        loaded++
        return
      case 'thrown':
        return void faults.push(faultOf(message, built))
      case 'waiting':
        return void faults.push({ file: message.file, ...unfinished('it waits for what never happens') })
      case 'end':
    }
  }).finally(() => clearInterval(timer))
  if (end === undefined) return faults
  faults.push({ file: current, ...unfinished(end) })
  built.progress.line(`the modules after ${current || 'the document'} were not loaded`)
  return faults
}

const unfinished = (reason: string) => ({
  reason: `did not finish loading (${reason})`,
  isThrown: false,
  isUnsure: true,
})

function faultOf(
  { file, during, text, stack, unset }: Extract<LoadMessage, { kind: 'thrown' }>,
  { outDir, outputs }: BuiltModules,
): LoadFault {
  const explained = explainNativeFault(`${text}\n${stack}`, process) ?? text
  const when = during === 'load' ? 'throws while it is loaded' : 'throws while the document is rendered'
  const more = unset.length > MAX_UNSET ? ` and ${unset.length - MAX_UNSET} more` : ''
  const names = unset.length > 0 ? `, where ${unset.slice(0, MAX_UNSET).join(', ')}${more} has no value` : ''
  const bundles = (['server', 'actions'] as const).map((name) => ({
    bundleDir: join(outDir, name),
    output: outputs[name],
  }))
  const isUnsure = unset.length > 0
  return {
    file,
    // A document that is not checked is named by its file.
    place: isUnsure && file === FRAME ? undefined : bundles.map((bundle) => originalPlace(stack, bundle)).find(Boolean),
    reason: `${when}${names}: ${explained}`,
    isThrown: true,
    isUnsure,
  }
}

/** Resolves when the process has ended: with the reason, if it was not at the end of its work. */
async function runProcess(
  { outDir, manifest, folder, startLimit = startTimer }: BuiltModules,
  onMessage: (message: LoadMessage) => void,
): Promise<string | undefined> {
  const script = join(import.meta.dirname, `load-process${extname(import.meta.filename)}`)
  // What modules open while they are loaded, such as a database, is not that of the site.
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-load-'))
  // Modules read it.
  const phase = manifest.semantics.buildPhase && { NEXT_PHASE: 'phase-production-build' }
  const env = { ...process.env, ...phase, APP_DIR: folder.dir, DATA_DIR: dataDir, CACHE_DIR: dataDir }
  const child = fork(script, [outDir], { cwd: folder.dir, env, execArgv: [] })
  try {
    return await new Promise((resolve, reject) => {
      let hasEnded = false
      let reason: string | undefined
      const stopLimit = startLimit(TIME_LIMIT_MS, () => {
        reason = `within ${TIME_LIMIT_MS / 1000} s`
        child.kill('SIGKILL')
      })
      child.on('error', reject)
      child.on('message', (message) => {
        // Code of the site may send messages, too.
        if (!isLoadMessage(message)) return
        if (message.kind === 'end') hasEnded = true
        onMessage(message)
      })
      // Unlike the exit, it comes after the last message.
      child.on('close', (code, signal) => {
        stopLimit()
        resolve(hasEnded ? undefined : (reason ?? signal ?? `exit code ${code}`))
      })
    })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

function startTimer(limitMs: number, onLimit: () => void): () => void {
  const timer = setTimeout(onLimit, limitMs)
  return () => clearTimeout(timer)
}

const KINDS = ['loading', 'thrown', 'waiting', 'end'] as const satisfies readonly LoadMessage['kind'][]

function isLoadMessage(value: unknown): value is LoadMessage {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  return KINDS.some((known) => known === kind)
}
