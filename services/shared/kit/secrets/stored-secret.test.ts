import { describe, expect, test } from 'vitest'
import { acceptedValues, formatSecrets, mergeSecrets, parseSecrets, type Secret } from './stored-secret.ts'

const NOW = 1_000_000
const FORMER_MS = 24 * 60 * 60 * 1000
const secret = (value: string, rotation: number, createdAt: number, until?: number): Secret => ({
  ...{ value, rotation, createdAt },
  ...(until !== undefined && { until }),
})
const valuesOf = (secrets: readonly Secret[]) => secrets.map(({ value }) => value)

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))
}

describe('which secret counts', () => {
  const ARRIVALS = [
    secret('old-form', 0, 0),
    secret('b', 1, 500),
    secret('a', 1, 500),
    secret('younger', 1, 501),
    secret('pending', 2, NOW + 3000),
    secret('former', 0, 400, NOW + 5),
  ]
  const ORDER = ['pending', 'a', 'b', 'younger', 'old-form', 'former']

  test('O10 the higher rotation wins, then the older, then the smaller value, in every order of arrival', () => {
    const expected = mergeSecrets(ARRIVALS, [], NOW)
    expect(valuesOf(expected)).toEqual(ORDER)
    for (const order of permutations(ARRIVALS))
      expect(order.reduce<Secret[]>((known, arrival) => mergeSecrets(known, [arrival], NOW), [])).toEqual(expected)
  })

  test('O10 it makes no difference which of two sets arrives first, and a second arrival changes nothing', () => {
    const expected = mergeSecrets(ARRIVALS, [], NOW)
    for (let split = 0; split < 2 ** ARRIVALS.length; split++) {
      const [one, other] = [0, 1].map((side) =>
        mergeSecrets(
          ARRIVALS.filter((_, at) => ((split >> at) & 1) === side),
          [],
          NOW,
        ),
      )
      expect(mergeSecrets(one!, other!, NOW)).toEqual(expected)
      expect(mergeSecrets(other!, one!, NOW)).toEqual(expected)
      expect(mergeSecrets(expected, one!, NOW)).toEqual(expected)
    }
  })

  test('O10 a secret that has lost counts for 24 hours from then on, also where it lost twice', () => {
    const [winner, loser] = mergeSecrets([secret('a', 0, 1)], [secret('b', 1, 2)], NOW)
    expect([winner, loser]).toEqual([secret('b', 1, 2), secret('a', 0, 1, NOW + FORMER_MS)])
    const later = mergeSecrets([winner!, loser!], [secret('c', 2, 3)], NOW + 1000)
    expect(later.at(-1)).toEqual(loser)
    expect(acceptedValues(later, NOW + FORMER_MS - 1)).toEqual(['c', 'b', 'a'])
    expect(acceptedValues(later, NOW + FORMER_MS)).toEqual(['c', 'b'])
    expect(valuesOf(mergeSecrets(later, [], NOW + FORMER_MS))).toEqual(['c', 'b'])
    // A process that knew nothing of it has signed with it until now.
    expect(mergeSecrets([secret('a', 0, 1)], [winner!], NOW + FORMER_MS).at(-1)?.until).toBe(NOW + 2 * FORMER_MS)
  })

  test('O10 a secret verifies at once and signs from its time on', () => {
    const secrets = mergeSecrets([secret('a', 0, 1)], [secret('b', 1, NOW + 3000)], NOW)
    expect(acceptedValues(secrets, NOW + 2999)).toEqual(['a', 'b'])
    expect(acceptedValues(secrets, NOW + 3000)).toEqual(['b', 'a'])
    // The clock of another machine is late: there is no other secret.
    expect(acceptedValues([secret('b', 0, NOW + 3000)], NOW)).toEqual(['b'])
    expect(acceptedValues([], NOW)).toEqual([])
  })

  test('O10 the number of secrets is bounded, and the newest remain', () => {
    const many = Array.from({ length: 20 }, (_, rotation) => secret(`v${rotation}`, rotation, rotation))
    const kept = many.reduce<Secret[]>((known, each) => mergeSecrets(known, [each], NOW), [])
    expect(valuesOf(kept)).toEqual(Array.from({ length: 8 }, (_, at) => `v${19 - at}`))
  })
})

describe('the stored form', () => {
  test('O10 is {rotation, createdAt, value}, with the former ones', () => {
    expect(formatSecrets([secret('a', 0, 7)])).toBe('{"rotation":0,"createdAt":7,"value":"a"}')
    const secrets = mergeSecrets([secret('a', 0, 7)], [secret('b', 1, 8)], NOW)
    expect(JSON.parse(formatSecrets(secrets))).toEqual({ ...secrets[0], former: [secrets[1]] })
    expect(parseSecrets(formatSecrets(secrets))).toEqual(secrets)
  })

  test('O10 a value alone is that of a version before: read, and written in its form while no other one wins', () => {
    expect(parseSecrets('plain')).toEqual([secret('plain', 0, 0)])
    expect(formatSecrets([secret('plain', 0, 0)])).toBe('plain')
    const rotated = formatSecrets(mergeSecrets([secret('plain', 0, 0)], [secret('b', 1, 8)], NOW))
    expect(parseSecrets(rotated)?.map(({ value }) => value)).toEqual(['b', 'plain'])
  })

  test.each([
    '',
    '{',
    '{}',
    '{"rotation":0,"createdAt":1}',
    '{"rotation":-1,"createdAt":1,"value":"a"}',
    '{"rotation":9007199254740991,"createdAt":1,"value":"a"}',
    '{"rotation":"1","createdAt":1,"value":"a"}',
    '{"rotation":0,"createdAt":1.5,"value":"a"}',
    '{"rotation":0,"createdAt":1,"value":""}',
    '{"rotation":0,"createdAt":1,"value":"a","former":{}}',
    '{"rotation":0,"createdAt":1,"value":"a","former":[null]}',
    '{"rotation":0,"createdAt":1,"value":"a","former":[{"rotation":0,"createdAt":1,"value":"b"}]}',
  ])('O10 %j is no secret', (text) => {
    expect(parseSecrets(text)).toBeUndefined()
  })
})
