// The error catalogue is complete and is used by every service.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_CATALOGUE } from '@portico/shared/wire/errors/error-catalogue.ts'
import { describe, expect, test } from 'vitest'
import { isTestFile, listSources, root } from './sources.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const services = listSources().filter((file) => file.startsWith('services/'))
const products = services.filter((file) => !isTestFile(file))

/** Where a service writes a status of 400 to 599 by itself. */
const WRITES = [
  /write(?:Head)?\([^,)]*\b[45]\d\d\b/g,
  /statusCode = .*\b[45]\d\d\b/g,
  /sendJson\([^,()]+,[^,]*\b[45]\d\d\b/g,
  /\.(?:sendStatus|status)\([^)]*\b[45]\d\d\b/g,
  /HTTP\/1\.1 [45]\d\d/g,
]
const SENDER = /\/error-response\.ts$/
/** Responses whose bytes another rule decides, one in each of these files. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'services/gateway/send/file.ts': '416 has no body, and its headers describe the file',
  'services/renderer/app.ts': 'W2 decides the body of a foreign build',
  'services/shared/kit/life/inner-port.ts': 'O4 decides the body of a service that is not ready',
}

function errorWrites(source: string): string[] {
  return WRITES.flatMap((pattern) => source.match(pattern) ?? [])
}

describe('the catalogue of errors', () => {
  test.each(Object.keys(ERROR_CATALOGUE))('E2 a test of a service provokes %s', (code) => {
    const tests = services.filter((file) => /\/(error-codes|inner-port)\.test\.ts$/.test(file))
    expect(tests.filter((file) => read(file).includes(`'${code}'`))).not.toEqual([])
  })

  test.each(Object.entries(ERROR_CATALOGUE))('E2 %s has a 4xx or 5xx status, a cause and a remedy', (code, entry) => {
    const { status, text = 'None.', cause, remedy } = entry
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(status).toSatisfy((value: number) => value >= 400 && value < 600)
    for (const sentence of [text, cause, remedy]) expect(sentence).toMatch(/^[A-Z`].*[.]$/)
  })
})

describe('error responses', () => {
  test('E2 no service writes the status of an error except through sendError', () => {
    const others = products.filter((file) => !SENDER.test(file))
    const writers = others.flatMap((file) => errorWrites(read(file)).map(() => file))
    expect(writers).toEqual(Object.keys(EXCEPTIONS))
  })

  test.each([
    "response.writeHead(503, { 'retry-after': '1' })",
    'response.writeHead(isGone ? 410 : 404)',
    'response.statusCode = 404',
    'response.statusCode = isGone ? 410 : 404',
    'response.status(404).end()',
    'response.sendStatus(404)',
    "sendJson(response, 400, { fault: 'x' })",
    "sendJson(\n  response,\n  400,\n  { fault: 'x' },\n)",
    "socket.end('HTTP/1.1 403 Forbidden\\r\\n\\r\\n')",
  ])('E2 the check finds %s', (source) => {
    expect(errorWrites(source)).toHaveLength(1)
  })

  test('E2 the default screen and the screen of development are the only error documents of the services', () => {
    const makers = products.filter((file) => read(file).includes('<!DOCTYPE html>'))
    expect(makers.map((file) => file.slice(file.lastIndexOf('/') + 1))).toEqual(['dev-pages.ts', 'error-response.ts'])
  })
})
