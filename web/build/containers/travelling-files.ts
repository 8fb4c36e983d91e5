// Which files of an app folder travel into container images, where pages, actions and handlers may read them at run time:
// those that `files` of package.json lists, as npm reads the field, or everything that is not ignored (K2). The build
// (dist/) and the packages (node_modules/) get there by other means.

import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import picomatch from 'picomatch'
import { BuildError } from '../build-error.ts'
import { parseJsonObject } from '../package-json.ts'

/** Rules in their order: the last one that matches decides. */
type Rules = readonly { matches: (path: string, isFolder: boolean) => boolean; isNegated: boolean }[]

interface Travel {
  appDir: string
  /** Rules of `files`; undefined without the field. */
  listed: Rules | undefined
  /** Rules of .dockerignore; empty with `files`. */
  docker: Rules
}

/** Rules of a .gitignore, for paths relative to its folder. */
interface GitRules {
  folder: string
  rules: Rules
}

/** Outputs and data of builds and stacks, and what never belongs into an image, in the app folder itself. */
const NEVER_AT_TOP = /^(dist|\.portico|\.data|\.env.*\.local)$/
const NEVER = /^(node_modules|\.git)$/

/**
 * The paths of the files that travel, relative to the app folder, sorted. package.json is always one of them; symbolic
 * links never are. Throws BuildError for a package.json whose `files` is no list of strings.
 *
 * @example await readTravellingFiles('/home/ida/mysite') // ['content/a.md', 'package.json']
 */
export async function readTravellingFiles(appDir: string): Promise<string[]> {
  const listed = await readListed(appDir)
  const docker = listed ? [] : parseLines(await readText(appDir, '.dockerignore'), dockerRule)
  const found = await filesBelow('', [], { appDir, listed, docker })
  return [...new Set([...found, ...(existsSync(join(appDir, 'package.json')) ? ['package.json'] : [])])].sort()
}

async function filesBelow(folder: string, above: readonly GitRules[], travel: Travel): Promise<string[]> {
  const { appDir, listed, docker } = travel
  // npm: `files` overrides the ignore file next to package.json, and no ignore file of a folder below.
  const own = listed && folder === '' ? [] : parseLines(await readText(join(appDir, folder), '.gitignore'), gitRule)
  const git = [...above, { folder, rules: own }]
  const found: string[] = []
  for (const entry of await readdir(join(appDir, folder), { withFileTypes: true })) {
    const path = folder + entry.name
    if (NEVER.test(entry.name) || (folder === '' && NEVER_AT_TOP.test(entry.name))) continue
    if (isIgnoredByGit(path, entry.isDirectory(), git)) continue
    if (entry.isDirectory()) {
      // Docker: an exception may name a file in an ignored folder.
      if (lastMatch(docker, path, true) !== true || docker.some(({ isNegated }) => isNegated))
        found.push(...(await filesBelow(`${path}/`, git, travel)))
    } else if (entry.isFile()) {
      const travels = listed ? lastMatch(listed, path, false) === true : lastMatch(docker, path, false) !== true
      if (travels) found.push(path)
    }
  }
  return found
}

/** Whether the last rule that matches is not negated; undefined if no rule matches. */
function lastMatch(rules: Rules, path: string, isFolder: boolean): boolean | undefined {
  const rule = rules.findLast(({ matches }) => matches(path, isFolder))
  return rule && !rule.isNegated
}

/** The rules of an inner folder come before those of an outer one. */
function isIgnoredByGit(path: string, isFolder: boolean, git: readonly GitRules[]): boolean {
  for (const { folder, rules } of git.toReversed()) {
    const verdict = lastMatch(rules, path.slice(folder.length), isFolder)
    if (verdict !== undefined) return verdict
  }
  return false
}

async function readListed(appDir: string): Promise<Rules | undefined> {
  const text = await readText(appDir, 'package.json')
  const { files } = text === '' ? {} : parseJsonObject(text, 'package.json')
  if (files === undefined) return undefined
  if (Array.isArray(files) && files.every((file) => typeof file === 'string')) return files.map(listedRule)
  throw new BuildError('package.json: files must be a list of paths and globs')
}

async function readText(folder: string, name: string): Promise<string> {
  const file = join(folder, name)
  return existsSync(file) ? readFile(file, 'utf8') : ''
}

function parseLines(text: string, parse: (line: string) => Rules[number]): Rules {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return lines.map(parse)
}

/** npm: a path of a folder lists everything in it. */
function listedRule(line: string): Rules[number] {
  return rootedRule(line, { dot: true })
}

/** Docker: patterns begin at the root of the context, and a folder that matches contains only files that match. */
function dockerRule(line: string): Rules[number] {
  return rootedRule(line, { dot: true, nobrace: true, noextglob: true })
}

function rootedRule(line: string, options: picomatch.PicomatchOptions): Rules[number] {
  const isNegated = line.startsWith('!')
  const pattern = line
    .slice(isNegated ? 1 : 0)
    .trim()
    .replace(/^(\.?\/)+/, '')
    .replace(/\/+$/, '')
  // "." and "/" are the whole folder.
  const isMatch = picomatch(pattern === '' || pattern === '.' ? '**' : [pattern, `${pattern}/**`], options)
  return { isNegated, matches: (path) => isMatch(path) }
}

/** gitignore(5): a pattern without a slash, but at its end, matches in every folder; a slash at the end, folders only. */
function gitRule(line: string): Rules[number] {
  const isNegated = line.startsWith('!')
  // A space at the end counts only after a backslash.
  const text = line.slice(isNegated ? 1 : 0).replace(/(?<!\\) +$/, '')
  const isForFolders = text.endsWith('/')
  const pattern = isForFolders ? text.slice(0, -1) : text
  const glob = pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`
  const isMatch = picomatch(glob, { dot: true, nobrace: true, noextglob: true, nonegate: true })
  return { isNegated, matches: (path, isFolder) => (isFolder || !isForFolders) && isMatch(path) }
}
