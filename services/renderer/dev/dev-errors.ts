// Formats errors for the author: the message, the place in a source, the lines around it, a stack of the app's files.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { type ParsedFault, parseFault } from '@portico/build/build-error.ts'
import { readImportFaults } from '@portico/build/readable-error.ts'
import type { ThrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import type { DevError, DevFrameLine, DevStackFrame } from '@portico/shared/wire/dev/dev-wire.ts'
import { explainNativeFault } from '@portico/shared/wire/errors/native-fault.ts'
import { codeFrame, isStackLine, MAX_STACK_FRAMES, parseStackFrames } from '@portico/shared/wire/errors/stack-frames.ts'

interface DevErrorReader {
  read(thrown: ThrownError): Promise<DevError>
}

interface Place {
  file: string
  line?: number
  column?: number
}

export function createDevErrorReader(appDir: string): DevErrorReader {
  return {
    async read({ source, message, stack, digest, id, loc, url }) {
      const text = stripVTControlCharacters(message)
      const [failedImport] = readImportFaults(text, appDir)
      const native = explainNativeFault(`${text}\n${stack}`, process)
      const { rule, docs, ...stated } = parseFault(plainMessage(failedImport?.message ?? native ?? text, appDir))
      const frames = readStack(stack, appDir)
      const named = namedFile(rule, appDir)
      const found = statedPlace(stated) ?? placeOf({ id, loc, text, appDir }) ?? named
      const place = found ?? frames.find(({ file }) => isOwn(file))
      const frame = place?.line === undefined ? undefined : await readFrame(appDir, place.file, place.line)
      const isData = source === 'render' && frames.some(({ name }) => DATA_FUNCTION.test(name))
      return {
        // An error of a handler or action is for those who call it, also where its module cannot be read.
        source: failedImport && source !== 'api' && source !== 'action' ? 'build' : isData ? 'data' : source,
        message: rule,
        ...(place && { file: place.file }),
        ...(place?.line !== undefined && { line: place.line }),
        ...(place?.column !== undefined && { column: place.column }),
        ...(frame && { frame }),
        // A rule about a place in a source: the stack is that of the framework.
        stack: stated.file === undefined && named === undefined ? frames : [],
        ...(docs !== undefined && { docs }),
        ...(digest !== undefined && { digest }),
        ...(url !== undefined && { url }),
      }
    },
  }
}

/** The place that an author's error names in its message. */
function statedPlace({ file, line, column }: Omit<ParsedFault, 'rule' | 'docs'>): Place | undefined {
  return file === undefined ? undefined : { file, ...(line && { line }), ...(column && { column }) }
}

/** The file of a rule about the whole file: `pages/a.tsx: a page must …`, `pages/a.tsx and pages/a/index.tsx: …`. */
function namedFile(message: string, appDir: string): Place | undefined {
  const file = /^([^\s:]+\.\w+)(?: and [^\s:]+)?: /.exec(message)?.[1]
  return file !== undefined && !isAbsolute(file) && existsSync(join(appDir, file)) ? { file } : undefined
}

const DATA_FUNCTION = /\bget(ServerSideProps|StaticProps|StaticPaths)\b/

interface Clues {
  id: string | undefined
  loc: ThrownError['loc']
  text: string
  appDir: string
}

/** The place where the bundler stopped reading. */
function placeOf({ id, loc, text, appDir }: Clues): Place | undefined {
  const file = loc?.file ?? id
  if (file && loc?.line) return place(file, appDir, loc.line, (loc.column ?? 0) + 1)
  // The bundler's reports draw the place: `╭─[ pages/index.tsx:3:5 ]`.
  const drawn = /\[ ?([^[\]\n]*?|[^\n]*?\.[cm]?[jt]sx?):(\d+):(\d+) ?\]/.exec(text)
  if (drawn?.[1]) return place(id ?? drawnFile(drawn[1], appDir), appDir, Number(drawn[2]), Number(drawn[3]))
  if (file) return place(file, appDir)
  const importer = / in (\/[^\n]+?)\. Does the file exist/.exec(text)?.[1]
  return importer ? place(importer, appDir) : undefined
}

/** Makes names app-relative: the bundler names files from the working directory of the process. */
function drawnFile(name: string, appDir: string): string {
  const inApp = join(appDir, name)
  return existsSync(inApp) ? inApp : resolve(name)
}

function place(file: string, appDir: string, line?: number, column?: number): Place {
  return { file: nameOf(file.split('?')[0]!, appDir), ...(line && { line }), ...(column && { column }) }
}

/** Frames of Node and of the module runner do not help an author. */
const INNER = /^node:|^https?:|\/node_modules\/vite\//

function readStack(stack: string, appDir: string): DevStackFrame[] {
  return parseStackFrames(stack)
    .map(({ location, ...frame }) => ({
      ...frame,
      path: location.startsWith('file:') ? fileURLToPath(location) : location,
    }))
    .filter(({ path }) => !INNER.test(path))
    .slice(0, MAX_STACK_FRAMES)
    .map(({ name, path, line, column }) => ({
      name: name.replace(/__vite_ssr_import_\d+__\.|^Module\.|^Object\./g, ''),
      file: nameOf(path, appDir),
      line,
      column,
    }))
}

/** App-relative, a package's name, or the unchanged path. */
function nameOf(path: string, appDir: string): string {
  const inPackages = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)
  if (inPackages?.[1]) return inPackages[1]
  if (!isAbsolute(path)) return path
  const name = relative(appDir, path).split(sep).join('/')
  return name.startsWith('..') ? path : name
}

function isOwn(file: string): boolean {
  return !isAbsolute(file) && file.includes('.')
}

/** The report without its drawing; the frame shows these lines better. */
function plainMessage(text: string, appDir: string): string {
  const lines = text.split('\n').filter((line) => !isStackLine(line) && !/^\s*(\d+ )?[│┆╭╰─┬·]|^\s*\d+ [│|]/.test(line))
  return lines
    .join('\n')
    .replaceAll(`${appDir}/`, '')
    .replace(/\n{2,}/g, '\n')
    .trim()
}

async function readFrame(appDir: string, file: string, line: number): Promise<DevFrameLine[] | undefined> {
  try {
    return codeFrame(await readFile(isAbsolute(file) ? file : join(appDir, file), 'utf8'), line)
  } catch {
    // A virtual or deleted module: only the message is shown.
    return undefined
  }
}
