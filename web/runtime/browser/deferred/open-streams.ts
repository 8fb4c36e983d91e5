// Which transfers of deferred data end with a transition (N6): those of views that the router has left.

import type { RouterEvent, RouterState, Transition } from '../navigation/router-model.ts'

/** The transfers that the state before or the event had, and that nothing after the transition needs. */
export function streamsLeft(before: RouterState, event: RouterEvent, { state, effects }: Transition): (() => void)[] {
  const held = new Set(streamsOf(before))
  if ('view' in event) held.add(event.view.close)
  if ('data' in event) held.add(event.data?.close)
  const needed = new Set(streamsOf(state))
  for (const effect of effects) if (effect.kind === 'apply') needed.add(effect.data.close)
  return [...held].filter((close) => close !== undefined && !needed.has(close)) as (() => void)[]
}

function streamsOf({ shown, committed }: RouterState) {
  return [shown, ...committed.map(({ view }) => view)].map(({ close }) => close)
}
