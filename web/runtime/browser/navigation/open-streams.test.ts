// Which transfers a transition of the router ends.

import { expect, test } from 'vitest'
import { streamsLeft } from '../testing.ts'
import type { View } from '../view.ts'
import { createState, reduce } from './router-machine.ts'
import type { Entry, RouterEvent } from './router-model.ts'

const entryOf = (url: string): Entry => ({ url, key: url })

/** A router over pages whose values still arrive; records the pages whose transfers it has ended. */
function createRouter() {
  const closed: string[] = []
  const viewOf = (url: string, name = url): View => ({
    ...{ route: url, params: {}, props: {}, Page: () => null, styles: [], url, isFallback: false, isReady: true },
    close: () => void closed.push(name),
  })
  let state = createState(viewOf('/first'), entryOf('/first'))
  const dispatch = (event: RouterEvent) => {
    const transition = reduce(state, event)
    for (const close of streamsLeft(state, event, transition)) close()
    state = transition.state
    return transition.effects
  }
  const navigate = (url: string) =>
    dispatch({ kind: 'navigate', entry: entryOf(url), mode: 'push', isInside: true, scroll: true, shallow: false })
  const load = (id: number, url: string) => dispatch({ kind: 'loaded', id, view: viewOf(url), isStale: false })
  return { closed, viewOf, dispatch, navigate, load }
}

test('N6 a page keeps its transfer until another page is in the document', () => {
  const { closed, navigate, load, dispatch } = createRouter()
  navigate('/second')
  load(1, '/second')
  expect(closed).toEqual([])
  dispatch({ kind: 'shown', id: 1 })
  expect(closed).toEqual(['/first'])
  navigate('/second#part')
  expect(closed).toEqual(['/first'])
})

test('N6 a page that arrives after a later navigation began, or that is never shown, loses its transfer', () => {
  const { closed, navigate, load, dispatch } = createRouter()
  navigate('/second')
  navigate('/third')
  load(1, '/second')
  expect(closed).toEqual(['/second'])
  load(2, '/third')
  navigate('/fourth')
  load(3, '/fourth')
  dispatch({ kind: 'shown', id: 3 })
  expect(closed.toSorted()).toEqual(['/first', '/second', '/third'])
})

test('N6 fresh data of the page shown takes the place of its transfer; that of a page that was left is ended', () => {
  const { closed, viewOf, dispatch } = createRouter()
  const view = viewOf('/first', 'fresh')
  const data = { kind: 'page', route: '/first', params: {}, props: {}, close: view.close! } as const
  expect(dispatch({ kind: 'data', url: '/first', data })).toMatchObject([{ kind: 'apply' }])
  expect(closed).toEqual([])
  dispatch({ kind: 'data-applied', url: '/first', view })
  expect(closed).toEqual(['/first'])
  const late = viewOf('/other', 'late')
  dispatch({ kind: 'data', url: '/other', data: { ...data, close: late.close! } })
  dispatch({ kind: 'data-applied', url: '/other', view: viewOf('/other', 'later') })
  expect(closed).toEqual(['/first', 'late', 'later'])
})
