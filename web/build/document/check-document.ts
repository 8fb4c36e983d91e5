// Makes the document's template of a finished build, as the renderer does when it starts: what `_document` throws fails
// the build, with the place in the author's file. document-process.ts runs the code of the site, in its own process.

import { fork } from 'node:child_process'
import { extname, join } from 'node:path'
import { explainNativeFault } from '@portico/shared/wire/errors/native-fault.ts'
import type { Rolldown } from 'vite'
import { BuildError } from '../build-error.ts'
import type { AppFolder } from '../folder/app-folder.ts'
import { originalPlace } from './original-place.ts'

/** What document-process.ts reports. */
export type DocumentReport =
  | { kind: 'made' }
  | {
      kind: 'thrown'
      /** `load`: a module threw before anything was rendered. */
      during: 'load' | 'render'
      /** Name and message. */
      text: string
      stack: string
      /** Names of the environment that were read before, and have no value here. */
      unset: string[]
    }

/** Loading and rendering take less than a second. */
const TIME_LIMIT_MS = 30_000

interface BuiltDocument {
  /** The folder of the build, with its manifest. */
  outDir: string
  folder: Pick<AppFolder, 'dir' | 'document'>
  /** Of the server bundle, with source maps. */
  output: Rolldown.RolldownOutput['output']
}

/**
 * Throws BuildError for a document that throws. Returns a line for the author if the document cannot be judged here: it
 * has read a name of the environment that may have a value when the renderer starts, and none during the build.
 */
export async function checkDocument({ outDir, folder, output }: BuiltDocument): Promise<string | undefined> {
  const { document } = folder
  // The default document needs no check.
  if (!document) return undefined
  const report = await runDocument(outDir, folder.dir)
  if (typeof report === 'string') return `${document}: not checked: ${report}`
  if (report.kind === 'made') return undefined
  const text = explainNativeFault(`${report.text}\n${report.stack}`, process) ?? report.text
  const when = report.during === 'load' ? 'throws while it is loaded' : 'throws while the document is rendered'
  if (report.unset.length > 0)
    return `${document}: not checked: it ${when}, where ${report.unset.join(', ')} has no value: ${text}`
  const place = originalPlace(report.stack, { bundleDir: join(outDir, 'server'), output, appDir: folder.dir })
  throw new BuildError(`${place ?? document}: ${when}: ${text}`)
}

/** The report, or why there is none. */
function runDocument(outDir: string, appDir: string): Promise<DocumentReport | string> {
  const script = join(import.meta.dirname, `document-process${extname(import.meta.filename)}`)
  const child = fork(script, [outDir], { cwd: appDir, execArgv: [] })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(`its modules did not finish loading within ${TIME_LIMIT_MS / 1000} s`)
      child.kill('SIGKILL')
    }, TIME_LIMIT_MS)
    child.on('error', reject)
    // Our own process sends one message of this type.
    child.on('message', (report) => resolve(report as DocumentReport))
    // Unlike the exit, it comes after the last message.
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve(`its modules did not finish loading (${signal ?? `exit code ${code}`})`)
    })
  })
}
