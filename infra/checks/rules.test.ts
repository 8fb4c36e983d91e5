// Conventions that a machine can check: settings documented once, nothing left focused.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAPPED_FIELDS, MODULES_OF_NEXT } from '@portico/build/next/testing.ts'
import { describe, expect, test } from 'vitest'
import { WRITTEN_DOCUMENTS } from './docs/written-tables.ts'
import { isTestFile, listSources, root } from './sources.ts'

const sources = listSources()

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

describe('conventions', () => {
  test.each(Object.entries(WRITTEN_DOCUMENTS))('W5 E2 X4 %s has the tables of the lists in the code', (file, write) => {
    // Written by infra/checks/docs/write-tables-cli.ts.
    expect(read(file)).toBe(write(read(file)))
  })

  test('X1 X4 the documentation names every mapped field of next.config, and every module of Next.js', () => {
    const fields = read('docs/next-config.md')
    const modules = read('docs/next-modules.md')
    expect(MAPPED_FIELDS.filter((name) => !RegExp(`\\| .*\`${name}[.\`].* \\|`).test(fields))).toEqual([])
    expect(MODULES_OF_NEXT.filter((name) => !modules.includes(`\`${name}\``))).toEqual([])
  })

  test('O2 the documentation names every value that docker-compose.yml takes from .env', () => {
    const taken = new Set([...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name))
    const page = read('docs/running-with-compose.md')
    // Traces are described with the metrics.
    const missing = [...taken].filter((name) => !name.startsWith('OTEL_') && !page.includes(`\`${name}\``))
    expect(missing).toEqual([])
  })

  test('V1 every package is at the root, next to the folders that development in containers mounts', () => {
    // The mounted folder hides services/*/node_modules of the image. npm puts the version at the root that the root's
    // package.json names.
    const nested = [...read('package-lock.json').matchAll(/^ {4}"((?:services|web)\/.*\/node_modules\/.*)": \{$/gm)]
    expect(nested.map(([, path]) => path)).toEqual([])
  })

  test('ARCHITECTURE.md names files that exist', () => {
    const named = [...read('ARCHITECTURE.md').matchAll(/`([\w./[\]-]+\.tsx?)`/g)].map((match) => match[1] ?? '')
    expect(named.length).toBeGreaterThan(10)
    const isWhole = (name: string) => /^(services|web|infra)\//.test(name)
    // The build writes these.
    const written = named.filter((name) => !name.endsWith('.d.ts'))
    const missing = written.filter((name) =>
      isWhole(name) ? !sources.includes(name) : !sources.some((file) => file.endsWith(`/${name}`)),
    )
    expect(missing).toEqual([])
  })

  test('only config.ts and main.ts of a service read the environment', () => {
    const readers = sources.filter(
      (file) => file.startsWith('services/') && !isTestFile(file) && /\bprocess\.env\b/.test(read(file)),
    )
    // The first passes the environment to a child process; the second sets the folders for code of the site.
    const notReading = ['services/stack/exec-cli.ts', 'services/shared/kit/config/app-build.ts']
    expect(readers.filter((file) => !/\/(config|main)\.ts$|\.mjs$/.test(file) && !notReading.includes(file))).toEqual(
      [],
    )
  })

  test('O9 one file opens connections to Redis, so that each has a user and no password in its errors', () => {
    const opening = sources.filter((file) => !isTestFile(file) && /\bnew (Redis|Cluster)\(/.test(read(file)))
    expect(opening).toEqual(['services/shared/kit/store/redis.ts'])
  })

  test('no test is focused', () => {
    const focused = sources.filter((file) => isTestFile(file) && /\b(test|it|describe)\.only\b/.test(read(file)))
    expect(focused.filter((file) => !file.startsWith('infra/checks/'))).toEqual([])
  })

  test('every source file opens with a comment that says what it is for', () => {
    const silent = sources.filter(
      (file) =>
        /^(services|web\/(runtime|build)|infra)\//.test(file) &&
        !isTestFile(file) &&
        !/^(#!.*\n)?\s*(\/\/|\/\*)/.test(read(file)),
    )
    expect(
      silent.filter(
        (file) =>
          !/^(infra\/(e2e\/sites\/fixture|conformance\/(sites|own-sites\/(accounts|auth-js|libraries|next)|apps\/database)|bench\/site)|web\/build\/create\/starter)\//.test(
            file,
          ),
      ),
    ).toEqual([])
  })

  test('each service has the files of its kind', () => {
    for (const service of ['gateway', 'renderer', 'images', 'actions'])
      for (const file of ['main.ts', 'config.ts', 'app.ts', 'package.json'])
        expect(existsSync(join(root, 'services', service, file)), `${service}/${file}`).toBe(true)
  })
})
