// Docker commands of the documentation, checked with a real engine: options exist, compose files fit together.

import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../e2e/harness/processes.ts'
import { root } from '../sources.ts'
import { isComposeName } from './check-blocks.ts'
import { readCodeBlocks } from './code-blocks.ts'
import { readDocker } from './docker.ts'
import { readCommands } from './shell.ts'

const pages = [...globSync('docs/*.md', { cwd: root }), 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].sort()
const blocks = pages.flatMap((page) => readCodeBlocks(readFileSync(join(root, page), 'utf8'), page))
/** The variables that compose files require of the user. */
const digest = `sha256:${'0'.repeat(64)}`
const env = { ...process.env, NODE_DIGEST: digest, REDIS_DIGEST: digest }
const docker = (args: string[]) => run('docker', args, { cwd: root, env })

const helps = new Map<string, Promise<string>>()
function helpOf(path: string[]): Promise<string> {
  const key = path.join(' ')
  const help = helps.get(key) ?? docker([...path, '--help']).then(({ output }) => output)
  helps.set(key, help)
  return help
}

/** Options that the help of a command does not list. */
async function unknownOptions(path: string[], options: string[]): Promise<string[]> {
  const help = await helpOf(path)
  const names = options.filter((word) => word.startsWith('-')).flatMap((word) => optionNames(word))
  return names.filter((name) => !new RegExp(`(^|[\\s,])${name}(?![\\w-])`, 'm').test(help))
}

/** `--scale=images=2` is --scale, `-it` is -i and -t. */
function optionNames(word: string): string[] {
  return word.startsWith('--') ? [word.split('=')[0] ?? word] : [...word.slice(1)].map((letter) => `-${letter}`)
}

test('O2 every docker command of the documentation has the options that it is given', async () => {
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, line, text }) =>
      readCommands(text).map((command) => ({ ...command, page, line: line + command.line })),
    )
    .filter(({ words }) => words[0] === 'docker')
  expect(commands.length).toBeGreaterThan(3)
  const faults: string[] = []
  for (const { page, line, words } of commands) {
    const { path, options, composeOptions } = readDocker(words.slice(1))
    const unknown = [...(await unknownOptions(path, options)), ...(await unknownOptions(['compose'], composeOptions))]
    faults.push(...unknown.map((name) => `${page}:${line} docker ${path.join(' ')} has no option ${name}`))
  }
  expect(faults).toEqual([])
  expect(await unknownOptions(['compose', 'up'], ['--build', '-d', '--unheard-of', '-X'])).toEqual([
    '--unheard-of',
    '-X',
  ])
})

test('O2 the compose files that the documentation names, and those that it shows, fit together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-compose-'))
  const sets = blocks.flatMap(({ language, words, text }): string[][] => {
    const [name = ''] = words
    if (language === 'yaml' && isComposeName(name)) {
      const file = join(folder, name)
      writeFileSync(file, text)
      return [['docker-compose.yml', file]]
    }
    if (language !== 'sh') return []
    return readCommands(text)
      .filter((command) => command.words[0] === 'docker' && command.words[1] === 'compose')
      .map((command) => readDocker(command.words.slice(1)).files)
  })
  try {
    const different = new Set(sets.map((files) => (files.length > 0 ? files : ['docker-compose.yml']).join(' ')))
    expect(different.size).toBeGreaterThan(1)
    for (const files of different) {
      const { code, output } = await docker([
        'compose',
        ...files.split(' ').flatMap((file) => ['-f', file]),
        'config',
        '-q',
      ])
      expect(code, `${files}: ${output}`).toBe(0)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
