// An explanation as one screen of text: what responds in one sentence, then why. Pure.

import { withoutControls } from '@portico/shared/kit/observe/without-controls.ts'
import type {
  WhyCache,
  WhyExplanation,
  WhyHeader,
  WhyLimit,
  WhyPage,
  WhyReplica,
  WhyResponse,
  WhyStep,
} from '../explanation.ts'
import {
  COLUMNS,
  count,
  cut,
  duration,
  errorFacts,
  labelled,
  type Paint,
  plainPaint,
  size,
  wrapped,
} from './text-lines.ts'

const STEP_COLUMNS = 10
const MOST_HEADERS = 16
const MOST_NAME_COLUMNS = 28
const MOST_CAUSE_COLUMNS = 30
const MOST_TAGS = 20
/** Replicas of one service; those that are ready and not the home are counted beyond this. */
const MOST_REPLICAS = 4

/** Lines of at most 100 columns, about 40 for a page. `paint` gives a text a colour, where the reader is a terminal. */
export function renderExplanation(explanation: WhyExplanation, paint: Paint = plainPaint): string {
  // SECURITY: the question, an entry and middleware may have any text.
  const safe = withoutControls(explanation)
  const { build, steps, page, cache, replicas, response, limits } = safe
  const blocks = [
    wrapped('', sentenceOf(safe)).map((line) => paint('bold', line)),
    steps.flatMap((step) => stepLines(step, response?.code !== undefined, paint)),
    response?.code === undefined ? [] : errorFacts(response.code, paint),
    [...(page ? labelled('page', pageText(page), paint) : []), ...(cache ? cacheLines(cache, paint) : [])],
    [...labelled('gateway', `build ${build}`, paint), ...replicaLines(replicas, paint)],
    response ? headerLines(response.headers, response.isPartial, paint) : [],
    response ? labelled('stored', storedText(response), paint) : [],
    limits.flatMap((limit) => limitLines(limit, paint)),
  ]
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** For example `/places/skarnvik: from memory (HIT), page /places/[slug], 12 s old`. */
function sentenceOf({ request: { method, url }, steps, page, cache, response }: WhyExplanation): string {
  const target = method === 'GET' ? url : `${method} ${url}`
  const last = steps.at(-1)
  if (!response) return `${target}: ${last ? `${last.step}: ${last.found}` : 'nothing is known'}`
  const { by, status, code } = response
  if (code !== undefined) return `${target}: ${status ?? 'an error'} ${code}${last ? `, at the step ${last.step}` : ''}`
  const location = response.headers.find(({ name }) => name === 'location')
  if (location) return `${target}: ${status} to ${location.value}, by ${deciderOf(location, last)}`
  const facts = [status === 200 || status === undefined ? '' : String(status), WHERE_FROM[by](cache)]
  if (page) facts.push(`page ${page.pattern}`)
  if (by === 'memory' && cache?.ageSeconds !== undefined) facts.push(`${duration(cache.ageSeconds)} old`)
  return `${target}: ${facts.filter((fact) => fact !== '').join(', ')}`
}

/** The rule that a step names as `redirects[1]: 308 to /new`, else the step. */
function deciderOf({ because }: WhyHeader, last: WhyStep | undefined): string {
  if (because !== 'gateway' || !last) return because
  const [named, ...rest] = last.found.split(': ')
  return named !== undefined && rest.length > 0 ? named : last.step
}

const WHERE_FROM: Readonly<Record<WhyResponse['by'], (cache: WhyCache | undefined) => string>> = {
  gateway: () => 'from the gateway itself',
  memory: (cache) => MEMORY[cache?.decision ?? ''] ?? 'from memory',
  file: () => 'from a file',
  renderer: (cache) =>
    cache?.bypass === undefined ? (MEMORY[cache?.decision ?? ''] ?? 'from a renderer') : 'from a renderer (uncached)',
  actions: () => 'from the actions service',
  images: () => 'from the images service',
  'other-host': () => 'from another host',
}

/** What X-Portico-Cache would say, by the decision of the page cache. */
const MEMORY: Readonly<Record<string, string>> = {
  hit: 'from memory (HIT)',
  stale: 'from memory (STALE)',
  refresh: 'from memory (STALE), and rendered again behind the response',
  fill: 'from a renderer, which makes the page for all clients (MISS)',
  ask: 'from memory if the home confirms the page, else from the home',
  confirm: 'from memory if the state store confirms the page',
  failed: 'the error of the last render, which is tried again in a moment',
}

function stepLines({ step, found, isLast }: WhyStep, isRefused: boolean, paint: Paint): string[] {
  const [first = '', ...others] = wrapped(`  ${isLast ? '■' : '✓'} ${step.padEnd(STEP_COLUMNS)}  `, found)
  if (!isLast) return [first.replace('✓', paint('green', '✓')), ...others]
  return [first.replace('■', paint(isRefused ? 'red' : 'bold', '■')), ...others]
}

function pageText({ pattern, params, locale, data }: WhyPage): string {
  const given = Object.entries(params).map(([name, value]) => `${name}=${[value].flat().join('/')}`)
  return [pattern, ...given, ...(locale === undefined ? [] : [`locale ${locale}`]), `data ${data}`].join('  ')
}

function cacheLines(cache: WhyCache, paint: Paint): string[] {
  const { bypass, key, decision, means, isTrusted, tags, path } = cache
  return [
    ...(bypass === undefined ? [] : labelled('uncached', bypass, paint)),
    ...(key === undefined ? [] : labelled('key', key, paint)),
    ...(cache.entry === undefined ? [] : labelled('entry', entryText(cache), paint)),
    ...(tags && tags.length > 0 ? labelled('tags', firstOf(tags), paint) : []),
    ...(path === undefined ? [] : labelled('path', `${path} (for revalidatePath)`, paint)),
    ...(isTrusted === false ? labelled('marks', 'not read in time: memory needs a confirmation', paint) : []),
    ...(decision === undefined ? [] : labelled('decision', [decision, means].filter(Boolean).join(': '), paint)),
  ]
}

function firstOf(tags: readonly string[]): string {
  const more = tags.length - MOST_TAGS
  return [...tags.slice(0, MOST_TAGS), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function entryText({ entry, ageSeconds, freshSeconds, bytes, madeBy, forms = [] }: WhyCache): string {
  const facts: string[] = []
  if (ageSeconds !== undefined) {
    const fresh = freshSeconds === null ? 'fresh until it is revalidated' : `fresh for ${duration(freshSeconds ?? 0)}`
    facts.push(`${duration(ageSeconds)} old`, ...(freshSeconds === undefined ? [] : [fresh]))
  }
  if (madeBy !== undefined) facts.push(`made by ${madeBy}`)
  if (bytes !== undefined) facts.push(size(bytes))
  if (forms.length > 0) facts.push(`compressed as ${forms.join(', ')}`)
  return [entry, facts.join(', ')].filter((text) => text !== '').join(': ')
}

/** A line for each service: its home and what is not ready come first. */
function replicaLines(replicas: readonly WhyReplica[], paint: Paint): string[] {
  const services = [...new Set(replicas.map(({ service }) => service))]
  return services.flatMap((service) => {
    const own = replicas.filter((replica) => replica.service === service)
    const hasVersions = new Set(own.map(({ version }) => version)).size > 1
    const ordered = own.toSorted((left, right) => rankOf(left) - rankOf(right))
    const shown = ordered.filter((replica, at) => at < MOST_REPLICAS || replica.state !== 'ready')
    const texts = shown.map((replica) => replicaText(replica, hasVersions))
    if (shown.length < own.length) texts.push(`${own.length - shown.length} more ready`)
    return labelled(service, texts.join('; '), paint)
  })
}

function rankOf({ isHome, state }: WhyReplica): number {
  if (isHome) return 0
  return state === 'ready' ? 2 : 1
}

function replicaText({ name, state, inFlight, version, isHome }: WhyReplica, hasVersions: boolean): string {
  const facts = [`${name} ${state}`, count(inFlight, 'request')]
  if (hasVersions && version !== undefined) facts.push(`version ${version}`)
  if (isHome) facts.push('first choice')
  return facts.join(', ')
}

function headerLines(headers: readonly WhyHeader[], isPartial: boolean, paint: Paint): string[] {
  const shown = headers.slice(0, MOST_HEADERS)
  const widest = (texts: string[], most: number) => Math.min(most, Math.max(0, ...texts.map((text) => text.length)))
  const nameColumns = widest(
    shown.map(({ name }) => name),
    MOST_NAME_COLUMNS,
  )
  const causeColumns = widest(
    shown.map(({ because }) => because),
    MOST_CAUSE_COLUMNS,
  )
  const room = COLUMNS - nameColumns - causeColumns - 4
  const valueColumns = widest(
    shown.map(({ value }) => value),
    room,
  )
  const column = (text: string, columns: number) => cut(text, columns).padEnd(columns)
  const lines = shown.map(({ name, value, because }) => {
    const left = `${column(name, nameColumns)}  ${column(value, valueColumns)}`
    return `${left}  ${paint('dim', cut(because, causeColumns))}`
  })
  if (headers.length > shown.length) lines.push(`${headers.length - shown.length} more: --json has all`)
  if (isPartial) lines.push(paint('dim', 'and headers that the service adds itself'))
  return lines
}

function storedText({ storedBy: { who, because } }: WhyResponse): string {
  return `${who === 'the service decides' ? who : `by ${who}`}: ${because}`
}

function limitLines({ name, setting, limit, now, wouldRefuse }: WhyLimit, paint: Paint): string[] {
  const text = `${name}: ${limit}${now === undefined ? '' : `, now ${now}`}${setting === undefined ? '' : ` (${setting})`}`
  const mark = wouldRefuse ? '✗' : '✓'
  const [first = '', ...others] = wrapped(`  ${mark} `, wouldRefuse ? `${text}: would refuse the request` : text)
  return [first.replace(mark, paint(wouldRefuse ? 'red' : 'green', mark)), ...others]
}
