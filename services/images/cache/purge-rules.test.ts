import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createFilePurges, createPurgeRules, formatPurgeRule, parsePurgeBody, parsePurgeRule } from './purges.ts'

const log = pino({ level: 'silent' })
const of = (source: string, generation: number, tags: string[] = []) => ({ source, generation, tags })

test('I9 a rule purges only older variants that match the rule', () => {
  const rules = createPurgeRules()
  rules.add({ number: 10, target: { kind: 'source', value: '/a.png' } })
  rules.add({ number: 20, target: { kind: 'prefix', value: '/photos/' } })
  rules.add({ number: 30, target: { kind: 'tag', value: 'spring' } })
  expect(rules.current()).toBe(30)
  expect(rules.isPurged(of('/a.png', 9))).toBe(true)
  expect(rules.isPurged(of('/a.png', 10))).toBe(false)
  expect(rules.isPurged(of('/b.png', 0))).toBe(false)
  expect(rules.isPurged(of('/photos/x.png', 19))).toBe(true)
  expect(rules.isPurged(of('/photos/x.png', 20))).toBe(false)
  expect(rules.isPurged(of('/photographs.png', 0))).toBe(false)
  expect(rules.isPurged(of('/b.png', 29, ['winter', 'spring']))).toBe(true)
  expect(rules.isPurged(of('/b.png', 30, ['spring']))).toBe(false)
})

test('I9 a purge of everything is a rule that every older variant matches', async () => {
  const rules = createPurgeRules()
  const target = parsePurgeBody({ everything: true }, '')
  if ('rule' in target) throw new Error(target.rule)
  // Replicas of one Redis, and a later start, read the rule from text.
  const rule = parsePurgeRule(formatPurgeRule({ number: 10, target }))
  if (rule) rules.add(rule)
  for (const source of ['/a.png', 'https://img.example/a.png']) {
    expect(rules.isPurged(of(source, 9))).toBe(true)
    expect(rules.isPurged(of(source, 10))).toBe(false)
  }
})

test('I9 a bounded number of rules never brings a purged variant back', () => {
  const rules = createPurgeRules(3)
  for (let number = 1; number <= 10; number++)
    rules.add({ number, target: { kind: 'source', value: `/${number}.png` } })
  for (let number = 1; number <= 10; number++) expect(rules.isPurged(of(`/${number}.png`, number - 1))).toBe(true)
  expect(rules.isPurged(of('/other.png', 7))).toBe(false)
  expect(rules.isPurged(of('/10.png', 10))).toBe(false)
})

test('I9 purges of a service without Redis survive a restart', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portico-purges-'))
  try {
    await writeFile(
      join(dir, 'purges.txt'),
      'rubbish\n12 {"kind":"moon","value":"x"}\n13 {"kind":"tag","value":"old"}\n',
    )
    const first = await createFilePurges(dir, log)
    expect(first.current()).toBe(13)
    const purged = await Promise.all(['a', 'b', 'c'].map((value) => first.purge({ kind: 'tag', value })))
    const numbers = purged.map(({ generation }) => generation)
    expect(new Set(numbers).size).toBe(3)
    const second = await createFilePurges(dir, log)
    expect(second.current()).toBe(Math.max(...numbers))
    for (const tag of ['old', 'a', 'b', 'c']) expect(second.isPurged(of('/x.png', 0, [tag]))).toBe(true)
  } finally {
    await rm(dir, { recursive: true })
  }
})

test('K3 I9 processes that share the folder keep all purges that each of them received', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portico-purges-'))
  try {
    const both = await Promise.all([createFilePurges(dir, log), createFilePurges(dir, log)])
    const tags = ['a', 'b', 'c', 'd']
    await Promise.all(tags.flatMap((value) => both.map((each) => each.purge({ kind: 'tag', value }))))
    const later = await createFilePurges(dir, log)
    for (const tag of tags) expect(later.isPurged(of('/x.png', 0, [tag]))).toBe(true)
  } finally {
    await rm(dir, { recursive: true })
  }
})

test.each([
  [{ source: '/a b.png' }, { kind: 'source', value: '/a%20b.png' }],
  [{ source: 'https://IMG.example/a.png' }, { kind: 'source', value: 'https://img.example/a.png' }],
  [{ source: '/%73un-%c3%bc.png' }, { kind: 'source', value: '/sun-%C3%BC.png' }],
  [{ prefix: '/photos/' }, { kind: 'prefix', value: '/photos/' }],
  [{ prefix: '/ph%6ftos/%c3%bc' }, { kind: 'prefix', value: '/photos/%C3%BC' }],
  [{ prefix: 'https://img.example' }, { kind: 'prefix', value: 'https://img.example/' }],
  [{ tag: 'spring' }, { kind: 'tag', value: 'spring' }],
  [{ everything: true }, { kind: 'prefix', value: '' }],
])('I9 reads %j', (body, target) => {
  expect(parsePurgeBody(body, '')).toEqual(target)
})

test.each([
  undefined,
  null,
  'x',
  {},
  { source: '/a', tag: 'b' },
  { source: 1 },
  { source: '' },
  { source: '../a' },
  { prefix: '//x' },
  { prefix: 'x' },
  { all: true },
  { everything: false },
  { everything: true, tag: 'a' },
])('I9 refuses %j with a rule', (body) => {
  expect(parsePurgeBody(body, '')).toHaveProperty('rule')
})
