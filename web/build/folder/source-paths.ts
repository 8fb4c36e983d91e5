// Paths and module ids of source files.

import { relative, sep } from 'node:path'

/** An absolute path as a path in the app folder, with forward slashes; begins with `..` for files outside of it. */
export function appRelative(dir: string, path: string): string {
  return relative(dir, path).split(sep).join('/')
}

/** The path of a module id, without the query that Vite and its plugins add. */
export function withoutQuery(id: string): string {
  return id.replace(/\?.*$/s, '')
}

/** Whether a file, or the ending of one, is Markdown or MDX. */
export function isMarkdown(name: string): boolean {
  return /(^|\.)mdx?$/.test(name)
}

/** Whether the file is a module of JavaScript or TypeScript. */
export function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path)
}
