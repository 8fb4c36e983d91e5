// The bundler's errors for authors: file, line and frame, without stacks and absolute paths.

import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { explainNativeFault } from '@portico/shared/wire/errors/native-fault.ts'
import { codeFrame, isStackLine } from '@portico/shared/wire/errors/stack-frames.ts'
import { BuildError, parseFault } from './build-error.ts'
import { readImportFaults } from './import-fault.ts'

/** Turns any error of a build step into a BuildError. */
export function readableError(error: unknown, appDir: string): BuildError {
  if (error instanceof BuildError) return error
  // The cast: a bundler's error has these members, any other value lacks them.
  const { message, id, loc, frame } = Object(error) as {
    message?: string
    id?: string
    loc?: { line?: number; column?: number }
    frame?: string
  }
  const where = id ? `${id}${loc?.line ? `:${loc.line}:${loc.column ?? 0}` : ''}\n` : ''
  const text = `${where}${message ?? String(error)}${frame ? `\n${frame}` : ''}`
  const plain = stripVTControlCharacters(text)
  // The bundler reports a BuildError of our plugins as one line of its text.
  const reported = /^BuildError: (.+)$/m.exec(plain)?.[1]
  const own =
    reported ?? failedImports(plain, appDir) ?? compilerOptionsFault(plain) ?? explainNativeFault(plain, process)
  const lines = (own ?? (process.stderr.isTTY ? text : plain)).split('\n').filter((line) => !isStackLine(line))
  // The bundler's frames name files relative to the current folder.
  const paths = [`${relative(process.cwd(), appDir)}/`, `${appDir}/`].filter((path) => path !== '/')
  const readable = paths.reduce((all, path) => all.replaceAll(path, ''), lines.join('\n'))
  return new BuildError(readable, { cause: error })
}

/** The fault of a tsconfig.json that the bundler cannot read, which it repeats with a stack of its native code. */
function compilerOptionsFault(text: string): string | undefined {
  const [, file, rule, line, column] =
    /Failed to load tsconfig "([^"]+)": .*?message: "(.+?) at line (\d+) column (\d+)"/.exec(text) ?? []
  return file && `${file}:${line}:${column}: ${rule}`
}

/** Replaces the bundler's text, whose positions are those of generated code. */
function failedImports(text: string, appDir: string): string | undefined {
  const faults = readImportFaults(text, appDir).map(({ message }) => message)
  return faults.length > 0 ? [...new Set(faults)].join('\n') : undefined
}

/** The message of an author's error, with the lines around its place. */
export function withFrame(message: string, appDir: string): string {
  return message
    .split('\n')
    .map((line) => {
      const { file, line: number } = parseFault(line)
      const path = file === undefined ? '' : join(appDir, file)
      if (number === undefined || !existsSync(path)) return line
      const rows = codeFrame(readFileSync(path, 'utf8'), number)
      const drawn = rows.map((row) => `${row.isFault ? '>' : ' '} ${String(row.line).padStart(4)} | ${row.text}`)
      return [line, ...drawn.map((row) => row.trimEnd())].join('\n')
    })
    .join('\n')
}
