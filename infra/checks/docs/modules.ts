// Compiles the modules of the documentation: each page's are an app folder, and one compiler reads them all.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { type AppFolder, readAppFolder } from '@portico/build/folder/folder.ts'
import { publicPaths } from '@portico/build/folder/public-files.ts'
import { loadSiteConfig } from '@portico/build/load-config.ts'
import { TYPES_FILE, writeCompilerOptions } from '@portico/build/site-types.ts'
import { siteTypes } from '@portico/build/testing.ts'
import { importsOf, root } from '../sources.ts'
import type { CodeBlock, Fault } from './code-blocks.ts'

const SAMPLE = join(root, 'web/app')
const CONFIG = 'portico.config.ts'
const NAME = /^\/\/ (\S+\.[jt]sx?)$/
/** The build takes no folder without one. */
const PAGE = /^pages\/(?!api\/|_)/
/** At the end of a line that must not compile. */
const EXPECTED = /(\/\/|\{\/\*) error: /

interface Module {
  block: CodeBlock
  /** Path in its app folder. */
  name: string
  /** Path in the folder that is compiled. */
  file: string
}

/** Faults of blocks that are modules: names, what the compiler says, what the build says of configs. */
export async function moduleFaults(blocks: readonly CodeBlock[]): Promise<Fault[]> {
  const { modules, faults } = nameModules(blocks)
  const dir = await mkdtemp(join(tmpdir(), 'portico-docs-'))
  try {
    await writeModules(dir, modules)
    // The packages of other authors that the documentation uses outside of with-other-libraries.md.
    await mkdir(join(dir, 'node_modules'))
    for (const name of ['valibot', 'vitest'])
      await symlink(join(root, 'node_modules', name), join(dir, 'node_modules', name))
    faults.push(...(await siteFaults(dir, modules)))
    return [...faults, ...compilerFaults(await compile(dir), modules)]
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function nameModules(blocks: readonly CodeBlock[]): { modules: Module[]; faults: Fault[] } {
  const modules = new Map<string, Module>()
  const faults: Fault[] = []
  for (const block of blocks) {
    const name = NAME.exec(block.text.split('\n', 1)[0] ?? '')?.[1]
    const file = join(basename(block.page, '.md'), name ?? '')
    if (name === undefined) faults.push({ ...at(block), rule: 'the first line must name a file: // pages/index.tsx' })
    else if (modules.has(file)) faults.push({ ...at(block), rule: `two blocks of this page are ${name}` })
    else modules.set(file, { block, name, file })
  }
  return { modules: [...modules.values()], faults }
}

function at({ page, line }: CodeBlock): { page: string; line: number } {
  return { page, line }
}

/** The blocks, and doors to what they import of the sample site. */
async function writeModules(dir: string, modules: readonly Module[]): Promise<void> {
  const given = new Set(modules.map(({ file }) => file))
  for (const { block, name, file } of modules) {
    await write(join(dir, file), block.text)
    const folder = file.slice(0, -name.length)
    for (const { specifier } of importsOf(block.text).filter((found) => found.specifier.startsWith('.'))) {
      const target = join(dirname(name), specifier)
      const source = join(SAMPLE, target)
      if (!/\.tsx?$/.test(target) || given.has(join(folder, target)) || !existsSync(source)) continue
      await write(join(dir, folder, target), `export * from ${JSON.stringify(source)}\n`)
    }
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** Has the build read each page's folder and config, and writes the types of all their paths together. */
async function siteFaults(dir: string, modules: readonly Module[]): Promise<Fault[]> {
  const faults: Fault[] = []
  const sample = await readAppFolder(SAMPLE)
  const all: AppFolder = { ...sample, pages: [...sample.pages], apiRoutes: [...sample.apiRoutes] }
  const { config } = await loadSiteConfig(SAMPLE)
  for (const page of new Set(modules.map(({ block }) => block.page))) {
    const own = modules.filter(({ block }) => block.page === page)
    const folder = join(dir, basename(page, '.md'))
    try {
      if (own.some(({ name }) => PAGE.test(name))) {
        const { pages, apiRoutes } = await readAppFolder(folder)
        all.pages.push(...pages)
        all.apiRoutes.push(...apiRoutes)
      }
      if (own.some(({ name }) => name === CONFIG)) {
        const { publicEnv, env, redirects } = (await loadSiteConfig(folder)).config
        Object.assign(config.publicEnv, publicEnv)
        Object.assign(config.env, env)
        config.redirects.push(...redirects)
      }
    } catch (error) {
      // The error that the author of such a folder would see.
      const first = own.find(({ name }) => name === CONFIG) ?? own[0]!
      faults.push({ ...at(first.block), rule: `the build rejects it: ${(error as Error).message}` })
    }
  }
  await writeCompilerOptions(dir)
  await writeFile(join(dir, 'tsconfig.json'), '{ "extends": "./.portico/tsconfig.json" }')
  await writeFile(join(dir, TYPES_FILE), siteTypes(all, config, await publicPaths(SAMPLE)))
  return faults
}

interface Diagnostic {
  file: string
  /** From 1. */
  line: number
  text: string
}

function compile(dir: string): Promise<Diagnostic[]> {
  const child = spawn(join(root, 'node_modules/.bin/tsc'), ['-p', dir, '--pretty', 'false'], { cwd: dir })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => {
      const found = [...output.matchAll(/^(.+?)\((\d+),\d+\): error (TS\d+: .*)$/gm)]
      if (found.length === 0 && output.trim() !== '') return reject(new Error(output))
      resolve(
        found.map(([, file = '', line = '', text = '']) => ({
          file: relative(dir, join(dir, file)),
          line: Number(line),
          text,
        })),
      )
    })
  })
}

/** The compiler's words at the lines of the page; lines that must fail and do not. */
function compilerFaults(diagnostics: readonly Diagnostic[], modules: readonly Module[]): Fault[] {
  return modules.flatMap(({ block, file }) => {
    const own = diagnostics.filter((diagnostic) => diagnostic.file === file)
    return block.text.split('\n').flatMap((text, index): Fault[] => {
      const place = { page: block.page, line: block.line + index }
      const said = own.filter(({ line }) => line === index + 1)
      if (!EXPECTED.test(text)) return said.map((diagnostic) => ({ ...place, rule: diagnostic.text }))
      return said.length > 0 ? [] : [{ ...place, rule: 'is marked as an error and compiles' }]
    })
  })
}
