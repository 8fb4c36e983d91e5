import { expect, it } from 'vitest'
import { chooseBuild, type Situation } from './choose-build.ts'

type Builds = string[]

it.each<[string, renderers: Builds, actions: Builds, page: string, action: string]>([
  ['all are of the own build', ['b1'], ['b1'], 'b1', 'b1'],
  ['both builds run', ['b1', 'b2'], ['b1', 'b2'], 'b1', 'b1'],
  ['renderers were replaced, then actions', ['b2'], ['b2'], 'b2', 'b2'],
  ['only renderers were replaced', ['b2'], ['b1'], 'b2', 'b1'],
  ['only actions were replaced', ['b1'], ['b2'], 'b1', 'b1'],
  ['actions were replaced, and new renderers run', ['b1', 'b2'], ['b2'], 'b1', 'b2'],
  ['renderers were replaced, and new actions run', ['b2'], ['b1', 'b2'], 'b2', 'b2'],
  ['an older and a newer build run', ['b0', 'b2'], ['b0', 'b2'], 'b2', 'b2'],
  ['the newer build has no actions, an older one has', ['b0', 'b2'], ['b0'], 'b2', 'b0'],
  ['nothing responds', [], [], 'b1', 'b1'],
  ['only builds whose rules are unknown respond', ['b9'], ['b9'], 'b1', 'b1'],
])('O12 one build responds to a request: %s', (_name, renderers, actions, page, action) => {
  const situation: Omit<Situation, 'needsActions'> = {
    own: 'b1',
    others: ['b2', 'b0'],
    renderers: new Set(renderers),
    actions: new Set(actions),
  }
  expect(chooseBuild({ ...situation, needsActions: false })).toBe(page)
  expect(chooseBuild({ ...situation, needsActions: true })).toBe(action)
})
