// The command line of the why command: the request that is explained, or the id of one that has happened. Pure.

import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import type { WhyQuestion } from '../explanation.ts'
import { isRequestName } from './collect-lines.ts'

interface RequestPlan {
  kind: 'request'
  /** `host` is missing where a path alone is given. */
  question: WhyQuestion
  asJson: boolean
}

interface LogsPlan {
  kind: 'logs'
  /** Id of the request or its trace, or digest of an error. */
  name: string
  /** A file of log lines; undefined: standard input. */
  logs: string | undefined
  asJson: boolean
}

/** What the command does: `fault` names option, value and rule. */
export type WhyPlan = RequestPlan | LogsPlan | { kind: 'help' } | { kind: 'fault'; fault: string }

/** Options that describe a request, or what the command may do with it. */
const OF_REQUEST = ['method', 'cookie', 'header', 'client', 'run'] as const
/** RFC 9110, section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
/** What node:http takes as the value of a header. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Throws TypeError of parseArgs for options that the command does not have. */
export function readWhyOptions(args: readonly string[]): WhyPlan {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      method: { type: 'string' },
      cookie: { type: 'string', multiple: true },
      header: { type: 'string', multiple: true },
      client: { type: 'string' },
      run: { type: 'boolean' },
      json: { type: 'boolean', default: false },
      logs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return { kind: 'help' }
  const [given, second] = positionals
  if (given === undefined) return faulty('nothing to explain: give a path, a URL or the id of a request')
  if (second !== undefined) return faulty(`${quoted(second)} is one too many: give one path, URL or id`)
  const { logs, json: asJson } = values
  const name = given.toLowerCase()
  if (isRequestName(name)) {
    const other = OF_REQUEST.find((option) => values[option] !== undefined)
    if (other !== undefined)
      return faulty(`--${other} is of a request that is not sent yet, and ${quoted(given)} is the id of one that was`)
    return { kind: 'logs', name, logs, asJson }
  }
  if (logs !== undefined) return faulty(`--logs=${quoted(logs)} needs the id of a request: ${quoted(given)} is none`)
  const target = readTarget(given)
  if (typeof target === 'string') return faulty(target)
  const { method = 'GET', cookie: cookies = [], header: lines = [], client = '127.0.0.1', run = false } = values
  if (!TOKEN.test(method)) return faulty(`--method=${quoted(method)} must be a method of HTTP, such as GET or POST`)
  if (isIP(client) === 0) return faulty(`--client=${quoted(client)} must be an IPv4 or IPv6 address`)
  const headers: Record<string, string> = target.host === undefined ? {} : { host: target.host }
  for (const line of lines) {
    const read = readHeader(line)
    if (!read) return faulty(`--header=${quoted(line)} must be "name: value", as in "accept-language: fr"`)
    // Every other header may be written as a list (RFC 9110, section 5.3).
    const before = read.name === 'host' ? undefined : headers[read.name]
    headers[read.name] = before === undefined ? read.value : [before, read.value].join(separator(read.name))
  }
  for (const pairs of cookies) {
    if (!/^[^=;]+=/.test(pairs) || !FIELD_VALUE.test(pairs))
      return faulty(`--cookie=${quoted(pairs)} must be "name=value", with "; " between several`)
    headers.cookie = headers.cookie === undefined ? pairs : `${headers.cookie}; ${pairs}`
  }
  return { kind: 'request', question: { method: method.toUpperCase(), url: target.url, headers, client, run }, asJson }
}

/** The request target as a browser would send it, or the fault. */
function readTarget(given: string): { url: string; host?: string } | string {
  if (given.startsWith('/')) return { url: escaped(given) }
  const url = /^https?:\/\//i.test(given) && URL.canParse(given) ? new URL(given) : undefined
  if (url) return { url: url.pathname + url.search, host: url.host }
  return `${quoted(given)} must be a path that begins with "/", an http or https URL, or an id: the 16 digits of x-request-id, the 32 of a trace, the 10 of an error`
}

/** Without its fragment, which no client sends, and with percent sequences where a browser writes them. */
function escaped(path: string): string {
  const [sent = ''] = path.split('#', 1)
  return sent.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

function readHeader(line: string): { name: string; value: string } | undefined {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
  const value = line.slice(colon + 1).trim()
  return TOKEN.test(name) && FIELD_VALUE.test(value) ? { name, value } : undefined
}

function separator(name: string): string {
  return name === 'cookie' ? '; ' : ', '
}

function faulty(fault: string): { kind: 'fault'; fault: string } {
  return { kind: 'fault', fault }
}

function quoted(value: string): string {
  return JSON.stringify(value)
}
