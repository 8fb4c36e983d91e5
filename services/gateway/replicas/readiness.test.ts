import { expect, it } from 'vitest'
import { awaitedReason, createReadiness, reduceReadiness } from './readiness.ts'

type Ready = Parameters<typeof reduceReadiness>[1]

const after = (build: string | undefined, ready: Ready[]) => ready.reduce(reduceReadiness, createReadiness(build))
const READY = {
  renderer1: { service: 'renderer', build: 'b1' },
  renderer2: { service: 'renderer', build: 'b2' },
  actions1: { service: 'actions', build: 'b1' },
  actions2: { service: 'actions', build: 'b2' },
  images: { service: 'images', build: undefined },
  unknown: { service: 'renderer', build: undefined },
} as const satisfies Record<string, Ready>
const { renderer1, renderer2, actions1, actions2, images, unknown } = READY

it.each<[string, Ready[], string[]]>([
  ['nothing was ready', [], ['renderer', 'images', 'actions']],
  ['only replicas of another build were ready', [renderer1, actions1, images], ['renderer', 'actions']],
  ['the actions of its build are missing', [renderer1, renderer2, actions1, images], ['actions']],
  ['the renderer of its build is missing', [actions2, images], ['renderer']],
  ['all of its build were ready', [actions2, images, renderer2], []],
  ['replicas of another build became ready later', [actions2, images, renderer2, renderer1, actions1], []],
  ['a renderer does not say which build it serves', [unknown, actions2, images], ['renderer']],
])('O12 a gateway waits for replicas of its own build: %s', (_name, ready, wanted) => {
  expect(after('b2', ready).awaited.map(({ service }) => service)).toEqual(wanted)
})

it('O4 without a build of its own a gateway takes every replica', () => {
  expect(after(undefined, [renderer1, actions2, images]).awaited).toEqual([])
})

it('O12 a gateway that waits says for what, and which builds it has found instead', () => {
  const { awaited } = after('b2', [renderer1, renderer1])
  expect(awaited.map((each) => awaitedReason(each, 'b2'))).toEqual([
    'no replica of renderer of build b2 has been ready yet; those that were ready serve b1',
    'no replica of images has been ready yet',
    'no replica of actions of build b2 has been ready yet',
  ])
})
