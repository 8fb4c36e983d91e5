// The bundler's errors for authors: file, line and frame, without stacks and absolute paths.

import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { explainNativeFault } from '@portico/shared/wire/errors/native-fault.ts'
import { isStackLine } from '@portico/shared/wire/errors/stack-frames.ts'
import { BuildError } from './build-error.ts'

/** Turns any error of a build step into a BuildError. */
export function readableError(error: unknown, appDir: string): BuildError {
  if (error instanceof BuildError) return error
  // The cast: a bundler's error has these members, any other error lacks them.
  const { message, id, loc, frame } = error as {
    message?: string
    id?: string
    loc?: { line?: number; column?: number }
    frame?: string
  }
  const where = id ? `${id}${loc?.line ? `:${loc.line}:${loc.column ?? 0}` : ''}\n` : ''
  const text = `${where}${message ?? String(error)}${frame ? `\n${frame}` : ''}`
  const plain = stripVTControlCharacters(text)
  // The bundler reports a BuildError of our plugins as one line of its text.
  const own = /^BuildError: (.+)$/m.exec(plain)?.[1] ?? unresolvedImport(plain) ?? explainNativeFault(plain, process)
  const lines = (own ?? (process.stderr.isTTY ? text : plain)).split('\n').filter((line) => !isStackLine(line))
  // The bundler's frames name files relative to the current folder.
  const paths = [`${relative(process.cwd(), appDir)}/`, `${appDir}/`].filter((path) => path !== '/')
  return new BuildError(
    paths.reduce((all, path) => all.replaceAll(path, ''), lines.join('\n')),
    { cause: error },
  )
}

/** Replaces the bundler's text, which is advice for the author of a bundler's configuration. */
function unresolvedImport(text: string): string | undefined {
  const [, specifier, file] = /failed to resolve import "(.+?)" from "(.+?)"/.exec(text) ?? []
  return specifier && `${file}: cannot find "${specifier}"; a package must be in package.json and installed`
}
